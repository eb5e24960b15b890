//! The walks over levels of groups (§4.16): enqueue, dequeue, pick, put and set.
//! Without groups each walk is one step. Not for the rules of one queue.

use super::weight::LOAD_SHIFT;
use super::{Buddy, EntityId, Fair, FairClass, Flags, Node, QueueId};

impl<C: FairClass> Fair<C> {
    /// The slice that a queue's group gets: the smallest in it, as its tree knows it (§4.16).
    pub(in crate::fair) fn smallest_slice(&self, q: QueueId) -> u64 {
        let queue = &self.queues[q];
        let curr = queue.curr.filter(|curr| self.entity[*curr].on_rq).map(|curr| self.node[curr].slice);
        let tree = queue.tree.root().map(|root| self.node[root].smallest_slice);
        curr.unwrap_or(u64::MAX).min(tree.unwrap_or(u64::MAX))
    }

    /// Whether a walk ends at a queue because it is throttled as a whole (§4.18).
    fn stops_walk(&self, q: QueueId) -> bool {
        !self.rules.throttles_tasks && self.queues[q].is_throttled()
    }

    /// Gives a group the smallest slice below it, in place.
    fn refresh_group_slice(&mut self, e: EntityId, slice: u64) {
        if !self.rules.custom_slices {
            return;
        }
        let node: &mut Node = &mut self.node[e];
        node.slice = slice;
        let q = self.entity[e].queue;
        if self.rules.group_slices_refreshed && self.queues[q].curr != Some(e) {
            self.queues[q].tree.reevaluate(&mut self.node, e);
        }
    }

    /// Puts a task on its queue, and its groups on theirs (`enqueue_task_fair`).
    pub(in crate::fair) fn enqueue_task(&mut self, e: EntityId, flags: Flags) {
        if self.rules.flat_groups {
            self.count_in_groups(e, true);
            self.update_hierarchical_weight(e);
        }
        if !self.is_single() {
            self.account_arrival(e, flags);
        }
        self.enqueue_levels(e, flags);
        self.slice_timer_after_enqueue();
    }

    /// What balancing keeps of a task that comes to the present CPU.
    fn account_arrival(&mut self, e: EntityId, flags: Flags) {
        let delayed = self.entity[e].delayed;
        if !(delayed && flags.has(Flags::MIGRATED.with(Flags::SAVE))) {
            self.estimate_enqueue(e);
        }
        if flags.has(Flags::MIGRATED) {
            self.entity[e].exec_start = 0;
        }
        self.update_average(e);
        self.attach_average(e);
        let cpu = self.cpu() as usize;
        self.rqs[cpu].tasks.push_front(&mut self.links, e);
        let idle = self.entity[e].is_idle();
        self.count_along(e, i32::from(delayed), i32::from(idle));
    }

    /// Counts delayed and SCHED_IDLE tasks in a task's queue and those above, as far as its group's
    /// tasks are counted there: up to a throttled one.
    pub(in crate::fair) fn count_along(&mut self, e: EntityId, delayed: i32, idle: i32) {
        let mut level = Some(e);
        while let Some(e) = level {
            let q = self.entity[e].queue;
            let queue = &mut self.queues[q];
            queue.delayed_tasks = queue.delayed_tasks.wrapping_add_signed(delayed);
            queue.idle_tasks = queue.idle_tasks.wrapping_add_signed(idle);
            if self.stops_walk(q) {
                return;
            }
            level = self.up(e);
        }
    }

    /// The same before a task leaves or goes to sleep; 6.12 and later store the estimate before
    /// the average is brought up to date.
    fn account_before_departure(&mut self, e: EntityId, flags: Flags) {
        if flags.has(Flags::DELAYED) {
            self.update_average(e);
            return;
        }
        if !(self.entity[e].delayed && flags.has(Flags::MIGRATE.with(Flags::SAVE))) {
            self.estimate_dequeue(e);
        }
        if !self.rules.estimate_before_update {
            self.update_average(e);
        }
        if flags.has(Flags::SLEEP) {
            self.estimate_update(e);
        }
        self.update_average(e);
    }

    /// The same once it has left, or its dequeue is delayed. `delayed`: it was before.
    fn account_after_departure(&mut self, e: EntityId, flags: Flags, left: bool, delayed: bool) {
        if !left {
            self.count_along(e, 1, 0);
            return;
        }
        if flags.has(Flags::MIGRATE) {
            self.detach_average(e);
        }
        let (entity, cpu) = (&self.entity[e], self.cpu() as usize);
        let (idle, weight) = (entity.is_idle(), entity.own_load.weight >> LOAD_SHIFT);
        let rq = &mut self.rqs[cpu];
        rq.signals.weight -= weight;
        rq.tasks.remove(&mut self.links, e);
        self.count_along(e, -i32::from(delayed), -i32::from(idle));
    }

    fn enqueue_levels(&mut self, e: EntityId, flags: Flags) {
        let mut flags = flags;
        let mut slice = 0;
        let mut level = Some(e);
        while let Some(e) = level {
            if self.entity[e].on_rq {
                if self.entity[e].delayed {
                    C::requeue_delayed(self, e);
                }
                break;
            }
            if self.rules.custom_slices && slice != 0 {
                self.node[e].slice = slice;
                self.entity[e].custom_slice = true;
            }
            let q = self.entity[e].queue;
            C::enqueue_entity(self, q, e, flags);
            slice = self.smallest_slice(q);
            self.queues[q].h += 1;
            if self.stops_walk(q) {
                return;
            }
            flags = Flags::WAKEUP;
            level = self.up(e);
        }
        while let Some(e) = level {
            let q = self.entity[e].queue;
            self.update_group(e);
            self.refresh_group_slice(e, slice);
            slice = self.smallest_slice(q);
            self.queues[q].h += 1;
            if self.stops_walk(q) {
                return;
            }
            level = self.up(e);
        }
    }

    /// Takes a task (or a delayed entity that a pick met) off, and its groups where they are
    /// left empty (`dequeue_entities`). False when the task's dequeue is only delayed.
    pub(in crate::fair) fn dequeue_task(&mut self, e: EntityId, flags: Flags) -> bool {
        let counted = !self.is_single() && self.entity[e].is_task();
        let delayed = self.entity[e].delayed;
        if counted {
            self.account_before_departure(e, flags);
        }
        let left = self.dequeue_levels(e, flags);
        if counted {
            self.account_after_departure(e, flags, left, delayed);
        }
        if left && self.rules.flat_groups {
            self.count_in_groups(e, false);
        }
        if left && self.entity[e].is_task() {
            self.slice_timer_after_dequeue();
        }
        left
    }

    fn dequeue_levels(&mut self, first: EntityId, flags: Flags) -> bool {
        let tasks = u32::from(self.entity[first].is_task());
        let sleep = flags.has(Flags::SLEEP);
        let mut flags = flags;
        // 6.12, 6.13 and 6.14: a group that is only delayed gets slice 0 (§4.16).
        let mut slice = 0;
        let mut level = Some(first);
        while let Some(e) = level {
            let q = self.entity[e].queue;
            if !C::dequeue_entity(self, q, e, flags) {
                if self.entity[e].is_task() {
                    return false;
                }
                if self.rules.group_slices_refreshed {
                    slice = self.smallest_slice(q);
                }
                break;
            }
            self.queues[q].h -= tasks;
            if self.stops_walk(q) {
                return true;
            }
            let above = self.up(e);
            if self.queues[q].load.weight != 0 {
                slice = self.smallest_slice(q);
                level = above;
                if let Some(above) = above.filter(|_| sleep && self.queues[q].throttled_above == 0) {
                    self.mark_buddy(above, Buddy::Next);
                }
                break;
            }
            flags = flags.with(Flags::SLEEP).without(Flags::DELAYED).without(Flags::SPECIAL);
            level = above;
        }
        while let Some(e) = level {
            let q = self.entity[e].queue;
            self.update_group(e);
            self.refresh_group_slice(e, slice);
            slice = self.smallest_slice(q);
            self.queues[q].h -= tasks;
            if self.stops_walk(q) {
                return true;
            }
            level = self.up(e);
        }
        true
    }

    /// Chooses the next task and makes it the running one of every level (§1.3, §4.16).
    pub(in crate::fair) fn pick_next_task(&mut self, prev: Option<EntityId>) -> Option<EntityId> {
        if self.rules.restarting_pick {
            let next = self.pick_restarting();
            match (prev, next) {
                (None, Some(next)) => {
                    self.set_path(next, true);
                }
                (Some(prev), Some(next)) if prev != next => self.put_and_set(prev, next),
                (Some(prev), None) => self.put_path(prev),
                _ => {}
            }
            return next;
        }
        if self.queues[self.root()].nr == 0 {
            if let Some(prev) = prev {
                self.put_path(prev);
            }
            return None;
        }
        let Some(prev) = prev else { return self.pick_and_set() };
        match self.pick_once() {
            Some(next) => {
                if next != prev {
                    self.put_and_set(prev, next);
                }
                Some(next)
            }
            // A level was throttled on the way.
            None => {
                let empty = self.queues[self.root()].nr == 0;
                self.put_path(prev);
                if empty { None } else { self.pick_and_set() }
            }
        }
    }

    /// The pick of 6.12 and later: begins again when it finished a delayed dequeue or throttled.
    pub(in crate::fair) fn pick_restarting(&mut self) -> Option<EntityId> {
        'again: loop {
            if self.queues[self.root()].nr == 0 {
                return None;
            }
            let mut q = self.root();
            loop {
                if self.queued_curr(q).is_some() {
                    C::update_curr(self, q);
                }
                if self.out_of_runtime(q) {
                    continue 'again;
                }
                let e = C::pick_entity(self, q)?;
                if self.entity[e].delayed {
                    self.dequeue_task(e, Flags::SLEEP.with(Flags::DELAYED));
                    continue 'again;
                }
                match self.owned(e) {
                    Some(owned) => q = owned,
                    None if self.rules.throttles_tasks && self.park_if_throttled(e) => continue 'again,
                    None => return Some(e),
                }
            }
        }
    }

    /// The pick of 6.1 to 6.8 with a running task; none when a level was throttled.
    pub(in crate::fair) fn pick_once(&mut self) -> Option<EntityId> {
        let mut q = self.root();
        loop {
            if self.queues[q].curr.is_some() {
                if self.queued_curr(q).is_some() {
                    C::update_curr(self, q);
                }
                if self.out_of_runtime(q) {
                    return None;
                }
            }
            let e = C::pick_entity(self, q)?;
            match self.owned(e) {
                Some(owned) => q = owned,
                None => return Some(e),
            }
        }
    }

    /// The pick of 6.1 to 6.8 without a running task: each level is set as it is chosen.
    fn pick_and_set(&mut self) -> Option<EntityId> {
        let mut q = self.root();
        loop {
            let e = C::pick_entity(self, q)?;
            self.set_next_entity(q, e, true);
            match self.owned(e) {
                Some(owned) => q = owned,
                None => return Some(e),
            }
        }
    }

    /// The queue's running entity, if it is still queued.
    pub(in crate::fair) fn queued_curr(&self, q: QueueId) -> Option<EntityId> {
        self.queues[q].curr.filter(|curr| self.entity[*curr].on_rq)
    }

    /// `put_prev_entity`: back into the tree.
    fn put_prev_entity(&mut self, e: EntityId) {
        let q = self.entity[e].queue;
        if !self.is_single() && self.entity[e].is_task() {
            self.update_average(e);
        }
        if self.entity[e].on_rq {
            C::update_curr(self, q);
        }
        self.out_of_runtime(q);
        if self.entity[e].on_rq {
            C::insert(self, q, e);
        }
        self.queues[q].curr = None;
    }

    /// `set_next_entity`: out of the tree.
    fn set_next_entity(&mut self, q: QueueId, e: EntityId, picked: bool) {
        self.clear_buddies(e);
        if self.rules.flat_groups && picked {
            self.update_hierarchical_weight(e);
        }
        if !self.is_single() && self.entity[e].is_task() {
            self.update_average(e);
            if self.entity[e].on_rq {
                self.move_front(e);
            }
        }
        if self.entity[e].on_rq {
            C::erase(self, q, e);
            C::protect(self, q, e, picked);
        }
        let entity = &mut self.entity[e];
        entity.exec_start = self.now;
        entity.prev_sum_exec = entity.sum_exec;
        self.queues[q].curr = Some(e);
    }

    /// Puts every level of a task's path, bottom up.
    pub(in crate::fair) fn put_path(&mut self, e: EntityId) {
        let mut level = Some(e);
        while let Some(e) = level {
            self.put_prev_entity(e);
            level = self.up(e);
        }
    }

    /// Sets every level of a task's path, bottom up, and charges bandwidth.
    pub(in crate::fair) fn set_path(&mut self, e: EntityId, picked: bool) {
        let mut level = Some(e);
        while let Some(e) = level {
            let q = self.entity[e].queue;
            self.set_next_entity(q, e, picked);
            self.account_runtime(q, 0);
            level = self.up(e);
        }
    }

    /// Puts and sets below the common ancestors, which are not touched (§4.16).
    fn put_and_set(&mut self, prev: EntityId, next: EntityId) {
        let (mut a, mut b) = (prev, next);
        while self.entity[a].queue != self.entity[b].queue {
            let (depth_a, depth_b) = (self.queues[self.entity[a].queue].depth, self.queues[self.entity[b].queue].depth);
            if depth_b <= depth_a {
                self.put_prev_entity(a);
                let Some(above) = self.up(a) else { return };
                a = above;
            }
            if depth_b >= depth_a {
                self.set_next_entity(self.entity[b].queue, b, true);
                let Some(above) = self.up(b) else { return };
                b = above;
            }
        }
        self.put_prev_entity(a);
        self.set_next_entity(self.entity[b].queue, b, true);
    }

    /// The two entities of the running and of the woken task that stand in one queue
    /// (`find_matching_se`, §4.16).
    pub(in crate::fair) fn matching_pair(&self, running: EntityId, woken: EntityId) -> (EntityId, EntityId) {
        let depth = |e: EntityId| self.queues[self.entity[e].queue].depth;
        let (mut a, mut b) = (running, woken);
        loop {
            if self.entity[a].queue == self.entity[b].queue {
                return (a, b);
            }
            let (depth_a, depth_b) = (depth(a), depth(b));
            let up_a = if depth_a >= depth_b { self.up(a) } else { None };
            let up_b = if depth_b >= depth_a { self.up(b) } else { None };
            if up_a.is_none() && up_b.is_none() {
                return (a, b);
            }
            (a, b) = (up_a.unwrap_or(a), up_b.unwrap_or(b));
        }
    }
}
