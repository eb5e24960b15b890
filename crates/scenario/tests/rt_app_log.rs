//! rt-app's log of a run: the columns, checked by hand, and that writing it changes no run.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use std::path::Path;

use schedlab_scenario::{LogLine, Scenario, TaskLog, open};
use schedlab_sim::{Limit, Run, Simulation};

fn run(input: schedlab_sim::Input) -> Run {
    let mut simulation = Simulation::new(input).unwrap();
    simulation.run_until(Limit::end()).unwrap();
    simulation.finish()
}

fn logs(text: &str) -> Vec<TaskLog> {
    let scenario = open(text).unwrap_or_else(|problems| panic!("{}", problems[0])).scenario;
    let (prepared, plan) = scenario.prepare_logged(0).unwrap();
    plan.logs(&run(prepared.input))
}

/// idx, run, period, start, slack, c_duration, c_period, wu_lat.
fn columns(line: &LogLine) -> (usize, u64, u64, u64, i64, u64, u64, u64) {
    assert_eq!((line.rel_st, line.end), (line.start, line.start + line.period));
    (line.idx, line.run, line.period, line.start, line.slack, line.c_duration, line.c_period, line.wu_lat)
}

#[test]
fn a_lonely_task_meets_its_timer() {
    let text = r#"{ "global": { "duration": 1, "calibration": 250 }, "tasks": { "a": { "priority": -5,
        "loop": 3, "run": 2000, "sleep": 1000, "run1": 500, "timer": { "ref": "unique", "period": 10000 } } } }"#;
    let logs = logs(text);
    assert_eq!(logs[0].name, "a");
    assert_eq!((logs[0].policy.name(), logs[0].priority), ("SCHED_OTHER", -5));
    let lines: Vec<_> = logs[0].lines.iter().map(columns).collect();
    // The first use of the timer, at 3.5 ms, sets its origin: the point is at 13.5 ms.
    assert_eq!(
        lines,
        [
            (0, 2500, 13_500, 0, 10_000, 2500, 10_000, 0),
            (0, 2500, 10_000, 13_500, 6500, 2500, 10_000, 0),
            (0, 2500, 10_000, 23_500, 6500, 2500, 10_000, 0),
        ]
    );
    assert_eq!(logs[0].lines[0].perf, 10_000, "2500 us in loops of 250 ns");
    let expected = "# Task : a\n# Policy : SCHED_OTHER priority : -5\n\
        #idx     perf      run   period           start             end          rel_st      slack c_duration   c_period     wu_lat\n   \
        0    10000     2500    13500               0           13500               0      10000       2500      10000          0\n";
    assert!(logs[0].to_string().starts_with(expected), "{}", logs[0]);
}

#[test]
fn waits_count_as_run_and_as_wake_up_latency() {
    // The real-time task runs from 10 to 12 ms: a wake-up at 10.5 waits for its end.
    let text = r#"{ "global": { "duration": 1 }, "tasks": {
        "late": { "loop": 2, "run": 500, "timer": { "ref": "unique", "period": 10000 } },
        "rt": { "policy": "SCHED_FIFO", "priority": 20, "delay": 10000, "loop": 1, "run": 2000 } } }"#;
    let logs = logs(text);
    let lines: Vec<_> = logs[0].lines.iter().map(columns).collect();
    // Woken at 10.5, on the CPU at 12: 1.5 ms late.
    assert_eq!(lines[0], (0, 500, 12_000, 0, 10_000, 500, 10_000, 1500));
    assert_eq!(lines[1], (0, 500, 8500, 12_000, 8000, 500, 10_000, 0));
    assert_eq!(columns(&logs[1].lines[0]), (0, 2000, 2000, 10_000, 0, 2000, 0, 0));
    assert_eq!((logs[1].policy.name(), logs[1].priority), ("SCHED_FIFO", 20));
}

#[test]
fn a_timer_that_is_past_leaves_no_slack() {
    let timers = |global: &str| {
        format!(
            r#"{{ "global": {{ "duration": 1 {global} }}, "tasks": {{ "a": {{ "loop": 1, "phases": {{
            "short": {{ "run": 1000, "timer": {{ "ref": "unique", "period": 5000 }} }},
            "long": {{ "loop": 2, "run": 7000, "timer": {{ "ref": "unique", "period": 5000 }}, "run1": 100,
                "timer1": {{ "ref": "unique", "period": 4000 }} }} }} }} }} }}"#
        )
    };
    let log = logs(&timers("")).remove(0);
    let lines: Vec<_> = log.lines.iter().map(columns).collect();
    assert_eq!(lines[0], (0, 1000, 6000, 0, 5000, 1000, 5000, 0));
    // At 13 ms the point of 11 is past by 2 ms; the timer goes on from 13 and is met at 17.
    assert_eq!(lines[1], (1, 7100, 11_000, 6000, 3900, 7100, 9000, 0));
    assert_eq!(lines[2], (1, 7100, 11_000, 17_000, 3900, 7100, 9000, 0));
    let log = logs(&timers(r#", "cumulative_slack": true"#)).remove(0);
    assert_eq!(log.lines[1].slack, 3900 - 2000);
    // Those two are the missed deadlines of the five.
    let result = run(schedlab_scenario::open(&timers(""))
        .unwrap()
        .scenario
        .variant(0)
        .unwrap()
        .scenario
        .prepare(0)
        .unwrap()
        .input);
    assert_eq!((result.tasks[0].timer_periods, result.tasks[0].missed_deadlines), (5, 2));
}

#[test]
fn phases_instances_and_forks_have_their_lines() {
    let text = r#"{ "global": { "duration": 1 }, "tasks": {
        "two": { "instance": 2, "loop": 2, "phases": { "a": { "loop": 3, "run": 100, "sleep": 50 }, "b": { "run": 10 } } },
        "parent": { "loop": 1, "run": 10, "fork": "child" },
        "child": { "instance": 0, "loop": 1, "run": 77 },
        "endless": { "run": 2000000 } } }"#;
    let logs = logs(text);
    let names: Vec<&str> = logs.iter().map(|log| log.name.as_str()).collect();
    assert_eq!(names, ["two-0", "two-1", "parent", "endless", "child-0"]);
    let phases: Vec<usize> = logs[0].lines.iter().map(|line| line.idx).collect();
    assert_eq!(phases, [0, 0, 0, 1, 0, 0, 0, 1]);
    assert_eq!(logs[4].lines[0].c_duration, 77);
    assert_eq!(logs[3].lines, [], "the end of the run cuts its phase off");
}

#[test]
fn a_logged_run_is_the_same_run() {
    let same = |scenario: &Scenario| {
        let plain = run(scenario.prepare(0).unwrap().input);
        let (prepared, _) = scenario.prepare_logged(0).unwrap();
        let logged = run(prepared.input);
        assert_eq!((plain.hash, plain.total_switches), (logged.hash, logged.total_switches));
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rt-app-examples");
    let mut compared = 0;
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "json") {
            let opened = open(&std::fs::read_to_string(entry.path()).unwrap()).unwrap();
            (0..2).for_each(|index| same(&opened.scenario.variant(index).unwrap().scenario));
            compared += 1;
        }
    }
    println!("{compared} examples of rt-app were compared");
    let text = r#"{ "schema": 1, "machine": { "cores_per_llc": 2, "threads_per_core": 2, "smt_speed": 600, "wakeup_ns": 1000 },
        "workload": { "tasks": {
            "a": { "instance": 5, "run": { "exp": 300 }, "pipe_write": "p", "sleep": { "uniform": [100, 900] } },
            "b": { "instance": 3, "pipe_read": "p", "run": { "exp": 800 }, "lock": "m", "run1": 50, "unlock": "m" } } } }"#;
    same(&open(text).unwrap().scenario);
}
