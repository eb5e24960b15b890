//! The memory event of rt-app with a pattern, `memrun`.
//! Not for what it costs: `compile` has that.

use crate::json::Value;
use crate::problem::Problem;
use crate::read::{Fields, Node};

/// The largest buffer and the longest stride, bytes: a terabyte.
pub(super) const MOST_BYTES: u64 = 1 << 40;
/// The most accesses.
const MOST_ACCESSES: u64 = 1_000_000_000_000;
/// The distance of accesses where none is named, bytes: a cache line.
const DEFAULT_STRIDE: u64 = 64;

/// `memrun`: accesses that walk through a buffer, round and round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRun {
    /// `type`: what an access does.
    pub kind: MemoryAccess,
    /// `size` of the buffer, bytes; none: `global.mem_buffer_size`.
    pub size: Option<u64>,
    /// `count` of accesses; none: once through the buffer.
    pub count: Option<u64>,
    /// `stride`: the distance of accesses, bytes.
    pub stride: u64,
    /// `pattern`, without effect.
    pub pattern: Option<String>,
    /// `ref`: the name of the buffer, without effect.
    pub buffer: Option<String>,
}

/// What an access of [`MemoryRun`] does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryAccess {
    /// `read`.
    #[default]
    Read,
    /// `write`.
    Write,
    /// `chase`: reads where the next one goes.
    Chase,
}

const KINDS: [(&str, MemoryAccess); 3] =
    [("read", MemoryAccess::Read), ("write", MemoryAccess::Write), ("chase", MemoryAccess::Chase)];

impl Default for MemoryRun {
    fn default() -> Self {
        let kind = MemoryAccess::Read;
        Self { kind, size: None, count: None, stride: DEFAULT_STRIDE, pattern: None, buffer: None }
    }
}

impl MemoryRun {
    pub(super) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Self> {
        let mut run = Self::default();
        let mut fields = Fields::of(node, "memrun", out)?;
        if let Some(kind) = fields.take("type", out) {
            run.kind = kind.one_of("kind of memory work", &KINDS, out).unwrap_or_default();
        }
        let mut number =
            |key, what, least, most| fields.take(key, out).and_then(|node| node.unsigned(what, least..=most, out));
        run.size = number("size", "a whole number of bytes", 1, MOST_BYTES);
        run.count = number("count", "a whole number of accesses", 0, MOST_ACCESSES);
        run.stride = number("stride", "a whole number of bytes", 1, MOST_BYTES).unwrap_or(DEFAULT_STRIDE);
        let mut text = |key| fields.take(key, out).and_then(|node| node.string("a name", out));
        (run.pattern, run.buffer) = (text("pattern"), text("ref"));
        fields.finish(out);
        Some(run)
    }

    pub(super) fn write(&self) -> Value {
        let mut object = Value::object();
        if let Some((name, _)) = KINDS.iter().find(|(_, kind)| *kind == self.kind) {
            object.push("type", *name);
        }
        for (key, number) in [("size", self.size), ("count", self.count)] {
            if let Some(number) = number {
                object.push(key, number);
            }
        }
        if self.stride != DEFAULT_STRIDE {
            object.push("stride", self.stride);
        }
        for (key, text) in [("pattern", &self.pattern), ("ref", &self.buffer)] {
            if let Some(text) = text {
                object.push(key, text.as_str());
            }
        }
        object
    }
}
