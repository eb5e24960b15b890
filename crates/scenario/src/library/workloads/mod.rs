//! The workloads of the library, by kind of program.

mod cpu;
mod messages;

use super::recipe::Recipe;

/// All workloads, in the order of the families.
#[must_use]
pub fn workloads() -> &'static [Recipe] {
    &ALL
}

/// The workload of that name.
#[must_use]
pub fn workload(name: &str) -> Option<Recipe> {
    ALL.iter().find(|recipe| recipe.name == name).copied()
}

static ALL: [Recipe; 2] = [cpu::HOGS, messages::HACKBENCH];
