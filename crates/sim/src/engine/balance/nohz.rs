//! Idle CPUs without ticks: how they come to be so, and how a busy CPU gets one of them to balance
//! for all (§5.6). Not for what a balance does.

use super::Core;
use crate::engine::events::Event;
use crate::fair::FairClass;

/// What a helper is asked to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct Kick {
    stats: bool,
    balance: bool,
    next: bool,
}

impl Kick {
    const fn is_empty(self) -> bool {
        !(self.stats || self.balance || self.next)
    }
}

/// How long blocked averages are left alone, ms.
const BLOCKED_MS: u64 = 32;

impl<C: FairClass> Core<C> {
    /// A CPU enters the idle thread.
    pub(in crate::engine) fn enter_idle(&mut self, cpu: u32) {
        if !self.many {
            return;
        }
        self.note_idle_core(cpu);
        self.update_blocked_when_newly_idle(cpu);
        if self.fair.rules.tick_stops_at_idle_entry {
            self.stop_tick(cpu);
        }
    }

    /// A CPU leaves the idle thread: its tick goes on at its next time.
    pub(in crate::engine) fn leave_idle(&mut self, cpu: u32) {
        let tick = self.tick_ns;
        let now = self.now;
        let state = &mut self.cpus[cpu as usize];
        if self.many && !state.tick_stopped {
            return;
        }
        let missed = now.saturating_sub(state.next_tick).div_ceil(tick);
        state.next_tick += missed * tick;
        state.tick_stopped = false;
    }

    /// The tick of an idle CPU stops (`nohz_balance_enter_idle`).
    pub(super) fn stop_tick(&mut self, cpu: u32) {
        self.cpus[cpu as usize].tick_stopped = true;
        self.balancing.has_blocked = true;
        if self.balancing.tickless.has(cpu) {
            return;
        }
        self.balancing.tickless.insert(cpu);
        self.balancing.tickless_count += 1;
        self.balancing.tickless_in_llc[self.topology.llc[cpu as usize] as usize] += 1;
        self.balancing.needs_update = true;
    }

    /// A busy CPU's tick: it is no longer tickless (`nohz_balance_exit_idle`).
    pub(super) fn leave_tickless(&mut self, cpu: u32) {
        if self.balancing.tickless.has(cpu) {
            self.balancing.tickless.remove(cpu);
            self.balancing.tickless_count -= 1;
            self.balancing.tickless_in_llc[self.topology.llc[cpu as usize] as usize] -= 1;
        }
    }

    /// A busy CPU's tick asks for help (`nohz_balancer_kick`).
    pub(super) fn kick_helper(&mut self, cpu: u32) {
        if self.balancing.tickless_count == 0 {
            return;
        }
        let jiffies = self.jiffies();
        let stats = self.balancing.has_blocked && jiffies > self.balancing.next_blocked;
        let mut kick = Kick { stats, ..Kick::default() };
        if jiffies >= self.balancing.next_balance {
            let llc = self.topology.llc[cpu as usize] as usize;
            let busy = self.topology.llc_cpus[llc].len() as u32 - self.balancing.tickless_in_llc[llc];
            if self.nr_running(cpu) >= 2 || (busy > 1 && self.topology.llc_level(cpu).is_some()) {
                kick = Kick { stats: true, balance: true, next: false };
            }
        }
        kick.next = self.balancing.needs_update;
        if kick.is_empty() {
            return;
        }
        if kick.balance {
            self.balancing.next_balance = jiffies + 1;
        }
        let Some(helper) = self.find_helper(cpu) else { return };
        let pending = &mut self.balancing.kicks[helper as usize];
        let was_empty = pending.is_empty();
        *pending = Kick {
            stats: pending.stats || kick.stats,
            balance: pending.balance || kick.balance,
            next: pending.next || kick.next,
        };
        if was_empty {
            self.events.push(self.now, Event::NohzBalance(helper));
        }
    }

    /// The lowest tickless CPU that is idle (`find_new_ilb`); from 7.3 on rather one on a core that
    /// is idle as a whole.
    fn find_helper(&self, kicker: u32) -> Option<u32> {
        let mut idle = self.balancing.tickless.iter().filter(|cpu| *cpu != kicker && self.is_idle(*cpu));
        let first = idle.next()?;
        if !self.fair.rules.helper_on_idle_core {
            return Some(first);
        }
        let whole = |cpu: u32| self.topology.siblings[cpu as usize].iter().all(|other| self.is_idle(*other));
        std::iter::once(first).chain(idle).find(|cpu| whole(*cpu)).or(Some(first))
    }

    /// The helper's pass over the tickless CPUs (`_nohz_idle_balance`), itself last.
    pub(in crate::engine) fn nohz_balance(&mut self, helper: u32) {
        let kick = std::mem::take(&mut self.balancing.kicks[helper as usize]);
        if !self.is_idle(helper) || self.helper_has_work(helper) {
            return;
        }
        self.pass_over_tickless(helper, kick);
    }

    /// `_nohz_idle_balance`: from the CPU behind the helper on.
    fn pass_over_tickless(&mut self, helper: u32, kick: Kick) {
        let jiffies = self.jiffies();
        let mut next = jiffies + 60 * u64::from(self.input.machine.hz);
        let mut updated = false;
        if kick.stats {
            self.balancing.has_blocked = false;
        }
        if kick.next {
            self.balancing.needs_update = false;
        }
        let mut blocked = false;
        let tickless: Vec<u32> = self.balancing.tickless.iter().collect();
        let start = tickless.partition_point(|cpu| *cpu <= helper);
        for cpu in tickless[start..].iter().chain(&tickless[..start]).copied() {
            if !self.is_idle(cpu) {
                continue;
            }
            if self.helper_has_work(helper) {
                self.balancing.has_blocked |= kick.stats;
                return;
            }
            if kick.stats {
                blocked |= self.update_blocked(cpu, jiffies);
            }
            if jiffies >= self.cpus[cpu as usize].next_balance && kick.balance {
                self.fair.at(cpu).update_queue_average();
                self.balance_domains(cpu);
            }
            let then = self.cpus[cpu as usize].next_balance;
            if then < next {
                next = then;
                updated = true;
            }
        }
        if updated {
            self.balancing.next_balance = next;
        }
        if kick.stats {
            self.balancing.next_blocked = jiffies + self.jiffies_of_ms(BLOCKED_MS);
        }
        self.balancing.has_blocked |= blocked;
    }

    fn helper_has_work(&self, helper: u32) -> bool {
        if self.fair.rules.helper_stops_by_request_alone {
            self.fair.rqs[helper as usize].request.is_some()
        } else {
            !self.is_idle(helper)
        }
    }

    /// Brings an idle CPU's averages up to date, at most once a jiffy; whether anything is left.
    fn update_blocked(&mut self, cpu: u32, jiffies: u64) -> bool {
        if self.cpus[cpu as usize].blocked_updated < jiffies {
            self.cpus[cpu as usize].blocked_updated = jiffies;
            self.fair.at(cpu).update_queue_average();
        }
        let average = self.fair.average_load_of(cpu);
        average.load | average.util | average.runnable != 0
    }

    /// §5.6 newly idle: a CPU that found nothing brings the others' averages up to date.
    fn update_blocked_when_newly_idle(&mut self, cpu: u32) {
        let jiffies = self.jiffies();
        if self.cpus[cpu as usize].avg_idle < self.fair.rules.migration_cost
            || !self.balancing.has_blocked
            || jiffies < self.balancing.next_blocked
        {
            return;
        }
        self.pass_over_tickless(cpu, Kick { stats: true, ..Kick::default() });
        self.fair.at(cpu);
    }
}
