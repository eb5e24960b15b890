//! SKELETON, being written.
use crate::error::{InputError, RunError};
use crate::input::Input;
use crate::output::Run;

/// The most tasks a run may have, forked ones included.
pub const MAX_TASKS: usize = 20_000;

/// How far [`Simulation::run_until`] goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// It returns before simulated time passes this, nanoseconds.
    pub time_ns: u64,
    /// It returns after about this many events.
    pub events: u64,
}

impl Limit {
    /// To the end of the run.
    #[must_use]
    pub const fn end() -> Self {
        Self { time_ns: u64::MAX, events: u64::MAX }
    }

    /// At most this many events.
    #[must_use]
    pub const fn events(events: u64) -> Self {
        Self { time_ns: u64::MAX, events }
    }
}

/// How a slice of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to simulate.
    Running,
    /// The end of the run was reached.
    Done,
}

/// A run in progress.
#[derive(Debug)]
pub struct Simulation(Input);

impl Simulation {
    /// Prepares a run.
    ///
    /// # Errors
    /// [`InputError`] when a value is out of range or a reference leads nowhere.
    pub fn new(input: Input) -> Result<Self, InputError> {
        Ok(Self(input))
    }

    /// Simulates up to the limit or the end.
    ///
    /// # Errors
    /// [`RunError`] when the scenario spins or misuses an object; the run cannot go on then.
    pub fn run_until(&mut self, _limit: Limit) -> Result<Progress, RunError> {
        Ok(Progress::Done)
    }

    /// The simulated time reached, nanoseconds.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        0
    }

    /// The simulated end, nanoseconds.
    #[must_use]
    pub fn until_ns(&self) -> u64 {
        self.0.until_ns
    }

    /// Closes the books and gives the result.
    #[must_use]
    pub fn finish(self) -> Run {
        unimplemented!()
    }
}
