//! From a kernel's own version to the nearest release that is modelled. Not for flags and tunables.

use std::fmt;

use schedlab_sim::kernel::Release;

/// A kernel's version, such as 6.12.34 of `6.12.34-generic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch > 0 { write!(f, ".{}", self.patch) } else { Ok(()) }
    }
}

impl Version {
    /// The version in what `uname -r`, `uname -a`, `/proc/version` or the scheduler's debug file print.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        text.lines().next()?.split([' ', ',']).find_map(|word| {
            let mut numbers = word.split(['.', '-', '+', '_']).map_while(|part| part.parse::<u32>().ok());
            let (major, minor) = (numbers.next()?, numbers.next()?);
            // In a name such as v0.11 or an address there is no kernel.
            (2..100).contains(&major).then(|| Self { major, minor, patch: numbers.next().unwrap_or(0) })
        })
    }

    /// Releases counted one after the other: 7.0 follows 6.19.
    const fn ordinal(self) -> i64 {
        match self.major {
            0..=5 => self.minor as i64 - 20,
            6 => self.minor as i64,
            major => 20 * (major as i64 - 6) + self.minor as i64,
        }
    }
}

/// The nearest modelled release, the older of two as near; whether it is the same one. Of 6.12 there
/// are two: the first, and the long-term series as patched by 6.12.117.
#[must_use]
pub fn nearest(version: Version) -> (Release, bool) {
    let of = |release: Release| match release {
        Release::EevdfRfc => None,
        Release::V6_12Stable => Some(Version { major: 6, minor: 12, patch: 117 }),
        other => Version::find(other.name()),
    };
    let patch_distance = |release: Version| i64::from(version.patch).abs_diff(i64::from(release.patch));
    Release::ALL
        .into_iter()
        .filter_map(|release| of(release).map(|modelled| (release, modelled)))
        .min_by_key(|(_, modelled)| {
            let steps = version.ordinal().abs_diff(modelled.ordinal());
            (steps, if steps == 0 { patch_distance(*modelled) } else { 0 })
        })
        .map_or((Release::V6_12, false), |(release, modelled)| {
            (release, (version.major, version.minor) == (modelled.major, modelled.minor))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_wherever_they_stand() {
        for (text, expected) in [
            ("6.12.34-generic\n", "6.12.34"),
            ("6.8.0-45-generic", "6.8"),
            ("Linux version 6.1.0-13-amd64 (debian@x) (gcc-12 (Debian 12.2.0-14) 12.2.0)", "6.1"),
            ("Linux host 7.1.5 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux", "7.1.5"),
            ("Sched Debug Version: v0.11, 6.5.3-200.fc38 #1", "6.5.3"),
            ("5.15.0+", "5.15"),
        ] {
            assert_eq!(Version::find(text).map(|version| version.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "linux", "v0.11", "12", "192.168.0.1"] {
            assert_eq!(Version::find(text), None, "{text}");
        }
    }

    #[test]
    fn the_nearest_release_is_chosen() {
        for (text, release, exact) in [
            ("5.15.0", Release::V6_1, false),
            ("6.1.55", Release::V6_1, true),
            ("6.2.0", Release::V6_1, false),
            ("6.4", Release::V6_5, false),
            ("6.7.2", Release::V6_6, false),
            ("6.10", Release::V6_8, false),
            ("6.12.3", Release::V6_12, true),
            ("6.12.90", Release::V6_12Stable, true),
            ("6.16", Release::V6_15, false),
            ("6.17", Release::V6_18, false),
            ("7.0.9", Release::V7_0, true),
            ("7.9", Release::V7_3, false),
        ] {
            assert_eq!(nearest(Version::find(text).unwrap()), (release, exact), "{text}");
        }
    }
}
