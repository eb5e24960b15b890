//! Version numbers as tools print them, in every form that the tools here use.

use std::fmt;

/// The first three numbers of a version; absent ones are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

impl Version {
    /// A version from its three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// The first version in what a tool printed: the first word that begins with a digit, or with `v` and a digit.
    pub fn find(text: &str) -> Option<Self> {
        text.split(|c: char| c.is_whitespace() || "(),".contains(c)).find_map(Self::parse)
    }

    fn parse(word: &str) -> Option<Self> {
        let word = word.strip_prefix('v').unwrap_or(word);
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let mut numbers = word.split('.').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse().ok()
        });
        let major = numbers.next()??;
        let mut next = || numbers.next().flatten().unwrap_or(0);
        Some(Self::new(major, next(), next()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_tools_print() {
        for (text, expected) in [
            ("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)", Version::new(1, 96, 0)),
            ("rustc 1.97.0-nightly (1a2b3c4d5 2026-06-01)", Version::new(1, 97, 0)),
            ("trunk 0.21.14", Version::new(0, 21, 14)),
            ("wasm-bindgen 0.2.130", Version::new(0, 2, 130)),
            ("wasm-opt version 132 (version_132)", Version::new(132, 0, 0)),
            ("Chromium 156.0.8078.114 built on Debian 12", Version::new(156, 0, 8078)),
            ("ChromeDriver 156.0.8078.114 (abc)", Version::new(156, 0, 8078)),
            ("v20.20.2\n", Version::new(20, 20, 2)),
            ("Python 3.11.2", Version::new(3, 11, 2)),
            ("cargo-nextest 0.9.100", Version::new(0, 9, 100)),
        ] {
            assert_eq!(Version::find(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn text_without_a_version_has_none() {
        for text in ["", "command not found", "version unknown", "v", "vfour"] {
            assert_eq!(Version::find(text), None, "{text}");
        }
    }

    #[test]
    fn later_is_greater() {
        assert!(Version::new(0, 21, 14) > Version::new(0, 21, 9));
        assert!(Version::new(1, 0, 0) > Version::new(0, 99, 99));
    }
}
