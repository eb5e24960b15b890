//! The part of `--format summary` that only a machine of several CPUs has. Not for tasks and CPUs.

use super::number::{count, duration};
use super::table::Table;
use crate::variant::VariantReport;

/// How many pairs that shared a core are listed.
const PAIRS: usize = 12;

/// Placement, idle CPUs beside waiting tasks, balancing and shared cores; empty on one CPU.
pub(super) fn several(report: &VariantReport) -> String {
    let parts = [placement(report), work_conservation(report), balancing(report), shared_cores(report)];
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| format!("\n{part}")).collect()
}

/// A count and its part of `all` in per cent.
fn part(value: f64, all: f64) -> [String; 2] {
    [count(value), if all == 0.0 { String::new() } else { format!("{:.1} %", value / all * 100.0) }]
}

fn placement(report: &VariantReport) -> String {
    let of = &report.placement;
    if of.wakeups == 0.0 {
        return String::new();
    }
    let mut table = Table::default();
    table.row(["wake-ups placed on", "idle", "", "busy", ""]);
    for (name, chosen) in [
        ("previous CPU, the waker's too", of.previous_is_waker),
        ("previous CPU", of.previous),
        ("waker's CPU", of.waker),
        ("another CPU", of.other),
    ] {
        let [idle, busy] = [chosen.idle, chosen.busy].map(|value| part(value, of.wakeups));
        table.row([[name.to_owned()].as_slice(), &idle, &busy].concat());
    }
    for (name, value) in [
        ("previous CPU idle, not chosen", [of.previous_idle_not_chosen, f64::NAN]),
        ("busy one while one was idle", [f64::NAN, of.busy_while_idle]),
    ] {
        let [idle, busy] = value.map(|value| match value.is_nan() {
            true => [String::new(), String::new()],
            false => part(value, of.wakeups),
        });
        table.row([[name.to_owned()].as_slice(), &idle, &busy].concat());
    }
    table.text("  ", 1)
}

fn work_conservation(report: &VariantReport) -> String {
    if report.cpus.len() < 2 || report.measured_ns == 0 {
        return String::new();
    }
    let of = &report.work_conservation;
    let share = of.gap_ns as f64 / report.measured_ns as f64 * 100.0;
    let mut line = format!("  a CPU idle while a task waited: {share:.2} % of the time");
    if of.gap_ns > 0 {
        let cpus = of.cpu_ns as f64 / of.gap_ns as f64;
        let mean = duration(of.gap_ns as f64 / of.count.max(1.0));
        line.push_str(&format!(", {} times of {mean}, {cpus:.2} CPUs", count(of.count)));
    }
    line.push('\n');
    line
}

fn balancing(report: &VariantReport) -> String {
    let mut table = Table::default();
    table.row(["balancing", "by CPUs", "tried", "balanced", "failed", "pulled", "active"]);
    for domain in &report.domains {
        for (name, balance, active) in [
            ("idle", domain.idle, None),
            ("busy", domain.busy, Some(domain.alb_pushed)),
            ("newly idle", domain.newly_idle, None),
        ] {
            let active = active.map_or_else(String::new, count);
            let counts = [balance.count, balance.balanced, balance.failed, balance.gained].map(count);
            table.row([[domain.level.clone(), name.to_owned()].as_slice(), &counts, &[active]].concat());
        }
    }
    if report.domains.is_empty() { String::new() } else { table.text("  ", 2) }
}

fn shared_cores(report: &VariantReport) -> String {
    let all: u64 = report.shared_cores.iter().map(|shared| shared.ns).sum();
    if all == 0 {
        return String::new();
    }
    let mut table = Table::default();
    table.row(["shared a core", "with", "time", ""]);
    for shared in report.shared_cores.iter().take(PAIRS) {
        let percent = format!("{:.2} %", shared.ns as f64 / all as f64 * 100.0);
        table.row([shared.first.clone(), shared.second.clone(), duration(shared.ns as f64), percent]);
    }
    let mut text = table.text("  ", 2);
    if let Some(left @ 1..) = report.shared_cores.len().checked_sub(PAIRS) {
        text.push_str(&format!("  and {left} pairs more\n"));
    }
    if report.cookie_mix_ns > 0 {
        text.push_str(&format!("  two cookies on one core: {}\n", duration(report.cookie_mix_ns as f64)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{domains, run, subject};
    use crate::summarize;
    use schedlab_sim::{CpuResult, IDLE, Placement, SharedCore, TaskId, WorkConservation};

    #[test]
    fn one_cpu_has_none_of_it() {
        assert_eq!(several(&summarize(&subject(), &[run(1_000)])), "");
    }

    #[test]
    fn the_sections_of_two_hardware_threads() {
        let mut run = run(1_000);
        run.cpus = vec![CpuResult { busy_ns: 4_000_000, idle_ns: 6_000_000, ..CpuResult::default() }; 2];
        run.domains = domains();
        run.placement = Placement {
            wakeups: 40,
            previous_is_waker: [10, 20],
            previous: [0, 4],
            waker: [1, 0],
            other: [0, 5],
            busy_while_idle: 2,
            previous_idle_not_chosen: 1,
        };
        run.work_conservation = WorkConservation { gap_ns: 500_000, cpu_ns: 600_000, count: 4 };
        run.shared_cores = vec![
            SharedCore { first: TaskId(0), second: TaskId(2), ns: 3_000_000 },
            SharedCore { first: TaskId(1), second: IDLE, ns: 1_000_000 },
        ];
        run.cookie_mix_ns = 1_500;
        assert_eq!(
            several(&summarize(&subject(), &[run])),
            "
  wake-ups placed on             idle          busy
  previous CPU, the waker's too    20  50.0 %    10  25.0 %
  previous CPU                      4  10.0 %     0   0.0 %
  waker's CPU                       0   0.0 %     1   2.5 %
  another CPU                       5  12.5 %     0   0.0 %
  previous CPU idle, not chosen     1   2.5 %
  busy one while one was idle                     2   5.0 %

  a CPU idle while a task waited: 5.00 % of the time, 4 times of 125.0 µs, 1.20 CPUs

  balancing  by CPUs     tried  balanced  failed  pulled  active
  SMT        idle           15        13       0       2
  SMT        busy            4         4       0       0       2
  SMT        newly idle     30        24       0       6
  MC         idle            6         6       0       0
  MC         busy            8         8       0       0       2
  MC         newly idle      2         2       0       0

  shared a core  with        time
  logger         worker  3.000 ms  75.00 %
  worker         idle    1.000 ms  25.00 %
  two cookies on one core: 1.500 µs
"
        );
    }
}
