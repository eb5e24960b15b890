//! Figures that only a machine of several CPUs has: where wake-ups put their tasks, idle CPUs beside
//! waiting tasks, who shared a core with whom, balancing by level. Not for tasks and CPUs by
//! themselves (`variant`).

use std::collections::BTreeMap;

use schedlab_sim::{BalanceCounts, DomainLevel, IDLE, Placement, Run, TaskId};
use serde::{Deserialize, Serialize};

use crate::wire::count;

/// What stands for the idle thread where the name of a task is expected.
pub const IDLE_NAME: &str = "idle";

/// Where wake-ups (not forks) put their tasks; counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacementReport {
    /// Wake-ups.
    #[serde(with = "count")]
    pub wakeups: f64,
    /// On the previous CPU, which is the waker's too.
    pub previous_is_waker: BusyIdle,
    /// On the previous CPU, not the waker's.
    pub previous: BusyIdle,
    /// On the waker's CPU, not the previous one.
    pub waker: BusyIdle,
    /// On another.
    pub other: BusyIdle,
    /// A busy CPU was chosen while an allowed one was idle.
    #[serde(with = "count")]
    pub busy_while_idle: f64,
    /// The previous CPU was idle and was not chosen.
    #[serde(with = "count")]
    pub previous_idle_not_chosen: f64,
    /// Standard errors by figure; empty with one repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sem: BTreeMap<String, f64>,
}

/// Wake-ups by the state of the CPU that was chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BusyIdle {
    /// It ran something.
    #[serde(with = "count")]
    pub busy: f64,
    /// It was idle.
    #[serde(with = "count")]
    pub idle: f64,
}

/// How well idle CPUs were used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkConservationReport {
    /// Time in which a CPU was idle with nothing queued while a task that may run there waited on
    /// another, nanoseconds.
    pub gap_ns: u64,
    /// The same, times min(such CPUs, waiting tasks).
    pub cpu_ns: u64,
    /// How often that began.
    #[serde(with = "count")]
    pub count: f64,
    /// Standard errors by figure; empty with one repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sem: BTreeMap<String, f64>,
}

/// Two kinds of task whose instances ran on the hardware threads of one core at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharedCoreReport {
    /// One of them, the first in alphabetical order unless the other is [`IDLE_NAME`].
    pub first: String,
    /// The other; [`IDLE_NAME`]: the thread was idle.
    pub second: String,
    /// How long, nanoseconds, over all cores.
    pub ns: u64,
}

/// What `/proc/schedstat` counts of scheduling domains, those of one level of all CPUs together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DomainReport {
    /// The level: SMT, MC, PKG or NUMA.
    pub level: String,
    /// Balancing by idle CPUs.
    pub idle: BalanceReport,
    /// By busy ones.
    pub busy: BalanceReport,
    /// By CPUs about to become idle.
    pub newly_idle: BalanceReport,
    /// Active balances asked for.
    #[serde(with = "count")]
    pub alb_count: f64,
    /// Of them: moved nothing.
    #[serde(with = "count")]
    pub alb_failed: f64,
    /// Of them: moved the task.
    #[serde(with = "count")]
    pub alb_pushed: f64,
    /// Wake-ups from another CPU of the domain, and of none below.
    #[serde(with = "count")]
    pub ttwu_wake_remote: f64,
    /// Wake-ups moved to the waker's side.
    #[serde(with = "count")]
    pub ttwu_move_affine: f64,
    /// Standard errors by figure; empty with one repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sem: BTreeMap<String, f64>,
}

/// One kind of balancing in the domains of a level; counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BalanceReport {
    /// Attempts.
    #[serde(with = "count")]
    pub count: f64,
    /// Found balanced.
    #[serde(with = "count")]
    pub balanced: f64,
    /// Found a busiest CPU and moved nothing.
    #[serde(with = "count")]
    pub failed: f64,
    /// Tasks pulled.
    #[serde(with = "count")]
    pub gained: f64,
    /// Of them: cache-hot ones.
    #[serde(with = "count")]
    pub hot_gained: f64,
    /// No busiest CPU in the busiest group.
    #[serde(with = "count")]
    pub nobusyq: f64,
    /// No busiest group.
    #[serde(with = "count")]
    pub nobusyg: f64,
}

impl PlacementReport {
    pub(crate) fn of(placement: &Placement) -> Self {
        let pair = |[busy, idle]: [u64; 2]| BusyIdle { busy: busy as f64, idle: idle as f64 };
        Self {
            wakeups: placement.wakeups as f64,
            previous_is_waker: pair(placement.previous_is_waker),
            previous: pair(placement.previous),
            waker: pair(placement.waker),
            other: pair(placement.other),
            busy_while_idle: placement.busy_while_idle as f64,
            previous_idle_not_chosen: placement.previous_idle_not_chosen as f64,
            sem: BTreeMap::new(),
        }
    }
}

impl WorkConservationReport {
    pub(crate) fn of(run: &Run) -> Self {
        let of = run.work_conservation;
        Self { gap_ns: of.gap_ns, cpu_ns: of.cpu_ns, count: of.count as f64, sem: BTreeMap::new() }
    }
}

/// Who shared a core with whom, by kind, the longest first; `kind` names the kind of a task.
pub(crate) fn shared_cores<'a>(run: &'a Run, kind: impl Fn(TaskId) -> &'a str) -> Vec<SharedCoreReport> {
    let name = |task: TaskId| if task == IDLE { IDLE_NAME } else { kind(task) };
    let mut pairs: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for shared in &run.shared_cores {
        let (first, second) = (name(shared.first), name(shared.second));
        let idle_last = (first == IDLE_NAME, first) <= (second == IDLE_NAME, second);
        let pair = if idle_last { (first, second) } else { (second, first) };
        *pairs.entry(pair).or_default() += shared.ns;
    }
    let mut all: Vec<SharedCoreReport> = pairs
        .into_iter()
        .map(|((first, second), ns)| SharedCoreReport { first: first.to_owned(), second: second.to_owned(), ns })
        .collect();
    all.sort_by_key(|shared| std::cmp::Reverse(shared.ns));
    all
}

/// The domains of all CPUs together, by level from the lowest up.
pub(crate) fn domains(run: &Run) -> Vec<DomainReport> {
    let mut levels: BTreeMap<DomainLevel, DomainReport> = BTreeMap::new();
    for domain in run.domains.iter().flatten() {
        let all = levels
            .entry(domain.level)
            .or_insert_with(|| DomainReport { level: domain.level.name().to_owned(), ..DomainReport::default() });
        let kinds = [&mut all.idle, &mut all.busy, &mut all.newly_idle];
        for (sum, counts) in kinds.into_iter().zip(&domain.balance) {
            sum.add(counts);
        }
        all.alb_count += domain.alb_count as f64;
        all.alb_failed += domain.alb_failed as f64;
        all.alb_pushed += domain.alb_pushed as f64;
        all.ttwu_wake_remote += domain.ttwu_wake_remote as f64;
        all.ttwu_move_affine += domain.ttwu_move_affine as f64;
    }
    levels.into_values().collect()
}

impl BalanceReport {
    fn add(&mut self, counts: &BalanceCounts) {
        self.count += counts.count as f64;
        self.balanced += counts.balanced as f64;
        self.failed += counts.failed as f64;
        self.gained += counts.gained as f64;
        self.hot_gained += counts.hot_gained as f64;
        self.nobusyq += counts.nobusyq as f64;
        self.nobusyg += counts.nobusyg as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;
    use schedlab_sim::SharedCore;

    #[test]
    fn kinds_that_share_a_core_are_added_up() {
        let mut run = run(1_000);
        let shared = |first, second, ns| SharedCore { first: TaskId(first), second, ns };
        run.shared_cores =
            vec![shared(0, TaskId(1), 500), shared(0, TaskId(2), 300), shared(1, TaskId(2), 400), shared(1, IDLE, 100)];
        let kinds = ["worker", "worker", "logger", "job"];
        let all = shared_cores(&run, |task| kinds[task.0 as usize]);
        let rows: Vec<_> = all.iter().map(|of| (of.first.as_str(), of.second.as_str(), of.ns)).collect();
        assert_eq!(rows, [("logger", "worker", 700), ("worker", "worker", 500), ("worker", "idle", 100)]);
    }

    #[test]
    fn domains_of_a_level_are_added_up() {
        let mut run = run(1_000);
        run.domains = crate::fixture::domains();
        let levels = domains(&run);
        assert_eq!(levels.iter().map(|of| of.level.as_str()).collect::<Vec<_>>(), ["SMT", "MC"]);
        assert_eq!((levels[0].newly_idle.count, levels[0].newly_idle.gained), (30.0, 6.0));
        assert_eq!((levels[1].busy.count, levels[1].ttwu_wake_remote), (8.0, 10.0));
    }
}
