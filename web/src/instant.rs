//! A link to an instant: beside the scenario (`#s=1.…`) the address says which variant, CPU and
//! nanosecond to show, as `&at=1.0.1204000000`. Not for the scenario's own part of the link.

/// An instant of one variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// Which variant, from 0.
    pub variant: usize,
    /// Which CPU.
    pub cpu: u16,
    /// When, nanoseconds from the start of the run.
    pub at_ns: u64,
}

const KEY: &str = "&at=";

impl Instant {
    /// What stands behind the scenario's part of a link.
    #[must_use]
    pub fn to_text(self) -> String {
        format!("{KEY}{}.{}.{}", self.variant, self.cpu, self.at_ns)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (variant, cpu, at_ns) = (parts.next()?, parts.next()?, parts.next()?);
        let instant = Self { variant: variant.parse().ok()?, cpu: cpu.parse().ok()?, at_ns: at_ns.parse().ok()? };
        parts.next().is_none().then_some(instant)
    }
}

/// Parts a link: the scenario's, and the instant, if it names one that can be read.
#[must_use]
pub fn split(link: &str) -> (&str, Option<Instant>) {
    match link.split_once(KEY) {
        Some((scenario, rest)) => (scenario, Instant::parse(rest.trim_end())),
        None => (link, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_survives_its_link() {
        let instant = Instant { variant: 1, cpu: 3, at_ns: u64::MAX };
        let link = format!("#s=1.AbC-_{}", instant.to_text());
        assert_eq!(split(&link), ("#s=1.AbC-_", Some(instant)));
    }

    #[test]
    fn what_cannot_be_read_leaves_the_scenario_alone() {
        for bad in ["", "x", "1", "1.2", "1.2.3.4", "-1.0.5", "1.0.5ms", "0.99999999.1"] {
            assert_eq!(split(&format!("#s=1.abc&at={bad}")), ("#s=1.abc", None), "{bad}");
        }
        assert_eq!(split("#s=1.abc"), ("#s=1.abc", None));
    }
}
