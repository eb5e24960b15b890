//! `--format hist`: log2 histograms of microseconds as bpftrace prints them.

use std::fmt::Write;

use crate::distribution::log2_microseconds;
use crate::variant::{TaskReport, VariantReport};

const BAR: usize = 52;

/// A bucket: its label and its count.
type Bucket = (String, u64);

/// `@task_duration_usecs_before_preempted`, `@wake_delay_usecs` and `@run_delay_usecs`, of all
/// tasks together or each task by itself; an empty line between two.
#[must_use]
pub fn hist(report: &VariantReport, by_task: bool) -> String {
    let mut maps: Vec<String> = Vec::new();
    for (name, buckets) in [
        ("task_duration_usecs_before_preempted", ran_before_preempted as fn(&[&TaskReport]) -> Vec<Bucket>),
        ("wake_delay_usecs", |tasks| delays(tasks, |task| &task.wake_delay_histogram)),
        ("run_delay_usecs", |tasks| delays(tasks, |task| &task.run_delay_histogram)),
    ] {
        if by_task {
            for task in &report.tasks {
                maps.push(map(&format!("@{name}[{}]", task.name), &buckets(&[task])));
            }
        } else {
            let all: Vec<&TaskReport> = report.tasks.iter().collect();
            maps.push(map(&format!("@{name}"), &buckets(&all)));
        }
    }
    maps.retain(|map| !map.is_empty());
    maps.join("\n")
}

fn ran_before_preempted(tasks: &[&TaskReport]) -> Vec<Bucket> {
    let mut counts = [0.0; 65];
    for (least_us, count) in tasks.iter().flat_map(|task| &task.ran_before_preempted) {
        counts[place(*least_us)] += count;
    }
    trimmed(counts.iter().enumerate().map(|(place, count)| (label(place), count.round() as u64)).collect())
}

/// Place 0 for 0 µs, place n + 1 for 2^n µs.
fn place(least_us: u64) -> usize {
    least_us.checked_ilog2().map_or(0, |power| power as usize + 1)
}

fn label(place: usize) -> String {
    match place {
        0 => "[0]".to_owned(),
        1 => "[1]".to_owned(),
        _ => power_of_two(place as u32 - 1),
    }
}

fn delays(tasks: &[&TaskReport], histogram: fn(&TaskReport) -> &Vec<(u64, u64, u64)>) -> Vec<Bucket> {
    let mut counts = [0; 65];
    for (least_us, count) in tasks.iter().flat_map(|task| log2_microseconds(histogram(task))) {
        counts[place(least_us)] += count;
    }
    trimmed(counts.iter().enumerate().map(|(place, count)| (label(place), *count)).collect())
}

/// From the first to the last bucket with anything in it.
fn trimmed(mut buckets: Vec<Bucket>) -> Vec<Bucket> {
    let end = buckets.iter().rposition(|(_, count)| *count > 0).map_or(0, |last| last + 1);
    buckets.truncate(end);
    let start = buckets.iter().position(|(_, count)| *count > 0).unwrap_or(0);
    buckets.drain(..start);
    buckets
}

/// `[2^power, 2^(power + 1))`, with K = 1024, M = 1024² and so on.
fn power_of_two(power: u32) -> String {
    let short = |power: u32| {
        let units = ["", "K", "M", "G", "T", "P", "E"];
        format!("{}{}", 1_u64 << (power % 10), units.get(power as usize / 10).copied().unwrap_or(""))
    };
    format!("[{}, {})", short(power), short(power + 1))
}

/// The map with its heading; nothing for an empty one, as bpftrace does.
fn map(name: &str, buckets: &[Bucket]) -> String {
    let Some(most) = buckets.iter().map(|(_, count)| *count).max() else { return String::new() };
    let mut text = format!("{name}:\n");
    for (label, count) in buckets {
        let bar = (u128::from(*count) * BAR as u128 / u128::from(most.max(1))) as usize;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:<16}{count:>8} |{:<BAR$}|", "@".repeat(bar));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_sim::Histogram;

    #[test]
    fn lines_of_bpftrace() {
        let task = TaskReport {
            name: "a".to_owned(),
            // The largest is chosen so that the three counts of formats.md give its bars.
            ran_before_preempted: vec![(2, 8732.0), (4, 109_400.0), (8, 134_000.0), (1024, 31_056.0)],
            ..TaskReport::default()
        };
        let text = hist(&VariantReport { tasks: vec![task], ..VariantReport::default() }, false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "@task_duration_usecs_before_preempted:");
        assert_eq!(lines[1], "[2, 4)              8732 |@@@                                                 |");
        assert_eq!(lines[2], "[4, 8)            109400 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@          |");
        assert_eq!(lines[3], "[8, 16)           134000 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|");
        assert_eq!(lines[4], "[16, 32)               0 |                                                    |");
        assert_eq!(lines[9], "[512, 1K)              0 |                                                    |");
        assert_eq!(lines[10], "[1K, 2K)           31056 |@@@@@@@@@@@@                                        |");
        assert_eq!(lines.len(), 11);
    }

    #[test]
    fn delays_by_task() {
        let mut delays = Histogram::default();
        for ns in [0, 999, 1_000, 3_000_000_000] {
            delays.add(ns);
        }
        let task = |name: &str| TaskReport {
            name: name.to_owned(),
            run_delay_histogram: delays.buckets().collect(),
            ..TaskReport::default()
        };
        let report = VariantReport { tasks: vec![task("a"), task("b")], ..VariantReport::default() };
        let text = hist(&report, true);
        let maps: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(maps.len(), 2);
        assert!(maps[0].starts_with(&format!("@run_delay_usecs[a]:\n[0]                    2 |{}|\n", "@".repeat(52))));
        assert!(maps[0].contains("\n[1]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@ "));
        assert!(maps[1].starts_with("@run_delay_usecs[b]:\n"));
        // 3 s = 3 000 000 µs.
        assert!(maps[1].lines().last().is_some_and(|line| line.starts_with("[2M, 4M)               1 |")));
        assert!(hist(&report, false).contains("[0]                    4 |"));
    }
}
