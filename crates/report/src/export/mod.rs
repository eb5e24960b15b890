//! A run's record as other tools read it: ftrace text, Perfetto, Chrome's JSON, CSV and JSON.
//! Not for workloads: `schedlab-scenario` exports those for rt-app.

mod chrome;
mod event;
mod ftrace;
mod perfetto;
mod table;

pub use chrome::{LagSample, chrome, lag_samples};
pub use ftrace::ftrace;
pub use perfetto::perfetto;
pub use table::{events_csv, events_json};

use schedlab_sim::{IDLE, Input, Policy, Run, TaskId};

use crate::summarize::FIRST_TID;

/// The tasks of a run as traces name them.
#[derive(Clone, Debug)]
pub struct Traced {
    tasks: Vec<Thread>,
    /// Priorities of the tasks of the input that are not fair ones.
    priorities: Vec<Option<i32>>,
}

/// One task.
#[derive(Clone, Debug)]
struct Thread {
    comm: String,
    tid: u32,
    /// As kernels number them: 120 + nice, real-time ones 99 down to 0, deadline -1.
    prio: i32,
}

impl Traced {
    /// What must be known of an input before it goes to the engine.
    #[must_use]
    pub fn of(input: &Input) -> Self {
        let priority = |policy| match policy {
            Policy::Fifo { priority } | Policy::RoundRobin { priority } => Some(99 - i32::from(priority)),
            Policy::Deadline { .. } => Some(-1),
            Policy::Normal | Policy::Batch | Policy::Idle => None,
        };
        let priorities = input.tasks.iter().map(|task| priority(task.policy)).collect();
        Self { tasks: Vec::new(), priorities }
    }

    /// The same with the tasks of the finished run, forked ones included.
    #[must_use]
    pub fn with_tasks_of(self, run: &Run) -> Self {
        let thread = |(index, task): (usize, &schedlab_sim::TaskResult)| Thread {
            comm: task.name.clone(),
            tid: FIRST_TID.saturating_add(index as u32),
            prio: self.priorities.get(index).copied().flatten().unwrap_or(120 + i32::from(task.nice)),
        };
        Self { tasks: run.tasks.iter().enumerate().map(thread).collect(), priorities: self.priorities.clone() }
    }

    /// The task; none for the idle thread.
    fn get(&self, task: TaskId) -> Option<&Thread> {
        if task == IDLE { None } else { self.tasks.get(task.0 as usize) }
    }
}

#[cfg(test)]
mod fixture {
    //! The record of `crate::fixture`, with what an export must know.

    use schedlab_sim::Entry;

    use super::{Thread, Traced};

    /// gcc of nice 0 and make of nice -5.
    pub(super) fn traced() -> Traced {
        let thread = |comm: &str, tid, prio| Thread { comm: comm.to_owned(), tid, prio };
        Traced { tasks: vec![thread("gcc", 1000, 120), thread("make", 1001, 115)], priorities: Vec::new() }
    }

    pub(super) fn entries() -> impl Iterator<Item = Entry> {
        crate::fixture::entries().into_iter()
    }
}
