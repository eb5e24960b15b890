//! Every figure of a report by a name: what sweeps list and what a bisection asks for.
//! Not for computing figures.

use std::collections::BTreeMap;

use schedlab_sim::Counters;

use crate::compare::{Group, Measure, measures};
use crate::variant::{TaskReport, VariantReport};

/// A figure: its name, its value and, over repeats, its standard error.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// The name: `tasks.hog.run_delay.p99`, `total.preempted`, `ops.per_second`,
    /// `ops.request.latency.p99`, `cpus.busy` (per cent), `counters.sched_count`.
    pub name: String,
    /// The value: nanoseconds, a count, or per cent.
    pub value: f64,
    /// The standard error of its mean; none with one repeat.
    pub sem: Option<f64>,
}

/// Every figure of a report, always in the same order. Counters that the release lacks are left out.
#[must_use]
pub fn metrics(report: &VariantReport) -> Vec<Metric> {
    let mut all = totals(report);
    for Measure { group, name, value, sem, .. } in measures(report, true) {
        let of = match group {
            Group::Task(task) => format!("tasks.{task}"),
            Group::Operation(kind) if kind.is_empty() => "ops".to_owned(),
            Group::Operation(kind) => format!("ops.{kind}"),
            Group::Cpu(_) | Group::Machine => "cpus".to_owned(),
            Group::Counters => "counters".to_owned(),
        };
        all.push(Metric { name: format!("{of}.{name}"), value, sem });
    }
    // Of each task by itself.
    for task in &report.tasks {
        for kind in &task.ops {
            let of = |name: &str, value| Metric {
                name: format!("tasks.{}.ops.{}.{name}", task.name, kind.name),
                value,
                sem: kind.sem.get(name).copied(),
            };
            all.push(of("per_second", kind.per_second));
            all.push(of("latency.p50", kind.latency.p50 as f64));
            all.push(of("latency.p99", kind.latency.p99 as f64));
        }
    }
    // Several kinds of operation have a sum too.
    if !report.ops.by_name.is_empty() {
        let ops = &report.ops.all;
        let of = |name: &str, value| Metric { name: format!("ops.{name}"), value, sem: ops.sem.get(name).copied() };
        all.push(of("per_second", ops.per_second));
        let latency = &ops.latency;
        for (name, value) in [
            ("latency.mean", latency.mean),
            ("latency.p50", latency.p50),
            ("latency.p95", latency.p95),
            ("latency.p99", latency.p99),
            ("latency.p999", latency.p999),
            ("latency.max", latency.max),
        ] {
            all.push(of(name, value as f64));
        }
    }
    all
}

/// The names of all figures that any release has of the tasks and operations of a report, in order.
#[must_use]
pub fn metric_names(report: &VariantReport) -> Vec<String> {
    let mut with_all = report.clone();
    with_all.counters = Counters::default().all().map(|(name, value)| (name.to_owned(), value as f64)).to_vec();
    metrics(&with_all).into_iter().map(|metric| metric.name).collect()
}

/// The known names that are most like a wrong one, at most three.
#[must_use]
pub fn nearest_metrics(wrong: &str, known: &[String]) -> Vec<String> {
    let mut by_distance: Vec<(usize, &String)> =
        known.iter().map(|name| (strsim::damerau_levenshtein(wrong, name), name)).collect();
    by_distance.sort();
    by_distance.into_iter().take(3).map(|(_, name)| name.clone()).collect()
}

/// Of all tasks together. Sums have no standard error of their own: those of the tasks depend on
/// each other.
fn totals(report: &VariantReport) -> Vec<Metric> {
    let of = |name: &str, value: f64| Metric { name: format!("total.{name}"), value, sem: None };
    let sum = |figure: fn(&TaskReport) -> f64| report.tasks.iter().map(figure).sum::<f64>();
    let mut all = vec![
        of("runtime_ns", sum(|task| task.runtime_ns as f64)),
        of("switches", sum(|task| task.switches)),
        of("preempted", sum(|task| task.preempted)),
        of("wakeups", sum(|task| task.wakeups)),
        of("migrations", sum(|task| task.migrations)),
        of("migrations_at_wakeup", sum(|task| task.migrations_at_wakeup)),
    ];
    for (kind, histogram) in [
        ("wake_delay", (|task| &task.wake_delay_histogram) as fn(&TaskReport) -> &Vec<(u64, u64, u64)>),
        ("run_delay", |task| &task.run_delay_histogram),
    ] {
        let delays =
            report.tasks.iter().map(|task| if kind == "wake_delay" { task.wake_delay } else { task.run_delay });
        let (mut count, mut time, mut longest) = (0.0, 0.0, 0);
        for delay in delays {
            count += delay.count;
            time += delay.sum as f64;
            longest = longest.max(delay.max);
        }
        all.push(of(&format!("{kind}.mean"), if count > 0.0 { time / count } else { 0.0 }));
        for (name, parts) in [("p50", 5_000), ("p95", 9_500), ("p99", 9_900), ("p999", 9_990)] {
            let quantile = quantile_ns(report.tasks.iter().flat_map(histogram), parts).min(longest);
            all.push(of(&format!("{kind}.{name}"), quantile as f64));
        }
        all.push(of(&format!("{kind}.max"), longest as f64));
    }
    all
}

/// The nearest-rank quantile of several histograms together, in parts of 10 000, nanoseconds: the
/// middle of its bucket; 0 when they are empty.
fn quantile_ns<'a>(buckets: impl Iterator<Item = &'a (u64, u64, u64)>, parts: u64) -> u64 {
    let mut all: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (least, width, count) in buckets {
        *all.entry((*least, *width)).or_default() += count;
    }
    let count: u64 = all.values().sum();
    let rank = (u128::from(count) * u128::from(parts)).div_ceil(10_000).max(1);
    let mut seen = 0;
    for ((least, width), count) in all {
        seen += u128::from(count);
        if seen >= rank {
            return least + width.saturating_sub(1) / 2;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{run, subject};
    use crate::summarize;

    #[test]
    fn every_figure_has_one_name() {
        let report = summarize(&subject(), &[run(1_000)]);
        let names = metric_names(&report);
        for name in [
            "total.preempted",
            "total.run_delay.p99",
            "tasks.worker.run_delay.p999",
            "ops.per_second",
            "ops.request.latency.p50",
            "cpus.busy",
            "counters.tick_preempts",
            "counters.preempt_deadline",
        ] {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
        }
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        assert!(metrics(&report).iter().all(|metric| names.contains(&metric.name)));
        assert_eq!(nearest_metrics("task.worker.run_delay.p99", &names)[0], "tasks.worker.run_delay.p99");
    }

    #[test]
    fn totals_are_over_all_tasks() {
        let report = summarize(&subject(), &[run(1_000)]);
        let value = |name: &str| metrics(&report).into_iter().find(|metric| metric.name == name).map(|of| of.value);
        assert_eq!(value("total.runtime_ns"), Some(4_000_000.0));
        // Waits of 20, 10 and 1000 ns of the workers and 30 of the job.
        assert_eq!(value("total.run_delay.mean"), Some(265.0));
        assert_eq!((value("total.run_delay.p50"), value("total.run_delay.p99")), (Some(20.0), Some(1_000.0)));
        assert_eq!(value("total.run_delay.max"), Some(1_000.0));
        assert_eq!(value("cpus.busy"), Some(40.0));
    }
}
