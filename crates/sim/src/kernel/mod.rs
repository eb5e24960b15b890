//! A kernel: release, feature flags and tunables, as one value.
//! Not for decisions: the rules of the fair class are in `fair`.

mod feature;
mod preemption;
mod release;
pub(crate) mod rules;
mod tunable;

pub use feature::{Acts, FEATURES, Feature, FeatureInfo, FeatureSet, Span};
pub use preemption::PreemptionModel;
pub use release::{Class, Release};
pub use tunable::{TUNABLES, Tunable, TunableInfo, Tunables, cpu_factor};

/// What is wrong with a flag or a tunable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// The release has no such flag.
    #[error("{release} has no feature {name}: it exists in {existence}")]
    NoSuchFeature {
        /// The release asked for.
        release: &'static str,
        /// The flag's name.
        name: &'static str,
        /// The releases that have it, in words.
        existence: String,
    },
    /// The release has no such tunable.
    #[error("{release} has no tunable {name}")]
    NoSuchTunable {
        /// The release asked for.
        release: &'static str,
        /// The tunable's name.
        name: &'static str,
    },
    /// The release has no such preemption model.
    #[error("{release} has no preemption model {model}: {existence}")]
    NoSuchPreemptionModel {
        /// The release asked for.
        release: &'static str,
        /// The model's name.
        model: &'static str,
        /// The releases that have it, in words.
        existence: &'static str,
    },
    /// The release cannot have such a core scheduler.
    #[error(
        "{release} has no core scheduler {kind}: the RFC ones go with 6.1 and 6.5, the mainline one with 6.1 and later"
    )]
    NoSuchCoreScheduling {
        /// The release asked for.
        release: &'static str,
        /// The core scheduler's name.
        kind: &'static str,
    },
    /// The value is outside what the kernel accepts.
    #[error("{name} must be between {least} and {most}, not {value}")]
    OutOfRange {
        /// The tunable's name.
        name: &'static str,
        /// The smallest accepted value.
        least: u64,
        /// The largest accepted value.
        most: u64,
        /// The value given.
        value: u64,
    },
}

/// Whether tasks of different cookies may share a core (§6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CoreScheduling {
    /// They may: no core scheduling.
    #[default]
    Off,
    /// Core scheduling of 5.14 and later.
    Mainline,
    /// The fourth version of the series, 2019 (6.1 and 6.5 only).
    RfcV4,
    /// The same with three rules that keep cookies together (6.1 and 6.5 only).
    RfcV4CookieMatch,
}

impl CoreScheduling {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Off, Self::Mainline, Self::RfcV4, Self::RfcV4CookieMatch];

    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Mainline => "mainline",
            Self::RfcV4 => "rfc-v4",
            Self::RfcV4CookieMatch => "rfc-v4-cookie-match",
        }
    }

    /// Whether it may be chosen for `release`.
    #[must_use]
    pub fn exists_in(self, release: Release) -> bool {
        match self {
            Self::Off => true,
            Self::Mainline => release != Release::EevdfRfc,
            Self::RfcV4 | Self::RfcV4CookieMatch => release.class() == Class::Cfs,
        }
    }
}

/// A kernel to simulate: a release with its flags and tunables in force.
///
/// ```
/// use schedlab_sim::kernel::{Feature, Kernel, Release, Tunable};
///
/// let mut kernel = Kernel::new(Release::V6_12, 8);
/// assert_eq!(kernel.tunable(Tunable::BaseSlice), 3_000_000);
/// kernel.set_feature(Feature::RunToParity, false)?;
/// assert!(kernel.set_feature(Feature::LastBuddy, true).is_err());
/// # Ok::<(), schedlab_sim::kernel::KernelError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    release: Release,
    features: FeatureSet,
    tunables: Tunables,
    preemption: PreemptionModel,
    core_scheduling: CoreScheduling,
}

impl Kernel {
    /// The release with its default flags, and tunables for a machine of `online_cpus` CPUs.
    #[must_use]
    pub fn new(release: Release, online_cpus: u32) -> Self {
        Self {
            release,
            features: FeatureSet::defaults(release),
            tunables: Tunables::defaults(release, online_cpus),
            preemption: PreemptionModel::default_of(release),
            core_scheduling: CoreScheduling::Off,
        }
    }

    /// The release.
    #[must_use]
    pub const fn release(&self) -> Release {
        self.release
    }

    /// Whether the flag is on; a flag that the release lacks is off.
    #[must_use]
    pub const fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    /// The value of a tunable, nanoseconds (or a count).
    #[must_use]
    pub const fn tunable(&self, tunable: Tunable) -> u64 {
        self.tunables.get(tunable)
    }

    /// The preemption model.
    #[must_use]
    pub const fn preemption(&self) -> PreemptionModel {
        self.preemption
    }

    /// Chooses the preemption model.
    ///
    /// # Errors
    /// [`KernelError::NoSuchPreemptionModel`] when the release lacks it.
    pub fn set_preemption(&mut self, model: PreemptionModel) -> Result<(), KernelError> {
        if !model.exists_in(self.release) {
            return Err(KernelError::NoSuchPreemptionModel {
                release: self.release.name(),
                model: model.name(),
                existence: model.existence(),
            });
        }
        self.preemption = model;
        Ok(())
    }

    /// The core scheduler.
    #[must_use]
    pub const fn core_scheduling(&self) -> CoreScheduling {
        self.core_scheduling
    }

    /// Chooses the core scheduler.
    ///
    /// # Errors
    /// [`KernelError::NoSuchCoreScheduling`] when the release cannot have it.
    pub fn set_core_scheduling(&mut self, kind: CoreScheduling) -> Result<(), KernelError> {
        if !kind.exists_in(self.release) {
            return Err(KernelError::NoSuchCoreScheduling { release: self.release.name(), kind: kind.name() });
        }
        self.core_scheduling = kind;
        Ok(())
    }

    /// Turns a flag on or off.
    ///
    /// # Errors
    /// [`KernelError::NoSuchFeature`] when the release lacks it.
    pub fn set_feature(&mut self, feature: Feature, on: bool) -> Result<(), KernelError> {
        if feature.default_in(self.release).is_none() {
            return Err(KernelError::NoSuchFeature {
                release: self.release.name(),
                name: feature.name(),
                existence: feature.existence(),
            });
        }
        self.features.set(feature, on);
        Ok(())
    }

    /// Sets a tunable to its final value; others stay.
    ///
    /// # Errors
    /// [`KernelError::NoSuchTunable`] when the release lacks it, [`KernelError::OutOfRange`] when
    /// the kernel would refuse the value.
    pub fn set_tunable(&mut self, tunable: Tunable, value: u64) -> Result<(), KernelError> {
        let info = tunable.info();
        if !tunable.exists_in(self.release) {
            return Err(KernelError::NoSuchTunable { release: self.release.name(), name: info.name });
        }
        if !(info.least..=info.most).contains(&value) {
            let (least, most) = (info.least, info.most);
            return Err(KernelError::OutOfRange { name: info.name, least, most, value });
        }
        self.tunables.set(tunable, value);
        Ok(())
    }
}
