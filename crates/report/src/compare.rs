//! Variants side by side, each against the first. Not for printing (`text`) or drawing.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::variant::{CpuReport, DelayReport, VariantReport};

/// Several variants side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The variants' names; the first is what the others are compared with.
    pub variants: Vec<String>,
    /// One row a measure, the largest relative change first; after them those whose every change is
    /// within the noise.
    pub rows: Vec<Row>,
}

/// One measure of all variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What is measured.
    pub group: Group,
    /// The measure: a field of the report, such as `run_delay.p99`.
    pub measure: String,
    /// What the values are in.
    pub unit: Unit,
    /// Per variant; none where the variant has no such thing.
    pub values: Vec<Option<f64>>,
    /// Per variant, the standard error of the value; none with one repeat.
    pub sem: Vec<Option<f64>>,
    /// Per variant, against the first one; none for the first and where one of the two is missing.
    pub changes: Vec<Option<Change>>,
}

/// What a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// A kind of task.
    Task(String),
    /// A kind of operation; empty: all kinds together.
    Operation(String),
    /// A CPU, where there is one only.
    Cpu(usize),
    /// All CPUs of a machine that has several: times are means over them.
    Machine,
    /// The scheduler's counters.
    Counters,
}

/// What the values of a row are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// How many.
    Count,
    /// How many a simulated second.
    PerSecond,
    /// Per cent of the time; changes of it are in points.
    Percent,
}

/// How a value differs from the first variant's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The difference, in the row's unit (of a percentage: points).
    pub absolute: f64,
    /// The difference as a part of the first value, in per cent; none when that is 0, and for
    /// percentages.
    pub percent: Option<f64>,
    /// Whether the difference is within two standard errors of itself; none with one repeat.
    pub noise: Option<bool>,
}

impl Change {
    fn between(first: f64, other: f64, unit: Unit, errors: Option<(f64, f64)>) -> Self {
        let absolute = other - first;
        let relative = unit != Unit::Percent && first != 0.0;
        Self {
            absolute,
            percent: relative.then(|| absolute / first * 100.0),
            noise: errors.map(|(a, b)| absolute.abs() <= 2.0 * a.hypot(b)),
        }
    }

    /// How large the change is for sorting, in per cent: from 0 to something is beyond all others.
    fn magnitude(&self, unit: Unit) -> f64 {
        match self.percent {
            Some(percent) => percent.abs(),
            None if unit == Unit::Percent => self.absolute.abs(),
            None if self.absolute == 0.0 => 0.0,
            None => f64::INFINITY,
        }
    }
}

impl Row {
    /// The largest change of any variant, in per cent or points; infinite from 0 to something.
    #[must_use]
    pub fn magnitude(&self) -> f64 {
        self.changes.iter().flatten().map(|change| change.magnitude(self.unit)).fold(0.0, f64::max)
    }

    /// The largest change beyond the noise, likewise; 0 when there is none.
    #[must_use]
    pub fn beyond_noise(&self) -> f64 {
        let certain = self.changes.iter().flatten().filter(|change| change.noise != Some(true));
        certain.map(|change| change.magnitude(self.unit)).fold(0.0, f64::max)
    }

    /// The standard error of a variant's change, in the row's unit; none with one repeat.
    #[must_use]
    pub fn change_sem(&self, variant: usize) -> Option<f64> {
        let of = |place: usize| self.sem.get(place).copied().flatten();
        Some(of(0)?.hypot(of(variant)?))
    }
}

/// Compares variants with the first of them. Measures that are 0 or missing in all are left out.
#[must_use]
pub fn compare(variants: &[VariantReport]) -> Comparison {
    let several = variants.iter().any(|variant| variant.cpus.len() > 1);
    let measures: Vec<Vec<Measure>> = variants.iter().map(|variant| measures(variant, several)).collect();
    // Each is looked up by its name: hundreds of kinds of task have many thousands.
    let named: Vec<HashMap<(&Group, &str), &Measure>> =
        measures.iter().map(|of| of.iter().map(|measure| (measure.key(), measure)).collect()).collect();
    let mut seen = HashSet::new();
    let mut rows: Vec<Row> = measures
        .iter()
        .flatten()
        .filter(|measure| seen.insert(measure.key()))
        .map(|measure| {
            let found: Vec<Option<&Measure>> = named.iter().map(|of| of.get(&measure.key()).copied()).collect();
            row(measure.group.clone(), measure.name.clone(), measure.unit, &found)
        })
        .filter(|row| row.values.iter().flatten().any(|value| *value != 0.0))
        .collect();
    // Stable: equal changes stay in the order of the report.
    let keys = |row: &Row| (row.beyond_noise(), row.magnitude());
    rows.sort_by(|a, b| keys(b).partial_cmp(&keys(a)).unwrap_or(Ordering::Equal));
    Comparison { variants: variants.iter().map(|variant| variant.name.clone()).collect(), rows }
}

fn row(group: Group, measure: String, unit: Unit, found: &[Option<&Measure>]) -> Row {
    let first = found.first().copied().flatten();
    let changes = found
        .iter()
        .enumerate()
        .map(|(place, other)| {
            let (first, other) = (first?, (*other)?);
            let errors = first.sem.zip(other.sem);
            (place > 0).then(|| Change::between(first.value, other.value, unit, errors))
        })
        .collect();
    Row {
        group,
        measure,
        unit,
        values: found.iter().map(|of| of.map(|measure| measure.value)).collect(),
        sem: found.iter().map(|of| of.and_then(|measure| measure.sem)).collect(),
        changes,
    }
}

/// A figure of one variant.
pub(crate) struct Measure {
    pub(crate) group: Group,
    pub(crate) name: String,
    unit: Unit,
    pub(crate) value: f64,
    pub(crate) sem: Option<f64>,
}

impl Measure {
    fn key(&self) -> (&Group, &str) {
        (&self.group, &self.name)
    }
}

/// What is worth comparing of a variant, in the order of the report; with `several`, of its CPUs
/// together.
pub(crate) fn measures(variant: &VariantReport, several: bool) -> Vec<Measure> {
    let mut all = Vec::new();
    for task in &variant.tasks {
        let mut add = |name: &str, unit, value| {
            let sem = task.sem.get(name).copied();
            all.push(Measure { group: Group::Task(task.name.clone()), name: name.to_owned(), unit, value, sem });
        };
        add("runtime_ns", Unit::Ns, task.runtime_ns as f64);
        for (name, value) in [
            ("switches", task.switches),
            ("preempted", task.preempted),
            ("wakeups", task.wakeups),
            ("migrations", task.migrations),
            ("migrations_at_wakeup", task.migrations_at_wakeup),
        ] {
            add(name, Unit::Count, value);
        }
        if task.timer_periods > 0.0 {
            add("missed_deadlines", Unit::Count, task.missed_deadlines);
        }
        add("forced_idle_ns", Unit::Ns, task.forced_idle_ns as f64);
        delays("wake_delay", &task.wake_delay, &mut add);
        delays("run_delay", &task.run_delay, &mut add);
    }
    let kinds =
        if variant.ops.by_name.is_empty() { std::slice::from_ref(&variant.ops.all) } else { &variant.ops.by_name };
    for kind in kinds {
        let mut add = |name: &str, unit, value| {
            let sem = kind.sem.get(name).copied();
            all.push(Measure { group: Group::Operation(kind.name.clone()), name: name.to_owned(), unit, value, sem });
        };
        add("per_second", Unit::PerSecond, kind.per_second);
        delays("latency", &kind.latency, &mut add);
    }
    if several {
        all.extend(machine(variant));
    } else {
        for (number, cpu) in variant.cpus.iter().enumerate() {
            all.extend(one_cpu(variant, number, cpu));
        }
    }
    for (name, value) in &variant.counters {
        let sem = variant.counters_sem.get(name).copied();
        all.push(Measure { group: Group::Counters, name: name.clone(), unit: Unit::Count, value: *value, sem });
    }
    all
}

/// The times of a CPU that are compared: name, field and value.
fn cpu_times(cpu: &CpuReport) -> [(&'static str, &'static str, u64); 7] {
    [
        ("busy", "busy_ns", cpu.busy_ns),
        ("forced_idle", "forced_idle_ns", cpu.forced_idle_ns),
        ("lost_to_switches", "lost_ns.switch", cpu.lost_ns.switch),
        ("lost_to_migrations", "lost_ns.migration", cpu.lost_ns.migration),
        ("lost_to_caches", "lost_ns.cache", cpu.lost_ns.cache),
        ("lost_to_core_picks", "lost_ns.core_pick", cpu.lost_ns.core_pick),
        ("lost_to_siblings", "lost_ns.smt", cpu.lost_ns.smt),
    ]
}

/// A time as a part of the measured time, in per cent.
fn percent(variant: &VariantReport, ns: f64) -> f64 {
    if variant.measured_ns == 0 { 0.0 } else { ns / variant.measured_ns as f64 * 100.0 }
}

fn one_cpu(variant: &VariantReport, number: usize, cpu: &CpuReport) -> Vec<Measure> {
    let measure =
        |name: &str, unit, value, sem| Measure { group: Group::Cpu(number), name: name.to_owned(), unit, value, sem };
    let times = cpu_times(cpu).into_iter().map(|(name, field, value)| {
        let sem = cpu.sem.get(field).map(|error| percent(variant, *error));
        measure(name, Unit::Percent, percent(variant, value as f64), sem)
    });
    let switches = measure("switches", Unit::Count, cpu.switches, cpu.sem.get("switches").copied());
    times.chain([switches]).collect()
}

/// All CPUs together, placement and the use of idle CPUs. The error of a mean over CPUs is that of
/// as many independent ones, which overstates what balancing evens out.
fn machine(variant: &VariantReport) -> Vec<Measure> {
    let measure =
        |name: &str, unit, value, sem| Measure { group: Group::Machine, name: name.to_owned(), unit, value, sem };
    let cpus = variant.cpus.len().max(1) as f64;
    let together = |field: &str| {
        let errors: Option<Vec<f64>> = variant.cpus.iter().map(|cpu| cpu.sem.get(field).copied()).collect();
        errors.map(|errors| errors.iter().map(|error| error * error).sum::<f64>().sqrt())
    };
    let mut all = Vec::new();
    for place in 0..cpu_times(&CpuReport::default()).len() {
        let (name, field, _) = cpu_times(&CpuReport::default())[place];
        let sum: u64 = variant.cpus.iter().map(|cpu| cpu_times(cpu)[place].2).sum();
        let sem = together(field).map(|error| percent(variant, error / cpus));
        all.push(measure(name, Unit::Percent, percent(variant, sum as f64 / cpus), sem));
    }
    let switches = variant.cpus.iter().map(|cpu| cpu.switches).sum();
    all.push(measure("switches", Unit::Count, switches, together("switches")));
    let gap = &variant.work_conservation;
    let error = gap.sem.get("gap_ns").map(|error| percent(variant, *error));
    all.push(measure("idle_while_a_task_waits", Unit::Percent, percent(variant, gap.gap_ns as f64), error));
    let placed = &variant.placement;
    let part = |count: f64| if placed.wakeups == 0.0 { 0.0 } else { count / placed.wakeups * 100.0 };
    let idle = [placed.previous_is_waker, placed.previous, placed.waker, placed.other].iter().map(|of| of.idle).sum();
    all.push(measure("placed_on_idle_cpus", Unit::Percent, part(idle), None));
    let sem = placed.sem.get("busy_while_idle").map(|error| part(*error));
    all.push(measure("placed_busy_while_idle", Unit::Percent, part(placed.busy_while_idle), sem));
    all
}

fn delays(prefix: &str, delay: &DelayReport, add: &mut impl FnMut(&str, Unit, f64)) {
    for (name, value) in [
        ("mean", delay.mean),
        ("p50", delay.p50),
        ("p95", delay.p95),
        ("p99", delay.p99),
        ("p999", delay.p999),
        ("max", delay.max),
    ] {
        add(&format!("{prefix}.{name}"), Unit::Ns, value as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{run, subject};
    use crate::{Subject, summarize};
    use schedlab_sim::kernel::Release;

    fn find<'a>(comparison: &'a Comparison, measure: &str, task: &str) -> &'a Row {
        let row =
            comparison.rows.iter().find(|row| row.measure == measure && row.group == Group::Task(task.to_owned()));
        row.expect("the row is there")
    }

    #[test]
    fn the_largest_change_comes_first() {
        let first = summarize(&subject(), &[run(1_000)]);
        let mut other = summarize(&subject(), &[run(4_000)]);
        other.tasks[1].migrations = 3.0;
        let comparison = compare(&[first, other]);
        // From 0 to something is more than any ratio.
        assert_eq!(
            (comparison.rows[0].measure.as_str(), comparison.rows[0].magnitude()),
            ("migrations", f64::INFINITY)
        );
        assert_eq!(comparison.rows[0].changes[1].and_then(|change| change.percent), None);
        let row = find(&comparison, "run_delay.max", "worker");
        let change = row.changes[1].expect("two values");
        assert_eq!((change.absolute, change.percent, change.noise), (3_000.0, Some(300.0), None));
        assert_eq!(row.changes[0], None);
        let magnitudes: Vec<f64> = comparison.rows.iter().map(Row::magnitude).collect();
        assert!(magnitudes.is_sorted_by(|a, b| a >= b));
        // All zero: left out.
        assert!(!comparison.rows.iter().any(|row| row.measure == "forced_idle"));
    }

    #[test]
    fn a_difference_within_two_standard_errors_is_noise() {
        let of = |delays: [u64; 3]| summarize(&subject(), &delays.map(run));
        let noise = |other| {
            let comparison = compare(&[of([1_000, 2_000, 3_000]), of(other)]);
            find(&comparison, "run_delay.max", "worker").changes[1].and_then(|change| change.noise)
        };
        assert_eq!(noise([1_500, 2_500, 3_500]), Some(true));
        assert_eq!(noise([9_000, 9_100, 9_200]), Some(false));
    }

    #[test]
    fn what_one_variant_lacks_is_missing() {
        let cfs = summarize(&Subject { release: Release::V6_5, ..subject() }, &[run(1)]);
        let eevdf = summarize(&subject(), &[run(1)]);
        let comparison = compare(&[cfs, eevdf]);
        let row = comparison.rows.iter().find(|row| row.measure == "preempt_deadline").expect("EEVDF has it");
        assert_eq!(
            (row.values.as_slice(), row.changes.as_slice()),
            ([None, Some(1.0)].as_slice(), [None, None].as_slice())
        );
    }

    #[test]
    fn what_is_certain_comes_before_what_may_be_chance() {
        let of = |delays: [u64; 3], runtime: [u64; 3]| {
            let runs = [0, 1, 2].map(|repeat| {
                let mut run = run(delays[repeat]);
                run.tasks[2].runtime_ns = runtime[repeat];
                run
            });
            summarize(&subject(), &runs)
        };
        // The delays scatter more than they grow; the runtime grows by a little, surely.
        let comparison = compare(&[of([100, 9_000, 200], [1_000; 3]), of([300, 20_000, 100], [1_100; 3])]);
        let place = |measure: &str, task: &str| {
            let group = Group::Task(task.to_owned());
            comparison.rows.iter().position(|row| row.measure == measure && row.group == group).expect("a row")
        };
        let (runtime, delay) = (place("runtime_ns", "logger"), place("run_delay.max", "worker"));
        assert!(runtime < delay, "{runtime} {delay}");
        let row = &comparison.rows[delay];
        assert!(row.magnitude() > 100.0 && row.beyond_noise() == 0.0);
        assert!(
            row.change_sem(1)
                .is_some_and(|sem| (sem - row.sem[0].unwrap_or(0.0).hypot(row.sem[1].unwrap_or(0.0))).abs() < 1e-9)
        );
    }

    #[test]
    fn several_cpus_are_compared_together() {
        let mut first = summarize(&subject(), &[run(1)]);
        first.cpus.push(first.cpus[0].clone());
        let mut other = first.clone();
        other.cpus[1].busy_ns += 1_000_000;
        other.cpus[0].lost_ns.smt = 500_000;
        other.work_conservation.gap_ns = 2_000_000;
        let comparison = compare(&[first, other]);
        let value = |measure: &str| {
            let row = comparison.rows.iter().find(|row| row.group == Group::Machine && row.measure == measure);
            row.map(|row| row.values.clone()).unwrap_or_default()
        };
        assert_eq!(value("busy"), [Some(40.0), Some(45.0)]);
        assert_eq!(value("lost_to_siblings"), [Some(0.0), Some(2.5)]);
        assert_eq!(value("idle_while_a_task_waits"), [Some(0.0), Some(20.0)]);
        assert!(!comparison.rows.iter().any(|row| matches!(row.group, Group::Cpu(_))));
    }

    #[test]
    fn shares_change_by_points() {
        let first = summarize(&subject(), &[run(1)]);
        let mut other = first.clone();
        other.cpus[0].busy_ns += 100_000;
        let comparison = compare(&[first, other]);
        let row = &comparison.rows[0];
        let change = row.changes[1].expect("two values");
        assert_eq!((row.measure.as_str(), row.unit, change.percent), ("busy", Unit::Percent, None));
        assert!((change.absolute - 1.0).abs() < 1e-9);
    }
}
