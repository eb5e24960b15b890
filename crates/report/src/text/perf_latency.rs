//! `--format perf-latency`: what `perf sched latency` prints, and the form with sums that
//! reports on mailing lists use. Not for other delays than the run delay.

use std::cmp::Reverse;
use std::fmt::Write;

use crate::variant::{TaskReport, VariantReport};

/// What the rows are sorted by, the largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencyOrder {
    /// The average delay.
    #[default]
    Average,
    /// The largest delay.
    Maximum,
    /// Times scheduled in.
    Switches,
    /// CPU time.
    Runtime,
}

/// The columns up to the largest delay.
const HEADING: &str = "  Task                  |   Runtime ms  |  Count   | Avg delay ms    | Max delay ms    |";

/// The table of `perf sched latency`; with `sum`, the sum of delays in place of the two times of
/// the longest one, and the rank before each name.
#[must_use]
pub fn perf_latency(report: &VariantReport, order: LatencyOrder, sum: bool) -> String {
    // perf lists what has run or waited.
    let mut tasks: Vec<&TaskReport> =
        report.tasks.iter().filter(|task| task.switches > 0.0 || task.runtime_ns > 0).collect();
    tasks.sort_by_key(|task| {
        Reverse(match order {
            LatencyOrder::Average => task.run_delay.mean,
            LatencyOrder::Maximum => task.run_delay.max,
            LatencyOrder::Switches => task.switches as u64,
            LatencyOrder::Runtime => task.runtime_ns,
        })
    });

    let (heading, rule) = if sum {
        (format!("{HEADING} Sum delay ms      |"), 106)
    } else {
        (format!("{HEADING} Max delay start           | Max delay end          |"), 139)
    };
    let rule = format!(" {}\n", "-".repeat(rule));
    let mut text = format!("{rule}{heading}\n{rule}");
    for (index, task) in tasks.iter().enumerate() {
        text.push_str(&row(task, sum.then_some(index + 1)));
    }
    let runtime: u64 = tasks.iter().map(|task| task.runtime_ns).sum();
    let count: f64 = tasks.iter().map(|task| task.switches).sum();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        " {}\n{:<24}|{:11.3} ms |{:9} |\n {}\n",
        "-".repeat(113),
        "  TOTAL:",
        ms(runtime),
        count as u64,
        "-".repeat(51)
    );
    text
}

/// One row; with a rank in the form with sums.
fn row(task: &TaskReport, rank: Option<usize>) -> String {
    let lead = rank.map_or_else(|| "  ".to_owned(), |rank| format!("{rank} "));
    let name = if task.instances > 1.0 {
        format!("{lead}{}:({}) ", task.name, task.instances as u64)
    } else {
        format!("{lead}{}:{} ", task.name, task.tid)
    };
    let delay = &task.run_delay;
    let mut row = format!(
        "{name:<24}|{:11.3} ms |{:9} | avg:{:8.3} ms | max:{:8.3} ms |",
        ms(task.runtime_ns),
        task.switches as u64,
        ms(delay.mean),
        ms(delay.max)
    );
    let _ = if rank.is_some() {
        writeln!(row, " sum:{:.3} ms |", ms(delay.sum))
    } else {
        let (start, end) = (task.longest_wait.start_ns as f64 / 1e9, task.longest_wait.end_ns as f64 / 1e9);
        writeln!(row, " max start: {start:12.6} s | max end: {end:12.6} s")
    };
    row
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::{DelayReport, Wait};

    fn report() -> VariantReport {
        let task = |name: &str, instances: f64, tid| TaskReport {
            name: name.to_owned(),
            instances,
            tid,
            ..TaskReport::default()
        };
        // The figures of the row that formats.md quotes.
        let massive = TaskReport {
            runtime_ns: 846_018_956_000,
            switches: 779_188.0,
            run_delay: DelayReport {
                count: 779_188.0,
                mean: 272_777,
                max: 58_337_000,
                sum: 212_545_245_000,
                ..DelayReport::default()
            },
            longest_wait: Wait { start_ns: 12_000_000_000, end_ns: 12_058_337_000 },
            ..task("massive_intr", 5.0, 1000)
        };
        let gcc = TaskReport {
            runtime_ns: 1_148_000,
            switches: 2.0,
            run_delay: DelayReport {
                count: 2.0,
                mean: 500_000,
                max: 900_000,
                sum: 1_000_000,
                ..DelayReport::default()
            },
            longest_wait: Wait { start_ns: 79_371_874_569_000, end_ns: 79_371_875_469_000 },
            ..task("gcc", 1.0, 1005)
        };
        VariantReport { tasks: vec![massive, gcc, task("never-ran", 0.0, 0)], ..VariantReport::default() }
    }

    #[test]
    fn the_table_of_perf() {
        let rule = "-".repeat(139);
        let expected = [
            &format!(" {rule}"),
            "  Task                  |   Runtime ms  |  Count   | Avg delay ms    | Max delay ms    | Max delay start           | Max delay end          |",
            &format!(" {rule}"),
            "  gcc:1005              |      1.148 ms |        2 | avg:   0.500 ms | max:   0.900 ms | max start: 79371.874569 s | max end: 79371.875469 s",
            "  massive_intr:(5)      | 846018.956 ms |   779188 | avg:   0.273 ms | max:  58.337 ms | max start:    12.000000 s | max end:    12.058337 s",
            " -----------------------------------------------------------------------------------------------------------------",
            "  TOTAL:                | 846020.104 ms |   779190 |",
            " ---------------------------------------------------",
            "",
        ];
        assert_eq!(perf_latency(&report(), LatencyOrder::Average, false), expected.join("\n"));
        assert_eq!((expected[5].len(), expected[7].len()), (1 + 113, 1 + 51));
    }

    #[test]
    fn the_form_with_sums() {
        let text = perf_latency(&report(), LatencyOrder::Maximum, true);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[3],
            "1 massive_intr:(5)      | 846018.956 ms |   779188 | avg:   0.273 ms | max:  58.337 ms | sum:212545.245 ms |"
        );
        assert!(lines[4].starts_with("2 gcc:1005              |"));
        assert_eq!(lines[1].len(), lines[3].len());
        let edges = |line: &str| line.match_indices('|').map(|(place, _)| place).collect::<Vec<_>>();
        assert_eq!(edges(lines[1]), edges(lines[3]));
    }

    #[test]
    fn other_orders() {
        for (order, first) in [
            (LatencyOrder::Average, "  gcc"),
            (LatencyOrder::Maximum, "  massive"),
            (LatencyOrder::Switches, "  massive"),
            (LatencyOrder::Runtime, "  massive"),
        ] {
            let text = perf_latency(&report(), order, false);
            assert!(text.lines().nth(3).is_some_and(|line| line.starts_with(first)), "{order:?}");
        }
    }
}
