//! A task in a run: its place in its program, what it waits for, and what placement knows of it.
//! Not for how the fair class sees it: that is its entity.

use std::sync::Arc;

use super::cpu::{FULL_SPEED, Waker};
use super::cpu_set::CpuSet;
use super::random::Random;
use crate::fair::EntityId;
use crate::input::{MutexId, Policy, Program, TaskSpec};
use crate::output::TaskState;

/// What a task is doing while it has the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// At the beginning of a step.
    Nothing,
    /// Work at full speed, with this much left: nanoseconds, and units of a nanosecond.
    Work(u64, u64),
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
    pub loops: Vec<u64>,
    pub timers: Vec<super::objects::Timer>,
    pub traces: Vec<u32>,
    pub operations: Vec<Option<u64>>,
    /// It slept in the pipe event it is at: when it gets through, it wakes the next who waits there.
    pub slept_in_pipe: bool,
    pub random: Random,
    /// Where it runs, or ran last.
    pub cpu: u32,
    /// A wake-up has chosen its CPU and is on its way there.
    pub activating: bool,
    /// Whether that CPU is not the one it ran on last.
    pub moved: bool,
    /// The CPU whose timer wakes it.
    pub timer_cpu: u32,
    /// The CPUs it may run on; none: all.
    pub allowed: Option<Box<CpuSet>>,
    pub cookie: u64,
    /// The template it was forked from.
    pub template: Option<u32>,
    /// How many ran on its core when it was last picked core-wide (§6.3).
    pub occupation: u32,
    pub recent_used_cpu: u32,
    pub waker: Waker,
    pub working_set_kib: u64,
    /// Where it ran last; none: nowhere yet.
    pub ran_on: Option<u32>,
    /// What had been loaded into that core's cache when it left.
    pub cached_at: Option<u64>,
}

impl Task {
    /// A task that has not run.
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
            loops: vec![0; spec.program.loops],
            timers: vec![super::objects::Timer::default(); spec.program.own_timers],
            traces: vec![0; spec.program.traces],
            operations: vec![None; operations],
            slept_in_pipe: false,
            random,
            cpu: spec.previous_cpu,
            activating: false,
            moved: false,
            timer_cpu: spec.previous_cpu,
            allowed: spec.cpus.as_ref().map(|cpus| Box::new(CpuSet::of(cpus))),
            cookie: spec.cookie,
            template: None,
            occupation: 0,
            recent_used_cpu: spec.previous_cpu,
            waker: Waker::default(),
            working_set_kib: u64::from(spec.working_set_kib),
            ran_on: None,
            cached_at: None,
        }
    }

    /// Whether it may run on a CPU.
    pub fn may_run_on(&self, cpu: u32) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.has(cpu))
    }

    /// When it needs the scheduler next if it runs from `now` on at `speed`.
    pub fn completes_at(&self, now: u64, speed: u64) -> u64 {
        match self.doing {
            Doing::Nothing => now + self.overhead,
            Doing::Work(left, 0) if speed == FULL_SPEED => now + self.overhead + left,
            Doing::Work(left, units) => {
                let units = u128::from(left) * u128::from(FULL_SPEED) + u128::from(units);
                now + self.overhead + units.div_ceil(u128::from(speed)) as u64
            }
            Doing::BusyUntil(until) => until.max(now + self.overhead),
        }
    }

    /// It has run for `ran` nanoseconds at `speed`. Answers how much of it was work time.
    pub fn has_run(&mut self, ran: u64, speed: u64) -> u64 {
        let paid = ran.min(self.overhead);
        self.overhead -= paid;
        let ran = ran - paid;
        if let Doing::Work(left, units) = &mut self.doing {
            if speed == FULL_SPEED && *units == 0 {
                *left = left.saturating_sub(ran);
            } else {
                let before = u128::from(*left) * u128::from(FULL_SPEED) + u128::from(*units);
                let after = before.saturating_sub(u128::from(ran) * u128::from(speed));
                *left = (after / u128::from(FULL_SPEED)) as u64;
                *units = (after % u128::from(FULL_SPEED)) as u64;
            }
        }
        ran
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work at changing speeds: what is left and what was done always add up to what was asked.
    #[test]
    fn work_is_rescaled_without_drift() {
        let program = Arc::new(Program::default());
        let spec = TaskSpec::new("t", program);
        let mut task = Task::new(&spec, EntityId::at(0), Random::new(0, 0), 0);
        task.doing = Doing::Work(1_000_000, 0);
        let asked = 1_000_000 * u128::from(FULL_SPEED);
        let (mut now, mut done) = (0, 0u128);
        for (index, speed) in [FULL_SPEED, 589_824, 1_000, 1_024_000 / 3, FULL_SPEED].into_iter().cycle().enumerate() {
            let end = task.completes_at(now, speed);
            let ran = (end - now).min(777 + index as u64);
            task.has_run(ran, speed);
            now += ran;
            done += u128::from(ran) * u128::from(speed);
            let Doing::Work(left, units) = task.doing else { unreachable!() };
            let left = u128::from(left) * u128::from(FULL_SPEED) + u128::from(units);
            if left == 0 {
                // The last nanosecond may hold more than was left.
                assert!(done >= asked && done - asked < u128::from(speed));
                break;
            }
            assert_eq!(left + done, asked);
        }
    }
}
