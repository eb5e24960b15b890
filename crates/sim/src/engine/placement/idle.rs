//! The search for an idle CPU near the target of a wake-up (§5.1 `select_idle_sibling`).
//! Not for how the target is chosen.

use super::Core;
use crate::fair::FairClass;

impl<C: FairClass> Core<C> {
    pub(super) fn select_idle_sibling(&mut self, task: u32, previous: u32, target: u32) -> u32 {
        if self.is_idle_for(target, task) {
            return target;
        }
        if previous != target && self.topology.shares_llc(previous, target) && self.is_idle_for(previous, task) {
            return previous;
        }
        let state = &mut self.tasks[task as usize];
        let recent = std::mem::replace(&mut state.recent_used_cpu, previous);
        if recent != previous
            && recent != target
            && self.topology.shares_llc(recent, target)
            && self.is_idle_for(recent, task)
            && self.tasks[task as usize].may_run_on(recent)
        {
            return recent;
        }
        let Some(level) = self.topology.llc_level(target) else { return target };
        let llc = self.topology.llc[target as usize] as usize;
        let idle_core = self.topology.has_smt && self.placing.idle_cores[llc];
        if self.topology.has_smt
            && !idle_core
            && self.topology.shares_llc(previous, target)
            && let Some(sibling) = self.idle_thread_of_core(task, previous)
        {
            return sibling;
        }
        self.select_idle_cpu(task, target, level, idle_core).unwrap_or(target)
    }

    /// An idle thread of the core that a CPU belongs to, other than it (`select_idle_smt`).
    fn idle_thread_of_core(&self, task: u32, previous: u32) -> Option<u32> {
        // The siblings are inside the LLC here, so the test that 6.5 to 6.8 lack changes nothing.
        let siblings = self.topology.siblings[previous as usize].iter().copied();
        siblings.filter(|cpu| *cpu != previous).find(|cpu| self.may_use(task, *cpu) && self.is_idle_for(*cpu, task))
    }

    fn may_use(&self, task: u32, cpu: u32) -> bool {
        self.tasks[task as usize].may_run_on(cpu)
    }

    /// §5.1 step 7 `select_idle_cpu`: the LLC from behind the target, as far as the limit allows.
    fn select_idle_cpu(&mut self, task: u32, target: u32, level: usize, idle_core: bool) -> Option<u32> {
        let llc = self.topology.llc[target as usize] as usize;
        let mut budget = u64::MAX;
        if self.fair.rules.sis_util {
            budget = self.placing.nr_idle_scan[llc] + 1;
            if budget == 1 {
                return None;
            }
        }
        let topology = self.topology.clone();
        let cpus = &topology.domain(target, level).cpus;
        let start = cpus.partition_point(|cpu| *cpu <= target);
        let scan = || cpus[start..].iter().chain(&cpus[..start]).copied().filter(|cpu| self.may_use(task, *cpu));
        if !idle_core {
            for cpu in scan() {
                budget -= 1;
                if budget == 0 {
                    return None;
                }
                if self.is_idle_for(cpu, task) && self.matches_cookie(cpu, task) {
                    return Some(cpu);
                }
            }
            return None;
        }
        let mut seen_cores = Vec::new();
        let mut first_idle = None;
        for cpu in scan() {
            let core = topology.core[cpu as usize];
            if seen_cores.contains(&core) {
                continue;
            }
            seen_cores.push(core);
            if self.is_core_idle(cpu, task, &mut first_idle) {
                return Some(cpu);
            }
        }
        self.placing.idle_cores[llc] = false;
        first_idle
    }

    /// Whether a whole core is idle (`select_idle_core`); remembers the first idle CPU met.
    fn is_core_idle(&self, cpu: u32, task: u32, first_idle: &mut Option<u32>) -> bool {
        let mut idle = true;
        for sibling in &self.topology.siblings[cpu as usize] {
            if self.is_idle(*sibling) {
                if first_idle.is_none() && self.may_use(task, *sibling) {
                    *first_idle = Some(*sibling);
                }
                continue;
            }
            idle = false;
            if first_idle.is_none() {
                if self.is_idle_for(*sibling, task) && self.may_use(task, *sibling) {
                    *first_idle = Some(*sibling);
                    break;
                }
                continue;
            }
            break;
        }
        idle
    }

    /// A CPU becomes idle: when all its siblings are, its LLC is known to have an idle core
    /// (`__update_idle_core`).
    pub(in crate::engine) fn note_idle_core(&mut self, cpu: u32) {
        let llc = self.topology.llc[cpu as usize] as usize;
        if !self.topology.has_smt || self.placing.idle_cores[llc] {
            return;
        }
        let siblings = &self.topology.siblings[cpu as usize];
        if siblings.iter().all(|other| *other == cpu || self.is_idle(*other)) {
            self.placing.idle_cores[llc] = true;
        }
    }
}
