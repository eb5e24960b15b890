//! Machine and kernel of a document as the engine takes them, and what of them has no effect or was
//! checked against no kernel.

use schedlab_sim::kernel::{Acts, CoreScheduling, Feature, Kernel as SimKernel, Release};
use schedlab_sim::{Cache, Machine as SimMachine, SiblingNumbering};

use crate::document::{Kernel, MOST_CPUS, Machine, Scenario, Tick};
use crate::problem::Problem;

/// The machine, as far as it is in use: `nosmt` leaves the first thread of each core.
pub(super) fn machine(scenario: &Scenario, found: &mut Vec<Problem>) -> SimMachine {
    let machine = &scenario.machine;
    if !(1..=MOST_CPUS).contains(&machine.cpus()) {
        let message = format!("expected 1 to {MOST_CPUS} CPUs, not {}", machine.cpus());
        found.push(Problem::error("machine", message));
        return SimMachine::ideal(machine.hz);
    }
    notices(scenario, found);
    let online = u32::try_from(scenario.online_cpus()).unwrap_or(u32::MAX);
    let in_use = InUse { machine, nosmt: scenario.kernel.nosmt };
    SimMachine {
        nodes: machine.nodes,
        llcs_per_node: machine.llcs_per_node,
        cores_per_llc: machine.cores_per_llc,
        threads_per_core: if scenario.kernel.nosmt { 1 } else { machine.threads_per_core },
        sibling_numbering: machine.sibling_numbering,
        hz: machine.hz,
        tick_phases_ns: match &machine.tick {
            Tick::Aligned => Vec::new(),
            Tick::Staggered => (0..u64::from(online)).map(|cpu| cpu * machine.tick_ns() / u64::from(online)).collect(),
            Tick::Phases(phases) => in_use.of(phases, "a phase", "tick", found),
        },
        capacities: match machine.capacities.as_slice() {
            [] => Vec::new(),
            capacities => in_use.of(capacities, "a capacity", "capacities", found),
        },
        smt_speed_per_mille: machine.smt_speed,
        context_switch_ns: machine.context_switch_ns,
        wakeup_ns: machine.wakeup_ns,
        reschedule_ns: machine.reschedule_ns,
        jitter_ns: machine.jitter_ns,
        run_step_ns: machine.run_step_ns,
        sleep_ns: machine.sleep_ns,
        migration_ns: machine.migration_ns,
        core_pick_ns: machine.core_pick_ns,
        newidle_cost_per_cpu_ns: machine.newidle_cost_per_cpu_ns,
        cache: machine.cache,
    }
}

/// Which of the machine's CPUs are in use.
#[derive(Clone, Copy)]
struct InUse<'m> {
    machine: &'m Machine,
    nosmt: bool,
}

impl InUse<'_> {
    /// Of a list with an entry for each CPU of the machine, those of the CPUs in use.
    fn of<T: Copy>(self, list: &[T], what: &str, key: &str, found: &mut Vec<Problem>) -> Vec<T> {
        let cpus = self.machine.cpus();
        if list.len() as u64 != cpus {
            let message = format!("expected {what} for each CPU: {cpus}, not {}", list.len());
            found.push(Problem::error(format!("machine.{key}"), message));
        }
        if !self.nosmt {
            return list.to_vec();
        }
        let threads = self.machine.threads_per_core.max(1) as usize;
        match self.machine.sibling_numbering {
            SiblingNumbering::Split => list.iter().take(list.len() / threads).copied().collect(),
            SiblingNumbering::Adjacent => list.iter().step_by(threads).copied().collect(),
        }
    }
}

/// What of the machine is there for nothing, or is unchecked.
fn notices(scenario: &Scenario, found: &mut Vec<Problem>) {
    let machine = &scenario.machine;
    if machine.capacities.iter().any(|&capacity| capacity != 1024) {
        let message = "a capacity only stretches `run` work: no decision looks at it, and no kernel was compared";
        found.push(Problem::notice("machine.capacities", message));
    }
    let one_thread = "there is one hardware thread a core";
    if machine.threads_per_core == 1 {
        if machine.smt_speed != Machine::default().smt_speed {
            found.push(Problem::notice("machine.smt_speed", format!("it has no effect: {one_thread}")));
        }
        if machine.core_pick_ns != 0 {
            found.push(Problem::notice("machine.core_pick_ns", format!("it has no effect: {one_thread}")));
        }
        if scenario.kernel.nosmt {
            found.push(Problem::notice("kernel.nosmt", format!("it has no effect: {one_thread}")));
        }
        if scenario.kernel.core_sched != CoreScheduling::Off {
            found.push(Problem::notice("kernel.core_sched", format!("it has no effect: {one_thread}")));
        }
    }
    let costs = machine.cache.llc_ns_per_kib != 0 || machine.cache.memory_ns_per_kib != 0;
    if machine.cache != Cache::FREE && !costs {
        let message = "it costs nothing without `llc_ns_per_kib` or `memory_ns_per_kib`";
        found.push(Problem::notice("machine.cache", message));
    }
    if machine.cpus() == 1 {
        for (key, cost) in
            [("migration_ns", machine.migration_ns), ("cache.memory_ns_per_kib", machine.cache.memory_ns_per_kib)]
        {
            if cost != 0 {
                found.push(Problem::notice(format!("machine.{key}"), "it has no effect on a machine of one CPU"));
            }
        }
    }
}

/// The kernel: a release that is modelled, with flags, tunables and schedulers that it has.
pub(super) fn kernel(scenario: &Scenario, found: &mut Vec<Problem>) -> SimKernel {
    let kernel = &scenario.kernel;
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
    let cpus = scenario.online_cpus();
    let mut result = SimKernel::new(release, u32::try_from(cpus).unwrap_or(u32::MAX));
    for (&feature, &on) in &kernel.features {
        let path = format!("kernel.features.{}", feature.name());
        if let Err(error) = result.set_feature(feature, on) {
            found.push(Problem::error(path, error.to_string()));
        } else if let Some(problem) = idle_feature(kernel, feature, on, cpus, &path) {
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
    if let Err(error) = result.set_core_scheduling(kernel.core_sched) {
        found.push(Problem::error("kernel.core_sched", error.to_string()));
    }
    result
}

/// What there is to say of a flag that a document sets against its default: those that act between
/// CPUs have nothing to do on one.
fn idle_feature(kernel: &Kernel, feature: Feature, on: bool, cpus: u64, path: &str) -> Option<Problem> {
    let name = feature.name();
    if feature.default_in(kernel.release) == Some(on) {
        return None;
    }
    match feature.info().acts {
        Acts::ManyCpus if cpus == 1 => {
            Some(Problem::notice(path, format!("{name} has no effect on a machine of one CPU")))
        }
        Acts::OneCpu | Acts::ManyCpus => None,
        Acts::Nothing => Some(Problem::notice(path, format!("{name} changes nothing that is modelled"))),
    }
}
