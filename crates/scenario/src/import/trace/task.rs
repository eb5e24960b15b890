//! A task of a trace: what it did, step by step, and what is counted of it.
//! Not for following events: `recover` does that.

use std::collections::HashMap;

use schedlab_sim::Histogram;

/// A task, by its place among all tasks of the trace.
pub(super) type Index = u32;

/// What a task did. Times are nanoseconds of its own CPU time or of sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It ran.
    Run(u64),
    /// It slept so long and was woken so.
    Block { ns: u64, by: Waker },
    /// It woke another.
    Post { wakee: Index, sure: bool },
    /// It left the CPU runnable, at that time of the trace, and no wake-up explains it: it was
    /// preempted by the tick, or it yielded.
    Left { at_ns: u64, cpu: u32 },
    /// It forked another.
    Fork(Index),
    /// Its nice value changed.
    Nice(i8),
    /// What turned out to be nothing.
    Nothing,
}

/// Who woke a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waker {
    /// An interrupt: a timer or a device.
    Interrupt,
    /// A task ran when the wake-up came; sure when the flags say that it was the task itself.
    Task { task: Index, sure: bool },
    /// The trace does not have the wake-up.
    Unseen,
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It was only named so far.
    Unseen,
    Sleeping {
        since: u64,
    },
    Runnable {
        since: u64,
        why: Why,
    },
    Running {
        since: u64,
        cpu: u32,
    },
    /// Events were lost; what it did since is not known.
    Lost {
        since: u64,
    },
    Gone,
}

/// Why a task is runnable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It was preempted, or runnable from the start.
    Left,
    /// `sched_waking` was seen.
    Waking,
    /// `sched_wakeup` was seen, or it was forked.
    Woken,
}

/// How a task begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// It ran, or waited to, when the trace began.
    Already,
    /// It slept; its first step says how long.
    Woken,
    /// It was forked then, nanoseconds of the trace's clock.
    Forked { at_ns: u64, parent: Option<Index> },
}

/// What is counted of a task.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub runtime_ns: u64,
    /// Times scheduled in.
    pub switches: u64,
    /// Times scheduled out while runnable.
    pub preempted: u64,
    pub wakeups: u64,
    pub wake_delay: Histogram,
}

/// A wake-up that came before the task had left the CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub by: Waker,
    /// The step of the waker that says so.
    pub post: Option<(Index, usize)>,
}

/// A task of the trace.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub pid: u32,
    pub comm: Vec<u8>,
    /// The kernel's priority when it was first told.
    pub first_prio: Option<i32>,
    pub prio: Option<i32>,
    pub steps: Vec<Step>,
    /// CPU time since the last step.
    pub run_ns: u64,
    pub state: State,
    pub begin: Begin,
    /// Where it was before its first run.
    pub previous_cpu: Option<u32>,
    /// CPU time by CPU.
    pub on_cpus: Vec<(u32, u64)>,
    pub pending: Option<Pending>,
    pub exited: bool,
    /// How often it went to sleep.
    pub blocks: u64,
    pub counts: Counts,
    /// Wake-ups of it of which the trace does not say whether the running task (none: the idle
    /// thread) made them or a timer: by the running task and CPU.
    pub unsure: HashMap<(Option<Index>, u32), u32>,
}

impl Task {
    /// A task at its first event.
    pub fn new(pid: u32, comm: &[u8], prio: Option<i32>) -> Self {
        Self {
            pid,
            comm: comm.to_vec(),
            first_prio: prio,
            prio,
            steps: Vec::new(),
            run_ns: 0,
            state: State::Unseen,
            begin: Begin::Already,
            previous_cpu: None,
            on_cpus: Vec::new(),
            pending: None,
            exited: false,
            blocks: 0,
            counts: Counts::default(),
            unsure: HashMap::new(),
        }
    }

    /// Takes over what an event says of it.
    pub fn rename(&mut self, comm: &[u8]) {
        if self.comm != comm {
            self.comm.clear();
            self.comm.extend_from_slice(comm);
        }
    }

    /// Adds CPU time.
    pub fn ran(&mut self, cpu: u32, ns: u64) {
        self.run_ns += ns;
        self.counts.runtime_ns += ns;
        match self.on_cpus.iter_mut().find(|(number, _)| *number == cpu) {
            Some((_, total)) => *total += ns,
            None => self.on_cpus.push((cpu, ns)),
        }
    }

    /// CPU time on a CPU.
    pub fn time_on(&self, cpu: u32) -> u64 {
        self.on_cpus.iter().find(|(number, _)| *number == cpu).map_or(0, |(_, ns)| *ns)
    }

    /// Ends the run so far, so that another step can follow.
    pub fn end_run(&mut self) {
        if self.run_ns > 0 {
            self.steps.push(Step::Run(self.run_ns));
            self.run_ns = 0;
        }
    }

    /// The name that the trace has for it.
    pub fn name(&self) -> String {
        let name = String::from_utf8_lossy(&self.comm);
        if name.is_empty() { format!("pid {}", self.pid) } else { name.into_owned() }
    }
}
