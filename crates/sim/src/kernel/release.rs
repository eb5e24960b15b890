//! The kernel releases the engine knows, in the order in which their rules appeared.
//! Not for rules: what differs between releases is data in [`super::rules`].

/// A kernel release whose fair class the engine models.
///
/// The order is the order of the rules (`V6_12Stable` is 6.12 with what its stable series took
/// later), so that a span of releases can be written as a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// 6.1.192, the long-term series (CFS).
    V6_1,
    /// 6.5.0, the last CFS release.
    V6_5,
    /// The EEVDF series as posted in 2023, before it was merged (scheduler-model §4.14).
    EevdfRfc,
    /// 6.6.9, the first EEVDF series.
    V6_6,
    /// 6.8.0.
    V6_8,
    /// 6.12.0.
    V6_12,
    /// 6.12.117, the patched long-term series (scheduler-model §4.15).
    V6_12Stable,
    /// 6.13.2.
    V6_13,
    /// 6.14.0.
    V6_14,
    /// 6.15.0, reconstructed from patches; no tree was available.
    V6_15,
    /// 6.18.26, the long-term series (current-kernels).
    V6_18,
    /// 6.19.0.
    V6_19,
    /// 7.0.0.
    V7_0,
    /// 7.1.5.
    V7_1,
    /// 7.2.13.
    V7_2,
    /// 7.3.4.
    V7_3,
}

/// The two families of fair-class rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The completely fair scheduler (scheduler-model §3).
    Cfs,
    /// Earliest eligible virtual deadline first (scheduler-model §4).
    Eevdf,
}

impl Release {
    /// Every release, oldest rules first.
    pub const ALL: [Self; 16] = [
        Self::V6_1,
        Self::V6_5,
        Self::EevdfRfc,
        Self::V6_6,
        Self::V6_8,
        Self::V6_12,
        Self::V6_12Stable,
        Self::V6_13,
        Self::V6_14,
        Self::V6_15,
        Self::V6_18,
        Self::V6_19,
        Self::V7_0,
        Self::V7_1,
        Self::V7_2,
        Self::V7_3,
    ];

    /// The releases whose rules the engine has so far.
    pub const MODELLED: &'static [Self] = &Self::ALL;

    /// Whether the engine has the release's rules.
    #[must_use]
    pub fn is_modelled(self) -> bool {
        Self::MODELLED.contains(&self)
    }

    /// What the rules of a flat queue on one CPU were checked against, in words; none: nothing.
    #[must_use]
    pub const fn checked_against(self) -> Option<&'static str> {
        match self {
            Self::V6_15 | Self::EevdfRfc => None,
            Self::V6_1 => Some("traces of 6.1.192's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_5 => Some("traces of 6.5.0's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_6 => Some("traces of 6.6.9's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_8 => Some("traces of 6.8.0's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_12 => Some("traces of 6.12.0's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_12Stable => Some("traces of 6.12.117's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_13 => Some("traces of 6.13.2's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_14 => Some("traces of 6.14.0's functions: tasks, groups, slice timer, bandwidth"),
            Self::V6_18 => Some("traces of 6.18.26's functions: tasks in the root group"),
            Self::V6_19 => Some("traces of 6.19.0's functions: tasks in the root group"),
            Self::V7_0 => Some("traces of 7.0.0's functions: tasks in the root group"),
            Self::V7_1 => Some("traces of 7.1.5's functions: tasks in the root group, slice timer"),
            Self::V7_2 => Some("traces of 7.2.13's functions: tasks in the root group, slice timer"),
            Self::V7_3 => Some("traces of 7.3.4's functions: tasks in the root group, slice timer"),
        }
    }

    /// Whether groups (with their weights and limits) were checked too.
    #[must_use]
    pub const fn groups_checked(self) -> bool {
        !matches!(
            self,
            Self::EevdfRfc
                | Self::V6_15
                | Self::V6_18
                | Self::V6_19
                | Self::V7_0
                | Self::V7_1
                | Self::V7_2
                | Self::V7_3
        )
    }

    /// The name used in documents and on the command line, such as `6.12-stable`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V6_1 => "6.1",
            Self::V6_5 => "6.5",
            Self::EevdfRfc => "eevdf-rfc",
            Self::V6_6 => "6.6",
            Self::V6_8 => "6.8",
            Self::V6_12 => "6.12",
            Self::V6_12Stable => "6.12-stable",
            Self::V6_13 => "6.13",
            Self::V6_14 => "6.14",
            Self::V6_15 => "6.15",
            Self::V6_18 => "6.18",
            Self::V6_19 => "6.19",
            Self::V7_0 => "7.0",
            Self::V7_1 => "7.1",
            Self::V7_2 => "7.2",
            Self::V7_3 => "7.3",
        }
    }

    /// The release of that name, if there is one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|release| release.name() == name)
    }

    /// The family of rules.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::V6_1 | Self::V6_5 => Class::Cfs,
            _ => Class::Eevdf,
        }
    }
}

impl Class {
    /// `CFS` or `EEVDF`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cfs => "CFS",
            Self::Eevdf => "EEVDF",
        }
    }
}
