//! How tasks come to the fair class of a CPU and leave it, and how their attributes change: the calls
//! that the engine makes. Not for the walks over groups: those are in `hierarchy`.

use super::weight::Load;
use super::{EntityId, EntityKind, Fair, FairClass, Flags};
use crate::reason::Reason;

impl<C: FairClass> Fair<C> {
    /// Whether a task sleeps but is still queued (§4.10): it wakes where it is.
    pub fn is_delayed(&self, e: EntityId) -> bool {
        self.entity[e].delayed && self.entity[e].on_rq
    }

    /// A sleeping task becomes runnable on the present CPU, and may preempt. `migrated`: it comes
    /// from another CPU.
    pub fn wake(&mut self, e: EntityId, migrated: bool) {
        if self.is_delayed(e) {
            self.estimate_enqueue(e);
            self.update_average(e);
            C::requeue_delayed(self, e);
            if !self.is_single() {
                self.count_along(e, -1, 0);
            }
        } else {
            let flags = if migrated { Flags::WAKEUP.with(Flags::MIGRATED) } else { Flags::WAKEUP };
            self.enqueue_task(e, flags);
        }
        self.check_preempt(e, false);
    }

    /// A sleeping task leaves the present CPU to wake on another (`migrate_task_rq_fair`).
    pub fn migrate_sleeping(&mut self, e: EntityId, to: u32) {
        self.remove_average(e);
        C::leave_cpu(self, e);
        self.put_on_cpu(e, to);
    }

    /// A queued task that does not run leaves the present CPU for another (`detach_task`).
    pub fn detach_task(&mut self, e: EntityId, to: u32) {
        self.dequeue_task(e, Flags::MIGRATE);
        self.put_on_cpu(e, to);
    }

    /// It comes to the present CPU, and may preempt (`attach_task`).
    pub fn attach_task(&mut self, e: EntityId) {
        self.enqueue_task(e, Flags::MIGRATED);
        self.check_preempt(e, false);
    }

    /// A task's queue is from now on that of another CPU.
    pub fn put_on_cpu(&mut self, e: EntityId, cpu: u32) {
        let (queue, group) = (self.entity[e].queue, self.entity[e].group);
        self.entity[e].queue = self.queue_on(queue, cpu);
        self.entity[e].group = self.queue_on(group, cpu);
    }

    /// A new task, on its parent's CPU (`task_fork_fair`, §3.6, §4.9).
    pub fn fork(&mut self, e: EntityId) {
        C::fork(self, e);
    }

    /// A new task starts on the present CPU (`wake_up_new_task`).
    pub fn start(&mut self, e: EntityId) {
        if !self.is_single() {
            self.start_averages(e);
        }
        let flags = if self.rules.initial_placement { Flags::INITIAL } else { Flags::NONE };
        self.enqueue_task(e, flags);
        self.check_preempt(e, true);
    }

    /// A task of a higher class takes the CPU: the running fair task goes back into its queue.
    pub fn give_way(&mut self) {
        if let Some(curr) = self.rq().curr {
            self.put_path(curr);
        }
        self.rq_mut().curr = None;
        self.rq_mut().request = None;
        self.end_of_schedule();
    }

    /// A task comes to the fair class from a higher one while it runs.
    pub fn arrive_running(&mut self, e: EntityId) {
        self.enqueue_task(e, Flags::NONE);
        self.set_path(e, false);
        self.rq_mut().curr = Some(e);
    }

    /// The running task leaves the fair class for a higher one, still runnable.
    pub fn leave_running(&mut self, e: EntityId) {
        self.dequeue_task(e, Flags::SAVE.with(Flags::MOVE));
        self.put_path(e);
        self.rq_mut().curr = None;
    }

    fn check_preempt(&mut self, e: EntityId, fork: bool) {
        if self.is_cpu_idle() {
            self.request(Reason::IdleCpu);
        } else {
            C::wakeup_preempt(self, e, fork);
        }
    }

    /// A task that has exited counts in no load any more (`task_dead_fair`).
    pub fn forget(&mut self, e: EntityId) {
        if !self.is_single() {
            self.remove_average(e);
        }
    }

    /// The running task blocks or exits; schedule() must follow. Whether it left the queue at
    /// once (false: its dequeue is delayed).
    pub fn block(&mut self, e: EntityId, exit: bool) -> bool {
        let flags = if exit { Flags::SLEEP.with(Flags::SPECIAL) } else { Flags::SLEEP };
        self.dequeue_task(e, flags)
    }

    /// sched_yield of the running task; schedule() must follow.
    pub fn yield_now(&mut self) {
        if let Some(e) = self.rq().curr
            && self.queues[self.root()].h > 1
        {
            C::yield_task(self, e);
        }
    }

    /// Whether asking for a slice (none: the base slice) changes nothing (§4.4).
    pub fn keeps_slice_of(&self, e: EntityId, slice: Option<u64>) -> bool {
        !self.rules.custom_slices || slice == Some(self.node[e].slice)
    }

    /// A task changes its own nice value, policy or slice (§4.8, `set_user_nice`). `index` and
    /// the queue stay; a worse nice value requests a reschedule.
    pub fn set_attributes(
        &mut self,
        e: EntityId,
        policy: crate::input::Policy,
        nice: i8,
        slice: SliceChange,
        worse: bool,
    ) {
        let queued = self.entity[e].on_rq;
        let running = self.rq().curr == Some(e);
        if queued {
            self.dequeue_task(e, Flags::SAVE);
        }
        if running {
            self.put_path(e);
        }
        if let EntityKind::Task { policy: old, .. } = &mut self.entity[e].kind {
            *old = policy;
        }
        match slice {
            // Releases without slices of a task's own leave it as it is.
            _ if !self.rules.custom_slices => {}
            SliceChange::Keep => {}
            SliceChange::Custom(slice) => {
                self.entity[e].custom_slice = true;
                self.node[e].slice = clamp_custom_slice(slice);
            }
            SliceChange::Base => {
                self.entity[e].custom_slice = false;
                self.node[e].slice = self.rules.base_slice;
            }
        }
        let load = Load::of_task(nice, policy == crate::input::Policy::Idle);
        self.entity[e].own_load = load;
        if !self.rules.flat_groups {
            if policy != crate::input::Policy::Idle || !self.rules.idle_weight_keeps_lag {
                C::reweight(self, e, load);
            }
            self.entity[e].load = load;
        }
        if queued {
            self.enqueue_task(e, Flags::SAVE);
        }
        if running {
            self.set_path(e, false);
        }
        if running && worse && self.queues[self.root()].nr != 1 {
            self.request(Reason::Nice);
        }
    }
}

/// What becomes of a task's slice when its attributes change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SliceChange {
    /// It stays.
    Keep,
    /// The base slice again.
    Base,
    /// A slice of its own, nanoseconds.
    Custom(u64),
}

/// §4.4: a custom slice is at least 0.1 ms and at most 100 ms.
pub(super) const fn clamp_custom_slice(slice: u64) -> u64 {
    if slice < 100_000 {
        100_000
    } else if slice > 100_000_000 {
        100_000_000
    } else {
        slice
    }
}
