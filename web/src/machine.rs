//! The machine of a scenario as the page draws it and the worker reads it.
//! Not for the engine's view of it.

use schedlab_scenario::{Machine, Scenario};
use schedlab_sim::SiblingNumbering;
use schedlab_sim::kernel::CoreScheduling;
use schedlab_view::topology::Shape;

/// The counts of a document's machine.
#[must_use]
pub(crate) fn described(machine: &Machine) -> Shape {
    Shape {
        nodes: machine.nodes,
        llcs_per_node: machine.llcs_per_node,
        cores_per_llc: machine.cores_per_llc,
        threads_per_core: machine.threads_per_core,
        adjacent: machine.sibling_numbering == SiblingNumbering::Adjacent,
    }
}

/// The machine that a variant's kernel sees: with `nosmt` one thread a core.
#[must_use]
pub(crate) fn in_use(scenario: &Scenario) -> Shape {
    let shape = described(&scenario.machine);
    if scenario.kernel.nosmt { Shape { threads_per_core: 1, ..shape } } else { shape }
}

/// The CPUs of each core, where core scheduling may leave one idle that has tasks.
#[must_use]
pub(crate) fn forcing_cores(scenario: &Scenario) -> Vec<Vec<u32>> {
    let shape = in_use(scenario);
    if scenario.kernel.core_sched == CoreScheduling::Off || shape.threads_per_core < 2 {
        return Vec::new();
    }
    (0..shape.cores()).map(|core| shape.of_core(core)).collect()
}
