//! Group entities: weights, cpu.idle, moves between groups (§4.16).
//! Not for the walks: those are in `hierarchy`.

use super::weight::{LOAD_SHIFT, Load};
use super::{Entity, EntityId, EntityKind, Fair, FairClass, Flags, Node, QueueId};
use crate::input::GroupId;
use crate::reason::Reason;

/// The shares of a group with cpu.idle.
const IDLE_SHARES: u64 = 3;
/// The shares of cpu.weight 100.
const DEFAULT_SHARES: u64 = 1024;

/// §4.16: cpu.weight to shares, clamped to [2, 2^18].
fn shares_of_weight(weight: u32) -> u64 {
    ((u64::from(weight) * 1024 + 50) / 100).clamp(2, 1 << 18)
}

impl<C: FairClass> Fair<C> {
    /// Makes a group on every CPU; groups are made in order, parents first.
    pub fn add_group(&mut self, group: GroupId, parent: Option<GroupId>) {
        for cpu in 0..self.rqs.len() as u32 {
            self.at(cpu);
            let (owns, parent) = (self.queue_of(Some(group)), self.queue_of(parent));
            let owner = self.entity.push(Entity::group(owns, parent));
            self.node.push(Node::default());
            self.queues[owns].owner = Some(owner);
            self.queues[owns].depth = self.queues[parent].depth + 1;
        }
        self.at(0);
    }

    /// A write of cpu.weight; refused for an idle group.
    pub fn write_weight(&mut self, group: GroupId, weight: u32) {
        self.on_every_cpu(group, |fair, queue| {
            if !fair.is_idle_group(queue) {
                fair.write_shares(queue, shares_of_weight(weight));
            }
        });
    }

    /// Does something with a group's queue on each CPU, in order.
    pub(in crate::fair) fn on_every_cpu(&mut self, group: GroupId, mut change: impl FnMut(&mut Self, QueueId)) {
        let before = self.cpu();
        for cpu in 0..self.rqs.len() as u32 {
            let queue = self.at(cpu).queue_of(Some(group));
            change(self, queue);
        }
        self.at(before);
    }

    /// A write of cpu.idle: idle groups have shares 3, others 1024 whatever they had before.
    pub fn write_idle(&mut self, group: GroupId, idle: bool) {
        self.on_every_cpu(group, |fair, queue| fair.write_idle_of(queue, idle));
    }

    fn write_idle_of(&mut self, group: QueueId, idle: bool) {
        let Some(owner) = self.queues[group].owner else { return };
        if self.is_idle_group(group) == idle {
            return;
        }
        if let EntityKind::Group { idle: flag, .. } = &mut self.entity[owner].kind {
            *flag = idle;
        }
        if self.entity[owner].on_rq {
            let above = self.entity[owner].queue;
            let count = &mut self.queues[above].idle_nr;
            *count = if idle { *count + 1 } else { *count - 1 };
        }
        self.write_shares(group, if idle { IDLE_SHARES } else { DEFAULT_SHARES });
    }

    /// Whether the group has cpu.idle.
    pub fn is_idle_group(&self, group: QueueId) -> bool {
        self.queues[group].owner.is_some_and(|owner| self.entity[owner].is_idle())
    }

    fn write_shares(&mut self, group: QueueId, shares: u64) {
        if self.queues[group].shares == shares {
            return;
        }
        self.queues[group].shares = shares;
        let mut level = self.queues[group].owner;
        while let Some(e) = level {
            self.update_group(e);
            level = self.up(e);
        }
    }

    /// Brings a group entity's weight up to its shares (`update_cfs_group`).
    pub(in crate::fair) fn update_group(&mut self, e: EntityId) {
        let Some(owned) = self.owned(e) else { return };
        self.count_group_load(owned);
        let queue = &self.queues[owned];
        let waits = self.rules.empty_group_keeps_weight && !self.rules.flat_groups;
        if queue.throttled_above > 0 || (waits && queue.load.weight == 0) {
            return;
        }
        let weight = self.shares_here(owned) << LOAD_SHIFT;
        if self.rules.flat_groups {
            self.set_group_weight(e, owned, Load::of_weight(weight));
        } else if self.entity[e].load.weight != weight {
            C::reweight(self, e, Load::of_weight(weight));
        }
    }

    /// The part of a group's shares that its queue on one CPU gets: its part of the group's load on
    /// all CPUs (`calc_group_shares`). The kernel weighs by load averages; here by the weights
    /// that are queued.
    fn shares_here(&self, q: QueueId) -> u64 {
        let queue = &self.queues[q];
        let (shares, all) = (queue.shares, self.group_load[self.group_index(q)]);
        if self.is_single() || all == 0 {
            return shares;
        }
        (shares * queue.contribution / all).clamp(2.min(shares), shares)
    }

    /// Brings the group's load on all CPUs up to date with that of one queue.
    fn count_group_load(&mut self, q: QueueId) {
        let index = self.group_index(q);
        let queue = &mut self.queues[q];
        let load = queue.load.weight >> LOAD_SHIFT;
        let before = std::mem::replace(&mut queue.contribution, load);
        let all = &mut self.group_load[index];
        *all = *all + load - before;
    }

    /// Counts an entity that comes onto a queue (`account_entity_enqueue`).
    pub(in crate::fair) fn account_enqueue(&mut self, q: QueueId, e: EntityId) {
        let entity = &self.entity[e];
        let queue = &mut self.queues[q];
        queue.load.add(entity.load.weight);
        queue.nr += 1;
        queue.idle_nr += u32::from(entity.is_idle());
    }

    /// Counts an entity that leaves a queue (`account_entity_dequeue`).
    pub(in crate::fair) fn account_dequeue(&mut self, q: QueueId, e: EntityId) {
        let entity = &self.entity[e];
        let queue = &mut self.queues[q];
        queue.load.remove(entity.load.weight);
        queue.nr -= 1;
        queue.idle_nr -= u32::from(entity.is_idle());
    }

    /// A task moves to another group's queue (§4.16, `sched_move_task`). `started`: it has been
    /// forked. The running task requests a reschedule.
    pub fn move_task(&mut self, e: EntityId, to: QueueId, started: bool) {
        if self.entity[e].group == to {
            return;
        }
        let running = self.rq().curr == Some(e);
        if self.entity[e].on_rq {
            let flags = Flags::SAVE.with(Flags::MOVE);
            self.dequeue_task(e, flags);
            if running {
                self.put_path(e);
            }
            self.set_group(e, to);
            self.enqueue_task(e, flags);
            if running {
                self.set_path(e, false);
                self.request(Reason::GroupMove);
            }
        } else if started && !self.rules.flat_groups {
            C::move_sleeping(self, e, to);
            self.entity[e].group = to;
        } else {
            self.set_group(e, to);
        }
    }

    fn set_group(&mut self, e: EntityId, to: QueueId) {
        self.entity[e].group = to;
        if !self.rules.flat_groups {
            self.entity[e].queue = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_round_to_nearest_shares() {
        assert_eq!([1, 3, 33, 100, 10_000].map(shares_of_weight), [10, 31, 338, 1024, 102_400]);
        assert_eq!(shares_of_weight(0), 2);
    }
}
