//! What must hold for every scenario on every release, tried on random ones.
//! Not for exactness: the golden traces are in `crates/scenario/tests/golden.rs`.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use proptest::prelude::*;
use schedlab_sim::kernel::{Class, FEATURES, Feature, Kernel, Release, Tunable};
use schedlab_sim::{
    Birth, Checkpoints, ConditionId, Counters, Entry, GroupId, GroupSpec, IDLE, Input, Length, Limit, Machine,
    MomentKind, MutexId, Objects, Policy, Program, Progress, Reason, Run, SemaphoreId, Simulation, Step, SuspensionId,
    TaskId, TaskSpec, TaskState, VirtualPlace, Who,
};

fn length() -> impl Strategy<Value = Length> {
    prop_oneof![
        (1u64..5_000_000).prop_map(Length::Fixed),
        (1u64..3_000_000).prop_map(|mean_ns| Length::Exponential { mean_ns }),
        (1u64..1_000_000, 0u64..4_000_000)
            .prop_map(|(least_ns, more)| Length::Uniform { least_ns, most_ns: least_ns + more }),
    ]
}

/// A few steps that always use time.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let own = SuspensionId(0);
    let step = prop_oneof![
        4 => length().prop_map(|length| vec![Step::Run(length)]),
        3 => length().prop_map(|length| vec![Step::Sleep(length)]),
        1 => length().prop_map(|length| vec![Step::Runtime(length)]),
        1 => Just(vec![Step::Yield]),
        1 => (-20i8..20).prop_map(|nice| vec![Step::Nice(nice)]),
        1 => length().prop_map(|length| vec![Step::Lock(MutexId(0)), Step::Run(length), Step::Unlock(MutexId(0))]),
        1 => Just(vec![Step::SemaphorePost(SemaphoreId(0)), Step::SemaphoreWait(SemaphoreId(0))]),
        1 => Just(vec![Step::Resume(own), Step::Broadcast(ConditionId(0))]),
        1 => (0u32..3).prop_map(|group| vec![Step::Move(group.checked_sub(1).map(GroupId))]),
    ];
    (prop::collection::vec(step, 1..6), length()).prop_map(|(parts, last)| {
        let mut steps: Vec<Step> = parts.into_iter().flatten().collect();
        steps.push(Step::Run(last));
        steps
    })
}

fn task() -> impl Strategy<Value = TaskSpec> {
    let policy = prop_oneof![4 => Just(Policy::Normal), 1 => Just(Policy::Batch), 1 => Just(Policy::Idle)];
    let slice = prop::option::of(100_000u64..10_000_000);
    (steps(), policy, -20i8..20, slice, 0u64..20_000_000, any::<bool>(), any::<bool>()).prop_map(
        |(mut steps, policy, nice, slice_ns, start_ns, wake, endless)| {
            if endless {
                let end = steps.len() as u32 + 1;
                steps.insert(0, Step::LoopStart { counter: 0, times: None, end });
                steps.push(Step::LoopEnd { start: 0 });
            }
            let program = Program { steps, loops: 1, ..Program::default() };
            TaskSpec {
                policy,
                nice,
                slice_ns,
                start_ns,
                birth: if wake { Birth::Wake } else { Birth::Fork },
                ..TaskSpec::new("", Arc::new(program))
            }
        },
    )
}

fn input() -> impl Strategy<Value = Input> {
    let release = prop::sample::select(Release::MODELLED);
    let hz = prop::sample::select(vec![100u32, 250, 300, 1000]);
    (release, hz, prop::collection::vec(task(), 1..9), any::<u64>(), any::<u64>(), 0u64..60).prop_map(
        |(release, hz, tasks, seed, flips, warmup)| {
            let mut kernel = Kernel::new(release, 8);
            for info in FEATURES {
                // One flag in eight is turned round.
                if let Some(default) = info.feature.default_in(release)
                    && flips.rotate_left(info.feature as u32 * 5) & 7 == 0
                {
                    kernel.set_feature(info.feature, !default).unwrap();
                }
            }
            let mut input = Input::new(kernel, Machine::ideal(hz), 120_000_000);
            input.seed = seed;
            input.warmup_ns = warmup * 1_000_000;
            input.record_budget = usize::MAX;
            let locks_barge = seed & 1 == 1;
            input.objects =
                Objects { mutexes: 1, locks_barge, conditions: 1, semaphores: 1, suspensions: 1, ..Objects::default() };
            let group = |path: &str, parent, weight| GroupSpec {
                path: path.to_owned(),
                parent,
                weight,
                idle: false,
                latency_nice: 0,
                max: None,
            };
            input.groups = vec![group("/a", None, 100), group("/a/b", Some(GroupId(0)), 300)];
            for (index, mut task) in tasks.into_iter().enumerate() {
                task.name = format!("t{index}");
                task.identity = index as u64;
                input.tasks.push(task);
            }
            input
        },
    )
}

/// The widest lag a task of this input may be left with (§4.3, current-kernels §2.3), nanoseconds of
/// virtual time.
fn lag_limit(input: &Input, task: &TaskSpec) -> i64 {
    let release = input.kernel.release();
    let base = input.kernel.tunable(Tunable::BaseSlice);
    let custom = release >= Release::V6_12;
    let slice = |task: &TaskSpec| task.slice_ns.filter(|_| custom).unwrap_or(base).max(100_000);
    let tick = input.machine.tick_ns();
    let largest = input.tasks.iter().map(slice).max().unwrap_or(base);
    let wall = match release {
        Release::V6_18 | Release::V7_0 | Release::V7_1 | Release::V7_2 | Release::V7_3 => largest + tick,
        _ => (2 * slice(task)).max(tick),
    };
    // Virtual time runs faster by 1024 over the weight; a task that changes its nice value may have
    // any weight, and in 7.3 one that changes its group too.
    let varies = |step: &Step| match step {
        Step::Nice(_) => true,
        Step::Move(_) => release == Release::V7_3,
        _ => false,
    };
    let stretch = match task.policy {
        _ if release == Release::V7_3 && task.program.steps.iter().any(varies) => 1 << 20,
        Policy::Idle => 342,
        _ if task.nice == 0 && !task.program.steps.iter().any(varies) => 1,
        _ => 69,
    };
    (wall * stretch) as i64 + 1
}

fn run(input: Input) -> Run {
    let mut simulation = Simulation::new(input).unwrap();
    assert_eq!(simulation.run_until(Limit::end()).unwrap(), Progress::Done);
    simulation.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Time never goes back; one task a CPU; the CPU is never idle with a runnable task; a switch
    /// leaves who came last.
    #[test]
    fn the_record_tells_a_possible_story(input in input()) {
        let run = run(input);
        let (mut last, mut running) = (0, IDLE);
        let mut runnable = std::collections::BTreeSet::new();
        for entry in run.record.iter() {
            prop_assert!(entry.at_ns() >= last, "time went back");
            last = entry.at_ns();
            match entry {
                Entry::Wakeup { task, .. } | Entry::Fork { task, .. } => {
                    prop_assert!(runnable.insert(task), "{task:?} was runnable already");
                }
                Entry::Switch { prev, next, reason, .. } => {
                    prop_assert_eq!(prev, running);
                    prop_assert_ne!(prev, next);
                    if matches!(reason, Reason::Block | Reason::Exit) {
                        prop_assert!(runnable.remove(&prev));
                    }
                    prop_assert!(next == IDLE || runnable.contains(&next), "{next:?} ran without being runnable");
                    prop_assert!(next != IDLE || runnable.is_empty(), "idle while {runnable:?} could run");
                    running = next;
                }
            }
        }
    }

    /// Σ run = busy, busy + idle = all, and the statistics agree with the record.
    #[test]
    fn the_books_balance(input in input()) {
        let (until, warmup) = (input.until_ns, input.warmup_ns);
        let run = run(input);
        let busy: u64 = run.tasks.iter().map(|task| task.runtime_ns).sum();
        prop_assert_eq!(busy, run.cpus[0].busy_ns);
        prop_assert_eq!(busy + run.cpus[0].idle_ns, until - warmup);
        prop_assert_eq!(run.cpus[0].counters, run.counters);
        let mut counted = Counters::default();
        run.tasks.iter().for_each(|task| counted.add(&task.counters));
        prop_assert_eq!(counted.check_deadline, run.counters.check_deadline);
        prop_assert_eq!(counted.tick_preempts, run.counters.tick_preempts);
        prop_assert_eq!(counted.yld_count, run.counters.yld_count);
        for task in &run.tasks {
            prop_assert_eq!(task.run_delay.count(), task.switches);
            prop_assert!(task.wake_delay.count() <= task.wakeups + 1);
            prop_assert_eq!(task.preempted + task.blocked, task.run_lengths.count);
            prop_assert_eq!(task.reasons.iter().sum::<u64>(), task.run_lengths.count);
            prop_assert_eq!(task.ran_before_preempted.iter().sum::<u64>(), task.preempted);
        }
        let (mut since, mut running, mut recorded) = (0u64, IDLE, vec![0u64; run.tasks.len()]);
        let mut book = |running: TaskId, from: u64, to: u64| {
            if running != IDLE {
                recorded[running.0 as usize] += to.saturating_sub(from.max(warmup));
            }
        };
        for entry in run.record.iter() {
            if let Entry::Switch { at_ns, next, .. } = entry {
                book(running, since, at_ns);
                (since, running) = (at_ns, next);
            }
        }
        book(running, since, until);
        prop_assert_eq!(recorded, run.tasks.iter().map(|task| task.runtime_ns).collect::<Vec<_>>());
    }

    /// A run in slices is the whole run, bit for bit, however the slices are cut.
    #[test]
    fn a_sliced_run_is_the_whole_run(input in input(), slices in prop::collection::vec((1u64..400, 0u64..3_000_000), 1..20)) {
        let whole = run(input.clone());
        let mut simulation = Simulation::new(input).unwrap();
        let mut slices = slices.into_iter().cycle();
        loop {
            let (events, ahead) = slices.next().unwrap();
            let time_ns = simulation.now_ns() + ahead;
            let reached = simulation.run_until(Limit { time_ns, events }).unwrap();
            if reached == Progress::Done {
                break;
            }
            if simulation.run_until(Limit::events(1)).unwrap() == Progress::Done {
                break;
            }
        }
        let sliced = simulation.finish();
        prop_assert_eq!(sliced.hash, whole.hash);
        prop_assert_eq!(sliced.counters, whole.counters);
        prop_assert!(sliced.record.iter().eq(whole.record.iter()));
    }

    /// The hash is the same whatever is recorded, and the same again.
    #[test]
    fn the_hash_does_not_depend_on_the_record(input in input(), budget in 0usize..50) {
        let whole = run(input.clone());
        let mut small = input;
        small.record_budget = budget;
        let short = run(small);
        prop_assert_eq!(short.hash, whole.hash);
        prop_assert!(short.record.len() <= budget);
        prop_assert_eq!(short.record.is_full(), whole.record.len() > budget);
    }

    /// Lag stays within its limit at every instant that is looked at (§4.3).
    #[test]
    fn lag_is_bounded(input in input(), every in 1u64..2_000_000) {
        if input.kernel.release().class() == Class::Cfs {
            return Ok(());
        }
        let limits: Vec<i64> = input.tasks.iter().map(|task| lag_limit(&input, task)).collect();
        let mut simulation = Simulation::new(input).unwrap();
        loop {
            let at = simulation.now_ns() + every;
            if simulation.run_until(Limit { time_ns: at, events: 10_000 }).unwrap() == Progress::Done {
                break;
            }
            let mut moved = simulation.clone();
            let _ = moved.run_until(Limit::events(1)).unwrap();
            for (task, limit) in simulation.end_state().tasks.iter().zip(&limits) {
                if task.state == TaskState::Blocked && let VirtualPlace::Off { vlag_ns } = task.virtual_time {
                    prop_assert!(vlag_ns.abs() <= *limit, "lag {vlag_ns} of at most {limit}");
                }
            }
            simulation = moved;
        }
    }

    /// What is explained is what happened: the queue's own pick is who came, copies lead there too.
    #[test]
    fn explanations_are_of_the_run(input in input(), at_ns in 0u64..120_000_000) {
        let mut simulation = Simulation::new(input).unwrap();
        let mut checkpoints = Checkpoints::new(&simulation);
        checkpoints.run_until(&mut simulation, Limit::end()).unwrap();
        let run = simulation.finish();
        let moments = checkpoints.explain(at_ns).unwrap();
        let switches = |entry: &Entry| matches!(entry, Entry::Switch { .. });
        let last = run.record.iter().filter(switches).take_while(|entry| entry.at_ns() <= at_ns).last();
        let Some(last) = last else { return Ok(()) };
        let moment_at = moments.first().map_or(0, |moment| moment.at_ns);
        prop_assert!(moment_at >= last.at_ns() && moment_at <= at_ns);
        let mut recorded = run.record.iter().filter(|entry| switches(entry) && entry.at_ns() == moment_at);
        for moment in moments {
            let MomentKind::Schedule { prev, next, reason, .. } = moment.kind else { continue };
            let picked = moment.queues.last().and_then(|queue| queue.picked).map(|(who, _)| who);
            prop_assert_eq!(picked, next.map(Who::Task));
            if prev != next {
                let Some(Entry::Switch { prev: left, next: came, reason: why, .. }) = recorded.next() else {
                    panic!("a switch that the record lacks");
                };
                prop_assert_eq!((prev.unwrap_or(IDLE), next.unwrap_or(IDLE), reason), (left, came, why));
            }
        }
        prop_assert!(recorded.next().is_none());
    }

    /// Another task that never gets to run does not change the draws of the others.
    #[test]
    fn draws_belong_to_their_task(input in input()) {
        let whole = run(input.clone());
        let mut larger = input;
        let sleeper = Program { steps: vec![Step::Run(Length::Exponential { mean_ns: 1000 })], ..Program::default() };
        let start_ns = larger.until_ns + 1;
        larger.tasks.push(TaskSpec { start_ns, ..TaskSpec::new("late", Arc::new(sleeper)) });
        let other = run(larger);
        prop_assert!(whole.record.iter().eq(other.record.iter()));
    }
}

/// In the long run hogs get the CPU by their weights, on every release (within a slice each).
#[test]
fn weights_are_respected_in_the_long_run() {
    for release in Release::MODELLED {
        let mut input = Input::new(Kernel::new(*release, 8), Machine::ideal(1000), 20_000_000_000);
        let hog = Arc::new(Program { steps: vec![Step::Run(Length::Fixed(1 << 40))], ..Program::default() });
        for (name, nice) in [("a", 0), ("b", 5), ("c", -5)] {
            input.tasks.push(TaskSpec { nice, ..TaskSpec::new(name, hog.clone()) });
        }
        let run = run(input);
        let weights = [1024.0, 335.0, 3121.0];
        for (task, weight) in run.tasks.iter().zip(weights) {
            let share = task.runtime_ns as f64 / 20e9;
            let fair = weight / (1024.0 + 335.0 + 3121.0);
            assert!((share - fair).abs() < 0.004, "{} {}: {share} of {fair}", release.name(), task.name);
        }
    }
}

/// A release that lacks a flag refuses it and says where it exists.
#[test]
fn a_missing_flag_is_an_error() {
    let error = Kernel::new(Release::V6_5, 1).set_feature(Feature::PlaceLag, true).unwrap_err();
    assert_eq!(error.to_string(), "6.5 has no feature PLACE_LAG: it exists in eevdf-rfc, 6.6 and later");
}

/// Who unlocks a mutex and locks it again at once: handed over, it has to wait for the first waiter;
/// free, it has it back before that one runs, which then sleeps again.
#[test]
fn a_free_mutex_goes_to_who_comes_first() {
    let blocked = |locks_barge| {
        let mut input = Input::new(Kernel::new(Release::V6_5, 1), Machine::ideal(1000), 30_000_000);
        input.objects = Objects { mutexes: 1, locks_barge, ..Objects::default() };
        let hold = |ns| vec![Step::Lock(MutexId(0)), Step::Run(Length::Fixed(ns)), Step::Unlock(MutexId(0))];
        let mut steps = hold(3_000_000);
        steps.insert(0, Step::LoopStart { counter: 0, times: None, end: 4 });
        steps.push(Step::LoopEnd { start: 0 });
        let endless = Arc::new(Program { steps, loops: 1, ..Program::default() });
        let once = Arc::new(Program { steps: hold(1_000_000), ..Program::default() });
        input.tasks.push(TaskSpec::new("holder", endless));
        // Its wake-ups preempt nobody.
        input.tasks.push(TaskSpec { policy: Policy::Batch, start_ns: 1_000_000, ..TaskSpec::new("waiter", once) });
        let mut simulation = Simulation::new(input).unwrap();
        assert_eq!(simulation.run_until(Limit::end()).unwrap(), Progress::Done);
        let tasks = simulation.finish().tasks;
        (tasks[0].blocked, tasks[1].blocked)
    };
    // The end counts as a block too.
    assert_eq!(blocked(false), (1, 2));
    let (holder, waiter) = blocked(true);
    assert!(holder == 0 && waiter > 2, "{holder} {waiter}");
}
