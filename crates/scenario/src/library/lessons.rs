//! The lessons: one concept each, as a scenario and what to look at.
//! A lesson is a file in `lessons/`; its claims are what the tests check of its text.

use crate::document::Scenario;
use crate::json::{Kind, Value, parse};
use crate::problem::Problem;

use super::look::Sought;

/// A lesson.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its name.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// Why the scheduler does that: a few plain sentences.
    pub why: String,
    /// What to look at.
    pub look: String,
    /// What its text says, to be checked against the variants' figures: each a comparison such as
    /// `[6.12] tasks.hog.preempted > 2 * [6.5] tasks.hog.preempted`.
    pub claims: Vec<String>,
    /// The variant and the switch of it that show it best.
    pub switch: Option<(String, Sought)>,
    /// The document.
    document: Value,
}

impl Lesson {
    /// Its text: why, and what to look at.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n\nLook at {}", self.why, self.look)
    }

    /// Its scenario.
    ///
    /// # Errors
    /// The problems of its document; the tests see that there are none.
    pub fn scenario(&self) -> Result<Scenario, Vec<Problem>> {
        let mut scenario = crate::open(&self.document.to_compact())?.scenario;
        scenario.title.clone_from(&self.title);
        scenario.notes = self.text();
        Ok(scenario)
    }

    fn read(name: &'static str, text: &str) -> Option<Self> {
        let file = parse(text).ok()?;
        let words = |key: &str| file.get(key).and_then(Value::as_str).map(str::to_owned);
        let Kind::List(claims) = &file.get("claims")?.kind else { return None };
        Some(Self {
            name,
            title: words("title")?,
            why: words("why")?,
            look: words("look")?,
            switch: file.get("switch").and_then(switch),
            claims: claims.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            document: file.get("scenario")?.clone(),
        })
    }
}

/// The switch of a lesson's file: `variant`, `reason`, and maybe `prev`, `next` and `from_ms`.
fn switch(value: &Value) -> Option<(String, Sought)> {
    let words = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let begins = |key: &str| words(key).unwrap_or_default();
    let from_ms: u64 = value.get("from_ms")?.to_compact().parse().ok()?;
    let sought = Sought::new(&words("reason")?, &begins("prev"), &begins("next")).from_ms(from_ms);
    Some((words("variant")?, sought))
}

/// The files, in the order of a course.
const FILES: &[(&str, &str)] = &[
    ("nice-and-weight", include_str!("lessons/nice-and-weight.json")),
    ("lag", include_str!("lessons/lag.json")),
    ("eligibility", include_str!("lessons/eligibility.json")),
    ("slices-and-hz", include_str!("lessons/slices-and-hz.json")),
    ("slice-below-a-tick", include_str!("lessons/slice-below-a-tick.json")),
    ("hrtick", include_str!("lessons/hrtick.json")),
    ("run-to-parity", include_str!("lessons/run-to-parity.json")),
    ("preempt-short", include_str!("lessons/preempt-short.json")),
    ("latency-nice", include_str!("lessons/latency-nice.json")),
    ("delayed-dequeue", include_str!("lessons/delayed-dequeue.json")),
    ("sleeper-bonus", include_str!("lessons/sleeper-bonus.json")),
    ("start-debit", include_str!("lessons/start-debit.json")),
    ("wakeup-granularity", include_str!("lessons/wakeup-granularity.json")),
    ("last-buddy", include_str!("lessons/last-buddy.json")),
    ("batch-waits", include_str!("lessons/batch-waits.json")),
    ("sched-idle", include_str!("lessons/sched-idle.json")),
    ("yield", include_str!("lessons/yield.json")),
    ("real-time-first", include_str!("lessons/real-time-first.json")),
    ("groups-share-first", include_str!("lessons/groups-share-first.json")),
    ("cpu-max", include_str!("lessons/cpu-max.json")),
    ("lock-holder", include_str!("lessons/lock-holder.json")),
    ("cache-refill", include_str!("lessons/cache-refill.json")),
    ("three-on-two", include_str!("lessons/three-on-two.json")),
    ("affinity-wastes", include_str!("lessons/affinity-wastes.json")),
    ("wake-affine-stacking", include_str!("lessons/wake-affine-stacking.json")),
    ("sis-util", include_str!("lessons/sis-util.json")),
    ("forks-crowd", include_str!("lessons/forks-crowd.json")),
    ("smt-or-not", include_str!("lessons/smt-or-not.json")),
    ("forced-idle", include_str!("lessons/forced-idle.json")),
    ("cookie-pairing", include_str!("lessons/cookie-pairing.json")),
];

/// All lessons, in the order of a course.
#[must_use]
pub fn lessons() -> Vec<Lesson> {
    FILES.iter().filter_map(|(name, text)| Lesson::read(name, text)).collect()
}

/// The lesson of that name.
#[must_use]
pub fn lesson(name: &str) -> Option<Lesson> {
    FILES.iter().find(|(known, _)| *known == name).and_then(|(name, text)| Lesson::read(name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_lesson_that_can_run() {
        for (name, text) in FILES {
            assert!(parse(text).is_ok(), "{name}: {:?}", parse(text));
            let lesson = lesson(name).expect(name);
            let scenario = lesson.scenario().expect(name);
            assert!(!lesson.claims.is_empty(), "{name} claims nothing");
            for index in 0..scenario.variant_count() {
                scenario.variant(index).expect(name).scenario.prepare(0).expect(name);
            }
        }
    }
}
