//! The pick of the RFC's fourth version (§6.7): a filter by class that keeps the most important
//! task so far. Not for the mainline pick.

use super::{Core, CorePick};
use crate::engine::events::Event;
use crate::engine::higher::is_higher;
use crate::fair::FairClass;
use crate::reason::Reason;

/// The classes in order, as the RFC goes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Higher,
    Fair,
    Idle,
}

impl<C: FairClass> Core<C> {
    /// §6.7 `pick_next_task`.
    pub(super) fn pick_rfc(&mut self, cpu: u32, prev: Option<u32>) -> Option<u32> {
        let shared = *self.shared(cpu);
        let state = &mut self.core.cpus[cpu as usize];
        if shared.pick_seq == shared.task_seq && shared.pick_seq != state.sched_seq {
            state.sched_seq = shared.pick_seq;
            if let Some(next) = state.pick {
                self.set_core_choice(cpu, next, next != prev);
                return next;
            }
        }
        self.put_before_pick(cpu);
        self.balance_before_pick(cpu, prev);
        let topology = self.topology.clone();
        let siblings = &topology.siblings[cpu as usize];
        let mut need_sync = self.cookie_of_core(cpu) != 0;
        self.shared(cpu).task_seq += 1;
        self.shared(cpu).cookie = 0;
        for other in siblings.iter().copied() {
            self.core.cpus[other as usize].pick = None;
            need_sync |= std::mem::take(&mut self.core.cpus[other as usize].forced);
            self.note_forced(other, false);
        }
        let Some(next) = self.filter_by_class(cpu, siblings, need_sync) else {
            // The only way out: the first pick is untagged and nobody needs to be asked.
            let next = self.own_pick(cpu);
            self.set_core_choice(cpu, next, true);
            return next;
        };
        self.fair.rqs[cpu as usize].counters.core_pick += 1;
        let shared = self.shared(cpu);
        shared.pick_seq = shared.task_seq;
        let seq = shared.pick_seq;
        self.core.cpus[cpu as usize].sched_seq = seq;
        let picks = |core: &Self, other: u32| core.core.cpus[other as usize].pick.flatten();
        let occupation = siblings.iter().filter(|other| picks(self, **other).is_some()).count() as u32;
        for other in siblings.iter().copied() {
            let pick = picks(self, other);
            match pick {
                Some(task) => self.tasks[task as usize].occupation = occupation,
                None => self.core.cpus[other as usize].idle_occupation = occupation,
            }
            let forced = pick.is_none() && self.nr_running(other) > 0;
            self.note_forced(other, forced);
            if other != cpu && self.cpus[other as usize].running != pick {
                self.fair.at(other).request(if pick.is_none() { Reason::ForcedIdle } else { Reason::CoreWidePick });
                self.core.asked.push(other);
            }
        }
        self.set_core_choice(cpu, next, true);
        if next.is_none() && self.nr_running(cpu) > 0 && self.cookie_of_core(cpu) != 0 {
            self.events.push(self.now, Event::CookieSteal(cpu));
        }
        next
    }

    /// Goes through the classes; each sibling without a pick is asked in turn, and a more important
    /// task of another cookie wipes what was chosen. None: an untagged pick that needs nobody.
    fn filter_by_class(&mut self, cpu: u32, siblings: &[u32], mut need_sync: bool) -> Option<Option<u32>> {
        let start = siblings.iter().position(|other| *other == cpu).unwrap_or(0);
        let ring: Vec<u32> = siblings[start..].iter().chain(&siblings[..start]).copied().collect();
        let mut most: CorePick = None;
        for class in [Class::Higher, Class::Fair, Class::Idle] {
            // Each restart raises the most important task, so there are few; the bound is a net.
            for _ in 0..=2 * ring.len() {
                if !self.ask_siblings(&ring, class, &mut most, &mut need_sync)? {
                    break;
                }
            }
        }
        Some(self.core.cpus[cpu as usize].pick.flatten())
    }

    /// One round over the siblings; whether it has to begin again.
    fn ask_siblings(&mut self, ring: &[u32], class: Class, most: &mut CorePick, need_sync: &mut bool) -> Option<bool> {
        let cpu = ring[0];
        for other in ring.iter().copied() {
            if self.core.cpus[other as usize].pick.is_some() {
                continue;
            }
            let Some(pick) = self.pick_of_class(other, class, *most) else {
                if other == cpu && !*need_sync {
                    return Some(false);
                }
                continue;
            };
            let cookie = pick.map_or(0, |task| self.cookie(task));
            if other == cpu && !*need_sync && cookie == 0 {
                return None;
            }
            self.core.cpus[other as usize].pick = Some(pick);
            let matches = |a: Option<u32>| match (a, pick) {
                (Some(a), Some(b)) => self.cookie(a) == self.cookie(b),
                _ => true,
            };
            if most.is_none_or(|most| !matches(most)) {
                self.shared(cpu).cookie = cookie;
                if most.replace(pick).is_some() {
                    for wiped in ring.iter().copied().filter(|wiped| *wiped != other) {
                        self.core.cpus[wiped as usize].pick = None;
                    }
                    return Some(true);
                }
                *need_sync = true;
            }
        }
        Some(false)
    }

    /// `pick_task`: what a sibling may run beside the most important task so far; none: the class
    /// has nothing there.
    fn pick_of_class(&mut self, cpu: u32, class: Class, most: CorePick) -> CorePick {
        let own = match class {
            Class::Higher => Some(self.cpus[cpu as usize].higher.pick()?),
            Class::Fair => {
                let e = self.fair.at(cpu).pick_task()?;
                self.fair.task_index(e)
            }
            Class::Idle => None,
        };
        debug_assert!(own.is_none_or(|task| is_higher(self.tasks[task as usize].policy) == (class == Class::Higher)));
        let cookie = self.cookie_of_core(cpu);
        let own_cookie = own.map_or(cookie, |task| self.cookie(task));
        if cookie == 0 {
            let refused = most.is_some_and(|most| own_cookie != 0 && self.is_less_important(own, most, false));
            return Some(if refused { None } else { own });
        }
        if own.is_none() || own_cookie == cookie {
            return Some(own);
        }
        let by_cookie = self.find_by_cookie(cpu, cookie);
        let beats_cookie = self.is_less_important(by_cookie, own, false);
        let beats_most = match most {
            None => true,
            Some(most) => self.is_less_important(most, own, false),
        };
        Some(if beats_cookie && beats_most { own } else { by_cookie })
    }

    /// §6.7, patch 19: a task alone that has used its slice gives forced-idle siblings a chance.
    pub(super) fn tick_rfc(&mut self, cpu: u32) {
        if !self.fair.at(cpu).is_alone_past_its_slice() {
            return;
        }
        let topology = self.topology.clone();
        for other in topology.siblings[cpu as usize].iter().copied() {
            if other != cpu && self.core.cpus[other as usize].forced {
                self.fair.at(other).request(Reason::ForcedIdleTick);
            }
        }
        self.fair.at(cpu);
    }
}
