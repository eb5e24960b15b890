//! The control groups of a document. They are kept and checked; the engine does not model them yet.

use crate::json::Value;
use crate::problem::Problem;
use crate::read::{Fields, Node};

/// A control group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Its path, such as `/a/b`.
    pub path: String,
    /// cpu.weight, 1 to 10000 (default 100).
    pub weight: Option<u32>,
    /// cpu.shares of the old interface, 2 to 262144, instead of a weight.
    pub shares: Option<u32>,
    /// cpu.idle.
    pub idle: bool,
    /// cpu.max.
    pub max: Option<Max>,
    /// The CPUs its tasks may use.
    pub cpus: Option<Vec<u32>>,
}

/// A limit of cpu.max, microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Max {
    /// Run time a period; none: no limit.
    pub quota_us: Option<u64>,
    /// The period.
    pub period_us: u64,
    /// Unused quota that may be kept.
    pub burst_us: u64,
}

/// The kernel's default period, microseconds.
const DEFAULT_PERIOD_US: u64 = 100_000;
const MOST_QUOTA_US: u64 = 1_000_000_000;

impl Group {
    pub(crate) fn read_all(node: &Node<'_>, out: &mut Vec<Problem>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for entry in node.members("an object of groups", out).unwrap_or_default() {
            let path = entry.key();
            if !path.starts_with('/') || path.len() < 2 || path.ends_with('/') || path.contains("//") {
                out.push(entry.key_error("the path of a group looks like /a or /a/b"));
            }
            if !entry.is_null() {
                groups.push(Self::read(&entry, out));
            }
        }
        let mut paths: Vec<&str> = groups.iter().map(|group| group.path.as_str()).collect();
        paths.sort_unstable();
        if let Some(twice) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            out.push(node.error(format!("the group {} is there twice", twice[0])));
        }
        groups
    }

    fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut group = Self { path: node.key().to_owned(), ..Self::default() };
        let Some(mut fields) = Fields::of(node, "a group", out) else { return group };
        group.weight = fields.take("weight", out).and_then(|node| node.unsigned32("cpu.weight", 1..=10_000, out));
        group.shares = fields.take("shares", out).and_then(|node| node.unsigned32("cpu.shares", 2..=262_144, out));
        group.idle = fields.take("idle", out).and_then(|node| node.boolean(out)).unwrap_or(false);
        group.max = fields.take("max", out).and_then(|node| Max::read(&node, out));
        group.cpus = fields.take("cpus", out).and_then(|node| read_cpus(&node, out));
        fields.finish(out);
        if group.weight.is_some() && group.shares.is_some() {
            out.push(node.error("a group has either a weight or shares"));
        }
        group
    }

    pub(crate) fn write(&self) -> Value {
        let mut object = Value::object();
        for (key, value) in [("weight", self.weight), ("shares", self.shares)] {
            if let Some(value) = value {
                object.push(key, value);
            }
        }
        if self.idle {
            object.push("idle", true);
        }
        if let Some(max) = &self.max {
            let mut limit = Value::object();
            if let Some(quota) = max.quota_us {
                limit.push("quota_us", quota);
            }
            if max.period_us != DEFAULT_PERIOD_US {
                limit.push("period_us", max.period_us);
            }
            if max.burst_us != 0 {
                limit.push("burst_us", max.burst_us);
            }
            object.push("max", limit);
        }
        if let Some(cpus) = &self.cpus {
            object.push("cpus", cpus.clone());
        }
        object
    }
}

impl Max {
    fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Self> {
        let mut fields = Fields::of(node, "max", out)?;
        let mut take = |key, least, default| match fields.take(key, out) {
            Some(node) => node.unsigned("a whole number of µs", least..=MOST_QUOTA_US, out).or(default),
            None => default,
        };
        let quota_us = take("quota_us", 1000, None);
        let period_us = take("period_us", 1000, Some(DEFAULT_PERIOD_US)).unwrap_or(DEFAULT_PERIOD_US);
        let burst_us = take("burst_us", 0, Some(0)).unwrap_or(0);
        fields.finish(out);
        Some(Self { quota_us, period_us, burst_us })
    }
}

/// A list of CPU numbers, not empty.
pub(crate) fn read_cpus(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Vec<u32>> {
    let items = node.items("a list of CPU numbers", out)?;
    if items.is_empty() {
        out.push(node.error("a list of CPUs names at least one"));
    }
    Some(items.iter().filter_map(|item| item.unsigned32("a CPU number", 0..=1023, out)).collect())
}
