//! What comes out of a run: statistics, counters, the record and the end state.
//! Not for tables or percentiles: `schedlab-report` makes those.

use crate::histogram::Histogram;
use crate::input::GroupId;
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
    /// Wake-ups, its start included.
    pub wakeups: u64,
    /// Changes of CPU.
    pub migrations: u64,
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
    /// Switches.
    pub switches: u64,
    /// What the scheduler counted on this CPU.
    pub counters: Counters,
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
    pub const fn all(&self) -> [(&'static str, u64); 12] {
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
