//! What happens, while somebody looks: moments for [`crate::explain`].
//! Not for decisions: nothing here changes the run.

use super::Core;
use crate::explain::{Moment, MomentKind, QueueView};
use crate::fair::{FairClass, PickView, QueueId};
use crate::input::{GroupId, TaskId};
use crate::output::TaskState;
use crate::reason::Reason;

impl<C: FairClass> Core<C> {
    fn moment(&mut self, kind: MomentKind, queues: Vec<QueueView>) {
        let at_ns = self.now;
        if let Some(observed) = &mut self.observed {
            observed.push(Moment { at_ns, kind, queues });
        }
    }

    fn running_task(&self) -> Option<TaskId> {
        self.running.map(TaskId)
    }

    /// Before a pick: the queues it will see.
    pub(super) fn observe_pick(&self) -> Option<PickView> {
        self.observed.as_ref().map(|_| self.fair.view_of_pick())
    }

    /// After schedule() has picked.
    pub(super) fn observe_schedule(
        &mut self,
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
        self.moment(MomentKind::Schedule { prev, next, reason, delayed, finished, throttled }, queues);
    }

    /// After a wake-up or a fork; `before`: the request that was there already.
    pub(super) fn observe_wakeup(&mut self, task: u32, fork: bool, before: Option<Reason>) {
        self.last_decision = Some(self.now);
        if self.observed.is_none() {
            return;
        }
        let queues = self.fair.views_of_task(self.tasks[task as usize].entity);
        let request = self.fair.request.filter(|_| before.is_none());
        let running = self.running_task();
        self.moment(MomentKind::Wakeup { task: TaskId(task), running, fork, request }, queues);
    }

    pub(super) fn observe_tick(&mut self, before: Option<Reason>) {
        if let (Some(task), true) = (self.running, self.observed.is_some()) {
            let queues = self.fair.views_of_task(self.tasks[task as usize].entity);
            let request = self.fair.request.filter(|_| before.is_none());
            self.moment(MomentKind::Tick { running: TaskId(task), request }, queues);
        }
    }

    pub(super) fn observe_slice_timer(&mut self) {
        if self.observed.is_some() {
            let running = self.running_task();
            self.moment(MomentKind::SliceTimer { running }, Vec::new());
        }
    }

    pub(super) fn observe_period(&mut self, q: QueueId) {
        if self.observed.is_some() {
            let throttled = self.fair.queues[q].is_throttled();
            self.moment(MomentKind::Period { group: GroupId(q.0 - 1), throttled }, Vec::new());
        }
    }
}
