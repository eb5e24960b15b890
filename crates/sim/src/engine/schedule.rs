//! schedule() and the tick (§1.3): who leaves a CPU, who takes it, over all classes.
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
    /// The running task is put back, for the stopper to move it.
    Stopped,
}

impl<C: FairClass> Core<C> {
    /// The tick of a CPU.
    pub(super) fn tick(&mut self, cpu: u32) {
        self.cpus[cpu as usize].next_tick += self.tick_ns;
        let before = self.fair.rq().request;
        match self.cpus[cpu as usize].running {
            Some(task) if self.fair.rq().higher_runs => self.tick_higher(cpu, task),
            Some(_) => {
                self.fair.tick();
                self.tick_core(cpu);
            }
            None => {}
        }
        self.observe_tick(cpu, before);
        if self.many {
            self.balance_at_tick(cpu);
        }
    }

    /// Budgets and slices of higher classes end at ticks.
    fn tick_higher(&mut self, cpu: u32, task: u32) {
        let policy = self.tasks[task as usize].policy;
        if self.charge_higher(cpu, task, true) {
            self.fair.request(match policy {
                Policy::Deadline { .. } => Reason::Budget,
                _ => Reason::RoundRobin,
            });
        }
    }

    /// The running task may no longer be here: it leaves for a CPU of its own.
    pub(super) fn leave_by_affinity(&mut self, cpu: u32, task: u32) {
        let to = self.allowed_or_another(task, cpu);
        self.cpus[cpu as usize].leaves_to = Some(to);
        self.schedule(cpu, Leave::Stopped);
    }

    pub(super) fn charge_higher(&mut self, cpu: u32, task: u32, at_tick: bool) -> bool {
        let policy = self.tasks[task as usize].policy;
        let state = &mut self.cpus[cpu as usize];
        let ran = self.now - state.higher_charged;
        state.higher_charged = self.now;
        state.higher.charge(task, policy, ran, at_tick)
    }

    pub(super) fn is_higher(&self, task: u32) -> bool {
        is_higher(self.tasks[task as usize].policy)
    }

    /// A task of a higher class becomes runnable on a CPU.
    pub(super) fn start_higher(&mut self, cpu: u32, task: u32) {
        self.cpus[cpu as usize].higher.enqueue(task, self.tasks[task as usize].policy, self.now);
        self.check_higher(cpu, task);
    }

    /// Whether a task of a higher class preempts who runs.
    pub(super) fn check_higher(&mut self, cpu: u32, task: u32) {
        let state = &self.cpus[cpu as usize];
        if state.higher.pick() == Some(task) && state.running != Some(task) {
            let idle = state.running.is_none();
            self.fair.request(if idle { Reason::IdleCpu } else { Reason::HigherClass });
        }
    }

    /// §1.3 schedule() on a CPU: prev may leave, the class picks, the CPU switches.
    pub(super) fn schedule(&mut self, cpu: u32, leave: Leave) {
        self.fair.at(cpu);
        let mut reason = match leave {
            Leave::Preempt => self.fair.rq().request.unwrap_or(Reason::IdleCpu),
            Leave::Block => Reason::Block,
            Leave::Exit => Reason::Exit,
            Leave::Yield => Reason::Yield,
            Leave::Stopped if self.cpus[cpu as usize].leaves_to.is_some() => Reason::Affinity,
            Leave::Stopped => Reason::Migration,
        };
        self.cpus[cpu as usize].reschedule_at = u64::MAX;
        self.touch(cpu);
        self.fair.rq_mut().counters.sched_count += 1;
        self.fair.begin_schedule();
        let prev = self.cpus[cpu as usize].running;
        if let Some(task) = prev {
            self.bring_up_to_date(cpu, task);
            self.leave_cpu(cpu, task, leave);
        }
        self.last_decision = Some(self.now);
        let seen = self.observe_pick();
        let picks = self.fair.rq().counters.core_pick;
        let next = if self.core.is_on() { self.pick_core_wide(cpu, prev) } else { self.pick_or_pull(cpu) };
        let picked_core_wide = self.fair.rqs[cpu as usize].counters.core_pick != picks;
        if next.is_none() && prev.is_some() && leave == Leave::Preempt && self.core.is_forced_idle(cpu) {
            reason = Reason::ForcedIdle;
        }
        self.observe_schedule(cpu, prev, next, reason, seen);
        if next.is_none() {
            self.fair.rq_mut().counters.sched_goidle += 1;
        }
        if next != prev {
            self.switch(cpu, prev, next, reason);
        }
        if let Some(next) = next.filter(|_| picked_core_wide) {
            self.pay_for_core_pick(cpu, next);
        }
        if leave == Leave::Exit
            && let Some(task) = prev.filter(|task| !self.is_higher(*task))
        {
            self.fair.forget(self.tasks[task as usize].entity);
            if let Some(template) = self.tasks[task as usize].template {
                self.exited[template as usize].push(task);
            }
        }
        let speed = self.cpus[cpu as usize].speed;
        self.cpus[cpu as usize].completes_at =
            next.map_or(u64::MAX, |task| self.tasks[task as usize].completes_at(self.now, speed));
    }

    /// What becomes of the running task before the next is picked.
    fn leave_cpu(&mut self, cpu: u32, task: u32, leave: Leave) {
        if leave == Leave::Stopped {
            if !self.fair.rq().higher_runs {
                self.fair.give_way();
            }
            match self.cpus[cpu as usize].leaves_to.take() {
                Some(to) => self.push_away(cpu, task, to),
                None => self.push_by_stopper(cpu),
            }
            return;
        }
        let leaves = matches!(leave, Leave::Block | Leave::Exit);
        let exit = leave == Leave::Exit;
        if leaves {
            self.tasks[task as usize].state = if exit { TaskState::Exited } else { TaskState::Blocked };
        }
        let policy = self.tasks[task as usize].policy;
        if !self.fair.rq().higher_runs {
            if leaves {
                let before = self.many && self.runs_only_idle_policy(cpu);
                self.fair.block(self.tasks[task as usize].entity, exit);
                self.core_dequeued(task);
                if self.many && !before && self.runs_only_idle_policy(cpu) {
                    self.cpus[cpu as usize].next_balance = self.jiffies();
                }
            }
            return;
        }
        if leaves {
            self.core_dequeued(task);
        }
        self.charge_higher(cpu, task, false);
        let higher = &mut self.cpus[cpu as usize].higher;
        if leaves {
            higher.dequeue(task, policy);
        }
        // A budget that ran out between ticks is seen here at the latest.
        if let Some(start) = higher.throttle(task, policy, self.now)
            && !exit
        {
            self.events.push(start, Event::Replenish(task));
        }
    }

    /// The classes in order: deadline, real-time, fair (after a newly-idle balance where the CPU
    /// would be idle), idle.
    pub(super) fn pick_or_pull(&mut self, cpu: u32) -> Option<u32> {
        if self.many {
            self.pull_higher(cpu);
            if self.has_nothing_to_run(cpu) {
                // Tasks whose dequeue was delayed leave before the CPU looks elsewhere.
                if self.fair.rules.restarting_pick && self.fair.task_count() > 0 {
                    self.fair.pick_task();
                }
                self.newly_idle_balance(cpu);
            }
        }
        self.pick_next(cpu)
    }

    /// The classes in order, without a balance.
    pub(super) fn pick_next(&mut self, cpu: u32) -> Option<u32> {
        self.fair.at(cpu);
        if let Some(task) = self.cpus[cpu as usize].higher.pick() {
            self.run_higher(cpu);
            return Some(task);
        }
        self.fair.rq_mut().higher_runs = false;
        self.fair.pick_and_switch().and_then(|e| self.fair.task_index(e))
    }

    /// A task of a higher class takes the CPU.
    pub(super) fn run_higher(&mut self, cpu: u32) {
        if !self.fair.rq().higher_runs {
            self.fair.give_way();
        }
        let rq = self.fair.rq_mut();
        rq.higher_runs = true;
        rq.request = None;
        self.cpus[cpu as usize].higher_charged = self.now;
    }

    fn switch(&mut self, cpu: u32, prev: Option<u32>, next: Option<u32>, reason: Reason) {
        if prev.is_none() {
            self.leave_idle(cpu);
        }
        let counters = &self.fair.rqs[cpu as usize].counters;
        self.statistics.switch(self.now, cpu, prev, next, reason, counters);
        if let Some(prev) = prev {
            self.leaves_cache(cpu, prev);
        }
        if let Some(next) = next {
            self.pay_for_switch(cpu, next);
        }
        let state = &mut self.cpus[cpu as usize];
        state.running = next;
        state.run_from = self.now;
        if next.is_none() {
            self.enter_idle(cpu);
        }
        if self.many {
            self.running_changed(cpu, prev, next);
        }
    }

    /// Takes what the running task has run since `run_from` from what it has to do.
    pub(super) fn bring_up_to_date(&mut self, cpu: u32, task: u32) {
        let state = &mut self.cpus[cpu as usize];
        let ran = self.now - state.run_from;
        state.run_from = self.now;
        let speed = state.speed;
        let worked = self.tasks[task as usize].has_run(ran, speed);
        if self.topology.has_smt {
            self.count_smt_loss(cpu, worked);
        }
    }
}
