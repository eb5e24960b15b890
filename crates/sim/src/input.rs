//! What a run is made of: machine, kernel, groups, tasks and their programs.
//! Not for reading documents: `schedlab-scenario` turns a document into an [`Input`].

use std::sync::Arc;

use crate::kernel::Kernel;

/// Everything a run depends on. Times are nanoseconds from the start of the run.
#[derive(Clone, Debug)]
pub struct Input {
    /// The kernel.
    pub kernel: Kernel,
    /// The machine.
    pub machine: Machine,
    /// Control groups, parents first; the root is not listed.
    pub groups: Vec<GroupSpec>,
    /// Tasks that exist from the start (each begins at its own time).
    pub tasks: Vec<TaskSpec>,
    /// Tasks that [`Step::Fork`] starts more of, by [`TemplateId`].
    pub templates: Vec<Template>,
    /// How many objects of each kind the programs use.
    pub objects: Objects,
    /// Changes made from outside, in order of time.
    pub events: Vec<OutsideEvent>,
    /// The end of the run; what happens at that instant still happens.
    pub until_ns: u64,
    /// Statistics begin here; the record and the hash begin at 0 whatever this is.
    pub warmup_ns: u64,
    /// The seed of all random draws.
    pub seed: u64,
    /// How many entries the record may hold; 0 keeps none.
    pub record_budget: usize,
}

/// How CPUs are numbered where a core has more than one hardware thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SiblingNumbering {
    /// First one thread of every core, then the second ones: as firmware of most machines has it.
    #[default]
    Split,
    /// The threads of a core are next to each other.
    Adjacent,
}

/// The machine (§5.3, §7). CPUs are hardware threads; a node holds its LLCs, an LLC its cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// NUMA nodes, all at the same distance from each other.
    pub nodes: u32,
    /// Last-level caches a node.
    pub llcs_per_node: u32,
    /// Cores an LLC.
    pub cores_per_llc: u32,
    /// Hardware threads a core.
    pub threads_per_core: u32,
    /// How the CPUs are numbered.
    pub sibling_numbering: SiblingNumbering,
    /// Ticks a second: 100, 250, 300 or 1000.
    pub hz: u32,
    /// The time of a CPU's first tick is the first multiple of the tick length after 0, plus its
    /// phase. One phase a CPU; a list that is too short is repeated, an empty one means 0.
    pub tick_phases_ns: Vec<u64>,
    /// How fast each CPU does work, of 1024; as the phases. It changes no decision.
    pub capacities: Vec<u32>,
    /// The speed of a hardware thread while a sibling is busy, per mille of its full speed.
    pub smt_speed_per_mille: u32,
    /// What a context switch costs: run time of the task that comes in, which does no work of it.
    pub context_switch_ns: u64,
    /// From a wake-up's preemption check to the switch that it asks for; a task that wakes another
    /// is kept busy as long.
    pub wakeup_ns: u64,
    /// From a tick's or a slice timer's request to the switch.
    pub reschedule_ns: u64,
    /// Each of these two takes longer by a random length below this.
    pub jitter_ns: u64,
    /// What each `run` step costs beyond the work asked for.
    pub run_step_ns: u64,
    /// How much longer than asked each sleep lasts.
    pub sleep_ns: u64,
    /// What the first run after a change of CPU costs, beside the switch.
    pub migration_ns: u64,
    /// What a core-wide pick costs (§6.3): run time of the task that it chooses for its own CPU.
    pub core_pick_ns: u64,
    /// What a newly-idle balance is taken to cost for each CPU it looks at: it decides whether one
    /// is worth while (§5.4), and passes no time.
    pub newidle_cost_per_cpu_ns: u64,
    /// What the caches cost.
    pub cache: Cache,
}

/// The cache model (§7): a task that comes in loads again what of its working set others have
/// displaced. A rate of 0 makes that free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The size of a core's own cache, KiB.
    pub core_kib: u64,
    /// The size of an LLC, KiB.
    pub llc_kib: u64,
    /// Loading a KiB from the LLC, nanoseconds.
    pub llc_ns_per_kib: u64,
    /// Loading a KiB from memory, after a change of LLC, nanoseconds.
    pub memory_ns_per_kib: u64,
}

impl Cache {
    /// Caches that cost nothing.
    pub const FREE: Self = Self { core_kib: 1024, llc_kib: 32_768, llc_ns_per_kib: 0, memory_ns_per_kib: 0 };
}

impl Machine {
    /// One CPU without costs, ticking at `hz` from time 0.
    #[must_use]
    pub const fn ideal(hz: u32) -> Self {
        Self {
            nodes: 1,
            llcs_per_node: 1,
            cores_per_llc: 1,
            threads_per_core: 1,
            sibling_numbering: SiblingNumbering::Split,
            hz,
            tick_phases_ns: Vec::new(),
            capacities: Vec::new(),
            smt_speed_per_mille: 1000,
            context_switch_ns: 0,
            wakeup_ns: 0,
            reschedule_ns: 0,
            jitter_ns: 0,
            run_step_ns: 0,
            sleep_ns: 0,
            migration_ns: 0,
            core_pick_ns: 0,
            newidle_cost_per_cpu_ns: 200,
            cache: Cache::FREE,
        }
    }

    /// How many CPUs there are.
    #[must_use]
    pub const fn cpus(&self) -> u32 {
        self.nodes * self.llcs_per_node * self.cores_per_llc * self.threads_per_core
    }

    /// The CPUs in the order in which forks fill an idle machine (§5.2): nodes take turns, in them
    /// LLCs, in them cores, and second hardware threads come last.
    #[must_use]
    pub fn fork_order(&self) -> Vec<u32> {
        let cores = self.nodes * self.llcs_per_node * self.cores_per_llc;
        let number = |core: u32, thread: u32| match self.sibling_numbering {
            SiblingNumbering::Split => thread * cores + core,
            SiblingNumbering::Adjacent => core * self.threads_per_core + thread,
        };
        let mut order = Vec::with_capacity(self.cpus() as usize);
        for thread in 0..self.threads_per_core {
            for core in 0..self.cores_per_llc {
                for llc in 0..self.llcs_per_node {
                    for node in 0..self.nodes {
                        let llc = node * self.llcs_per_node + llc;
                        order.push(number(llc * self.cores_per_llc + core, thread));
                    }
                }
            }
        }
        order
    }

    /// The length of a tick (scheduler-model §1.2): `(10^9 + HZ/2) / HZ`.
    #[must_use]
    pub const fn tick_ns(&self) -> u64 {
        (1_000_000_000 + self.hz as u64 / 2) / self.hz as u64
    }

    /// The phase of a CPU's tick, nanoseconds.
    #[must_use]
    pub fn tick_phase_ns(&self, cpu: u32) -> u64 {
        repeated(&self.tick_phases_ns, cpu).unwrap_or(0)
    }

    /// The capacity of a CPU, of 1024.
    #[must_use]
    pub fn capacity(&self, cpu: u32) -> u32 {
        repeated(&self.capacities, cpu).unwrap_or(1024)
    }
}

fn repeated<T: Copy>(list: &[T], index: u32) -> Option<T> {
    list.get(index as usize % list.len().max(1)).copied()
}

/// The scheduling policy of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// SCHED_NORMAL, also called SCHED_OTHER.
    #[default]
    Normal,
    /// SCHED_BATCH: its wake-ups preempt nobody.
    Batch,
    /// SCHED_IDLE: weight 3, gives way to everybody.
    Idle,
    /// SCHED_FIFO: before every fair task, until it blocks or yields.
    Fifo {
        /// 1 to 99, higher first.
        priority: u8,
    },
    /// SCHED_RR: the same, in turns of 100 ms with its equals.
    RoundRobin {
        /// 1 to 99, higher first.
        priority: u8,
    },
    /// SCHED_DEADLINE: before all others, by earliest deadline, with a budget each period.
    Deadline {
        /// The budget of a period, nanoseconds.
        runtime_ns: u64,
        /// From the start of a period to its deadline, nanoseconds.
        deadline_ns: u64,
        /// The period, nanoseconds.
        period_ns: u64,
    },
}

/// How a task comes into being at its start time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Birth {
    /// It is forked by whatever runs at that moment.
    #[default]
    Fork,
    /// It existed and slept before: it starts by a wake-up, as rt-app's threads do.
    Wake,
}

/// A control group.
#[derive(Clone, Debug)]
pub struct GroupSpec {
    /// Its path, such as `/a/b`.
    pub path: String,
    /// The index of its parent in [`Input::groups`]; none: the root.
    pub parent: Option<GroupId>,
    /// cpu.weight, 1 to 10000.
    pub weight: u32,
    /// cpu.idle.
    pub idle: bool,
    /// cpu.latency.nice, -20 to 19 (eevdf-rfc only; ignored elsewhere).
    pub latency_nice: i8,
    /// cpu.max, if there is a limit.
    pub max: Option<Bandwidth>,
}

/// A limit of cpu.max.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// Run time a period.
    pub quota_ns: u64,
    /// The period.
    pub period_ns: u64,
    /// Unused quota that may be kept.
    pub burst_ns: u64,
    /// The first expiry of the period timer.
    pub phase_ns: u64,
}

/// A task: one thread.
#[derive(Clone, Debug)]
pub struct TaskSpec {
    /// Its name; instances of one task have different names.
    pub name: String,
    /// What its random draws are seeded with, together with [`Input::seed`]: the same identity
    /// draws the same numbers whatever other tasks there are.
    pub identity: u64,
    /// When it starts.
    pub start_ns: u64,
    /// How it starts.
    pub birth: Birth,
    /// The policy.
    pub policy: Policy,
    /// The nice value, -20 to 19.
    pub nice: i8,
    /// A slice of its own (6.12 and later; ignored before).
    pub slice_ns: Option<u64>,
    /// Latency nice, -20 to 19 (eevdf-rfc only; ignored elsewhere): it becomes the slice.
    pub latency_nice: i8,
    /// The group it is born in; none: the root.
    pub group: Option<GroupId>,
    /// Core-scheduling cookie; 0: none.
    pub cookie: u64,
    /// The CPUs it may run on, ascending; none: all.
    pub cpus: Option<Arc<[u32]>>,
    /// Where it ran last, for one that starts by a wake-up; for a forked one its parent's CPU,
    /// unless a task forks it.
    pub previous_cpu: u32,
    /// What it keeps in the caches, KiB.
    pub working_set_kib: u32,
    /// What it does.
    pub program: Arc<Program>,
}

/// A task that [`Step::Fork`] starts more of: `name-N`, N growing.
#[derive(Clone, Debug)]
pub struct Template {
    /// What is started.
    pub spec: TaskSpec,
    /// The number of the first that is forked.
    pub first_number: u32,
}

/// What a task does. It exits after the last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// How many loop counters [`Step::LoopStart`] uses.
    pub loops: usize,
    /// How many timers of its own [`TimerRef::Own`] uses.
    pub own_timers: usize,
    /// How many positions [`Length::Trace`] uses.
    pub traces: usize,
}

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident),*) => {
        $($(#[$meta])* #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)] pub struct $name(pub u32);)*
    };
}

ids! {
    /// A task, by its place in [`Input::tasks`] (forked ones follow).
    TaskId,
    /// A control group, by its place in [`Input::groups`].
    GroupId,
    /// A mutex.
    MutexId,
    /// A condition variable.
    ConditionId,
    /// A semaphore.
    SemaphoreId,
    /// A barrier, by its place in [`Objects::barriers`].
    BarrierId,
    /// A place where tasks suspend themselves until somebody resumes them.
    SuspensionId,
    /// A timer that several tasks share.
    TimerId,
    /// A template, by its place in [`Input::templates`].
    TemplateId,
    /// A kind of operation whose latency is measured.
    OperationId,
    /// A pipe, by its place in [`Objects::pipes`].
    PipeId
}

/// How many objects of each kind there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// Mutexes.
    pub mutexes: usize,
    /// An unlocked mutex is free, and whoever runs first takes it, as glibc's and InnoDB's are: its
    /// first waiter is only woken. Otherwise it is handed over to the first waiter.
    pub locks_barge: bool,
    /// Condition variables.
    pub conditions: usize,
    /// Semaphores; each starts at 0.
    pub semaphores: usize,
    /// For each barrier, how many tasks must meet.
    pub barriers: Vec<u32>,
    /// Suspension points.
    pub suspensions: usize,
    /// Shared timers.
    pub timers: usize,
    /// Kinds of operation.
    pub operations: usize,
    /// For each pipe, how many messages it holds.
    pub pipes: Vec<u32>,
}

/// A length of time, fixed or drawn anew each time.
#[derive(Clone, Debug, PartialEq)]
pub enum Length {
    /// Always the same.
    Fixed(u64),
    /// Exponential with this mean.
    Exponential {
        /// The mean.
        mean_ns: u64,
    },
    /// Uniform between two lengths, both included.
    Uniform {
        /// The least.
        least_ns: u64,
        /// The most.
        most_ns: u64,
    },
    /// Log-normal.
    LogNormal {
        /// The median.
        median_ns: u64,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
    /// These lengths one after the other, then from the start again.
    Trace {
        /// The lengths; not empty.
        lengths_ns: Arc<[u64]>,
        /// Which of the program's positions it uses.
        position: u32,
    },
}

/// Which timer a [`Step::Timer`] uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerRef {
    /// One that all tasks that name it share.
    Shared(TimerId),
    /// One of the task's own.
    Own(u32),
}

/// What a timer does when its next point is past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerMode {
    /// The next point restarts at now.
    Relative,
    /// The grid stays; late points fire at once.
    Absolute,
}

/// One step of a program. A step of length 0 takes no time and is passed at once.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// That much work at full speed of one CPU.
    Run(Length),
    /// Busy until that much wall time has passed since the step began.
    Runtime(Length),
    /// Block, and be woken that much later.
    Sleep(Length),
    /// Sleep until the timer's next point.
    Timer {
        /// Which timer.
        timer: TimerRef,
        /// The distance between points.
        period_ns: u64,
        /// What happens when the point is past.
        mode: TimerMode,
    },
    /// Take a mutex; block while another holds it, first in first out.
    Lock(MutexId),
    /// Release a mutex.
    Unlock(MutexId),
    /// Release the mutex, block until signalled, take the mutex again.
    Wait {
        /// The condition.
        condition: ConditionId,
        /// The mutex.
        mutex: MutexId,
    },
    /// Wake the first waiter.
    Signal(ConditionId),
    /// Wake all waiters.
    Broadcast(ConditionId),
    /// Block until somebody resumes this point.
    Suspend(SuspensionId),
    /// Wake all who are suspended there now.
    Resume(SuspensionId),
    /// Add one to a semaphore, or wake its first waiter.
    SemaphorePost(SemaphoreId),
    /// Take one from a semaphore, or block.
    SemaphoreWait(SemaphoreId),
    /// Block until all have met.
    Barrier(BarrierId),
    /// Put a message into a pipe; block while it is full. A write into an empty pipe wakes the
    /// first reader, synchronously (WF_SYNC).
    PipeWrite(PipeId),
    /// Take a message out of a pipe; block while it is empty. A read from a full pipe wakes the
    /// first writer, synchronously.
    PipeRead(PipeId),
    /// sched_yield.
    Yield,
    /// Start one more task of a template.
    Fork(TemplateId),
    /// Change the own nice value.
    Nice(i8),
    /// Change the own policy, nice value and slice, as sched_setattr does.
    Attributes {
        /// The policy.
        policy: Policy,
        /// The nice value.
        nice: i8,
        /// The slice; none: the default one.
        slice_ns: Option<u64>,
    },
    /// Move to another group; none: the root.
    Move(Option<GroupId>),
    /// sched_setaffinity of the own task: the CPUs, ascending; none: all.
    Affinity(Option<Arc<[u32]>>),
    /// Take another core-scheduling cookie; 0: none.
    Cookie(u64),
    /// Write cpu.weight of a group.
    Weight(GroupId, u32),
    /// An operation begins.
    OperationBegin(OperationId),
    /// The operation ends; its latency is recorded.
    OperationEnd(OperationId),
    /// Note the instant among [`Record::marks`](crate::Record::marks), under this number. Takes no time
    /// and changes nothing.
    Mark(u32),
    /// The steps up to the matching [`Step::LoopEnd`] are done `times` times (none: for ever).
    LoopStart {
        /// Which of the program's counters it uses.
        counter: u32,
        /// How often; none: for ever. 0 skips the loop.
        times: Option<u64>,
        /// The index of the matching end.
        end: u32,
    },
    /// The end of the loop that starts at the index `start`.
    LoopEnd {
        /// The index of the matching start.
        start: u32,
    },
}

/// A change made from outside the tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideEvent {
    /// When.
    pub at_ns: u64,
    /// What.
    pub change: Change,
}

/// What an [`OutsideEvent`] changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// cpu.weight of a group.
    Weight(GroupId, u32),
    /// cpu.idle of a group.
    Idle(GroupId, bool),
    /// cpu.max and cpu.max.burst of a group.
    Max {
        /// The group.
        group: GroupId,
        /// Run time a period, nanoseconds; none: no limit.
        quota_ns: Option<u64>,
        /// The period, nanoseconds, above 0.
        period_ns: u64,
        /// Unused quota that may be kept, nanoseconds.
        burst_ns: u64,
    },
    /// A task moves to a group; none: the root.
    Move(TaskId, Option<GroupId>),
}

impl Input {
    /// An input without tasks.
    #[must_use]
    pub fn new(kernel: Kernel, machine: Machine, until_ns: u64) -> Self {
        Self {
            kernel,
            machine,
            groups: Vec::new(),
            tasks: Vec::new(),
            templates: Vec::new(),
            objects: Objects::default(),
            events: Vec::new(),
            until_ns,
            warmup_ns: 0,
            seed: 0,
            record_budget: 0,
        }
    }
}

impl TaskSpec {
    /// A SCHED_NORMAL task of nice 0 that is forked at time 0 into the root group.
    #[must_use]
    pub fn new(name: &str, program: Arc<Program>) -> Self {
        Self {
            name: name.to_owned(),
            identity: xxhash_rust::xxh3::xxh3_64(name.as_bytes()),
            start_ns: 0,
            birth: Birth::Fork,
            policy: Policy::Normal,
            nice: 0,
            slice_ns: None,
            latency_nice: 0,
            group: None,
            cookie: 0,
            cpus: None,
            previous_cpu: 0,
            working_set_kib: 0,
            program,
        }
    }
}
