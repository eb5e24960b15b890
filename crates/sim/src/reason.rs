//! Why a task left the CPU. The reason is set where the decision is taken.
//! Not for wording beyond a sentence: reports and the page say more.

use crate::kernel::{Class, Release};

macro_rules! reasons {
    ($($variant:ident $name:literal $why:literal $section:literal $function:literal $sentence:literal;)*) => {
        /// Why a context switch happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Reason {
            $(#[doc = $sentence] $variant,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// The name in outputs, such as `tick-slice`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The word of the golden traces: `block`, `exit`, `yield` or `preempt`.
            #[must_use]
            pub const fn why(self) -> &'static str {
                match self { $(Self::$variant => $why,)* }
            }

            /// The section of `docs/model.md` that has the rule: `§4.4` or `current-kernels §2.6`.
            #[must_use]
            pub const fn section(self) -> &'static str {
                match self { $(Self::$variant => $section,)* }
            }

            /// The kernel function that takes the decision.
            #[must_use]
            pub const fn function(self) -> &'static str {
                match self { $(Self::$variant => $function,)* }
            }

            /// The rule in one sentence.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

reasons! {
    Block "block" "block" "§1.3" "__schedule" "The task went to sleep.";
    Exit "exit" "exit" "§1.3" "do_exit" "The task ended.";
    Yield "yield" "yield" "§3.9" "yield_task_fair" "The task gave the CPU up by sched_yield.";
    IdleCpu "idle-cpu" "preempt" "§1.3" "resched_curr" "The CPU was idle and a task became runnable.";
    TickSlice "tick-slice" "preempt" "§3.9" "check_preempt_tick" "The tick found that the task had run longer than its slice.";
    TickVruntime "tick-vruntime" "preempt" "§3.9" "check_preempt_tick" "The tick found the task's vruntime ahead of the leftmost task by more than a slice.";
    TickSearch "tick-search" "preempt" "§4.14" "check_preempt_tick" "The tick found that another task would be picked.";
    WakeupVruntime "wakeup-vruntime" "preempt" "§3.8" "check_preempt_wakeup" "A woken task was behind in vruntime by more than the wake-up granularity.";
    WakeupIdlePolicy "wakeup-idle-policy" "preempt" "§3.8" "check_preempt_wakeup" "A task that is not SCHED_IDLE woke while a SCHED_IDLE one ran.";
    Deadline "deadline" "preempt" "§4.4" "update_deadline" "The task's vruntime had passed its deadline: the slice was used up.";
    Ineligible "ineligible" "preempt" "§4.4" "did_preempt_short" "The task was no longer protected and had become ineligible.";
    ProtectionEnded "protection-ended" "preempt" "current-kernels §2.6" "update_curr" "The task's protection had ended before its slice.";
    WakeupDeadline "wakeup-deadline" "preempt" "§4.11" "check_preempt_wakeup_fair" "A woken task was eligible and had the earliest deadline.";
    WakeupShort "wakeup-short" "preempt" "§4.11" "do_preempt_short" "A woken task with a shorter slice ended the running task's protection.";
    Nice "nice" "preempt" "§4.8" "prio_changed_fair" "The task's nice value became worse.";
    SliceTimer "slice-timer" "preempt" "§4.17" "hrtick" "The slice timer fired.";
    SliceOverrun "slice-overrun" "preempt" "§4.17" "hrtick_start_fair" "The slice was already used up when the slice timer was to be set.";
    GroupMove "group-move" "preempt" "§4.16" "sched_move_task" "The task moved to another group.";
    Throttle "throttle" "preempt" "§4.18" "account_cfs_rq_runtime" "The group had no run time left in this period.";
    Unthrottle "unthrottle" "preempt" "§4.18" "unthrottle_cfs_rq" "The CPU was idle and a throttled group got run time again.";
    Migration "migration" "preempt" "§5.4" "active_load_balance_cpu_stop" "The balancer moved the running task to another CPU.";
    CoreWidePick "core-wide-pick" "preempt" "§6.3" "pick_next_task" "A sibling picked for the whole core.";
    ForcedIdle "forced-idle" "preempt" "§6.3" "pick_next_task" "The core runs another cookie, so this hardware thread stays idle.";
    CookieSteal "cookie-steal" "preempt" "§6.5" "try_steal_cookie" "The thread was forced idle and took a task of the core's cookie from another CPU.";
    ForcedIdleTick "forced-idle-tick" "preempt" "§6.4" "task_tick_core" "The task was alone, had used half its slice, and a sibling was forced idle.";
    CookieChange "cookie-change" "preempt" "§6.1" "sched_core_update_cookie" "The task's cookie changed.";
    Affinity "affinity" "preempt" "§5.1" "set_cpus_allowed_ptr" "The task may no longer run on this CPU.";
    HigherClass "higher-class" "preempt" "§1.3" "wakeup_preempt" "A real-time or deadline task became runnable.";
    RoundRobin "round-robin" "preempt" "§1.3" "task_tick_rt" "The SCHED_RR task had used its 100 ms and another of its priority waited.";
    Budget "budget" "preempt" "§1.3" "update_curr_dl" "The SCHED_DEADLINE task had used its budget of this period.";
}

impl Reason {
    /// The section of `docs/model.md` that has the rule as `release` has it.
    #[must_use]
    pub fn section_in(self, release: Release) -> &'static str {
        let current = release >= Release::V6_18;
        match (self, release.class()) {
            (Self::Yield, Class::Eevdf) if current => "current-kernels §2.11",
            (Self::Yield, Class::Eevdf) => "§4.12",
            (Self::Deadline, Class::Eevdf) if current => "current-kernels §2.6",
            (Self::WakeupIdlePolicy | Self::WakeupDeadline | Self::WakeupShort, Class::Eevdf) if current => {
                "current-kernels §2.9"
            }
            (Self::WakeupIdlePolicy, Class::Eevdf) => "§4.11",
            (Self::SliceTimer | Self::SliceOverrun, _) if release >= Release::V7_1 => "current-kernels §2.13",
            (Self::Nice, Class::Eevdf) if current => "current-kernels §2.11",
            (Self::Nice, Class::Cfs) => "§3.9",
            _ => self.section(),
        }
    }

    /// The kernel function that takes the decision in `release`.
    #[must_use]
    pub fn function_in(self, release: Release) -> &'static str {
        match (self, release.class()) {
            (Self::WakeupIdlePolicy | Self::WakeupDeadline | Self::WakeupShort, _) if release >= Release::V7_0 => {
                "wakeup_preempt_fair"
            }
            (Self::WakeupShort, _) if release >= Release::V6_18 => "check_preempt_wakeup_fair",
            (Self::WakeupIdlePolicy, Class::Eevdf) if release >= Release::V6_8 => "check_preempt_wakeup_fair",
            (Self::WakeupDeadline, _) if release < Release::V6_8 => "check_preempt_wakeup",
            _ => self.function(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_the_order_is_the_enum() {
        for (index, reason) in Reason::ALL.iter().enumerate() {
            assert_eq!(*reason as usize, index);
            assert_eq!(Reason::ALL.iter().filter(|other| other.name() == reason.name()).count(), 1);
            assert!(["block", "exit", "yield", "preempt"].contains(&reason.why()));
        }
    }
}
