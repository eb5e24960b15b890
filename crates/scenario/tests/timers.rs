//! rt-app's timers at their edges: first use, on time, late, at the very point, shared by tasks,
//! phases and instances, each instance's own. What is compared are the instants of wake-ups.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use schedlab_scenario::open;
use schedlab_sim::{Entry, Limit, Simulation};

/// The wake-ups of each task in the first `ms`, microseconds; the first is its start.
fn wakeups(tasks: &str, ms: u64) -> Vec<(String, Vec<u64>)> {
    let text = format!(r#"{{ "tasks": {{ {tasks} }} }}"#);
    let scenario = open(&text).unwrap_or_else(|problems| panic!("{}", problems[0])).scenario;
    let mut input = scenario.prepare(0).unwrap().input;
    input.until_ns = ms * 1_000_000;
    let mut simulation = Simulation::new(input).unwrap();
    simulation.run_until(Limit::end()).unwrap();
    let run = simulation.finish();
    let mut found: Vec<(String, Vec<u64>)> = run.tasks.iter().map(|task| (task.name.clone(), Vec::new())).collect();
    for entry in run.record.iter() {
        if let Entry::Wakeup { at_ns, task, .. } = entry {
            assert_eq!(at_ns % 1000, 0, "whole microseconds");
            found[task.0 as usize].1.push(at_ns / 1000);
        }
    }
    found
}

/// The wake-ups of the only task.
fn of_one(task: &str, ms: u64) -> Vec<u64> {
    wakeups(&format!(r#""a": {{ {task} }}"#), ms).remove(0).1
}

#[test]
fn the_first_use_sets_the_origin() {
    // The first use is at 2 ms, so that the points lie at 12, 22, 32: not at multiples of the period.
    assert_eq!(of_one(r#""run": 2000, "timer": { "ref": "t", "period": 10000 }"#, 35), [0, 12_000, 22_000, 32_000]);
    let absolute = r#""run": 2000, "timer": { "ref": "t", "period": 10000, "mode": "absolute" }"#;
    assert_eq!(of_one(absolute, 35), [0, 12_000, 22_000, 32_000]);
}

/// One long run between short ones: 2 ms, then 27 ms, then 2 ms each round, every 10 ms.
fn late(mode: &str, reference: &str) -> Vec<u64> {
    let timer = format!(r#""timer": {{ "ref": "{reference}", "period": 10000, "mode": "{mode}" }}"#);
    let phases = format!(
        r#""loop": 1, "phases": {{ "before": {{ "loop": 2, "run": 2000, {timer} }},
            "long": {{ "run": 27000, {timer} }}, "after": {{ "loop": 6, "run": 2000, {timer} }} }}"#
    );
    of_one(&phases, 100)
}

#[test]
fn a_late_relative_timer_restarts_at_now() {
    // Points at 12 and 22; the long run ends at 49, past 32: no sleep, and the grid begins anew at 49.
    assert_eq!(late("relative", "t"), [0, 12_000, 22_000, 59_000, 69_000, 79_000, 89_000, 99_000]);
}

#[test]
fn a_late_absolute_timer_keeps_its_grid() {
    // The point of 32 is past at 49, that of 42 at 51 and that of 52 at 53: 62 is the first to come.
    assert_eq!(late("absolute", "t"), [0, 12_000, 22_000, 62_000, 72_000, 82_000, 92_000]);
}

#[test]
fn a_timer_of_a_task_s_own_goes_on_from_phase_to_phase() {
    for mode in ["relative", "absolute"] {
        assert_eq!(late(mode, "unique"), late(mode, "t"), "{mode}");
        assert_eq!(late(mode, "unique_of_its_own"), late(mode, "t"), "{mode}");
    }
    let two = r#""phases": { "a": { "run": 1000, "timer": { "ref": "uniqueA", "period": 5000 } },
        "b": { "run": 1000, "timer": { "ref": "uniqueB", "period": 20000 } } }"#;
    // A: origin 1 ms, then 6. B: origin 7, then 27. A again at 28: 11 is past, so it restarts there.
    // B's next is 47, A's after that 33, which is past at 48.
    assert_eq!(of_one(two, 70), [0, 6000, 27_000, 47_000, 67_000]);
}

#[test]
fn a_point_that_is_now_is_not_waited_for() {
    // The run takes just the period: the task never sleeps after the first point.
    for mode in ["relative", "absolute"] {
        let timer = format!(r#""timer": {{ "ref": "t", "period": 5000, "mode": "{mode}" }}"#);
        assert_eq!(of_one(&format!(r#""run": 5000, {timer}"#), 40), [0, 10_000], "{mode}");
    }
    assert_eq!(of_one(r#""run": 5000, "timer": { "ref": "t", "period": 0 }"#, 40), [0]);
}

#[test]
fn instances_have_their_own_unique_timers_and_share_others() {
    let instances = |reference: &str| {
        let timer = format!(r#""timer": {{ "ref": "{reference}", "period": 10000 }}"#);
        wakeups(&format!(r#""a": {{ "instance": 2, "priority": -20, "run": 1000, {timer} }}"#), 45)
    };
    let own: Vec<Vec<u64>> = instances("unique").into_iter().map(|(_, wakeups)| wakeups).collect();
    // The second runs after the first, and each keeps its own distance.
    assert_eq!(own[0], [0, 11_000, 21_000, 31_000, 41_000]);
    assert_eq!(own[1], [0, 12_000, 22_000, 32_000, 42_000]);
    // With a timer for both every use takes the next point: 11, 21, 31, 41 in turns.
    let shared: Vec<Vec<u64>> = instances("tick").into_iter().map(|(_, wakeups)| wakeups).collect();
    assert_eq!(shared[0], [0, 11_000, 31_000]);
    assert_eq!(shared[1], [0, 21_000, 41_000]);
}

#[test]
fn tasks_share_a_timer_by_its_name() {
    let pair = |first: &str, second: &str| -> Vec<Vec<u64>> {
        let timer = |reference: &str| format!(r#""timer": {{ {reference} "period": 10000 }}"#);
        let tasks = format!(
            r#""a": {{ "run": 1000, {} }}, "b": {{ "delay": 4000, "run": 1000, {} }}"#,
            timer(first),
            timer(second)
        );
        wakeups(&tasks, 45).into_iter().map(|(_, wakeups)| wakeups).collect()
    };
    let together = pair(r#""ref": "t","#, r#""ref": "t","#);
    assert_eq!(together, [vec![0, 11_000, 31_000], vec![4000, 21_000, 41_000]]);
    // A timer without a name is one that all such events share.
    assert_eq!(pair("", ""), together);
    assert_eq!(
        pair(r#""ref": "t","#, r#""ref": "u","#),
        [vec![0, 11_000, 21_000, 31_000, 41_000], vec![4000, 15_000, 25_000, 35_000, 45_000]]
    );
    // `unique` in two tasks means two timers.
    assert_eq!(pair(r#""ref": "unique","#, r#""ref": "unique","#)[1], [4000, 15_000, 25_000, 35_000, 45_000]);
}

#[test]
fn a_task_that_is_kept_from_running_is_late_too() {
    // A real-time task takes the CPU from 10 ms to 40 ms. The other one's point at 11 wakes it there,
    // and it runs at 40; the point of 21 is past then.
    let of = |mode: &str| {
        let timer = format!(r#""timer": {{ "ref": "unique", "period": 10000, "mode": "{mode}" }}"#);
        let tasks = format!(
            r#""a": {{ "run": 1000, {timer} }},
            "rt": {{ "policy": "SCHED_FIFO", "delay": 10000, "loop": 1, "run": 30000 }}"#
        );
        wakeups(&tasks, 75).remove(0).1
    };
    assert_eq!(of("relative"), [0, 11_000, 51_000, 61_000, 71_000]);
    // 21 and 31 are past at 41 and 42, and 41 at 43.
    assert_eq!(of("absolute"), [0, 11_000, 51_000, 61_000, 71_000]);
}
