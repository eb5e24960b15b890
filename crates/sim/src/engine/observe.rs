//! What happens, while somebody looks: moments for [`crate::explain`].
//! Not for decisions: nothing here changes the run.

use super::Core;
use crate::explain::{Moment, MomentKind, QueueView};
use crate::fair::{FairClass, PickView};
use crate::input::{GroupId, TaskId};
use crate::output::TaskState;
use crate::reason::Reason;

impl<C: FairClass> Core<C> {
    fn moment(&mut self, cpu: u32, kind: MomentKind, queues: Vec<QueueView>) {
        let at_ns = self.now;
        if let Some(observed) = &mut self.observed {
            observed.push(Moment { at_ns, cpu, kind, queues });
        }
    }

    fn running_task(&self, cpu: u32) -> Option<TaskId> {
        self.cpus[cpu as usize].running.map(TaskId)
    }

    /// Before a pick: the queues it will see.
    pub(super) fn observe_pick(&self) -> Option<PickView> {
        self.observed.as_ref().map(|_| self.fair.view_of_pick())
    }

    /// After schedule() has picked.
    pub(super) fn observe_schedule(
        &mut self,
        cpu: u32,
        prev: Option<u32>,
        next: Option<u32>,
        reason: Reason,
        seen: Option<PickView>,
    ) {
        let Some(PickView { queues, finished, throttled_before }) = seen else { return };
        let mut throttled = self.fair.throttled_groups();
        throttled.retain(|group| !throttled_before.contains(group));
        let delayed = prev.is_some_and(|task| {
            let task = &self.tasks[task as usize];
            task.state == TaskState::Blocked && self.fair.entity[task.entity].on_rq
        });
        let (prev, next) = (prev.map(TaskId), next.map(TaskId));
        self.moment(cpu, MomentKind::Schedule { prev, next, reason, delayed, finished, throttled }, queues);
    }

    /// After a wake-up or a fork; `before`: the request that was there already.
    pub(super) fn observe_wakeup(&mut self, cpu: u32, task: u32, fork: bool, before: Option<Reason>) {
        self.last_decision = Some(self.now);
        if self.observed.is_none() {
            return;
        }
        let queues = self.fair.views_of_task(self.tasks[task as usize].entity);
        let request = self.fair.rqs[cpu as usize].request.filter(|_| before.is_none());
        let running = self.running_task(cpu);
        self.moment(cpu, MomentKind::Wakeup { task: TaskId(task), running, fork, request }, queues);
    }

    pub(super) fn observe_tick(&mut self, cpu: u32, before: Option<Reason>) {
        if let (Some(task), true) = (self.cpus[cpu as usize].running, self.observed.is_some()) {
            let queues = self.fair.views_of_task(self.tasks[task as usize].entity);
            let request = self.fair.rqs[cpu as usize].request.filter(|_| before.is_none());
            self.moment(cpu, MomentKind::Tick { running: TaskId(task), request }, queues);
        }
    }

    pub(super) fn observe_slice_timer(&mut self, cpu: u32) {
        if self.observed.is_some() {
            let running = self.running_task(cpu);
            self.moment(cpu, MomentKind::SliceTimer { running }, Vec::new());
        }
    }

    pub(super) fn observe_period(&mut self, group: GroupId) {
        if self.observed.is_some() {
            let q = self.fair.at(0).queue_of(Some(group));
            let throttled = self.fair.queues[q].is_throttled();
            self.moment(0, MomentKind::Period { group, throttled }, Vec::new());
        }
    }
}
