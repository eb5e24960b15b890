//! The scheduler's state in numbers that a kernel can be compared by.
//! Not for statistics.

use super::Core;
use crate::fair::{EntityId, Fair, FairClass, QueueId, Vtime};
use crate::input::GroupId;
use crate::kernel::Class;
use crate::kernel::rules::Origin;
use crate::output::{EndState, GroupEnd, QueueEnd, TaskEnd, TaskState, VirtualPlace};

impl<C: FairClass> Core<C> {
    pub(super) fn end_state(&self) -> EndState {
        EndState {
            tasks: (0..self.tasks.len()).map(|index| self.task_end(index)).collect(),
            groups: (0..self.input.groups.len()).filter_map(|index| self.group_end(GroupId(index as u32))).collect(),
            root: self.queue_end(self.fair.root()),
        }
    }

    fn task_end(&self, index: usize) -> TaskEnd {
        let task = &self.tasks[index];
        let entity = &self.fair.entity[task.entity];
        let state = match task.state {
            TaskState::Queued if self.cpus[task.cpu as usize].running == Some(index as u32) => TaskState::Running,
            TaskState::Blocked if entity.on_rq => TaskState::Delayed,
            state => state,
        };
        TaskEnd {
            state,
            group: self.fair.group_of(entity.group),
            sum_exec_ns: entity.sum_exec,
            virtual_time: self.virtual_place(task.entity),
        }
    }

    fn virtual_place(&self, e: EntityId) -> VirtualPlace {
        let (entity, node) = (&self.fair.entity[e], &self.fair.node[e]);
        let q = entity.queue;
        if self.input.kernel.release().class() == Class::Cfs {
            return VirtualPlace::Cfs { vruntime_rel_ns: node.vruntime.since(self.fair.queues[q].origin) };
        }
        if !entity.on_rq {
            return VirtualPlace::Off { vlag_ns: entity.vlag };
        }
        let average = self.fair.average_of(q);
        VirtualPlace::Queued {
            vruntime_rel_ns: node.vruntime.since(average),
            deadline_rel_ns: node.deadline.since(average),
        }
    }

    fn queue_end(&self, q: QueueId) -> QueueEnd {
        let queue = &self.fair.queues[q];
        let moves = self.fair.rules.origin == Origin::Smallest;
        QueueEnd {
            nr_running: queue.nr,
            h_nr_running: queue.h,
            min_vruntime_ns: moves.then(|| queue.origin.since(Vtime::QUEUE_START)),
        }
    }

    fn group_end(&self, group: GroupId) -> Option<GroupEnd> {
        let q = self.fair.queue_of(Some(group));
        let pool = self.fair.pools[group.0 as usize + 1].as_deref();
        let queue = &self.fair.queues[q];
        let owner = queue.owner?;
        let entity = &self.fair.entity[owner];
        let bandwidth = queue.bandwidth.as_deref();
        Some(GroupEnd {
            on_queue: entity.on_rq,
            is_curr: self.fair.queues[entity.queue].curr == Some(owner),
            delayed: entity.delayed,
            shares: entity.load.weight >> 10,
            sum_exec_ns: entity.sum_exec,
            slice_ns: self.fair.node[owner].slice,
            virtual_time: self.virtual_place(owner),
            queue: self.queue_end(q),
            throttled: bandwidth.is_some_and(|bandwidth| bandwidth.throttled),
            throttle_count: queue.throttled_above,
            runtime_remaining_ns: bandwidth.map_or(0, |bandwidth| bandwidth.remaining),
            pool_ns: pool.map_or(0, |pool| pool.left),
            nr_periods: pool.map_or(0, |pool| pool.nr_periods),
            nr_throttled: pool.map_or(0, |pool| pool.nr_throttled),
        })
    }
}

impl<C: FairClass> Fair<C> {
    /// V of a queue, for looking at.
    fn average_of(&self, q: QueueId) -> Vtime {
        C::average_of(self, q)
    }
}
