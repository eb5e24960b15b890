//! A CPU in a run: what it runs, when it needs the engine, and what balancing keeps of it.
//! Not for its run queue: that is [`crate::fair`]'s.

use super::higher::HigherClasses;

/// Work units a nanosecond at full speed: capacity 1024 times 1000 per mille.
pub(super) const FULL_SPEED: u64 = 1_024_000;

/// What balancing keeps of a CPU's domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct DomainState {
    /// The interval between balances, ms.
    pub interval_ms: u64,
    /// When it was last balanced, jiffies.
    pub last_balance: u64,
    /// Attempts in a row that found a busiest CPU and moved nothing.
    pub failed: u32,
    /// What a newly-idle balance cost at most, and when that last decayed.
    pub max_newidle_cost_ns: u64,
    pub cost_decayed_at: u64,
    /// NI_RANDOM (current-kernels §3): calls and successes on record, and the ratio.
    pub newidle_calls: u32,
    pub newidle_successes: u32,
    pub newidle_ratio: u32,
    pub newidle_halved_at: u64,
}

/// A CPU in a run. Times are nanoseconds unless jiffies are named.
#[derive(Clone, Debug)]
pub(super) struct Cpu {
    /// The running task; none: the idle thread.
    pub running: Option<u32>,
    /// What it needs next may have changed in this step.
    pub touched: bool,
    /// Since when its `doing` has not been brought up to date.
    pub run_from: u64,
    /// When it needs the engine next.
    pub completes_at: u64,
    pub next_tick: u64,
    /// The CPU is idle and its tick has stopped.
    pub tick_stopped: bool,
    /// When a request that is on its way arrives.
    pub reschedule_at: u64,
    /// The classes above the fair one.
    pub higher: HigherClasses,
    /// Since when the running task of a higher class has not been charged.
    pub higher_charged: u64,
    /// How fast it works now, of [`FULL_SPEED`].
    pub speed: u64,
    /// Its capacity, of 1024.
    pub capacity: u64,
    /// Wake-ups that are on their way to it.
    pub wakeups_pending: u32,
    /// When it became idle; none: it is not, or a pull has ended the span.
    pub idle_since: Option<u64>,
    /// The running average of its idle spans.
    pub avg_idle: u64,
    /// Jiffies: when a tick next looks at its domains.
    pub next_balance: u64,
    pub domains: Vec<DomainState>,
    /// Most that a newly-idle balance of all domains cost.
    pub max_idle_balance_cost: u64,
    /// Where an active balance that was asked for pushes to.
    pub active_balance_to: Option<(u32, u8)>,
    /// Where the running task goes, which may no longer be here.
    pub leaves_to: Option<u32>,
    /// What wake_wide knows of the idle thread as a waker.
    pub idle_waker: Waker,
    /// KiB that were loaded into its caches since the start (§7).
    pub loaded_kib: u64,
    /// Jiffies: when its blocked averages were last brought up to date for others.
    pub blocked_updated: u64,
}

/// What wake_wide knows of a waker (§5.1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waker {
    pub flips: u32,
    pub last_wakee: Option<u32>,
    /// Jiffies.
    pub decayed_at: u64,
}

impl Cpu {
    /// A CPU that is idle and has not ticked.
    pub fn new(first_tick: u64, capacity: u32, domains: Vec<DomainState>) -> Self {
        Self {
            running: None,
            touched: false,
            run_from: 0,
            completes_at: u64::MAX,
            next_tick: first_tick,
            tick_stopped: false,
            reschedule_at: u64::MAX,
            higher: HigherClasses::default(),
            higher_charged: 0,
            speed: u64::from(capacity) * 1000,
            capacity: u64::from(capacity),
            wakeups_pending: 0,
            idle_since: Some(0),
            avg_idle: 1_000_000,
            next_balance: 0,
            domains,
            max_idle_balance_cost: 500_000,
            active_balance_to: None,
            leaves_to: None,
            idle_waker: Waker::default(),
            loaded_kib: 0,
            blocked_updated: 0,
        }
    }
}
