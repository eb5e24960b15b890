//! What tasks block on: mutexes, conditions, semaphores, barriers, suspension points, timers.
//! Not for blocking and waking themselves: those are the engine's.

use std::collections::VecDeque;

use crate::input::{Objects, TimerMode};

/// A mutex: first in, first out; handed over to the first waiter, or free for whoever comes first
/// (`Objects::locks_barge`).
#[derive(Clone, Debug, Default)]
pub(super) struct Mutex {
    pub holder: Option<u32>,
    pub waiters: VecDeque<u32>,
    /// Barging only: somebody has slept for it since it was last free, so its unlock wakes one.
    pub contended: bool,
}

/// A counting semaphore, starting at 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Semaphore {
    pub count: u64,
    pub waiters: VecDeque<u32>,
}

/// A meeting point.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    pub needed: u32,
    pub arrived: VecDeque<u32>,
}

/// A grid of points in time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    previous: Option<u64>,
}

impl Timer {
    /// The next point: when to sleep until, or by how much it is past. The first use sets the origin.
    pub fn next(&mut self, now: u64, period: u64, mode: TimerMode) -> Result<u64, u64> {
        let next = self.previous.unwrap_or(now).saturating_add(period);
        if next > now {
            self.previous = Some(next);
            return Ok(next);
        }
        self.previous = Some(if mode == TimerMode::Absolute { next } else { now });
        Err(now - next)
    }
}

/// All objects of a run.
#[derive(Clone, Debug)]
pub(super) struct ObjectStates {
    pub mutexes: Vec<Mutex>,
    pub conditions: Vec<VecDeque<u32>>,
    pub semaphores: Vec<Semaphore>,
    pub barriers: Vec<Barrier>,
    pub suspensions: Vec<VecDeque<u32>>,
    pub timers: Vec<Timer>,
    pub pipes: Vec<Pipe>,
}

/// A pipe: messages in it, and who waits for them or for room.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipe {
    pub messages: u32,
    pub readers: VecDeque<u32>,
    pub writers: VecDeque<u32>,
}

impl ObjectStates {
    /// The objects of a run before it begins.
    pub fn new(objects: &Objects) -> Self {
        let barrier = |needed: &u32| Barrier { needed: *needed, arrived: VecDeque::new() };
        Self {
            mutexes: vec![Mutex::default(); objects.mutexes],
            conditions: vec![VecDeque::new(); objects.conditions],
            semaphores: vec![Semaphore::default(); objects.semaphores],
            barriers: objects.barriers.iter().map(barrier).collect(),
            suspensions: vec![VecDeque::new(); objects.suspensions],
            timers: vec![Timer::default(); objects.timers],
            pipes: vec![Pipe::default(); objects.pipes.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_relative_timer_restarts_and_an_absolute_one_catches_up() {
        let mut relative = Timer::default();
        assert_eq!(relative.next(5, 10, TimerMode::Relative), Ok(15));
        assert_eq!(relative.next(30, 10, TimerMode::Relative), Err(5));
        assert_eq!(relative.next(32, 10, TimerMode::Relative), Ok(40));
        let mut absolute = Timer::default();
        assert_eq!(absolute.next(5, 10, TimerMode::Absolute), Ok(15));
        assert_eq!(absolute.next(40, 10, TimerMode::Absolute), Err(15));
        assert_eq!(absolute.next(40, 10, TimerMode::Absolute), Err(5));
        assert_eq!(absolute.next(40, 10, TimerMode::Absolute), Ok(45));
        let mut zero = Timer::default();
        assert_eq!(zero.next(5, 0, TimerMode::Relative), Err(0));
    }
}
