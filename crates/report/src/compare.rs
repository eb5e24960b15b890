//! Variants side by side, each against the first. Not for printing (`text`) or drawing.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::variant::{DelayReport, VariantReport};

/// Several variants side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The variants' names; the first is what the others are compared with.
    pub variants: Vec<String>,
    /// One row a measure, the largest relative change first.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// A kind of task.
    Task(String),
    /// A kind of operation; empty: all kinds together.
    Operation(String),
    /// A CPU.
    Cpu(usize),
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
}

/// Compares variants with the first of them. Measures that are 0 or missing in all are left out.
#[must_use]
pub fn compare(variants: &[VariantReport]) -> Comparison {
    let measures: Vec<Vec<Measure>> = variants.iter().map(measures).collect();
    let mut keys: Vec<(&Group, &str, Unit)> = Vec::new();
    for measure in measures.iter().flatten() {
        let key = (&measure.group, measure.name.as_str(), measure.unit);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut rows: Vec<Row> = keys
        .into_iter()
        .map(|(group, name, unit)| {
            let found: Vec<Option<&Measure>> = measures
                .iter()
                .map(|of| of.iter().find(|measure| measure.group == *group && measure.name == name))
                .collect();
            row(group.clone(), name.to_owned(), unit, &found)
        })
        .filter(|row| row.values.iter().flatten().any(|value| *value != 0.0))
        .collect();
    // Stable: equal changes stay in the order of the report.
    rows.sort_by(|a, b| b.magnitude().partial_cmp(&a.magnitude()).unwrap_or(Ordering::Equal));
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

struct Measure {
    group: Group,
    name: String,
    unit: Unit,
    value: f64,
    sem: Option<f64>,
}

/// What is worth comparing of a variant, in the order of the report.
fn measures(variant: &VariantReport) -> Vec<Measure> {
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
        ] {
            add(name, Unit::Count, value);
        }
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
    for (number, cpu) in variant.cpus.iter().enumerate() {
        let mut add = |name: &str, unit, value, sem| {
            all.push(Measure { group: Group::Cpu(number), name: name.to_owned(), unit, value, sem });
        };
        let percent = |ns: f64| if variant.measured_ns == 0 { 0.0 } else { ns / variant.measured_ns as f64 * 100.0 };
        for (name, field, value) in [
            ("busy", "busy_ns", cpu.busy_ns),
            ("forced_idle", "forced_idle_ns", cpu.forced_idle_ns),
            ("lost_to_switches", "lost_ns.switch", cpu.lost_ns.switch),
        ] {
            let sem = cpu.sem.get(field).map(|error| percent(*error));
            add(name, Unit::Percent, percent(value as f64), sem);
        }
        add("switches", Unit::Count, cpu.switches, cpu.sem.get("switches").copied());
    }
    for (name, value) in &variant.counters {
        let sem = variant.counters_sem.get(name).copied();
        all.push(Measure { group: Group::Counters, name: name.clone(), unit: Unit::Count, value: *value, sem });
    }
    all
}

fn delays(prefix: &str, delay: &DelayReport, add: &mut impl FnMut(&str, Unit, f64)) {
    for (name, value) in [("mean", delay.mean), ("p50", delay.p50), ("p99", delay.p99), ("max", delay.max)] {
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
