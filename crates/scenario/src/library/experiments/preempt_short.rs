//! PREEMPT_SHORT: massive_intr with long slices, cyclictest with short ones, a browser.

use super::{Content, Experiment, Sought, change, document};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "preempt-short",
    title: "PREEMPT_SHORT: short slices may interrupt long ones",
    text: "Five threads of massive_intr with slices of 100 ms want more than the four CPUs have; five of cyclictest, with \
           slices of 0.5 ms, run 20 µs when they wake; a browser is in between with the default slice. The times \
           are those of the report: run time over switches, and the sum of run times for the number of CPUs. Without PREEMPT_SHORT whoever runs \
           is protected to its fair point (RUN_TO_PARITY), so that a short request that comes in the meantime waits. With \
           it, a waking task with a shorter slice that is eligible and has the earlier deadline ends the protection. \
           cyclictest waits less; massive_intr is preempted more often, and pays the waits.",
    reported: include_str!("preempt-short.json"),
    make,
};

const VARIANTS: [&str; 2] = ["NO_PREEMPT_SHORT", "PREEMPT_SHORT"];
/// The task as the report names it, and here.
const TASKS: [(&str, &str); 3] =
    [("massive_intr", "massive_intr"), ("cyclictest", "cyclictest"), ("chromium-browse", "browser")];

fn make(reported: &serde_json::Value) -> Result<Content, Vec<crate::Problem>> {
    let mut content = Content::default();
    content.part("run", document(TEXT)?);
    let mean = |variant: &str, task: &str, figure: &str| {
        let runs = reported["table"][variant].as_array()?;
        let values: Vec<f64> =
            runs.iter().filter(|run| run["task"] == task).filter_map(|run| run[figure].as_f64()).collect();
        Some(values.iter().sum::<f64>() / values.len() as f64)
    };
    for (named, task) in TASKS {
        for (figure, here) in [
            ("switches", "switches"),
            ("avg_delay_ms", "run_delay.mean"),
            ("sum_delay_ms", "run_delay.sum"),
            ("max_delay_ms", "run_delay.max"),
        ] {
            let reported = mean(VARIANTS[1], named, figure).zip(mean(VARIANTS[0], named, figure));
            let simulated = change("run/NO_PREEMPT_SHORT", "run/PREEMPT_SHORT", &figure_of(task, here));
            content.row(
                format!("{task}: {}", figure.trim_end_matches("_ms")),
                "%",
                reported.map(|(new, old)| 100.0 * new / old - 100.0),
                simulated,
            );
        }
        for variant in VARIANTS {
            let simulated = format!("[run/{variant}] {} / 1000000", figure_of(task, "run_delay.mean"));
            content.row(format!("{task}: avg delay, {variant}"), "ms", mean(variant, named, "avg_delay_ms"), simulated);
        }
    }
    let less = |task: &str, figure: &str, relation: &str, factor: &str| {
        let figure = figure_of(task, figure);
        format!("[run/PREEMPT_SHORT] {figure} {relation} {factor} * [run/NO_PREEMPT_SHORT] {figure}")
    };
    content.must("cyclictest's average delay falls", less("cyclictest", "run_delay.mean", "<", "1"));
    content.must("cyclictest's sum of delays falls", less("cyclictest", "run_delay.sum", "<", "1"));
    content.must("massive_intr's switches rise", less("massive_intr", "switches", ">", "1"));
    content.must("massive_intr's sum of delays rises", less("massive_intr", "run_delay.sum", ">", "1"));
    content.must("slightly: by a tenth at most", less("massive_intr", "run_delay.sum", "<", "1.1"));
    content.look(
        "run",
        "PREEMPT_SHORT",
        Sought::new("wakeup-short", "massive_intr", "cyclictest").from_ms(1_000),
        "cyclictest wakes with a slice of 0.5 ms while massive_intr runs with one of 100 ms: it is eligible, its deadline is \
         earlier, and so the protection of the running task ends at once.",
    );
    content.look(
        "run",
        "NO_PREEMPT_SHORT",
        Sought::new("block", "massive_intr", "cyclictest").from_ms(1_000),
        "Without PREEMPT_SHORT this cyclictest waited until massive_intr went to sleep: whoever runs is protected to its fair point.",
    );
    Ok(content)
}

fn figure_of(task: &str, figure: &str) -> String {
    let place = TASKS.iter().position(|(_, name)| *name == task).unwrap_or(0);
    match figure.strip_prefix("run_delay.sum") {
        Some(_) => format!("/tasks/{place}/run_delay/sum"),
        None => format!("tasks.{task}.{figure}"),
    }
}

const TEXT: &str = r#"{
  "schema": 1,
  "machine": { "cores_per_llc": 4, "hz": 250, "context_switch_ns": 1000, "wakeup_ns": 1000 },
  "kernel": { "release": "6.12" },
  "workload": { "tasks": {
    "massive_intr": { "instance": 5, "slice_us": 100000, "run": 8000, "sleep": 1000 },
    "cyclictest": { "instance": 5, "slice_us": 500, "run": 20, "timer": { "ref": "unique", "period": 1000 } },
    "browser": { "instance": 8, "run": { "lognormal": [320, 0.7] }, "sleep": { "exp": 11000 } }
  } },
  "run": { "duration_ms": 20000, "warmup_ms": 1000, "repeats": 3 },
  "variants": [
    { "name": "NO_PREEMPT_SHORT", "kernel": { "features": { "PREEMPT_SHORT": false } } },
    { "name": "PREEMPT_SHORT", "kernel": { "features": { "PREEMPT_SHORT": true } } }
  ]
}"#;
