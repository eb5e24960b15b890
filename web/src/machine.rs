//! The machine of a scenario as the page draws it.
//! Not for the engine's view of it.

use schedlab_scenario::{Machine, Scenario};
use schedlab_sim::SiblingNumbering;
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
