//! The flat queue of 7.3 (current-kernels §2.12): tasks of all groups stand in the root queue, and
//! groups take part by weight only. Not checked against a kernel with groups.
//!
//! A group's queue only counts here: its load, its entities, its tasks. Nothing stands in its tree.

use super::weight::NICE_0_LOAD;
use super::{EntityId, Fair, FairClass, Load, QueueId};

impl<C: FairClass> Fair<C> {
    /// Counts a task that comes to (or leaves) its groups; a group counts in its parent while it
    /// has anything queued.
    pub(in crate::fair) fn count_in_groups(&mut self, e: EntityId, comes: bool) {
        let mut q = self.entity[e].group;
        let mut weight = Some(self.entity[e].own_load.weight);
        while let Some(owner) = self.queues[q].owner {
            let queue = &mut self.queues[q];
            queue.h = if comes { queue.h + 1 } else { queue.h - 1 };
            let changed = if let Some(weight) = weight {
                if comes {
                    queue.load.add(weight);
                    queue.nr += 1;
                    queue.nr == 1
                } else {
                    queue.load.remove(weight);
                    queue.nr -= 1;
                    queue.nr == 0
                }
            } else {
                false
            };
            if changed && !comes {
                self.return_runtime(q);
            }
            weight = changed.then(|| self.entity[owner].load.weight);
            q = self.entity[owner].queue;
        }
    }

    /// The task's weight in the root queue: its part of its group, times the group's part, and so
    /// on; integer division at each level, at least 2.
    fn hierarchical_weight(&self, e: EntityId) -> Load {
        let own = self.entity[e].own_load;
        let mut q = self.entity[e].group;
        if self.queues[q].owner.is_none() {
            return own;
        }
        let (mut product, mut weight) = (NICE_0_LOAD, own.weight);
        while let Some(owner) = self.queues[q].owner {
            product = product * weight / self.queues[q].load.weight.max(1);
            weight = self.entity[owner].load.weight;
            q = self.entity[owner].queue;
        }
        Load::of_weight((product * weight / NICE_0_LOAD).max(2))
    }

    /// Brings a task's weight in the root queue up to date.
    pub(in crate::fair) fn update_hierarchical_weight(&mut self, e: EntityId) {
        let load = self.hierarchical_weight(e);
        if load.weight != self.entity[e].load.weight {
            C::reweight(self, e, load);
        }
    }

    /// A group's weight changes: in its own entity, and in its parent's load while it is queued.
    pub(in crate::fair) fn set_group_weight(&mut self, owner: EntityId, group: QueueId, load: Load) {
        let above = self.entity[owner].queue;
        let old = std::mem::replace(&mut self.entity[owner].load, load);
        if self.queues[above].owner.is_some() && self.queues[group].nr > 0 {
            self.queues[above].load.remove(old.weight);
            self.queues[above].load.add(load.weight);
        }
    }
}
