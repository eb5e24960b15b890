//! Real switches to look at: where an experiment shows why the scheduler does that. A switch is
//! sought by what it is, not by its instant, which would move with every change of the engine.
//! Not for finding it in a run: `schedlab-report` does.

use super::Content;
use crate::document::{RecordKind, Scenario};
use crate::problem::Problem;

/// So long a run goes on after the instant from which a switch is sought, milliseconds.
const LONG_ENOUGH_MS: u64 = 300;

/// A switch that explains something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What there is to see, in a sentence or two.
    pub text: String,
    /// The part whose scenario is run.
    pub part: String,
    /// The variant.
    pub variant: String,
    /// The switch.
    pub sought: Sought,
}

/// Which switch: the first one of a run that is all of this.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// The name of its reason, such as `wakeup-short`; empty: any.
    pub reason: String,
    /// How the name of the task that leaves begins; empty: any, the idle thread included.
    pub prev: String,
    /// How the name of the task that comes in begins; empty: any, the idle thread included.
    pub next: String,
    /// Not before this, nanoseconds from the start of the run.
    pub from_ns: u64,
}

impl Look {
    /// The scenario that shows it: the part with the variant that it is compared with, which is the
    /// first one, and its own; run once, with its switches, and no longer than it takes.
    ///
    /// # Errors
    /// When the content has no such part or variant; the tests see that it has.
    pub fn scenario(&self, content: &Content) -> Result<Scenario, Problem> {
        let missing = || Problem::error("", format!("there is no variant {}/{}", self.part, self.variant));
        let part = content.parts.iter().find(|part| part.name == self.part).ok_or_else(missing)?;
        let mut scenario = part.scenario.clone();
        // A variant without a name of its own is called by its release.
        let is_own = |index: &usize| part.scenario.variant(*index).is_ok_and(|named| named.name == self.variant);
        let own = (0..part.scenario.variants.len()).find(is_own).ok_or_else(missing)?;
        let both = if own == 0 { vec![0] } else { vec![0, own] };
        scenario.variants = both.into_iter().filter_map(|index| part.scenario.variants.get(index).cloned()).collect();
        scenario.run.repeats = 1;
        let end_ms = self.sought.from_ns / 1_000_000 + LONG_ENOUGH_MS;
        scenario.run.duration_ms = Some(scenario.run.duration_ms.map_or(end_ms, |whole| whole.min(end_ms)));
        scenario.run.warmup_ms = 0;
        scenario.run.record = RecordKind::default();
        scenario.notes.clone_from(&self.text);
        Ok(scenario)
    }
}

impl Sought {
    /// A switch by its reason and how the names of both tasks begin.
    #[must_use]
    pub fn new(reason: &str, prev: &str, next: &str) -> Self {
        Self { reason: reason.to_owned(), prev: prev.to_owned(), next: next.to_owned(), from_ns: 0 }
    }

    /// The same, not before an instant, milliseconds from the start of the run.
    #[must_use]
    pub const fn from_ms(mut self, from_ms: u64) -> Self {
        self.from_ns = from_ms.saturating_mul(1_000_000);
        self
    }

    /// Whether a switch is the one; a task without a name is the idle thread.
    #[must_use]
    pub fn is(&self, at_ns: u64, reason: &str, prev: Option<&str>, next: Option<&str>) -> bool {
        let begins =
            |name: Option<&str>, wanted: &str| wanted.is_empty() || name.is_some_and(|n| n.starts_with(wanted));
        at_ns >= self.from_ns
            && (self.reason.is_empty() || self.reason == reason)
            && begins(prev, &self.prev)
            && begins(next, &self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::experiments;

    #[test]
    fn a_switch_is_sought_by_what_it_is() {
        let sought = Sought::new("wakeup-short", "hog", "").from_ms(2);
        assert!(sought.is(2_000_000, "wakeup-short", Some("hog-1"), None));
        assert!(!sought.is(1_999_999, "wakeup-short", Some("hog-1"), None));
        assert!(!sought.is(2_000_000, "tick-slice", Some("hog-1"), None));
        assert!(!sought.is(2_000_000, "wakeup-short", None, Some("hog-1")));
    }

    #[test]
    fn every_look_has_a_scenario_that_opens() {
        for experiment in experiments() {
            let content = experiment.content().expect(experiment.name);
            for look in &content.looks {
                let scenario = look.scenario(&content).expect(experiment.name);
                assert!((1..=2).contains(&scenario.variants.len()), "{}: {}", experiment.name, look.text);
                let last = scenario.variant(scenario.variants.len() - 1).expect(experiment.name);
                assert_eq!(last.name, look.variant);
                assert_eq!(crate::open(&scenario.to_json()).expect(experiment.name).scenario, scenario);
                assert_eq!(crate::read_checked(&scenario.to_json()).expect(experiment.name), scenario);
            }
        }
    }
}
