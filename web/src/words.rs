//! Words of the page for things of the report and the document: measures, releases, counts.
//! Not for numbers: `schedlab_view::format` has those.

use schedlab_report::{Change, Group, Row, Unit};
use schedlab_sim::kernel::Release;
use schedlab_view::format;

/// `1 variant`, `2 variants`.
#[must_use]
pub fn variants(count: usize) -> String {
    if count == 1 { "1 variant".to_owned() } else { format!("{count} variants") }
}

/// A release with its class: `6.12 EEVDF`.
#[must_use]
pub fn release(release: Release) -> String {
    format!("{} {}", release.name(), release.class().name())
}

/// What a row of the comparison measures: `hog: run delay p99`.
#[must_use]
pub fn measure(row: &Row) -> String {
    let words = field(&row.measure);
    match &row.group {
        Group::Task(name) => format!("{name}: {words}"),
        Group::Operation(name) if name.is_empty() => format!("operations: {words}"),
        Group::Operation(name) => format!("{name}: {words}"),
        Group::Cpu(cpu) => format!("CPU {cpu}: {words}"),
        Group::Counters => row.measure.clone(),
    }
}

fn field(name: &str) -> String {
    match name {
        "runtime_ns" => "CPU time".to_owned(),
        "busy_ns" => "busy time".to_owned(),
        "idle_ns" => "idle time".to_owned(),
        other => other.trim_end_matches("_ns").replace(['_', '.'], " "),
    }
}

/// A value of a row.
#[must_use]
pub fn value(unit: Unit, value: Option<f64>) -> String {
    match (unit, value) {
        (_, None) => "–".to_owned(),
        (Unit::Ns, Some(ns)) => format::duration(ns),
        (Unit::Percent, Some(percent)) => format::share(percent / 100.0),
        (Unit::Count | Unit::PerSecond, Some(count)) => format::number(count),
    }
}

/// Whether more of a measure is worse (`Some(true)`), better (`Some(false)`), or neither.
#[must_use]
pub fn more_is_worse(row: &Row) -> Option<bool> {
    let name = row.measure.as_str();
    if name.contains("delay") || name.contains("latency") || name.starts_with("forced_idle") || name.starts_with("lost")
    {
        // How many waits there were says nothing by itself.
        return (!name.ends_with("count")).then_some(true);
    }
    match name {
        "preempted" | "sched_count" | "migrations" => Some(true),
        "per_second" => Some(false),
        _ => None,
    }
}

/// A change in words: `−67 %`, `+1.2 points`, `new`.
#[must_use]
pub fn change(unit: Unit, change: &Change) -> String {
    match change.percent {
        Some(percent) => format::change(percent / 100.0),
        None if unit == Unit::Percent && change.absolute.abs() < 0.05 => "±0".to_owned(),
        None if unit == Unit::Percent => {
            let sign = if change.absolute > 0.0 { "+" } else { "−" };
            format!("{sign}{:.1}\u{a0}points", change.absolute.abs())
        }
        None if change.absolute == 0.0 => "±0".to_owned(),
        None => format::change(f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(group: Group, measure: &str) -> Row {
        Row {
            group,
            measure: measure.to_owned(),
            unit: Unit::Ns,
            values: Vec::new(),
            sem: Vec::new(),
            changes: Vec::new(),
        }
    }

    #[test]
    fn measures_are_named_in_words() {
        assert_eq!(measure(&row(Group::Task("hog".to_owned()), "run_delay.p99")), "hog: run delay p99");
        assert_eq!(measure(&row(Group::Task("hog".to_owned()), "runtime_ns")), "hog: CPU time");
        assert_eq!(measure(&row(Group::Counters, "sched_count")), "sched_count");
    }

    #[test]
    fn a_longer_delay_is_worse_and_more_waits_are_not() {
        let judged = |name| more_is_worse(&row(Group::Counters, name));
        assert_eq!(judged("wake_delay.p99"), Some(true));
        assert_eq!(judged("wake_delay.count"), None);
        assert_eq!(judged("per_second"), Some(false));
        assert_eq!(judged("switches"), None);
    }

    #[test]
    fn changes_from_nothing_are_new() {
        let fresh = Change { absolute: 3.0, percent: None, noise: None };
        assert_eq!(change(Unit::Count, &fresh), "new");
        assert_eq!(change(Unit::Percent, &fresh), "+3.0\u{a0}points");
    }
}
