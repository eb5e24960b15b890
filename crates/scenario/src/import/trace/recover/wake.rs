//! Wake-ups, forks and exits: who woke whom, and who is new. Not for runs and sleeps themselves.

use super::Recovery;
use crate::import::trace::line::{Context, Event, Thread};
use crate::import::trace::task::{Begin, Index, Pending, State, Step, Task, Waker, Why};

impl Recovery {
    pub(super) fn wake(&mut self, at: u64, event: &Event<'_>, thread: &Thread<'_>, why: Why) {
        self.cpu(event.cpu).last_wakeup_ns = Some(at);
        if let Some(target) = thread.target
            && (target as usize) < self.cpus.len()
        {
            self.cpu(target).last_wakeup_ns = Some(at);
        }
        if thread.pid == 0 {
            return;
        }
        let index = self.of_pid(thread);
        match self.tasks[index as usize].state {
            State::Unseen => {
                // It has slept since before the trace began.
                let since = self.first_ns.unwrap_or(at);
                let task = self.task_mut(index);
                (task.begin, task.state) = (Begin::Woken, State::Sleeping { since });
                let (by, _) = self.waker(at, event, index);
                self.awake(index, at, by, why);
            }
            State::Sleeping { .. } | State::Lost { .. } => {
                let (by, _) = self.waker(at, event, index);
                self.awake(index, at, by, why);
            }
            State::Runnable { why: Why::Waking, .. } if why == Why::Woken => {
                self.task_mut(index).state = State::Runnable { since: at, why };
            }
            State::Running { .. } if why == Why::Waking => {
                self.forget_pending(index);
                let (by, post) = self.waker(at, event, index);
                self.task_mut(index).pending = Some(Pending { by, post });
            }
            // It had not gone to sleep yet: the wake-up changes nothing.
            State::Running { .. } => self.forget_pending(index),
            State::Runnable { .. } | State::Gone => {}
        }
    }

    /// Who makes a wake-up; a task that does gets it as a step.
    fn waker(&mut self, at: u64, event: &Event<'_>, wakee: Index) -> (Waker, Option<(Index, usize)>) {
        let waker = self.by_pid.get(&event.pid).copied().filter(|waker| *waker != wakee);
        if event.context == Context::Unsaid && (event.pid == 0 || waker.is_some()) {
            *self.task_mut(wakee).unsure.entry((waker, event.cpu)).or_default() += 1;
        }
        let Some(task) = waker.filter(|_| event.context != Context::Interrupt) else {
            self.oddities.woken_by_interrupts += u64::from(event.context != Context::Unsaid);
            return (Waker::Interrupt, None);
        };
        if let State::Running { since, cpu } = self.tasks[task as usize].state {
            let running = self.task_mut(task);
            running.ran(cpu, at - since);
            running.state = State::Running { since: at, cpu };
        }
        let sure = event.context == Context::Task;
        self.push(task, Step::Post { wakee, sure });
        (Waker::Task { task, sure }, Some((task, self.tasks[task as usize].steps.len() - 1)))
    }

    pub(super) fn awake(&mut self, index: Index, at: u64, by: Waker, why: Why) {
        match self.tasks[index as usize].state {
            State::Sleeping { since } => self.push(index, Step::Block { ns: at - since, by }),
            State::Lost { since } => {
                self.oddities.lost_ns += at - since;
                self.push(index, Step::Block { ns: at - since, by });
            }
            _ => return,
        }
        let task = self.task_mut(index);
        task.counts.wakeups += 1;
        task.state = State::Runnable { since: at, why };
    }

    /// A wake-up of a task that had not gone to sleep is no part of anybody's demand.
    pub(super) fn forget_pending(&mut self, index: Index) {
        if let Some(Pending { post: Some((waker, place)), .. }) = self.task_mut(index).pending.take()
            && let Some(step) = self.task_mut(waker).steps.get_mut(place)
        {
            *step = Step::Nothing;
        }
    }

    /// A new task. `sched_process_fork` and `sched_wakeup_new` both tell of it.
    pub(super) fn born(&mut self, at: u64, event: &Event<'_>, pid: u32, comm: &[u8], prio: Option<i32>) {
        if let Some(&index) = self.by_pid.get(&pid) {
            let task = self.task_mut(index);
            let told = matches!(task.begin, Begin::Forked { .. }) && task.counts.switches == 0;
            if told {
                task.state = State::Runnable { since: at, why: Why::Woken };
                task.rename(comm);
                self.prio(index, prio);
                return;
            }
            self.end_of_pid(pid);
        }
        let parent = self.by_pid.get(&event.pid).copied().filter(|_| event.context != Context::Interrupt);
        let mut task = Task::new(pid, comm, prio);
        task.state = State::Runnable { since: at, why: Why::Woken };
        task.begin = Begin::Forked { at_ns: at, parent };
        let child = self.add(task);
        if let Some(parent) = parent {
            if let State::Running { since, cpu } = self.tasks[parent as usize].state {
                let running = self.task_mut(parent);
                running.ran(cpu, at - since);
                running.state = State::Running { since: at, cpu };
            }
            self.push(parent, Step::Fork(child));
        }
    }

    /// A pid begins anew: who had it before is gone, though the trace does not have its end.
    pub(super) fn end_of_pid(&mut self, pid: u32) {
        if let Some(index) = self.by_pid.remove(&pid) {
            self.oddities.reused_pids += u64::from(!self.tasks[index as usize].exited);
            let task = self.task_mut(index);
            task.end_run();
            (task.exited, task.state) = (true, State::Gone);
        }
    }
}
