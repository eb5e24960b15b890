//! The preemption models (scheduler-model §1.4, current-kernels §2.14).
//!
//! On one CPU they give the same switches: every task is in user mode, where a lazy request acts
//! at the end of the interrupt or system call that made it, as any other. The difference is in
//! requests to other CPUs, which a lazy model does not interrupt.

use super::Release;

/// When a request to reschedule acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PreemptionModel {
    /// Not inside the kernel.
    None,
    /// At chosen points inside the kernel.
    Voluntary,
    /// Anywhere inside the kernel.
    Full,
    /// At the return to user mode, or at the next tick.
    Lazy,
}

impl PreemptionModel {
    /// Every model.
    pub const ALL: [Self; 4] = [Self::None, Self::Voluntary, Self::Full, Self::Lazy];

    /// The name in documents: `lazy`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Voluntary => "voluntary",
            Self::Full => "full",
            Self::Lazy => "lazy",
        }
    }

    /// The model of that name, if there is one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// What x86 distributions build: lazy from 7.0, voluntary before.
    #[must_use]
    pub fn default_of(release: Release) -> Self {
        if release >= Release::V7_0 { Self::Lazy } else { Self::Voluntary }
    }

    /// Whether `release` can be run so on x86.
    #[must_use]
    pub fn exists_in(self, release: Release) -> bool {
        match self {
            Self::Full => true,
            Self::None | Self::Voluntary => release < Release::V7_0,
            Self::Lazy => release >= Release::V6_13,
        }
    }

    /// Since and until when it can be chosen, in words.
    #[must_use]
    pub const fn existence(self) -> &'static str {
        match self {
            Self::Full => "it exists in all releases",
            Self::None | Self::Voluntary => "it exists up to 6.19",
            Self::Lazy => "it exists in 6.13 and later",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_exists() {
        for release in Release::ALL {
            assert!(PreemptionModel::default_of(release).exists_in(release));
        }
        assert!(!PreemptionModel::Lazy.exists_in(Release::V6_12));
        assert!(!PreemptionModel::Voluntary.exists_in(Release::V7_1));
    }
}
