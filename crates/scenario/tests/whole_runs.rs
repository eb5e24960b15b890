//! What groups and policies of a document do to a run of it: who gets how much of the CPU.
//! Not for single decisions: the golden traces have those.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use schedlab_scenario::{Scenario, open};
use schedlab_sim::kernel::Release;
use schedlab_sim::{Limit, Run, Simulation};

const MS: u64 = 1_000_000;

/// A run of a document under a release.
fn run(text: &str, release: Release) -> Run {
    let mut scenario: Scenario = open(text).unwrap_or_else(|problems| panic!("{}", problems[0])).scenario;
    scenario.kernel.release = release;
    scenario.variants.clear();
    let mut simulation = Simulation::new(scenario.prepare(0).unwrap().input).unwrap();
    simulation.run_until(Limit::end()).unwrap();
    simulation.finish()
}

/// The run time of each task, milliseconds.
fn shares(run: &Run) -> Vec<u64> {
    run.tasks.iter().map(|task| task.runtime_ns / MS).collect()
}

/// Checks in every release that the tasks get these milliseconds, give or take `by`.
fn every_release_gives(text: &str, expected: &[u64], by: u64) {
    for &release in Release::MODELLED {
        let got = shares(&run(text, release));
        let near = got.len() == expected.len() && got.iter().zip(expected).all(|(got, want)| got.abs_diff(*want) <= by);
        assert!(near, "{}: {got:?}, expected {expected:?}", release.name());
    }
}

#[test]
fn weights_share_between_groups_whatever_is_in_them() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 9000 },
        "groups": { "/a": { "weight": 200 }, "/b": { "shares": 1024 } },
        "workload": { "tasks": {
            "a": { "taskgroup": "/a", "run": 1000000 },
            "b": { "taskgroup": "b", "instance": 3, "run": 1000000 } } } }"#;
    every_release_gives(text, &[6000, 1000, 1000, 1000], 60);
}

#[test]
fn groups_within_groups_share_their_part() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 8000 },
        "groups": { "/a/x": { "weight": 300 } },
        "workload": { "tasks": {
            "x": { "taskgroup": "/a/x", "run": 1000000 },
            "y": { "taskgroup": "/a/y", "run": 1000000 },
            "root": { "run": 1000000 } } } }"#;
    every_release_gives(text, &[3000, 1000, 4000], 60);
}

#[test]
fn a_limit_holds_and_a_limit_above_holds_too() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 3000 },
        "groups": { "/a": { "max": { "quota_us": 20000 } }, "/b": { "max": { "quota_us": 30000, "period_us": 50000 } },
            "/b/c": { "max": { "quota_us": 90000 } } },
        "workload": { "tasks": {
            "a": { "taskgroup": "/a", "run": 1000000 },
            "c": { "taskgroup": "/b/c", "run": 1000000 } } } }"#;
    // A period that begins before the run adds at most one quota.
    every_release_gives(text, &[600, 1800], 32);
}

#[test]
fn a_task_takes_what_its_group_of_the_moment_gives() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 2000 },
        "groups": { "/tight": { "max": { "quota_us": 1000 } } },
        "workload": { "tasks": {
            "phase": { "loop": 1, "phases": { "free": { "run": 300000 }, "tight": { "taskgroup": "/tight", "run": 2000000 } } },
            "event": { "loop": 1, "run": 300000, "move": "/tight", "run1": 2000000 } } } }"#;
    every_release_gives(text, &[307, 307], 14);
}

#[test]
fn a_weight_that_is_written_counts_from_then_on() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 4000 },
        "workload": { "tasks": {
            "a": { "taskgroup": "/a", "run": 1000000 },
            "b": { "taskgroup": "/b", "run": 1000000 },
            "writer": { "delay": 2000000, "loop": 1, "weight": { "group": "/a", "weight": 300 }, "run": 1 } } } }"#;
    every_release_gives(text, &[2500, 1500, 0], 40);
}

#[test]
fn an_idle_group_gets_what_is_left() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 3000 }, "groups": { "/idle": { "idle": true } },
        "workload": { "tasks": { "idle": { "taskgroup": "/idle", "run": 1000000 }, "busy": { "run": 1000000 } } } }"#;
    every_release_gives(text, &[9, 2991], 25);
}

#[test]
fn classes_come_in_order() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 1000 }, "workload": { "tasks": {
        "fair": { "run": 1000000 },
        "low": { "policy": "SCHED_RR", "priority": 1, "run": 10000, "timer": { "ref": "unique", "period": 20000 } },
        "high": { "policy": "SCHED_FIFO", "run": 2000, "timer": { "ref": "unique", "period": 20000 } },
        "deadline": { "policy": "SCHED_DEADLINE", "dl-runtime": 2000, "dl-period": 20000, "run": 1000000 } } } }"#;
    every_release_gives(text, &[300, 500, 100, 100], 5);
    for &release in Release::MODELLED {
        let run = run(text, release);
        let longest = |task: usize| run.tasks[task].run_delay.max_ns() / MS;
        assert_eq!((longest(3), longest(2)), (18, 2), "{}: budget and period, then one budget", release.name());
    }
}

#[test]
fn a_phase_takes_a_task_to_another_class_and_back() {
    let text = r#"{ "schema": 1, "run": { "duration_ms": 1000 }, "workload": { "tasks": {
        "fair": { "run": 1000000 },
        "changes": { "phases": {
            "urgent": { "policy": "SCHED_FIFO", "run": 30000 },
            "rest": { "policy": "SCHED_IDLE", "run": 100 } } } } } }"#;
    for &release in Release::MODELLED {
        let run = run(text, release);
        // Above the fair class it cannot be preempted, below everybody it hardly gets on.
        assert!(run.tasks[1].runtime_ns >= 60 * MS, "{}: {:?}", release.name(), shares(&run));
        assert_eq!(run.tasks.iter().map(|task| task.runtime_ns).sum::<u64>(), 1000 * MS);
    }
}

#[test]
fn latency_nice_acts_in_the_series_that_has_it() {
    let of = |task: i8, group: i8, release| {
        let text = format!(
            r#"{{ "schema": 1, "groups": {{ "/g": {{ "latency_nice": {group} }} }}, "workload": {{ "tasks": {{
            "hogs": {{ "instance": 2, "run": 1000000 }},
            "task": {{ "latency_nice": {task}, "run": 1500, "sleep": 4000 }},
            "in a group": {{ "taskgroup": "/g", "run": 1500, "sleep": 3700 }} }} }} }}"#
        );
        run(&text, release).hash
    };
    let plain = of(0, 0, Release::EevdfRfc);
    assert_ne!(of(-19, 0, Release::EevdfRfc), plain);
    assert_ne!(of(0, -19, Release::EevdfRfc), plain);
    assert_eq!(of(-19, -19, Release::V6_12), of(0, 0, Release::V6_12));
}
