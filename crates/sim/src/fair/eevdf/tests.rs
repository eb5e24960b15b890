//! Rules that no golden trace shows, each as the section says it.

use super::super::{Buddy, Entity, EntityId, Fair, Flags, QueueId};
use super::Eevdf;
use crate::fair::FairClass;
use crate::input::Policy;
use crate::kernel::rules::Rules;
use crate::kernel::{Feature, Kernel, Release};

fn fair(release: Release, tasks: u32, change: impl Fn(&mut Kernel)) -> (Fair<Eevdf>, Vec<EntityId>) {
    let mut kernel = Kernel::new(release, 8);
    change(&mut kernel);
    let mut fair = Fair::new(Rules::new(&kernel, 1_000_000), 1, 0);
    let task = |index| Entity::task(index, Policy::Normal, 0, QueueId::ROOT);
    let tasks = (0..tasks).map(|index| fair.add_task(task(index), None, 0)).collect();
    (fair, tasks)
}

/// Runs the first task for `ns`, with the others queued since 0.
fn after(fair: &mut Fair<Eevdf>, tasks: &[EntityId], ns: u64) {
    for task in tasks {
        fair.fork(*task);
        fair.start(*task);
        if fair.rq().curr.is_none() {
            fair.pick_and_switch();
        }
    }
    fair.now = ns;
    Eevdf::update_curr(fair, QueueId::ROOT);
}

/// current-kernels §2.8: from 7.1 a search without protection passes the next buddy over.
#[test]
fn the_buddy_needs_a_search_with_protection_from_7_1() {
    for (release, honoured) in
        [(Release::V6_19, true), (Release::V7_0, true), (Release::V7_1, false), (Release::V7_3, false)]
    {
        let (mut fair, tasks) = fair(release, 3, |_| {});
        after(&mut fair, &tasks, 100_000);
        fair.mark_buddy(tasks[2], Buddy::Next);
        let found = |protect| fair.search(QueueId::ROOT, protect, true, None).map(|(found, _)| found);
        assert_eq!(found(true), Some(tasks[2]), "{}", release.name());
        assert_eq!(found(false) == Some(tasks[2]), honoured, "{}", release.name());
    }
}

/// §4.10: a block that is only delayed leaves no mark on the task.
#[test]
fn a_delayed_block_drops_the_mark() {
    for release in [Release::V6_12, Release::V6_12Stable, Release::V6_13, Release::V7_0] {
        let (mut fair, tasks) = fair(release, 2, |_| {});
        after(&mut fair, &tasks, 2_000_000);
        fair.mark_buddy(tasks[0], Buddy::Next);
        assert!(!fair.block(tasks[0], false), "{}: ahead of V, so it is delayed", release.name());
        assert_eq!(fair.queues[fair.root()].next, None, "{}", release.name());
    }
}

/// §4.8: up to 6.8 a change to SCHED_IDLE leaves the stored lag as it is.
#[test]
fn a_change_to_idle_rescales_the_lag_only_from_6_12_on() {
    for (release, rescales) in [(Release::V6_6, false), (Release::V6_8, false), (Release::V6_12, true)] {
        let (mut fair, tasks) = fair(release, 2, |kernel| {
            if Feature::DelayDequeue.default_in(kernel.release()).is_some() {
                kernel.set_feature(Feature::DelayDequeue, false).unwrap();
            }
        });
        after(&mut fair, &tasks, 1_000_000);
        assert!(fair.block(tasks[0], false));
        let lag = fair.entity[tasks[0]].vlag;
        assert!(lag < 0);
        fair.set_attributes(tasks[0], Policy::Idle, 0, crate::fair::SliceChange::Keep, false);
        let expected = if rescales { lag * 1024 / 3 } else { lag };
        assert_eq!(fair.entity[tasks[0]].vlag, expected, "{}", release.name());
    }
}

/// §4.13: the running task keeps the CPU until its slice is used, against a shorter slice only
/// with PREEMPT_SHORT off.
#[test]
fn respect_slice_holds_until_the_deadline() {
    let respect = |kernel: &mut Kernel| {
        kernel.set_feature(Feature::RespectSlice, true).unwrap();
        kernel.set_feature(Feature::RunToParity, false).unwrap();
    };
    let (mut fair, tasks) = fair(Release::V6_12, 2, respect);
    after(&mut fair, &tasks, 1_200_000);
    assert!(!fair.eligible(QueueId::ROOT, fair.node[tasks[0]].vruntime), "ahead of V");
    assert_eq!(fair.search(QueueId::ROOT, true, true, None).map(|(found, _)| found), Some(tasks[0]));
    // A new task has half a slice of 3 ms: its deadline is renewed then, and it is no longer kept.
    fair.now = 1_600_000;
    Eevdf::update_curr(&mut fair, QueueId::ROOT);
    assert_eq!(fair.search(QueueId::ROOT, true, true, None).map(|(found, _)| found), Some(tasks[1]));
    // A wakee with a shorter slice and an earlier deadline ends it.
    fair.now = 1_700_000;
    fair.pick_and_switch();
    let short = fair.add_task(Entity::task(2, Policy::Normal, 0, QueueId::ROOT), Some(200_000), 0);
    fair.enqueue_task(short, Flags::NONE);
    assert_eq!(fair.search(QueueId::ROOT, true, true, None).map(|(found, _)| found), Some(tasks[1]));
    assert_eq!(fair.search(QueueId::ROOT, true, true, Some(short)).map(|(found, _)| found), Some(short));
}
