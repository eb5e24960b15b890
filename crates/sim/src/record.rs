//! The record of switches and wake-ups: struct of arrays, 15 bytes an entry, a fixed budget.
//! Not for statistics: those go on when the budget is used up.

use crate::input::TaskId;
use crate::reason::Reason;

/// Stands for the idle thread where a task is expected.
pub const IDLE: TaskId = TaskId(u32::MAX);

/// What one entry of the record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A context switch.
    Switch {
        /// When, nanoseconds.
        at_ns: u64,
        /// On which CPU.
        cpu: u16,
        /// Who left ([`IDLE`]: the idle thread).
        prev: TaskId,
        /// Who came.
        next: TaskId,
        /// Why `prev` left.
        reason: Reason,
    },
    /// A task became runnable by a wake-up.
    Wakeup {
        /// When, nanoseconds.
        at_ns: u64,
        /// On which CPU it was put.
        cpu: u16,
        /// Who.
        task: TaskId,
    },
    /// A task was forked.
    Fork {
        /// When, nanoseconds.
        at_ns: u64,
        /// On which CPU it was put.
        cpu: u16,
        /// The new task.
        task: TaskId,
    },
}

impl Entry {
    /// When it happened, nanoseconds.
    #[must_use]
    pub const fn at_ns(&self) -> u64 {
        match *self {
            Self::Switch { at_ns, .. } | Self::Wakeup { at_ns, .. } | Self::Fork { at_ns, .. } => at_ns,
        }
    }
}

/// An instant that a program noted ([`crate::Step::Mark`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When, nanoseconds.
    pub at_ns: u64,
    /// Whose program.
    pub task: TaskId,
    /// The number of the step.
    pub number: u32,
}

/// A stretch of time in which a CPU was forced idle: it had tasks, and its core ran another cookie
/// (§6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedIdle {
    /// The CPU.
    pub cpu: u16,
    /// The beginning, nanoseconds.
    pub from_ns: u64,
    /// The end, nanoseconds; later than the beginning.
    pub to_ns: u64,
}

const WAKEUP: u8 = u8::MAX;
const FORK: u8 = u8::MAX - 1;

/// Switches and wake-ups in order of time, until the budget is used up.
#[derive(Clone, Debug, Default)]
pub struct Record {
    times: Vec<u64>,
    tasks: Vec<u32>,
    cpus: Vec<u16>,
    kinds: Vec<u8>,
    marks: Vec<Mark>,
    forced_idle: Vec<ForcedIdle>,
    budget: usize,
    full: bool,
}

impl Record {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Entries kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Whether the budget was used up, so that later entries are missing.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) fn switch(&mut self, at_ns: u64, cpu: u16, next: TaskId, reason: Reason) {
        self.push(at_ns, cpu, next, reason as u8);
    }

    pub(crate) fn wakeup(&mut self, at_ns: u64, cpu: u16, task: TaskId) {
        self.push(at_ns, cpu, task, WAKEUP);
    }

    pub(crate) fn fork(&mut self, at_ns: u64, cpu: u16, task: TaskId) {
        self.push(at_ns, cpu, task, FORK);
    }

    pub(crate) fn mark(&mut self, mark: Mark) {
        if self.marks.len() >= self.budget {
            self.full = true;
            return;
        }
        self.marks.push(mark);
    }

    pub(crate) fn forced_idle_was(&mut self, forced: ForcedIdle) {
        if self.forced_idle.len() >= self.budget {
            self.full |= self.budget > 0;
            return;
        }
        self.forced_idle.push(forced);
    }

    /// When CPUs were forced idle, in the order in which that ended. The budget counts for them too,
    /// by themselves.
    #[must_use]
    pub fn forced_idle(&self) -> &[ForcedIdle] {
        &self.forced_idle
    }

    /// What programs noted, in order. The budget counts for marks too, by themselves.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    fn push(&mut self, at_ns: u64, cpu: u16, task: TaskId, kind: u8) {
        if self.times.len() >= self.budget {
            self.full = true;
            return;
        }
        self.times.push(at_ns);
        self.tasks.push(task.0);
        self.cpus.push(cpu);
        self.kinds.push(kind);
    }

    /// The entries in order. Who left at a switch is who came at the CPU's last one.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        let mut running: Vec<TaskId> = Vec::new();
        (0..self.times.len()).map(move |index| {
            let (at_ns, cpu, task) = (self.times[index], self.cpus[index], TaskId(self.tasks[index]));
            match self.kinds[index] {
                WAKEUP => Entry::Wakeup { at_ns, cpu, task },
                FORK => Entry::Fork { at_ns, cpu, task },
                kind => {
                    if running.len() <= usize::from(cpu) {
                        running.resize(usize::from(cpu) + 1, IDLE);
                    }
                    let prev = std::mem::replace(&mut running[usize::from(cpu)], task);
                    let reason = Reason::ALL[usize::from(kind)];
                    Entry::Switch { at_ns, cpu, prev, next: task, reason }
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_a_budget_of_their_own() {
        let mut record = Record::new(1);
        record.wakeup(5, 0, TaskId(0));
        let mark = Mark { at_ns: 7, task: TaskId(0), number: 3 };
        record.mark(mark);
        assert!(!record.is_full());
        record.mark(Mark { at_ns: 9, ..mark });
        assert!(record.is_full());
        assert_eq!((record.len(), record.marks()), (1, &[mark][..]));
    }
}
