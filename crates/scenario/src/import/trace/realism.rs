//! How well a replay reproduces a trace: the same figures of both, side by side.
//! Not for running the replay: the caller does that and hands over the [`Run`].

use schedlab_sim::{Histogram, Run};
use serde::{Deserialize, Serialize};

use super::task::Counts;

/// What a trace shows.
#[derive(Clone, Debug, Default)]
pub struct TraceFigures {
    /// From the first event to the last, nanoseconds.
    pub duration_ns: u64,
    /// Switches on all CPUs.
    pub switches: u64,
    /// From each wake-up to the first run, of all tasks of the scenario.
    pub wake_delay: Histogram,
    pub(super) tasks: Vec<TaskFigures>,
}

#[derive(Clone, Debug)]
pub(super) struct TaskFigures {
    name: String,
    runtime_ns: u64,
    preempted: u64,
    wakeups: u64,
}

impl TaskFigures {
    /// The figures of a task from what was counted of it.
    pub fn of(name: &str, counts: &Counts) -> Self {
        let Counts { runtime_ns, preempted, wakeups, .. } = *counts;
        Self { name: name.to_owned(), runtime_ns, preempted, wakeups }
    }
}

/// A trace and its replay side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Realism {
    /// The release of the replay.
    pub release: String,
    /// The figures.
    pub rows: Vec<RealismRow>,
    /// The tasks, the largest CPU time first.
    pub tasks: Vec<TaskRealism>,
}

/// A figure of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealismRow {
    /// What it is, with its unit.
    pub measure: String,
    /// In the trace.
    pub trace: f64,
    /// In the replay.
    pub replay: f64,
    /// How far the replay is off, percent of the trace's figure; none: that is 0.
    pub deviation_percent: Option<f64>,
    /// The difference is one of times below 5 µs: no more than recording an event takes.
    pub negligible: bool,
}

/// A task's CPU time in both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskRealism {
    /// Its name.
    pub name: String,
    /// CPU time in the trace, percent of one CPU.
    pub trace_percent: f64,
    /// In the replay.
    pub replay_percent: f64,
}

impl Realism {
    /// Lays a run of the imported scenario beside the trace.
    #[must_use]
    pub fn of(figures: &TraceFigures, run: &Run, release: &str) -> Self {
        let in_trace = |count: u64| per_second(count, figures.duration_ns);
        let in_run = |count: u64| per_second(count, run.until_ns - run.warmup_ns);
        let (mut delays, mut preempted, mut wakeups) = (Histogram::default(), 0, 0);
        let mut tasks: Vec<TaskRealism> = Vec::new();
        for task in &run.tasks {
            delays.merge(&task.wake_delay);
            preempted += task.preempted;
            wakeups += task.wakeups;
        }
        let (mut off_ns, mut all) = (0.0, 0.0);
        for task in &figures.tasks {
            // A forked task has its number after its name.
            let replayed = |name: &str| {
                name == task.name
                    || name.rsplit_once('-').is_some_and(|(name, number)| {
                        name == task.name && number.bytes().all(|digit| digit.is_ascii_digit())
                    })
            };
            let runtime: u64 = run.tasks.iter().filter(|one| replayed(&one.name)).map(|one| one.runtime_ns).sum();
            let (traced, replayed) = (in_trace(task.runtime_ns) / 1e7, in_run(runtime) / 1e7);
            off_ns += (traced - replayed).abs();
            all += traced;
            tasks.push(TaskRealism { name: task.name.clone(), trace_percent: traced, replay_percent: replayed });
        }
        tasks.sort_by(|a, b| b.trace_percent.total_cmp(&a.trace_percent));
        let sum = |of: fn(&TaskFigures) -> u64| figures.tasks.iter().map(of).sum::<u64>();
        let mut rows = vec![
            row("switches/s", in_trace(figures.switches), in_run(run.total_switches)),
            row("preemptions/s", in_trace(sum(|task| task.preempted)), in_run(preempted)),
            row("wake-ups/s", in_trace(sum(|task| task.wakeups)), in_run(wakeups)),
            delay("wake delay, mean µs", figures.wake_delay.mean_ns(), delays.mean_ns()),
            delay("wake delay, p99 µs", figures.wake_delay.quantile_ns(9_900), delays.quantile_ns(9_900)),
        ];
        let replayed: f64 = tasks.iter().map(|task| task.replay_percent).sum();
        rows.push(row("CPU time of all tasks, % of one CPU", all, replayed));
        rows.push(RealismRow {
            measure: "CPU time task by task, Σ|difference|, % of one CPU".to_owned(),
            trace: 0.0,
            replay: off_ns,
            deviation_percent: (all > 0.0).then(|| off_ns / all * 100.0),
            negligible: false,
        });
        Self { release: release.to_owned(), rows, tasks }
    }
}

fn row(measure: &str, trace: f64, replay: f64) -> RealismRow {
    let deviation_percent = (trace > 0.0).then(|| (replay - trace) / trace * 100.0);
    RealismRow { measure: measure.to_owned(), trace, replay, deviation_percent, negligible: false }
}

/// Delays closer to each other are the same.
const NEGLIGIBLE_NS: u64 = 5_000;

fn delay(measure: &str, trace_ns: u64, replay_ns: u64) -> RealismRow {
    let negligible = trace_ns.abs_diff(replay_ns) < NEGLIGIBLE_NS;
    RealismRow { negligible, ..row(measure, trace_ns as f64 / 1e3, replay_ns as f64 / 1e3) }
}

fn per_second(count: u64, over_ns: u64) -> f64 {
    if over_ns == 0 { 0.0 } else { count as f64 * 1e9 / over_ns as f64 }
}
