//! The scheduler tunables: which class has them, their defaults, and what they do.
//! Values are final, as debugfs shows them: already scaled by the number of CPUs.

use super::release::{Class, Release};

/// A tunable of the fair class. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tunable {
    /// CFS: the period in which each task should run once.
    Latency,
    /// CFS: no slice is shorter.
    MinGranularity,
    /// CFS: no slice of a SCHED_IDLE task is shorter.
    IdleMinGranularity,
    /// CFS: how far behind a waking task must be to preempt.
    WakeupGranularity,
    /// CFS: the number of tasks above which the period grows (a count).
    NrLatency,
    /// EEVDF: the slice of a task that has no slice of its own.
    BaseSlice,
    /// EEVDF, 6.18 and later: the base slice before scaling by CPU count.
    NormalizedBaseSlice,
    /// Balancing: how long a task that has run counts as cache-hot.
    MigrationCost,
}

/// What is known of one tunable.
#[derive(Clone, Copy, Debug)]
pub struct TunableInfo {
    /// The tunable.
    pub tunable: Tunable,
    /// Its name in documents, with its unit: `base_slice_ns`.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// The section of `docs/model.md` that has its rule: `§3.1` or `current-kernels §2.5`.
    pub section: &'static str,
    /// The smallest accepted value.
    pub least: u64,
    /// The largest accepted value.
    pub most: u64,
}

const SECOND: u64 = 1_000_000_000;

/// Every tunable, in the order of [`Tunable`].
pub static TUNABLES: &[TunableInfo] = &[
    info(Tunable::Latency, "latency_ns", "The period in which each task should run once.", "§3.1", 100_000, SECOND),
    info(Tunable::MinGranularity, "min_granularity_ns", "No slice is shorter.", "§3.1", 100_000, SECOND),
    info(
        Tunable::IdleMinGranularity,
        "idle_min_granularity_ns",
        "No slice of a SCHED_IDLE task is shorter.",
        "§3.1",
        0,
        SECOND,
    ),
    info(
        Tunable::WakeupGranularity,
        "wakeup_granularity_ns",
        "How far ahead the running task must be for a waking one to preempt it.",
        "§3.1",
        0,
        SECOND,
    ),
    info(Tunable::NrLatency, "nr_latency", "The number of tasks above which the period grows.", "§3.1", 1, 10_000),
    info(Tunable::BaseSlice, "base_slice_ns", "The slice of a task that has none of its own.", "§4.1", 100_000, SECOND),
    info(
        Tunable::NormalizedBaseSlice,
        "normalized_base_slice_ns",
        "The base slice before scaling by CPU count.",
        "current-kernels §2.5",
        1,
        SECOND,
    ),
    info(
        Tunable::MigrationCost,
        "migration_cost_ns",
        "How long a task that has run counts as cache-hot.",
        "§5.4",
        0,
        SECOND,
    ),
];

const fn info(
    tunable: Tunable,
    name: &'static str,
    meaning: &'static str,
    section: &'static str,
    least: u64,
    most: u64,
) -> TunableInfo {
    TunableInfo { tunable, name, meaning, section, least, most }
}

impl Tunable {
    /// What is known of the tunable.
    #[must_use]
    pub fn info(self) -> &'static TunableInfo {
        &TUNABLES[self as usize]
    }

    /// The tunable of that name, if there is one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        TUNABLES.iter().find(|info| info.name == name).map(|info| info.tunable)
    }

    /// Whether `release` has it.
    #[must_use]
    pub fn exists_in(self, release: Release) -> bool {
        match self {
            Self::Latency
            | Self::MinGranularity
            | Self::IdleMinGranularity
            | Self::WakeupGranularity
            | Self::NrLatency => release.class() == Class::Cfs,
            Self::BaseSlice => release.class() == Class::Eevdf,
            Self::NormalizedBaseSlice => release >= Release::V6_18,
            Self::MigrationCost => true,
        }
    }
}

/// The factor by which tunables grow with the number of CPUs (scheduler-model §2.4):
/// 1 for one CPU, 2 for two or three, 3 for four to seven, 4 from eight.
#[must_use]
pub const fn cpu_factor(online_cpus: u32) -> u64 {
    let capped = if online_cpus > 8 { 8 } else { online_cpus };
    1 + if capped == 0 { 0 } else { capped.ilog2() as u64 }
}

/// The values of all tunables; those that a release lacks are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunables {
    values: [u64; 8],
}

impl Tunables {
    /// The defaults of `release` on a machine with `online_cpus` CPUs (§3.1, §4.1).
    #[must_use]
    pub fn defaults(release: Release, online_cpus: u32) -> Self {
        let factor = cpu_factor(online_cpus);
        let normalized = if release >= Release::V6_15 || release == Release::V6_12Stable { 700_000 } else { 750_000 };
        let mut tunables = Self { values: [0; 8] };
        tunables.set(Tunable::Latency, 6_000_000 * factor);
        tunables.set(Tunable::MinGranularity, 750_000 * factor);
        tunables.set(Tunable::IdleMinGranularity, 750_000);
        tunables.set(Tunable::WakeupGranularity, 1_000_000 * factor);
        tunables.set(Tunable::NrLatency, 8);
        tunables.set(Tunable::BaseSlice, normalized * factor);
        tunables.set(Tunable::NormalizedBaseSlice, normalized);
        tunables.set(Tunable::MigrationCost, 500_000);
        tunables
    }

    /// The value of one tunable.
    #[must_use]
    pub const fn get(&self, tunable: Tunable) -> u64 {
        self.values[tunable as usize]
    }

    /// Sets the value of one tunable.
    pub const fn set(&mut self, tunable: Tunable, value: u64) {
        self.values[tunable as usize] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, info) in TUNABLES.iter().enumerate() {
            assert_eq!(info.tunable as usize, index);
        }
    }

    #[test]
    fn defaults_grow_with_the_cpus() {
        let factors: Vec<u64> = [1, 2, 3, 4, 7, 8, 64].map(cpu_factor).to_vec();
        assert_eq!(factors, [1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(Tunables::defaults(Release::V6_5, 8).get(Tunable::Latency), 24_000_000);
        assert_eq!(Tunables::defaults(Release::V6_5, 8).get(Tunable::IdleMinGranularity), 750_000);
        assert_eq!(Tunables::defaults(Release::V6_12, 8).get(Tunable::BaseSlice), 3_000_000);
        assert_eq!(Tunables::defaults(Release::V6_12Stable, 4).get(Tunable::BaseSlice), 2_100_000);
    }
}
