//! `--format summary`: one variant on a screen. Not for scripts: they take JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::number::{count, duration};
use super::several::several;
use super::table::Table;
use crate::variant::{CpuReport, DelayReport, OperationReport, TaskReport, VariantReport};

/// The tasks, CPUs, counters and operations of one variant.
#[must_use]
pub fn summary(report: &VariantReport) -> String {
    let title = if report.name == report.release {
        format!("Linux {}", report.release)
    } else {
        format!("{} (Linux {})", report.name, report.release)
    };
    let repeats = match report.repeats {
        1 => "one run".to_owned(),
        repeats => format!("means over {repeats} runs ± standard error"),
    };
    let measured = duration(report.measured_ns as f64);
    let mut text = format!("{title}: {measured} simulated, {repeats}\n\n");
    text.push_str(&tasks(report).text("  ", 1));
    text.push('\n');
    text.push_str(&cpus(report).text("  ", 1));
    text.push_str(&several(report));
    text.push_str(&operations(report));
    text.push_str(&deadlines(report));
    text.push_str(&reasons(report));
    text.push('\n');
    text.push_str(&counters(report));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  hash: {}", report.hash.join(" "));
    text
}

/// A value with its standard error, where there is one above 0.
fn with_error(value: String, error: Option<&f64>, print: fn(f64) -> String) -> String {
    match error {
        Some(error) if *error > 0.0 => format!("{value} ±{}", print(*error)),
        _ => value,
    }
}

fn tasks(report: &VariantReport) -> Table {
    let mut table = Table::default();
    let several = report.cpus.len() > 1;
    let forced = report.tasks.iter().any(|task| task.forced_idle_ns > 0);
    let mut heading = vec!["task", "runtime", "switches", "preempted", "wake-ups"];
    if several {
        heading.extend(["migrations", "at wake-up"]);
    }
    if forced {
        heading.push("forced idle");
    }
    let mut above = vec![""; heading.len()];
    above.extend(["wake delay", "", "", "run delay", "", ""]);
    heading.extend(["mean", "p99", "max", "mean", "p99", "max"]);
    table.row(above);
    table.row(heading);
    for task in &report.tasks {
        let time = |name, value: u64| with_error(duration(value as f64), task.sem.get(name), duration);
        let number = |name, value| with_error(count(value), task.sem.get(name), count);
        let mut cells = vec![label(task), time("runtime_ns", task.runtime_ns)];
        for (name, value) in [("switches", task.switches), ("preempted", task.preempted), ("wakeups", task.wakeups)] {
            cells.push(number(name, value));
        }
        if several {
            cells.push(number("migrations", task.migrations));
            cells.push(number("migrations_at_wakeup", task.migrations_at_wakeup));
        }
        if forced {
            cells.push(time("forced_idle_ns", task.forced_idle_ns));
        }
        cells.extend(delays("wake_delay", &task.wake_delay, &task.sem));
        cells.extend(delays("run_delay", &task.run_delay, &task.sem));
        table.row(cells);
    }
    table
}

/// `name`, or `name:(n)` for several instances.
fn label(task: &TaskReport) -> String {
    if task.instances == 1.0 { task.name.clone() } else { format!("{}:({})", task.name, count(task.instances)) }
}

fn delays(prefix: &str, delay: &DelayReport, sem: &BTreeMap<String, f64>) -> [String; 3] {
    [("mean", delay.mean), ("p99", delay.p99), ("max", delay.max)].map(|(name, value)| {
        if delay.count == 0.0 {
            return "-".to_owned();
        }
        with_error(duration(value as f64), sem.get(&format!("{prefix}.{name}")), duration)
    })
}

/// Which tasks with timers came late, how often.
fn deadlines(report: &VariantReport) -> String {
    let periodic: Vec<&TaskReport> = report.tasks.iter().filter(|task| task.timer_periods > 0.0).collect();
    if periodic.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    table.row(["timer", "periods", "missed deadlines", ""]);
    for task in periodic {
        let missed = with_error(count(task.missed_deadlines), task.sem.get("missed_deadlines"), count);
        let share = format!("{:.2} %", 100.0 * task.missed_deadlines / task.timer_periods);
        table.row([label(task), count(task.timer_periods), missed, share]);
    }
    format!("\n{}", table.text("  ", 1))
}

/// Up to this many CPUs each has a row; of more, the mean and the two ends.
const CPUS_LISTED: usize = 16;

/// A column of the table of CPUs: its heading and the time it shows.
type CpuTime = (&'static str, fn(&CpuReport) -> u64);

fn cpus(report: &VariantReport) -> Table {
    const LOST: [CpuTime; 6] = [
        ("forced idle", |cpu| cpu.forced_idle_ns),
        ("lost to switches", |cpu| cpu.lost_ns.switch),
        ("to migrations", |cpu| cpu.lost_ns.migration),
        ("to caches", |cpu| cpu.lost_ns.cache),
        ("to core-wide picks", |cpu| cpu.lost_ns.core_pick),
        ("to siblings", |cpu| cpu.lost_ns.smt),
    ];
    let mut columns: Vec<CpuTime> = vec![("busy", |cpu| cpu.busy_ns), ("idle", |cpu| cpu.idle_ns)];
    // What a switch costs is shown on one CPU too, where it is all that can be lost.
    columns.extend(LOST.into_iter().filter(|(name, time)| {
        (*name == "lost to switches" && report.cpus.len() == 1) || report.cpus.iter().any(|cpu| time(cpu) > 0)
    }));
    let mut table = Table::default();
    table.row(["cpu"].into_iter().chain(columns.iter().map(|(name, _)| *name)).chain(["switches"]));
    let percent = |ns: f64| match report.measured_ns {
        0 => "-".to_owned(),
        measured => format!("{:.2} %", ns / measured as f64 * 100.0),
    };
    let mut row = |name: String, cpu: &CpuReport| {
        let times = columns.iter().map(|(_, time)| percent(time(cpu) as f64));
        let switches = with_error(count(cpu.switches), cpu.sem.get("switches"), count);
        table.row([name].into_iter().chain(times).chain([switches]));
    };
    let busiest = (0..report.cpus.len()).max_by_key(|number| report.cpus[*number].busy_ns);
    let idlest = (0..report.cpus.len()).min_by_key(|number| report.cpus[*number].busy_ns);
    for (number, cpu) in report.cpus.iter().enumerate() {
        let name = match () {
            () if report.cpus.len() <= CPUS_LISTED => number.to_string(),
            () if Some(number) == busiest => format!("{number} (busiest)"),
            () if Some(number) == idlest => format!("{number} (idlest)"),
            () => continue,
        };
        row(name, cpu);
    }
    if report.cpus.len() > 1 {
        let mean =
            |time: &dyn Fn(&CpuReport) -> f64| report.cpus.iter().map(time).sum::<f64>() / report.cpus.len() as f64;
        let times = columns.iter().map(|(_, time)| percent(mean(&|cpu| time(cpu) as f64)));
        let switches = count(mean(&|cpu| cpu.switches));
        let name = format!("mean of {}", report.cpus.len());
        table.row([name].into_iter().chain(times).chain([switches]));
    }
    table
}

fn operations(report: &VariantReport) -> String {
    if report.ops.by_name.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    table.row(["operation", "of", "count", "a second", "mean", "p50", "p95", "p99", "p99.9", "max"]);
    let mut row = |of: &str, kind: &OperationReport| {
        let time = |name: &str, value: u64| {
            with_error(duration(value as f64), kind.sem.get(&format!("latency.{name}")), duration)
        };
        table.row([
            kind.name.clone(),
            of.to_owned(),
            count(kind.count),
            with_error(format!("{:.1}", kind.per_second), kind.sem.get("per_second"), |error| format!("{error:.1}")),
            time("mean", kind.latency.mean),
            time("p50", kind.latency.p50),
            time("p95", kind.latency.p95),
            time("p99", kind.latency.p99),
            time("p999", kind.latency.p999),
            time("max", kind.latency.max),
        ]);
    };
    for task in &report.tasks {
        task.ops.iter().for_each(|kind| row(&task.name, kind));
    }
    // A total where it is not the one row above it.
    for kind in &report.ops.by_name {
        if report.tasks.iter().filter(|task| task.ops.iter().any(|own| own.name == kind.name)).count() != 1 {
            row("all", kind);
        }
    }
    if report.ops.by_name.len() > 1 {
        row("all", &OperationReport { name: "all".to_owned(), ..report.ops.all.clone() });
    }
    format!("\n{}", table.text("  ", 2))
}

/// Why tasks left the CPU: a row a reason, a column a task.
fn reasons(report: &VariantReport) -> String {
    let mut table = Table::default();
    table.row(std::iter::once("why it left").chain(report.tasks.iter().map(|task| task.name.as_str())));
    for reason in schedlab_sim::Reason::ALL {
        let name = reason.name();
        let of = |task: &TaskReport| task.reasons.iter().find(|(other, _)| other == name).map(|(_, count)| *count);
        if report.tasks.iter().any(|task| of(task).is_some()) {
            let cells = report.tasks.iter().map(|task| of(task).map_or_else(|| "-".to_owned(), count));
            table.row(std::iter::once(name.to_owned()).chain(cells));
        }
    }
    format!("\n{}", table.text("  ", 1))
}

fn counters(report: &VariantReport) -> String {
    let mut table = Table::default();
    for (name, value) in &report.counters {
        table.row([name.clone(), with_error(count(*value), report.counters_sem.get(name), count)]);
    }
    table.text("  ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_on_a_screen() {
        let task = TaskReport {
            name: "worker".to_owned(),
            instances: 2.0,
            runtime_ns: 9_000_000,
            switches: 3.0,
            preempted: 1.0,
            wakeups: 2.0,
            run_delay: DelayReport { count: 3.0, mean: 1_500, p99: 2_000, max: 2_000, ..DelayReport::default() },
            reasons: vec![("block".to_owned(), 2.0), ("deadline".to_owned(), 1.0)],
            ..TaskReport::default()
        };
        let report = VariantReport {
            name: "base".to_owned(),
            release: "6.12".to_owned(),
            repeats: 1,
            measured_ns: 10_000_000,
            tasks: vec![task],
            cpus: vec![crate::CpuReport {
                busy_ns: 9_000_000,
                idle_ns: 1_000_000,
                switches: 6.0,
                ..Default::default()
            }],
            counters: vec![("sched_count".to_owned(), 7.0)],
            hash: vec!["00000000000000ff".to_owned()],
            ..VariantReport::default()
        };
        assert_eq!(
            summary(&report),
            "base (Linux 6.12): 10.00 ms simulated, one run

                                                       wake delay            run delay
  task         runtime  switches  preempted  wake-ups        mean  p99  max       mean       p99       max
  worker:(2)  9.000 ms         3          1         2           -    -    -   1.500 µs  2.000 µs  2.000 µs

  cpu     busy     idle  lost to switches  switches
  0    90.00 %  10.00 %            0.00 %         6

  why it left  worker
  block             2
  deadline          1

  sched_count  7
  hash: 00000000000000ff
"
        );
    }
}
