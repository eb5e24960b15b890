//! The search for the earliest eligible deadline, and the protection of who runs (§4.5, §4.6,
//! current-kernels §2.5, §2.8). Not for walks over groups.

use super::super::{EntityId, Fair, QueueId, TreeKind, Vtime};
use super::Eevdf;
use super::average::Totals;
use crate::explain::PickRule;
use crate::kernel::rules::Protection;

impl Fair<Eevdf> {
    /// §4.5 `pick_next_entity`: the buddy first, where the release tests it there.
    pub(super) fn pick_next(&self, q: QueueId) -> Option<(EntityId, PickRule)> {
        if self.rules.pick_buddy
            && !self.rules.buddy_in_search
            && let Some(next) = self.queues[q].next
            && self.eligible(q, self.node[next].vruntime)
        {
            return Some((next, PickRule::NextBuddy));
        }
        self.search(q, true, true, None)
    }

    /// §4.5 `pick_eevdf`. Without `protect` the running entity's protection is ignored, without
    /// `buddies` the next mark (wake-up checks before 6.19 have no buddy test). `woken`: for whom a
    /// wake-up check asks.
    pub(super) fn search(
        &self,
        q: QueueId,
        protect: bool,
        buddies: bool,
        woken: Option<EntityId>,
    ) -> Option<(EntityId, PickRule)> {
        let queue = &self.queues[q];
        let queued = self.queued_curr(q);
        if self.rules.lone_shortcut && queue.nr == 1 {
            return queued.or(queue.tree.root()).map(|lone| (lone, PickRule::Lone));
        }
        let totals = self.totals(q);
        let eligible = |e: EntityId| totals.eligible(self.node[e].vruntime);
        if buddies
            && self.rules.buddy_in_search
            && self.rules.pick_buddy
            && (protect || !self.rules.buddy_needs_protection)
            && let Some(next) = queue.next.filter(|next| eligible(*next))
        {
            return Some((next, PickRule::NextBuddy));
        }
        if self.rules.respect_slice
            && let Some(curr) = queued.filter(|curr| self.keeps_slice(q, *curr, woken))
        {
            return Some((curr, PickRule::SliceRespected));
        }
        let curr = queued.filter(|curr| eligible(*curr));
        if let Some(curr) = curr.filter(|curr| protect && !self.rules.respect_slice && self.keeps_cpu(*curr)) {
            return Some((curr, PickRule::Protected));
        }
        let found = if self.rules.early_eevdf {
            self.earlier_deadline(curr, self.single_descent(q, &totals))
        } else if self.rules.tree == TreeKind::VruntimeWithDeadline {
            self.search_by_vruntime(q, &totals, curr)
        } else {
            // RESPECT_SLICE compares the running task's deadline whether it is eligible or not.
            let curr = if self.rules.respect_slice { queued } else { curr };
            self.earlier_deadline(curr, self.first_eligible(q, &totals))
        };
        let rule = if queue.nr == 1 { PickRule::Lone } else { PickRule::EarliestDeadline };
        found.map(|found| (found, rule)).or(queue.tree.leftmost().map(|first| (first, PickRule::Fallback)))
    }

    /// The running entity if its deadline is strictly earlier, else the queued one (§4.5).
    fn earlier_deadline(&self, curr: Option<EntityId>, best: Option<EntityId>) -> Option<EntityId> {
        match (curr, best) {
            (Some(curr), Some(best)) if self.node[curr].deadline.before(self.node[best].deadline) => Some(curr),
            (curr, best) => best.or(curr),
        }
    }

    /// §4.13, RESPECT_SLICE: whether the running entity keeps the CPU against who woke.
    fn keeps_slice(&self, q: QueueId, curr: EntityId, woken: Option<EntityId>) -> bool {
        if self.rules.run_to_parity && !self.eligible(q, self.node[curr].vruntime) {
            return false;
        }
        let shorter = |woken: EntityId| {
            let (woken, curr) = (&self.node[woken], &self.node[curr]);
            woken.slice < curr.slice && woken.deadline.before(curr.deadline)
        };
        !(self.rules.preempt_short && woken.is_some_and(shorter)) && self.is_protected(curr)
    }

    /// The search of eevdf-rfc (§4.14): one descent, which may miss an earlier deadline that it
    /// passed on the left.
    fn single_descent(&self, q: QueueId, totals: &Totals) -> Option<EntityId> {
        let mut best: Option<EntityId> = None;
        let mut at = self.queues[q].tree.root();
        while let Some(e) = at {
            let node = &self.node[e];
            if !totals.eligible(node.vruntime) {
                at = node.left;
                continue;
            }
            if best.is_none_or(|best| node.deadline.before(self.node[best].deadline)) {
                best = Some(e);
                if node.deadline == node.smallest {
                    break;
                }
            }
            let left = node.left.filter(|left| self.node[*left].smallest == node.smallest);
            at = left.or(node.right);
        }
        best
    }

    /// Whether the running entity, being eligible, is picked again without a search (§4.6): up to
    /// 6.15 while the feature is on and its deadline stands, later up to its bound.
    pub(super) fn keeps_cpu(&self, curr: EntityId) -> bool {
        (self.rules.protection != Protection::Marker || self.rules.run_to_parity) && self.is_protected(curr)
    }

    /// The first eligible entity in (deadline, first in first out) order (§4.5).
    fn first_eligible(&self, q: QueueId, totals: &Totals) -> Option<EntityId> {
        let mut at = self.queues[q].tree.root();
        while let Some(e) = at {
            let node = &self.node[e];
            if let Some(left) = node.left
                && totals.eligible(self.node[left].smallest)
            {
                at = Some(left);
                continue;
            }
            if totals.eligible(node.vruntime) {
                return Some(e);
            }
            at = node.right;
        }
        None
    }

    /// The search of 6.6 in a tree ordered by vruntime (§4.5): ties depend on the tree's shape.
    fn search_by_vruntime(&self, q: QueueId, totals: &Totals, curr: Option<EntityId>) -> Option<EntityId> {
        let deadline = |e: EntityId| self.node[e].deadline;
        let smallest = |e: EntityId| self.node[e].smallest;
        let later = |a: Vtime, b: Vtime| b.before(a);
        let mut best = curr;
        let mut best_left: Option<EntityId> = None;
        let mut at = self.queues[q].tree.root();
        while let Some(e) = at {
            let node = &self.node[e];
            if !totals.eligible(node.vruntime) {
                at = node.left;
                continue;
            }
            if best.is_none_or(|best| later(deadline(best), node.deadline)) {
                best = Some(e);
            }
            if let Some(left) = node.left {
                if best_left.is_none_or(|best_left| later(smallest(best_left), smallest(left))) {
                    best_left = Some(left);
                }
                if smallest(left) == node.smallest {
                    break;
                }
            }
            if node.deadline == node.smallest {
                break;
            }
            at = node.right;
        }
        let Some(from) = best_left else { return best };
        if best.is_some_and(|best| later(smallest(from), deadline(best))) {
            return best;
        }
        let mut at = from;
        loop {
            let node = &self.node[at];
            if node.deadline == node.smallest {
                return Some(at);
            }
            let left = node.left.filter(|left| smallest(*left) == node.smallest);
            match left.or(node.right) {
                Some(next) => at = next,
                None => return Some(at),
            }
        }
    }

    /// §4.6, current-kernels §2.5 `protect_slice`.
    pub(super) fn is_protected(&self, e: EntityId) -> bool {
        match self.rules.protection {
            Protection::None => false,
            Protection::Marker => self.entity[e].vlag == self.node[e].deadline.0 as i64,
            Protection::Bound | Protection::LagBound => self.node[e].vruntime.before(self.entity[e].protection),
        }
    }

    /// §4.6, current-kernels §2.5: an entity starts to run. The tree no longer holds it.
    pub(super) fn set_protection(&mut self, q: QueueId, e: EntityId) {
        let node = &self.node[e];
        match self.rules.protection {
            Protection::None => return,
            Protection::Marker => {
                self.entity[e].vlag = node.deadline.0 as i64;
                return;
            }
            Protection::Bound | Protection::LagBound => {}
        }
        let (own, vruntime, deadline) = (node.slice, node.vruntime, node.deadline);
        let wanted = if self.rules.run_to_parity { self.smallest_slice(q) } else { self.rules.normalized_base_slice };
        let slice = wanted.min(own);
        let mut bound = deadline;
        if slice != own {
            if self.rules.protection == Protection::LagBound && self.rules.preempt_short {
                bound = bound.earlier(self.alone_ineligible_from(q));
            } else {
                bound = bound.earlier(vruntime.plus(self.virtual_length(slice, e)));
            }
        }
        self.entity[e].protection = bound;
    }

    /// 7.3: the virtual time from which the running entity would be ineligible against the rest.
    fn alone_ineligible_from(&self, q: QueueId) -> Vtime {
        let queue = &self.queues[q];
        let weight = queue.weight_sum as i64;
        let average = if weight == 0 { 0 } else { queue.key_sum.div_euclid(weight) };
        queue.origin.moved(average.wrapping_add(1))
    }

    /// A wake-up did not preempt: the protection shrinks to one smallest slice from now
    /// (current-kernels §2.5 `update_protect_slice`).
    pub(super) fn cut_protection(&mut self, q: QueueId, e: EntityId) {
        let length = self.virtual_length(self.smallest_slice(q), e);
        let mut from = self.node[e].vruntime;
        if self.rules.protection == Protection::LagBound {
            from = from.earlier(self.average(q));
        }
        let entity = &mut self.entity[e];
        entity.protection = entity.protection.earlier(from.plus(length));
    }

    /// The protection ends now (§4.11, current-kernels §2.5 `cancel_protect_slice`).
    pub(super) fn cancel_protection(&mut self, e: EntityId) {
        if !self.is_protected(e) {
            return;
        }
        match self.rules.protection {
            Protection::None => {}
            Protection::Marker => self.entity[e].vlag = (self.node[e].deadline.0 as i64).wrapping_add(1),
            Protection::Bound | Protection::LagBound => self.entity[e].protection = self.node[e].vruntime,
        }
    }
}
