//! A workload of the library: a function from parameters to a scenario.

use schedlab_sim::kernel::Release;

use crate::document::{Machine, Scenario, Variant};
use crate::problem::Problem;

use super::parameter::{Parameter, Values};

/// A workload of the library.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its name.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What the real program does, and which part of it is modelled.
    pub text: &'static str,
    /// Its own parameters; [`MACHINE_PARAMETERS`] come on top.
    pub(super) own: &'static [Parameter],
    /// Gives its tasks, and what differs of the machine, to a scenario that has the machine.
    pub(super) make: fn(&Values, &mut Scenario),
}

/// The parameters that every workload has.
const MACHINE_PARAMETERS: [Parameter; 3] = [
    Parameter::number("cpus", "CPUs of the machine, which share a last-level cache", (1, 512), "", "8"),
    Parameter::choice("hz", "ticks a second", &["250", "100", "300", "1000"]),
    Parameter::number("duration", "simulated time", (10, 3_600_000), "ms", "1000"),
];

impl Recipe {
    /// All its parameters: its own first.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        self.own.iter().copied().chain(MACHINE_PARAMETERS).collect()
    }

    /// The scenario with these parameters, the defaults for the others: 6.5 beside 6.12.
    ///
    /// # Errors
    /// A parameter that is not known, is there twice, or is out of its range.
    pub fn scenario(&self, given: &[(&str, &str)]) -> Result<Scenario, Problem> {
        let values = Values::of(&self.parameters(), given)?;
        let cpus = values.count("cpus");
        let machine = Machine {
            cores_per_llc: cpus,
            hz: values.choice("hz").parse().unwrap_or(250),
            context_switch_ns: 1_000,
            wakeup_ns: 1_000,
            migration_ns: 2_000,
            ..Machine::default()
        };
        let mut scenario = Scenario {
            title: self.title.to_owned(),
            notes: self.text.to_owned(),
            machine,
            variants: vec![Variant::of_release(Release::V6_5), Variant::of_release(Release::V6_12)],
            ..Scenario::default()
        };
        scenario.run.duration_ms = Some(values.number("duration"));
        (self.make)(&values, &mut scenario);
        Ok(scenario)
    }
}
