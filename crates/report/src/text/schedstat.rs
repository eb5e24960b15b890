//! `--format schedstat`: what `/proc/schedstat` shows, in the version of the simulated release.
//! Not for differences of two such files.

use std::fmt::Write;

use schedlab_sim::kernel::{Class, Release};
use schedlab_sim::{BalanceCounts, Counters, DomainResult, IdleType, Run};

/// The version of `/proc/schedstat` that a release has.
#[must_use]
pub fn schedstat_version(release: Release) -> u32 {
    match release {
        _ if release >= Release::V6_14 => 17,
        // 16 came with 6.10.
        _ if release >= Release::V6_12 => 16,
        _ => 15,
    }
}

/// The statistics of a run from the end of its warm-up on. `timestamp` is the end in ticks of
/// `hz`; with `counters`, the preemption counters of the release's class follow each CPU's line.
#[must_use]
pub fn schedstat(run: &Run, release: Release, hz: u32, counters: bool) -> String {
    let version = schedstat_version(release);
    let ticks = u128::from(run.until_ns) * u128::from(hz) / 1_000_000_000;
    let mut text = format!("version {version}\ntimestamp {ticks}\n");
    for (number, cpu) in run.cpus.iter().enumerate() {
        let Counters { yld_count, sched_count, sched_goidle, ttwu_count, ttwu_local, .. } = cpu.counters;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "cpu{number} {yld_count} 0 {sched_count} {sched_goidle} {ttwu_count} {ttwu_local} {} {} {}",
            cpu.busy_ns, cpu.run_delay_ns, cpu.scheduled_in
        );
        if counters {
            for value in of_class(&cpu.counters, release.class()) {
                let _ = write!(text, " {value}");
            }
        }
        text.push('\n');
        for (level, domain) in run.domains.get(number).into_iter().flatten().enumerate() {
            let _ = write!(text, "domain{level} ");
            if version >= 17 {
                let _ = write!(text, "{} ", domain.level.name());
            }
            text.push_str(&mask(&domain.cpus, run.cpus.len()));
            for value in numbers(domain, version) {
                let _ = write!(text, " {value}");
            }
            text.push('\n');
        }
    }
    text
}

/// The counters that reports patched into `/proc/schedstat`.
fn of_class(counters: &Counters, class: Class) -> Vec<u64> {
    match class {
        Class::Cfs => vec![counters.tick_check_preempts, counters.tick_preempts],
        Class::Eevdf => vec![counters.check_deadline, counters.update_deadline, counters.preempt_deadline],
    }
}

/// The numbers of a domain's line: 36, from version 17 on 45.
fn numbers(domain: &DomainResult, version: u32) -> Vec<u64> {
    let order = match version {
        15 => [IdleType::Idle, IdleType::Busy, IdleType::NewlyIdle],
        _ => [IdleType::Busy, IdleType::Idle, IdleType::NewlyIdle],
    };
    let mut numbers = Vec::with_capacity(45);
    for kind in order {
        let BalanceCounts { count, balanced, failed, imbalance, gained, hot_gained, nobusyq, nobusyg } =
            domain.balance[kind as usize];
        numbers.extend([count, balanced, failed]);
        if version >= 17 {
            numbers.extend(imbalance);
        } else {
            numbers.push(imbalance.iter().sum());
        }
        numbers.extend([gained, hot_gained, nobusyq, nobusyg]);
    }
    numbers.extend([domain.alb_count, domain.alb_failed, domain.alb_pushed]);
    // sbe and sbf, which no kernel counts any more.
    numbers.extend([0; 6]);
    // ttwu_move_balance neither.
    numbers.extend([domain.ttwu_wake_remote, domain.ttwu_move_affine, 0]);
    numbers
}

/// A mask as kernels print it: hexadecimal, in groups of 32 CPUs, the highest first.
fn mask(members: &[u32], cpus: usize) -> String {
    let groups = cpus.div_ceil(32).max(1);
    let mut words = vec![0_u32; groups];
    for cpu in members {
        if let Some(word) = words.get_mut(*cpu as usize / 32) {
            *word |= 1 << (cpu % 32);
        }
    }
    // The first group has as many digits as its CPUs need.
    let first = (cpus - (groups - 1) * 32).div_ceil(4).max(1);
    let digits = |(place, word): (usize, &u32)| {
        let width = if place == 0 { first } else { 8 };
        format!("{word:0width$x}")
    };
    words.iter().rev().enumerate().map(digits).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use schedlab_sim::CpuResult;

    fn run() -> Run {
        let mut run = fixture::run(1_000);
        let cpu = |busy_ns| CpuResult {
            busy_ns,
            run_delay_ns: 70,
            scheduled_in: 12,
            counters: Counters {
                yld_count: 1,
                sched_count: 20,
                sched_goidle: 5,
                ttwu_count: 9,
                ttwu_local: 8,
                tick_check_preempts: 3,
                tick_preempts: 2,
                check_deadline: 11,
                update_deadline: 6,
                preempt_deadline: 4,
                ..Counters::default()
            },
            ..CpuResult::default()
        };
        run.cpus = vec![cpu(4_000_000), cpu(3_000_000)];
        run.domains = fixture::domains();
        run
    }

    #[test]
    fn version_15_has_36_numbers_with_idle_first() {
        let text = schedstat(&run(), Release::V6_5, 250, false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["version 15", "timestamp 5", "cpu0 1 0 20 5 9 8 4000000 70 12"]);
        assert_eq!(lines[3], "domain0 3 7 6 0 10 1 0 0 0 2 2 0 10 0 0 0 0 10 8 0 10 2 0 0 0 1 0 1 0 0 0 0 0 0 5 2 0");
        assert_eq!((lines[3].split(' ').count(), lines.len()), (2 + 36, 8));
    }

    #[test]
    fn version_16_has_busy_first() {
        let text = schedstat(&run(), Release::V6_12Stable, 1000, true);
        assert!(text.starts_with(
            "version 16\ntimestamp 20\ncpu0 1 0 20 5 9 8 4000000 70 12 11 6 4\ndomain0 3 2 2 0 10 0 0 0 0 7 6 "
        ));
    }

    #[test]
    fn version_17_has_the_name_and_45_numbers() {
        let text = schedstat(&run(), Release::V7_3, 1000, false);
        let line = text.lines().nth(4).unwrap_or_default();
        assert!(line.starts_with("domain1 MC 3 4 4 0 4 3 2 1 0 0 0 0 3 3 0 4 3 2 1 "), "{line}");
        assert_eq!(line.split(' ').count(), 3 + 45);
    }

    #[test]
    fn cfs_has_two_counters_of_a_report() {
        let text = schedstat(&run(), Release::V6_1, 1000, true);
        assert!(text.contains("cpu1 1 0 20 5 9 8 3000000 70 12 3 2\n"));
    }

    #[test]
    fn masks_are_those_of_kernels() {
        for (members, cpus, expected) in [
            (vec![0], 1, "1"),
            (vec![0, 1, 2, 3], 4, "f"),
            (vec![5], 8, "20"),
            (vec![0, 32], 33, "1,00000001"),
            (vec![0, 52], 104, "00,00000000,00100000,00000001"),
        ] {
            assert_eq!(mask(&members, cpus), expected);
        }
    }
}
