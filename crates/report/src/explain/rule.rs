//! The rule behind a decision: in a few words, with its section and the kernel's function.
//! Not for sentences about who did what.

use schedlab_sim::kernel::{Class, Release};
use schedlab_sim::{PickRule, Reason};
use serde::{Deserialize, Serialize};

/// A rule of the fair class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The rule in a few words.
    pub rule: String,
    /// The section of `docs/model.md` that has it: `§4.5` or `current-kernels §2.8`.
    pub section: String,
    /// The kernel function that applies it.
    pub function: String,
}

impl Rule {
    pub(super) fn new(rule: &str, section: &str, function: &str) -> Self {
        Self { rule: rule.to_owned(), section: section.to_owned(), function: function.to_owned() }
    }

    pub(super) fn of_pick(rule: PickRule, release: Release) -> Self {
        let cfs = release.class() == Class::Cfs;
        let words = match rule {
            PickRule::Lone => "the only one queued is picked",
            PickRule::NextBuddy if cfs => "the next buddy, unless too far ahead of the smallest vruntime",
            PickRule::NextBuddy => "the next buddy, while it is eligible",
            PickRule::LastBuddy => "the last buddy, unless too far ahead of the smallest vruntime",
            PickRule::Protected => "the running one, while it is eligible and protected",
            PickRule::SliceRespected => "the running one, until its slice is used",
            PickRule::EarliestDeadline => "earliest deadline among eligible entities",
            PickRule::SmallestVruntime => "smallest vruntime",
            PickRule::SecondAfterYield => "who yielded is passed over",
            PickRule::Fallback => "nobody is eligible: the first of the tree",
        };
        Self::new(words, rule.section(release), rule.function(release))
    }

    pub(super) fn of_reason(reason: Reason, release: Release) -> Self {
        let words = match reason {
            Reason::Block => "a task that sleeps leaves the queue",
            Reason::Exit => "a task that ended leaves the queue",
            Reason::Yield => return Self::of_yield(release),
            Reason::IdleCpu => "an idle CPU takes whoever comes",
            Reason::TickSlice => "the tick ends a run longer than the slice",
            Reason::TickVruntime => "the tick ends a run that is a slice ahead of the leftmost",
            Reason::TickSearch => "the tick asks whether another would be picked",
            Reason::Deadline => "a passed deadline is renewed and requests a reschedule",
            Reason::Ineligible => "an unprotected task that is not eligible is rescheduled",
            Reason::ProtectionEnded => "the end of the protection requests a reschedule",
            Reason::WakeupVruntime | Reason::WakeupIdlePolicy | Reason::WakeupDeadline | Reason::WakeupShort => {
                return Self::of_wakeup_check(release);
            }
            Reason::SliceTimer => "the slice timer requests a reschedule",
            Reason::SliceOverrun => "a used slice needs no timer: a reschedule is requested",
            Reason::Throttle => "a group without run time is throttled",
            Reason::Unthrottle => "an idle CPU takes an unthrottled group",
            Reason::Nice => "a worse nice value requests a reschedule",
            Reason::GroupMove => "a change of group requests a reschedule",
            Reason::Migration => "active balancing moves the running task to an idle CPU",
            Reason::CoreWidePick => "one pick decides for all hardware threads of the core",
            Reason::ForcedIdle => "a thread without a task of the core's cookie stays idle",
            Reason::CookieSteal => "a forced idle thread takes a task of the core's cookie from another CPU",
            Reason::ForcedIdleTick => "the tick ends a lone run beside a forced idle sibling after half a slice",
            Reason::CookieChange => "a change of cookie requests a reschedule",
            Reason::Affinity => "a task leaves a CPU that it may no longer use",
            Reason::HigherClass => "higher classes come before the fair class",
            Reason::RoundRobin => "a turn of SCHED_RR lasts 100 ms",
            Reason::Budget => "a SCHED_DEADLINE budget lasts for its period",
        };
        let (section, function) = match reason {
            Reason::SliceTimer if release >= Release::V7_1 => ("current-kernels §2.13", "hrtick"),
            Reason::SliceOverrun if release >= Release::V7_1 => ("current-kernels §2.13", "hrtick_start_fair"),
            Reason::Deadline if release >= Release::V6_18 => ("current-kernels §2.6", "update_curr"),
            Reason::Deadline if release >= Release::V6_12 => ("§4.4", "update_curr"),
            _ => (reason.section(), reason.function()),
        };
        Self::new(words, section, function)
    }

    /// The check that a wake-up or a fork makes.
    pub(super) fn of_wakeup_check(release: Release) -> Self {
        let words = match release.class() {
            Class::Cfs => "a wake-up preempts who is ahead by more than the wake-up granularity",
            Class::Eevdf => "a wake-up preempts when a pick would choose the woken task",
        };
        let (section, function) = match release {
            _ if release.class() == Class::Cfs => ("§3.8", "check_preempt_wakeup"),
            _ if release <= Release::V6_6 => ("§4.11", "check_preempt_wakeup"),
            _ if release <= Release::V6_15 => ("§4.11", "check_preempt_wakeup_fair"),
            _ if release <= Release::V6_19 => ("current-kernels §2.9", "check_preempt_wakeup_fair"),
            _ => ("current-kernels §2.9", "wakeup_preempt_fair"),
        };
        Self::new(words, section, function)
    }

    /// What protects the running task (EEVDF).
    pub(super) fn of_protection(words: &str, release: Release) -> Self {
        let later = release >= Release::V6_18;
        let (section, function) =
            if later { ("current-kernels §2.5", "protect_slice") } else { ("§4.6", "pick_eevdf") };
        Self::new(words, section, function)
    }

    /// A shorter slice against that protection.
    pub(super) fn of_short(release: Release) -> Self {
        let words = "PREEMPT_SHORT: a shorter slice is not held off by the protection";
        if release >= Release::V6_18 {
            Self::new(words, "current-kernels §2.9", Self::of_wakeup_check(release).function.as_str())
        } else {
            Self::new(words, "§4.11", "do_preempt_short")
        }
    }

    /// What a refused wake-up does to the protection, from 6.18.
    pub(super) fn of_cut() -> Self {
        let words = "a refused wake-up cuts the protection to one smallest slice from now";
        Self::new(words, "current-kernels §2.5", "update_protect_slice")
    }

    pub(super) fn of_yield(release: Release) -> Self {
        let (words, section) = match release {
            _ if release.class() == Class::Cfs => ("who yields is passed over in the next pick", "§3.9"),
            _ if forfeits_at_yield(release) && release >= Release::V6_18 => {
                ("who yields gives up the rest of its request", "current-kernels §2.11")
            }
            Release::V6_12Stable => ("who yields gives up the rest of its request", "§4.15"),
            _ => ("a yield moves the deadline on by a slice", "§4.12"),
        };
        Self::new(words, section, "yield_task_fair")
    }

    pub(super) fn of_delayed_block(release: Release) -> Self {
        let words = "who sleeps while it is not eligible stays until it is (DELAY_DEQUEUE)";
        Self::new(words, delayed_section(release), "dequeue_entity")
    }

    pub(super) fn of_finished(release: Release) -> Self {
        let words = "a sleeper that the pick meets is taken off for good";
        Self::new(words, delayed_section(release), "finish_delayed_dequeue_entity")
    }
}

fn delayed_section(release: Release) -> &'static str {
    if release >= Release::V7_1 { "current-kernels §2.10" } else { "§4.10" }
}

/// Whether sched_yield takes an eligible task's vruntime to its deadline (§4.15, current-kernels
/// §2.11); earlier releases move the deadline on.
pub(super) fn forfeits_at_yield(release: Release) -> bool {
    release == Release::V6_12Stable || release >= Release::V6_18
}

/// Whether a fork without a shorter slice never preempts (current-kernels §2.9).
pub(super) fn forks_wait(release: Release) -> bool {
    release >= Release::V6_19
}

/// Whether a refused wake-up cuts the protection (current-kernels §2.9): never before 6.18, in 6.18
/// after a shorter slice only.
pub(super) fn refusal_cuts(release: Release, short: bool) -> bool {
    release >= Release::V6_19 || (release == Release::V6_18 && short)
}
