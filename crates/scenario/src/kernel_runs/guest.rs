//! Machine and kernel of a kernel run: what its guest had.
//! Not for the workload.

use schedlab_sim::kernel::{CoreScheduling, Feature, Kernel, PreemptionModel, Release, Tunable};
use schedlab_sim::{Machine, SiblingNumbering};
use serde_json::Value;

use super::{File, KernelRunError};

/// From a wake-up to the run, as measured on all of these kernels, nanoseconds.
const WAKEUP_NS: u64 = 2500;
/// From a tick's request to the switch, nanoseconds: in the traces the switch comes 5 µs after the
/// tick, of which the first half passes before the tick charges.
const RESCHEDULE_NS: u64 = 2500;
/// How much these differ from case to case, nanoseconds: 5 µs read 6 in one of ten to twenty cases.
const JITTER_NS: u64 = 200;
/// How much longer than asked a sleep lasts, nanoseconds.
const SLEEP_NS: u64 = 2000;

/// The machine: aligned ticks, siblings next to each other, hardware threads that do not slow each
/// other down, and the costs that were measured once for all scenarios. The cost of a run step
/// depends on how the step is measured, and is part of its length.
pub(super) fn machine(file: &File) -> Result<Machine, KernelRunError> {
    if !crate::document::HZ.contains(&file.hz) {
        return Err(KernelRunError::unexpected("hz", "100, 250, 300 or 1000", file.hz.to_string()));
    }
    let wrong = |expected: &str| KernelRunError::unexpected("smp", expected, format!("\"{}\"", file.smp));
    let count = |text: &str| {
        let number = text.parse::<u32>().ok().filter(|number| (1..=1024).contains(number));
        number.ok_or_else(|| wrong("a count from 1 to 1024"))
    };
    let mut parts = file.smp.split(',');
    let cpus = count(parts.next().unwrap_or_default())?;
    let (mut sockets, mut cores, mut threads) = (1, None, 1);
    for part in parts {
        match part.split_once('=') {
            Some(("sockets", number)) => sockets = count(number)?,
            Some(("cores", number)) => cores = Some(count(number)?),
            Some(("threads", number)) => threads = count(number)?,
            _ => return Err(wrong("a number of CPUs, and sockets=, cores=, threads=")),
        }
    }
    let cores = cores.unwrap_or(cpus / (sockets * threads).max(1));
    if u64::from(sockets) * u64::from(cores) * u64::from(threads) != u64::from(cpus) {
        return Err(wrong("sockets, cores and threads that make the number of CPUs"));
    }
    Ok(Machine {
        llcs_per_node: sockets,
        cores_per_llc: cores,
        threads_per_core: threads,
        sibling_numbering: SiblingNumbering::Adjacent,
        wakeup_ns: WAKEUP_NS - JITTER_NS / 2,
        reschedule_ns: RESCHEDULE_NS - JITTER_NS / 2,
        jitter_ns: JITTER_NS,
        sleep_ns: SLEEP_NS,
        ..Machine::ideal(file.hz)
    })
}

/// The kernel, with the features and tunables that were in force.
pub(super) fn kernel(file: &File, cpus: u32) -> Result<(Release, Kernel), KernelRunError> {
    let (name, core) = match file.kernel.strip_suffix("core") {
        Some(name) => (name, true),
        None => (file.kernel.as_str(), false),
    };
    // 6.12.117 is what schedlab calls 6.12-stable.
    let release = match name {
        "6.12" => Some(Release::V6_12Stable),
        name => Release::parse(name),
    };
    let release = release.filter(|release| release.is_modelled()).ok_or_else(|| {
        KernelRunError::unexpected("kernel", "a release that is modelled", format!("\"{}\"", file.kernel))
    })?;
    let mut kernel = Kernel::new(release, cpus);
    let refused = |place: &str, error| KernelRunError::Kernel { place: place.to_owned(), error };
    if core {
        kernel.set_core_scheduling(CoreScheduling::Mainline).map_err(|error| refused("kernel", error))?;
    }
    let in_force = file.guest.get("features").and_then(Value::as_str).unwrap_or_default();
    for (place, words) in [("guest.features", in_force), ("features_written", &file.features_written)] {
        for word in words.split_whitespace() {
            let (name, on) = word.strip_prefix("NO_").map_or((word, true), |name| (name, false));
            let unknown = || KernelRunError::unexpected(place, "features that are known", format!("`{word}`"));
            let feature = Feature::parse(name).ok_or_else(unknown)?;
            kernel.set_feature(feature, on).map_err(|error| refused(place, error))?;
        }
    }
    // Beside tunables the guest lists things that are none: those are passed over.
    let tunables = file.guest.iter().filter_map(|(name, value)| Some((Tunable::parse(name)?, value.as_u64()?)));
    for (tunable, value) in tunables {
        kernel.set_tunable(tunable, value).map_err(|error| refused("guest", error))?;
    }
    for (name, value) in &file.tunables_written {
        let unknown = || KernelRunError::unexpected("tunables_written", "tunables that are known", format!("`{name}`"));
        let tunable = Tunable::parse(name).ok_or_else(unknown)?;
        kernel.set_tunable(tunable, *value).map_err(|error| refused("tunables_written", error))?;
    }
    // debugfs lists all models, and the one in force in parentheses.
    if let Some(models) = file.guest.get("preempt").and_then(Value::as_str)
        && let Some((_, rest)) = models.split_once('(')
        && let Some((name, _)) = rest.split_once(')')
    {
        let unknown = || KernelRunError::unexpected("guest.preempt", "a preemption model", format!("`{name}`"));
        let model = PreemptionModel::parse(name).ok_or_else(unknown)?;
        kernel.set_preemption(model).map_err(|error| refused("guest.preempt", error))?;
    }
    Ok((release, kernel))
}
