//! Machine and kernel of a document as the engine takes them, and what of them is not modelled yet.

use schedlab_sim::Machine as SimMachine;
use schedlab_sim::kernel::{Acts, Feature, Kernel as SimKernel, Release};

use crate::document::{CoreSched, Kernel, Machine, Tick};
use crate::problem::Problem;

/// The machine. More than one CPU is an error: the results would be wrong.
pub(super) fn machine(machine: &Machine, found: &mut Vec<Problem>) -> SimMachine {
    let cpus = machine.cpus();
    if cpus != 1 {
        let message = format!("{cpus} CPUs are not modelled yet; the counts of `machine` must all be 1");
        found.push(Problem::error("machine", message));
    }
    let mut phase = 0;
    if let Tick::Phases(phases) = &machine.tick {
        if phases.len() as u64 != cpus {
            let message = format!("expected one phase a CPU: {cpus}, not {}", phases.len());
            found.push(Problem::error("machine.tick", message));
        }
        phase = phases.first().copied().unwrap_or(0);
    }
    let named = [
        ("smt_speed", machine.smt_speed.is_some()),
        ("migration_ns", machine.migration_ns.is_some()),
        ("cache", machine.cache.is_some()),
    ];
    for (key, _) in named.into_iter().filter(|&(_, named)| named) {
        found.push(Problem::notice(format!("machine.{key}"), format!("`{key}` is not modelled yet; it has no effect")));
    }
    SimMachine {
        hz: machine.hz,
        tick_phases_ns: vec![phase],
        context_switch_ns: machine.context_switch_ns,
        wakeup_ns: machine.wakeup_ns,
        run_step_ns: machine.run_step_ns,
        sleep_ns: machine.sleep_ns,
        ..SimMachine::ideal(machine.hz)
    }
}

/// The kernel: a release that is modelled, with flags and tunables that it has.
pub(super) fn kernel(kernel: &Kernel, machine: &Machine, found: &mut Vec<Problem>) -> SimKernel {
    let release = kernel.release;
    if !release.is_modelled() {
        let names: Vec<&str> = Release::MODELLED.iter().map(|release| release.name()).collect();
        let message = format!("{} is not modelled yet; modelled: {}", release.name(), names.join(", "));
        found.push(Problem::error("kernel.release", message));
    }
    if release.checked_against().is_none() {
        let message = format!("{} follows the rules but was not checked against a kernel", release.name());
        found.push(Problem::notice("kernel.release", message));
    }
    let mut result = SimKernel::new(release, u32::try_from(machine.cpus()).unwrap_or(u32::MAX));
    for (&feature, &on) in &kernel.features {
        let path = format!("kernel.features.{}", feature.name());
        if let Err(error) = result.set_feature(feature, on) {
            found.push(Problem::error(path, error.to_string()));
        } else if let Some(problem) = idle_feature(feature, on, release, &path) {
            found.push(problem);
        }
    }
    for (&tunable, &value) in &kernel.tunables {
        if let Err(error) = result.set_tunable(tunable, value) {
            found.push(Problem::error(format!("kernel.tunables.{}", tunable.info().name), error.to_string()));
        }
    }
    if let Some(model) = kernel.preempt
        && let Err(error) = result.set_preemption(model)
    {
        found.push(Problem::error("kernel.preempt", error.to_string()));
    }
    let named = [("core_sched", kernel.core_sched != CoreSched::Off), ("nosmt", kernel.nosmt)];
    for (key, _) in named.into_iter().filter(|&(_, named)| named) {
        found.push(Problem::notice(format!("kernel.{key}"), format!("`{key}` is not modelled yet; it has no effect")));
    }
    result
}

/// What there is to say of a flag that a document sets against its default: those that act between
/// CPUs have nothing to do on one.
fn idle_feature(feature: Feature, on: bool, release: Release, path: &str) -> Option<Problem> {
    let name = feature.name();
    if feature.default_in(release) == Some(on) {
        return None;
    }
    match feature.info().acts {
        Acts::OneCpu => None,
        Acts::ManyCpus => Some(Problem::notice(path, format!("{name} has no effect on a machine of one CPU"))),
        Acts::Nothing => Some(Problem::notice(path, format!("{name} changes nothing that is modelled"))),
    }
}
