//! CFS, 6.1 and 6.5: the rules of one queue (§3).
//! Not for walks over groups: those are in `hierarchy`.

use super::tree::Tree;
use super::weight::{self, Load};
use super::{Buddy, EntityId, Fair, FairClass, Flags, QueueId, Vtime};
use crate::explain::{EntityView, PickRule};
use crate::input::Policy;
use crate::reason::Reason;

/// The completely fair scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Cfs;

impl FairClass for Cfs {
    /// §3.3 `update_curr`.
    fn update_curr(fair: &mut Fair<Self>, q: QueueId) {
        let Some((_, delta)) = fair.charge_running(q) else { return };
        fair.update_min_vruntime(q);
        fair.account_runtime(q, delta);
    }

    /// §3.6 `enqueue_entity`.
    fn enqueue_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId, flags: Flags) {
        let relative = !flags.has(Flags::WAKEUP) || flags.has(Flags::MIGRATED);
        let is_curr = fair.queues[q].curr == Some(e);
        if relative && is_curr {
            fair.make_absolute(q, e);
        }
        Self::update_curr(fair, q);
        if relative && !is_curr {
            fair.make_absolute(q, e);
        }
        fair.update_group(e);
        fair.account_enqueue(q, e);
        if flags.has(Flags::WAKEUP) {
            fair.place_cfs(q, e, false);
        }
        if !is_curr {
            Self::insert(fair, q, e);
        }
        fair.entity[e].on_rq = true;
        fair.throttle_at_enqueue(q);
    }

    /// §3.6 `dequeue_entity`.
    fn dequeue_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId, flags: Flags) -> bool {
        Self::update_curr(fair, q);
        fair.clear_buddies(e);
        if fair.queues[q].curr != Some(e) {
            Self::erase(fair, q, e);
        }
        fair.entity[e].on_rq = false;
        fair.account_dequeue(q, e);
        if !flags.has(Flags::SLEEP) {
            let origin = fair.shared_origin(q);
            let node = &mut fair.node[e];
            node.vruntime = Vtime(node.vruntime.0.wrapping_sub(origin.0));
        }
        fair.return_runtime(q);
        fair.update_group(e);
        if !flags.has(Flags::SAVE) || flags.has(Flags::MOVE) {
            fair.update_min_vruntime(q);
        }
        true
    }

    /// §3.7 `pick_next_entity`.
    fn pick_entity(fair: &mut Fair<Self>, q: QueueId) -> Option<EntityId> {
        Self::pick_rule(fair, q).map(|(e, _)| e)
    }

    fn pick_rule(fair: &Fair<Self>, q: QueueId) -> Option<(EntityId, PickRule)> {
        let queue = &fair.queues[q];
        let curr = fair.queued_curr(q);
        let first = queue.tree.leftmost();
        let behind = |a: EntityId, b: EntityId| fair.node[a].vruntime.before(fair.node[b].vruntime);
        let left = match (first, curr) {
            (Some(first), Some(curr)) if behind(curr, first) => curr,
            (Some(first), _) => first,
            (None, curr) => curr?,
        };
        let wanted = |buddy: Option<EntityId>| buddy.filter(|buddy| fair.wakeup_order(*buddy, left) < 1);
        if let Some(next) = wanted(queue.next) {
            return Some((next, PickRule::NextBuddy));
        }
        if let Some(last) = wanted(queue.last) {
            return Some((last, PickRule::LastBuddy));
        }
        if queue.skip == Some(left) {
            let second = if curr == Some(left) {
                first
            } else {
                match (Tree::successor(&fair.node, left), curr) {
                    (Some(next), Some(curr)) if behind(curr, next) => Some(curr),
                    (Some(next), _) => Some(next),
                    (None, curr) => curr,
                }
            };
            if let Some(second) = wanted(second) {
                return Some((second, PickRule::SecondAfterYield));
            }
        }
        Some((left, if queue.nr == 1 { PickRule::Lone } else { PickRule::SmallestVruntime }))
    }

    fn protect(_: &mut Fair<Self>, _: QueueId, _: EntityId, _: bool) {}

    fn insert(fair: &mut Fair<Self>, q: QueueId, e: EntityId) {
        fair.queues[q].tree.insert(&mut fair.node, e);
    }

    fn erase(fair: &mut Fair<Self>, q: QueueId, e: EntityId) {
        fair.queues[q].tree.erase(&mut fair.node, e);
    }

    /// §3.9 `check_preempt_tick`.
    fn tick_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId) {
        if fair.queues[q].nr <= 1 {
            return;
        }
        fair.rq_mut().counters.tick_check_preempts += 1;
        let mut ideal = fair.sched_slice(q, e);
        if fair.rules.tick_slice_cap {
            ideal = ideal.min(fair.rules.latency);
        }
        let entity = &fair.entity[e];
        let ran = entity.sum_exec.wrapping_sub(entity.prev_sum_exec);
        if ran > ideal {
            fair.rq_mut().counters.tick_preempts += 1;
            fair.request(Reason::TickSlice);
            fair.clear_buddies(e);
            return;
        }
        if ran < fair.rules.min_granularity {
            return;
        }
        let Some(first) = fair.queues[q].tree.leftmost() else { return };
        let ahead = fair.node[e].vruntime.since(fair.node[first].vruntime);
        if ahead >= 0 && ahead as u64 > ideal {
            fair.rq_mut().counters.tick_preempts += 1;
            fair.request(Reason::TickVruntime);
        }
    }

    /// §3.6 `task_fork_fair`: on the parent's queue, then relative for the move to its own.
    fn fork(fair: &mut Fair<Self>, child: EntityId) {
        let q = fair.rq().curr.map_or(fair.root(), |parent| fair.entity[parent].queue);
        let parent = fair.queues[q].curr;
        if let Some(parent) = parent {
            Self::update_curr(fair, q);
            fair.node[child].vruntime = fair.node[parent].vruntime;
        }
        fair.place_cfs(q, child, true);
        let origin = fair.shared_origin(q);
        let node = &mut fair.node[child];
        node.vruntime = Vtime(node.vruntime.0.wrapping_sub(origin.0));
    }

    /// §3.8 `check_preempt_wakeup`.
    fn wakeup_preempt(fair: &mut Fair<Self>, woken: EntityId, fork: bool) {
        let Some(running) = fair.rq().curr else { return };
        if running == woken || fair.queues[fair.entity[woken].queue].throttled_above > 0 {
            return;
        }
        let crowded = u64::from(fair.queues[fair.entity[running].queue].nr) >= fair.rules.nr_latency;
        let marked = fair.rules.next_buddy && crowded && !fork;
        if marked {
            fair.mark_buddy(woken, Buddy::Next);
        }
        if fair.rq().request.is_some() {
            return;
        }
        let (mut pair, mut reason) = ((running, woken), None);
        let policy = |fair: &Fair<Self>, e: EntityId| fair.entity[e].policy();
        if policy(fair, running) == Some(Policy::Idle) && policy(fair, woken) != Some(Policy::Idle) {
            reason = Some(Reason::WakeupIdlePolicy);
        } else if policy(fair, woken) == Some(Policy::Normal) && fair.rules.wakeup_preemption {
            pair = fair.matching_pair(running, woken);
            let (a, b) = pair;
            let (idle_a, idle_b) = (fair.entity[a].is_idle(), fair.entity[b].is_idle());
            if idle_a && !idle_b {
                reason = Some(Reason::WakeupIdlePolicy);
            } else if idle_a == idle_b {
                Self::update_curr(fair, fair.entity[a].queue);
                if fair.wakeup_order(a, b) == 1 {
                    if !marked {
                        fair.mark_buddy(b, Buddy::Next);
                    }
                    reason = Some(Reason::WakeupVruntime);
                }
            }
        }
        let Some(reason) = reason else { return };
        fair.request(reason);
        if fair.rules.last_buddy && crowded && fair.entity[running].on_rq && fair.entity[pair.0].is_task() {
            fair.mark_buddy(pair.0, Buddy::Last);
        }
    }

    /// §3.9 `yield_task_fair`.
    fn yield_task(fair: &mut Fair<Self>, e: EntityId) {
        fair.clear_buddies(e);
        if fair.entity[e].policy() != Some(Policy::Batch) {
            Self::update_curr(fair, fair.entity[e].queue);
        }
        let mut level = Some(e);
        while let Some(e) = level {
            let q = fair.entity[e].queue;
            fair.queues[q].skip = Some(e);
            level = fair.up(e);
        }
    }

    /// §3.6: its vruntime becomes relative to the queue it leaves.
    fn leave_cpu(fair: &mut Fair<Self>, e: EntityId) {
        let origin = fair.shared_origin(fair.entity[e].queue);
        let node = &mut fair.node[e];
        node.vruntime = Vtime(node.vruntime.0.wrapping_sub(origin.0));
    }

    /// §4.16 `reweight_entity`: vruntime is unchanged.
    fn reweight(fair: &mut Fair<Self>, e: EntityId, load: Load) {
        let q = fair.entity[e].queue;
        if fair.entity[e].on_rq {
            if fair.queues[q].curr == Some(e) {
                Self::update_curr(fair, q);
            }
            let old = fair.entity[e].load.weight;
            fair.queues[q].load.remove(old);
            fair.queues[q].load.add(load.weight);
        }
        fair.entity[e].load = load;
    }

    fn requeue_delayed(_: &mut Fair<Self>, _: EntityId) {}

    /// §4.16: a task that has run takes its distance to min_vruntime along.
    fn move_sleeping(fair: &mut Fair<Self>, e: EntityId, to: QueueId) {
        let from = fair.entity[e].queue;
        fair.entity[e].queue = to;
        if fair.entity[e].sum_exec == 0 {
            return;
        }
        fair.place_cfs(from, e, false);
        let (old, new) = (fair.queues[from].origin, fair.queues[to].origin);
        let node = &mut fair.node[e];
        node.vruntime = Vtime(node.vruntime.0.wrapping_sub(old.0).wrapping_add(new.0));
    }

    fn complete_view(fair: &Fair<Self>, q: QueueId, e: EntityId, view: &mut EntityView) {
        view.slice_ns = fair.sched_slice(q, e);
    }

    fn average_of(fair: &Fair<Self>, q: QueueId) -> Vtime {
        fair.queues[q].origin
    }

    fn is_eligible(_: &Fair<Self>, _: EntityId) -> bool {
        true
    }

    fn slice(fair: &Fair<Self>, e: EntityId) -> u64 {
        fair.sched_slice(fair.entity[e].queue, e)
    }
}

impl Fair<Cfs> {
    fn make_absolute(&mut self, q: QueueId, e: EntityId) {
        let origin = self.shared_origin(q);
        let node = &mut self.node[e];
        node.vruntime = node.vruntime.plus(origin.0);
    }

    /// §3.3 `update_min_vruntime`: never moves back.
    fn update_min_vruntime(&mut self, q: QueueId) {
        let queue = &self.queues[q];
        let curr = self.queued_curr(q).map(|curr| self.node[curr].vruntime);
        let first = queue.tree.leftmost().map(|first| self.node[first].vruntime);
        let candidate = match (curr, first) {
            (Some(curr), Some(first)) => curr.earlier(first),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return,
        };
        let origin = self.shared_origin(q).later(candidate);
        self.queues[q].origin = origin;
    }

    /// §3.4 `__sched_period`.
    fn sched_period(&self, tasks: u64) -> u64 {
        if tasks > self.rules.nr_latency { tasks * self.rules.min_granularity } else { self.rules.latency }
    }

    /// §3.4 `sched_slice`, with `q` the queue handed in, through every level above `e`.
    pub(in crate::fair) fn sched_slice(&self, q: QueueId, e: EntityId) -> u64 {
        let tasks = if self.rules.alt_period { self.queues[self.root()].h } else { self.queues[q].nr };
        let mut slice = self.sched_period(u64::from(tasks) + u64::from(!self.entity[e].on_rq));
        let mut level = Some(e);
        while let Some(e) = level {
            let entity = &self.entity[e];
            let mut load = self.queues[entity.queue].load;
            if !entity.on_rq {
                load.add(entity.load.weight);
            }
            slice = weight::scale(slice, entity.load.weight, &load);
            level = self.up(e);
        }
        if self.rules.slice_floor {
            let queue = &self.queues[q];
            let all_idle = queue.nr > 0 && queue.nr == queue.idle_nr;
            let floor = if self.entity[e].is_idle() && !all_idle {
                self.rules.idle_min_granularity
            } else {
                self.rules.min_granularity
            };
            slice = slice.max(floor);
        }
        slice
    }

    /// §3.5 `place_entity`.
    fn place_cfs(&mut self, q: QueueId, e: EntityId, initial: bool) {
        let mut vruntime = self.shared_origin(q);
        if initial {
            if self.rules.start_debit {
                let slice = self.sched_slice(q, e);
                vruntime = vruntime.plus(self.virtual_length(slice, e));
            }
        } else {
            let mut credit = if self.entity[e].is_idle() { self.rules.min_granularity } else { self.rules.latency };
            if self.rules.gentle_fair_sleepers {
                credit >>= 1;
            }
            vruntime = Vtime(vruntime.0.wrapping_sub(credit));
        }
        let long = self.is_long_sleeper(e);
        let node = &mut self.node[e];
        node.vruntime = if long { vruntime } else { node.vruntime.later(vruntime) };
    }

    /// §3.5: asleep for more than about 104 days, so that comparisons would wrap.
    fn is_long_sleeper(&self, e: EntityId) -> bool {
        let started = self.entity[e].exec_start;
        started != 0 && self.now > started && self.now - started > (1 << 63) / 1024
    }

    /// §3.7 `wakeup_preempt_entity`: 1 when `other` is behind `entity` by more than the wake-up
    /// granularity, 0 when by less, -1 when not behind.
    fn wakeup_order(&self, entity: EntityId, other: EntityId) -> i32 {
        let ahead = self.node[entity].vruntime.since(self.node[other].vruntime);
        if ahead <= 0 {
            return -1;
        }
        let granularity = self.virtual_length(self.rules.wakeup_granularity, other);
        i32::from(ahead > granularity as i64)
    }
}
