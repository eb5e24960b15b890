//! How tasks come to a run queue: forks and wake-ups, from the choice of a CPU to the enqueue.
//! Not for how that CPU is chosen: that is `placement`.

use super::events::Event;
use super::higher::is_higher;
use super::{Core, RequestPath};
use crate::fair::FairClass;
use crate::output::TaskState;

impl<C: FairClass> Core<C> {
    /// A new task starts; its parent runs on `parent_cpu`.
    pub(super) fn start_fork(&mut self, task: u32, parent_cpu: u32) {
        self.fair.at(parent_cpu);
        let higher = self.is_higher(task);
        let entity = self.tasks[task as usize].entity;
        if !higher {
            self.fair.fork(entity);
        }
        let cpu = self.choose_fork_cpu(task, parent_cpu);
        if cpu != parent_cpu {
            self.request_path = RequestPath::Wakeup;
        }
        let state = &mut self.tasks[task as usize];
        state.state = TaskState::Queued;
        state.cpu = cpu;
        state.recent_used_cpu = parent_cpu;
        self.statistics.runnable(self.now, cpu, task, true);
        self.fair.put_on_cpu(entity, cpu);
        let before = self.fair.at(cpu).rq().request;
        if higher {
            self.start_higher(cpu, task);
        } else {
            self.fair.start(entity);
        }
        self.core_enqueued(task);
        self.became_runnable(cpu);
        self.observe_wakeup(cpu, task, true, before);
    }

    /// A sleeping task is woken from `waker_cpu`; `sync`: the waker is about to sleep (WF_SYNC).
    pub(super) fn wake(&mut self, task: u32, waker_cpu: u32, sync: bool) {
        let entity = self.tasks[task as usize].entity;
        self.request_path = RequestPath::Wakeup;
        self.fair.rqs[waker_cpu as usize].counters.ttwu_count += 1;
        let previous = self.tasks[task as usize].cpu;
        let mut cpu = previous;
        if self.many && !self.fair.is_delayed(entity) {
            cpu = self.choose_wakeup_cpu(task, waker_cpu, sync);
        }
        if cpu == waker_cpu {
            self.fair.rqs[waker_cpu as usize].counters.ttwu_local += 1;
        } else if self.many {
            self.count_remote_wakeup(waker_cpu, cpu);
        }
        self.tasks[task as usize].moved = cpu != previous;
        if cpu != previous {
            self.leave_for(task, cpu);
            self.statistics.migration(task, true);
        }
        if self.wakes_by_interrupt(cpu, waker_cpu) && !self.fair.is_delayed(entity) {
            self.tasks[task as usize].activating = true;
            self.cpus[cpu as usize].wakeups_pending += 1;
            let latency = self.with_jitter(self.input.machine.wakeup_ns);
            self.events.push(self.now + latency, Event::Activate(task));
        } else {
            self.enqueue_woken(task, cpu);
        }
    }

    /// A sleeping task's CPU becomes another.
    fn leave_for(&mut self, task: u32, cpu: u32) {
        let state = &mut self.tasks[task as usize];
        let from = std::mem::replace(&mut state.cpu, cpu);
        let (entity, policy) = (state.entity, state.policy);
        if is_higher(policy) {
            let taken = self.cpus[from as usize].higher.take_state(task);
            self.cpus[cpu as usize].higher.put_state(task, taken);
            self.fair.put_on_cpu(entity, cpu);
        } else {
            self.fair.at(from).migrate_sleeping(entity, cpu);
        }
    }

    /// A wake-up that was queued to another CPU arrives there.
    pub(super) fn activate(&mut self, task: u32) {
        let state = &mut self.tasks[task as usize];
        state.activating = false;
        let cpu = state.cpu;
        self.cpus[cpu as usize].wakeups_pending -= 1;
        self.enqueue_woken(task, cpu);
        self.request_path = RequestPath::Direct;
    }

    fn enqueue_woken(&mut self, task: u32, cpu: u32) {
        let state = &mut self.tasks[task as usize];
        state.state = TaskState::Queued;
        let (entity, moved) = (state.entity, state.moved);
        self.statistics.runnable(self.now, cpu, task, false);
        let before = self.fair.at(cpu).rq().request;
        if self.is_higher(task) {
            self.start_higher(cpu, task);
        } else {
            self.fair.wake(entity, moved);
        }
        self.core_enqueued(task);
        self.became_runnable(cpu);
        self.end_idle_span(cpu);
        self.observe_wakeup(cpu, task, false, before);
    }
}
