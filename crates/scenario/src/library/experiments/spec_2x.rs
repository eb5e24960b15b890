//! Two copies of a SPECrate job a CPU: EEVDF switches about three times as often as CFS.

use super::{Content, Experiment, change, document};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "spec-2x",
    title: "SPECrate with two copies a CPU",
    text: "Two hogs share each of 16 CPUs, HZ=250. CFS gives each half of sched_latency, 12 ms, and looks at the tick: a \
           hog is preempted when it has run longer than its slice, at the third or fourth tick. EEVDF renews a deadline \
           after base_slice, 3 ms, which is over at the first tick, 4 ms after. So it switches three to four times as \
           often. Nothing is lost by that unless switches cost something: with a cache that the other copy displaces, \
           throughput falls, the more so the more a copy needs, and with base_slice at 12 ms the fall is gone. \
           A slice of 12 ms ends just on the third tick where a switch costs nothing; where it takes 2 µs the fourth tick is the first to see it, and CFS switches a quarter less often. Both are shown.",
    reported: include_str!("spec-2x.json"),
    make,
};

/// What a copy needs of the core's cache of 2 MiB, KiB. The first fits together with the other copy's.
const WORKING_SETS_KIB: [u32; 4] = [512, 1280, 1536, 2048];
/// What a switch costs where it costs something, nanoseconds.
const SWITCH_NS: u32 = 2_000;

/// Without a cost of a switch a 12 ms slice is over at the third tick; with one, a little later, and
/// the fourth tick sees it.
const SWITCHES: [(&str, &str); 2] = [("schedstat", "switches free"), ("dear switches", "2 µs a switch")];

fn make(reported: &serde_json::Value) -> Result<Content, Vec<crate::Problem>> {
    let mut content = Content::default();
    content.part("schedstat", document(&text(0, 0))?);
    content.part("dear switches", document(&text(0, SWITCH_NS))?);
    for kib in WORKING_SETS_KIB {
        content.part(format!("{kib} KiB"), document(&text(kib, 0))?);
    }
    let schedstat = |side: &str, name: &str| reported["schedstat"][side][name].as_f64();
    let ratio = |above: Option<f64>, below: Option<f64>| Some(above? / below?);
    let times = |part: &str, figure: &str, base: &str, variant: &str| {
        format!("[{part}/{variant}] counters.{figure} / [{part}/6.5] counters.{base}")
    };
    let sched = |part: &str| times(part, "sched_count", "sched_count", "6.6");
    let preempted = |part: &str| times(part, "preempt_deadline", "tick_preempts", "6.6");
    let long = |part: &str| times(part, "sched_count", "sched_count", "6.6, 12 ms");
    for (part, words) in SWITCHES {
        let entries = ratio(schedstat("eevdf", "sched"), schedstat("base", "sched"));
        content.row(format!("entries into schedule(), 6.6 to 6.5, {words}"), "times", entries, sched(part));
        let preemptions = ratio(schedstat("eevdf", "preempt_deadline"), schedstat("base", "tick_preempts"));
        content.row(format!("preemptions by the tick, 6.6 to 6.5, {words}"), "times", preemptions, preempted(part));
        content.row(format!("entries into schedule(), 12 ms to 6.5, {words}"), "times", None, long(part));
    }
    for kib in WORKING_SETS_KIB {
        for variant in ["6.6", "6.6, 12 ms"] {
            let simulated = change(&format!("{kib} KiB/6.5"), &format!("{kib} KiB/{variant}"), "ops.per_second");
            content.row(format!("throughput with {kib} KiB a copy, {variant}"), "%", None, simulated);
        }
    }
    // Benchmarks by name; how much cache each needs is not reported, so that none stands beside a size.
    for (benchmark, percent) in reported["throughput_change_pct"].as_object().into_iter().flatten() {
        content.row(format!("throughput of {benchmark}"), "%", percent.as_f64(), String::new());
    }
    for (part, words) in SWITCHES {
        let lines = [
            ("sched_count of 6.6 to that of 6.5: at least 2.7", sched(part), ">= 2.7"),
            ("sched_count of 6.6 to that of 6.5: at most 4.2", sched(part), "<= 4.2"),
            ("preemptions of 6.6 to those of 6.5: at least 2.7", preempted(part), ">= 2.7"),
            ("preemptions of 6.6 to those of 6.5: at most 4.2", preempted(part), "<= 4.2"),
            ("base_slice 12 ms: not 10 % above 6.5", long(part), "<= 1.1"),
            ("base_slice 12 ms: not 10 % below 6.5", long(part), ">= 0.9"),
        ];
        for (line, expression, limit) in lines {
            content.must(format!("{line}, {words}"), format!("{expression} {limit}"));
        }
    }
    let loss = |kib: u32, variant: &str| {
        format!("({})", change(&format!("{kib} KiB/6.5"), &format!("{kib} KiB/{variant}"), "ops.per_second"))
    };
    let [fits, small, middle, large] = WORKING_SETS_KIB;
    content.must("copies that fit together lose 0.1 % at most", format!("0 - {} < 0.1", loss(fits, "6.6")));
    content.must("with a cost of refilling throughput falls", format!("{} < 0 - 0.1", loss(small, "6.6")));
    for (more, less) in [(middle, small), (large, middle)] {
        content.must(
            format!("the more cache a copy needs, the more it falls: {more} KiB to {less}"),
            format!("{} < {}", loss(more, "6.6"), loss(less, "6.6")),
        );
    }
    content.must(
        "at 12 ms the fall is gone: a tenth of it at most",
        format!("0 - {} <= 0 - 0.1 * {}", loss(large, "6.6, 12 ms"), loss(large, "6.6")),
    );
    Ok(content)
}

fn text(kib: u32, switch_ns: u32) -> String {
    format!(
        r#"{{
  "schema": 1,
  "machine": {{ "cores_per_llc": 16, "hz": 250, "context_switch_ns": {switch_ns}, "cache": {{ "core_kib": 2048, "llc_kib": 65536, "llc_ns_per_kib": 33 }} }},
  "workload": {{ "tasks": {{
    "copy": {{ "instance": 32, "working_set_kib": {kib}, "op_begin": "piece", "run": 1000, "op_end": "piece" }}
  }} }},
  "run": {{ "duration_ms": 10000, "warmup_ms": 1000, "repeats": 3 }},
  "variants": [
    {{ "kernel": {{ "release": "6.5" }} }},
    {{ "kernel": {{ "release": "6.6" }} }},
    {{ "name": "6.6, 12 ms", "kernel": {{ "release": "6.6", "tunables": {{ "base_slice_ns": 12000000 }} }} }}
  ]
}}"#
    )
}
