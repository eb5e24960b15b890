//! Rows from hand-made runs: what they must give is known.

use schedlab_sim::{CpuResult, Placement, Run, TaskResult, WorkConservation};

use super::*;
use crate::fixture;

/// Two seconds of a hog and two sleepers of one kind on two CPUs, as a kernel might have run them.
fn real(switches_per_s: f64, gap_us: u64) -> Figures {
    let json = serde_json::json!({
        "window_s": [0.5, 2.5], "tick_phase_us": 1000, "idle_time_share": 0.3, "switches_per_s": switches_per_s, "other_switches_in": 9,
        "tasks": {
            "h0": {"share_of_cpu": 0.9, "preempted": 100, "preempted_by_other_tasks": 6, "migrations": 0, "runtime_us": 0, "switches_in": 0, "voluntary": 0,
                   "wake_delay_us": {"n": 0}, "proc_sched_at_end": {"core_forceidle_sum": 250.0, "policy": 0}},
            "s0": {"share_of_cpu": 0.1, "preempted": 1, "preempted_by_other_tasks": 1, "migrations": 3, "runtime_us": 0, "switches_in": 0, "voluntary": 0,
                   "wake_delay_us": {"n": 10, "mean": 50.0, "p99": 90.0}, "core_forceidle_sum": 250.0},
            "s1": {"share_of_cpu": 0.2, "preempted": 1, "preempted_by_other_tasks": 0, "migrations": 3, "runtime_us": 0, "switches_in": 0, "voluntary": 0,
                   "wake_delay_us": {"n": 10, "mean": 70.0, "p99": 90.0}}
        },
        "groups": {
            "h0": {"tasks": 1, "share_of_cpu_mean": 0.9, "wake_delay_us": {"n": 0}, "wait_us": {"n": 6, "mean": 4.0, "p99": 7.0}},
            "s0..s1": {"tasks": 2, "share_of_cpu_mean": 0.15, "wake_delay_us": {"n": 20, "mean": 60.0, "p99": 90.0},
                       "wait_us": {"n": 22, "mean": 65.0, "p99": 95.0}}
        },
        "wakeups": {"n": 200, "placement": {"prev busy": 20, "prev idle": 40, "prev=waker idle": 100,
                    "waker idle": 30, "other idle": 10, "busy chosen while an idle CPU existed": 8}},
        "migrations": {"per_s": 30.0, "at_wakeup": 40, "by_balance": 20},
        "work_conservation_gap": {"n": 5, "total_us": gap_us, "cpu_us": gap_us},
        "ignored": [1, 2, 3]
    });
    serde_json::from_value(json).expect("it is a run")
}

fn model() -> Run {
    let task = |name: &str, runtime_ns, delays: &[u64]| {
        let mut task = TaskResult { name: name.to_owned(), runtime_ns, ..TaskResult::default() };
        for delay in delays {
            task.wake_delay.add(*delay);
            task.run_delay.add(*delay);
        }
        task
    };
    let mut run = fixture::run(1_000);
    (run.warmup_ns, run.until_ns) = (500_000_000, 2_500_000_000);
    run.tasks = vec![
        task("h0", 1_810_000_000, &[]),
        task("s0", 200_000_000, &[61_000, 61_000]),
        task("s1", 430_000_000, &[61_000, 61_000]),
    ];
    run.tasks[1].migrations = 60;
    run.tasks[1].migrations_at_wakeup = 39;
    run.tasks[2].forced_idle_ns = 500_000_000;
    run.cpus = vec![CpuResult { switches: 1000, ..CpuResult::default() }; 2];
    run.placement = Placement {
        wakeups: 100,
        previous_is_waker: [0, 50],
        previous: [10, 20],
        waker: [0, 10],
        other: [0, 10],
        busy_while_idle: 4,
        previous_idle_not_chosen: 0,
    };
    run.work_conservation = WorkConservation { gap_ns: 100_000_000, ..WorkConservation::default() };
    run
}

fn rows(scenario: &str) -> Vec<FidelityRow> {
    let variant = |measured| FidelityVariant { measured, model: model(), whole: Some(model()) };
    let variants = [(990.0, 100_000), (1000.0, 110_000), (1030.0, 90_000)];
    fidelity(scenario, "6.12", &variants.map(|(switches, gap)| variant(real(switches, gap))))
}

fn row(rows: &[FidelityRow], figure: &str) -> FidelityRow {
    rows.iter().find(|row| row.figure == figure).unwrap_or_else(|| panic!("there is {figure}")).clone()
}

#[test]
fn every_figure_is_compared_in_its_unit() {
    let rows = rows("P99");
    let value = |figure| {
        let row = row(&rows, figure);
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        (rounded(row.real), rounded(row.model), row.deviation.map(rounded), row.unit)
    };
    let is = |real, model, deviation, unit: &str| (real, model, Some(deviation), unit.to_owned());
    assert_eq!(value("share h0"), is(90.0, 90.5, 0.5, "%"));
    assert_eq!(value("share s1"), is(20.0, 21.5, 1.5, "%"));
    // The mean of 990, 1000 and 1030, minus the 7 preemptions by others in two seconds.
    assert_eq!(value("switches"), is(1003.167, 1000.0, -0.316, "1/s"));
    assert_eq!(value("wake delay mean s0..s1"), is(60.0, 61.0, 1.667, "us"));
    assert_eq!(value("migrations at wake-up"), is(20.0, 19.5, -2.5, "1/s"));
    assert_eq!(value("migrations by balancing"), is(10.0, 10.5, 5.0, "1/s"));
    assert_eq!(value("placed on the previous CPU"), is(80.0, 80.0, 0.0, "%"));
    assert_eq!(value("placed on the waker's CPU"), is(15.0, 10.0, -5.0, "%"));
    assert_eq!(value("placed on another CPU"), is(5.0, 10.0, 5.0, "%"));
    assert_eq!(value("busy CPU chosen while one was idle"), is(4.0, 4.0, 0.0, "%"));
    assert_eq!(value("idle while a task waits"), is(5.0, 5.0, 0.0, "%"));
    // 500 ms of 2.5 s on two CPUs.
    assert_eq!(value("forced idle"), is(10.0, 10.0, 0.0, "%"));
}

#[test]
fn waits_that_only_others_caused_are_not_compared() {
    assert!(!rows("P99").iter().any(|row| row.figure == "wait mean h0"));
}

#[test]
fn inside_is_within_the_aim_or_the_noise() {
    let rows = rows("P99");
    assert!(row(&rows, "share h0").inside && !row(&rows, "share s1").inside);
    assert!(!row(&rows, "placed on the waker's CPU").inside);
    let switches = row(&rows, "switches");
    assert_eq!((switches.noise, switches.aim, switches.inside), (40.0, 5.0, true));
    // Below 5 µs of difference, whatever that is in per cent.
    assert!(row(&rows, "wait p99 s0..s1").deviation.is_some_and(|of| of < -10.0));
    assert!(!row(&rows, "wait p99 s0..s1").inside && row(&rows, "wait mean s0..s1").inside);
}

#[test]
fn what_others_may_have_done_is_no_deviation() {
    let of = |switches: f64, model_switches: u64| {
        let mut variant = FidelityVariant { measured: real(switches, 0), model: model(), whole: None };
        variant.model.cpus[0].switches = model_switches;
        variant.model.cpus[1].switches = 0;
        row(&fidelity("P99", "6.12", &[variant]), "switches")
    };
    // 20 switches in two seconds, 7 preemptions by others: 13 to 6 of them are the workload's.
    for (model, inside) in [(14, false), (13, true), (8, true), (6, true), (5, false)] {
        assert_eq!(of(10.0, model).inside, inside, "{model}");
    }
    assert_eq!(of(10.0, 13).deviation, Some(0.0));
}

#[test]
fn loose_scenarios_have_three_times_the_aim() {
    assert!(row(&rows("L3"), "share s1").inside);
    assert_eq!(row(&rows("Q2"), "placed on the waker's CPU").aim, 6.0);
    assert_eq!(row(&rows("P7"), "switches").aim, 40.0);
    assert_eq!(row(&rows("P7"), "share s1").aim, 1.0);
}

#[test]
fn children_are_one_group() {
    let json = serde_json::json!({
        "window_s": [0.0, 1.0], "tick_phase_us": 0, "idle_time_share": 0.0, "switches_per_s": 10.0, "other_switches_in": 0,
        "tasks": {"c0": {"child": true, "share_of_cpu": 0.1, "preempted": 0, "preempted_by_other_tasks": 0,
                         "migrations": 0, "runtime_us": 0, "switches_in": 0, "voluntary": 0,
                         "wake_delay_us": {"n": 0}},
                  "c1": {"child": true, "share_of_cpu": 0.3, "preempted": 0, "preempted_by_other_tasks": 0,
                         "migrations": 0, "runtime_us": 0, "switches_in": 0, "voluntary": 0,
                         "wake_delay_us": {"n": 0}}},
        "groups": {"c0..c1": {"tasks": 2, "share_of_cpu_mean": 0.2, "wake_delay_us": {"n": 0}, "wait_us": {"n": 0}}}
    });
    let measured = serde_json::from_value(json).expect("it is a run");
    let mut model = model();
    (model.warmup_ns, model.until_ns) = (0, 1_000_000_000);
    for (task, name) in model.tasks.iter_mut().zip(["c0-0", "c1-0", "c1-1"]) {
        task.name = name.to_owned();
        task.runtime_ns = 130_000_000;
    }
    let rows = fidelity("P13", "6.1", &[FidelityVariant { measured, model, whole: None }]);
    let share = row(&rows, "share c0..c1");
    assert!((share.real - 20.0).abs() < 1e-9 && (share.model - 19.5).abs() < 1e-9, "{share:?}");
    assert!(!rows.iter().any(|row| row.figure == "share c0"));
}
