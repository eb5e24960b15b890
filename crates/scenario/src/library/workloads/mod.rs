//! The workloads of the library, by kind of program. A file is a family; what they share is in
//! [`super::build`].

mod cpu;
mod desktop;
mod messages;
mod mysql;
mod servers;
mod stress;

use super::recipe::Recipe;

/// All workloads, family by family.
#[must_use]
pub fn workloads() -> &'static [Recipe] {
    &ALL
}

/// The workload of that name.
#[must_use]
pub fn workload(name: &str) -> Option<Recipe> {
    ALL.iter().find(|recipe| recipe.name == name).copied()
}

static ALL: [Recipe; 23] = [
    cpu::HOGS,
    cpu::MASSIVE_INTR,
    cpu::CYCLICTEST,
    cpu::PARENT_CHILD,
    cpu::SYSBENCH_AVX,
    messages::HACKBENCH,
    messages::SCHBENCH,
    messages::SCHBENCH_2016,
    messages::SCHED_PIPE,
    messages::CONTEXT1,
    messages::NETPERF,
    messages::TBENCH,
    stress::SWITCH,
    stress::PIPE,
    stress::FUTEX,
    stress::NANOSLEEP,
    stress::FORK,
    stress::SPAWN,
    mysql::MYSQL,
    servers::SPECJBB,
    servers::KERNEL_BUILD,
    desktop::BROWSER,
    desktop::VIDEO,
];
