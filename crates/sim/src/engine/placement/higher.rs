//! CPUs for tasks of the classes above the fair one: a simple form of the kernel's push and pull.
//! Not checked against a kernel; documents that use it are told so.

use super::Core;
use crate::fair::FairClass;
use crate::input::Policy;

/// DEADLINE before all real-time priorities.
fn priority(policy: Policy) -> u8 {
    match policy {
        Policy::Fifo { priority } | Policy::RoundRobin { priority } => priority,
        Policy::Deadline { .. } => u8::MAX,
        _ => 0,
    }
}

impl<C: FairClass> Core<C> {
    /// A task stays where it ran unless something as important has that CPU: then it goes to the
    /// CPU with the least important work, an idle one first.
    pub(super) fn choose_higher_cpu(&self, task: u32, previous: u32) -> u32 {
        let own = priority(self.tasks[task as usize].policy);
        let there = |cpu: u32| self.cpus[cpu as usize].higher.priority().unwrap_or(0);
        if self.tasks[task as usize].may_run_on(previous) && there(previous) < own {
            return previous;
        }
        let cpus = (0..self.cpus.len() as u32).filter(|cpu| self.tasks[task as usize].may_run_on(*cpu));
        cpus.min_by_key(|cpu| (there(*cpu), !self.is_idle(*cpu), *cpu != previous)).unwrap_or(previous)
    }

    /// A CPU that is about to pick takes a waiting task of a higher class that is more important
    /// than what it has (`pull_rt_task`).
    pub(in crate::engine) fn pull_higher(&mut self, cpu: u32) {
        if !self.placing.any_higher {
            return;
        }
        let own = self.cpus[cpu as usize].higher.priority();
        let waiting = |other: u32| {
            let state = &self.cpus[other as usize];
            state.higher.waiting(state.running, |task| self.tasks[task as usize].may_run_on(cpu))
        };
        let others = (0..self.cpus.len() as u32).filter(|other| *other != cpu);
        let best = others.filter_map(|other| waiting(other).map(|(task, at)| (at, other, task)));
        let Some((_, from, task)) = best
            .max_by_key(|(at, other, _)| (*at, u32::MAX - other))
            .filter(|(at, ..)| own.is_none_or(|own| *at > own))
        else {
            return;
        };
        let policy = self.tasks[task as usize].policy;
        let from_cpu = &mut self.cpus[from as usize].higher;
        from_cpu.dequeue(task, policy);
        let state = from_cpu.take_state(task);
        let to = &mut self.cpus[cpu as usize].higher;
        to.put_state(task, state);
        to.enqueue(task, policy, self.now);
        self.tasks[task as usize].cpu = cpu;
        let entity = self.tasks[task as usize].entity;
        self.fair.put_on_cpu(entity, cpu);
        self.statistics.migration(task, false);
        self.touch(from);
        self.fair.at(cpu);
    }
}
