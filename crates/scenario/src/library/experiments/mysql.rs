//! MySQL under HammerDB: releases, SCHED_BATCH, and flags.

use super::{Content, Experiment, change, variant, workload};
use crate::document::Scenario;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "mysql",
    title: "MySQL under HammerDB across releases",
    text: "A closed loop of 128 connections on 16 CPUs, HZ=250: each transaction computes in stretches with waits \
           between them, hands its record to the log and waits until that is safe. A cold cache costs 33 ns a KiB \
           of the 256 KiB that a connection uses. Nothing of the machine depends on the release; the counters tell \
           of idle exits, newly-idle pulls and local wake-ups. SCHED_BATCH threads do not preempt anyone when they \
           wake: fewer switches, and the log writer, for whom all wait, is not interrupted. The CPUs are busy all \
           the time in every variant, so that the differences are small: 2 % where the report has 10 %. Connection \
           threads alone as BATCH do not give most of it everywhere: in 6.5 it is the log flushers that interrupt \
           the log writer (5800 times in 2 s, as often as before) and make it wait 2.3 ms, and they stay as they \
           are then. From 6.12 on the gain is that of fewer preempted connections, about half of which remain. That \
           6.12 and later come out below 6.5, as reported, is not seen: they come out 1.4 % above: the log \
           writer, for whom all wait, waits 2.3 ms to run under CFS of 6.5 and 0.5 ms from 6.12 on.",
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

fn make(reported: &serde_json::Value) -> Result<Content, Vec<crate::Problem>> {
    let mut content = Content::default();
    content.part("hammerdb", scenario()?);
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
            content.row(
                format!("{release} {setting}: throughput"),
                "%",
                column("throughput_pct"),
                of("ops.per_second"),
            );
            content.row(
                format!("{release} {setting}: P50 latency"),
                "%",
                column("p50_latency_pct"),
                of("ops.latency.p50"),
            );
        }
    }
    let slices = &reported["base_slice_6ms_against_3ms_6.15-rc4"];
    let larger = |figure: &str| change("hammerdb/6.15 default", "hammerdb/6.15 slice 6 ms", figure);
    content.row(
        "6.15 slice 6 ms against 3 ms: throughput",
        "%",
        slices["default"][0].as_f64(),
        larger("ops.per_second"),
    );
    for release in RELEASES {
        let of = |figure: &str| change("hammerdb/6.5 default", &format!("hammerdb/{release} default"), figure);
        for (label, counter) in [
            ("schedule() left the CPU idle", "sched_goidle"),
            ("tasks pulled when newly idle", "pull_task_newly_idle"),
            ("wake-ups on the waking CPU", "ttwu_local"),
        ] {
            content.row(format!("{release} default: {label}"), "%", None, of(&format!("counters.{counter}")));
        }
    }
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
        format!("{} > {}", rate("6.15", "slice 6 ms"), rate("6.15", "default")),
    );
    content.must(
        "a larger slice helps a little: 5 % at most",
        format!("{} < 1.05 * {}", rate("6.15", "slice 6 ms"), rate("6.15", "default")),
    );
    Ok(content)
}

/// CFS has neither flag.
fn applies(release: &str, setting: &str) -> bool {
    release != "6.5" || setting != "NO_PL NO_RTP"
}

fn scenario() -> Result<Scenario, Vec<crate::Problem>> {
    let mut scenario = workload("mysql", &[("cpus", "16"), ("connections", "128")])?;
    scenario.machine.context_switch_ns = 1_500;
    scenario.machine.cache = super::super::build::caches();
    for task in scenario.workload.tasks.iter_mut().filter(|task| task.name == "connection") {
        task.attributes.working_set_kib = Some(256);
    }
    scenario.run.duration_ms = Some(2_500);
    scenario.run.warmup_ms = 500;
    scenario.run.repeats = 3;
    scenario.variants.clear();
    for release in RELEASES {
        for (setting, ..) in SETTINGS.into_iter().filter(|(name, ..)| applies(release, name)) {
            let batch = r#"{"policy": "SCHED_BATCH"}"#;
            let more = match setting {
                "BATCH" => format!(
                    r#", "workload": {{"tasks": {{"connection": {batch}, "log_writer": {batch}, "log_flusher": {batch}}}}}"#
                ),
                "connections BATCH" => format!(r#", "workload": {{"tasks": {{"connection": {batch}}}}}"#),
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
    let longer = r#"{"kernel": {"release": "6.15", "tunables": {"base_slice_ns": 6000000}}}"#;
    scenario.variants.push(variant("6.15 slice 6 ms", longer)?);
    Ok(scenario)
}
