//! Load balancing (§5.4, current-kernels §3): which CPU looks when, at which domains.
//! `groups` finds the busiest group and CPU, `pull` moves tasks, `newly_idle` and `nohz` are the
//! other occasions. Not for wake-ups and forks: those are `placement`.

mod groups;
mod newly_idle;
mod nohz;
mod pull;

use super::Core;
use super::cpu::DomainState;
use super::cpu_set::CpuSet;
use super::random::Random;
use super::topology::Topology;
use crate::fair::FairClass;
use crate::output::IdleType;
pub(super) use groups::{GroupKind, GroupLoad, numa_imbalance};

/// A busy CPU balances this much less often.
const BUSY_FACTOR: u64 = 16;
/// With all tasks pinned the interval still grows up to this, ms.
const MOST_PINNED_MS: u64 = 512;

/// What balancing keeps of the machine. Times are jiffies.
#[derive(Clone, Debug)]
pub(super) struct Balancing {
    /// Some CPU has more than one task, as far as is known.
    pub overloaded: bool,
    /// Tickless idle CPUs.
    pub tickless: CpuSet,
    pub tickless_count: u32,
    /// By LLC: how many of its CPUs are tickless.
    pub tickless_in_llc: Vec<u32>,
    pub next_balance: u64,
    pub next_blocked: u64,
    pub has_blocked: bool,
    pub needs_update: bool,
    /// By CPU: what a helper was asked to do and has not begun.
    pub kicks: Vec<nohz::Kick>,
    /// Groups in which pinned tasks defeated a lower level: by CPU of the group and level.
    pub pinned_groups: Vec<(u32, usize)>,
    /// NI_RANDOM's draws.
    pub random: Random,
}

impl Balancing {
    /// What balancing keeps, before the first time.
    pub fn new(topology: &Topology, seed: u64) -> Self {
        Self {
            overloaded: false,
            tickless: CpuSet::EMPTY,
            tickless_count: 0,
            tickless_in_llc: vec![0; topology.llc_cpus.len()],
            next_balance: 0,
            next_blocked: 0,
            has_blocked: false,
            needs_update: false,
            kicks: vec![nohz::Kick::default(); topology.cpus()],
            pinned_groups: Vec::new(),
            random: Random::new(seed, 0x6e69_5f72),
        }
    }
}

/// What each of a CPU's domains begins with.
pub(super) fn domain_states(topology: &Topology, cpu: u32) -> Vec<DomainState> {
    let state = |level| DomainState {
        interval_ms: topology.domain(cpu, level).min_interval_ms(),
        last_balance: 0,
        failed: 0,
        max_newidle_cost_ns: 0,
        cost_decayed_at: 0,
        newidle_calls: 512,
        newidle_successes: 256,
        newidle_ratio: 512,
        newidle_halved_at: 0,
    };
    (0..topology.levels(cpu)).map(state).collect()
}

impl<C: FairClass> Core<C> {
    /// Milliseconds in jiffies, rounded up.
    fn jiffies_of_ms(&self, ms: u64) -> u64 {
        (ms * u64::from(self.input.machine.hz)).div_ceil(1000)
    }

    /// §5.4: the interval between balances of a CPU's domain, jiffies.
    fn balance_interval(&self, cpu: u32, level: usize, busy: bool) -> u64 {
        let ms = self.cpus[cpu as usize].domains[level].interval_ms;
        let jiffies = self.jiffies_of_ms(if busy { ms * BUSY_FACTOR } else { ms }) - u64::from(busy);
        let most = u64::from(self.input.machine.hz) * self.cpus.len() as u64 / 10;
        jiffies.clamp(1, most.max(1))
    }

    /// Neither idle nor running SCHED_IDLE tasks only.
    fn is_busy(&self, cpu: u32) -> bool {
        !self.is_idle(cpu) && !self.runs_only_idle_policy(cpu)
    }

    /// A CPU's tick, after the class's: the ordinary balance if it is due, and help for tickless
    /// CPUs.
    pub(super) fn balance_at_tick(&mut self, cpu: u32) {
        let idle = self.is_idle(cpu);
        let due = self.jiffies() >= self.cpus[cpu as usize].next_balance;
        if !idle {
            self.leave_tickless(cpu);
            self.kick_helper(cpu);
        }
        if due {
            self.fair.at(cpu).update_queue_average();
            self.balance_domains(cpu);
        }
        if idle && self.is_idle(cpu) {
            self.stop_tick(cpu);
        }
        self.fair.at(cpu);
    }

    /// The walk through a CPU's domains (`rebalance_domains`).
    pub(super) fn balance_domains(&mut self, cpu: u32) {
        let jiffies = self.jiffies();
        let hz = u64::from(self.input.machine.hz);
        let (mut next, mut updated, mut goes_on) = (jiffies + 60 * hz, false, true);
        let (mut decayed, mut cost) = (false, 0);
        let mut busy = self.is_busy(cpu);
        for level in 0..self.topology.levels(cpu) {
            decayed = self.decay_newidle_cost(cpu, level);
            cost += self.cpus[cpu as usize].domains[level].max_newidle_cost_ns;
            if !goes_on {
                if decayed {
                    continue;
                }
                break;
            }
            let mut interval = self.balance_interval(cpu, level, busy);
            if jiffies >= self.cpus[cpu as usize].domains[level].last_balance + interval {
                let kind = if self.is_idle(cpu) { IdleType::Idle } else { IdleType::Busy };
                let moved = self.load_balance(cpu, level, kind, &mut goes_on);
                if moved > 0 {
                    busy = self.is_busy(cpu);
                }
                self.cpus[cpu as usize].domains[level].last_balance = jiffies;
                interval = self.balance_interval(cpu, level, busy);
            }
            let then = self.cpus[cpu as usize].domains[level].last_balance + interval;
            if then < next {
                next = then;
                updated = true;
            }
        }
        let least = self.fair.rules.migration_cost;
        let state = &mut self.cpus[cpu as usize];
        if decayed {
            state.max_idle_balance_cost = cost.max(least);
        }
        if updated {
            state.next_balance = next;
        }
    }

    /// A task came to a CPU's run queue: the machine may be overloaded now.
    pub(super) fn became_runnable(&mut self, cpu: u32) {
        self.touch(cpu);
        if !self.many {
            return;
        }
        self.balancing.overloaded |= self.nr_running(cpu) >= 2;
    }

    /// A task woke on a CPU: that ends its idle span.
    pub(super) fn end_idle_span(&mut self, cpu: u32) {
        let now = self.now;
        let state = &mut self.cpus[cpu as usize];
        if let Some(since) = state.idle_since.take() {
            let span = (now - since) as i64;
            let average = state.avg_idle as i64;
            state.avg_idle = ((average + (span - average) / 8) as u64).min(2 * state.max_idle_balance_cost);
        }
    }

    /// Whether the fair class and those above have nothing on a CPU.
    pub(super) fn has_nothing_to_run(&self, cpu: u32) -> bool {
        self.fair.awake_count_of(cpu) == 0 && self.cpus[cpu as usize].higher.pick().is_none()
    }

    /// The counts of a CPU's domain for one kind of balancing.
    fn counts(&mut self, cpu: u32, level: usize, kind: IdleType) -> &mut crate::output::BalanceCounts {
        &mut self.books.domain[cpu as usize][level].balance[kind as usize]
    }
}
