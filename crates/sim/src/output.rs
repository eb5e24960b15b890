//! What comes out of a run: statistics, counters, the record and the end state.
//! Not for tables or percentiles: `schedlab-report` makes those.

use crate::histogram::Histogram;
use crate::input::{GroupId, TaskId};
use crate::reason::Reason;
use crate::record::Record;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The simulated end, nanoseconds.
    pub until_ns: u64,
    /// Where statistics begin, nanoseconds.
    pub warmup_ns: u64,
    /// Per task, in the order of the input, forked ones after them.
    pub tasks: Vec<TaskResult>,
    /// Per CPU.
    pub cpus: Vec<CpuResult>,
    /// The scheduler's counters, from the end of the warm-up on.
    pub counters: Counters,
    /// Per CPU, its scheduling domains from the lowest up; empty on one CPU.
    pub domains: Vec<Vec<DomainResult>>,
    /// Where wake-ups put their tasks.
    pub placement: Placement,
    /// Idle CPUs beside waiting tasks.
    pub work_conservation: WorkConservation,
    /// Who ran on one core with whom, and how long; the lower task first.
    pub shared_cores: Vec<SharedCore>,
    /// Time in which two tasks of different cookies ran on one core: 0 with core scheduling.
    pub cookie_mix_ns: u64,
    /// Per kind of operation.
    pub operations: Vec<OperationResult>,
    /// Switches and wake-ups, as far as the budget went.
    pub record: Record,
    /// xxh3-64 of every switch and wake-up from 0 and of the final counters, in order; the same
    /// whatever the budget is.
    pub hash: u64,
    /// Switches in the whole run, recorded or not.
    pub total_switches: u64,
}

/// The statistics of one task, from the end of the warm-up on.
#[derive(Clone, Debug, Default)]
pub struct TaskResult {
    /// Its name.
    pub name: String,
    /// How many tasks it stands for: more than one where a child took the place of one that had
    /// exited ([`crate::MAX_TASKS`]).
    pub lives: u64,
    /// Its nice value at the end.
    pub nice: i8,
    /// CPU time, nanoseconds, costs included.
    pub runtime_ns: u64,
    /// Times scheduled in.
    pub switches: u64,
    /// Times scheduled out while runnable (yields included).
    pub preempted: u64,
    /// Times scheduled out to block or exit.
    pub blocked: u64,
    /// Of `preempted`: by its own yield.
    pub yields: u64,
    /// Times it came to a timer ([`crate::Step::Timer`]).
    pub timer_periods: u64,
    /// Of them: after the timer's instant, so that the period's work was late.
    pub missed_deadlines: u64,
    /// Wake-ups, its start included.
    pub wakeups: u64,
    /// Changes of CPU.
    pub migrations: u64,
    /// Of them: at a wake-up, by the choice of a CPU for it.
    pub migrations_at_wakeup: u64,
    /// Time in which a sibling was forced idle while it ran, its part (§6.4), nanoseconds.
    pub forced_idle_ns: u64,
    /// CPU time by CPU, nanoseconds; empty on one CPU.
    pub runtime_by_cpu_ns: Vec<u64>,
    /// From each wake-up to the first run.
    pub wake_delay: Histogram,
    /// Every wait on the run queue.
    pub run_delay: Histogram,
    /// How long it had run when it was preempted, in whole microseconds: bucket 0 counts 0, bucket
    /// n from 1 on 2^(n-1) to 2^n.
    pub ran_before_preempted: [u64; 32],
    /// Lengths of its runs, switch in to switch out.
    pub run_lengths: RunLengths,
    /// The end of the longest wait on the run queue, nanoseconds (its start is that minus the
    /// maximum of `run_delay`).
    pub longest_wait_end_ns: u64,
    /// Switches out by reason, indexed by `Reason as usize`.
    pub reasons: [u64; Reason::COUNT],
    /// What the scheduler counted while this task ran.
    pub counters: Counters,
}

/// What `perf sched timehist --summary` says of a task's runs, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunLengths {
    /// Runs that have ended.
    pub count: u64,
    /// Their sum.
    pub sum_ns: u64,
    /// The shortest.
    pub least_ns: u64,
    /// The longest.
    pub most_ns: u64,
    /// The sum of their squares.
    pub sum_of_squares: u128,
}

/// The statistics of one CPU, from the end of the warm-up on, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuResult {
    /// Time in tasks.
    pub busy_ns: u64,
    /// Time in the idle thread.
    pub idle_ns: u64,
    /// Idle although a task waited, because of core scheduling.
    pub forced_idle_ns: u64,
    /// Of `busy_ns`: lost to context switches.
    pub lost_switch_ns: u64,
    /// Of `busy_ns`: lost to changes of CPU.
    pub lost_migration_ns: u64,
    /// Of `busy_ns`: lost to loading caches again.
    pub lost_cache_ns: u64,
    /// Of `busy_ns`: lost to core-wide picks.
    pub lost_core_pick_ns: u64,
    /// Of `busy_ns`: lost because a sibling hardware thread was busy too.
    pub lost_smt_ns: u64,
    /// Waits on this CPU's run queue that ended, nanoseconds.
    pub run_delay_ns: u64,
    /// Switches.
    pub switches: u64,
    /// Of them: to a task (`pcount` of `/proc/schedstat`).
    pub scheduled_in: u64,
    /// What the scheduler counted on this CPU.
    pub counters: Counters,
}

/// The level of a scheduling domain (§5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DomainLevel {
    /// The hardware threads of a core.
    Smt,
    /// The cores of an LLC.
    Mc,
    /// The LLCs of a node ("DIE" up to 6.6).
    Pkg,
    /// The nodes.
    Numa,
}

impl DomainLevel {
    /// The kernel's name: SMT, MC, PKG, NUMA.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Smt => "SMT",
            Self::Mc => "MC",
            Self::Pkg => "PKG",
            Self::Numa => "NUMA",
        }
    }
}

/// In what state a CPU balances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleType {
    /// It is idle.
    Idle,
    /// It runs something.
    Busy,
    /// It is about to become idle.
    NewlyIdle,
}

impl IdleType {
    /// Every type, in the order of `/proc/schedstat` version 15.
    pub const ALL: [Self; 3] = [Self::Idle, Self::Busy, Self::NewlyIdle];
}

/// What `/proc/schedstat` counts of one kind of balancing in a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BalanceCounts {
    /// Attempts.
    pub count: u64,
    /// Found balanced.
    pub balanced: u64,
    /// Found a busiest CPU and moved nothing.
    pub failed: u64,
    /// Σ imbalance of the attempts that found one, by its kind: load, util, task, misfit.
    pub imbalance: [u64; 4],
    /// Tasks pulled.
    pub gained: u64,
    /// Of them: cache-hot ones.
    pub hot_gained: u64,
    /// No busiest CPU in the busiest group.
    pub nobusyq: u64,
    /// No busiest group.
    pub nobusyg: u64,
}

/// What `/proc/schedstat` counts of a CPU's domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainResult {
    /// Its level.
    pub level: DomainLevel,
    /// Its CPUs, ascending.
    pub cpus: Vec<u32>,
    /// By [`IdleType`].
    pub balance: [BalanceCounts; 3],
    /// Active balances asked for.
    pub alb_count: u64,
    /// Of them: moved nothing.
    pub alb_failed: u64,
    /// Of them: moved the task.
    pub alb_pushed: u64,
    /// Wake-ups from another CPU of this domain (and of none below).
    pub ttwu_wake_remote: u64,
    /// Wake-ups moved to the waker's side.
    pub ttwu_move_affine: u64,
}

/// Where wake-ups (not forks) put their tasks (§5.1), on a machine of several CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Wake-ups.
    pub wakeups: u64,
    /// On the previous CPU, which is the waker's too: [busy, idle].
    pub previous_is_waker: [u64; 2],
    /// On the previous CPU, not the waker's.
    pub previous: [u64; 2],
    /// On the waker's CPU, not the previous one.
    pub waker: [u64; 2],
    /// On another.
    pub other: [u64; 2],
    /// A busy CPU was chosen while an allowed one was idle.
    pub busy_while_idle: u64,
    /// The previous CPU was idle and was not chosen.
    pub previous_idle_not_chosen: u64,
}

/// How well idle CPUs were used, on a machine of several CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkConservation {
    /// Time in which a CPU was idle with nothing queued while a task that may run there waited on
    /// another, nanoseconds.
    pub gap_ns: u64,
    /// The same, times min(such CPUs, waiting tasks).
    pub cpu_ns: u64,
    /// How often that began.
    pub count: u64,
}

/// Two tasks that ran on the hardware threads of one core at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedCore {
    /// One of them.
    pub first: TaskId,
    /// The other; [`crate::IDLE`]: the thread was idle.
    pub second: TaskId,
    /// How long, nanoseconds.
    pub ns: u64,
}

/// The counters, with the names of `docs/model.md` §3.10 and §4.4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Entries into schedule(), repicks and picks of idle included.
    pub sched_count: u64,
    /// Of them: those that left the CPU idle.
    pub sched_goidle: u64,
    /// Wake-ups.
    pub ttwu_count: u64,
    /// Wake-ups on the waking CPU.
    pub ttwu_local: u64,
    /// Calls of sched_yield.
    pub yld_count: u64,
    /// Tasks pulled by an idle CPU's balancing (§5.4).
    pub pull_task_idle: u64,
    /// By a busy CPU.
    pub pull_task_busy: u64,
    /// By a CPU about to become idle.
    pub pull_task_newly_idle: u64,
    /// Tasks pushed by active balancing.
    pub active_balance: u64,
    /// Tasks stolen for their cookie (§6.5).
    pub cookie_steal: u64,
    /// Core-wide picks (§6.3).
    pub core_pick: u64,
    /// CFS: ticks that came to the preemption test.
    pub tick_check_preempts: u64,
    /// CFS: requests made by that test.
    pub tick_preempts: u64,
    /// EEVDF: deadlines looked at.
    pub check_deadline: u64,
    /// EEVDF: deadlines renewed.
    pub update_deadline: u64,
    /// EEVDF: renewals with another task queued, which request a reschedule.
    pub preempt_deadline: u64,
    /// EEVDF: requests because an unprotected running task was found ineligible, or its
    /// protection over.
    pub short_resched: u64,
    /// Slice timers that fired.
    pub hrtick: u64,
}

impl Counters {
    /// Every counter with its name, in order.
    #[must_use]
    pub const fn all(&self) -> [(&'static str, u64); 18] {
        [
            ("sched_count", self.sched_count),
            ("sched_goidle", self.sched_goidle),
            ("ttwu_count", self.ttwu_count),
            ("ttwu_local", self.ttwu_local),
            ("yld_count", self.yld_count),
            ("tick_check_preempts", self.tick_check_preempts),
            ("tick_preempts", self.tick_preempts),
            ("check_deadline", self.check_deadline),
            ("update_deadline", self.update_deadline),
            ("preempt_deadline", self.preempt_deadline),
            ("short_resched", self.short_resched),
            ("hrtick", self.hrtick),
            ("pull_task_idle", self.pull_task_idle),
            ("pull_task_busy", self.pull_task_busy),
            ("pull_task_newly_idle", self.pull_task_newly_idle),
            ("active_balance", self.active_balance),
            ("cookie_steal", self.cookie_steal),
            ("core_pick", self.core_pick),
        ]
    }

    /// Adds what was counted elsewhere.
    pub const fn add(&mut self, other: &Self) {
        self.sched_count += other.sched_count;
        self.sched_goidle += other.sched_goidle;
        self.ttwu_count += other.ttwu_count;
        self.ttwu_local += other.ttwu_local;
        self.yld_count += other.yld_count;
        self.tick_check_preempts += other.tick_check_preempts;
        self.tick_preempts += other.tick_preempts;
        self.check_deadline += other.check_deadline;
        self.update_deadline += other.update_deadline;
        self.preempt_deadline += other.preempt_deadline;
        self.short_resched += other.short_resched;
        self.hrtick += other.hrtick;
        self.pull_task_idle += other.pull_task_idle;
        self.pull_task_busy += other.pull_task_busy;
        self.pull_task_newly_idle += other.pull_task_newly_idle;
        self.active_balance += other.active_balance;
        self.cookie_steal += other.cookie_steal;
        self.core_pick += other.core_pick;
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            sched_count: self.sched_count - earlier.sched_count,
            sched_goidle: self.sched_goidle - earlier.sched_goidle,
            ttwu_count: self.ttwu_count - earlier.ttwu_count,
            ttwu_local: self.ttwu_local - earlier.ttwu_local,
            yld_count: self.yld_count - earlier.yld_count,
            tick_check_preempts: self.tick_check_preempts - earlier.tick_check_preempts,
            tick_preempts: self.tick_preempts - earlier.tick_preempts,
            check_deadline: self.check_deadline - earlier.check_deadline,
            update_deadline: self.update_deadline - earlier.update_deadline,
            preempt_deadline: self.preempt_deadline - earlier.preempt_deadline,
            short_resched: self.short_resched - earlier.short_resched,
            hrtick: self.hrtick - earlier.hrtick,
            pull_task_idle: self.pull_task_idle - earlier.pull_task_idle,
            pull_task_busy: self.pull_task_busy - earlier.pull_task_busy,
            pull_task_newly_idle: self.pull_task_newly_idle - earlier.pull_task_newly_idle,
            active_balance: self.active_balance - earlier.active_balance,
            cookie_steal: self.cookie_steal - earlier.cookie_steal,
            core_pick: self.core_pick - earlier.core_pick,
        }
    }
}

/// The statistics of one kind of operation, from the end of the warm-up on.
#[derive(Clone, Debug, Default)]
pub struct OperationResult {
    /// From begin to end, nanoseconds.
    pub latency: Histogram,
}

/// The scheduler's state at the present instant, for comparison with a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndState {
    /// Per task.
    pub tasks: Vec<TaskEnd>,
    /// Per group.
    pub groups: Vec<GroupEnd>,
    /// The root queue.
    pub root: QueueEnd,
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Not started.
    New,
    /// On the CPU.
    Running,
    /// On the run queue.
    Queued,
    /// Asleep, but still on the run queue (delayed dequeue).
    Delayed,
    /// Asleep.
    Blocked,
    /// Gone.
    Exited,
}

/// A task as the scheduler sees it. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskEnd {
    /// Where it is.
    pub state: TaskState,
    /// The group it is in; none: the root.
    pub group: Option<GroupId>,
    /// CPU time charged.
    pub sum_exec_ns: u64,
    /// Its place on the virtual time axis.
    pub virtual_time: VirtualPlace,
}

/// A place on the virtual time axis of a queue, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VirtualPlace {
    /// CFS: vruntime − min_vruntime.
    Cfs {
        /// The distance.
        vruntime_rel_ns: i64,
    },
    /// EEVDF, on a queue: vruntime − V and deadline − V.
    Queued {
        /// The distance of vruntime.
        vruntime_rel_ns: i64,
        /// The distance of the deadline.
        deadline_rel_ns: i64,
    },
    /// EEVDF, off the queue: the stored lag.
    Off {
        /// The lag.
        vlag_ns: i64,
    },
}

/// A group as the scheduler sees it. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupEnd {
    /// Whether its entity is on the parent's queue.
    pub on_queue: bool,
    /// Whether its entity (or a task below) runs.
    pub is_curr: bool,
    /// Whether its dequeue is delayed.
    pub delayed: bool,
    /// The weight of its entity, unscaled.
    pub shares: u64,
    /// CPU time charged.
    pub sum_exec_ns: u64,
    /// The slice of its entity.
    pub slice_ns: u64,
    /// Its place in the parent's queue.
    pub virtual_time: VirtualPlace,
    /// Its own queue.
    pub queue: QueueEnd,
    /// Its queue is throttled.
    pub throttled: bool,
    /// How many of itself and its ancestors are throttled.
    pub throttle_count: u32,
    /// Run time its queue has left.
    pub runtime_remaining_ns: i64,
    /// Run time its pool has left.
    pub pool_ns: u64,
    /// Periods that ended.
    pub nr_periods: u64,
    /// Of them: throttled at the end.
    pub nr_throttled: u64,
}

/// A queue as the scheduler sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueEnd {
    /// Entities.
    pub nr_running: u32,
    /// Tasks below.
    pub h_nr_running: u32,
    /// min_vruntime since the start, nanoseconds; none where the release has none.
    pub min_vruntime_ns: Option<i64>,
}
