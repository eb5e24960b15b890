//! Cookie stealing (§6.5): a forced-idle CPU takes a queued task of its core's cookie.
//! Not for ordinary balancing.

use super::Core;
use crate::fair::FairClass;
use crate::reason::Reason;

impl<C: FairClass> Core<C> {
    /// `sched_core_balance`: domain by domain upwards, CPUs in ring order from the next one.
    pub(in crate::engine) fn steal_cookie(&mut self, cpu: u32) {
        let topology = self.topology.clone();
        for level in 0..topology.levels(cpu) {
            let cpus = &topology.domain(cpu, level).cpus;
            let start = cpus.partition_point(|other| *other <= cpu);
            for other in cpus[start..].iter().chain(&cpus[..start]).copied().filter(|other| *other != cpu) {
                if self.fair.rqs[cpu as usize].request.is_some() {
                    return;
                }
                if self.try_steal(cpu, other) {
                    return;
                }
            }
        }
    }

    /// `try_steal_cookie`.
    fn try_steal(&mut self, cpu: u32, from: u32) -> bool {
        let cookie = self.cookie_of_core(cpu);
        if cookie == 0 || self.cpus[cpu as usize].running.is_some() {
            return false;
        }
        let picked = self.core.cpus[from as usize].pick.flatten();
        let running = self.cpus[from as usize].running;
        let occupation = self.core.cpus[cpu as usize].idle_occupation;
        let found = self.tasks_with_cookie(from, cookie).find(|task| {
            let state = &self.tasks[*task as usize];
            Some(*task) != picked
                && Some(*task) != running
                && state.may_run_on(cpu)
                && state.occupation <= occupation
                && !(self.fair.rules.cookie_search_skips_throttled && self.fair.is_throttled_on(state.entity, cpu))
        });
        let Some(task) = found else { return false };
        let e = self.tasks[task as usize].entity;
        self.detach(task, e, from, cpu);
        self.attach(task, e, cpu);
        self.fair.rqs[cpu as usize].counters.cookie_steal += 1;
        self.fair.at(cpu).request(Reason::CookieSteal);
        true
    }
}
