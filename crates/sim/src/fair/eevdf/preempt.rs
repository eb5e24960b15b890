//! The wake-up check (§4.11, current-kernels §2.9).
//! Not for the CPU a woken task goes to.

use super::super::{Buddy, EntityId, Fair, FairClass, Flags, QueueId};
use super::Eevdf;
use crate::input::Policy;
use crate::kernel::rules::WakeupCheck;
use crate::reason::Reason;

impl Fair<Eevdf> {
    /// `check_preempt_wakeup`, `check_preempt_wakeup_fair`, `wakeup_preempt_fair`.
    pub(super) fn check_wakeup_preempt(&mut self, woken: EntityId, fork: bool) {
        let Some(running) = self.rq().curr else { return };
        if running == woken || self.queues[self.entity[woken].queue].throttled_above > 0 {
            return;
        }
        let check = self.rules.wakeup;
        let early_mark = matches!(check, WakeupCheck::Deadline | WakeupCheck::Short | WakeupCheck::ShortSearch);
        if early_mark && self.rules.next_buddy && !fork && !self.entity[woken].delayed {
            self.mark_buddy(woken, Buddy::Next);
        }
        let pending_stops = check != WakeupCheck::ChargeFirst || !self.rules.preempt_short;
        if pending_stops && self.rq().request.is_some() {
            return;
        }
        if check == WakeupCheck::Deadline {
            self.check_by_deadline(running, woken);
        } else if self.rules.wakeup_preemption {
            let (a, b) = self.matching_pair(running, woken);
            let q = self.entity[a].queue;
            if self.check_idle_policies(q, a, b, woken) {
                return;
            }
            match check {
                WakeupCheck::Short | WakeupCheck::Deadline => self.check_short(q, a, b),
                WakeupCheck::ShortSearch => self.check_short_search(q, a, b),
                WakeupCheck::Actions | WakeupCheck::ActionsFinishing | WakeupCheck::ChargeFirst => {
                    self.check_actions(q, a, b, fork);
                }
            }
        }
    }

    /// The tests of policies (§4.11 steps 4 and 5); whether they decided.
    fn check_idle_policies(&mut self, q: QueueId, a: EntityId, b: EntityId, woken: EntityId) -> bool {
        let (idle_a, idle_b) = (self.entity[a].is_idle(), self.entity[b].is_idle());
        if idle_a && !idle_b {
            if self.rules.idle_loses_protection {
                self.cancel_protection(a);
            }
            if self.rules.wakeup == WakeupCheck::ActionsFinishing {
                self.clear_buddies(a);
            }
            self.request(Reason::WakeupIdlePolicy);
            return true;
        }
        let refused = idle_a != idle_b || self.entity[woken].policy() != Some(Policy::Normal);
        if self.rules.wakeup == WakeupCheck::ChargeFirst {
            Eevdf::update_curr(self, q);
            if refused {
                self.cut_protection(q, a);
            }
        }
        refused
    }

    /// 6.6 and 6.8: the tests on the tasks, then the search.
    fn check_by_deadline(&mut self, running: EntityId, woken: EntityId) {
        let (policy, other) = (self.entity[running].policy(), self.entity[woken].policy());
        if policy == Some(Policy::Idle) && other != Some(Policy::Idle) {
            self.request(Reason::WakeupIdlePolicy);
            return;
        }
        if other != Some(Policy::Normal) || !self.rules.wakeup_preemption {
            return;
        }
        let (a, b) = self.matching_pair(running, woken);
        let (idle_a, idle_b) = (self.entity[a].is_idle(), self.entity[b].is_idle());
        if idle_a != idle_b {
            if idle_a {
                self.request(Reason::WakeupIdlePolicy);
            }
            return;
        }
        let q = self.entity[a].queue;
        Eevdf::update_curr(self, q);
        if self.finds(q, true, false, b) {
            self.request(Reason::WakeupDeadline);
        }
    }

    /// 6.12 to 6.15: §4.11 steps 6 to 8, `do_preempt_short`.
    fn check_short(&mut self, q: QueueId, a: EntityId, b: EntityId) {
        Eevdf::update_curr(self, q);
        let (running, woken) = (&self.node[a], &self.node[b]);
        let short = self.rules.preempt_short
            && woken.slice < running.slice
            && self.eligible(q, woken.vruntime)
            && (woken.deadline.before(running.deadline) || !self.eligible(q, running.vruntime));
        let ended = short && self.is_protected(a);
        if ended {
            self.cancel_protection(a);
        }
        if self.finds(q, true, false, b) {
            self.request(if ended { Reason::WakeupShort } else { Reason::WakeupDeadline });
        }
    }

    /// Whether the search would pick the woken entity.
    fn finds(&self, q: QueueId, protect: bool, buddies: bool, woken: EntityId) -> bool {
        self.search(q, protect, buddies, Some(woken)).is_some_and(|(found, _)| found == woken)
    }

    fn is_shorter(&self, a: EntityId, b: EntityId) -> bool {
        self.rules.preempt_short && self.node[b].slice < self.node[a].slice
    }

    /// 6.18: a shorter slice is searched for without the protection.
    fn check_short_search(&mut self, q: QueueId, a: EntityId, b: EntityId) {
        Eevdf::update_curr(self, q);
        let short = self.is_shorter(a, b);
        if self.finds(q, !short, false, b) {
            if short {
                self.cancel_protection(a);
            }
            self.request(if short { Reason::WakeupShort } else { Reason::WakeupDeadline });
        } else if self.rules.run_to_parity && short {
            self.cut_protection(q, a);
        }
    }

    /// 6.19 and later: forks of no shorter slice stop, failures cut the protection.
    fn check_actions(&mut self, q: QueueId, a: EntityId, b: EntityId, fork: bool) {
        let check = self.rules.wakeup;
        if check != WakeupCheck::ChargeFirst {
            Eevdf::update_curr(self, q);
        }
        let short = self.is_shorter(a, b);
        if !short && fork {
            if check == WakeupCheck::ChargeFirst {
                self.cut_protection(q, a);
            }
            return;
        }
        if !short && self.rules.next_buddy && !self.earlier_buddy(q, b) {
            self.mark_buddy(b, Buddy::Next);
        }
        let found = if check == WakeupCheck::Actions {
            self.search(q, !short, true, Some(b)).map(|(found, _)| found)
        } else {
            self.search_finishing(q, !short)
        };
        let eligible = short && check == WakeupCheck::ChargeFirst && self.eligible(q, self.node[b].vruntime);
        if found == Some(b) || eligible {
            if short || check == WakeupCheck::ChargeFirst {
                self.cancel_protection(a);
            }
            if short && check == WakeupCheck::ActionsFinishing {
                self.clear_buddies(a);
            }
            if short && check == WakeupCheck::ChargeFirst && !self.shorter_buddy(q, b) {
                self.mark_buddy(b, Buddy::Next);
            }
            self.request(if short { Reason::WakeupShort } else { Reason::WakeupDeadline });
        } else if self.rules.run_to_parity {
            self.cut_protection(q, a);
        }
    }

    /// Whether the next mark is already on an entity with an earlier deadline.
    fn earlier_buddy(&self, q: QueueId, b: EntityId) -> bool {
        self.queues[q].next.is_some_and(|next| self.node[next].deadline.before(self.node[b].deadline))
    }

    /// Whether the next mark is already on an entity with a smaller slice.
    fn shorter_buddy(&self, q: QueueId, b: EntityId) -> bool {
        self.queues[q].next.is_some_and(|next| self.node[next].slice < self.node[b].slice)
    }

    /// 7.1 and later: a delayed entity that the search meets is dequeued for good.
    fn search_finishing(&mut self, q: QueueId, protect: bool) -> Option<EntityId> {
        loop {
            let (found, _) = self.search(q, protect, true, None)?;
            if !self.entity[found].delayed {
                return Some(found);
            }
            self.dequeue_task(found, Flags::SLEEP.with(Flags::DELAYED));
        }
    }
}
