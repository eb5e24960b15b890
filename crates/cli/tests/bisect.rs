//! Bisections of whole scenarios: one knob was turned that matters, among five that do nothing on one
//! CPU. Not for the arithmetic: the report has tests of its own for that.

#![allow(clippy::expect_used)] // A test may fail by it.

mod support;

use std::process::Output;

use serde_json::{Value, json};

fn scenario() -> Value {
    json!({
        "schema": 1,
        "machine": { "hz": 250 },
        "kernel": { "release": "6.12" },
        "workload": {
            "global": { "duration": 1 },
            "tasks": {
                "hog": { "instance": 2, "loop": -1, "run": 10000 },
                "web": { "loop": -1, "sleep": {"exp": 2500}, "run": {"exp": 400} },
                "db": { "loop": -1, "sleep": {"uniform": [1000, 5000]}, "run": {"uniform": [200, 800]} }
            }
        },
        "run": { "duration_ms": 1500 },
        "variants": [ { "name": "before" }, { "name": "after" } ]
    })
}

/// Five changes that do nothing where there is one CPU and one size of everything.
fn idle_changes() -> Value {
    json!({
        "kernel": { "features": { "WA_IDLE": false, "WA_WEIGHT": false, "WA_BIAS": false, "ATTACH_AGE_LOAD": false },
                    "tunables": { "migration_cost_ns": 700_000 } }
    })
}

fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

fn bisect(document: &Value, metric: &str, more: &[&str]) -> Output {
    let asked = ["bisect", "-", "--from", "before", "--to", "after", "--metric", metric];
    support::schedlab(&[&asked, more].concat(), document.to_string().as_bytes())
}

fn with(planted: &Value) -> Value {
    let mut document = scenario();
    let mut after = idle_changes();
    merge(&mut after, planted);
    after["name"] = json!("after");
    document["variants"][1] = after;
    document
}

#[test]
fn the_planted_cause_is_found_among_five_that_do_nothing() {
    let cases = [
        (
            json!({"kernel": {"tunables": {"base_slice_ns": 6_000_000}}}),
            "total.preempted",
            "kernel.tunables.base_slice_ns",
        ),
        (json!({"kernel": {"features": {"RUN_TO_PARITY": false}}}), "total.switches", "kernel.features.RUN_TO_PARITY"),
        (
            json!({"kernel": {"features": {"WAKEUP_PREEMPTION": false}}}),
            "tasks.web.wake_delay.mean",
            "kernel.features.WAKEUP_PREEMPTION",
        ),
        (
            json!({"kernel": {"features": {"PLACE_LAG": false}}}),
            "tasks.web.wake_delay.mean",
            "kernel.features.PLACE_LAG",
        ),
        (json!({"machine": {"hz": 1000}}), "total.preempted", "machine.hz"),
        (json!({"machine": {"context_switch_ns": 20_000}}), "cpus.lost_to_switches", "machine.context_switch_ns"),
        (
            json!({"workload": {"tasks": {"hog": {"instance": 4}}}}),
            "tasks.web.run_delay.mean",
            "workload.tasks.hog.instance",
        ),
        (
            json!({"workload": {"tasks": {"web": {"priority": -10}}}}),
            "tasks.web.run_delay.mean",
            "workload.tasks.web.priority",
        ),
        (
            json!({"workload": {"tasks": {"db": {"slice_us": 300}}}}),
            "tasks.db.wake_delay.mean",
            "workload.tasks.db.slice_us",
        ),
        (
            json!({"workload": {"tasks": {"web": {"run": {"exp": 900}}}}}),
            "tasks.web.runtime_ns",
            "workload.tasks.web.run.exp",
        ),
    ];
    for (planted, metric, expected) in cases {
        let output = bisect(&with(&planted), metric, &["--format", "json"]);
        assert!(output.status.success(), "{expected}: {}", String::from_utf8_lossy(&output.stderr));
        let findings: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        let carriers = findings["carriers"].as_array().expect("a list");
        assert_eq!(findings["noise"], false, "{expected}: {findings}");
        assert_eq!(carriers.len(), 6, "{expected}: {findings}");
        let first = &carriers[0];
        assert_eq!(first["differences"][0]["what"], expected, "{findings}");
        assert!((first["percent"].as_f64().expect("a number") - 100.0).abs() < 1e-6, "{expected}: {first}");
        assert!(carriers[1..].iter().all(|of| of["matters"] == false && of["effect"]["mean"] == 0.0), "{findings}");
    }
}

#[test]
fn the_rules_of_a_release_are_one_difference() {
    let planted = json!({"kernel": {"release": "6.5"}});
    let output = bisect(&with(&planted), "tasks.web.wake_delay.mean", &["--repeats", "4"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let sentence = text.split("\n\n").next().expect("a sentence").replace('\n', " ");
    assert!(sentence.contains("100 % of the change comes from kernel.release (its rules) (6.12 -> 6.5)"), "{text}");
    assert!(sentence.ends_with("5 other differences change nothing beyond the noise."), "{text}");
}

#[test]
fn two_causes_share_the_change() {
    let planted = json!({"machine": {"context_switch_ns": 20_000}, "workload": {"tasks": {"hog": {"instance": 4}}}});
    let output = bisect(&with(&planted), "tasks.web.run_delay.mean", &["--format", "json"]);
    let findings: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let percent: f64 =
        findings["carriers"].as_array().expect("a list").iter().filter_map(|of| of["percent"].as_f64()).sum();
    assert_eq!(findings["carriers"][0]["differences"][0]["what"], "workload.tasks.hog.instance");
    // Two ends share what two do together equally, so that the parts add up.
    assert!((percent - 100.0).abs() < 1e-6, "{percent}");
}

#[test]
fn what_cannot_be_bisected_is_said() {
    let document = with(&json!({"machine": {"hz": 1000}}));
    let said = |metric: &str, document: &Value| {
        let output = bisect(document, metric, &["--repeats", "2"]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said("tasks.web.run_delay.p98", &document).contains("tasks.web.run_delay.p99"));
    let mut same = scenario();
    same["variants"][1]["run"] = json!({"repeats": 3});
    assert!(said("total.preempted", &same).contains("nothing that can be run differs"));
    let mut unknown = scenario();
    unknown["variants"][1]["name"] = json!("other");
    assert!(said("total.preempted", &unknown).contains("no variant \"after\""));
}
