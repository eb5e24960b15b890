//! What a document says of machine, CPUs, cookies and pipes, seen in runs of it on several CPUs.
//! Not for single decisions of placement and balancing: the engine's own tests and the kernel runs
//! have those.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use schedlab_scenario::{Scenario, open};
use schedlab_sim::kernel::{CoreScheduling, Release};
use schedlab_sim::{Limit, Run, Simulation};

const MS: u64 = 1_000_000;

fn scenario(text: &str) -> Scenario {
    open(text).unwrap_or_else(|problems| panic!("{}", problems[0])).scenario
}

fn run(scenario: &Scenario) -> Run {
    let mut simulation = Simulation::new(scenario.prepare(0).unwrap().input).unwrap();
    simulation.run_until(Limit::end()).unwrap();
    simulation.finish()
}

/// The run in every release that is modelled.
fn in_every_release(text: &str, check: impl Fn(&Run, &str)) {
    let mut scenario = scenario(text);
    for &release in Release::MODELLED {
        scenario.kernel.release = release;
        if scenario.kernel.core_sched.exists_in(release) {
            check(&run(&scenario), release.name());
        }
    }
}

/// The CPUs on which a task ran.
fn ran_on(run: &Run, name: &str) -> Vec<usize> {
    let task = run.tasks.iter().find(|task| task.name == name).unwrap_or_else(|| panic!("no task {name}"));
    let by_cpu = task.runtime_by_cpu_ns.iter().enumerate();
    by_cpu.filter(|(_, ns)| **ns > 0).map(|(cpu, _)| cpu).collect()
}

#[test]
fn tasks_stay_on_the_cpus_that_they_and_their_groups_name() {
    let text = r#"{ "schema": 1, "machine": { "cores_per_llc": 4 }, "run": { "duration_ms": 300 },
        "groups": { "/low": { "cpus": [0, 1] } },
        "workload": { "tasks": {
            "hogs": { "instance": 6, "run": 3000, "sleep": 100 },
            "pinned": { "cpus": [2], "run": 700, "sleep": 300 },
            "in a group": { "taskgroup": "/low", "run": 700, "sleep": 300 },
            "both": { "taskgroup": "/low", "cpus": [1, 2, 3], "run": 700, "sleep": 300 },
            "moves": { "cpus": [3], "loop": 1, "phases": {
                "there": { "loop": 50, "run": 400, "sleep": 100 },
                "here": { "cpus": [0], "loop": 50, "run": 400, "sleep": 100 } } } } } }"#;
    in_every_release(text, |run, release| {
        assert_eq!(ran_on(run, "pinned"), [2], "{release}");
        assert_eq!(ran_on(run, "both"), [1], "{release}");
        assert!(ran_on(run, "in a group").iter().all(|cpu| *cpu < 2), "{release}: {:?}", ran_on(run, "in a group"));
        assert!(ran_on(run, "moves").iter().all(|cpu| [0, 3].contains(cpu)), "{release}");
        assert!(ran_on(run, "moves").contains(&0), "{release}: it came to its second phase");
        let pinned = run.tasks.iter().find(|task| task.name == "pinned").unwrap();
        assert_eq!(pinned.runtime_by_cpu_ns.iter().sum::<u64>(), pinned.runtime_ns, "{release}");
    });
}

#[test]
fn nosmt_is_half_the_threads_at_full_speed() {
    let text = |machine: &str, kernel: &str| {
        format!(
            r#"{{ "schema": 1, "machine": {{ "cores_per_llc": 2, {machine} }}, "kernel": {{ {kernel} }},
            "run": {{ "duration_ms": 200 }}, "workload": {{ "tasks": {{
                "a": {{ "instance": 3, "run": {{ "exp": 900 }}, "sleep": {{ "exp": 500 }} }} }} }} }}"#
        )
    };
    for &release in Release::MODELLED {
        let of = |machine: &str, kernel: &str| {
            let mut scenario = scenario(&text(machine, kernel));
            scenario.kernel.release = release;
            run(&scenario).hash
        };
        let off = of(r#""threads_per_core": 2, "smt_speed": 500"#, r#""nosmt": true"#);
        assert_eq!(off, of(r#""threads_per_core": 1"#, ""), "{}", release.name());
        assert_ne!(off, of(r#""threads_per_core": 2, "smt_speed": 500"#, ""), "{}", release.name());
    }
}

/// How long the operation of a document took at most, nanoseconds.
fn longest_operation(text: &str) -> u64 {
    run(&scenario(text)).operations[0].latency.max_ns()
}

#[test]
fn siblings_and_small_cpus_stretch_work() {
    let of = |machine: &str, cpus: &[u32]| {
        let task = |cpu: &u32| {
            format!(r#""on {cpu}": {{ "cpus": [{cpu}], "loop": 1, "op_begin": "x", "run": 6000, "op_end": "x" }}"#)
        };
        let tasks: Vec<String> = cpus.iter().map(task).collect();
        let tasks = tasks.join(",");
        longest_operation(&format!(
            r#"{{ "schema": 1, "machine": {{ {machine} }}, "workload": {{ "tasks": {{ {tasks} }} }} }}"#
        ))
    };
    let smt = r#""threads_per_core": 2, "smt_speed": 600"#;
    assert_eq!(of(smt, &[0]), 6 * MS, "alone on its core");
    assert_eq!(of(smt, &[0, 1]), 10 * MS, "at 600 per mille beside each other");
    let split = r#""cores_per_llc": 2, "threads_per_core": 2, "smt_speed": 600"#;
    assert_eq!(of(split, &[0, 1]), 6 * MS, "first threads of two cores");
    assert_eq!(of(split, &[0, 2]), 10 * MS, "both threads of one core");
    let adjacent = r#""cores_per_llc": 2, "threads_per_core": 2, "smt_speed": 600, "sibling_numbering": "adjacent""#;
    assert_eq!(of(adjacent, &[0, 2]), 6 * MS);
    assert_eq!(of(adjacent, &[0, 1]), 10 * MS);
    assert_eq!(of(r#""capacities": [512]"#, &[0]), 12 * MS, "on half a CPU");
}

#[test]
fn a_full_pipe_holds_its_writer_back() {
    let text = r#"{ "schema": 1, "machine": { "cores_per_llc": 2 }, "run": { "duration_ms": 500 },
        "workload": { "tasks": {
            "writer": { "op_begin": "w", "run": 100, "pipe_write": { "ref": "p", "capacity": 7 }, "op_end": "w" },
            "reader": { "op_begin": "r", "pipe_read": "p", "run": 1000, "op_end": "r" } } } }"#;
    in_every_release(text, |run, release| {
        let (written, read) = (run.operations[0].latency.count(), run.operations[1].latency.count());
        assert!(read.abs_diff(499) <= 1, "{release}: {read} read");
        // Seven lie in the pipe, and one is in the reader's hands.
        assert!((7..=8).contains(&(written - read)), "{release}: {written} written, {read} read");
    });
}

#[test]
fn two_cookies_on_one_core_take_turns() {
    let text = |cookies: [u64; 2]| {
        format!(
            r#"{{ "schema": 1, "machine": {{ "threads_per_core": 2 }}, "run": {{ "duration_ms": 1000 }},
            "kernel": {{ "core_sched": "mainline" }}, "workload": {{ "tasks": {{
                "a": {{ "cookie": {}, "run": 1000000 }}, "b": {{ "cookie": {}, "run": 1000000 }} }} }} }}"#,
            cookies[0], cookies[1]
        )
    };
    let shares = |run: &Run| run.tasks.iter().map(|task| task.runtime_ns / MS).collect::<Vec<_>>();
    in_every_release(&text([1, 2]), |run, release| {
        let shares = shares(run);
        assert!(shares.iter().all(|ms| ms.abs_diff(500) <= 25), "{release}: {shares:?}");
        let forced: u64 = run.cpus.iter().map(|cpu| cpu.forced_idle_ns / MS).sum();
        assert!(forced.abs_diff(1000) <= 25, "{release}: {forced} ms of 2000 forced idle");
        assert_eq!(run.cookie_mix_ns, 0, "{release}");
    });
    in_every_release(&text([3, 3]), |run, release| {
        assert!(shares(run).iter().all(|ms| *ms >= 999), "{release}: {:?}", shares(run));
        assert_eq!(run.cpus.iter().map(|cpu| cpu.forced_idle_ns).sum::<u64>(), 0, "{release}");
    });
}

#[test]
fn a_cookie_can_change_on_the_way() {
    // After 100 ms of its own run time `b` takes the cookie of `a`, and they share the core.
    let text = r#"{ "schema": 1, "machine": { "threads_per_core": 2 }, "run": { "duration_ms": 1000 },
        "kernel": { "core_sched": "mainline" }, "workload": { "tasks": {
            "a": { "cookie": 1, "run": 1000000 },
            "b": { "cookie": 2, "loop": 1, "run": 100000, "cookie1": 1, "run1": 1000000 } } } }"#;
    in_every_release(text, |run, release| {
        let [a, b] = [0, 1].map(|task: usize| run.tasks[task].runtime_ns / MS);
        // 200 ms in turns, then 800 ms each.
        assert!(a.abs_diff(900) <= 25 && b.abs_diff(900) <= 25, "{release}: {a} and {b} ms");
        assert_eq!(run.cookie_mix_ns, 0, "{release}");
    });
}

#[test]
fn every_core_scheduler_keeps_cookies_apart() {
    let text = r#"{ "schema": 1, "machine": { "cores_per_llc": 2, "threads_per_core": 2 }, "run": { "duration_ms": 300 },
        "workload": { "tasks": {
            "a": { "instance": 4, "cookie": 1, "run": { "exp": 800 }, "sleep": { "exp": 600 } },
            "b": { "instance": 4, "cookie": 2, "run": { "exp": 800 }, "sleep": { "exp": 600 } },
            "none": { "instance": 2, "run": { "exp": 300 }, "sleep": { "exp": 900 } } } } }"#;
    let mut scenario = scenario(text);
    for &release in Release::MODELLED {
        for kind in CoreScheduling::ALL.into_iter().filter(|kind| kind.exists_in(release)) {
            (scenario.kernel.release, scenario.kernel.core_sched) = (release, kind);
            let mixed = run(&scenario).cookie_mix_ns;
            let apart = kind != CoreScheduling::Off;
            assert_eq!(mixed == 0, apart, "{} {}: {mixed} ns mixed", release.name(), kind.name());
        }
    }
}
