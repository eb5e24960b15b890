//! A run from outside: prepared, driven in slices, looked at, closed.
//! Not for what happens inside: that is [`super::Core`].

use super::{Core, validate};
use crate::error::{InputError, RunError};
use crate::explain::Moment;
use crate::fair::{Cfs, Eevdf};
use crate::input::Input;
use crate::kernel::Class;
use crate::output::{Counters, EndState, Run};

/// How far [`Simulation::run_until`] goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// It returns before simulated time passes this, nanoseconds.
    pub time_ns: u64,
    /// It returns after this many events.
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

/// A run in progress. A clone goes on independently.
#[derive(Clone, Debug)]
pub struct Simulation(Flavour);

#[derive(Clone, Debug)]
enum Flavour {
    Cfs(Box<Core<Cfs>>),
    Eevdf(Box<Core<Eevdf>>),
}

macro_rules! with_core {
    ($simulation:expr, $core:ident => $body:expr) => {
        match $simulation {
            Flavour::Cfs($core) => $body,
            Flavour::Eevdf($core) => $body,
        }
    };
}

impl Simulation {
    /// Prepares a run.
    ///
    /// # Errors
    /// [`InputError`] when a value is out of range or a reference leads nowhere.
    pub fn new(input: Input) -> Result<Self, InputError> {
        validate::check(&input)?;
        Ok(Self(match input.kernel.release().class() {
            Class::Cfs => Flavour::Cfs(Box::new(Core::new(input))),
            Class::Eevdf => Flavour::Eevdf(Box::new(Core::new(input))),
        }))
    }

    /// Simulates up to the limit or the end. Slices of any size give the same run.
    ///
    /// # Errors
    /// [`RunError`] when the scenario spins or misuses an object; the run cannot go on then.
    pub fn run_until(&mut self, limit: Limit) -> Result<Progress, RunError> {
        with_core!(&mut self.0, core => core.run_until(limit))
    }

    /// The simulated time reached, nanoseconds.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        with_core!(&self.0, core => core.now)
    }

    /// The simulated end, nanoseconds.
    #[must_use]
    pub fn until_ns(&self) -> u64 {
        with_core!(&self.0, core => core.input.until_ns)
    }

    /// Switches simulated so far.
    #[must_use]
    pub fn total_switches(&self) -> u64 {
        with_core!(&self.0, core => core.statistics.total_switches)
    }

    /// The scheduler's counters from the start of the run.
    #[must_use]
    pub fn counters(&self) -> Counters {
        with_core!(&self.0, core => core.counters())
    }

    /// The scheduler's state now: nothing is charged for it.
    #[must_use]
    pub fn end_state(&self) -> EndState {
        with_core!(&self.0, core => core.end_state())
    }

    /// Events simulated so far.
    #[must_use]
    pub fn total_events(&self) -> u64 {
        with_core!(&self.0, core => core.total_events)
    }

    /// When schedule() was last entered or a task last woke; none: never.
    #[must_use]
    pub fn last_decision_ns(&self) -> Option<u64> {
        with_core!(&self.0, core => core.last_decision)
    }

    /// Tasks that exist so far.
    pub(crate) fn task_count(&self) -> usize {
        with_core!(&self.0, core => core.tasks.len())
    }

    /// A copy that goes on without record and statistics.
    pub(crate) fn bare_copy(&self) -> Self {
        Self(match &self.0 {
            Flavour::Cfs(core) => Flavour::Cfs(Box::new(core.bare_copy())),
            Flavour::Eevdf(core) => Flavour::Eevdf(Box::new(core.bare_copy())),
        })
    }

    /// Runs on as [`Self::run_until`] does and answers what happened on the way, with the queues that
    /// each decision saw.
    ///
    /// # Errors
    /// As [`Self::run_until`].
    pub fn observe(&mut self, limit: Limit) -> Result<Vec<Moment>, RunError> {
        with_core!(&mut self.0, core => {
            core.observed = Some(Vec::new());
            core.run_until(limit)?;
            Ok(core.observed.take().unwrap_or_default())
        })
    }

    /// Closes the books and gives the result.
    #[must_use]
    pub fn finish(self) -> Run {
        with_core!(self.0, core => core.finish())
    }
}
