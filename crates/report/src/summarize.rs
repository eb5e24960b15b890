//! From the runs of one variant to its report: instances of a task merged, figures taken.
//! Not for means over repeats (`mean`), which come after.

use std::collections::{BTreeMap, HashMap};

use schedlab_scenario::{OperationOrigin, Prepared};
use schedlab_sim::kernel::{Class, Release};
use schedlab_sim::{Histogram, OperationResult, Reason, Run, TaskResult};

use crate::mean::over_repeats;
use crate::several::{PlacementReport, WorkConservationReport, domains, shared_cores};
use crate::variant::{CpuReport, DelayReport, LostTime, OperationReport, Operations, TaskReport, VariantReport, Wait};

/// The thread number of the first task; the others follow in the order of the input.
pub const FIRST_TID: u32 = 1000;

/// Up to this many instances a task's report lists each by itself.
pub const MAX_INSTANCES_LISTED: usize = 1000;

/// What a report must know of a variant beside its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The variant's name.
    pub name: String,
    /// The kernel release.
    pub release: Release,
    /// For each task of the input, the name of its kind.
    pub kinds: Vec<String>,
    /// The names of the kinds that forks make more of.
    pub templates: Vec<String>,
    /// The kinds of operation, of each kind of task.
    pub operations: Vec<OperationOrigin>,
}

impl Subject {
    /// The subject of a prepared scenario's runs; take it before the input goes to the engine.
    #[must_use]
    pub fn of(name: &str, prepared: &Prepared) -> Self {
        Self {
            name: name.to_owned(),
            release: prepared.input.kernel.release(),
            kinds: prepared.tasks.iter().map(|origin| origin.name.clone()).collect(),
            templates: prepared.input.templates.iter().map(|template| template.spec.name.clone()).collect(),
            operations: prepared.operations.clone(),
        }
    }

    /// The name of the kind that the task at `index` of a run is an instance of.
    fn kind<'a>(&'a self, index: usize, task: &'a TaskResult) -> &'a str {
        if let Some(kind) = self.kinds.get(index) {
            return kind;
        }
        // A forked task is called after its template, with the number of the instance.
        let stem = task.name.rsplit_once('-').map_or(task.name.as_str(), |(stem, _)| stem);
        let known = |name: &str| self.templates.iter().any(|template| template == name);
        if known(stem) || !known(&task.name) { stem } else { &task.name }
    }
}

/// Reports one variant from the runs of all its repeats, in their order.
#[must_use]
pub fn summarize(subject: &Subject, runs: &[Run]) -> VariantReport {
    let reports = runs.iter().map(|run| one_run(subject, run)).collect();
    over_repeats(reports).unwrap_or_else(|| VariantReport {
        name: subject.name.clone(),
        release: subject.release.name().to_owned(),
        ..VariantReport::default()
    })
}

fn one_run(subject: &Subject, run: &Run) -> VariantReport {
    let measured_ns = run.until_ns.saturating_sub(run.warmup_ns);
    VariantReport {
        name: subject.name.clone(),
        release: subject.release.name().to_owned(),
        repeats: 1,
        measured_ns,
        tasks: tasks(subject, run),
        cpus: run.cpus.iter().map(cpu).collect(),
        counters: run
            .counters
            .all()
            .into_iter()
            .filter(|(name, _)| has_counter(subject.release, name))
            .map(|(name, value)| (name.to_owned(), value as f64))
            .collect(),
        placement: PlacementReport::of(&run.placement),
        work_conservation: WorkConservationReport::of(run),
        shared_cores: shared_cores(run, |task| {
            let index = task.0 as usize;
            run.tasks.get(index).map_or("", |result| subject.kind(index, result))
        }),
        cookie_mix_ns: run.cookie_mix_ns,
        domains: domains(run),
        ops: operations(&subject.operations, &run.operations, measured_ns),
        hash: vec![format!("{:016x}", run.hash)],
        counters_sem: BTreeMap::new(),
    }
}

/// Whether kernels of that release count under that name; all of them count the general ones.
fn has_counter(release: Release, name: &str) -> bool {
    match name {
        "tick_check_preempts" | "tick_preempts" => release.class() == Class::Cfs,
        "check_deadline" | "update_deadline" | "preempt_deadline" => release.class() == Class::Eevdf,
        "short_resched" => release >= Release::V6_12,
        _ => true,
    }
}

fn tasks(subject: &Subject, run: &Run) -> Vec<TaskReport> {
    let mut order: Vec<&str> = Vec::new();
    let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
    // Kinds that only forks make are listed too, even when none was forked.
    for kind in subject.kinds.iter().chain(&subject.templates) {
        members.entry(kind).or_insert_with(|| {
            order.push(kind);
            Vec::new()
        });
    }
    for (index, task) in run.tasks.iter().enumerate() {
        let kind = subject.kind(index, task);
        members
            .entry(kind)
            .or_insert_with(|| {
                order.push(kind);
                Vec::new()
            })
            .push(index);
    }
    order
        .into_iter()
        .map(|kind| TaskReport { ops: operations_of(kind, subject, run), ..merged(kind, &members[kind], &run.tasks) })
        .collect()
}

fn merged(kind: &str, members: &[usize], tasks: &[TaskResult]) -> TaskReport {
    let mut total = TaskResult::default();
    let mut longest = Wait::default();
    for task in members.iter().map(|index| &tasks[*index]) {
        total.lives += task.lives.max(1);
        total.runtime_ns += task.runtime_ns;
        total.switches += task.switches;
        total.preempted += task.preempted;
        total.blocked += task.blocked;
        total.yields += task.yields;
        total.timer_periods += task.timer_periods;
        total.missed_deadlines += task.missed_deadlines;
        total.wakeups += task.wakeups;
        total.migrations += task.migrations;
        total.migrations_at_wakeup += task.migrations_at_wakeup;
        total.forced_idle_ns += task.forced_idle_ns;
        if total.runtime_by_cpu_ns.len() < task.runtime_by_cpu_ns.len() {
            total.runtime_by_cpu_ns.resize(task.runtime_by_cpu_ns.len(), 0);
        }
        for (mine, theirs) in total.runtime_by_cpu_ns.iter_mut().zip(&task.runtime_by_cpu_ns) {
            *mine += theirs;
        }
        total.wake_delay.merge(&task.wake_delay);
        total.run_delay.merge(&task.run_delay);
        for (mine, theirs) in total.ran_before_preempted.iter_mut().zip(task.ran_before_preempted) {
            *mine += theirs;
        }
        for (mine, theirs) in total.reasons.iter_mut().zip(task.reasons) {
            *mine += theirs;
        }
        let wait = longest_wait(task);
        if wait.end_ns - wait.start_ns > longest.end_ns - longest.start_ns {
            longest = wait;
        }
    }
    let tid = |index: usize| FIRST_TID + index as u32;
    let mut report = task_report(kind, &total, longest);
    report.instances = total.lives as f64;
    report.tid = members.first().map_or(0, |index| tid(*index));
    report.wake_delay_histogram = total.wake_delay.buckets().collect();
    report.run_delay_histogram = total.run_delay.buckets().collect();
    if (2..=MAX_INSTANCES_LISTED).contains(&members.len()) {
        report.by_instance = members
            .iter()
            .map(|index| {
                let task = &tasks[*index];
                let mut instance = task_report(&task.name, task, longest_wait(task));
                instance.instances = 1.0;
                instance.tid = tid(*index);
                instance
            })
            .collect();
    }
    report
}

fn longest_wait(task: &TaskResult) -> Wait {
    let end_ns = task.longest_wait_end_ns;
    Wait { start_ns: end_ns.saturating_sub(task.run_delay.max_ns()), end_ns }
}

fn task_report(name: &str, task: &TaskResult, longest_wait: Wait) -> TaskReport {
    TaskReport {
        name: name.to_owned(),
        runtime_ns: task.runtime_ns,
        switches: task.switches as f64,
        preempted: task.preempted as f64,
        blocked: task.blocked as f64,
        yields: task.yields as f64,
        timer_periods: task.timer_periods as f64,
        missed_deadlines: task.missed_deadlines as f64,
        wakeups: task.wakeups as f64,
        migrations: task.migrations as f64,
        migrations_at_wakeup: task.migrations_at_wakeup as f64,
        forced_idle_ns: task.forced_idle_ns,
        runtime_by_cpu_ns: task.runtime_by_cpu_ns.clone(),
        wake_delay: delay(&task.wake_delay),
        run_delay: delay(&task.run_delay),
        ran_before_preempted: task
            .ran_before_preempted
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(bucket, count)| (if bucket == 0 { 0 } else { 1 << (bucket - 1) }, *count as f64))
            .collect(),
        reasons: Reason::ALL
            .iter()
            .map(|reason| (reason.name().to_owned(), task.reasons[*reason as usize] as f64))
            .filter(|(_, count)| *count > 0.0)
            .collect(),
        longest_wait,
        ..TaskReport::default()
    }
}

fn delay(histogram: &Histogram) -> DelayReport {
    DelayReport {
        count: histogram.count() as f64,
        mean: histogram.mean_ns(),
        p50: histogram.quantile_ns(5_000),
        p95: histogram.quantile_ns(9_500),
        p99: histogram.quantile_ns(9_900),
        p999: histogram.quantile_ns(9_990),
        max: histogram.max_ns(),
        sum: histogram.sum_ns(),
    }
}

fn cpu(cpu: &schedlab_sim::CpuResult) -> CpuReport {
    CpuReport {
        busy_ns: cpu.busy_ns,
        idle_ns: cpu.idle_ns,
        forced_idle_ns: cpu.forced_idle_ns,
        lost_ns: LostTime {
            switch: cpu.lost_switch_ns,
            migration: cpu.lost_migration_ns,
            cache: cpu.lost_cache_ns,
            core_pick: cpu.lost_core_pick_ns,
            smt: cpu.lost_smt_ns,
        },
        run_delay_ns: cpu.run_delay_ns,
        switches: cpu.switches as f64,
        ..CpuReport::default()
    }
}

/// One kind of operation, or several together.
fn operation(name: &str, latency: &Histogram, measured_ns: u64) -> OperationReport {
    OperationReport {
        name: name.to_owned(),
        count: latency.count() as f64,
        per_second: if measured_ns == 0 { 0.0 } else { latency.count() as f64 * 1e9 / measured_ns as f64 },
        latency: delay(latency),
        ..OperationReport::default()
    }
}

/// All operations, and those of one name together whichever task does them.
fn operations(origins: &[OperationOrigin], results: &[OperationResult], measured_ns: u64) -> Operations {
    let mut all = Histogram::default();
    let mut by_name: Vec<(&str, Histogram)> = Vec::new();
    for (origin, result) in origins.iter().zip(results) {
        all.merge(&result.latency);
        match by_name.iter_mut().find(|(name, _)| *name == origin.name) {
            Some((_, histogram)) => histogram.merge(&result.latency),
            None => by_name.push((&origin.name, result.latency.clone())),
        }
    }
    let by_name = by_name.iter().map(|(name, histogram)| operation(name, histogram, measured_ns));
    Operations { all: operation("", &all, measured_ns), by_name: by_name.collect() }
}

/// The operations of one kind of task.
fn operations_of(task: &str, subject: &Subject, run: &Run) -> Vec<OperationReport> {
    let measured_ns = run.until_ns.saturating_sub(run.warmup_ns);
    let own = subject.operations.iter().zip(&run.operations).filter(|(origin, _)| origin.task == task);
    own.map(|(origin, result)| operation(&origin.name, &result.latency, measured_ns)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{run, subject};

    #[test]
    fn instances_are_merged_and_listed() {
        let report = summarize(&subject(), &[run(1_000)]);
        let names: Vec<&str> = report.tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["worker", "logger", "job"]);
        let worker = &report.tasks[0];
        assert_eq!((worker.instances, worker.tid, worker.runtime_ns), (2.0, 1000, 3_000_000));
        assert_eq!((worker.switches, worker.preempted, worker.blocked, worker.wakeups), (3.0, 1.0, 2.0, 1.0));
        let delay = worker.run_delay;
        assert_eq!((delay.count, delay.sum, delay.mean, delay.p50, delay.max), (3.0, 1_030, 343, 20, 1_000));
        assert_eq!(worker.run_delay_histogram.iter().map(|(_, _, count)| count).sum::<u64>(), 3);
        assert_eq!(worker.longest_wait, Wait { start_ns: 14_999_000, end_ns: 15_000_000 });
        assert_eq!(worker.ran_before_preempted, [(1024, 1.0)]);
        assert_eq!(worker.reasons, [("block".to_owned(), 2.0), ("deadline".to_owned(), 1.0)]);
        let instances: Vec<_> = worker.by_instance.iter().map(|task| (task.name.as_str(), task.tid)).collect();
        assert_eq!(instances, [("worker-0", 1000), ("worker-1", 1001)]);
        assert_eq!(worker.by_instance.iter().map(|task| task.runtime_ns).sum::<u64>(), worker.runtime_ns);
        // A forked task counts under its template's name.
        assert_eq!((report.tasks[2].instances, report.tasks[2].tid, report.tasks[2].runtime_ns), (1.0, 1003, 500_000));
        assert!(report.tasks[1].by_instance.is_empty());
    }

    #[test]
    fn counters_are_those_the_release_has() {
        let names = |release| {
            let report = summarize(&Subject { release, ..subject() }, &[run(1)]);
            report.counters.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert!(names(Release::V6_5).contains(&"tick_preempts".to_owned()));
        assert!(!names(Release::V6_5).contains(&"check_deadline".to_owned()));
        assert!(names(Release::V6_12).contains(&"short_resched".to_owned()));
        assert!(!names(Release::V6_8).contains(&"short_resched".to_owned()));
        assert!(!names(Release::V6_12).contains(&"tick_preempts".to_owned()));
    }

    #[test]
    fn operations_are_counted_over_the_measured_time() {
        let ops = summarize(&subject(), &[run(5_000)]).ops;
        // One in 10 ms.
        assert_eq!((ops.all.count, ops.all.per_second, ops.all.latency.max), (1.0, 100.0, 5_000));
        assert_eq!((ops.by_name.len(), ops.by_name[0].name.as_str()), (1, "request"));
    }

    #[test]
    fn operations_are_of_tasks_too() {
        let of = |task: &str| OperationOrigin { name: "request".to_owned(), task: task.to_owned() };
        let subject = Subject { operations: vec![of("worker"), of("logger")], ..subject() };
        let mut run = run(5_000);
        run.operations.push(run.operations[0].clone());
        run.operations[1].latency.add(7_000);
        let report = summarize(&subject, &[run]);
        let counts =
            |task: usize| report.tasks[task].ops.iter().map(|ops| (ops.count, ops.latency.max)).collect::<Vec<_>>();
        assert_eq!((counts(0), counts(1), counts(2)), (vec![(1.0, 5_000)], vec![(2.0, 7_000)], vec![]));
        assert_eq!((report.ops.by_name.len(), report.ops.by_name[0].count, report.ops.all.count), (1, 3.0, 3.0));
    }

    #[test]
    fn no_run_is_an_empty_report() {
        let report = summarize(&subject(), &[]);
        assert_eq!((report.name.as_str(), report.repeats, report.tasks.len()), ("base", 0, 0));
    }
}
