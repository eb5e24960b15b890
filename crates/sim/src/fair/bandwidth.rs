//! Bandwidth control: cpu.max (§4.18). The group's pool serves the queues of all CPUs, 5 ms at a
//! time; the kernel's slack timer is not modelled.
//! Not for when the period timer fires: the engine asks [`Fair::next_period`].

use super::{EntityId, Fair, FairClass, Flags, QueueId};
use crate::input::GroupId;
use crate::reason::Reason;

/// What a queue takes from its group's pool at a time, nanoseconds.
const SLICE_NS: i64 = 5_000_000;
/// What an emptied queue may keep, nanoseconds.
const KEPT_NS: i64 = 1_000_000;

/// The limit of a group. Times are nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    quota: Option<u64>,
    period: u64,
    burst: u64,
    /// Run time that no queue has taken yet.
    pub left: u64,
    idle: bool,
    active: bool,
    expiry: u64,
    pub nr_periods: u64,
    pub nr_throttled: u64,
}

/// What a queue has of its group's limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bandwidth {
    enabled: bool,
    /// Run time, nanoseconds.
    pub remaining: i64,
    pub throttled: bool,
    /// Tasks that left because of this group (6.18 and later).
    parked: Vec<EntityId>,
}

/// The tasks of a group that leave with it, or come back.
struct Counted {
    tasks: u32,
    delayed: u32,
    idle: u32,
}

impl Pool {
    fn refill(&mut self) {
        if let Some(quota) = self.quota {
            self.left = (self.left + quota).min(quota + self.burst);
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

    /// Takes up to `want` of run time.
    fn take(&mut self, want: u64, now: u64) -> u64 {
        if self.quota.is_none() {
            return want;
        }
        self.start_period(now);
        let amount = self.left.min(want);
        if self.left > 0 {
            self.left -= amount;
            self.idle = false;
        }
        amount
    }
}

impl<C: FairClass> Fair<C> {
    fn pool_mut(&mut self, q: QueueId) -> &mut Pool {
        let index = self.group_index(q);
        self.pools[index].get_or_insert_default()
    }

    /// Takes run time from the pool up to `target`; whether the queue has any.
    fn assign(&mut self, q: QueueId, target: i64) -> bool {
        let now = self.now;
        let remaining = self.queues[q].bandwidth.as_ref().map_or(0, |bandwidth| bandwidth.remaining);
        let amount = self.pool_mut(q).take(target.wrapping_sub(remaining).max(0) as u64, now);
        let remaining = remaining.wrapping_add(amount as i64);
        if let Some(bandwidth) = &mut self.queues[q].bandwidth {
            bandwidth.remaining = remaining;
        }
        remaining > 0
    }

    /// Sets the first expiry before the first limit.
    pub fn prepare_bandwidth(&mut self, group: GroupId, phase: u64) {
        let q = self.queue_of(Some(group));
        self.pool_mut(q).expiry = phase;
    }

    /// A write of cpu.max and its burst; no quota: no limit.
    pub fn write_max(&mut self, group: GroupId, quota: Option<u64>, period: u64, burst: u64) {
        let now = self.now;
        let q = self.queue_of(Some(group));
        let pool = self.pool_mut(q);
        pool.quota = quota;
        pool.period = period.max(1);
        pool.burst = burst;
        if quota.is_some() {
            pool.refill();
            pool.start_period(now);
        }
        self.on_every_cpu(group, |fair, q| {
            let bandwidth = fair.queues[q].bandwidth.get_or_insert_default();
            bandwidth.enabled = quota.is_some();
            bandwidth.remaining = 0;
            if bandwidth.throttled {
                fair.unthrottle(q);
            }
        });
    }

    /// The next expiry of any period timer, and whose it is; groups in order among equals.
    pub fn next_period(&self) -> Option<(u64, GroupId)> {
        let timers = self.pools.iter().enumerate().filter_map(|(index, pool)| {
            let pool = pool.as_ref().filter(|pool| pool.active)?;
            Some((pool.expiry, GroupId(index.checked_sub(1)? as u32)))
        });
        timers.min_by_key(|(expiry, group)| (*expiry, group.0))
    }

    /// The period timer of a group fires.
    pub fn period_timer(&mut self, group: GroupId) {
        let here = self.queue_of(Some(group));
        let mut any_throttled = false;
        self.on_every_cpu(group, |fair, q| any_throttled |= fair.queues[q].is_throttled());
        let pool = self.pool_mut(here);
        pool.expiry += pool.period;
        if pool.quota.is_none() {
            pool.active = false;
            return;
        }
        pool.nr_periods += 1;
        pool.refill();
        if !any_throttled {
            if pool.idle {
                pool.active = false;
            } else {
                pool.idle = true;
            }
            return;
        }
        pool.nr_throttled += 1;
        self.on_every_cpu(group, Self::give_runtime);
        self.pool_mut(here).idle = false;
    }

    /// A throttled queue gets what it lacks, as far as the pool has it (`distribute_cfs_runtime`).
    fn give_runtime(&mut self, q: QueueId) {
        while let Some(bandwidth) = self.queues[q].bandwidth.as_ref().filter(|bandwidth| bandwidth.throttled) {
            let remaining = bandwidth.remaining;
            let pool = self.pool_mut(q);
            if pool.left == 0 {
                return;
            }
            let amount = (1i64.wrapping_sub(remaining)).min(pool.left as i64);
            pool.left -= amount as u64;
            if let Some(bandwidth) = &mut self.queues[q].bandwidth {
                bandwidth.remaining += amount;
            }
            if remaining + amount > 0 {
                self.unthrottle(q);
            }
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
        let queue = &mut self.queues[q];
        let Some(bandwidth) = queue.bandwidth.as_mut().filter(|bandwidth| bandwidth.enabled) else { return };
        bandwidth.remaining = bandwidth.remaining.wrapping_sub(delta as i64);
        if bandwidth.remaining > 0 || bandwidth.throttled {
            return;
        }
        if !self.assign(q, SLICE_NS) && (self.queues[q].curr.is_some() || self.rules.flat_groups) {
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
        bandwidth.remaining -= excess;
        let pool = self.pool_mut(q);
        if pool.quota.is_some() {
            pool.left += excess as u64;
        }
    }

    /// A queue and every queue below it (`walk_tg_tree_from`).
    fn change_throttled_above(&mut self, top: QueueId, up: bool) {
        let first = self.queue_on(QueueId(0), self.queues[top].cpu).0;
        for index in first..first + self.stride {
            let mut at = QueueId(index);
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
                let count = &mut self.queues[QueueId(index)].throttled_above;
                *count = if up { *count + 1 } else { *count - 1 };
            }
        }
    }

    /// `throttle_cfs_rq`: the group leaves its parents' queues. False when run time was left.
    fn throttle(&mut self, q: QueueId) -> bool {
        if self.assign(q, 1) {
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

    fn counted(&self, q: QueueId) -> Counted {
        let queue = &self.queues[q];
        Counted { tasks: queue.h, delayed: queue.delayed_tasks, idle: queue.idle_tasks }
    }

    fn take_group_off(&mut self, q: QueueId) {
        let Counted { tasks, delayed, idle } = self.counted(q);
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
            let queue = &mut self.queues[above];
            queue.h -= tasks;
            queue.delayed_tasks -= delayed;
            queue.idle_tasks -= idle;
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
            if self.is_cpu_idle() && self.queues[self.root()].nr > 0 {
                self.request(Reason::Unthrottle);
            }
            return;
        }
        self.change_throttled_above(q, false);
        if self.queues[q].load.weight == 0 {
            return;
        }
        self.put_group_on(q);
        if self.is_cpu_idle() && self.queues[self.root()].nr > 0 {
            self.request(Reason::Unthrottle);
        }
    }

    fn put_group_on(&mut self, q: QueueId) {
        let Counted { tasks, delayed, idle } = self.counted(q);
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
            let queue = &mut self.queues[above];
            queue.h += tasks;
            queue.delayed_tasks += delayed;
            queue.idle_tasks += idle;
            if self.queues[above].is_throttled() {
                return;
            }
            level = self.up(e);
        }
    }
}
