//! Placement and reweight (§4.7, §4.8, current-kernels §2.7, §2.11).
//! Not for when they happen.

use super::super::tree::Tree;
use super::super::{EntityId, Fair, FairClass, Flags, Load, QueueId, Vtime};
use super::Eevdf;
use crate::kernel::rules::Reweight;

/// `value · old / new` in s64 with a truncating division (§4.8).
const fn rescale(value: i64, old: u64, new: u64) -> i64 {
    if new == 0 {
        return value;
    }
    value.wrapping_mul(old as i64).wrapping_div(new as i64)
}

impl Fair<Eevdf> {
    /// §4.7 `place_entity`, before the entity is counted.
    pub(super) fn place(&mut self, q: QueueId, e: EntityId, flags: Flags) {
        self.place_among(q, e, flags, self.queues[q].nr);
    }

    /// §4.14, PLACE_FUDGE: whether an entity's slice is shorter than the queue's weighted mean.
    fn is_shorter_than_average(&self, q: QueueId, e: EntityId) -> bool {
        let (mut slices, mut at) = (0u128, self.queues[q].tree.leftmost());
        while let Some(other) = at {
            slices += u128::from(self.node[other].slice) * u128::from(self.average_weight(other));
            at = Tree::successor(&self.node, other);
        }
        slices > u128::from(self.node[e].slice) * u128::from(self.queues[q].weight_sum)
    }

    /// §4.14: the deadline follows the place before PLACE_BONUS moves a waking entity earlier.
    fn place_early(&mut self, e: EntityId, place: Vtime, length: u64, wakeup: bool) {
        let half = self.node[e].slice / 2;
        let node = &mut self.node[e];
        node.deadline = place.plus(length);
        let bonus = self.rules.place_bonus && wakeup && node.vruntime.before(place);
        node.vruntime = if bonus { node.vruntime.later(Vtime(place.0.wrapping_sub(half))) } else { place };
    }

    /// The same with the number of entities to count.
    fn place_among(&mut self, q: QueueId, e: EntityId, flags: Flags, others: u32) {
        let (initial, wakeup) = (flags.has(Flags::INITIAL), flags.has(Flags::WAKEUP));
        if !self.entity[e].custom_slice {
            self.node[e].slice = self.rules.base_slice;
        }
        let mut length = self.virtual_length(self.node[e].slice, e);
        let average = self.average(q);
        let vlag = self.entity[e].vlag;
        let mut lag = 0;
        if self.rules.place_lag && others > 0 && !(self.rules.skip_zero_lag && vlag == 0) {
            let mut load = self.queues[q].weight_sum as i64;
            if let Some(curr) = self.queued_curr(q) {
                load += self.average_weight(curr) as i64;
            }
            let weight = self.average_weight(e) as i64;
            let divisor = load.max(1);
            lag = if self.rules.split_inflation {
                vlag.wrapping_add(vlag.wrapping_mul(weight) / divisor)
            } else {
                vlag.wrapping_mul(load + weight) / divisor
            };
            if self.rules.heavy_lag_moves_origin && weight > load {
                self.move_origin(q, average.since(self.queues[q].origin).wrapping_sub(lag));
            }
        }
        if self.rules.place_fudge && self.is_shorter_than_average(q, e) {
            lag = lag.wrapping_add(length as i64).min(0);
        }
        let vruntime = average.moved(lag.wrapping_neg());
        if self.rules.early_eevdf {
            self.place_early(e, vruntime, length, wakeup);
            return;
        }
        self.node[e].vruntime = vruntime;
        let honoured = self.rules.place_rel_deadline || self.rules.rel_deadline_unconditional;
        if honoured && self.entity[e].rel_deadline {
            self.node[e].deadline = self.node[e].deadline.plus(vruntime.0);
            self.entity[e].rel_deadline = false;
            return;
        }
        if self.rules.place_deadline_initial && initial {
            length /= 2;
        }
        self.node[e].deadline = vruntime.plus(length);
    }

    /// §4.8, current-kernels §2.11 `reweight_entity`.
    pub(super) fn reweight_entity(&mut self, e: EntityId, load: Load) {
        if self.entity[e].on_rq {
            self.reweight_queued(e, load);
            return;
        }
        let (old, new) = (self.entity[e].load.weight, load.weight);
        let entity = &mut self.entity[e];
        entity.vlag = rescale(entity.vlag, old, new);
        if self.rules.reweight_rel_deadline && entity.rel_deadline {
            let node = &mut self.node[e];
            node.deadline = Vtime(rescale(node.deadline.0 as i64, old, new) as u64);
        }
        entity.load = load;
    }

    fn reweight_queued(&mut self, e: EntityId, load: Load) {
        let q = self.entity[e].queue;
        let is_curr = self.queues[q].curr == Some(e);
        let (old, new) = (self.entity[e].load.weight, load.weight);
        let form = self.rules.reweight;
        let take_out = |fair: &mut Self| {
            if !is_curr {
                Eevdf::erase(fair, q, e);
            }
        };
        if form == Reweight::AroundAverageWithout && !is_curr {
            take_out(self);
        } else {
            Eevdf::update_curr(self, q);
        }
        match form {
            Reweight::AroundAverageWithout => {
                let average = self.average(q);
                let lag = average.since(self.node[e].vruntime);
                self.rescale_around(e, average, lag, old, new);
                self.entity[e].load = load;
            }
            Reweight::AroundAverage | Reweight::AroundAverageWithProtection => {
                let average = self.average(q);
                let lag = self.clamped_lag(q, e, average);
                let protected = form == Reweight::AroundAverageWithProtection && is_curr && self.is_protected(e);
                take_out(self);
                let protection = self.entity[e].protection.since(average);
                self.rescale_around(e, average, lag, old, new);
                if protected {
                    self.entity[e].protection = average.moved(rescale(protection, old, new));
                }
                self.entity[e].load = load;
            }
            Reweight::PlaceCounted | Reweight::Place | Reweight::PlaceWithProtection => {
                self.update_entity_lag(q, e);
                let protected = form == Reweight::PlaceWithProtection && is_curr && self.is_protected(e);
                let node = &mut self.node[e];
                let remaining = node.deadline.since(node.vruntime);
                let protection = self.entity[e].protection.since(node.vruntime);
                take_out(self);
                self.node[e].deadline = Vtime(rescale(remaining, old, new) as u64);
                let entity = &mut self.entity[e];
                entity.rel_deadline = true;
                entity.vlag = rescale(entity.vlag, old, new);
                entity.load = load;
                let others = self.queues[q].nr - u32::from(form != Reweight::PlaceCounted);
                self.place_among(q, e, Flags::NONE, others);
                if protected {
                    self.entity[e].protection = self.node[e].vruntime.moved(rescale(protection, old, new));
                }
            }
        }
        let queue = &mut self.queues[q];
        queue.load.remove(old);
        queue.load.add(new);
        if !is_curr {
            Eevdf::insert(self, q, e);
        }
        if !(is_curr && self.rules.reweight_curr_keeps_origin) {
            self.update_min_vruntime(q);
        }
    }

    /// vruntime and deadline keep their distances to V in real time: scaled by old over new.
    fn rescale_around(&mut self, e: EntityId, average: Vtime, lag: i64, old: u64, new: u64) {
        let node = &mut self.node[e];
        let ahead = node.deadline.since(average);
        node.vruntime = average.moved(rescale(lag, old, new).wrapping_neg());
        node.deadline = average.moved(rescale(ahead, old, new));
    }
}
