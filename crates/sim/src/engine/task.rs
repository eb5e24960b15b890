//! A task in a run: its place in its program and what it waits for.
//! Not for how the scheduler sees it: that is its entity.

use std::sync::Arc;

use super::random::Random;
use crate::fair::EntityId;
use crate::input::{MutexId, Policy, Program, TaskSpec};
use crate::output::TaskState;

/// What a task is doing while it has the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// At the beginning of a step.
    Nothing,
    /// Work, with this much left, nanoseconds.
    Work(u64),
    /// Busy until this time, nanoseconds.
    BusyUntil(u64),
}

/// A task in a run.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub entity: EntityId,
    pub state: TaskState,
    /// What it does; taken out while a step of it is done.
    pub program: Option<Arc<Program>>,
    /// The index of the next step.
    pub at: usize,
    pub doing: Doing,
    /// Cost to be paid before the program goes on, nanoseconds.
    pub overhead: u64,
    pub nice: i8,
    pub policy: Policy,
    /// A mutex to take again before the program goes on.
    pub relock: Option<MutexId>,
    /// A wake-up is on its way.
    pub waking: bool,
    /// When it was asked to wake, nanoseconds.
    pub woken_at: u64,
    pub loops: Vec<u64>,
    pub timers: Vec<super::objects::Timer>,
    pub traces: Vec<u32>,
    pub operations: Vec<Option<u64>>,
    pub random: Random,
}

impl Task {
    pub fn new(spec: &TaskSpec, entity: EntityId, random: Random, operations: usize) -> Self {
        Self {
            entity,
            state: TaskState::New,
            program: Some(spec.program.clone()),
            at: 0,
            doing: Doing::Nothing,
            overhead: 0,
            nice: spec.nice,
            policy: spec.policy,
            relock: None,
            waking: false,
            woken_at: 0,
            loops: vec![0; spec.program.loops],
            timers: vec![super::objects::Timer::default(); spec.program.own_timers],
            traces: vec![0; spec.program.traces],
            operations: vec![None; operations],
            random,
        }
    }

    /// When it needs the scheduler next if it runs from `now` on.
    pub fn completes_at(&self, now: u64) -> u64 {
        match self.doing {
            Doing::Nothing => now + self.overhead,
            Doing::Work(left) => now + self.overhead + left,
            Doing::BusyUntil(until) => until.max(now + self.overhead),
        }
    }

    /// It has run for `ran` nanoseconds.
    pub fn has_run(&mut self, ran: u64) {
        let paid = ran.min(self.overhead);
        self.overhead -= paid;
        if let Doing::Work(left) = &mut self.doing {
            *left = left.saturating_sub(ran - paid);
        }
    }
}
