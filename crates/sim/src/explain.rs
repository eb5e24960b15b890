//! What was decided at an instant, and the queue it was decided on.
//! Not for words: `schedlab-report` makes sentences of this.

use crate::engine::{Limit, Progress, Simulation};
use crate::error::RunError;
use crate::input::{GroupId, Policy, TaskId};
use crate::kernel::{Class, Release};
use crate::reason::Reason;

/// An entity of a queue: a task, or a group in its parent's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// A task.
    Task(TaskId),
    /// A group.
    Group(GroupId),
}

/// The rule by which a pick chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickRule {
    /// It was the only one (§4.5).
    Lone,
    /// It was marked as next buddy (§3.7, §4.5).
    NextBuddy,
    /// It was marked as last buddy (§3.7).
    LastBuddy,
    /// It ran and was protected (§4.6).
    Protected,
    /// It ran and its slice was respected (§4.13).
    SliceRespected,
    /// It had the earliest deadline of the eligible ones (§4.5).
    EarliestDeadline,
    /// It had the smallest vruntime (§3.7).
    SmallestVruntime,
    /// It was the second, because the first had yielded (§3.7).
    SecondAfterYield,
    /// Nothing was eligible, so the first of the tree was taken (§4.5).
    Fallback,
}

impl PickRule {
    /// The section of `docs/model.md` that has the rule in `release`: `§4.5` or
    /// `current-kernels §2.8`.
    #[must_use]
    pub fn section(self, release: Release) -> &'static str {
        let later = release >= Release::V6_18;
        match self {
            _ if release.class() == Class::Cfs => "§3.7",
            Self::SliceRespected => "§4.13",
            Self::Protected if later => "current-kernels §2.5",
            Self::Protected => "§4.6",
            _ if release == Release::EevdfRfc => "§4.14",
            _ if later => "current-kernels §2.8",
            _ => "§4.5",
        }
    }

    /// The kernel function that applies the rule in `release`.
    #[must_use]
    pub fn function(self, release: Release) -> &'static str {
        match self {
            _ if release.class() == Class::Cfs => "pick_next_entity",
            Self::NextBuddy if release < Release::V6_19 => "pick_next_entity",
            Self::Protected if release >= Release::V6_18 => "protect_slice",
            _ => "pick_eevdf",
        }
    }
}

/// An entity as a decision saw it. Virtual times are nanoseconds, relative to the queue's V
/// (CFS: its min_vruntime).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityView {
    /// Who.
    pub who: Who,
    /// A task's policy; a group has none.
    pub policy: Option<Policy>,
    /// It gives way to others: a SCHED_IDLE task, or a group with cpu.idle.
    pub idle: bool,
    /// vruntime − V.
    pub vruntime_rel_ns: i64,
    /// EEVDF: deadline − V.
    pub deadline_rel_ns: Option<i64>,
    /// EEVDF: V − vruntime, before any limit.
    pub lag_ns: Option<i64>,
    /// The slice, nanoseconds (CFS: what it may run at a stretch now).
    pub slice_ns: u64,
    /// The weight, unscaled (nice 0: 1024).
    pub weight: u64,
    /// EEVDF: not ahead of V.
    pub eligible: Option<bool>,
    /// It is the running one.
    pub running: bool,
    /// Its dequeue is delayed: it sleeps.
    pub delayed: bool,
    /// EEVDF, of the running one: it would be picked again without a search.
    pub protected: Option<bool>,
    /// From 6.18, of the running one: the end of its protection − V.
    pub protected_until_rel_ns: Option<i64>,
    /// It carries the next mark.
    pub next_buddy: bool,
}

/// A queue as a decision saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Whose queue; none: the root's.
    pub group: Option<GroupId>,
    /// V (CFS: min_vruntime) since the queue was made, nanoseconds of virtual time.
    pub average_ns: i64,
    /// The queue's entities: the running one, then the tree in its order.
    pub entities: Vec<EntityView>,
    /// Who was picked here, and by which rule.
    pub picked: Option<(Who, PickRule)>,
}

/// What happened in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MomentKind {
    /// schedule() was entered.
    Schedule {
        /// Who ran; none: the idle thread.
        prev: Option<TaskId>,
        /// Who runs now; the same: a repick.
        next: Option<TaskId>,
        /// Why schedule() was entered.
        reason: Reason,
        /// The task's dequeue was delayed.
        delayed: bool,
        /// Who the pick took off for good although it had gone to sleep before.
        finished: Vec<Who>,
        /// Groups that were found without run time and throttled, by the pick or as `prev` was put
        /// back.
        throttled: Vec<GroupId>,
    },
    /// A task woke or was forked.
    Wakeup {
        /// Who.
        task: TaskId,
        /// Who ran; none: the idle thread.
        running: Option<TaskId>,
        /// By a fork.
        fork: bool,
        /// The request that came of it; none: it does not preempt.
        request: Option<Reason>,
    },
    /// The tick.
    Tick {
        /// Who ran.
        running: TaskId,
        /// The request that came of it.
        request: Option<Reason>,
    },
    /// The slice timer fired.
    SliceTimer {
        /// Who ran.
        running: Option<TaskId>,
    },
    /// A group's period ended.
    Period {
        /// The group.
        group: GroupId,
        /// It is throttled still.
        throttled: bool,
    },
}

/// A step at an instant and the queues it saw, from the root down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When, nanoseconds.
    pub at_ns: u64,
    /// On which CPU.
    pub cpu: u32,
    /// What happened.
    pub kind: MomentKind,
    /// The queues.
    pub queues: Vec<QueueView>,
}

/// Copies of a run at intervals, so that any instant can be looked at again quickly.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    kept: Vec<Simulation>,
    interval: u64,
}

/// Copies kept at most; then every other is dropped and the interval doubles.
const MOST_KEPT: usize = 256;
/// Tasks in all copies together, at about half a KiB each, above which fewer copies are kept.
const MOST_TASKS_KEPT: usize = 640_000;
/// Copies kept at least, however many tasks there are.
const LEAST_KEPT: usize = 16;
/// Events between copies at first.
const FIRST_INTERVAL: u64 = 50_000;
/// How far before an instant its decision is looked for first: a few ticks.
const NEAR_NS: u64 = 10_000_000;

impl Checkpoints {
    /// Begins with a run that has not been started.
    #[must_use]
    pub fn new(start: &Simulation) -> Self {
        Self { kept: vec![start.bare_copy()], interval: FIRST_INTERVAL }
    }

    /// Runs on as [`Simulation::run_until`] does, keeping copies.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    pub fn run_until(&mut self, simulation: &mut Simulation, limit: Limit) -> Result<Progress, RunError> {
        let target = simulation.total_events().saturating_add(limit.events);
        loop {
            let done = simulation.total_events();
            let last = self.kept.last().map_or(0, Simulation::total_events);
            let events = (last + self.interval).saturating_sub(done).max(1).min(target - done);
            let progress = simulation.run_until(Limit { events, ..limit })?;
            let now = simulation.total_events();
            if now >= last + self.interval {
                self.keep(simulation);
            }
            if progress == Progress::Done || now >= target || now - done < events {
                return Ok(progress);
            }
        }
    }

    fn keep(&mut self, simulation: &Simulation) {
        self.kept.push(simulation.bare_copy());
        let most = (MOST_TASKS_KEPT / simulation.task_count().max(1)).clamp(LEAST_KEPT, MOST_KEPT);
        if self.kept.len() > most {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.interval *= 2;
        }
    }

    /// What happened at the last instant up to `at_ns` at which schedule() was entered, or at
    /// which a task woke; empty when nothing had.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    pub fn explain(&self, at_ns: u64) -> Result<Vec<Moment>, RunError> {
        let Some(mut simulation) = self.copy_before(at_ns.saturating_add(1)) else { return Ok(Vec::new()) };
        simulation.run_until(Limit { time_ns: at_ns.saturating_sub(NEAR_NS), events: u64::MAX })?;
        let near = simulation.clone();
        simulation.run_until(Limit { time_ns: at_ns, events: u64::MAX })?;
        let Some(instant) = simulation.last_decision_ns() else { return Ok(Vec::new()) };
        let near = Some(near).filter(|near| is_before(near, instant));
        let Some(mut simulation) = near.or_else(|| self.copy_before(instant)) else { return Ok(Vec::new()) };
        if let Some(before) = instant.checked_sub(1) {
            simulation.run_until(Limit { time_ns: before, events: u64::MAX })?;
        }
        simulation.observe(Limit { time_ns: instant, events: u64::MAX })
    }

    /// The same of one CPU: what happened there at the last instant up to `at_ns` at which it entered
    /// schedule() or got a task by a wake-up.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    pub fn explain_on(&self, cpu: u32, at_ns: u64) -> Result<Vec<Moment>, RunError> {
        let decided = |moment: &&Moment| {
            moment.cpu == cpu && matches!(moment.kind, MomentKind::Schedule { .. } | MomentKind::Wakeup { .. })
        };
        // An idle CPU may have decided nothing for long: look further and further back.
        let mut back_ns = NEAR_NS;
        loop {
            let from_ns = at_ns.saturating_sub(back_ns);
            let Some(mut simulation) = self.copy_before(from_ns) else { return Ok(Vec::new()) };
            if let Some(before) = from_ns.checked_sub(1) {
                simulation.run_until(Limit { time_ns: before, events: u64::MAX })?;
            }
            let mut moments = simulation.observe(Limit { time_ns: at_ns, events: u64::MAX })?;
            if let Some(instant) = moments.iter().rev().find(decided).map(|moment| moment.at_ns) {
                moments.retain(|moment| moment.cpu == cpu && moment.at_ns == instant);
                return Ok(moments);
            }
            if from_ns == 0 {
                return Ok(Vec::new());
            }
            back_ns = back_ns.saturating_mul(8);
        }
    }

    /// The last copy that has not reached `at_ns`.
    fn copy_before(&self, at_ns: u64) -> Option<Simulation> {
        self.kept.iter().rev().find(|copy| is_before(copy, at_ns)).or(self.kept.first()).cloned()
    }
}

/// Whether nothing of what happens at `at_ns` has happened yet.
fn is_before(simulation: &Simulation, at_ns: u64) -> bool {
    simulation.now_ns() < at_ns || simulation.total_events() == 0
}
