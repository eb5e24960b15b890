//! A workload of the library: a function from parameters to a scenario.

use schedlab_sim::kernel::Release;

use crate::document::{Machine, Scenario, Variant};
use crate::problem::Problem;
use crate::workload::{Task, Workload};

use super::parameter::{Parameter, ParameterKind, Values};

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
    /// Makes its tasks for a machine of so many CPUs.
    pub(super) tasks: fn(&Values, u32) -> Vec<Task>,
}

/// The parameters that every workload has.
const MACHINE_PARAMETERS: [Parameter; 3] = [
    Parameter {
        name: "cpus",
        text: "CPUs of the machine, which share a last-level cache",
        kind: ParameterKind::Number { least: 1, most: 512, unit: "" },
        default: "8",
    },
    Parameter {
        name: "hz",
        text: "ticks a second",
        kind: ParameterKind::Choice(&["100", "250", "300", "1000"]),
        default: "250",
    },
    Parameter {
        name: "duration",
        text: "simulated time",
        kind: ParameterKind::Number { least: 10, most: 3_600_000, unit: "ms" },
        default: "1000",
    },
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
            workload: Workload { tasks: (self.tasks)(&values, cpus), ..Workload::default() },
            variants: vec![Variant::of_release(Release::V6_5), Variant::of_release(Release::V6_12)],
            ..Scenario::default()
        };
        scenario.run.duration_ms = Some(values.number("duration"));
        Ok(scenario)
    }
}
