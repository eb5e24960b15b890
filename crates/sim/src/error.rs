//! What can be wrong with an input or go wrong in a run.

/// What is wrong with an [`crate::Input`]. Documents are checked before; this is the last net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// A value outside its range.
    #[error("{what} must be {expected}, not {value}")]
    OutOfRange {
        /// Which value.
        what: String,
        /// What was expected.
        expected: &'static str,
        /// What was given.
        value: String,
    },
    /// A reference to something that is not there.
    #[error("{what} does not exist")]
    Missing {
        /// What is referred to.
        what: String,
    },
}

/// What can go wrong while a scenario runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Steps follow each other without time passing.
    #[error("{task} does steps for ever without time passing (at {at_ns} ns, step {step})")]
    Spin {
        /// The task.
        task: String,
        /// When, nanoseconds.
        at_ns: u64,
        /// The index of the step in its program.
        step: usize,
    },
    /// A mutex was unlocked by a task that does not hold it.
    #[error("{task} unlocks a mutex that it does not hold (at {at_ns} ns, step {step})")]
    NotHolder {
        /// The task.
        task: String,
        /// When, nanoseconds.
        at_ns: u64,
        /// The index of the step in its program.
        step: usize,
    },
    /// Forks made more tasks than there may be.
    #[error("more than {limit} tasks exist (at {at_ns} ns, {task} forks one more)")]
    TooManyTasks {
        /// The forking task.
        task: String,
        /// When, nanoseconds.
        at_ns: u64,
        /// The limit.
        limit: usize,
    },
}
