//! What can be said of a scenario without running it: loops that take no time, barriers that
//! cannot be met, CPUs that are not there, and what has no effect.

use std::collections::{HashMap, HashSet};

use schedlab_sim::MAX_TASKS;
use schedlab_sim::kernel::Release;

use crate::document::Scenario;
use crate::path::key_text;
use crate::problem::Problem;
use crate::workload::{Action, Attributes, Event, Loops, Task, Workload};

use super::memory;
use super::names::{Paths, PhasePath};
use super::policies;

/// Who uses a barrier.
#[derive(Debug, Default)]
pub(super) struct BarrierUsers<'w> {
    /// References times instances: how many must meet.
    pub references: u64,
    /// How many tasks can be there at one time.
    instances: u64,
    tasks: HashSet<&'w str>,
}

/// The users of each barrier.
pub(super) fn barrier_users(workload: &Workload) -> HashMap<&str, BarrierUsers<'_>> {
    let mut barriers: HashMap<&str, BarrierUsers<'_>> = HashMap::new();
    for task in &workload.tasks {
        let mut met: HashSet<&str> = HashSet::new();
        for event in task.phases.iter().flat_map(|phase| &phase.events) {
            let Action::Barrier(name) = &event.action else { continue };
            let users = barriers.entry(name).or_default();
            users.references += u64::from(task.instances);
            users.tasks.insert(&task.name);
            if met.insert(name) {
                users.instances += u64::from(task.instances);
            }
        }
    }
    barriers
}

/// Checks what is outside the workload.
pub(super) fn scenario(scenario: &Scenario, found: &mut Vec<Problem>) {
    let duration = scenario.duration_ms();
    if scenario.run.warmup_ms >= duration {
        let message = format!("the warm-up must end before the run does, at {duration} ms");
        found.push(Problem::error("run.warmup_ms", message));
    }
}

/// Whether the tasks are few enough to be looked at one by one.
pub(super) fn instances(workload: &Workload, found: &mut Vec<Problem>) -> bool {
    let total: u64 = workload.tasks.iter().map(|task| u64::from(task.instances)).sum();
    if total > MAX_TASKS as u64 {
        let message = format!("{total} instances in all are more than the {MAX_TASKS} tasks a run may have");
        found.push(Problem::error("workload.tasks", message));
    }
    total <= MAX_TASKS as u64
}

/// Checks the tasks.
pub(super) fn workload(scenario: &Scenario, paths: &Paths, found: &mut Vec<Problem>) {
    let workload = &scenario.workload;
    if workload.tasks.is_empty() {
        found.push(Problem::notice("workload.tasks", "there are no tasks; the CPU stays idle"));
    }
    global(workload, found);
    policies::higher_classes(scenario, paths, found);
    let barriers = barrier_users(workload);
    for (index, task) in workload.tasks.iter().enumerate() {
        let path = &paths.tasks[index];
        let phases = PhasePath::all(path, task);
        attributes(&task.attributes, scenario, path, found);
        if let Some(previous) = task.previous_cpu {
            self::cpu(previous, scenario, || format!("{path}.previous_cpu"), found);
        }
        for (phase, path) in task.phases.iter().zip(&phases) {
            if !task.is_inline() {
                attributes(&phase.attributes, scenario, &path.path, found);
                let only_of_tasks = [
                    ("latency_nice", phase.attributes.latency_nice.is_some()),
                    ("working_set_kib", phase.attributes.working_set_kib.is_some()),
                ];
                for (key, _) in only_of_tasks.iter().filter(|(_, named)| *named) {
                    let message = format!("`{key}` is not modelled inside a phase; it has no effect");
                    found.push(Problem::notice(format!("{}.{key}", path.path), message));
                }
            }
        }
        if task.attributes.latency_nice.is_some() {
            latency_nice(scenario.kernel.release, path, found);
        }
        spinning(task, path, &phases, &barriers, found);
    }
    memory::check(scenario, paths, found);
    barriers_met(workload, paths, &barriers, found);
    wakers(workload, paths, found);
}

fn global(workload: &Workload, found: &mut Vec<Problem>) {
    if workload.global.pi_enabled {
        found.push(Problem::notice("workload.global.pi_enabled", "priority inheritance is not modelled"));
    }
    if workload.global.ignored.iter().any(|(key, _)| key == "frag") {
        found.push(Problem::notice("workload.global.frag", "rt-app ignores `frag`; so does this"));
    }
}

/// The CPUs that a task or a group may use must be there.
pub(super) fn cpus(named: Option<&[u32]>, scenario: &Scenario, path: &str, found: &mut Vec<Problem>) {
    for (index, &number) in named.iter().copied().flatten().enumerate() {
        cpu(number, scenario, || format!("{path}.cpus[{index}]"), found);
    }
}

/// A CPU that is named must be there.
fn cpu(number: u32, scenario: &Scenario, path: impl FnOnce() -> String, found: &mut Vec<Problem>) {
    let cpus = scenario.online_cpus();
    if u64::from(number) >= cpus {
        let named = if cpus == 1 { "CPU 0 only".to_owned() } else { format!("CPUs 0 to {}", cpus.saturating_sub(1)) };
        let left = if scenario.kernel.nosmt { " with `nosmt`" } else { "" };
        let message = format!("there is no CPU {number}: the machine has {named}{left}");
        found.push(Problem::error(path(), message));
    }
}

/// Tells of a latency nice value, of a task or a group, in a release without.
pub(super) fn latency_nice(release: Release, path: &str, found: &mut Vec<Problem>) {
    if release != Release::EevdfRfc {
        let message = format!("{} has no latency nice (eevdf-rfc has); it is ignored", release.name());
        found.push(Problem::notice(format!("{path}.latency_nice"), message));
    }
}

fn attributes(attributes: &Attributes, scenario: &Scenario, path: &str, found: &mut Vec<Problem>) {
    cpus(attributes.cpus.as_deref(), scenario, path, found);
    for (key, _) in &attributes.unmodelled {
        let message = format!("`{key}` is not modelled; it has no effect");
        found.push(Problem::notice(format!("{path}.{}", key_text(key)), message));
    }
}

/// Whether an event may let time pass, by itself or by waiting for somebody.
fn may_take_time(event: &Event, barriers: &HashMap<&str, BarrierUsers<'_>>) -> bool {
    match &event.action {
        Action::Run(amount)
        | Action::Runtime(amount)
        | Action::Sleep(amount)
        | Action::RunNs(amount)
        | Action::SleepNs(amount) => !amount.is_zero(),
        Action::Timer { period_us, .. } => *period_us > 0,
        Action::Memory(bytes) | Action::Io(bytes) => *bytes > 0,
        Action::MemoryRun(run) => run.count != Some(0),
        Action::Barrier(name) => barriers.get(name.as_str()).is_some_and(|users| users.references > 1),
        Action::Lock(_)
        | Action::Wait { .. }
        | Action::Sync { .. }
        | Action::Suspend(_)
        | Action::SemaphoreWait(_)
        | Action::PipeWrite { .. }
        | Action::PipeRead { .. }
        | Action::Yield => true,
        _ => false,
    }
}

/// Names loops without end in which no time can pass. What depends on others is found in the run.
fn spinning(
    task: &Task,
    path: &str,
    phases: &[PhasePath<'_>],
    barriers: &HashMap<&str, BarrierUsers<'_>>,
    found: &mut Vec<Problem>,
) {
    let mut told = |path: &str, events: &mut dyn Iterator<Item = &Event>| {
        let events: Vec<&Event> = events.collect();
        if events.iter().any(|event| may_take_time(event, barriers)) {
            return false;
        }
        let why = if events.is_empty() { "it has no events".to_owned() } else { "its events take no time".to_owned() };
        found.push(Problem::error(path, format!("the loop goes on for ever without time passing: {why}")));
        true
    };
    for (index, phase) in task.phases.iter().enumerate() {
        if phase.loops == Loops::Forever {
            let spins = told(&phases[index].path, &mut phase.events.iter());
            if !spins && index + 1 < task.phases.len() {
                let message = "this phase goes on for ever; the phases after it are never reached";
                found.push(Problem::notice(&phases[index].path, message));
            }
            return;
        }
    }
    if task.loops == Loops::Forever {
        let done = task.phases.iter().filter(|phase| phase.loops != Loops::Times(0));
        told(path, &mut done.flat_map(|phase| &phase.events));
    }
}

fn barriers_met(
    workload: &Workload,
    paths: &Paths,
    barriers: &HashMap<&str, BarrierUsers<'_>>,
    found: &mut Vec<Problem>,
) {
    let mut forked: HashSet<&str> = HashSet::new();
    for event in workload.tasks.iter().flat_map(|task| &task.phases).flat_map(|phase| &phase.events) {
        if let Action::Fork(name) = &event.action {
            forked.insert(name);
        }
    }
    let mut told: HashSet<&str> = HashSet::new();
    for (index, task) in workload.tasks.iter().enumerate() {
        paths.each_event(index, task, |event, path| {
            let Action::Barrier(name) = &event.action else { return };
            let Some(users) = barriers.get(name.as_str()) else { return };
            if let Some(task) = users.tasks.iter().filter(|task| forked.contains(**task)).min() {
                if told.insert(name) {
                    let message =
                        format!("the barrier `{name}` counts its users at the start, and `{task}` is forked later");
                    found.push(Problem::error(path(), message));
                }
            } else if users.references > users.instances && told.insert(name) {
                let message = format!(
                    "the barrier `{name}` can never be met: {} users must meet, and at most {} can wait there",
                    users.references, users.instances
                );
                found.push(Problem::error(path(), message));
            }
        });
    }
}

/// Tells of waits that nobody ends, and of wake-ups that nobody waits for.
fn wakers(workload: &Workload, paths: &Paths, found: &mut Vec<Problem>) {
    let names: HashSet<&str> = workload.tasks.iter().map(|task| task.name.as_str()).collect();
    let point = |task: &'_ Task, name: &'_ str| -> String {
        if name.is_empty() || names.contains(name) { task.name.clone() } else { name.to_owned() }
    };
    let (mut suspended, mut resumed, mut posted, mut signalled) =
        (HashSet::new(), HashSet::new(), HashSet::new(), HashSet::new());
    let (mut written, mut read) = (HashSet::new(), HashSet::new());
    for task in &workload.tasks {
        for event in task.phases.iter().flat_map(|phase| &phase.events) {
            match &event.action {
                Action::Suspend(name) => _ = suspended.insert(point(task, name)),
                Action::Resume(name) => _ = resumed.insert(name.clone()),
                Action::SemaphorePost(name) => _ = posted.insert(name.as_str()),
                Action::Signal(name) | Action::Broadcast(name) => _ = signalled.insert(name.as_str()),
                Action::Sync { condition, .. } => _ = signalled.insert(condition.as_str()),
                Action::PipeWrite { pipe, .. } => _ = written.insert(pipe.as_str()),
                Action::PipeRead { pipe, .. } => _ = read.insert(pipe.as_str()),
                _ => {}
            }
        }
    }
    for (index, task) in workload.tasks.iter().enumerate() {
        let mut told = HashSet::new();
        paths.each_event(index, task, |event, path| {
            let (name, message) = match &event.action {
                Action::Suspend(name) if !resumed.contains(&point(task, name)) => (name, "nobody resumes this"),
                Action::Resume(name) if !suspended.contains(name) => (name, "nobody suspends there; it wakes nobody"),
                Action::SemaphoreWait(name) if !posted.contains(name.as_str()) => (name, "nobody posts this semaphore"),
                Action::Wait { condition, .. } if !signalled.contains(condition.as_str()) => {
                    (condition, "nobody signals this condition")
                }
                Action::PipeRead { pipe, .. } if !written.contains(pipe.as_str()) => {
                    (pipe, "nobody writes into this pipe")
                }
                Action::PipeWrite { pipe, .. } if !read.contains(pipe.as_str()) => {
                    (pipe, "nobody reads this pipe: a write waits for ever once it is full")
                }
                _ => return,
            };
            if told.insert((name, message)) {
                found.push(Problem::notice(path(), message));
            }
        });
    }
}
