//! The difference of two snapshots as `perf sched stats report` prints it. Not for reading snapshots.

use super::{Cpu, Domain, Snapshot};

/// What perf calls the counters of a CPU; with each, the counter it is a part of.
const CPU: [(&str, Option<usize>); 9] = [
    ("sched_yield() count", None),
    ("Legacy counter can be ignored", None),
    ("schedule() called", None),
    ("schedule() left the processor idle", Some(2)),
    ("try_to_wake_up() was called", None),
    ("try_to_wake_up() was called to wake up the local cpu", Some(4)),
    ("total runtime by tasks on this processor (in jiffies)", None),
    ("total waittime by tasks on this processor (in jiffies)", Some(6)),
    ("total timeslices run on this cpu", None),
];

/// What it calls those of a kind of balancing, up to version 16; whether it says how often in jiffies.
const BALANCE: [(&str, bool); 8] = [
    ("load_balance() count on cpu", true),
    ("load_balance() found balanced on cpu", true),
    ("load_balance() move task failed on cpu", true),
    ("imbalance sum on cpu", false),
    ("pull_task() count on cpu", false),
    ("pull_task() when target task was cache-hot on cpu", false),
    ("load_balance() failed to find busier queue on cpu", true),
    ("load_balance() failed to find busier group on cpu", true),
];

/// The imbalance of version 17, by kind.
const IMBALANCE: [&str; 4] = [
    "imbalance in load on cpu",
    "imbalance in utilization on cpu",
    "imbalance in number of tasks on cpu",
    "imbalance in misfit tasks on cpu",
];

/// What follows the three kinds of balancing.
const REST: [(&str, [&str; 3]); 4] = [
    (
        " <Category active_load_balance()> ",
        [
            "active_load_balance() count",
            "active_load_balance() move task failed",
            "active_load_balance() successfully moved a task",
        ],
    ),
    (
        " <Category sched_balance_exec()> ",
        ["sbe_count is not used", "sbe_balanced is not used", "sbe_pushed is not used"],
    ),
    (
        " <Category sched_balance_fork()> ",
        ["sbf_count is not used", "sbf_balanced is not used", "sbf_pushed is not used"],
    ),
    (
        " <Wakeup Info> ",
        [
            "try_to_wake_up() awoke a task that last ran on a diff cpu",
            "try_to_wake_up() moved task because cache-cold on own cpu",
            "try_to_wake_up() started passive balancing",
        ],
    ),
];

pub(super) fn report(difference: &Snapshot) -> String {
    let rule = "-".repeat(100);
    let mut out = format!("Description\n{rule}\n");
    for (name, meaning) in [
        ("DESC", "Description of the field"),
        ("COUNT", "Value of the field"),
        ("PCT_CHANGE", "Percent change with corresponding base value"),
        ("AVG_JIFFIES", "Avg time in jiffies between two consecutive occurrence of event"),
    ] {
        out.push_str(&format!("{name:<30}-> {meaning}\n"));
    }
    let elapsed = "Time elapsed (in jiffies)";
    out.push_str(&format!("{rule}\n\n{elapsed:<65}: {:>11}\n{rule}\n", difference.timestamp));
    if let Some(sum) = difference.sum() {
        cpu(difference, &sum, true, &mut out);
    }
    for one in &difference.cpus {
        cpu(difference, one, false, &mut out);
    }
    out
}

fn cpu(difference: &Snapshot, cpu: &Cpu, all: bool, out: &mut String) {
    let rule = "-".repeat(100);
    let name = if all { "CPU <ALL CPUS SUMMARY>".to_owned() } else { format!("CPU {}", cpu.cpu) };
    out.push_str(&format!("\n{rule}\n{name}\n{rule}\n{:<65} {:>12} {:>12}\n{rule}\n", "DESC", "COUNT", "PCT_CHANGE"));
    for ((what, part_of), count) in CPU.iter().zip(cpu.counters) {
        out.push_str(&format!("{what:<65}: {count:>11}"));
        if let Some(whole) = part_of {
            out.push_str(&format!("  ( {:>8.2}% )", ratio(count, cpu.counters[*whole]) * 100.0));
        }
        out.push('\n');
    }
    out.push_str(&format!("{rule}\n"));
    for one in &cpu.domains {
        let domain_name = one.name.clone().unwrap_or_else(|| one.level.to_string());
        out.push_str(&format!("{name}, DOMAIN {domain_name}"));
        if !all {
            let cpus: Vec<String> = one.cpus.iter().map(u32::to_string).collect();
            out.push_str(&format!(" CPUS <{}>", cpus.join(", ")));
        }
        out.push_str(&format!("\n{rule}\n{:<65} {:>12} {:>14}\n", "DESC", "COUNT", "AVG_JIFFIES"));
        domain(difference, one, out);
        out.push_str(&format!("{rule}\n"));
    }
}

fn domain(difference: &Snapshot, domain: &Domain, out: &mut String) {
    let jiffies = difference.timestamp;
    let each = if difference.version >= 17 { 11 } else { 8 };
    let kinds = match difference.version {
        15 => [("idle", "idle"), ("busy", "busy"), ("newidle", "newly idle")],
        _ => [("busy", "busy"), ("idle", "idle"), ("newidle", "newly idle")],
    };
    let count = |what: &str, count: u64, often: bool, out: &mut String| {
        out.push_str(&format!("{what:<65}: {count:>11}"));
        if often {
            out.push_str(&format!("  $ {:>11.2} $", ratio(jiffies, count)));
        }
        out.push('\n');
    };
    for ((category, cpu), counters) in kinds.iter().zip(domain.counters.chunks(each)) {
        heading(&format!(" <Category {category}> "), out);
        let mut rest = counters.iter();
        for (what, often) in BALANCE {
            if each == 11 && what.starts_with("imbalance") {
                for kind in IMBALANCE {
                    count(&format!("{kind} {cpu}"), rest.next().copied().unwrap_or(0), false, out);
                }
            } else {
                count(&format!("{what} {cpu}"), rest.next().copied().unwrap_or(0), often, out);
            }
        }
        // As perf counts it, in 32 bits that may go round.
        let success = (counters[0] as u32).wrapping_sub(counters[1] as u32).wrapping_sub(counters[2] as u32);
        let pulled = counters[if each == 11 { 7 } else { 4 }];
        out.push_str(&format!("*{:<64}: {success:>11}\n", format!("load_balance() success count on cpu {cpu}")));
        let average = ratio(pulled, u64::from(success));
        let what = format!("avg task pulled per successful lb attempt (cpu {cpu})");
        out.push_str(&format!("*{what:<64}: {average:>11.2}\n"));
    }
    for ((category, names), counters) in REST.iter().zip(domain.counters[3 * each..].chunks(3)) {
        heading(category, out);
        for (what, value) in names.iter().zip(counters) {
            count(what, *value, false, out);
        }
    }
}

/// A heading in the middle of a rule of 100 dashes.
fn heading(text: &str, out: &mut String) {
    let before = (100 - text.len()) / 2;
    out.push_str(&format!("{}{text}{}\n", "-".repeat(before), "-".repeat(100 - text.len() - before)));
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
