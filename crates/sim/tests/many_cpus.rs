//! What must hold on machines of several CPUs, tried on random ones, and what core scheduling does
//! in the cases that were run on real kernels. Not for fidelity: `schedlab conformance
//! --kernel-runs` compares with those runs.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use proptest::prelude::*;
use schedlab_sim::kernel::{CoreScheduling, FEATURES, Kernel, Release};
use schedlab_sim::{
    Bandwidth, Birth, Entry, GroupId, GroupSpec, IDLE, Input, Length, Limit, MAX_TASKS, Machine, Objects, PipeId,
    Policy, Program, Progress, Run, SemaphoreId, SiblingNumbering, Simulation, Step, TaskId, TaskSpec, Template,
    TemplateId,
};

const MS: u64 = 1_000_000;

fn endless(mut steps: Vec<Step>) -> Arc<Program> {
    let end = steps.len() as u32 + 1;
    steps.insert(0, Step::LoopStart { counter: 0, times: None, end });
    steps.push(Step::LoopEnd { start: 0 });
    Arc::new(Program { steps, loops: 1, ..Program::default() })
}

fn hog() -> Arc<Program> {
    endless(vec![Step::Run(Length::Fixed(1_000_000_000))])
}

fn machine(nodes: u32, llcs: u32, cores: u32, threads: u32) -> Machine {
    Machine {
        nodes,
        llcs_per_node: llcs,
        cores_per_llc: cores,
        threads_per_core: threads,
        sibling_numbering: SiblingNumbering::Adjacent,
        ..Machine::ideal(250)
    }
}

fn run(input: Input) -> Run {
    let mut simulation = Simulation::new(input).unwrap();
    assert_eq!(simulation.run_until(Limit::end()).unwrap(), Progress::Done);
    simulation.finish()
}

fn length() -> impl Strategy<Value = Length> {
    prop_oneof![
        (1u64..4_000_000).prop_map(Length::Fixed),
        (1u64..500_000, 0u64..3_000_000)
            .prop_map(|(least_ns, more)| Length::Uniform { least_ns, most_ns: least_ns + more }),
    ]
}

fn step(cpus: u32) -> impl Strategy<Value = Vec<Step>> {
    let pipe = PipeId(0);
    let subset = prop::collection::btree_set(0..cpus, 1..=cpus as usize);
    prop_oneof![
        4 => length().prop_map(|length| vec![Step::Run(length)]),
        3 => length().prop_map(|length| vec![Step::Sleep(length)]),
        1 => Just(vec![Step::Yield]),
        1 => (-20i8..20).prop_map(|nice| vec![Step::Nice(nice)]),
        1 => Just(vec![Step::SemaphorePost(SemaphoreId(0)), Step::SemaphoreWait(SemaphoreId(0))]),
        1 => Just(vec![Step::PipeWrite(pipe), Step::PipeRead(pipe)]),
        1 => (0u32..3).prop_map(|group| vec![Step::Move(group.checked_sub(1).map(GroupId))]),
        1 => (0u64..3).prop_map(|cookie| vec![Step::Cookie(cookie)]),
        1 => subset.prop_map(|cpus| vec![Step::Affinity(Some(cpus.into_iter().collect()))]),
        1 => (1u8..99).prop_map(|priority| {
            let attributes = |policy| Step::Attributes { policy, nice: 0, slice_ns: None };
            let run = Step::Run(Length::Fixed(300_000));
            vec![attributes(Policy::Fifo { priority }), run, attributes(Policy::Normal)]
        }),
    ]
}

fn task(cpus: u32) -> impl Strategy<Value = TaskSpec> {
    let policy = prop_oneof![4 => Just(Policy::Normal), 1 => Just(Policy::Batch), 1 => Just(Policy::Idle)];
    let pinned = prop::option::weighted(0.2, prop::collection::btree_set(0..cpus, 1..=cpus as usize));
    let steps = (prop::collection::vec(step(cpus), 1..6), 0usize..3);
    (steps, policy, -20i8..20, 0u64..9, 0u64..3, pinned, any::<bool>(), 0..cpus).prop_map(
        |((steps, forks), policy, nice, start, cookie, pinned, wake, previous_cpu)| {
            let mut steps: Vec<Step> = steps.into_iter().flatten().collect();
            steps.push(Step::Run(Length::Fixed(200_000)));
            let mut program = Program::clone(&endless(steps));
            // Forks come first, so that there are few.
            for step in &mut program.steps {
                match step {
                    Step::LoopStart { end, .. } => *end += forks as u32,
                    Step::LoopEnd { start } => *start += forks as u32,
                    _ => {}
                }
            }
            program.steps.splice(0..0, std::iter::repeat_n(Step::Fork(TemplateId(0)), forks));
            TaskSpec {
                policy,
                nice,
                cookie,
                start_ns: start * MS,
                birth: if wake { Birth::Wake } else { Birth::Fork },
                cpus: pinned.map(|cpus| cpus.into_iter().collect()),
                previous_cpu,
                working_set_kib: 100,
                ..TaskSpec::new("", Arc::new(program))
            }
        },
    )
}

fn input() -> impl Strategy<Value = Input> {
    let release = prop::sample::select(Release::MODELLED);
    let shape = (1u32..3, 1u32..3, 1u32..4, 1u32..4, any::<bool>());
    (release, shape, any::<u64>(), any::<u64>(), 0usize..4).prop_flat_map(|(release, shape, seed, flips, core)| {
        let (nodes, llcs, cores, threads, adjacent) = shape;
        let cpus = nodes * llcs * cores * threads;
        prop::collection::vec(task(cpus), 1..14).prop_map(move |tasks| {
            let mut kernel = Kernel::new(release, cpus);
            for info in FEATURES {
                if let Some(default) = info.feature.default_in(release)
                    && flips.rotate_left(info.feature as u32 * 5) & 7 == 0
                {
                    kernel.set_feature(info.feature, !default).unwrap();
                }
            }
            let scheduling = CoreScheduling::ALL[core];
            if scheduling.exists_in(release) {
                kernel.set_core_scheduling(scheduling).unwrap();
            }
            let machine = Machine {
                sibling_numbering: if adjacent { SiblingNumbering::Adjacent } else { SiblingNumbering::Split },
                smt_speed_per_mille: 600,
                capacities: if flips & 1 == 0 { Vec::new() } else { vec![1024, 512] },
                tick_phases_ns: if flips & 2 == 0 { Vec::new() } else { vec![0, 1_000_000, 2_500_000] },
                context_switch_ns: 1500 * (flips >> 2 & 1),
                wakeup_ns: 2500 * (flips >> 3 & 1),
                reschedule_ns: 2000 * (flips >> 4 & 1),
                jitter_ns: 500 * (flips >> 5 & 1),
                migration_ns: 3000,
                core_pick_ns: 2000 * (flips >> 12 & 1),
                ..machine(nodes, llcs, cores, threads)
            };
            let mut input = Input::new(kernel, machine, 80 * MS);
            input.seed = seed;
            input.record_budget = usize::MAX;
            input.objects = Objects { semaphores: 1, pipes: vec![2], ..Objects::default() };
            let group = |path: &str, parent, weight, max| GroupSpec {
                path: path.to_owned(),
                parent,
                weight,
                idle: false,
                latency_nice: 0,
                max,
            };
            let max = Bandwidth { quota_ns: 6 * MS, period_ns: 10 * MS, burst_ns: 0, phase_ns: 0 };
            input.groups = vec![
                group("/a", None, 100, (flips & 64 == 0).then_some(max)),
                group("/a/b", Some(GroupId(0)), 300, None),
            ];
            let child = Program { steps: vec![Step::Run(Length::Fixed(2 * MS))], ..Program::default() };
            let spec = TaskSpec::new("child", Arc::new(child));
            input.templates.push(Template { spec, first_number: 0 });
            for (index, mut task) in tasks.into_iter().enumerate() {
                task.name = format!("t{index}");
                task.identity = index as u64;
                input.tasks.push(task);
            }
            input
        })
    })
}

/// Goes through the record: time never goes back, no task is on two CPUs, and tasks that
/// may not run somewhere do not.
fn check_record(input: &Input, run: &Run) {
    let cpus = input.machine.cpus() as usize;
    let mut running = vec![IDLE; cpus];
    let (mut now, mut where_is) = (0, std::collections::BTreeMap::new());
    for entry in run.record.iter() {
        assert!(entry.at_ns() >= now, "time goes back at {now}");
        now = entry.at_ns();
        let Entry::Switch { cpu, prev, next, .. } = entry else { continue };
        let cpu = usize::from(cpu);
        assert_eq!(running[cpu], prev);
        if prev != IDLE {
            where_is.remove(&prev);
        }
        running[cpu] = next;
        if next != IDLE {
            assert_eq!(where_is.insert(next, cpu), None, "{next:?} runs twice at {now}");
            let spec = input.tasks.get(next.0 as usize);
            let may_change = |spec: &TaskSpec| spec.program.steps.iter().any(|step| matches!(step, Step::Affinity(_)));
            if let Some(spec) = spec.filter(|spec| !may_change(spec))
                && let Some(allowed) = &spec.cpus
            {
                assert!(allowed.contains(&(cpu as u32)), "{next:?} runs on CPU {cpu} at {now}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn books_add_up_and_nothing_runs_where_it_must_not(input in input()) {
        let cpus = u64::from(input.machine.cpus());
        let until = input.until_ns;
        let on = input.kernel.core_scheduling() != CoreScheduling::Off;
        let result = run(input.clone());
        let busy: u64 = result.cpus.iter().map(|cpu| cpu.busy_ns).sum();
        let idle: u64 = result.cpus.iter().map(|cpu| cpu.idle_ns).sum();
        prop_assert_eq!(busy + idle, cpus * until);
        prop_assert_eq!(busy, result.tasks.iter().map(|task| task.runtime_ns).sum::<u64>());
        for (cpu, result) in result.cpus.iter().enumerate() {
            prop_assert!(result.forced_idle_ns <= result.idle_ns, "CPU {}", cpu);
        }
        if cpus > 1 {
            for task in &result.tasks {
                prop_assert_eq!(task.runtime_ns, task.runtime_by_cpu_ns.iter().sum::<u64>());
                prop_assert!(task.migrations_at_wakeup <= task.migrations);
            }
        }
        if on {
            prop_assert_eq!(result.cookie_mix_ns, 0, "two cookies on one core");
        }
        check_record(&input, &result);
    }

    #[test]
    fn a_run_in_slices_is_the_same_run(input in input(), events in 1u64..500) {
        let whole = run(input.clone());
        let mut simulation = Simulation::new(input).unwrap();
        while simulation.run_until(Limit::events(events)).unwrap() == Progress::Running {}
        prop_assert_eq!(simulation.finish().hash, whole.hash);
    }

    /// Each task is asked for some work and then ends: what was done is what was asked, and the rest
    /// of the busy time is what was lost.
    #[test]
    fn work_done_is_work_asked_for(
        works in prop::collection::vec(1u64..20_000_000, 1..12),
        smt in 1u32..=1000,
        threads in 1u32..4,
        core in 0usize..2,
    ) {
        let mut kernel = Kernel::new(Release::V6_12, 2 * threads);
        kernel.set_core_scheduling(CoreScheduling::ALL[core]).unwrap();
        let machine = Machine { smt_speed_per_mille: smt, context_switch_ns: 700, core_pick_ns: 900, ..machine(1, 1, 2, threads) };
        let mut input = Input::new(kernel, machine, 1_000_000_000_000);
        for (index, work) in works.iter().enumerate() {
            let steps = vec![Step::Run(Length::Fixed(*work))];
            let program = Arc::new(Program { steps, ..Program::default() });
            let cookie = index as u64 % 3;
            input.tasks.push(TaskSpec { cookie, start_ns: index as u64 * 300_000, ..TaskSpec::new(&format!("t{index}"), program) });
        }
        let result = run(input);
        let sum = |part: fn(&schedlab_sim::CpuResult) -> u64| result.cpus.iter().map(part).sum::<u64>();
        let lost = sum(|cpu| cpu.lost_switch_ns) + sum(|cpu| cpu.lost_core_pick_ns) + sum(|cpu| cpu.lost_smt_ns);
        let done = sum(|cpu| cpu.busy_ns) - lost;
        // Whole nanoseconds: each change of speed and each end of work may round by one.
        let roundings = 4 * result.total_switches + 4;
        prop_assert!(done.abs_diff(works.iter().sum::<u64>()) <= roundings, "{} {:?}", done, works);
    }
}

fn hogs(release: Release, cpus: Machine, cookies: &[u64]) -> Input {
    let mut kernel = Kernel::new(release, cpus.cpus());
    kernel.set_core_scheduling(CoreScheduling::Mainline).unwrap();
    let mut input = Input::new(kernel, cpus, 3_000 * MS);
    for (index, cookie) in cookies.iter().enumerate() {
        let name = format!("t{index}");
        input.tasks.push(TaskSpec { cookie: *cookie, birth: Birth::Wake, ..TaskSpec::new(&name, hog()) });
    }
    input
}

/// M1_11 of the kernel runs: two cookies on one core alternate, and half of the time of both
/// threads together is forced idle.
#[test]
fn two_cookies_on_one_core_take_turns() {
    for release in Release::MODELLED.iter().copied().filter(|release| *release != Release::EevdfRfc) {
        let result = run(hogs(release, machine(1, 1, 1, 2), &[1, 2]));
        let forced: u64 = result.cpus.iter().map(|cpu| cpu.forced_idle_ns).sum();
        assert!(forced.abs_diff(3_000 * MS) < 30 * MS, "{}: {forced}", release.name());
        for task in &result.tasks {
            assert!(task.runtime_ns.abs_diff(1_500 * MS) < 90 * MS, "{}: {}", release.name(), task.runtime_ns);
        }
        assert_eq!(result.cookie_mix_ns, 0);
    }
}

/// M1_cookie: equal cookies pair up, and hardly any time is forced idle.
#[test]
fn equal_cookies_pair_up() {
    for release in [Release::V6_1, Release::V6_12Stable, Release::V7_3] {
        let result = run(hogs(release, machine(1, 1, 1, 2), &[1, 1, 2, 2]));
        let same = |a: TaskId, b: TaskId| a.0 / 2 == b.0 / 2;
        let paired: u64 =
            result.shared_cores.iter().filter(|pair| same(pair.first, pair.second)).map(|pair| pair.ns).sum();
        assert!(paired > 2_700 * MS, "{}: {paired}", release.name());
        assert_eq!(result.cookie_mix_ns, 0);
    }
}

/// A core-wide pick costs the task that its own CPU goes on with, and an idle CPU nothing.
#[test]
fn core_wide_picks_cost_those_who_run() {
    let lost = |core_pick_ns, core_scheduling| {
        let mut input = hogs(Release::V6_1, Machine { core_pick_ns, ..machine(1, 1, 1, 2) }, &[1, 2]);
        input.kernel.set_core_scheduling(core_scheduling).unwrap();
        let result = run(input);
        let lost: u64 = result.cpus.iter().map(|cpu| cpu.lost_core_pick_ns).sum();
        (lost, result.counters.core_pick, result.cpus.iter().map(|cpu| cpu.busy_ns).sum::<u64>())
    };
    for kind in [CoreScheduling::Mainline, CoreScheduling::RfcV4] {
        let (paid, picks, busy) = lost(2_000, kind);
        // Two cookies on one core: of the picks some leave the CPU that picks idle.
        assert!(0 < paid && paid <= 2_000 * picks && paid % 2_000 == 0, "{kind:?}: {paid} of {picks} picks");
        assert!(busy.abs_diff(3_000 * MS) < 30 * MS, "{kind:?}: {busy}");
        assert_eq!(lost(0, kind).0, 0);
    }
    assert_eq!(lost(2_000, CoreScheduling::Off).0, 0);
}

/// Without core scheduling cookies mean nothing: both hogs run all the time.
#[test]
fn without_core_scheduling_cookies_share_a_core() {
    let mut input = hogs(Release::V6_12, machine(1, 1, 1, 2), &[1, 2]);
    input.kernel.set_core_scheduling(CoreScheduling::Off).unwrap();
    let result = run(input);
    assert!(result.cookie_mix_ns > 2_990 * MS);
    assert_eq!(result.cpus.iter().map(|cpu| cpu.forced_idle_ns).sum::<u64>(), 0);
}

/// As many hogs as CPUs: soon each has one and none is ever idle again.
#[test]
fn balancing_leaves_no_cpu_idle_beside_hogs() {
    for release in Release::MODELLED {
        for shape in [machine(1, 1, 4, 1), machine(1, 2, 2, 2), machine(2, 1, 2, 2)] {
            let mut input = Input::new(Kernel::new(*release, shape.cpus()), shape.clone(), 3_000 * MS);
            input.warmup_ns = 1_000 * MS;
            for index in 0..shape.cpus() {
                input.tasks.push(TaskSpec { birth: Birth::Wake, ..TaskSpec::new(&format!("t{index}"), hog()) });
            }
            let result = run(input);
            let idle: u64 = result.cpus.iter().map(|cpu| cpu.idle_ns).sum();
            assert_eq!(idle, 0, "{} on {shape:?}", release.name());
            assert_eq!(result.work_conservation.gap_ns, 0);
        }
    }
}

/// Two sleepers in a pipe stay on one CPU when all others have work (P7 of the kernel runs).
#[test]
fn pipe_pairs_stay_together() {
    for release in [Release::V6_1, Release::V6_12Stable] {
        let mut input = Input::new(Kernel::new(release, 4), machine(1, 1, 4, 1), 1_000 * MS);
        input.warmup_ns = 200 * MS;
        input.objects = Objects { pipes: vec![8; 4], ..Objects::default() };
        for pair in 0..4 {
            let work = || Step::Run(Length::Fixed(20_000));
            for (name, steps) in
                [("w", vec![work(), Step::PipeWrite(PipeId(pair))]), ("r", vec![Step::PipeRead(PipeId(pair)), work()])]
            {
                let task = TaskSpec::new(&format!("{name}{pair}"), endless(steps));
                input.tasks.push(TaskSpec { birth: Birth::Wake, previous_cpu: pair, ..task });
            }
        }
        let result = run(input);
        let moves: u64 = result.tasks.iter().map(|task| task.migrations).sum();
        assert!(moves < 20, "{}: {moves}", release.name());
    }
}

/// Half as many threads at full speed are what `nosmt` leaves, so it must equal a machine without
/// siblings; with siblings at half speed each the same hogs get as much done.
#[test]
fn siblings_at_half_speed_do_what_one_thread_does() {
    let work = |threads: u32, hogs: u32| {
        let shape = Machine { smt_speed_per_mille: 500, ..machine(1, 1, 2, threads) };
        let mut input = Input::new(Kernel::new(Release::V6_12, 2), shape, 1_500 * MS);
        // Both begin on one core until the first balance.
        input.warmup_ns = 500 * MS;
        for index in 0..hogs {
            input.tasks.push(TaskSpec { birth: Birth::Wake, ..TaskSpec::new(&format!("t{index}"), hog()) });
        }
        let result = run(input);
        result.cpus.iter().map(|cpu| cpu.busy_ns - cpu.lost_smt_ns).sum::<u64>()
    };
    assert!(work(2, 4).abs_diff(work(1, 4)) < 10 * MS);
    assert!(work(2, 2) > 1_990 * MS);
}

/// Several readers and writers asleep on one pipe: each that gets through wakes the next, so that no
/// message and nobody is forgotten.
#[test]
fn nobody_is_forgotten_at_a_pipe() {
    for (readers, writers) in [(4, 1), (1, 4), (3, 3)] {
        let mut input = Input::new(Kernel::new(Release::V6_12, 4), machine(1, 1, 4, 1), 1_000 * MS);
        input.objects = Objects { pipes: vec![2], ..Objects::default() };
        let messages = 1_200;
        let repeat = |times: u64, step: Step, work: u64| {
            let run = Step::Run(Length::Fixed(work));
            let steps =
                vec![Step::LoopStart { counter: 0, times: Some(times), end: 3 }, step, run, Step::LoopEnd { start: 0 }];
            Arc::new(Program { steps, loops: 1, ..Program::default() })
        };
        for index in 0..writers {
            let program = repeat(messages / writers, Step::PipeWrite(PipeId(0)), 20_000);
            input.tasks.push(TaskSpec::new(&format!("w{index}"), program));
        }
        for index in 0..readers {
            let program = repeat(messages / readers, Step::PipeRead(PipeId(0)), 50_000);
            input.tasks.push(TaskSpec::new(&format!("r{index}"), program));
        }
        let result = run(input);
        let work: u64 = result.tasks.iter().map(|task| task.runtime_ns).sum();
        assert_eq!(work, messages * 70_000, "{readers} readers, {writers} writers");
    }
}

/// Forks on an idle machine go where [`Machine::fork_order`] says: as many on each core at each time.
#[test]
fn forks_fill_an_idle_machine_in_the_order_that_is_told() {
    for numbering in [SiblingNumbering::Adjacent, SiblingNumbering::Split] {
        let shape = Machine { sibling_numbering: numbering, ..machine(1, 2, 3, 2) };
        let core = |cpu: u32| if numbering == SiblingNumbering::Adjacent { cpu / 2 } else { cpu % 6 };
        let order = shape.fork_order();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..12).collect::<Vec<u32>>());
        for release in [Release::V6_1, Release::V6_12Stable, Release::V7_3] {
            let mut input = Input::new(Kernel::new(release, 12), shape.clone(), 12 * MS);
            input.record_budget = 100;
            for index in 0..12 {
                input.tasks.push(TaskSpec { start_ns: index * 1_000, ..TaskSpec::new(&format!("t{index}"), hog()) });
            }
            let result = run(input);
            let forks = result.record.iter().filter_map(|entry| match entry {
                Entry::Fork { cpu, .. } => Some(u32::from(cpu)),
                _ => None,
            });
            let chosen: Vec<u32> = forks.collect();
            assert_eq!(chosen.len(), 12);
            for count in [6, 12] {
                let cores = |cpus: &[u32]| {
                    let mut cores: Vec<u32> = cpus[..count].iter().map(|cpu| core(*cpu)).collect();
                    cores.sort_unstable();
                    cores
                };
                assert_eq!(cores(&chosen), cores(&order), "{} {count}", release.name());
            }
        }
    }
}

/// More children than a run may have tasks: those that have exited make room, and no work is lost.
#[test]
fn a_child_takes_the_place_of_one_that_has_exited() {
    let children = MAX_TASKS as u64 + 5_000;
    for (release, cpus) in [(Release::V6_5, 1), (Release::V6_12, 4), (Release::V7_3, 4)] {
        let mut input = Input::new(Kernel::new(release, cpus), machine(1, 1, cpus, 1), 2_000 * MS);
        let run_for = |ns| Step::Run(Length::Fixed(ns));
        let once = Program { steps: vec![run_for(10_000)], ..Program::default() };
        let spec = TaskSpec::new("child", Arc::new(once));
        input.templates.push(Template { spec, first_number: 0 });
        let start = Step::LoopStart { counter: 0, times: Some(children), end: 3 };
        let steps = vec![start, Step::Fork(TemplateId(0)), run_for(20_000), Step::LoopEnd { start: 0 }];
        input.tasks.push(TaskSpec::new("parent", Arc::new(Program { steps, loops: 1, ..Program::default() })));
        let result = run(input);
        assert!(result.tasks.len() <= MAX_TASKS);
        let of_children = &result.tasks[1..];
        assert_eq!(of_children.iter().map(|task| task.lives).sum::<u64>(), children, "{release:?}");
        assert_eq!(of_children.iter().map(|task| task.runtime_ns).sum::<u64>(), children * 10_000, "{release:?}");
    }
}
