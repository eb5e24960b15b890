//! HRTICK: the timer that ends a slice exactly (§4.17, current-kernels §2.13).
//! Not for the tick.

use super::weight::NICE_0_LOAD;
use super::{EntityId, Fair, FairClass};
use crate::kernel::rules::Rules;
use crate::reason::Reason;

/// The timer is never set closer than this, nanoseconds.
const LEAST_DELAY_NS: u64 = 10_000;
/// From 7.1: an expiry that is this close stays, nanoseconds.
const KEPT_EXPIRY_NS: u64 = 5_000;

/// The slice timer of one CPU. Times are nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SliceTimer {
    expiry: Option<u64>,
    /// From 7.1: what schedule() will arm at its end.
    remembered: Option<u64>,
    in_schedule: bool,
}

impl SliceTimer {
    /// When it fires next.
    pub const fn expiry(&self) -> Option<u64> {
        self.expiry
    }

    /// §4.17: with DOUBLE_TICK off an armed timer suppresses the tick's preemption test.
    pub const fn suppresses_tick_test(&self, rules: &Rules) -> bool {
        !rules.double_tick && self.expiry.is_some()
    }

    /// From 7.1: an expiry near the old one is not moved.
    const fn arm_near(&mut self, at: u64) {
        match self.expiry {
            Some(expiry) if expiry.abs_diff(at) <= KEPT_EXPIRY_NS => {}
            _ => self.expiry = Some(at),
        }
    }
}

impl<C: FairClass> Fair<C> {
    /// The beginning of schedule(): up to 7.0 the timer is disarmed.
    pub fn begin_schedule(&mut self) {
        if self.rules.deadline_timer {
            self.rq_mut().timer.in_schedule = true;
            self.rq_mut().timer.remembered = None;
        } else {
            self.rq_mut().timer.expiry = None;
        }
    }

    /// A pick has chosen who runs next.
    pub(in crate::fair) fn end_of_pick(&mut self, prev: Option<EntityId>, next: Option<EntityId>) {
        if let Some(next) = next
            && self.rules.hrtick
            && (!self.rules.restarting_pick || Some(next) != prev)
        {
            self.start_slice_timer(next);
        }
    }

    /// The end of schedule(), from 7.1.
    pub(in crate::fair) fn end_of_schedule(&mut self) {
        if !self.rules.deadline_timer {
            return;
        }
        self.rq_mut().timer.in_schedule = false;
        if let Some(delay) = self.rq_mut().timer.remembered.take() {
            let at = self.now + delay;
            self.rq_mut().timer.arm_near(at);
        } else if self.rq().curr.is_none() {
            self.rq_mut().timer.expiry = None;
        }
    }

    /// The end of a task's enqueue (`hrtick_update`).
    pub(in crate::fair) fn slice_timer_after_enqueue(&mut self) {
        if !self.rules.hrtick || (self.rules.deadline_timer && self.rq().timer.expiry.is_some()) {
            return;
        }
        self.update_slice_timer();
    }

    /// The end of a task's dequeue; not from 7.1.
    pub(in crate::fair) fn slice_timer_after_dequeue(&mut self) {
        if self.rules.hrtick && !self.rules.deadline_timer {
            self.update_slice_timer();
        }
    }

    fn update_slice_timer(&mut self) {
        let Some(curr) = self.rq().curr else { return };
        // CFS only: a crowded queue's slices are too short for the timer.
        let crowded = u64::from(self.queues[self.entity[curr].queue].nr) >= self.rules.nr_latency;
        if crowded && self.rules.tree == super::TreeKind::Vruntime {
            return;
        }
        self.start_slice_timer(curr);
    }

    /// `hrtick_start_fair`.
    fn start_slice_timer(&mut self, e: EntityId) {
        if self.queues[self.root()].h <= 1 {
            return;
        }
        let left = if self.rules.deadline_timer {
            self.node[e].deadline.since(self.node[e].vruntime)
        } else {
            let entity = &self.entity[e];
            let ran = entity.sum_exec.wrapping_sub(entity.prev_sum_exec);
            C::slice(self, e).wrapping_sub(ran) as i64
        };
        if left < 0 {
            if self.rq().curr == Some(e) {
                self.request(Reason::SliceOverrun);
            }
            return;
        }
        if self.rules.deadline_timer {
            let weight = self.entity[e].load.weight;
            let wall = (u128::from(weight) * left as u128 / u128::from(NICE_0_LOAD)) as u64;
            let delay = wall.max(LEAST_DELAY_NS);
            if self.rq().timer.in_schedule {
                self.rq_mut().timer.remembered = Some(delay);
            } else {
                let at = self.now + delay;
                self.rq_mut().timer.arm_near(at);
            }
        } else {
            self.rq_mut().timer.expiry = Some(self.now + (left as u64).max(LEAST_DELAY_NS));
        }
    }

    /// The timer fires (`hrtick`): it charges, and always requests.
    pub fn slice_timer_fires(&mut self) {
        self.rq_mut().counters.hrtick += 1;
        self.rq_mut().timer.expiry = None;
        let mut level = self.rq().curr;
        if level.is_none() {
            return;
        }
        while let Some(e) = level {
            C::update_curr(self, self.entity[e].queue);
            self.update_group(e);
            level = self.up(e);
        }
        self.request(Reason::SliceTimer);
    }
}
