//! EEVDF, 6.6 to 7.3: the rules of one queue (§4, current-kernels §2).
//! Here: charging, enqueue and dequeue. `average` has V, eligibility and lag; `pick` the search
//! and protection; `place` placement and reweight; `preempt` the wake-up check.

mod average;
mod pick;
mod place;
mod preempt;
#[cfg(test)]
mod tests;

use super::{EntityId, Fair, FairClass, Flags, Load, QueueId, Vtime};
use crate::explain::{EntityView, PickRule};
use crate::kernel::rules::{LagLimit, Origin, Protection, Renewal, Yield};
use crate::reason::Reason;

/// Earliest eligible virtual deadline first.
#[derive(Clone, Debug)]
pub(crate) struct Eevdf;

impl FairClass for Eevdf {
    /// §4.4 `update_curr`.
    fn update_curr(fair: &mut Fair<Self>, q: QueueId) {
        let Some((curr, delta)) = fair.charge_running(q) else { return };
        let renewed = fair.update_deadline(q, curr);
        fair.update_min_vruntime(q);
        fair.account_runtime(q, delta);
        if fair.rules.renewal != Renewal::Reports || fair.queues[q].nr == 1 {
            return;
        }
        if renewed {
            fair.rq_mut().counters.preempt_deadline += 1;
            fair.request(Reason::Deadline);
        } else if let Some(reason) = fair.protection_lost(q, curr) {
            fair.rq_mut().counters.short_resched += 1;
            fair.request(reason);
        } else {
            return;
        }
        fair.clear_buddies(curr);
    }

    /// §4.7 `enqueue_entity`: every enqueue places.
    fn enqueue_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId, flags: Flags) {
        let is_curr = fair.queues[q].curr == Some(e);
        if is_curr {
            fair.place(q, e, flags);
        }
        Self::update_curr(fair, q);
        fair.update_group(e);
        if !is_curr {
            fair.place(q, e, flags);
        }
        fair.account_enqueue(q, e);
        if !is_curr {
            Self::insert(fair, q, e);
        }
        fair.entity[e].on_rq = true;
        fair.throttle_at_enqueue(q);
    }

    /// §4.7, §4.10 `dequeue_entity`.
    fn dequeue_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId, flags: Flags) -> bool {
        Self::update_curr(fair, q);
        if fair.rules.lag_before_delay {
            fair.update_entity_lag(q, e);
        }
        if fair.rules.buddy_cleared_before_delay {
            fair.clear_buddies(e);
        }
        let may_delay = flags.has(Flags::SLEEP) && !flags.has(Flags::SPECIAL) && !flags.has(Flags::DELAYED);
        if fair.rules.delay_dequeue && may_delay && !fair.eligible(q, fair.node[e].vruntime) {
            if fair.queues[q].next == Some(e) {
                fair.queues[q].next = None;
            }
            if fair.rules.delayed_lag_kept && !fair.rules.lag_before_delay {
                fair.update_entity_lag(q, e);
            }
            fair.entity[e].delayed = true;
            return false;
        }
        fair.clear_buddies(e);
        if !fair.rules.lag_before_delay {
            fair.update_entity_lag(q, e);
        }
        if fair.rules.place_rel_deadline && !flags.has(Flags::SLEEP) {
            let node = &mut fair.node[e];
            node.deadline = Vtime(node.deadline.0.wrapping_sub(node.vruntime.0));
            fair.entity[e].rel_deadline = true;
        }
        if fair.queues[q].curr != Some(e) {
            Self::erase(fair, q, e);
        }
        fair.entity[e].on_rq = false;
        fair.account_dequeue(q, e);
        fair.return_runtime(q);
        fair.update_group(e);
        if !flags.has(Flags::SAVE) || flags.has(Flags::MOVE) {
            fair.update_min_vruntime(q);
        }
        if flags.has(Flags::DELAYED) {
            fair.entity[e].delayed = false;
            if fair.rules.delay_zero && !fair.rules.delayed_lag_kept {
                fair.entity[e].vlag = fair.entity[e].vlag.min(0);
            }
        }
        true
    }

    fn pick_entity(fair: &mut Fair<Self>, q: QueueId) -> Option<EntityId> {
        fair.pick_next(q).map(|(e, _)| e)
    }

    fn pick_rule(fair: &Fair<Self>, q: QueueId) -> Option<(EntityId, PickRule)> {
        fair.pick_next(q)
    }

    fn protect(fair: &mut Fair<Self>, q: QueueId, e: EntityId, picked: bool) {
        if picked || !fair.rules.protect_only_picked {
            fair.set_protection(q, e);
        }
    }

    /// §4.2: the sums follow the tree.
    fn insert(fair: &mut Fair<Self>, q: QueueId, e: EntityId) {
        let weight = fair.average_weight(e);
        let key = fair.node[e].vruntime.since(fair.queues[q].origin);
        let queue = &mut fair.queues[q];
        queue.key_sum = queue.key_sum.wrapping_add(key.wrapping_mul(weight as i64));
        queue.weight_sum += weight;
        queue.tree.insert(&mut fair.node, e);
        fair.follow_average(q);
    }

    fn erase(fair: &mut Fair<Self>, q: QueueId, e: EntityId) {
        let weight = fair.average_weight(e);
        let key = fair.node[e].vruntime.since(fair.queues[q].origin);
        let queue = &mut fair.queues[q];
        queue.tree.erase(&mut fair.node, e);
        queue.key_sum = queue.key_sum.wrapping_sub(key.wrapping_mul(weight as i64));
        queue.weight_sum -= weight;
        fair.follow_average(q);
    }

    /// §4.4: the tick only charges. In eevdf-rfc (§4.14) it compares who runs with who would be
    /// picked.
    fn tick_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId) {
        if fair.rules.early_eevdf && fair.queues[q].nr > 1 {
            fair.rq_mut().counters.tick_check_preempts += 1;
            if fair.search(q, true, true, None).map(|(found, _)| found) != Some(e) {
                fair.rq_mut().counters.tick_preempts += 1;
                fair.request(Reason::TickSearch);
            }
        }
    }

    /// §4.9: up to 6.8 the parent is charged; the placement made there is overwritten.
    fn fork(fair: &mut Fair<Self>, child: EntityId) {
        fair.entity[child].vlag = 0;
        if !fair.rules.initial_placement
            && let Some(parent) = fair.rq().curr
        {
            Self::update_curr(fair, fair.entity[parent].queue);
        }
    }

    fn wakeup_preempt(fair: &mut Fair<Self>, woken: EntityId, fork: bool) {
        fair.check_wakeup_preempt(woken, fork);
    }

    /// §4.12, current-kernels §2.11 `yield_task_fair`.
    fn yield_task(fair: &mut Fair<Self>, e: EntityId) {
        let q = fair.entity[e].queue;
        fair.clear_buddies(e);
        Self::update_curr(fair, q);
        let length = fair.virtual_length(fair.node[e].slice, e);
        match fair.rules.yields {
            Yield::PushDeadline => fair.node[e].deadline = fair.node[e].deadline.plus(length),
            Yield::ForfeitAndRenew | Yield::ForfeitAndPush => {
                if !fair.eligible(q, fair.node[e].vruntime) {
                    return;
                }
                fair.node[e].vruntime = fair.node[e].deadline;
                if fair.rules.yields == Yield::ForfeitAndPush {
                    fair.node[e].deadline = fair.node[e].deadline.plus(length);
                } else {
                    fair.update_deadline(q, e);
                }
            }
        }
    }

    /// §4.12: the lag travels along.
    fn leave_cpu(_: &mut Fair<Self>, _: EntityId) {}

    fn reweight(fair: &mut Fair<Self>, e: EntityId, load: Load) {
        fair.reweight_entity(e, load);
    }

    /// §4.10, current-kernels §2.10 `requeue_delayed_entity`.
    fn requeue_delayed(fair: &mut Fair<Self>, e: EntityId) {
        let q = fair.entity[e].queue;
        if fair.rules.requeue_charges {
            Self::update_curr(fair, q);
        }
        let replace = if fair.rules.delayed_lag_kept {
            fair.update_entity_lag(q, e);
            fair.average(q).moved(fair.entity[e].vlag.wrapping_neg()) != fair.node[e].vruntime
        } else if fair.rules.delay_zero {
            fair.update_entity_lag(q, e);
            let gained = fair.entity[e].vlag > 0;
            if gained {
                fair.entity[e].vlag = 0;
            }
            gained
        } else {
            false
        };
        if replace {
            let is_curr = fair.queues[q].curr == Some(e);
            fair.queues[q].nr -= 1;
            if !is_curr {
                Self::erase(fair, q, e);
            }
            fair.place(q, e, Flags::NONE);
            if !is_curr {
                Self::insert(fair, q, e);
            }
            fair.queues[q].nr += 1;
        }
        fair.entity[e].delayed = false;
    }

    /// §4.16: the stored lag goes along.
    fn move_sleeping(fair: &mut Fair<Self>, e: EntityId, to: QueueId) {
        fair.entity[e].queue = to;
    }

    fn complete_view(fair: &Fair<Self>, q: QueueId, e: EntityId, view: &mut EntityView) {
        let node = &fair.node[e];
        let average = fair.average_now(q);
        view.deadline_rel_ns = Some(node.deadline.since(average));
        view.lag_ns = Some(average.since(node.vruntime));
        view.eligible = Some(fair.eligible(q, node.vruntime));
        if view.running {
            view.protected = Some(fair.keeps_cpu(e));
            if matches!(fair.rules.protection, Protection::Bound | Protection::LagBound) {
                view.protected_until_rel_ns = Some(fair.entity[e].protection.since(average));
            }
        }
    }

    fn average_of(fair: &Fair<Self>, q: QueueId) -> Vtime {
        fair.average_now(q)
    }

    fn is_eligible(fair: &Fair<Self>, e: EntityId) -> bool {
        fair.eligible(fair.entity[e].queue, fair.node[e].vruntime)
    }

    fn slice(fair: &Fair<Self>, e: EntityId) -> u64 {
        fair.node[e].slice
    }
}

impl Fair<Eevdf> {
    /// §4.4 `update_deadline`: one step, however far vruntime has overrun.
    fn update_deadline(&mut self, q: QueueId, e: EntityId) -> bool {
        self.rq_mut().counters.check_deadline += 1;
        if self.node[e].vruntime.before(self.node[e].deadline) {
            return false;
        }
        if !self.entity[e].custom_slice {
            self.node[e].slice = self.rules.base_slice;
        }
        let length = self.virtual_length(self.node[e].slice, e);
        let node = &mut self.node[e];
        node.deadline = node.vruntime.plus(length);
        self.rq_mut().counters.update_deadline += 1;
        if self.rules.origin == Origin::AverageOnUse {
            self.average(q);
        }
        if self.rules.renewal == Renewal::Requests && self.queues[q].nr > 1 {
            self.rq_mut().counters.preempt_deadline += 1;
            self.request(Reason::Deadline);
            self.clear_buddies(e);
        }
        true
    }

    /// Why a running entity whose deadline stands may be rescheduled (§4.4 `did_preempt_short`,
    /// current-kernels §2.6).
    fn protection_lost(&self, q: QueueId, curr: EntityId) -> Option<Reason> {
        if self.is_protected(curr) {
            return None;
        }
        match self.rules.protection {
            Protection::None => None,
            Protection::Marker => {
                (self.rules.preempt_short && !self.eligible(q, self.node[curr].vruntime)).then_some(Reason::Ineligible)
            }
            Protection::Bound | Protection::LagBound => Some(Reason::ProtectionEnded),
        }
    }

    /// §4.3, current-kernels §2.3 `update_entity_lag`: before the entity leaves.
    fn update_entity_lag(&mut self, q: QueueId, e: EntityId) {
        let average = self.average(q);
        let mut lag = self.clamped_lag(q, e, average);
        let stored = self.entity[e].vlag;
        if self.rules.delayed_lag_kept && self.entity[e].delayed {
            lag = lag.max(stored);
            if self.rules.delay_zero {
                lag = lag.min(0);
            }
        }
        self.entity[e].vlag = lag;
    }

    /// An entity's lag against V, within its limit (`entity_lag`).
    fn clamped_lag(&self, q: QueueId, e: EntityId, average: Vtime) -> i64 {
        let slice = match self.rules.lag_limit {
            LagLimit::TwiceSlice => (2 * self.node[e].slice).max(self.rules.tick_ns),
            LagLimit::LargestSlice => self.largest_slice(q) + self.rules.tick_ns,
        };
        let limit = self.virtual_length(slice, e) as i64;
        average.since(self.node[e].vruntime).clamp(-limit, limit)
    }

    /// The largest queued slice, as the tree knows it (current-kernels §2.3).
    fn largest_slice(&self, q: QueueId) -> u64 {
        let curr = self.queued_curr(q).map(|curr| self.node[curr].slice);
        let tree = self.queues[q].tree.root().map(|root| self.node[root].largest_slice);
        curr.unwrap_or(0).max(tree.unwrap_or(0))
    }
}
