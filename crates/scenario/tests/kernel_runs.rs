//! The kernel runs: every file is read, and the engine takes every variant of it.
//! The files are looked for in `../shared/kernel-runs` beside the project; where they are absent the
//! small one written here is all that is read.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use std::path::Path;
use std::sync::Arc;

use schedlab_scenario::kernel_runs::{KernelRun, measured_name, read};
use schedlab_sim::kernel::{CoreScheduling, Feature, PreemptionModel, Release, Tunable};
use schedlab_sim::{
    Birth, Length, Limit, PipeId, SemaphoreId, SiblingNumbering, Simulation, Step, TaskSpec, TemplateId,
};

/// A file of one variant with every kind of word; `smp`, the lines and the kernel are put in.
fn file(kernel: &str, smp: &str, lines: &str) -> String {
    let lines = lines.replace('\n', "\\n");
    format!(
        r#"{{ "scenario": "T", "kernel": "{kernel}", "note": "a test", "hz": 250, "smp": "{smp}", "duration_ms": 100,
        "features_written": "NO_WAKEUP_PREEMPTION", "tunables_written": {{ "migration_cost_ns": 400000 }},
        "spec": ["duration_ms 100\nphase_us 1000\nloops_per_us 1\n{lines}"],
        "guest": {{ "release": "x", "features": "NO_HRTICK SIS_UTIL", "nr_migrate": 32, "migration_cost_ns": 500000,
            "preempt": "none (voluntary) full" }},
        "runs": [{{ "window_s": [0.05, 0.1], "tick_phase_us": 1000, "switches_per_s": 520.0, "other_switches_in": 5,
            "idle_time_share": 0.25,
            "tasks": {{ "a": {{ "runtime_us": 1, "share_of_cpu": 0.5, "switches_in": 3, "preempted": 9,
                "preempted_by_other_tasks": 7, "voluntary": 1, "migrations": 0, "wake_delay_us": {{ "n": 0 }},
                "proc_sched_at_end": {{ "core_forceidle_sum": 2.5 }} }} }},
            "wakeups": {{ "n": 9, "placement": {{ "prev=waker busy": 1, "prev idle": 2, "other idle": 3,
                "busy chosen while an idle CPU existed": 4 }} }},
            "first_wakeups": [[3, 1, 2, "a", 1], [5, 0, null, "c0", 1], [9, 1, 3, "a", 1]],
            "first_wakeups_columns": ["us after T0", "cpu of the waker", "previous cpu", "task", "target cpu"] }}] }}"#
    )
}

fn run(kernel: &str, smp: &str, lines: &str) -> KernelRun {
    read(&file(kernel, smp, lines)).unwrap_or_else(|error| panic!("{error}"))
}

/// The steps of a task within its loop.
fn steps(task: &TaskSpec) -> &[Step] {
    let [Step::LoopStart { times: None, .. }, steps @ .., Step::LoopEnd { start: 0 }] = task.program.steps.as_slice()
    else {
        panic!("not one loop: {:?}", task.program.steps)
    };
    steps
}

#[test]
fn machine_and_kernel_are_those_of_the_guest() {
    let run = run("6.12core", "8,sockets=2,cores=2,threads=2", "pipes 0\ntask name=a start_us=0 prog=Z");
    assert_eq!((run.scenario.as_str(), run.kernel.as_str(), run.release), ("T", "6.12core", Release::V6_12Stable));
    let input = &run.variants[0].input;
    let machine = &input.machine;
    assert_eq!((machine.cpus(), machine.hz, machine.sibling_numbering), (8, 250, SiblingNumbering::Adjacent));
    assert_eq!((machine.llcs_per_node, machine.cores_per_llc, machine.threads_per_core), (2, 2, 2));
    // The README's costs: about 2.5 us from a wake-up to the run, 2 us more for a sleep.
    assert!(machine.wakeup_ns.abs_diff(2500) <= 100, "{}", machine.wakeup_ns);
    assert_eq!((machine.sleep_ns, machine.run_step_ns), (2000, 0));
    assert_eq!(machine.smt_speed_per_mille, 1000);
    let kernel = &input.kernel;
    assert_eq!(kernel.core_scheduling(), CoreScheduling::Mainline);
    assert_eq!(kernel.preemption(), PreemptionModel::Voluntary);
    assert!(!kernel.has(Feature::WakeupPreemption) && kernel.has(Feature::SisUtil));
    assert_eq!(kernel.tunable(Tunable::MigrationCost), 400_000);
}

#[test]
fn tasks_wake_at_their_time_on_their_cpu() {
    let lines =
        "task name=a start_us=0 nice=-5 cookie=3 slice_us=100 prog=Z\ntask name=b start_us=310 policy=batch prog=Y";
    let run = run("6.1", "4,sockets=1,cores=4,threads=1", lines);
    let variant = &run.variants[0];
    // 200 ms are a multiple of the tick; the phase follows.
    assert_eq!(variant.start_ns, 201_000_000);
    assert_eq!((variant.input.warmup_ns, variant.input.until_ns), (251_000_000, 301_000_000));
    let [a, b] = variant.input.tasks.as_slice() else { panic!("two tasks") };
    assert_eq!((a.start_ns, a.birth, a.previous_cpu), (201_000_000, Birth::Wake, 2));
    assert_eq!((a.nice, a.cookie, a.slice_ns), (-5, 3, Some(100_000)));
    assert_eq!((b.start_ns, b.policy, b.previous_cpu), (201_310_000, schedlab_sim::Policy::Batch, 0));
    // Older files have the CPU of the waker, which is that of the timer, and no other.
    let older = file("6.1", "4,sockets=1,cores=4,threads=1", lines).replace("previous cpu", "another column");
    assert_eq!(read(&older).unwrap().variants[0].input.tasks[0].previous_cpu, 1);
}

#[test]
fn words_become_steps() {
    let lines = "pipes 2\npipe_slots 8\ntask name=a start_us=0 prog=R500,U20,S300,W1,X0,Y";
    let one = run("6.1", "1", lines);
    let input = &one.variants[0].input;
    assert_eq!(input.objects.pipes, [8, 8]);
    let fixed = |us: u64| Length::Fixed(us * 1000);
    let expected = [
        // An instruction step costs 6 us more, a step by CPU time nothing.
        Step::Run(fixed(506)),
        Step::Run(fixed(20)),
        Step::Sleep(fixed(300)),
        Step::PipeWrite(PipeId(1)),
        Step::PipeRead(PipeId(0)),
        Step::Yield,
    ];
    assert_eq!(steps(&input.tasks[0]), expected);
    // Without CPU-time steps a message costs something too, and a round without any run step 6 us.
    let messages = run("6.1", "1", "pipes 2\ntask name=a start_us=0 prog=W0,X1");
    let round = steps(&messages.variants[0].input.tasks[0]);
    let [Step::Run(cost), Step::Run(write), Step::PipeWrite(PipeId(0)), Step::Run(read), Step::PipeRead(PipeId(1))] =
        round
    else {
        panic!("{round:?}")
    };
    assert_eq!((cost, write), (&fixed(6), read));
    // Beside one hog on another CPU instructions take twice as long.
    let two =
        run("6.1", "2,sockets=1,cores=2,threads=1", "task name=a start_us=0 prog=R500\ntask name=h start_us=0 prog=Z");
    assert_eq!(steps(&two.variants[0].input.tasks[0]), [Step::Run(fixed(1006))]);
}

#[test]
fn steps_are_as_long_as_they_really_were() {
    // Four steps of 20 us took 10 us more together: each is 2.5 us longer.
    let text = file("6.1", "1", "task name=a start_us=0 prog=U20,R20").replace(
        "\"voluntary\": 1,",
        "\"voluntary\": 1, \"run_steps\": { \"n\": 4, \"asked_us\": 80, \"forgiven_us\": 10 },",
    );
    let run = read(&text).unwrap_or_else(|error| panic!("{error}"));
    let expected = [Step::Run(Length::Fixed(22_500)), Step::Run(Length::Fixed(26_000))];
    assert_eq!(steps(&run.variants[0].input.tasks[0]), expected);
}

#[test]
fn random_lengths_are_drawn_beforehand() {
    let run = run("6.1", "1", "task name=a start_us=0 seed=1001 prog=u2000,s2000,r2000");
    let task = &run.variants[0].input.tasks[0];
    let [
        Step::Run(Length::Trace { lengths_ns: first, position: 0 }),
        Step::Sleep(Length::Trace { lengths_ns: second, position: 1 }),
        Step::Run(Length::Trace { lengths_ns: third, position: 2 }),
    ] = steps(task)
    else {
        panic!("{:?}", steps(task))
    };
    // The README's own numbers: 1863, 1772, 2805, 1320, 2227, 1709.
    assert_eq!((first[0], second[0], third[0]), (1_863_000, 1_772_000, 2_811_000));
    assert_eq!((first[1], second[1], third[1]), (1_320_000, 2_227_000, 1_715_000));
    assert_eq!(task.program.traces, 3);
    let total = |lengths: &Arc<[u64]>| lengths.iter().sum::<u64>();
    assert!(total(first) + total(second) + total(third) > 100_000_000, "enough for the run");
}

#[test]
fn forks_wait_for_all_children() {
    let lines = "child_us 500\ntask name=par start_us=0 prog=F3,S4000";
    let run = run("6.12", "2,sockets=1,cores=2,threads=1", lines);
    let input = &run.variants[0].input;
    let wait = Step::SemaphoreWait(SemaphoreId(0));
    let [forks @ .., Step::Sleep(_)] = steps(&input.tasks[0]) else { panic!("a sleep at the end") };
    // A fork costs the parent 150 us.
    let (cost, fork) = (Step::Run(Length::Fixed(150_000)), |number| Step::Fork(TemplateId(number)));
    let costs = || cost.clone();
    assert_eq!(forks, [costs(), fork(0), costs(), fork(1), costs(), fork(2), wait.clone(), wait.clone(), wait]);
    assert_eq!(
        input.templates[2].spec.program.steps,
        [Step::Run(Length::Fixed(500_000)), Step::SemaphorePost(SemaphoreId(0))]
    );
    let mut simulation = Simulation::new(input.clone()).unwrap();
    simulation.run_until(Limit::end()).unwrap();
    let names: Vec<String> =
        simulation.finish().tasks.iter().map(|task| measured_name(&task.name).to_owned()).collect();
    assert_eq!(names[..5], ["par", "c0", "c1", "c2", "c0"]);
}

#[test]
fn figures_are_those_of_the_file() {
    let run = run("6.1", "1", "task name=a start_us=0 prog=Z");
    let measured = &run.variants[0].measured;
    // Seven preemptions by others are told, and five switches to others happened.
    assert_eq!(measured.preempted_by_other_tasks(), 5);
    assert!((measured.own_switches_per_s() - 420.0).abs() < 1e-9);
    let placement = &measured.wakeups.as_ref().unwrap().placement;
    assert_eq!((placement.wakeups, placement.previous, placement.busy_while_idle), (6, [0, 2], 4));
    assert_eq!(measured.tasks["a"].forced_idle_ms(), Some(2.5));
}

#[test]
fn what_is_wrong_is_named() {
    for (kernel, smp, lines, expected) in [
        ("5.4", "1", "task name=a start_us=0 prog=Z", "kernel: expected a release that is modelled, not \"5.4\""),
        ("6.1", "3,sockets=2,cores=2", "", "smp: expected sockets, cores and threads that make the number of CPUs"),
        ("6.1", "0", "", "smp: expected a count from 1 to 1024, not \"0\""),
        ("6.1", "1", "task name=a start_us=0 prog=Q5", "spec[0], line 4: expected a word: Z"),
        ("6.1", "1", "task name=a start_us=0 prog=R", "spec[0], line 4: expected a number of microseconds, not `R`"),
        ("6.1", "1", "task name=a start_us=0 prog=s0", "expected a length above 0, where it is drawn, not `s0`"),
        ("6.1", "1", "pipes 1\ntask name=a start_us=0 prog=W1", "spec[0], task a: expected one of 1 pipes, not pipe 1"),
        ("6.1", "1", "task name=a start_us=-1 prog=Z", "spec[0], line 4: expected a whole number up to 1000000000"),
        ("6.1", "1", "task name=a nice=20 prog=Z", "spec[0], line 4: expected a nice value, -20 to 19, not `20`"),
        ("6.1", "1", "task name=a colour=red prog=Z", "spec[0], line 4: expected a known key of a task, not `colour`"),
        ("6.1", "1", "task name=a", "spec[0], line 4: expected a task with a name and a program"),
        ("6.1", "1", "dance 5", "spec[0], line 4: expected a known key, not `dance`"),
    ] {
        let message = read(&file(kernel, smp, lines)).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}\nexpected {expected}");
    }
    assert!(read("{}").unwrap_err().to_string().starts_with("not a kernel run: missing field"));
    let odd = file("6.12", "1", "task name=a prog=Z").replace("NO_WAKEUP_PREEMPTION", "LAST_BUDDY");
    assert!(read(&odd).unwrap_err().to_string().starts_with("features_written: 6.12-stable has no feature LAST_BUDDY"));
    let late = file("6.12", "1", "task name=a prog=Z").replace("[0.05, 0.1]", "[0.05, 0.2]");
    assert!(read(&late).unwrap_err().to_string().contains("runs[0].window_s: expected a window within the 100 ms"));
}

#[test]
fn every_shared_kernel_run_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/kernel-runs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no ../shared/kernel-runs beside the project");
        return;
    };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(!files.is_empty());
    for path in &files {
        let name = path.file_stem().unwrap().to_string_lossy();
        let run = read(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(format!("{}@{}", run.scenario, run.kernel), name);
        assert_eq!(run.variants.len(), 3, "{name}");
        for (variant, phase_us) in run.variants.iter().zip([1000, 2300, 3700]) {
            assert_eq!(variant.start_ns, 200_000_000 + phase_us * 1000, "{name}");
            assert_eq!(variant.measured.tick_phase_us, phase_us, "{name}");
            let forked = variant.input.templates.iter().map(|template| &template.spec.name);
            let mut tasks: Vec<&str> =
                variant.input.tasks.iter().map(|task| &task.name).chain(forked).map(String::as_str).collect();
            tasks.sort_unstable();
            assert_eq!(
                tasks,
                variant.measured.tasks.keys().collect::<Vec<_>>(),
                "{name}: the tasks that were measured"
            );
            Simulation::new(variant.input.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    println!("{} kernel runs were read", files.len());
}
