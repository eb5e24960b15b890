//! The scheduler feature flags: which releases have them, with which default, and what they do.
//! Not for the rules themselves: each flag is read where its rule stands.

use super::release::Release;

macro_rules! features {
    ($($variant:ident $name:literal $section:literal $acts:ident [$($spans:expr),*] $meaning:literal;)*) => {
        /// A flag of the kernel's `sched/features` file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature {
            $(#[doc = $meaning] $variant,)*
        }

        /// What is known of each flag, in the order of [`Feature`].
        pub static FEATURES: &[FeatureInfo] = &[
            $(FeatureInfo {
                feature: Feature::$variant,
                name: $name,
                meaning: $meaning,
                section: $section,
                acts: Acts::$acts,
                spans: &[$($spans),*],
            },)*
        ];
    };
}

/// Where in the model a flag has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acts {
    /// It changes decisions on one CPU.
    OneCpu,
    /// It changes placement and balancing between CPUs only.
    ManyCpus,
    /// It exists in the kernel and changes nothing that is modelled.
    Nothing,
}

/// A run of releases in which a flag exists with one default.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first release.
    pub from: Release,
    /// The last release.
    pub to: Release,
    /// Whether the flag is on there by default.
    pub default: bool,
}

/// What is known of one flag.
#[derive(Clone, Copy, Debug)]
pub struct FeatureInfo {
    /// The flag.
    pub feature: Feature,
    /// Its name in the kernel, such as `RUN_TO_PARITY`.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// The section of `docs/model.md` that has its rule: `§4.6` or `current-kernels §2.2`.
    pub section: &'static str,
    /// Where it has an effect.
    pub acts: Acts,
    /// The releases that have it.
    pub spans: &'static [Span],
}

const fn span(from: Release, to: Release, default: bool) -> Span {
    Span { from, to, default }
}

const fn on(from: Release, to: Release) -> Span {
    span(from, to, true)
}

const fn off(from: Release, to: Release) -> Span {
    span(from, to, false)
}

use Release::{EevdfRfc, V6_1, V6_5, V6_6, V6_12, V6_12Stable, V6_14, V6_15, V6_18, V7_0, V7_1, V7_3};

features! {
    GentleFairSleepers "GENTLE_FAIR_SLEEPERS" "§3.5" OneCpu [on(V6_1, V6_5)] "Halves the credit that a waking task gets.";
    StartDebit "START_DEBIT" "§3.5" OneCpu [on(V6_1, V6_5)] "A new task starts one virtual slice behind the queue.";
    NextBuddy "NEXT_BUDDY" "§3.8" OneCpu [off(V6_1, V7_3)] "A woken task is marked to be picked next, even when it does not preempt.";
    LastBuddy "LAST_BUDDY" "§3.8" OneCpu [on(V6_1, V6_5)] "A preempted task is marked to be picked again soon (eight or more running).";
    PickBuddy "PICK_BUDDY" "§4.1" OneCpu [on(V6_12Stable, V7_3)] "The pick honours the next buddy while it is eligible.";
    CacheHotBuddy "CACHE_HOT_BUDDY" "§5.4" ManyCpus [on(V6_1, V7_3)] "Balancing treats a buddy as cache-hot.";
    WakeupPreemption "WAKEUP_PREEMPTION" "§3.8" OneCpu [on(V6_1, V7_3)] "A waking task may preempt the running one.";
    Hrtick "HRTICK" "§4.17" OneCpu [off(V6_1, V7_0), on(V7_1, V7_3)] "A timer ends a slice exactly instead of at the next tick.";
    HrtickDl "HRTICK_DL" "§4.17" Nothing [off(V6_1, V7_0), on(V7_1, V7_3)] "The same timer for deadline tasks.";
    DoubleTick "DOUBLE_TICK" "§4.17" OneCpu [off(V6_1, V6_15)] "Keeps the periodic slice test while the slice timer is armed.";
    AltPeriod "ALT_PERIOD" "§3.4" OneCpu [on(V6_1, V6_5)] "The period counts all tasks of the CPU, not the entities of one queue.";
    BaseSlice "BASE_SLICE" "§3.4" OneCpu [on(V6_1, V6_5)] "A slice is never below the minimal granularity.";
    PlaceLag "PLACE_LAG" "§4.7" OneCpu [on(EevdfRfc, EevdfRfc), on(V6_6, V7_3)] "A task keeps its lag across a sleep.";
    PlaceDeadlineInitial "PLACE_DEADLINE_INITIAL" "§4.7" OneCpu [on(EevdfRfc, EevdfRfc), on(V6_6, V7_3)] "A new task starts with half a slice (no effect before 6.12).";
    PlaceRelDeadline "PLACE_REL_DEADLINE" "§4.7" OneCpu [on(V6_12, V7_3)] "A move or a nice change keeps the rest of the slice.";
    RunToParity "RUN_TO_PARITY" "§4.6" OneCpu [on(V6_6, V7_3)] "The running task is protected until its slice or its lag is used up.";
    PreemptShort "PREEMPT_SHORT" "§4.11" OneCpu [on(V6_12, V7_3)] "A waking task with a shorter slice may end that protection.";
    DelayDequeue "DELAY_DEQUEUE" "§4.10" OneCpu [on(V6_12, V7_3)] "An ineligible task that blocks stays on the queue until it is eligible.";
    DelayZero "DELAY_ZERO" "§4.10" OneCpu [on(V6_12, V7_3)] "Positive lag gained while delayed is dropped.";
    RespectSlice "RESPECT_SLICE" "§4.13" OneCpu [off(V6_12, V6_15)] "The running task keeps the CPU until its slice is used (proposed, never merged).";
    PlaceFudge "PLACE_FUDGE" "§4.14" OneCpu [on(EevdfRfc, EevdfRfc)] "A task with a shorter slice than the average is placed no later than at zero lag.";
    PlaceBonus "PLACE_BONUS" "§4.14" OneCpu [off(EevdfRfc, EevdfRfc)] "A waking task is placed up to half a slice earlier.";
    MinimalVa "MINIMAL_VA" "§4.14" OneCpu [off(EevdfRfc, EevdfRfc)] "The origin of keys is V instead of the smallest vruntime.";
    SisProp "SIS_PROP" "§5.1" Nothing [off(V6_1, V6_6)] "Limits the idle search by what it costs, which is nothing here.";
    SisUtil "SIS_UTIL" "§5.1" ManyCpus [on(V6_1, V7_3)] "Limits the idle search by the utilisation of the LLC.";
    WaIdle "WA_IDLE" "§5.1" ManyCpus [on(V6_1, V7_3)] "A wake-up prefers an idle CPU of the two candidates.";
    WaWeight "WA_WEIGHT" "§5.1" ManyCpus [on(V6_1, V7_3)] "A wake-up compares the load of the two candidates.";
    WaBias "WA_BIAS" "§5.1" ManyCpus [on(V6_1, V7_3)] "That comparison favours the waking CPU.";
    TtwuQueue "TTWU_QUEUE" "§5.1" ManyCpus [on(V6_1, V7_3)] "A wake-up on another LLC is queued to that CPU.";
    UtilEst "UTIL_EST" "§5.0" ManyCpus [on(V6_1, V7_3)] "Utilisation is estimated from a task's last activations.";
    UtilEstFastup "UTIL_EST_FASTUP" "§5.0" ManyCpus [on(V6_1, V6_6)] "The estimate rises at once.";
    NiRandom "NI_RANDOM" "§5.4" ManyCpus [on(V6_1, V6_1), on(V6_12Stable, V6_12Stable), on(V6_18, V7_3)] "Newly-idle balancing is skipped at random when it seldom succeeds.";
    NiRate "NI_RATE" "current-kernels §3" ManyCpus [on(V7_1, V7_3)] "The ratio behind NI_RANDOM recovers with time.";
    AttachAgeLoad "ATTACH_AGE_LOAD" "§5.0" Nothing [on(V6_1, V7_3)] "Ages a task's load when it changes queues.";
    NontaskCapacity "NONTASK_CAPACITY" "§5.0" Nothing [on(V6_1, V7_3)] "Interrupt time is taken from a CPU's capacity.";
    ParanoidAvg "PARANOID_AVG" "current-kernels §2.2" Nothing [off(V7_1, V7_3)] "Checks the running sums against a fresh sum.";
    LbMin "LB_MIN" "§5.4" ManyCpus [off(V6_1, V7_3)] "Balancing leaves very small tasks alone.";
    WarnDoubleClock "WARN_DOUBLE_CLOCK" "§1.2" Nothing [off(V6_1, V7_3)] "Warns of a clock updated twice.";
    LatencyWarn "LATENCY_WARN" "§1.2" Nothing [off(V6_1, V7_3)] "Warns of a late reschedule.";
    RtPushIpi "RT_PUSH_IPI" "§5.4" Nothing [off(V6_1, V7_3)] "Pushes real-time tasks by interrupts.";
    RtRuntimeShare "RT_RUNTIME_SHARE" "§5.4" Nothing [off(V6_1, V6_14)] "Lends real-time budget between CPUs.";
}

impl Feature {
    /// What is known of the flag.
    #[must_use]
    pub fn info(self) -> &'static FeatureInfo {
        &FEATURES[self as usize]
    }

    /// The kernel's name of the flag.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The flag of that name (without `NO_`), if there is one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        FEATURES.iter().find(|info| info.name == name).map(|info| info.feature)
    }

    /// Its default in `release`, or `None` where it does not exist.
    #[must_use]
    pub fn default_in(self, release: Release) -> Option<bool> {
        let spans = self.info().spans.iter();
        spans.clone().find(|span| span.from <= release && release <= span.to).map(|span| span.default)
    }

    /// Since and until when it exists, in words: `6.12 and later`, `6.1 to 6.5`.
    #[must_use]
    pub fn existence(self) -> String {
        let last = Release::ALL[Release::ALL.len() - 1];
        let mut parts: Vec<(Release, Release)> = Vec::new();
        for span in self.info().spans {
            match parts.last_mut() {
                Some(part) if part.1 != EevdfRfc && !Release::ALL.iter().any(|r| part.1 < *r && *r < span.from) => {
                    part.1 = span.to;
                }
                _ => parts.push((span.from, span.to)),
            }
        }
        let words = parts.iter().map(|&(from, to)| {
            if to == last {
                format!("{} and later", from.name())
            } else if from == to {
                from.name().to_owned()
            } else {
                format!("{} to {}", from.name(), to.name())
            }
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// A set of flags, by value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(u64);

impl FeatureSet {
    /// The defaults of `release`.
    #[must_use]
    pub fn defaults(release: Release) -> Self {
        let mut set = Self::default();
        for info in FEATURES {
            set.set(info.feature, info.feature.default_in(release) == Some(true));
        }
        set
    }

    /// Whether the flag is on.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u64) != 0
    }

    /// Turns the flag on or off.
    pub const fn set(&mut self, feature: Feature, on: bool) {
        if on {
            self.0 |= 1 << feature as u64;
        } else {
            self.0 &= !(1 << feature as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_fits_the_set() {
        assert!(FEATURES.len() <= 64);
        for (index, info) in FEATURES.iter().enumerate() {
            assert_eq!(info.feature as usize, index);
            assert_eq!(Feature::parse(info.name), Some(info.feature));
            assert!(info.spans.iter().all(|span| span.from <= span.to));
        }
    }

    #[test]
    fn defaults_follow_the_release() {
        assert_eq!(Feature::RunToParity.default_in(V6_5), None);
        assert_eq!(Feature::RunToParity.default_in(V6_12), Some(true));
        assert_eq!(Feature::Hrtick.default_in(V7_0), Some(false));
        assert_eq!(Feature::Hrtick.default_in(V7_1), Some(true));
        assert_eq!(Feature::PreemptShort.existence(), "6.12 and later");
        assert_eq!(Feature::StartDebit.existence(), "6.1 to 6.5");
        assert_eq!(Feature::Hrtick.existence(), "6.1 and later");
        assert_eq!(Feature::NiRandom.existence(), "6.1, 6.12-stable, 6.18 and later");
    }

    #[test]
    fn a_set_changes_one_flag_at_a_time() {
        let mut set = FeatureSet::defaults(V6_12);
        assert!(set.has(Feature::PreemptShort) && !set.has(Feature::NextBuddy) && !set.has(Feature::PickBuddy));
        set.set(Feature::PreemptShort, false);
        assert!(!set.has(Feature::PreemptShort) && set.has(Feature::RunToParity));
    }
}
