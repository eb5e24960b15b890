//! V, eligibility and the origin of keys (§4.2, current-kernels §2.2).
//! Not for what follows from them: placement, picks and lag are beside this.

use super::super::weight::scale_load_down;
use super::super::{EntityId, Fair, QueueId, TreeKind, Vtime};
use super::Eevdf;
use crate::kernel::rules::Origin;

/// Σ key·weight and Σ weight over a queue with its running entity, and what keys are relative to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    keys: i64,
    weights: i64,
    origin: Vtime,
    wide: bool,
    truncates: bool,
}

impl Totals {
    /// §4.2: exact, without division. In 64 bits up to 7.0, in 128 from 7.1.
    pub fn eligible(&self, vruntime: Vtime) -> bool {
        let key = vruntime.since(self.origin);
        if self.wide {
            i128::from(self.keys) >= i128::from(key) * i128::from(self.weights)
        } else {
            self.keys >= key.wrapping_mul(self.weights)
        }
    }

    /// V relative to the origin: a floor division (eevdf-rfc: truncating); 0 for an empty queue.
    const fn average(&self) -> i64 {
        if self.weights == 0 {
            return 0;
        }
        let keys = if self.keys < 0 && !self.truncates { self.keys.wrapping_sub(self.weights - 1) } else { self.keys };
        keys / self.weights
    }
}

impl Fair<Eevdf> {
    /// An entity's weight in V and its sums: unshifted up to 7.0.
    pub(super) fn average_weight(&self, e: EntityId) -> u64 {
        let weight = self.entity[e].load.weight;
        if self.rules.full_weights { weight } else { scale_load_down(weight) }
    }

    pub(super) fn totals(&self, q: QueueId) -> Totals {
        let queue = &self.queues[q];
        let (mut keys, mut weights) = (queue.key_sum, queue.weight_sum as i64);
        if let Some(curr) = self.queued_curr(q) {
            let weight = self.average_weight(curr) as i64;
            let key = self.node[curr].vruntime.since(queue.origin);
            keys = keys.wrapping_add(key.wrapping_mul(weight));
            weights += weight;
        }
        Totals {
            keys,
            weights,
            origin: queue.origin,
            wide: self.rules.exact_division,
            truncates: self.rules.early_eevdf,
        }
    }

    /// Whether a virtual time is not ahead of V (§4.2 `vruntime_eligible`).
    pub(super) fn eligible(&self, q: QueueId, vruntime: Vtime) -> bool {
        self.totals(q).eligible(vruntime)
    }

    /// V, without moving the origin.
    pub(crate) fn average_now(&self, q: QueueId) -> Vtime {
        self.queues[q].origin.moved(self.totals(q).average())
    }

    /// V (§4.2 `avg_vruntime`); in some releases its use moves the origin there.
    pub(super) fn average(&mut self, q: QueueId) -> Vtime {
        let average = self.totals(q).average();
        let at = self.queues[q].origin.moved(average);
        if self.rules.origin == Origin::AverageOnUse {
            self.move_origin(q, average);
        }
        at
    }

    /// 6.19: a change of the tree moves the origin to V.
    pub(super) fn follow_average(&mut self, q: QueueId) {
        if self.rules.origin == Origin::AverageOnChange {
            let average = self.totals(q).average();
            self.move_origin(q, average);
        }
    }

    /// Moves the origin; keys are relative to it, so the sum changes with it.
    pub(super) fn move_origin(&mut self, q: QueueId, by: i64) {
        let queue = &mut self.queues[q];
        queue.key_sum = queue.key_sum.wrapping_sub((queue.weight_sum as i64).wrapping_mul(by));
        queue.origin = queue.origin.moved(by);
    }

    /// §4.2 `update_min_vruntime`: follows the smallest vruntime, never back.
    pub(super) fn update_min_vruntime(&mut self, q: QueueId) {
        if self.rules.origin == Origin::AverageOnCharge {
            let average = self.totals(q).average();
            self.move_origin(q, average);
        }
        if self.rules.origin != Origin::Smallest {
            return;
        }
        let tree = &self.queues[q].tree;
        let first = if self.rules.tree == TreeKind::VruntimeWithDeadline {
            tree.leftmost().map(|first| self.node[first].vruntime)
        } else {
            tree.root().map(|root| self.node[root].smallest)
        };
        let curr = self.queued_curr(q).map(|curr| self.node[curr].vruntime);
        let candidate = match (curr, first) {
            (Some(curr), Some(first)) => curr.earlier(first),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return,
        };
        let ahead = candidate.since(self.queues[q].origin);
        if ahead > 0 {
            self.move_origin(q, ahead);
        }
    }
}
