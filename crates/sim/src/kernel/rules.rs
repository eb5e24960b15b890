//! What differs between releases, as data: each value is read at the one place where behaviour
//! differs. Not for the behaviour itself.

use super::{Feature, Kernel, Release, Tunable};
use crate::fair::TreeKind;

/// When a renewed deadline requests a reschedule (§4.1, §4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// Never: the tick compares who runs with who would be picked (eevdf-rfc).
    Silent,
    /// In update_deadline (6.6, 6.8).
    Requests,
    /// In update_curr, with a check of eligibility or protection (6.12 and later).
    Reports,
}

/// What the keys of a queue are relative to (§4.2, current-kernels §2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// min_vruntime, which follows the smallest vruntime.
    Smallest,
    /// V, at each charge (eevdf-rfc with MINIMAL_VA).
    AverageOnCharge,
    /// zero_vruntime, moved to V by each computation of V.
    AverageOnUse,
    /// zero_vruntime, moved to V by each change of the tree.
    AverageOnChange,
}

/// The limit of lag (§4.3, current-kernels §2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LagLimit {
    /// Twice the own slice, at least a tick.
    TwiceSlice,
    /// The largest slice of the queue and a tick.
    LargestSlice,
}

/// What protects the running task (§4.6, current-kernels §2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// Nothing (eevdf-rfc).
    None,
    /// As long as its deadline is the one it was picked with.
    Marker,
    /// Up to a bound: the smallest queued slice.
    Bound,
    /// Up to a bound: the virtual time from which it alone would be ineligible (7.3).
    LagBound,
}

/// What a reweight of a queued entity does (§4.8, current-kernels §2.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reweight {
    /// Distances to V are rescaled, V as after the removal (6.6, 6.8).
    AroundAverageWithout,
    /// The same with V as before the removal and the lag clamped (6.12).
    AroundAverage,
    /// The lag is rescaled and the entity placed anew, counted as queued (6.13 to 6.15).
    PlaceCounted,
    /// The same, not counted as queued (6.19).
    Place,
    /// The same, and the protection is rescaled too (6.18, 7.0).
    PlaceWithProtection,
    /// Distances to V and the protection are rescaled (7.1 and later).
    AroundAverageWithProtection,
}

/// What sched_yield does to the deadline (§4.12, current-kernels §2.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Yield {
    /// It moves on by a slice.
    PushDeadline,
    /// An eligible task's vruntime goes to its deadline, which is renewed.
    ForfeitAndRenew,
    /// The same, and the deadline moves on by a slice (6.19).
    ForfeitAndPush,
}

/// The wake-up check (§4.11, current-kernels §2.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeupCheck {
    /// 6.6 and 6.8.
    Deadline,
    /// 6.12 to 6.15: a shorter slice may end the protection.
    Short,
    /// 6.18: a shorter slice is searched without the protection.
    ShortSearch,
    /// 6.19 and 7.0: actions; forks stop, failures cut the protection.
    Actions,
    /// 7.1 and 7.2: the same, finishing delayed entities that the search meets.
    ActionsFinishing,
    /// 7.3: the charge comes first, refusals cut the protection.
    ChargeFirst,
}

/// Everything the engine reads of the kernel, derived once.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub tree: TreeKind,
    pub tick_ns: u64,

    pub latency: u64,
    pub min_granularity: u64,
    pub idle_min_granularity: u64,
    pub wakeup_granularity: u64,
    pub nr_latency: u64,
    pub base_slice: u64,
    pub normalized_base_slice: u64,

    pub gentle_fair_sleepers: bool,
    pub start_debit: bool,
    pub next_buddy: bool,
    pub last_buddy: bool,
    pub wakeup_preemption: bool,
    pub hrtick: bool,
    pub double_tick: bool,
    pub alt_period: bool,
    pub slice_floor: bool,
    pub place_lag: bool,
    pub place_deadline_initial: bool,
    pub place_rel_deadline: bool,
    pub run_to_parity: bool,
    pub preempt_short: bool,
    pub delay_dequeue: bool,
    pub delay_zero: bool,
    pub respect_slice: bool,
    pub place_fudge: bool,
    pub place_bonus: bool,

    /// 6.5: the tick's ideal run time is at most the latency (§3.9).
    pub tick_slice_cap: bool,
    pub renewal: Renewal,
    pub origin: Origin,
    pub lag_limit: LagLimit,
    pub protection: Protection,
    pub reweight: Reweight,
    pub yields: Yield,
    pub wakeup: WakeupCheck,
    /// A task may have a slice of its own (§4.4); groups get theirs from below (§4.16).
    pub custom_slices: bool,
    /// A fork's placement knows that it is one (§4.9).
    pub initial_placement: bool,
    /// A lag of zero is not inflated (§4.7).
    pub skip_zero_lag: bool,
    /// A change to SCHED_IDLE sets the weight without rescaling the lag (6.6 and 6.8; §4.8).
    pub idle_weight_keeps_lag: bool,
    /// A relative deadline is honoured whatever the feature says (§4.7).
    pub rel_deadline_unconditional: bool,
    /// A rescaled lag takes the relative deadline along (§4.8).
    pub reweight_rel_deadline: bool,
    /// The buddy is honoured at the pick (§4.5): NEXT_BUDDY or PICK_BUDDY, as the release has it.
    pub pick_buddy: bool,
    /// The buddy test is inside the search (6.19 and later).
    pub buddy_in_search: bool,
    /// That test needs a search with protection (7.1 and later).
    pub buddy_needs_protection: bool,
    /// V is a truncating division and the search one descent (eevdf-rfc, §4.14).
    pub early_eevdf: bool,
    /// A lone entity is picked without a search (6.8 and later).
    pub lone_shortcut: bool,
    /// Weights in V and its sums are the stored ones (7.1 and later).
    pub full_weights: bool,
    /// Virtual lengths by plain division, eligibility in 128 bits (7.1 and later).
    pub exact_division: bool,
    /// The lag inflation's form of 7.3 (current-kernels §2.7).
    pub split_inflation: bool,
    /// A placement by a heavy entity's lag moves the origin (7.1 and later).
    pub heavy_lag_moves_origin: bool,
    /// set_next protects only when a pick made it (6.18, 7.0 and later).
    pub protect_only_picked: bool,
    /// A SCHED_IDLE task loses its protection to another that wakes (6.12-stable, 6.15 and later).
    pub idle_loses_protection: bool,
    /// A dequeue clears the entity's buddies before it may be delayed (6.12-stable, 6.13 and later).
    pub buddy_cleared_before_delay: bool,
    /// A delayed dequeue stores the lag, and keeps the larger one (7.1 and later).
    pub delayed_lag_kept: bool,
    /// A delayed task that wakes is charged against first (7.2 and later).
    pub requeue_charges: bool,
    /// The lag is computed before the delay test (7.3).
    pub lag_before_delay: bool,
    /// A group's changed weight waits while its queue is empty (6.12-stable, 6.13 and later).
    pub empty_group_keeps_weight: bool,
    /// A delayed group keeps a slice, and trees see changed slices (6.12-stable; §4.16).
    pub group_slices_refreshed: bool,
    /// 6.6: a reweight moves min_vruntime only if the entity does not run (§4.16).
    pub reweight_curr_keeps_origin: bool,
    /// The slice timer's rules of 7.1 and later (current-kernels §2.13).
    pub deadline_timer: bool,
    /// Tasks of all groups stand in one queue (7.3; current-kernels §2.12).
    pub flat_groups: bool,
    /// A throttled group's tasks leave one by one, each when it is picked (6.18 and later).
    pub throttles_tasks: bool,
    /// The utilisation estimate is used (§5.0).
    pub util_est: bool,
    pub util_est_fastup: bool,
    /// The estimate is two values, the larger of which counts (up to 6.6; §5.0).
    pub two_estimates: bool,
    /// A utilisation above the CPU's capacity leaves the estimate alone (up to 6.15; §5.0).
    pub estimate_within_capacity: bool,
    /// The estimate is stored before the sleeper's average is brought up to date (6.12 and later;
    /// §5.0).
    pub estimate_before_update: bool,
    /// A new task's first utilisation is computed with the scaled-up weight (up to 6.8; §5.0).
    pub new_util_scaled_up: bool,
    /// Delayed tasks count in a queue's runnable signal (6.12; §5.0).
    pub delayed_are_runnable: bool,
    /// The busiest CPU by utilisation counts waiting tasks (6.5 and later; §5.0).
    pub util_boost: bool,
    /// A CPU with SCHED_IDLE tasks only is not idle for another of them (7.1 and later;
    /// current-kernels §3).
    pub idle_policy_is_no_match: bool,
    /// A wake-up prefers an idle one of the two candidates (§5.1).
    pub wa_idle: bool,
    /// It compares their loads (§5.1).
    pub wa_weight: bool,
    /// That comparison favours the waker's CPU (§5.1).
    pub wa_bias: bool,
    /// Delayed tasks do not count as running when a synchronous waker is alone (6.12-stable, 6.18
    /// and later; §5.1).
    pub sync_ignores_delayed: bool,
    /// Wake-ups are queued to idle and far CPUs (§5.1).
    pub ttwu_queue: bool,
    /// The idle search is limited by utilisation (§5.1).
    pub sis_util: bool,
    /// A fork's statistics count allowed CPUs only (6.1, 6.12-stable, 6.14 and later; §5.2).
    pub fork_counts_allowed_only: bool,
    /// Cores with several busy threads are told apart (6.6 and later; §5.4).
    pub smt_balance: bool,
    /// PREFER_SIBLING is that of the busiest group (6.5 and later; §5.3).
    pub prefer_sibling_of_busiest: bool,
    /// Of fully busy groups the later one counts as busiest (6.5 and later; §5.4).
    pub later_fully_busy: bool,
    /// Balancing counts delayed tasks (6.12, 6.12-stable, 6.13; §5.4).
    pub balance_counts_delayed: bool,
    /// With all tasks pinned the search goes on past its limit (6.5 to 6.8; §5.4).
    pub pinned_ignore_loop_limit: bool,
    /// Balancing leaves very small tasks alone (§5.4).
    pub lb_min: bool,
    /// A task's utilisation counts whole however often balancing failed (6.5, 6.6; §5.4).
    pub util_not_shifted: bool,
    /// Delayed tasks move as others do (up to 6.13; §5.4).
    pub delayed_move_always: bool,
    /// At first ineligible tasks are not moved to a busy CPU (6.14 and later; §5.4).
    pub ineligible_stay: bool,
    /// A buddy is cache-hot for a busy CPU (§5.4).
    pub cache_hot_buddy: bool,
    /// How long a task counts as cache-hot, nanoseconds (§5.4).
    pub migration_cost: u64,
    /// Newly-idle balances that seldom succeed are passed over at random (§5.4).
    pub ni_random: bool,
    /// The ratio behind that recovers with time (current-kernels §3).
    pub ni_rate: bool,
    /// With a whole ratio nothing is drawn (7.1 and later; current-kernels §3).
    pub newidle_sure_at_whole: bool,
    /// The tick stops as a CPU becomes idle, not after one more (§5.6).
    pub tick_stops_at_idle_entry: bool,
    /// A balancing helper stops for any request (6.5 to 6.12; §5.6).
    pub helper_stops_by_request_alone: bool,
    /// The helper is rather on a wholly idle core (7.3; §5.6).
    pub helper_on_idle_core: bool,
    /// The search by cookie passes over throttled tasks (6.5 and later; §6.5).
    pub cookie_search_skips_throttled: bool,
    /// The pick from idle charges bandwidth, and throttling restarts the pick (6.12 and later).
    pub restarting_pick: bool,
}

impl Rules {
    /// The rules of `kernel` with ticks of `tick_ns`.
    #[allow(clippy::too_many_lines, reason = "one table, read from top to bottom")]
    pub fn new(kernel: &Kernel, tick_ns: u64) -> Self {
        use Release::{
            EevdfRfc, V6_1, V6_5, V6_6, V6_8, V6_12, V6_12Stable, V6_13, V6_14, V6_15, V6_18, V6_19, V7_0, V7_1, V7_2,
            V7_3,
        };
        let release = kernel.release();
        let has = |feature| kernel.has(feature);
        let stable_or_after = |first| release == V6_12Stable || release >= first;
        // 6.18 is the patched long-term series: it has what 7.0 has, and 6.19.0 has not.
        let patched = release == V6_18 || release >= V7_0;
        Self {
            tree: match release {
                V6_1 | V6_5 => TreeKind::Vruntime,
                EevdfRfc | V6_6 => TreeKind::VruntimeWithDeadline,
                V6_8 => TreeKind::Deadline,
                V6_18 | V7_0 | V7_1 => TreeKind::DeadlineWithSlices,
                _ if release >= V7_2 => TreeKind::DeadlineWithExactSlices,
                _ => TreeKind::DeadlineWithSlice,
            },
            tick_ns,

            latency: kernel.tunable(Tunable::Latency),
            min_granularity: kernel.tunable(Tunable::MinGranularity),
            idle_min_granularity: kernel.tunable(Tunable::IdleMinGranularity),
            wakeup_granularity: kernel.tunable(Tunable::WakeupGranularity),
            nr_latency: kernel.tunable(Tunable::NrLatency),
            base_slice: kernel.tunable(Tunable::BaseSlice),
            normalized_base_slice: kernel.tunable(Tunable::NormalizedBaseSlice),

            gentle_fair_sleepers: has(Feature::GentleFairSleepers),
            start_debit: has(Feature::StartDebit),
            next_buddy: has(Feature::NextBuddy),
            last_buddy: has(Feature::LastBuddy),
            wakeup_preemption: has(Feature::WakeupPreemption),
            hrtick: has(Feature::Hrtick),
            double_tick: has(Feature::DoubleTick),
            alt_period: has(Feature::AltPeriod),
            slice_floor: has(Feature::BaseSlice),
            place_lag: has(Feature::PlaceLag),
            place_deadline_initial: has(Feature::PlaceDeadlineInitial),
            place_rel_deadline: has(Feature::PlaceRelDeadline),
            run_to_parity: has(Feature::RunToParity),
            preempt_short: has(Feature::PreemptShort),
            delay_dequeue: has(Feature::DelayDequeue),
            delay_zero: has(Feature::DelayZero),
            respect_slice: has(Feature::RespectSlice),
            place_fudge: has(Feature::PlaceFudge),
            place_bonus: has(Feature::PlaceBonus),

            tick_slice_cap: release == V6_5,
            renewal: match release {
                EevdfRfc => Renewal::Silent,
                _ if release <= V6_8 => Renewal::Requests,
                _ => Renewal::Reports,
            },
            origin: match release {
                EevdfRfc if has(Feature::MinimalVa) => Origin::AverageOnCharge,
                V6_19 => Origin::AverageOnChange,
                _ if release == V6_12Stable || patched => Origin::AverageOnUse,
                _ => Origin::Smallest,
            },
            lag_limit: if patched { LagLimit::LargestSlice } else { LagLimit::TwiceSlice },
            protection: match release {
                _ if release >= V7_3 => Protection::LagBound,
                _ if release >= V6_18 => Protection::Bound,
                EevdfRfc => Protection::None,
                _ => Protection::Marker,
            },
            reweight: match release {
                _ if release >= V7_1 => Reweight::AroundAverageWithProtection,
                V6_18 | V7_0 => Reweight::PlaceWithProtection,
                V6_19 => Reweight::Place,
                _ if release >= V6_13 => Reweight::PlaceCounted,
                V6_12 | V6_12Stable => Reweight::AroundAverage,
                _ => Reweight::AroundAverageWithout,
            },
            yields: match release {
                V6_19 => Yield::ForfeitAndPush,
                _ if release == V6_12Stable || patched => Yield::ForfeitAndRenew,
                _ => Yield::PushDeadline,
            },
            wakeup: match release {
                _ if release <= V6_8 => WakeupCheck::Deadline,
                _ if release <= V6_15 => WakeupCheck::Short,
                V6_18 => WakeupCheck::ShortSearch,
                V6_19 | V7_0 => WakeupCheck::Actions,
                V7_1 | V7_2 => WakeupCheck::ActionsFinishing,
                _ => WakeupCheck::ChargeFirst,
            },
            custom_slices: release >= V6_12,
            initial_placement: release >= V6_12,
            skip_zero_lag: release >= V6_13,
            idle_weight_keeps_lag: release <= V6_8,
            rel_deadline_unconditional: release >= V6_13 && release <= V7_0,
            reweight_rel_deadline: release >= V6_13,
            pick_buddy: if stable_or_after(V6_13) { has(Feature::PickBuddy) } else { has(Feature::NextBuddy) },
            buddy_in_search: release >= V6_19,
            buddy_needs_protection: release >= V7_1,
            early_eevdf: release == EevdfRfc,
            lone_shortcut: release >= V6_8,
            full_weights: release >= V7_1,
            exact_division: release >= V7_1,
            split_inflation: release >= V7_3,
            heavy_lag_moves_origin: release >= V7_1,
            protect_only_picked: patched,
            idle_loses_protection: stable_or_after(V6_15),
            buddy_cleared_before_delay: stable_or_after(V6_13),
            delayed_lag_kept: release >= V7_1,
            requeue_charges: release >= V7_2,
            lag_before_delay: release >= V7_3,
            empty_group_keeps_weight: stable_or_after(V6_13),
            group_slices_refreshed: release == V6_12Stable,
            reweight_curr_keeps_origin: release == V6_6,
            deadline_timer: release >= V7_1,
            flat_groups: release >= V7_3,
            throttles_tasks: release >= V6_18,
            util_est: has(Feature::UtilEst),
            util_est_fastup: has(Feature::UtilEstFastup),
            two_estimates: release <= V6_6,
            estimate_within_capacity: release <= V6_15,
            estimate_before_update: release >= V6_12,
            new_util_scaled_up: release <= V6_8,
            delayed_are_runnable: release == V6_12,
            util_boost: release >= V6_5,
            idle_policy_is_no_match: release >= V7_1,
            wa_idle: has(Feature::WaIdle),
            wa_weight: has(Feature::WaWeight),
            wa_bias: has(Feature::WaBias),
            sync_ignores_delayed: release == V6_12Stable || release >= V6_18,
            ttwu_queue: has(Feature::TtwuQueue),
            sis_util: has(Feature::SisUtil),
            fork_counts_allowed_only: matches!(release, V6_1 | V6_12Stable) || release >= V6_14,
            smt_balance: release >= V6_6,
            prefer_sibling_of_busiest: release >= V6_5,
            later_fully_busy: release >= V6_5,
            balance_counts_delayed: release <= V6_13,
            pinned_ignore_loop_limit: (V6_5..=V6_8).contains(&release),
            lb_min: has(Feature::LbMin),
            util_not_shifted: (V6_5..=V6_6).contains(&release),
            delayed_move_always: release <= V6_13,
            ineligible_stay: release >= V6_14,
            cache_hot_buddy: has(Feature::CacheHotBuddy),
            migration_cost: kernel.tunable(Tunable::MigrationCost),
            ni_random: has(Feature::NiRandom),
            ni_rate: has(Feature::NiRate),
            newidle_sure_at_whole: release >= V7_1,
            tick_stops_at_idle_entry: (V6_5..=V6_12).contains(&release)
                || (V6_13..=V6_15).contains(&release)
                || release == V6_19,
            helper_stops_by_request_alone: (V6_5..=V6_12).contains(&release),
            helper_on_idle_core: release >= V7_3,
            cookie_search_skips_throttled: release >= V6_5,
            restarting_pick: release >= V6_12,
        }
    }
}
