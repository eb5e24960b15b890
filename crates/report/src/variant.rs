//! The report of one variant: the JSON of `schedlab run --format json`, field by field.
//! Not for computing it (`summarize`) or printing it (`text`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::several::{DomainReport, PlacementReport, SharedCoreReport, WorkConservationReport};
use crate::wire::{count, is_default, is_zero, ordered};

/// What one variant's runs gave. Times are integer nanoseconds; counts are whole for one repeat.
///
/// With several repeats every figure is the mean over them, and `sem` beside it has its standard
/// error under the figure's name (`runtime_ns`, `run_delay.p99`). Histograms hold all repeats
/// together. Statistics begin at the end of the warm-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VariantReport {
    /// The variant's name.
    pub name: String,
    /// The kernel release, such as `6.12`.
    pub release: String,
    /// How many repeats there were.
    pub repeats: u32,
    /// The simulated time that statistics cover, nanoseconds.
    pub measured_ns: u64,
    /// Per kind of task, in the document's order.
    pub tasks: Vec<TaskReport>,
    /// Per CPU.
    pub cpus: Vec<CpuReport>,
    /// The scheduler's counters that the release has, over the whole run, with the names that
    /// kernels give them.
    #[serde(with = "ordered")]
    pub counters: Vec<(String, f64)>,
    /// Standard errors of the counters; empty with one repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters_sem: BTreeMap<String, f64>,
    /// Where wake-ups put their tasks; all 0 on one CPU.
    #[serde(default, skip_serializing_if = "is_default")]
    pub placement: PlacementReport,
    /// How well idle CPUs were used; all 0 on one CPU.
    #[serde(default, skip_serializing_if = "is_default")]
    pub work_conservation: WorkConservationReport,
    /// Who shared a core with whom, the longest first; empty where cores have one thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_cores: Vec<SharedCoreReport>,
    /// Time in which two tasks of different cookies ran on one core, nanoseconds: 0 with core
    /// scheduling. Of all repeats together.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cookie_mix_ns: u64,
    /// The scheduling domains of all CPUs, by level from the lowest up; empty on one CPU.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<DomainReport>,
    /// Operations marked by `op_begin` and `op_end`.
    pub ops: Operations,
    /// xxh3-64 of each repeat's run, 16 hexadecimal digits.
    pub hash: Vec<String>,
}

/// The figures of one kind of task, all its instances together, or of one instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The name.
    pub name: String,
    /// How many instances there were, forked ones included.
    #[serde(with = "count")]
    pub instances: f64,
    /// The thread number that text formats show for the first instance.
    pub tid: u32,
    /// CPU time, costs included.
    pub runtime_ns: u64,
    /// Times scheduled in.
    #[serde(with = "count")]
    pub switches: f64,
    /// Times scheduled out while runnable, yields included.
    #[serde(with = "count")]
    pub preempted: f64,
    /// Times scheduled out to block or exit.
    #[serde(with = "count")]
    pub blocked: f64,
    /// Of `preempted`: by its own yield.
    #[serde(with = "count")]
    pub yields: f64,
    /// Times it came to an rt-app `timer`; left out at 0.
    #[serde(with = "count", default, skip_serializing_if = "is_zero")]
    pub timer_periods: f64,
    /// Of them: after the timer's instant, so that the period's work was late.
    #[serde(with = "count", default, skip_serializing_if = "is_zero")]
    pub missed_deadlines: f64,
    /// Wake-ups, the start included.
    #[serde(with = "count")]
    pub wakeups: f64,
    /// Changes of CPU.
    #[serde(with = "count")]
    pub migrations: f64,
    /// Of `migrations`: at a wake-up, by the choice of a CPU for it.
    #[serde(with = "count", default)]
    pub migrations_at_wakeup: f64,
    /// Time in which a sibling was forced idle while it ran, its part of it.
    #[serde(default)]
    pub forced_idle_ns: u64,
    /// `runtime_ns` by CPU; empty on one CPU.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runtime_by_cpu_ns: Vec<u64>,
    /// From each wake-up to the first run (timehist's `sch delay`).
    pub wake_delay: DelayReport,
    /// Every wait on a run queue, after preemption too (what `perf sched latency` averages).
    pub run_delay: DelayReport,
    /// How long it had run when it was preempted: counts by the bucket's least microseconds, 0
    /// or a power of two. Empty buckets are left out.
    #[serde(with = "ordered")]
    pub ran_before_preempted: Vec<(u64, f64)>,
    /// Switches out by reason, in the order of the engine's reasons; those at 0 are left out.
    #[serde(with = "ordered")]
    pub reasons: Vec<(String, f64)>,
    /// The longest wait on the run queue, of all repeats.
    pub longest_wait: Wait,
    /// Its kinds of operation; empty when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ops: Vec<OperationReport>,
    /// Standard errors by figure; empty with one repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sem: BTreeMap<String, f64>,
    /// `wake_delay` in full: least value and width in nanoseconds, and count, of each bucket.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wake_delay_histogram: Vec<(u64, u64, u64)>,
    /// `run_delay` in full, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_delay_histogram: Vec<(u64, u64, u64)>,
    /// Each instance by itself (`name-0`, …), without histograms. Empty when there is one instance
    /// or more than [`crate::MAX_INSTANCES_LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_instance: Vec<TaskReport>,
}

/// A distribution of delays in figures, nanoseconds. The percentiles are nearest-rank, within
/// 0.4 %; count, mean, max and sum are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DelayReport {
    /// How many.
    #[serde(with = "count")]
    pub count: f64,
    /// The mean.
    pub mean: u64,
    /// The median.
    pub p50: u64,
    /// The 95th percentile.
    pub p95: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The 99.9th percentile.
    #[serde(default)]
    pub p999: u64,
    /// The largest.
    pub max: u64,
    /// The sum.
    pub sum: u64,
}

/// A wait on the run queue, from one simulated instant to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// When it began, nanoseconds.
    pub start_ns: u64,
    /// When it ended, nanoseconds.
    pub end_ns: u64,
}

/// The figures of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuReport {
    /// Time in tasks.
    pub busy_ns: u64,
    /// Time in the idle thread.
    pub idle_ns: u64,
    /// Idle although a task waited, because of core scheduling.
    pub forced_idle_ns: u64,
    /// Of `busy_ns`: what did no work.
    pub lost_ns: LostTime,
    /// Waits on this CPU's run queue that ended.
    #[serde(default)]
    pub run_delay_ns: u64,
    /// Context switches.
    #[serde(with = "count")]
    pub switches: f64,
    /// Standard errors by figure; empty with one repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sem: BTreeMap<String, f64>,
}

/// Where a CPU's time was lost, nanoseconds: busy time that did no work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostTime {
    /// To context switches.
    pub switch: u64,
    /// To migrations.
    pub migration: u64,
    /// To cold caches.
    pub cache: u64,
    /// To core-wide picks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub core_pick: u64,
    /// To busy siblings.
    pub smt: u64,
}

/// All operations together, and each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operations {
    /// All kinds together.
    #[serde(flatten)]
    pub all: OperationReport,
    /// Each kind by its name, whichever tasks do it, in the document's order; empty when there is
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_name: Vec<OperationReport>,
}

/// The figures of one kind of operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationReport {
    /// Its name; empty for all kinds together.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How many ended.
    #[serde(with = "count")]
    pub count: f64,
    /// How many a simulated second.
    #[serde(with = "count")]
    pub per_second: f64,
    /// From begin to end.
    pub latency: DelayReport,
    /// Standard errors by figure; empty with one repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sem: BTreeMap<String, f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{run, subject};
    use crate::summarize;
    use serde_json::{Value, json};

    #[test]
    fn the_json_has_the_fields_of_the_design() {
        let report = summarize(&subject(), &[run(1_000)]);
        let json: Value = serde_json::to_value(&report).expect("it serializes");
        let worker = &json["tasks"][0];
        for field in ["instances", "runtime_ns", "switches", "preempted", "blocked", "wakeups", "migrations"] {
            assert!(worker[field].is_u64(), "{field}: {}", worker[field]);
        }
        for delay in [&worker["wake_delay"], &worker["run_delay"], &json["ops"]["latency"]] {
            for field in ["count", "mean", "p50", "p95", "p99", "p999", "max", "sum"] {
                assert!(delay[field].is_u64(), "{field}");
            }
        }
        assert_eq!(worker["ran_before_preempted"], json!({"1024": 1}));
        assert_eq!(
            json["cpus"][0],
            json!({"busy_ns": 4_000_000, "idle_ns": 6_000_000, "forced_idle_ns": 0, "switches": 5, "run_delay_ns": 0,
                   "lost_ns": {"switch": 0, "migration": 0, "cache": 0, "smt": 0}})
        );
        assert_eq!(json["counters"]["sched_count"], json!(9));
        assert_eq!((&json["ops"]["count"], &json["ops"]["per_second"]), (&json!(1), &json!(100)));
        assert_eq!(json["hash"], json!(["0000000000000abc"]));
    }

    #[test]
    fn the_json_reads_back() {
        for runs in [vec![run(1_000)], vec![run(1_000), run(2_500), run(3_100)]] {
            let report = summarize(&subject(), &runs);
            let text = serde_json::to_string(&report).expect("it serializes");
            let back: VariantReport = serde_json::from_str(&text).expect("it reads back");
            assert_eq!(back, report);
        }
    }
}
