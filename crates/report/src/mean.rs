//! Means over repeats, with their standard errors. Not for figures of one run (`summarize`).

use std::collections::BTreeMap;

use schedlab_sim::Reason;

use crate::several::{BalanceReport, DomainReport, PlacementReport, SharedCoreReport, WorkConservationReport};
use crate::variant::{CpuReport, DelayReport, OperationReport, TaskReport, VariantReport};

/// One figure of a report.
enum Figure<'a> {
    Time(&'a mut u64),
    Count(&'a mut f64),
}

/// A report whose figures can be listed by name.
trait Figures: Clone {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, Figure<'_>));
    fn sem(&mut self) -> &mut BTreeMap<String, f64>;
}

fn visit_delay(prefix: &str, delay: &mut DelayReport, visit: &mut dyn FnMut(&str, Figure<'_>)) {
    let DelayReport { count, mean, p50, p95, p99, p999, max, sum } = delay;
    visit(&format!("{prefix}.count"), Figure::Count(count));
    for (name, time) in
        [("mean", mean), ("p50", p50), ("p95", p95), ("p99", p99), ("p999", p999), ("max", max), ("sum", sum)]
    {
        visit(&format!("{prefix}.{name}"), Figure::Time(time));
    }
}

impl Figures for TaskReport {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, Figure<'_>)) {
        visit("runtime_ns", Figure::Time(&mut self.runtime_ns));
        for (name, count) in [
            ("instances", &mut self.instances),
            ("switches", &mut self.switches),
            ("preempted", &mut self.preempted),
            ("blocked", &mut self.blocked),
            ("yields", &mut self.yields),
            ("timer_periods", &mut self.timer_periods),
            ("missed_deadlines", &mut self.missed_deadlines),
            ("wakeups", &mut self.wakeups),
            ("migrations", &mut self.migrations),
            ("migrations_at_wakeup", &mut self.migrations_at_wakeup),
        ] {
            visit(name, Figure::Count(count));
        }
        visit("forced_idle_ns", Figure::Time(&mut self.forced_idle_ns));
        visit_delay("wake_delay", &mut self.wake_delay, visit);
        visit_delay("run_delay", &mut self.run_delay, visit);
    }

    fn sem(&mut self) -> &mut BTreeMap<String, f64> {
        &mut self.sem
    }
}

impl Figures for CpuReport {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, Figure<'_>)) {
        for (name, time) in [
            ("busy_ns", &mut self.busy_ns),
            ("idle_ns", &mut self.idle_ns),
            ("forced_idle_ns", &mut self.forced_idle_ns),
            ("lost_ns.switch", &mut self.lost_ns.switch),
            ("lost_ns.migration", &mut self.lost_ns.migration),
            ("lost_ns.cache", &mut self.lost_ns.cache),
            ("lost_ns.core_pick", &mut self.lost_ns.core_pick),
            ("lost_ns.smt", &mut self.lost_ns.smt),
            ("run_delay_ns", &mut self.run_delay_ns),
        ] {
            visit(name, Figure::Time(time));
        }
        visit("switches", Figure::Count(&mut self.switches));
    }

    fn sem(&mut self) -> &mut BTreeMap<String, f64> {
        &mut self.sem
    }
}

impl Figures for OperationReport {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, Figure<'_>)) {
        visit("count", Figure::Count(&mut self.count));
        visit("per_second", Figure::Count(&mut self.per_second));
        visit_delay("latency", &mut self.latency, visit);
    }

    fn sem(&mut self) -> &mut BTreeMap<String, f64> {
        &mut self.sem
    }
}

impl Figures for PlacementReport {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, Figure<'_>)) {
        visit("wakeups", Figure::Count(&mut self.wakeups));
        for (name, pair) in [
            ("previous_is_waker", &mut self.previous_is_waker),
            ("previous", &mut self.previous),
            ("waker", &mut self.waker),
            ("other", &mut self.other),
        ] {
            visit(&format!("{name}.busy"), Figure::Count(&mut pair.busy));
            visit(&format!("{name}.idle"), Figure::Count(&mut pair.idle));
        }
        visit("busy_while_idle", Figure::Count(&mut self.busy_while_idle));
        visit("previous_idle_not_chosen", Figure::Count(&mut self.previous_idle_not_chosen));
    }

    fn sem(&mut self) -> &mut BTreeMap<String, f64> {
        &mut self.sem
    }
}

impl Figures for WorkConservationReport {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, Figure<'_>)) {
        visit("gap_ns", Figure::Time(&mut self.gap_ns));
        visit("cpu_ns", Figure::Time(&mut self.cpu_ns));
        visit("count", Figure::Count(&mut self.count));
    }

    fn sem(&mut self) -> &mut BTreeMap<String, f64> {
        &mut self.sem
    }
}

impl Figures for DomainReport {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, Figure<'_>)) {
        for (kind, balance) in
            [("idle", &mut self.idle), ("busy", &mut self.busy), ("newly_idle", &mut self.newly_idle)]
        {
            let BalanceReport { count, balanced, failed, gained, hot_gained, nobusyq, nobusyg } = balance;
            for (name, value) in [
                ("count", count),
                ("balanced", balanced),
                ("failed", failed),
                ("gained", gained),
                ("hot_gained", hot_gained),
                ("nobusyq", nobusyq),
                ("nobusyg", nobusyg),
            ] {
                visit(&format!("{kind}.{name}"), Figure::Count(value));
            }
        }
        for (name, value) in [
            ("alb_count", &mut self.alb_count),
            ("alb_failed", &mut self.alb_failed),
            ("alb_pushed", &mut self.alb_pushed),
            ("ttwu_wake_remote", &mut self.ttwu_wake_remote),
            ("ttwu_move_affine", &mut self.ttwu_move_affine),
        ] {
            visit(name, Figure::Count(value));
        }
    }

    fn sem(&mut self) -> &mut BTreeMap<String, f64> {
        &mut self.sem
    }
}

/// One report of a variant from the reports of its repeats, in their order: means of the figures,
/// histograms together. None when there is no report.
#[must_use]
pub fn over_repeats(repeats: Vec<VariantReport>) -> Option<VariantReport> {
    if repeats.len() < 2 {
        return repeats.into_iter().next();
    }
    let first = repeats.first()?;
    let (counters, counters_sem) = mean_counts(repeats.iter().map(|repeat| repeat.counters.as_slice()));
    let mut ops = first.ops.clone();
    ops.all = mean_figures(repeats.iter().map(|repeat| &repeat.ops.all))?;
    ops.by_name = by_place(&repeats, |repeat| &repeat.ops.by_name, mean_figures);
    Some(VariantReport {
        name: first.name.clone(),
        release: first.release.clone(),
        repeats: repeats.len() as u32,
        measured_ns: first.measured_ns,
        tasks: by_place(&repeats, |repeat| &repeat.tasks, mean_task),
        cpus: by_place(&repeats, |repeat| &repeat.cpus, mean_figures),
        counters,
        counters_sem,
        placement: mean_figures(repeats.iter().map(|repeat| &repeat.placement))?,
        work_conservation: mean_figures(repeats.iter().map(|repeat| &repeat.work_conservation))?,
        shared_cores: mean_shared_cores(&repeats),
        cookie_mix_ns: repeats.iter().map(|repeat| repeat.cookie_mix_ns).sum(),
        domains: by_place(&repeats, |repeat| &repeat.domains, mean_figures),
        ops,
        hash: repeats.iter().flat_map(|repeat| repeat.hash.iter().cloned()).collect(),
    })
}

type OverRepeats<'a, T> = Box<dyn Iterator<Item = &'a T> + 'a>;

/// Merges the lists of several repeats place by place; a place that only some repeats have (forks
/// differ from one to another) is the mean over those.
fn by_place<'a, R, T: 'a>(
    repeats: &'a [R],
    list: impl Fn(&'a R) -> &'a Vec<T> + Copy + 'a,
    merge: impl Fn(OverRepeats<'a, T>) -> Option<T>,
) -> Vec<T> {
    let longest = repeats.iter().map(|repeat| list(repeat).len()).max().unwrap_or(0);
    (0..longest)
        .filter_map(|place| merge(Box::new(repeats.iter().filter_map(move |repeat| list(repeat).get(place)))))
        .collect()
}

fn mean_task<'a>(repeats: impl Iterator<Item = &'a TaskReport>) -> Option<TaskReport> {
    let repeats: Vec<&TaskReport> = repeats.collect();
    let mut mean = mean_figures(repeats.iter().copied())?;
    mean.ran_before_preempted = mean_counts(repeats.iter().map(|repeat| repeat.ran_before_preempted.as_slice())).0;
    mean.ran_before_preempted.sort_by_key(|(least_us, _)| *least_us);
    mean.reasons = mean_counts(repeats.iter().map(|repeat| repeat.reasons.as_slice())).0;
    mean.reasons.sort_by_key(|(name, _)| Reason::ALL.iter().position(|reason| reason.name() == name));
    mean.ops = by_place(&repeats, |repeat| &repeat.ops, mean_figures);
    mean.longest_wait = repeats.iter().map(|repeat| repeat.longest_wait).fold(mean.longest_wait, |longest, wait| {
        if wait.end_ns - wait.start_ns > longest.end_ns - longest.start_ns { wait } else { longest }
    });
    mean.wake_delay_histogram = pooled(repeats.iter().map(|repeat| repeat.wake_delay_histogram.as_slice()));
    mean.run_delay_histogram = pooled(repeats.iter().map(|repeat| repeat.run_delay_histogram.as_slice()));
    mean.by_instance = by_place(
        &repeats,
        |repeat| &repeat.by_instance,
        |repeats| {
            let repeats: Vec<&TaskReport> = repeats.collect();
            let mut mean = mean_figures(repeats.iter().copied())?;
            mean.runtime_by_cpu_ns = mean_times(repeats.iter().map(|repeat| repeat.runtime_by_cpu_ns.as_slice()));
            Some(mean)
        },
    );
    mean.runtime_by_cpu_ns = mean_times(repeats.iter().map(|repeat| repeat.runtime_by_cpu_ns.as_slice()));
    Some(mean)
}

/// The mean of each time over the repeats, to the nearest nanosecond.
fn mean_times<'a>(repeats: impl Iterator<Item = &'a [u64]>) -> Vec<u64> {
    let repeats: Vec<&[u64]> = repeats.collect();
    let longest = repeats.iter().map(|times| times.len()).max().unwrap_or(0);
    (0..longest)
        .map(|place| mean_time(repeats.iter().filter_map(|times| times.get(place).copied()), repeats.len()))
        .collect()
}

fn mean_time(times: impl Iterator<Item = u64>, repeats: usize) -> u64 {
    let repeats = repeats.max(1) as u128;
    ((times.map(u128::from).sum::<u128>() + repeats / 2) / repeats) as u64
}

/// Pairs that only some repeats have count as 0 in the others.
fn mean_shared_cores(repeats: &[VariantReport]) -> Vec<SharedCoreReport> {
    let mut pairs: BTreeMap<(&str, &str), Vec<u64>> = BTreeMap::new();
    for shared in repeats.iter().flat_map(|repeat| &repeat.shared_cores) {
        pairs.entry((&shared.first, &shared.second)).or_default().push(shared.ns);
    }
    let mut all: Vec<SharedCoreReport> = pairs
        .into_iter()
        .map(|((first, second), times)| SharedCoreReport {
            first: first.to_owned(),
            second: second.to_owned(),
            ns: mean_time(times.into_iter(), repeats.len()),
        })
        .collect();
    all.sort_by_key(|shared| std::cmp::Reverse(shared.ns));
    all
}

/// The first report with the mean of all in each figure.
fn mean_figures<'a, T: Figures + 'a>(repeats: impl Iterator<Item = &'a T>) -> Option<T> {
    let mut repeats = repeats.cloned();
    let mut mean = repeats.next()?;
    // Per figure, its values over the repeats.
    let mut values: Vec<Vec<f64>> = Vec::new();
    let mut sums: Vec<u128> = Vec::new();
    mean.visit(&mut |_, figure| {
        let (value, sum) = match figure {
            Figure::Time(time) => (*time as f64, u128::from(*time)),
            Figure::Count(count) => (*count, 0),
        };
        values.push(vec![value]);
        sums.push(sum);
    });
    for mut repeat in repeats {
        let mut place = 0;
        repeat.visit(&mut |_, figure| {
            match figure {
                Figure::Time(time) => {
                    values[place].push(*time as f64);
                    sums[place] += u128::from(*time);
                }
                Figure::Count(count) => values[place].push(*count),
            }
            place += 1;
        });
    }
    let mut place = 0;
    let mut sem = BTreeMap::new();
    mean.visit(&mut |name, figure| {
        let values = &values[place];
        let repeats = values.len() as u128;
        match figure {
            // Times stay integers: rounded to the nearest nanosecond, exactly.
            Figure::Time(time) => *time = ((sums[place] + repeats / 2) / repeats) as u64,
            Figure::Count(count) => *count = values.iter().sum::<f64>() / values.len() as f64,
        }
        if let Some(error) = standard_error(values) {
            sem.insert(name.to_owned(), error);
        }
        place += 1;
    });
    *mean.sem() = sem;
    Some(mean)
}

/// The standard error of the mean; none for fewer than two values.
fn standard_error(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0) / count).sqrt())
}

/// The mean of each count over the repeats, absent ones being 0, and the standard errors.
fn mean_counts<'a, K: Clone + PartialEq + ToString + 'a>(
    repeats: impl Iterator<Item = &'a [(K, f64)]>,
) -> (Vec<(K, f64)>, BTreeMap<String, f64>) {
    let repeats: Vec<&[(K, f64)]> = repeats.collect();
    let mut keys: Vec<K> = Vec::new();
    for (key, _) in repeats.iter().copied().flatten() {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    let mut errors = BTreeMap::new();
    let means = keys
        .into_iter()
        .map(|key| {
            let values: Vec<f64> = repeats
                .iter()
                .map(|repeat| repeat.iter().find(|(other, _)| *other == key).map_or(0.0, |(_, count)| *count))
                .collect();
            if let Some(error) = standard_error(&values) {
                errors.insert(key.to_string(), error);
            }
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (key, mean)
        })
        .collect();
    (means, errors)
}

/// All buckets of several histograms together, in order.
fn pooled<'a>(histograms: impl Iterator<Item = &'a [(u64, u64, u64)]>) -> Vec<(u64, u64, u64)> {
    let mut buckets: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (least, width, count) in histograms.flatten() {
        buckets.entry(*least).or_insert((*width, 0)).1 += count;
    }
    buckets.into_iter().map(|(least, (width, count))| (least, width, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{run, subject};
    use crate::summarize;

    #[test]
    fn figures_are_means_with_standard_errors() {
        let report = summarize(&subject(), &[run(1_000), run(2_000), run(6_000)]);
        assert_eq!((report.repeats, report.hash.len()), (3, 3));
        let worker = &report.tasks[0];
        // Means of 1000, 2000, 6000; their deviation is √7 000 000, over √3.
        assert_eq!(worker.run_delay.max, 3_000);
        let error = worker.sem["run_delay.max"];
        assert!((error - (7_000_000.0_f64 / 3.0).sqrt()).abs() < 1e-6, "{error}");
        assert_eq!((worker.runtime_ns, worker.sem["runtime_ns"]), (3_000_000, 0.0));
        assert_eq!(worker.run_delay_histogram.iter().map(|(_, _, count)| count).sum::<u64>(), 9);
        assert_eq!((worker.longest_wait.end_ns - worker.longest_wait.start_ns, worker.by_instance.len()), (6_000, 2));
        assert_eq!(worker.by_instance[1].run_delay.max, 3_000);
        assert_eq!(report.ops.all.latency.max, 3_000);
        assert_eq!(report.counters_sem["sched_count"], 0.0);
    }

    #[test]
    fn one_repeat_has_no_error() {
        let report = summarize(&subject(), &[run(1_000)]);
        assert!(report.tasks.iter().all(|task| task.sem.is_empty()) && report.counters_sem.is_empty());
    }

    #[test]
    fn times_round_to_the_nearest() {
        let report = summarize(&subject(), &[run(1_000), run(1_001)]);
        assert_eq!(report.tasks[0].run_delay.max, 1_001);
    }

    #[test]
    fn what_one_repeat_lacks_counts_as_none() {
        let mut without = run(1_000);
        for task in &mut without.tasks {
            task.ran_before_preempted = [0; 32];
            task.reasons = Default::default();
        }
        without.tasks[0].reasons[Reason::Yield as usize] = 1;
        let report = summarize(&subject(), &[without, run(1_000)]);
        assert_eq!(report.tasks[0].ran_before_preempted, [(1024, 0.5)]);
        let names: Vec<&str> = report.tasks[0].reasons.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["block", "yield", "deadline"]);
    }
}
