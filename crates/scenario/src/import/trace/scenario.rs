//! From what was recovered to the scenario document and the report.
//! Not for following events or judging them.

use std::collections::HashMap;

use schedlab_sim::Histogram;

use crate::document::{HZ, Machine, RunOptions, Scenario, Tick};
use crate::json::MOST_BYTES;
use crate::workload::{Attributes, Policy, Start, Task, Workload};

use super::bytes::Lines;
use super::decided::{Decided, Demand, yields};
use super::demand::{self, Unit};
use super::judge::Verdicts;
use super::realism::{TaskFigures, TraceFigures};
use super::recover::Recovery;
use super::report::{DroppedTask, EventCount, TraceReport};
use super::task::{Begin, Index, Step, Task as Traced};
use super::ticks::Ticks;
use super::{ImportedTrace, Reading, TraceError, TraceOptions, USED};

/// Kernel threads of which there is one on each CPU, as `NAME/CPU`.
const PER_CPU_THREADS: [&str; 10] = [
    "kworker",
    "ksoftirqd",
    "cpuhp",
    "rcuc",
    "ktimers",
    "ktimersoftd",
    "irq_work",
    "idle_inject",
    "watchdog",
    "backlog_napi",
];

/// Makes the scenario, the report and the figures.
pub(super) fn scenario(
    options: &TraceOptions,
    lines: &Lines,
    mut reading: Reading,
) -> Result<ImportedTrace, TraceError> {
    reading.recovery.finish();
    let recovery = &reading.recovery;
    let ticks = Ticks::find(&recovery.unexplained, options.hz.filter(|hz| HZ.contains(hz)));
    let (kept, dropped) = keep(recovery);
    let names = names(recovery, &kept);
    let mut places = vec![None; recovery.tasks.len()];
    for (place, &index) in kept.iter().enumerate() {
        places[index as usize] = u32::try_from(place).ok();
    }
    let yields = recovery.tasks.iter().map(|task| yields(task, ticks.as_ref())).collect();
    let decided = Decided {
        recovery,
        places,
        verdicts: Verdicts::of(recovery, options.wakers, reading.used[1] > 0),
        yields,
        ticks,
    };

    let cpus = cpu_numbers(recovery, reading.head_cpus);
    let first_ns = recovery.first_ns.unwrap_or(0);
    let mut machine = Machine { cores_per_llc: u32::try_from(cpus.len()).unwrap_or(1), ..Machine::default() };
    if let Some(hz) = options.hz.or(decided.ticks.as_ref().map(|ticks| ticks.hz)) {
        machine.hz = hz;
    }
    if let Some(ticks) = &decided.ticks {
        machine.tick = Tick::Phases(ticks.phases_from(first_ns, &cpus));
    }
    let micro = recovery.tasks.iter().all(|task| {
        task.steps.iter().all(|step| match step {
            Step::Run(ns) | Step::Block { ns, .. } => ns % 1000 == 0,
            _ => true,
        })
    });
    let unit = if micro { Unit::Micro } else { Unit::Nano };
    let wakeup_ns = (recovery.idle_wake_delay.count() > 0).then(|| {
        let median = recovery.idle_wake_delay.quantile_ns(5_000);
        // A histogram is exact to half a percent; a trace's clock to its last digit.
        let digit = if micro { 1000 } else { 100 };
        (median + digit / 2) / digit * digit
    });
    machine.wakeup_ns = wakeup_ns.unwrap_or(0);
    let (mut tasks, mut rows, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    for (&index, name) in kept.iter().zip(&names) {
        let traced = &recovery.tasks[index as usize];
        let demand = decided.demand(index, unit);
        tasks.push(task(&decided, traced, name, &demand, &names, unit, &cpus));
        rows.push(decided.row(index, name));
        figures.push(TaskFigures::of(name, &traced.counts));
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.runtime_ns));

    let duration_ns = recovery.now_ns - first_ns;
    let mut scenario = Scenario {
        title: options.title.clone().unwrap_or_else(|| "Imported trace".to_owned()),
        machine,
        // Strict JSON: every reader of it takes the document.
        workload: Workload { tasks, ..Workload::default() }.with_unique_keys(),
        run: RunOptions { duration_ms: Some(duration_ns.div_ceil(1_000_000).max(1)), ..RunOptions::default() },
        ..Scenario::default()
    };
    if let Some(release) = options.release {
        scenario.kernel.release = release;
    }
    let bytes = scenario.to_json().len();
    if bytes > MOST_BYTES {
        let part = MOST_BYTES as f64 / bytes as f64 * 0.9;
        let fits_to_ns = first_ns + (duration_ns as f64 * part) as u64;
        return Err(TraceError::TooLarge { bytes, limit: MOST_BYTES, fits_to_ns });
    }
    let wake_delay = kept.iter().fold(Histogram::default(), |mut all, &index| {
        all.merge(&recovery.tasks[index as usize].counts.wake_delay);
        all
    });
    let (judged_timers, judged_tasks) = decided.judged();
    let report = TraceReport {
        bytes_read: lines.bytes_read,
        lines: lines.number,
        from_ns: first_ns,
        to_ns: recovery.now_ns,
        cut_at_ns: reading.cut_at_ns,
        events: USED
            .iter()
            .zip(reading.used)
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| EventCount { name: (*name).to_owned(), count })
            .collect(),
        other_events: others(&reading),
        outside: reading.outside,
        cpus,
        flags: reading.flags,
        judged_timers,
        judged_tasks,
        tick: decided.ticks.as_ref().map(Ticks::finding),
        wakeup_ns,
        tasks: rows,
        dropped,
        oddities: recovery.oddities.clone(),
    };
    let figures = TraceFigures { duration_ns, switches: recovery.switches, wake_delay, tasks: figures };
    Ok(ImportedTrace { scenario, report, figures })
}

fn others(reading: &Reading) -> Vec<EventCount> {
    let mut all: Vec<EventCount> =
        reading.others.iter().map(|(name, count)| EventCount { name: name.clone(), count: *count }).collect();
    all.sort_by_key(|event| std::cmp::Reverse(event.count));
    if reading.other_names > 0 {
        all.push(EventCount { name: "of other names".to_owned(), count: reading.other_names });
    }
    all
}

/// The tasks of the scenario, and those left out.
fn keep(recovery: &Recovery) -> (Vec<Index>, Vec<DroppedTask>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for (index, task) in (0..).zip(&recovery.tasks) {
        let why = if task.comm.starts_with(b"migration/") {
            "it moves tasks for the balancer: a part of the schedule"
        } else if task.counts.switches == 0 {
            "it never ran"
        } else {
            kept.push(index);
            continue;
        };
        dropped.push(DroppedTask { name: task.name(), pid: task.pid, why: why.to_owned() });
    }
    if kept.len() > schedlab_sim::MAX_TASKS {
        kept.sort_by_key(|&index| std::cmp::Reverse(recovery.tasks[index as usize].counts.runtime_ns));
        for index in kept.split_off(schedlab_sim::MAX_TASKS) {
            let task = &recovery.tasks[index as usize];
            let why = format!("a run may have {} tasks, and it ran less than the others", schedlab_sim::MAX_TASKS);
            dropped.push(DroppedTask { name: task.name(), pid: task.pid, why });
        }
        kept.sort_unstable();
    }
    (kept, dropped)
}

/// A name for each task kept: its comm, with the pid where several have it.
fn names(recovery: &Recovery, kept: &[Index]) -> Vec<String> {
    let mut of_comm: HashMap<String, u32> = HashMap::new();
    for &index in kept {
        *of_comm.entry(recovery.tasks[index as usize].name()).or_default() += 1;
    }
    let mut given: HashMap<String, u32> = HashMap::new();
    kept.iter()
        .map(|&index| {
            let task = &recovery.tasks[index as usize];
            let comm = task.name();
            let name = if of_comm[&comm] > 1 { format!("{comm}:{}", task.pid) } else { comm };
            let times = given.entry(name.clone()).or_default();
            *times += 1;
            if *times > 1 { format!("{name}#{times}") } else { name }
        })
        .collect()
}

/// The CPUs of the scenario by their numbers in the trace: all that the head tells of, if it tells
/// of those that were seen, otherwise those that were seen.
fn cpu_numbers(recovery: &Recovery, head: Option<u32>) -> Vec<u32> {
    let seen: Vec<u32> = (0..).zip(&recovery.cpus).filter(|(_, cpu)| cpu.seen).map(|(number, _)| number).collect();
    match head {
        Some(cpus) if seen.last().is_none_or(|last| *last < cpus) => (0..cpus).collect(),
        _ => seen,
    }
}

/// A task of the scenario.
fn task(
    decided: &Decided<'_>,
    traced: &Traced,
    name: &str,
    demand: &Demand,
    names: &[String],
    unit: Unit,
    cpus: &[u32],
) -> Task {
    let mut task = Task::new(name, Vec::new());
    let program = demand::program(&demand.acts, traced.exited, name, names, unit);
    (task.phases, task.loops) = (program.phases, program.loops);
    task.attributes = attributes(traced, cpus);
    // One CPU needs no place.
    let previous = traced.previous_cpu.filter(|_| cpus.len() > 1);
    let place = previous.and_then(|cpu| cpus.iter().position(|number| *number == cpu));
    task.previous_cpu = place.and_then(|place| u32::try_from(place).ok());
    let first_ns = decided.recovery.first_ns.unwrap_or(0);
    match traced.begin {
        Begin::Already => {}
        Begin::Woken => task.delay_us = demand.delay_ns / 1000,
        Begin::Forked { at_ns, parent } => {
            task.start = Start::Fork;
            if parent.is_some_and(|parent| decided.places[parent as usize].is_some()) {
                task.instances = 0;
            } else {
                task.delay_us = (at_ns - first_ns) / 1000;
            }
        }
    }
    task
}

/// Policy and nice value by the kernel's priority, and the CPU of a thread that has its own.
fn attributes(task: &Traced, cpus: &[u32]) -> Attributes {
    let mut attributes = Attributes::default();
    match task.first_prio {
        Some(prio @ 100..140) if prio != 120 => attributes.priority = Some(prio - 120),
        // A deadline task's budget is not in a trace; it goes before all others all the same.
        Some(prio) if prio < 100 => {
            attributes.policy = Some(Policy::Fifo);
            attributes.priority = Some((99 - prio).clamp(1, 99));
        }
        _ => {}
    }
    let own_cpu = std::str::from_utf8(&task.comm).ok().and_then(|comm| {
        let (thread, rest) = comm.split_once('/')?;
        let digits = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
        PER_CPU_THREADS.contains(&thread).then(|| rest[..digits].parse::<u32>().ok())?
    });
    if let Some(place) = own_cpu.and_then(|cpu| cpus.iter().position(|number| *number == cpu))
        && cpus.len() > 1
    {
        attributes.cpus = u32::try_from(place).ok().map(|place| vec![place]);
    }
    attributes
}
