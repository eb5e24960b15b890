//! MySQL under HammerDB: releases, SCHED_BATCH, and flags.

use schedlab_sim::Cache;

use super::{Content, Experiment, Sought, change, variant, workload};
use crate::document::Scenario;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "mysql",
    title: "MySQL under HammerDB across releases",
    text: "128 connections on 16 CPUs, HZ=250, 24 warehouses; both logs are synced at each commit, as in the \
           report's my.cnf (aws/repro-collection). A statement's 20 µs make run time a wake-up 131 µs, 128 \
           measured on 6.5; the times of network (0.8 ms), disk (80 µs) and latches (3 µs) are assumed. What \
           others displaced of a connection's 256 KiB costs 100 ns a KiB (§7). Nothing depends on release or \
           policy.\n\nBATCH threads that wake preempt nobody: 1.00 turns a wake-up, 1.13 before. What is saved \
           is cold caches: at 33 ns a KiB all BATCH gives nothing in 6.5. Connections alone give more than all: \
           with the log threads BATCH too, the log writer, for whom a group waits, waits 154 µs for its turn \
           instead of 28.\n\nNO_PLACE_LAG is like BATCH in 6.6: who wakes is placed at V with a whole slice, \
           and has the latest deadline.\n\n6.6 and 6.8 come out below 6.5, 6.12 and later further below, as \
           reported. EEVDF gives sleepers no credit: the log writer waits 153 µs in 6.6, 15 in 6.5. From 6.12 \
           on DELAY_DEQUEUE costs 2.2 %: a delayed task that wakes stays on its CPU, with no search for an idle \
           one, and newly idle CPUs pull 33 % less than in 6.5; for 17.0 % of the time a CPU is idle while \
           others wait, for 15.5 % without the flag.\n\nA larger slice does nothing, 0.1 ± 0.4 %: that the line \
           holds is chance. While nobody uses up a slice, all deadlines move alike and every comparison stays, \
           and a turn is 0.1 ms. The first difference is a thread that renewed its slice of 3 ms, ran on \
           unprotected (§4.6), and was preempted. The report's counters show no difference either: 1.18 turns a \
           wake-up with both.\n\nEffects are smaller than reported, a sixth to three quarters. There BATCH \
           takes a sixth of the wake-ups away too: who waits for a latch spins, yields, and then sleeps; here a \
           latch is a mutex.",
    reported: include_str!("mysql.json"),
    make,
};

const RELEASES: [&str; 7] = ["6.5", "6.6", "6.8", "6.12", "6.13", "6.14", "6.15"];
/// What is varied: the name, and the reported policy with whether connection threads are BATCH.
const SETTINGS: [(&str, &str, bool); 4] = [
    ("default", "default", false),
    ("BATCH", "SCHED_BATCH", false),
    ("connections BATCH", "default", true),
    ("NO_PL NO_RTP", "NO_PL NO_RTP", false),
];
const CPUS: u64 = 16;
/// What is measured of each run, and what goes before it, ms.
const MEASURED_MS: u64 = 2_000;
const WARMUP_MS: u64 = 700;
/// A KiB that another connection has displaced: 10 GB/s, within §7's range of streaming; random
/// access costs more.
const REFILL_NS_PER_KIB: u64 = 100;
/// What a connection thread keeps in its core's cache, KiB.
const WORKING_SET_KIB: u32 = 256;
/// What a third of that does.
const CHEAP_REFILL_NS_PER_KIB: u64 = 33;

fn make(reported: &serde_json::Value) -> Result<Content, Vec<crate::Problem>> {
    let mut content = Content::default();
    content.part("hammerdb", scenario()?);
    content.part("cheap refill", cheap_refill()?);
    results(&mut content, reported);
    counters(&mut content, &reported["perf_sched_stats_2025_05_19"]);
    claims(&mut content);
    for (variant, reason, next, text) in [
        (
            "6.5 default",
            "wakeup-vruntime",
            "connection",
            "A connection thread wakes and is behind by more than the wake-up granularity: it interrupts another one in the middle of a \
             statement, which comes back to a cold cache.",
        ),
        (
            "6.5 BATCH",
            "block",
            "log_writer",
            "With every thread BATCH the log writer, for whom a whole group waits, waited until this one went to sleep.",
        ),
        (
            "6.12 default",
            "wakeup-deadline",
            "connection",
            "6.12: a connection thread wakes, is eligible, and has the earliest deadline.",
        ),
    ] {
        content.look("hammerdb", variant, Sought::new(reason, "connection", next).from_ms(600), text);
    }
    Ok(content)
}

/// Throughput and latency against 6.5, and of a larger slice.
fn results(content: &mut Content, reported: &serde_json::Value) {
    for release in RELEASES {
        for (setting, policy, connections) in SETTINGS.into_iter().filter(|(name, ..)| applies(release, name)) {
            let found = reported["eggemann"].as_array().into_iter().flatten().find(|row| {
                let kernel = row["kernel"].as_str().unwrap_or_default();
                kernel.trim_end_matches("-rc5") == release
                    && row["policy"] == policy
                    && row["connection_threads_batch"] == connections
            });
            let column = |name: &str| found.and_then(|row| row[name].as_f64());
            let of = |figure: &str| change("hammerdb/6.5 default", &format!("hammerdb/{release} {setting}"), figure);
            let (throughput, latency) = (column("throughput_pct"), column("p50_latency_pct"));
            content.row(format!("{release} {setting}: throughput"), "%", throughput, of("ops.per_second"));
            content.row(format!("{release} {setting}: P50 latency"), "%", latency, of("ops.latency.p50"));
        }
    }
    let throughput =
        |from: &str, to: &str| change(&format!("hammerdb/{from}"), &format!("hammerdb/{to}"), "ops.per_second");
    let undelayed = throughput("6.12 default", "6.12 NO_DELAY_DEQUEUE");
    content.row("6.12 NO_DELAY_DEQUEUE against default: throughput", "%", None, undelayed);
    let slices = &reported["base_slice_6ms_against_3ms_6.15-rc4"];
    let larger = throughput("6.15 slice 3 ms", "6.15 slice 6 ms");
    content.row("6.15 slice 6 ms against 3 ms: throughput", "%", slices["default"][0].as_f64(), larger);
    for setting in ["BATCH", "connections BATCH"] {
        let cheap = change("cheap refill/6.5 default", &format!("cheap refill/6.5 {setting}"), "ops.per_second");
        content.row(format!("6.5 {setting}, {CHEAP_REFILL_NS_PER_KIB} ns a KiB: throughput"), "%", None, cheap);
    }
    let stats = &reported["perf_sched_stats_base_slice_6.15-rc4"];
    for slice in ["3 ms", "6 ms"] {
        let turns = quotient(&stats[slice], "timeslices", "ttwu_count", 1.0);
        let simulated =
            format!("[hammerdb/6.15 slice {slice}] total.switches / [hammerdb/6.15 slice {slice}] total.wakeups");
        content.row(format!("6.15 slice {slice}: turns a wake-up"), "times", turns, simulated);
    }
}

/// Scheduler statistics: their level in 6.5, and the change to each release.
fn counters(content: &mut Content, reported: &serde_json::Value) {
    for setting in ["6.5 default", "6.5 BATCH"] {
        let stats = &reported[setting];
        let seconds = reported["seconds"].as_f64();
        let each = |name: &str| Some(stats[name].as_f64()? / seconds?);
        let of = |figure: &str| format!("[hammerdb/{setting}] {figure}");
        let rate = |figure: &str| format!("{} / {}", of(figure), CPUS * MEASURED_MS / 1_000);
        let share = |part: &str, whole: &str, factor: &str| format!("{factor} * {} / {}", of(part), of(whole));
        for (label, unit, measured, simulated) in [
            ("wake-ups a second and CPU", "", each("ttwu_count"), rate("total.wakeups")),
            (
                "run time a wake-up",
                "µs",
                quotient(stats, "runtime_ns", "ttwu_count", 1e-3),
                share("total.runtime_ns", "total.wakeups", "0.001"),
            ),
            (
                "turns a wake-up",
                "times",
                quotient(stats, "timeslices", "ttwu_count", 1.0),
                share("total.switches", "total.wakeups", "1"),
            ),
            (
                "wait for a turn",
                "µs",
                quotient(stats, "wait_ns", "timeslices", 1e-3),
                format!("0.001 * {}", of("total.run_delay.mean")),
            ),
            ("CPU busy", "%", each("runtime_ns").map(|busy| busy * 1e-7), of("cpus.busy")),
            (
                "wake-ups on the waking CPU",
                "%",
                quotient(stats, "ttwu_local", "ttwu_count", 100.0),
                share("counters.ttwu_local", "counters.ttwu_count", "100"),
            ),
            (
                "pulls when newly idle, a second and CPU",
                "",
                each("pull_task_newly_idle"),
                rate("counters.pull_task_newly_idle"),
            ),
        ] {
            content.row(format!("{setting}: {label}"), unit, measured, simulated);
        }
    }
    for variant in ["6.5 default", "6.5 BATCH", "6.5 connections BATCH", "6.6 default"] {
        let waited = format!("0.001 * [hammerdb/{variant}] tasks.log_writer.wake_delay.mean");
        content.row(format!("{variant}: from the log writer's wake-up to its turn"), "µs", None, waited);
    }
    for variant in ["6.5 default", "6.8 default", "6.12 default", "6.12 NO_DELAY_DEQUEUE"] {
        let ns = CPUS * MEASURED_MS * 1_000_000;
        let idle = format!("100 * [hammerdb/{variant}] /work_conservation/cpu_ns / {ns}");
        content.row(format!("{variant}: CPU time idle while others waited"), "%", None, idle);
    }
    for release in RELEASES {
        for (label, counter) in [
            ("schedule() left the CPU idle", "sched_goidle"),
            ("tasks pulled when newly idle", "pull_task_newly_idle"),
            ("wake-ups on the waking CPU", "ttwu_local"),
        ] {
            let measured = |kernel: &str| reported[format!("{kernel} default")][counter].as_f64();
            let percent = measured(release).zip(measured("6.5")).map(|(to, from)| 100.0 * to / from - 100.0);
            let from_65 =
                change("hammerdb/6.5 default", &format!("hammerdb/{release} default"), &format!("counters.{counter}"));
            content.row(format!("{release} default: {label}"), "%", percent, from_65);
        }
    }
}

/// One reported count over another.
fn quotient(stats: &serde_json::Value, above: &str, below: &str, factor: f64) -> Option<f64> {
    Some(factor * stats[above].as_f64()? / stats[below].as_f64()?)
}

fn claims(content: &mut Content) {
    let rate = |release: &str, setting: &str| format!("[hammerdb/{release} {setting}] ops.per_second");
    for release in RELEASES {
        let (plain, batch, some) =
            (rate(release, "default"), rate(release, "BATCH"), rate(release, "connections BATCH"));
        content.must(format!("{release}: BATCH is better than default"), format!("{batch} > {plain}"));
        content.must(
            format!("{release}: connection threads alone give most of it"),
            format!("{some} - {plain} > 0.5 * ({batch} - {plain})"),
        );
    }
    for release in ["6.6", "6.8"] {
        content.must(
            format!("{release}: NO_PLACE_LAG with NO_RUN_TO_PARITY helps"),
            format!("{} > {}", rate(release, "NO_PL NO_RTP"), rate(release, "default")),
        );
    }
    content.must(
        "a larger slice helps a little: more",
        format!("{} > {}", rate("6.15", "slice 6 ms"), rate("6.15", "slice 3 ms")),
    );
    content.must(
        "a larger slice helps a little: 5 % at most",
        format!("{} < 1.05 * {}", rate("6.15", "slice 6 ms"), rate("6.15", "slice 3 ms")),
    );
}

/// CFS has neither flag.
fn applies(release: &str, setting: &str) -> bool {
    release != "6.5" || setting != "NO_PL NO_RTP"
}

fn scenario() -> Result<Scenario, Vec<crate::Problem>> {
    let cpus = CPUS.to_string();
    let mut scenario = workload("mysql", &[("cpus", &cpus), ("connections", "128"), ("warehouses", "24")])?;
    scenario.machine.context_switch_ns = 1_500;
    scenario.machine.cache = Cache { llc_ns_per_kib: REFILL_NS_PER_KIB, ..super::super::build::caches() };
    // The leader of a group is a connection too; the log threads say their policy themselves.
    for task in scenario.workload.tasks.iter_mut().filter(|task| task.attributes.policy.is_none()) {
        task.attributes.working_set_kib = Some(WORKING_SET_KIB);
    }
    scenario.run.duration_ms = Some(WARMUP_MS + MEASURED_MS);
    scenario.run.warmup_ms = WARMUP_MS;
    scenario.run.repeats = 3;
    scenario.variants.clear();
    for release in RELEASES {
        for (setting, ..) in SETTINGS.into_iter().filter(|(name, ..)| applies(release, name)) {
            let more = match setting {
                "BATCH" => format!(r#", "workload": {{{CONNECTIONS_BATCH}, {LOG_THREADS_BATCH}}}"#),
                "connections BATCH" => format!(r#", "workload": {{{CONNECTIONS_BATCH}}}"#),
                _ => String::new(),
            };
            let features = if setting == "NO_PL NO_RTP" {
                r#", "features": {"PLACE_LAG": false, "RUN_TO_PARITY": false}"#
            } else {
                ""
            };
            let changes = format!(r#"{{"kernel": {{"release": "{release}"{features}}}{more}}}"#);
            scenario.variants.push(variant(&format!("{release} {setting}"), &changes)?);
        }
    }
    let undelayed = r#"{"kernel": {"release": "6.12", "features": {"DELAY_DEQUEUE": false}}}"#;
    scenario.variants.push(variant("6.12 NO_DELAY_DEQUEUE", undelayed)?);
    for ms in [3, 6] {
        let tunables = format!(r#"{{"base_slice_ns": {ms}000000}}"#);
        let slice = format!(r#"{{"kernel": {{"release": "6.15", "tunables": {tunables}}}}}"#);
        scenario.variants.push(variant(&format!("6.15 slice {ms} ms"), &slice)?);
    }
    Ok(scenario)
}

/// The same in 6.5 where a cold cache costs less.
fn cheap_refill() -> Result<Scenario, Vec<crate::Problem>> {
    let mut scenario = scenario()?;
    scenario.machine.cache.llc_ns_per_kib = CHEAP_REFILL_NS_PER_KIB;
    scenario.variants.retain(|variant| variant.name.as_deref().is_some_and(|name| name.starts_with("6.5 ")));
    Ok(scenario)
}

/// The policy of all threads that name none: the connections.
const CONNECTIONS_BATCH: &str = r#""global": {"default_policy": "SCHED_BATCH"}"#;
const LOG_THREADS_BATCH: &str = r#""tasks": {
    "log_writer": {"policy": "SCHED_BATCH"},
    "log_flusher": {"policy": "SCHED_BATCH"},
    "log_flush_notifier": {"policy": "SCHED_BATCH"}
}"#;
