//! The core-wide pick of 5.14 and later (§6.3), and forced idle (§6.4).
//! Not for the RFC's pick.

use super::{Core, SharedState};
use crate::engine::events::Event;
use crate::fair::FairClass;
use crate::reason::Reason;

impl<C: FairClass> Core<C> {
    /// §6.3 `pick_next_task`.
    pub(super) fn pick_mainline(&mut self, cpu: u32, prev: Option<u32>) -> Option<u32> {
        if let Some(next) = self.take_siblings_decision(cpu) {
            self.set_core_choice(cpu, next, next != prev);
            self.steal_if_forced(cpu, next);
            return next;
        }
        let puts = !self.fair.rules.restarting_pick;
        self.balance_before_pick(cpu, prev);
        self.put_before_pick(cpu);
        let mut need_sync = self.cookie_of_core(cpu) != 0;
        let mut forced_before = false;
        if self.shared(cpu).forced_count > 0 {
            self.account_forced_idle(cpu);
            let shared = self.shared(cpu);
            (shared.forced_start, shared.forced_count, shared.occupation) = (None, 0, 0);
            need_sync = true;
            forced_before = true;
        }
        let shared = self.shared(cpu);
        shared.cookie = 0;
        shared.task_seq += 1;
        if !need_sync {
            let next = self.own_pick(cpu);
            if next.is_none_or(|next| self.cookie(next) == 0) {
                self.core.cpus[cpu as usize].pick = None;
                self.refresh_snapshot(cpu, next, false);
                self.set_core_choice(cpu, next, puts);
                return next;
            }
        }
        self.fair.rqs[cpu as usize].counters.core_pick += 1;
        let next = self.choose_for_core(cpu, forced_before);
        self.set_core_choice(cpu, next, puts || next != prev);
        self.steal_if_forced(cpu, next);
        next
    }

    /// A decision that a sibling has left, if it still stands.
    fn take_siblings_decision(&mut self, cpu: u32) -> Option<Option<u32>> {
        let SharedState { pick_seq, task_seq, .. } = *self.shared(cpu);
        let state = &mut self.core.cpus[cpu as usize];
        if pick_seq != task_seq || pick_seq == state.sched_seq {
            return None;
        }
        let pick = state.pick.take()?;
        state.sched_seq = pick_seq;
        Some(pick)
    }

    /// The core's siblings in ring order from a CPU.
    fn ring(&self, cpu: u32) -> Vec<u32> {
        let siblings = &self.topology.siblings[cpu as usize];
        let start = siblings.iter().position(|other| *other == cpu).unwrap_or(0);
        siblings[start..].iter().chain(&siblings[..start]).copied().collect()
    }

    /// Each CPU's own pick, the most important of them, and what its cookie leaves of the others.
    fn choose_for_core(&mut self, cpu: u32, forced_before: bool) -> Option<u32> {
        let topology = self.topology.clone();
        let siblings = &topology.siblings[cpu as usize];
        let mut most: Option<Option<u32>> = None;
        for other in self.ring(cpu) {
            let pick = self.own_pick(other);
            self.core.cpus[other as usize].pick = Some(pick);
            let better = match most {
                None => true,
                Some(most) => self.is_less_important(most, pick, forced_before),
            };
            if better {
                most = Some(pick);
            }
        }
        let cookie = most.flatten().map_or(0, |task| self.cookie(task));
        self.shared(cpu).cookie = cookie;
        let mut occupation = 0;
        for other in siblings.iter().copied() {
            let mut pick = self.core.cpus[other as usize].pick.flatten();
            if pick.is_some_and(|task| self.cookie(task) != cookie) {
                pick = if cookie == 0 { None } else { self.find_by_cookie(other, cookie) };
            }
            self.core.cpus[other as usize].pick = Some(pick);
            let forced = pick.is_none() && self.nr_running(other) > 0;
            if forced {
                let shared = self.shared(cpu);
                shared.forced_count += 1;
                shared.forced_seq += u64::from(!forced_before);
            }
            occupation += u32::from(pick.is_some());
            self.note_forced(other, forced);
        }
        let now = self.now;
        let shared = self.shared(cpu);
        if shared.forced_count > 0 {
            (shared.forced_start, shared.occupation) = (Some(now), occupation);
        }
        shared.pick_seq = shared.task_seq;
        let (seq, count) = (shared.pick_seq, shared.forced_count);
        self.core.cpus[cpu as usize].sched_seq = seq;
        let next = self.core.cpus[cpu as usize].pick.flatten();
        for other in siblings.iter().copied() {
            let pick = self.core.cpus[other as usize].pick.flatten();
            if !(forced_before && count > 0) {
                self.refresh_snapshot(other, pick, count > 0);
            }
            match pick {
                Some(task) => self.tasks[task as usize].occupation = occupation,
                None => self.core.cpus[other as usize].idle_occupation = occupation,
            }
            if other == cpu || self.cpus[other as usize].running == pick {
                self.core.cpus[other as usize].pick = None;
            } else {
                self.fair.at(other).request(if pick.is_none() { Reason::ForcedIdle } else { Reason::CoreWidePick });
                self.core.asked.push(other);
            }
        }
        self.fair.at(cpu);
        next
    }

    /// §6.2 `task_vruntime_update`: the snapshot that comparisons use.
    fn refresh_snapshot(&mut self, cpu: u32, task: Option<u32>, forced: bool) {
        let Some(task) = task.filter(|task| !self.is_higher(*task)) else { return };
        let seq = self.shared(cpu).forced_seq;
        let e = self.tasks[task as usize].entity;
        self.fair.refresh_snapshot(e, seq, forced);
    }

    /// A forced-idle CPU looks for a task of the core's cookie once it has switched (§6.5).
    fn steal_if_forced(&mut self, cpu: u32, next: Option<u32>) {
        let forced = self.shared(cpu).forced_count > 0 && self.cookie_of_core(cpu) != 0;
        if forced && next.is_none() && self.nr_running(cpu) > 0 {
            self.events.push(self.now, Event::CookieSteal(cpu));
        }
    }

    /// §6.4 `__sched_core_account_forceidle`: forced idle time goes to those who run.
    fn account_forced_idle(&mut self, cpu: u32) {
        let now = self.now;
        let shared = self.shared(cpu);
        let Some(start) = shared.forced_start.replace(now) else {
            shared.forced_start = None;
            return;
        };
        let (count, occupation) = (u64::from(shared.forced_count), u64::from(shared.occupation));
        if occupation == 0 || now == start {
            return;
        }
        let length = if count > 1 || occupation > 1 { (now - start) * count / occupation } else { now - start };
        let topology = self.topology.clone();
        for other in topology.siblings[cpu as usize].iter().copied() {
            let running = self.core.cpus[other as usize].pick.unwrap_or(self.cpus[other as usize].running);
            if let Some(task) = running
                && let Some(result) = self.statistics.results.get_mut(task as usize)
                && self.warm
            {
                result.forced_idle_ns += length;
            }
        }
    }

    /// §6.4 `task_tick_core`, `sched_core_tick`.
    pub(super) fn tick_mainline(&mut self, cpu: u32) {
        if self.shared(cpu).forced_count == 0 {
            return;
        }
        self.account_forced_idle(cpu);
        self.fair.at(cpu);
        if self.fair.is_alone_past_half_a_slice() {
            self.fair.request(Reason::ForcedIdleTick);
        }
    }
}
