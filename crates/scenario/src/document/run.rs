//! The `run` of a document: how long, from which seed, how often.

use crate::json::Value;
use crate::problem::Problem;
use crate::read::{Fields, Node};

/// The longest run, milliseconds: a day.
pub const MOST_DURATION_MS: u64 = 86_400_000;
/// The most repeats.
pub const MOST_REPEATS: u32 = 10_000;
/// How long a run is when nothing says so, milliseconds.
pub const DEFAULT_DURATION_MS: u64 = 1000;
/// Seeds are whole numbers that every JSON reader keeps exactly.
const MOST_SEED: u64 = (1 << 53) - 1;

/// How a scenario is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The simulated time, milliseconds; none: rt-app's `global.duration`, or
    /// [`DEFAULT_DURATION_MS`].
    pub duration_ms: Option<u64>,
    /// Statistics begin here, milliseconds.
    pub warmup_ms: u64,
    /// The seed of repeat 0.
    pub seed: u64,
    /// How many runs; repeat r uses `seed + r`.
    pub repeats: u32,
    /// What is kept of a run.
    pub record: RecordKind,
}

/// What is kept of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordKind {
    /// Every switch and wake-up, up to a budget.
    #[default]
    Full,
    /// Statistics only.
    Summary,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { duration_ms: None, warmup_ms: 0, seed: 1, repeats: 1, record: RecordKind::Full }
    }
}

impl RunOptions {
    pub(crate) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut run = Self::default();
        let Some(mut fields) = Fields::of(node, "run", out) else { return run };
        run.duration_ms = fields
            .take("duration_ms", out)
            .and_then(|node| node.unsigned("a whole number of ms", 1..=MOST_DURATION_MS, out));
        if let Some(node) = fields.take("warmup_ms", out) {
            run.warmup_ms = node.unsigned("a whole number of ms", 0..=MOST_DURATION_MS, out).unwrap_or(0);
        }
        if let Some(node) = fields.take("seed", out) {
            run.seed = node.unsigned("a seed", 0..=MOST_SEED, out).unwrap_or(1);
        }
        if let Some(node) = fields.take("repeats", out) {
            run.repeats = node.unsigned32("a count", 1..=MOST_REPEATS, out).unwrap_or(1);
        }
        if let Some(node) = fields.take("record", out) {
            let names = [("full", RecordKind::Full), ("summary", RecordKind::Summary)];
            run.record = node.one_of("kind of record", &names, out).unwrap_or_default();
        }
        fields.finish(out);
        run
    }

    pub(crate) fn write(&self) -> Value {
        let (mut object, default) = (Value::object(), Self::default());
        if let Some(duration) = self.duration_ms {
            object.push("duration_ms", duration);
        }
        if self.warmup_ms != default.warmup_ms {
            object.push("warmup_ms", self.warmup_ms);
        }
        if self.seed != default.seed {
            object.push("seed", self.seed);
        }
        if self.repeats != default.repeats {
            object.push("repeats", self.repeats);
        }
        if self.record == RecordKind::Summary {
            object.push("record", "summary");
        }
        object
    }
}
