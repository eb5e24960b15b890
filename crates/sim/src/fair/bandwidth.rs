//! Bandwidth control: cpu.max on one CPU (§4.18).
//! Not for when the period timer fires: the engine asks [`Fair::next_period`].

use super::{EntityId, Fair, FairClass, Flags, QueueId};
use crate::reason::Reason;

/// What a queue takes from its group's pool at a time, nanoseconds.
const SLICE_NS: i64 = 5_000_000;
/// What an emptied queue may keep, nanoseconds.
const KEPT_NS: i64 = 1_000_000;

/// The limit of a group and what its queue has of it. Times are nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bandwidth {
    quota: Option<u64>,
    period: u64,
    burst: u64,
    pub pool: u64,
    idle: bool,
    active: bool,
    expiry: u64,
    pub nr_periods: u64,
    pub nr_throttled: u64,
    enabled: bool,
    pub remaining: i64,
    pub throttled: bool,
    /// Tasks that left because of this group (6.18 and later).
    parked: Vec<EntityId>,
}

impl Bandwidth {
    fn refill(&mut self) {
        if let Some(quota) = self.quota {
            self.pool = (self.pool + quota).min(quota + self.burst);
        }
    }

    /// Arms the period timer: the expiry moves on by whole periods to the first instant after now.
    const fn start_period(&mut self, now: u64) {
        if self.active {
            return;
        }
        self.active = true;
        if self.expiry <= now {
            self.expiry += ((now - self.expiry) / self.period + 1) * self.period;
        }
    }

    /// Takes run time from the pool up to `target`; whether any is left.
    fn assign(&mut self, target: i64, now: u64) -> bool {
        let want = target.wrapping_sub(self.remaining).max(0) as u64;
        let amount = if self.quota.is_none() {
            want
        } else {
            self.start_period(now);
            let amount = self.pool.min(want);
            if self.pool > 0 {
                self.pool -= amount;
                self.idle = false;
            }
            amount
        };
        self.remaining = self.remaining.wrapping_add(amount as i64);
        self.remaining > 0
    }
}

impl<C: FairClass> Fair<C> {
    /// Sets the first expiry before the first limit.
    pub fn prepare_bandwidth(&mut self, q: QueueId, phase: u64) {
        let bandwidth = self.queues[q].bandwidth.get_or_insert_default();
        bandwidth.expiry = phase;
    }

    /// A write of cpu.max and its burst; no quota: no limit.
    pub fn write_max(&mut self, q: QueueId, quota: Option<u64>, period: u64, burst: u64) {
        let now = self.now;
        let bandwidth = self.queues[q].bandwidth.get_or_insert_default();
        bandwidth.quota = quota;
        bandwidth.period = period.max(1);
        bandwidth.burst = burst;
        if quota.is_some() {
            bandwidth.refill();
            bandwidth.start_period(now);
        }
        bandwidth.enabled = quota.is_some();
        bandwidth.remaining = 0;
        if bandwidth.throttled {
            self.unthrottle(q);
        }
    }

    /// The next expiry of any period timer, and whose it is; groups in order among equals.
    pub fn next_period(&self) -> Option<(u64, QueueId)> {
        let timers = self.queues.iter().enumerate().filter_map(|(index, queue)| {
            let bandwidth = queue.bandwidth.as_ref().filter(|bandwidth| bandwidth.active)?;
            Some((bandwidth.expiry, QueueId(index as u32)))
        });
        timers.min_by_key(|(expiry, q)| (*expiry, q.0))
    }

    /// The period timer of a group fires.
    pub fn period_timer(&mut self, q: QueueId) {
        let Some(bandwidth) = &mut self.queues[q].bandwidth else { return };
        bandwidth.expiry += bandwidth.period;
        if bandwidth.quota.is_none() {
            bandwidth.active = false;
            return;
        }
        bandwidth.nr_periods += 1;
        bandwidth.refill();
        if !bandwidth.throttled {
            if bandwidth.idle {
                bandwidth.active = false;
            } else {
                bandwidth.idle = true;
            }
            return;
        }
        bandwidth.nr_throttled += 1;
        while let Some(bandwidth) =
            self.queues[q].bandwidth.as_mut().filter(|bandwidth| bandwidth.throttled && bandwidth.pool > 0)
        {
            let amount = (1i64.wrapping_sub(bandwidth.remaining)).min(bandwidth.pool as i64);
            bandwidth.pool -= amount as u64;
            bandwidth.remaining += amount;
            if bandwidth.remaining > 0 {
                self.unthrottle(q);
            }
        }
        if let Some(bandwidth) = &mut self.queues[q].bandwidth {
            bandwidth.idle = false;
        }
    }

    /// Charges a queue's run time; in 7.3 that of all groups of the running task.
    pub(in crate::fair) fn account_runtime(&mut self, q: QueueId, delta: u64) {
        if !self.rules.flat_groups {
            self.account_one(q, delta);
            return;
        }
        let mut group = self.queues[q].curr.map(|curr| self.entity[curr].group);
        while let Some(q) = group {
            self.account_one(q, delta);
            group = self.queues[q].owner.map(|owner| self.entity[owner].queue);
        }
    }

    /// `__account_cfs_rq_runtime`.
    fn account_one(&mut self, q: QueueId, delta: u64) {
        let now = self.now;
        let queue = &mut self.queues[q];
        let Some(bandwidth) = queue.bandwidth.as_mut().filter(|bandwidth| bandwidth.enabled) else { return };
        bandwidth.remaining = bandwidth.remaining.wrapping_sub(delta as i64);
        if bandwidth.remaining > 0 || bandwidth.throttled {
            return;
        }
        if !bandwidth.assign(SLICE_NS, now) && (queue.curr.is_some() || self.rules.flat_groups) {
            self.request(Reason::Throttle);
        }
    }

    /// Whether a queue must not run (`check_cfs_rq_runtime`); throttles it if it has to.
    pub(in crate::fair) fn out_of_runtime(&mut self, q: QueueId) -> bool {
        let Some(bandwidth) = &self.queues[q].bandwidth else { return false };
        if !bandwidth.enabled || bandwidth.remaining > 0 {
            return false;
        }
        if self.rules.throttles_tasks {
            // Its tasks leave one by one: the pick goes on and parks who it finds.
            if !bandwidth.throttled {
                self.throttle(q);
            }
            return false;
        }
        bandwidth.throttled || self.throttle(q)
    }

    /// 6.18 and later: a task of a throttled group leaves as it would return to user mode. Whether
    /// it did.
    pub(in crate::fair) fn park_if_throttled(&mut self, e: EntityId) -> bool {
        let mut group = Some(self.entity[e].group);
        while let Some(q) = group {
            if self.rules.flat_groups {
                self.out_of_runtime(q);
            }
            if self.queues[q].is_throttled() {
                self.dequeue_task(e, Flags::SLEEP.with(Flags::SPECIAL));
                if let Some(bandwidth) = &mut self.queues[q].bandwidth {
                    bandwidth.parked.push(e);
                }
                return true;
            }
            group = self.queues[q].owner.map(|owner| self.entity[owner].queue);
        }
        false
    }

    /// The first entity of an empty queue comes (`check_enqueue_throttle`).
    pub(in crate::fair) fn throttle_at_enqueue(&mut self, q: QueueId) {
        let queue = &self.queues[q];
        if queue.nr != 1 || queue.curr.is_some() {
            return;
        }
        if !queue.bandwidth.as_ref().is_some_and(|bandwidth| bandwidth.enabled && !bandwidth.throttled) {
            return;
        }
        self.account_runtime(q, 0);
        if self.queues[q].bandwidth.as_ref().is_some_and(|bandwidth| bandwidth.remaining <= 0) {
            self.throttle(q);
        }
    }

    /// An emptied queue gives back what it need not keep (`return_cfs_rq_runtime`).
    pub(in crate::fair) fn return_runtime(&mut self, q: QueueId) {
        let queue = &mut self.queues[q];
        if queue.nr != 0 {
            return;
        }
        let Some(bandwidth) = queue.bandwidth.as_mut().filter(|bandwidth| bandwidth.enabled) else { return };
        let excess = bandwidth.remaining.wrapping_sub(KEPT_NS);
        if excess <= 0 {
            return;
        }
        if bandwidth.quota.is_some() {
            bandwidth.pool += excess as u64;
        }
        bandwidth.remaining -= excess;
    }

    /// A queue and every queue below it (`walk_tg_tree_from`).
    fn change_throttled_above(&mut self, top: QueueId, up: bool) {
        for index in 0..self.queues.len() {
            let mut at = QueueId(index as u32);
            let inside = loop {
                if at == top {
                    break true;
                }
                match self.queues[at].owner {
                    Some(owner) => at = self.entity[owner].queue,
                    None => break false,
                }
            };
            if inside {
                let count = &mut self.queues[index].throttled_above;
                *count = if up { *count + 1 } else { *count - 1 };
            }
        }
    }

    /// `throttle_cfs_rq`: the group leaves its parents' queues. False when run time was left.
    fn throttle(&mut self, q: QueueId) -> bool {
        let now = self.now;
        if self.queues[q].bandwidth.as_mut().is_some_and(|bandwidth| bandwidth.assign(1, now)) {
            return false;
        }
        if !self.rules.throttles_tasks {
            self.change_throttled_above(q, true);
            self.take_group_off(q);
        }
        if let Some(bandwidth) = &mut self.queues[q].bandwidth {
            bandwidth.throttled = true;
        }
        true
    }

    fn take_group_off(&mut self, q: QueueId) {
        let tasks = self.queues[q].h;
        let mut level = self.queues[q].owner;
        let mut leaving = true;
        while let Some(e) = level {
            if !self.entity[e].on_rq {
                return;
            }
            let above = self.entity[e].queue;
            if leaving {
                let flags = self.throttle_flags(e);
                C::dequeue_entity(self, above, e, flags);
                leaving = self.queues[above].load.weight == 0;
            }
            self.queues[above].h -= tasks;
            level = self.up(e);
        }
    }

    /// How a throttle dequeues: never delayed (6.12 and later).
    fn throttle_flags(&self, e: EntityId) -> Flags {
        let flags = if self.rules.restarting_pick { Flags::SLEEP.with(Flags::SPECIAL) } else { Flags::SLEEP };
        if self.entity[e].delayed { flags.with(Flags::DELAYED) } else { flags }
    }

    /// `unthrottle_cfs_rq`: the group comes back by a wake-up's placement; nobody is preempted.
    fn unthrottle(&mut self, q: QueueId) {
        if let Some(bandwidth) = &mut self.queues[q].bandwidth {
            bandwidth.throttled = false;
            for e in std::mem::take(&mut bandwidth.parked) {
                self.enqueue_task(e, Flags::WAKEUP);
            }
        }
        if self.rules.throttles_tasks {
            if self.is_cpu_idle() && self.queues[QueueId::ROOT].nr > 0 {
                self.request(Reason::Unthrottle);
            }
            return;
        }
        self.change_throttled_above(q, false);
        if self.queues[q].load.weight == 0 {
            return;
        }
        self.put_group_on(q);
        if self.is_cpu_idle() && self.queues[QueueId::ROOT].nr > 0 {
            self.request(Reason::Unthrottle);
        }
    }

    fn put_group_on(&mut self, q: QueueId) {
        let tasks = self.queues[q].h;
        let mut level = self.queues[q].owner;
        let mut coming = true;
        while let Some(e) = level {
            let above = self.entity[e].queue;
            if self.entity[e].on_rq && !self.entity[e].delayed {
                coming = false;
            }
            if coming {
                if self.entity[e].delayed && self.entity[e].on_rq {
                    C::dequeue_entity(self, above, e, Flags::SLEEP.with(Flags::DELAYED));
                }
                C::enqueue_entity(self, above, e, Flags::WAKEUP);
            }
            self.queues[above].h += tasks;
            if self.queues[above].is_throttled() {
                return;
            }
            level = self.up(e);
        }
    }
}
