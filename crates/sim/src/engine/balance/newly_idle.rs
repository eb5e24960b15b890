//! A CPU that is about to become idle looks for a task (§5.4 `sched_balance_newidle`,
//! current-kernels §3). Not for CPUs that are idle already: those balance at ticks.

use super::Core;
use crate::fair::FairClass;
use crate::output::IdleType;

/// NI_RANDOM: the whole of the ratio.
const WHOLE: u32 = 1024;

impl<C: FairClass> Core<C> {
    /// §5.4 newidle; whether a task came shows in the CPU's run queue.
    pub(in crate::engine) fn newly_idle_balance(&mut self, cpu: u32) {
        if self.cpus[cpu as usize].wakeups_pending > 0 {
            return;
        }
        let levels = self.topology.levels(cpu);
        self.cpus[cpu as usize].idle_since = Some(self.now);
        let jiffies = self.jiffies();
        let mut next = jiffies + u64::from(self.input.machine.hz);
        let average = self.cpus[cpu as usize].avg_idle;
        let lowest_cost = self.cpus[cpu as usize].domains.first().map_or(0, |domain| domain.max_newidle_cost_ns);
        let mut pulled = 0;
        if self.balancing.overloaded && average >= lowest_cost {
            self.fair.at(cpu).update_queue_average();
            let mut spent = 0;
            for level in 0..levels {
                self.lower_next_balance(cpu, level, &mut next);
                if average < spent + self.cpus[cpu as usize].domains[level].max_newidle_cost_ns {
                    break;
                }
                let Some(weight) = self.draw_newidle(cpu, level) else { continue };
                let mut goes_on = true;
                pulled = self.load_balance(cpu, level, IdleType::NewlyIdle, &mut goes_on);
                let cost =
                    self.input.machine.newidle_cost_per_cpu_ns * self.topology.domain(cpu, level).cpus.len() as u64;
                self.record_newidle(cpu, level, cost, pulled > 0, weight);
                spent += cost;
                if pulled > 0 || !goes_on || self.nr_running(cpu) > 0 {
                    break;
                }
            }
            let state = &mut self.cpus[cpu as usize];
            state.max_idle_balance_cost = state.max_idle_balance_cost.max(spent);
        } else if levels > 0 {
            self.lower_next_balance(cpu, 0, &mut next);
        }
        let pulled = pulled > 0 || self.nr_running(cpu) > 0;
        let state = &mut self.cpus[cpu as usize];
        state.next_balance = state.next_balance.min(next);
        if pulled {
            state.idle_since = None;
        }
        self.fair.at(cpu);
    }

    /// The next ordinary balance comes no later than this domain's.
    fn lower_next_balance(&self, cpu: u32, level: usize, next: &mut u64) {
        let interval = self.balance_interval(cpu, level, false);
        *next = (*next).min(self.cpus[cpu as usize].domains[level].last_balance + interval);
    }

    /// The most that a balance cost sinks by 253/256 a second; whether it did now.
    pub(super) fn decay_newidle_cost(&mut self, cpu: u32, level: usize) -> bool {
        let (jiffies, hz) = (self.jiffies(), u64::from(self.input.machine.hz));
        let state = &mut self.cpus[cpu as usize].domains[level];
        if jiffies <= state.cost_decayed_at + hz {
            return false;
        }
        state.max_newidle_cost_ns = state.max_newidle_cost_ns * 253 / 256;
        state.cost_decayed_at = jiffies;
        true
    }

    /// current-kernels §3, NI_RANDOM: whether this domain is balanced this time, and what a success
    /// counts; none: it is passed over, which counts as a call.
    fn draw_newidle(&mut self, cpu: u32, level: usize) -> Option<u32> {
        if !self.fair.rules.ni_random {
            return Some(1);
        }
        let ratio = self.cpus[cpu as usize].domains[level].newidle_ratio;
        if self.fair.rules.newidle_sure_at_whole && ratio >= WHOLE {
            return Some(1);
        }
        let weight = 1 + ratio;
        let draw = self.balancing.random.below(WHOLE);
        if draw > weight {
            self.count_newidle(cpu, level, 0);
            return None;
        }
        Some((WHOLE + weight / 2) / weight)
    }

    /// A balance of a domain has cost `cost`.
    fn record_newidle(&mut self, cpu: u32, level: usize, cost: u64, success: bool, weight: u32) {
        if cost == 0 {
            return;
        }
        let jiffies = self.jiffies();
        let state = &mut self.cpus[cpu as usize].domains[level];
        if cost > state.max_newidle_cost_ns {
            state.max_newidle_cost_ns = cost;
            state.cost_decayed_at = jiffies;
        }
        if self.fair.rules.ni_random {
            self.count_newidle(cpu, level, if success { weight } else { 0 });
        }
    }

    fn count_newidle(&mut self, cpu: u32, level: usize, successes: u32) {
        let now = self.now;
        let by_rate = self.fair.rules.ni_rate;
        let state = &mut self.cpus[cpu as usize].domains[level];
        state.newidle_calls += 1;
        state.newidle_successes += successes;
        if state.newidle_calls < WHOLE {
            return;
        }
        state.newidle_ratio = state.newidle_successes;
        if by_rate {
            let slow = ((now - state.newidle_halved_at) >> 22).min(u64::from(WHOLE)) as u32;
            state.newidle_ratio = (state.newidle_ratio + slow).min(WHOLE);
            state.newidle_halved_at = now;
        }
        state.newidle_calls /= 2;
        state.newidle_successes /= 2;
    }
}
