//! schedule() and the tick (§1.3): who leaves the CPU, who takes it, over all classes.
//! Not for the fair class's choice: that is [`crate::fair`].

use super::higher::is_higher;
use super::{Core, Event};
use crate::fair::FairClass;
use crate::input::Policy;
use crate::output::TaskState;
use crate::reason::Reason;

/// How schedule() is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// By a request.
    Preempt,
    /// The task goes to sleep.
    Block,
    /// The task ends.
    Exit,
    /// sched_yield.
    Yield,
}

impl<C: FairClass> Core<C> {
    pub(super) fn tick(&mut self) {
        match self.running {
            Some(task) if self.fair.higher_runs => self.tick_higher(task),
            _ => self.fair.tick(),
        }
    }

    /// Budgets and slices of higher classes end at ticks.
    fn tick_higher(&mut self, task: u32) {
        let policy = self.tasks[task as usize].policy;
        if self.charge_higher(task, true) {
            self.fair.request(match policy {
                Policy::Deadline { .. } => Reason::Budget,
                _ => Reason::RoundRobin,
            });
        }
    }

    pub(super) fn charge_higher(&mut self, task: u32, at_tick: bool) -> bool {
        let ran = self.now - self.higher_charged;
        self.higher_charged = self.now;
        self.higher.charge(task, self.tasks[task as usize].policy, ran, at_tick)
    }

    pub(super) fn is_higher(&self, task: u32) -> bool {
        is_higher(self.tasks[task as usize].policy)
    }

    /// A task of a higher class becomes runnable.
    pub(super) fn start_higher(&mut self, task: u32) {
        self.higher.enqueue(task, self.tasks[task as usize].policy, self.now);
        self.check_higher(task);
    }

    /// Whether a task of a higher class preempts who runs.
    pub(super) fn check_higher(&mut self, task: u32) {
        if self.higher.pick() == Some(task) && self.running != Some(task) {
            let idle = self.running.is_none();
            self.fair.request(if idle { Reason::IdleCpu } else { Reason::HigherClass });
        }
    }

    /// §1.3 schedule(): prev may leave, the class picks, the CPU switches.
    pub(super) fn schedule(&mut self, leave: Leave) {
        let reason = match leave {
            Leave::Preempt => self.fair.request.unwrap_or(Reason::IdleCpu),
            Leave::Block => Reason::Block,
            Leave::Exit => Reason::Exit,
            Leave::Yield => Reason::Yield,
        };
        self.fair.counters.sched_count += 1;
        self.fair.begin_schedule();
        let prev = self.running;
        if let Some(task) = prev {
            self.bring_up_to_date(task);
            self.leave_cpu(task, leave);
        }
        self.last_decision = Some(self.now);
        let seen = self.observe_pick();
        let next = self.pick_next();
        self.observe_schedule(prev, next, reason, seen);
        if next.is_none() {
            self.fair.counters.sched_goidle += 1;
        }
        if next != prev {
            self.switch(prev, next, reason);
        }
        self.completes_at = next.map_or(u64::MAX, |task| self.tasks[task as usize].completes_at(self.now));
    }

    /// What becomes of the running task before the next is picked.
    fn leave_cpu(&mut self, task: u32, leave: Leave) {
        let leaves = matches!(leave, Leave::Block | Leave::Exit);
        let exit = leave == Leave::Exit;
        if leaves {
            self.tasks[task as usize].state = if exit { TaskState::Exited } else { TaskState::Blocked };
        }
        let policy = self.tasks[task as usize].policy;
        if !self.fair.higher_runs {
            if leaves {
                self.fair.block(self.tasks[task as usize].entity, exit);
            }
            return;
        }
        self.charge_higher(task, false);
        if leaves {
            self.higher.dequeue(task, policy);
        }
        // A budget that ran out between ticks is seen here at the latest.
        if let Some(start) = self.higher.throttle(task, policy, self.now)
            && !exit
        {
            self.events.push(start, Event::Replenish(task));
        }
    }

    /// The classes in order: deadline, real-time, fair, idle.
    fn pick_next(&mut self) -> Option<u32> {
        if let Some(task) = self.higher.pick() {
            if !self.fair.higher_runs {
                self.fair.give_way();
            }
            self.fair.higher_runs = true;
            self.fair.request = None;
            self.higher_charged = self.now;
            return Some(task);
        }
        self.fair.higher_runs = false;
        self.fair.pick_and_switch().and_then(|e| self.fair.task_index(e))
    }

    fn switch(&mut self, prev: Option<u32>, next: Option<u32>, reason: Reason) {
        if prev.is_none() {
            // The idle CPU's ticks did nothing and were passed over.
            let missed = self.now.saturating_sub(self.next_tick).div_ceil(self.tick_ns);
            self.next_tick += missed * self.tick_ns;
        }
        self.statistics.switch(self.now, prev, next, reason, &self.fair.counters);
        if let Some(next) = next {
            let cost = self.input.machine.context_switch_ns;
            self.tasks[next as usize].overhead += cost;
            self.statistics.cpu.lost_switch_ns += cost;
        }
        self.running = next;
        self.run_from = self.now;
    }

    /// Takes what the running task has run since `run_from` from what it has to do.
    pub(super) fn bring_up_to_date(&mut self, task: u32) {
        self.tasks[task as usize].has_run(self.now - self.run_from);
        self.run_from = self.now;
    }
}
