//! RESPECT_SLICE: how long a task had run when it was preempted, with and without RUN_TO_PARITY.

use super::{Content, Experiment, Sought, document, variant};
use crate::document::Scenario;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "respect-slice",
    title: "RESPECT_SLICE: running out the slice",
    text: "A pool of 64 threads on 16 CPUs, each of which takes a piece of work (log-normal, median 200 µs, a few of \
           many milliseconds, as fork/join pools have them) and waits for another one (100 µs on average); a slice of \
           3 ms. RESPECT_SLICE keeps a running task until its slice is over. Together with RUN_TO_PARITY the test for \
           that asks first whether the task is still eligible, and a task that has come past V is not, long before its \
           slice is used: then any waking task with an earlier deadline gets in (reason wakeup-deadline). Without \
           RUN_TO_PARITY eligibility is not asked, and preemptions gather where the slice ends (reason deadline). \
           Medians from 100 to 500 µs give the same picture; how often wake-ups come decides where it peaks.",
    reported: include_str!("respect-slice.json"),
    make,
};

/// The kind of task that the report is about, by its place in the workload.
const WORKER: &str = "/tasks/0";
const VARIANTS: [&str; 2] = ["RESPECT_SLICE+RUN_TO_PARITY", "RESPECT_SLICE+NO_RUN_TO_PARITY"];

fn make(reported: &serde_json::Value) -> Result<Content, Vec<crate::Problem>> {
    let mut content = Content::default();
    content.part("pool", scenario()?);
    let buckets: Vec<u64> = (1..=17).map(|power| 1 << power).collect();
    for variant in VARIANTS {
        let rows = reported["histogram_us"][variant].as_array();
        let counted = |least: u64| {
            let found = rows?.iter().find(|row| row[0].as_u64() == Some(least));
            Some(found.and_then(|row| row[2].as_f64()).unwrap_or(0.0))
        };
        let all: f64 = buckets.iter().filter_map(|least| counted(*least)).sum();
        for least in &buckets {
            let simulated = format!(
                "100 * [pool/{variant}] {WORKER}/ran_before_preempted/{least} / ({})",
                preempted(variant, &buckets)
            );
            content.row(
                format!("{variant}: preempted after {least} to {} µs", 2 * least),
                "%",
                counted(*least).map(|count| 100.0 * count / all),
                simulated,
            );
        }
    }
    let (early, slice): (Vec<u64>, Vec<u64>) =
        (buckets.iter().copied().filter(|least| *least < 1024).collect(), vec![2048]);
    let part = |variant: &str, of: &[u64]| format!("({}) / ({})", preempted(variant, of), preempted(variant, &buckets));
    content.must(
        "with RUN_TO_PARITY most preemptions come long before the slice is used",
        format!("{} > 0.5", part(VARIANTS[0], &early)),
    );
    content.must("without it they gather in the bucket of the slice", format!("{} > 0.5", part(VARIANTS[1], &slice)));
    content.look(
        "pool",
        VARIANTS[0],
        Sought::new("wakeup-deadline", "worker", "worker").from_ms(500),
        "A worker wakes, and the running one has come past V: no longer eligible, it is not kept to the end of its slice.",
    );
    content.look(
        "pool",
        VARIANTS[1],
        Sought::new("deadline", "worker", "worker").from_ms(500),
        "Without RUN_TO_PARITY the running one is kept, eligible or not, until its slice is over: its deadline is renewed, and the \
         next one is picked.",
    );
    Ok(content)
}

/// Preemptions in these buckets.
fn preempted(variant: &str, buckets: &[u64]) -> String {
    let each: Vec<String> =
        buckets.iter().map(|least| format!("[pool/{variant}] {WORKER}/ran_before_preempted/{least}")).collect();
    each.join(" + ")
}

fn scenario() -> Result<Scenario, Vec<crate::Problem>> {
    let mut scenario = document(TEXT)?;
    scenario.variants = VARIANTS
        .into_iter()
        .zip([true, false])
        .map(|(name, parity)| variant(name, &format!(r#"{{"kernel": {{"features": {{"RUN_TO_PARITY": {parity}}}}}}}"#)))
        .collect::<Result<_, _>>()?;
    Ok(scenario)
}

/// Four threads a CPU that each compute and wait for another one.
const TEXT: &str = r#"{
  "schema": 1,
  "machine": { "cores_per_llc": 16, "hz": 1000, "context_switch_ns": 1000, "wakeup_ns": 1000 },
  "kernel": { "release": "6.12", "features": { "RESPECT_SLICE": true }, "tunables": { "base_slice_ns": 3000000 } },
  "workload": { "tasks": {
    "worker": { "instance": 64, "op_begin": "request", "run": { "lognormal": [200, 1.5] }, "op_end": "request", "sleep": { "exp": 100 } }
  } },
  "run": { "duration_ms": 3000, "warmup_ms": 500, "repeats": 3 }
}"#;
