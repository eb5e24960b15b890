//! Explanations of moments made by hand: refusals and their reasons, which documents seldom meet.
//! What the engine sees at an instant is tested through the command.

use schedlab_sim::kernel::{CoreScheduling, Feature, Kernel, Release};
use schedlab_sim::{EntityView, GroupId, Moment, MomentKind, PickRule, Policy, QueueView, Reason, TaskId, Who};

use super::{Names, explanation};

fn names(release: Release) -> Names {
    let text = |names: [&str; 3]| names.map(str::to_owned).to_vec();
    Names { kernel: Kernel::new(release, 8), tasks: text(["a", "b", "c"]), groups: text(["/g", "/h", "/i"]) }
}

/// A task at a distance from V with a slice; eligible when not ahead of V.
fn entity(task: u32, vruntime_rel_ns: i64, slice_ns: u64) -> EntityView {
    EntityView {
        who: Who::Task(TaskId(task)),
        policy: Some(Policy::Normal),
        idle: false,
        vruntime_rel_ns,
        deadline_rel_ns: Some(vruntime_rel_ns + slice_ns as i64),
        lag_ns: Some(-vruntime_rel_ns),
        slice_ns,
        weight: 1024,
        eligible: Some(vruntime_rel_ns <= 0),
        running: false,
        delayed: false,
        protected: None,
        protected_until_rel_ns: None,
        next_buddy: false,
    }
}

/// a runs, b has woken (or was forked) and nothing came of it.
fn refused(names: &Names, fork: bool, running: EntityView, woken: EntityView) -> String {
    let running = EntityView { running: true, ..running };
    let queue = QueueView { group: None, average_ns: 0, entities: vec![running, woken], picked: None };
    let kind = MomentKind::Wakeup { task: TaskId(1), running: Some(TaskId(0)), fork, request: None };
    words(names, vec![Moment { at_ns: 5, cpu: 0, kind, queues: vec![queue] }])
}

fn words(names: &Names, moments: Vec<Moment>) -> String {
    let explanation = explanation(&moments, names, 0);
    let sentences = explanation.moments.iter().flat_map(|moment| moment.sentences.iter().map(String::as_str));
    sentences.collect::<Vec<_>>().join(" ")
}

#[test]
fn cfs_refuses_who_is_not_far_enough_behind() {
    let names = names(Release::V6_5);
    let (a, b) = (entity(0, 4_000_000, 0), entity(1, 0, 0));
    assert_eq!(
        refused(&names, false, a, b),
        "b woke while a ran. The vruntime of a is 4.000 ms ahead of that of b, no more than the wake-up granularity of \
         4.000 ms, so b waits."
    );
    // In the virtual time of nice 5.
    let light = EntityView { weight: 335, ..b };
    assert!(refused(&names, false, a, light).contains("granularity of 12.23 ms"));
}

#[test]
fn policies_and_flags_refuse_first() {
    let mut names = names(Release::V6_12);
    let (a, b) = (entity(0, 10, 3_000_000), entity(1, -10, 3_000_000));
    let batch = EntityView { policy: Some(Policy::Batch), ..b };
    assert!(refused(&names, false, a, batch).ends_with("b is SCHED_BATCH: its wake-ups preempt nobody."));
    let idle = EntityView { policy: Some(Policy::Idle), idle: true, ..b };
    assert!(refused(&names, false, a, idle).ends_with("b gives way to everybody (SCHED_IDLE), so it preempts nobody."));
    names.kernel.set_feature(Feature::WakeupPreemption, false).unwrap();
    assert!(refused(&names, false, a, b).ends_with("WAKEUP_PREEMPTION is off: nobody is preempted by a wake-up."));
}

#[test]
fn a_refusal_names_what_protects_the_running_task() {
    let names = names(Release::V6_14);
    let a = EntityView { protected: Some(true), ..entity(0, -10, 3_000_000) };
    let b = entity(1, -20, 3_000_000);
    assert!(
        refused(&names, false, a, b)
            .ends_with("a is eligible and protected (RUN_TO_PARITY) until its deadline, so b waits.")
    );
    // Not protected, but its own deadline is earlier.
    let a = EntityView { protected: Some(false), ..entity(0, -30, 3_000_000) };
    let told = refused(&names, false, a, b);
    assert!(told.contains("a is eligible and has an earlier deadline"), "{told}");
    assert!(
        refused(&names, false, a, entity(1, 20_000, 1))
            .ends_with("b is not eligible (its vruntime is 20.00 µs ahead of V), so it waits.")
    );
}

#[test]
fn later_releases_hold_forks_back_and_cut_the_protection() {
    let protected =
        |until| EntityView { protected: Some(true), protected_until_rel_ns: Some(until), ..entity(0, -10, 3_000_000) };
    let b = entity(1, 0, 3_000_000);
    let fork = |release| refused(&names(release), true, protected(2_000_000), b);
    assert!(fork(Release::V6_18).contains("eligible and protected until vruntime V + 2.000 ms"));
    assert!(fork(Release::V7_2).ends_with("A fork does not preempt in this release unless its slice is shorter."));
    assert!(
        fork(Release::V7_3)
            .ends_with("is cut to one smallest slice from now, vruntime V + 2.000 ms, if it was longer.")
    );
    let wake = |release| refused(&names(release), false, protected(2_000_000), b);
    assert!(!wake(Release::V6_18).contains("is cut"));
    assert!(wake(Release::V6_19).contains("is cut"));
}

#[test]
fn a_second_wake_up_finds_the_request_of_the_first() {
    let names = names(Release::V6_12);
    let queue = QueueView { group: None, average_ns: 0, entities: vec![entity(1, -5, 1)], picked: None };
    let wakeup = |task, request| Moment {
        cpu: 0,
        at_ns: 5,
        kind: MomentKind::Wakeup { task: TaskId(task), running: Some(TaskId(0)), fork: false, request },
        queues: vec![queue.clone()],
    };
    let told = words(&names, vec![wakeup(2, Some(Reason::HigherClass)), wakeup(1, None)]);
    assert!(
        told.ends_with("b woke while a ran. A reschedule was already requested, so it need not preempt."),
        "{told}"
    );
}

#[test]
fn a_task_of_a_throttled_group_waits_in_it() {
    let names = names(Release::V6_12);
    let group = |id| EntityView { who: Who::Group(GroupId(id)), policy: None, ..entity(0, 0, 3_000_000) };
    let root = QueueView {
        group: None,
        average_ns: 0,
        entities: vec![EntityView { running: true, ..entity(0, 0, 3_000_000) }, group(1)],
        picked: None,
    };
    let inside =
        QueueView { group: Some(GroupId(0)), average_ns: 0, entities: vec![entity(1, 0, 3_000_000)], picked: None };
    let kind = MomentKind::Wakeup { task: TaskId(1), running: Some(TaskId(0)), fork: false, request: None };
    let told = words(&names, vec![Moment { at_ns: 5, cpu: 0, kind, queues: vec![root, inside] }]);
    assert!(told.ends_with("b stands in /g, which is throttled, and preempts nobody."), "{told}");
}

#[test]
fn a_pick_in_groups_is_told_level_by_level() {
    let names = names(Release::V6_12);
    let group = Who::Group(GroupId(0));
    let root = QueueView {
        group: None,
        average_ns: 0,
        entities: vec![
            EntityView { who: group, policy: None, ..entity(0, -1_000, 3_000_000) },
            EntityView { running: true, ..entity(2, 1_000, 1_000_000) },
        ],
        picked: Some((group, PickRule::EarliestDeadline)),
    };
    let inside = QueueView {
        group: Some(GroupId(0)),
        average_ns: 0,
        entities: vec![entity(1, 0, 3_000_000)],
        picked: Some((Who::Task(TaskId(1)), PickRule::Lone)),
    };
    let kind = MomentKind::Schedule {
        prev: Some(TaskId(2)),
        next: Some(TaskId(1)),
        reason: Reason::Nice,
        delayed: false,
        finished: Vec::new(),
        throttled: Vec::new(),
    };
    assert_eq!(
        words(&names, vec![Moment { at_ns: 5, cpu: 0, kind, queues: vec![root, inside] }]),
        "c made its nice value worse, which requests a reschedule. Of two queued, only /g is eligible. c, which ran, is \
         not eligible, so nothing protects it. /g is picked, with its deadline at V + 2.999 ms. c has an earlier \
         deadline, but is not eligible: its vruntime is 1.000 µs ahead of V. In /g: b is the only one queued. b takes \
         the CPU."
    );
}

#[test]
fn what_core_scheduling_decides_is_not_told_as_the_queue_s_choice() {
    let names = names(Release::V6_12);
    let queue = |picked| {
        let entities = vec![entity(0, -10, 3_000_000), entity(1, 20, 3_000_000)];
        vec![QueueView { group: None, average_ns: 0, entities, picked }]
    };
    let schedule = |prev, next, reason| MomentKind::Schedule {
        prev,
        next,
        reason,
        delayed: false,
        finished: Vec::new(),
        throttled: Vec::new(),
    };
    let (a, b) = (Some(TaskId(0)), Some(TaskId(1)));
    let picked = Some((Who::Task(TaskId(0)), PickRule::EarliestDeadline));
    let told = |kind, picked| words(&names, vec![Moment { at_ns: 5, cpu: 1, kind, queues: queue(picked) }]);
    assert_eq!(
        told(schedule(a, None, Reason::ForcedIdle), picked),
        "The core runs another cookie, so this hardware thread stays idle. a and b wait here, but the core runs another \
         cookie: the CPU is forced idle."
    );
    let wide = told(schedule(None, b, Reason::CoreWidePick), picked);
    assert!(wide.ends_with("The pick for the whole core chose b for this thread. b takes the CPU."), "{wide}");
    // A task of a group that the queue would not have chosen is not among those looked at.
    let mut core = names.clone();
    core.kernel.set_core_scheduling(CoreScheduling::Mainline).expect("6.12 has it");
    let (mut x, mut y) = (entity(0, -10, 3_000_000), entity(1, 20, 3_000_000));
    (x.who, y.who) = (Who::Group(GroupId(0)), Who::Group(GroupId(1)));
    let chosen = Some((x.who, PickRule::EarliestDeadline));
    let root = QueueView { group: None, average_ns: 0, entities: vec![x, y], picked: chosen };
    let kind = schedule(b, Some(TaskId(2)), Reason::Block);
    let inside = words(&core, vec![Moment { at_ns: 5, cpu: 1, kind, queues: vec![root] }]);
    assert!(inside.contains("The pick for the whole core chose c for this thread."), "{inside}");
    // A task that is not on the queue and was not stolen is of a higher class.
    let higher = told(schedule(a, Some(TaskId(2)), Reason::HigherClass), picked);
    assert!(higher.contains("c is of a higher class"), "{higher}");
}
