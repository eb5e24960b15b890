//! The control groups of a document: weight, idle, limit, CPUs, latency nice.
//! Not for whether they go together, nor for groups that only tasks name: `compile` does that.

use crate::json::Value;
use crate::problem::Problem;
use crate::read::{Fields, Node};

use super::group_path::GroupPath;

/// A control group. A group above it that the document does not name has the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its path; not the root.
    pub path: GroupPath,
    /// cpu.weight, 1 to 10000; none: 100.
    pub weight: Option<u32>,
    /// cpu.shares of the old interface, 2 to 262144, instead of a weight; runs as the nearest one.
    pub shares: Option<u32>,
    /// cpu.idle; such a group has no weight.
    pub idle: bool,
    /// cpu.max.
    pub max: Option<Max>,
    /// The CPUs its tasks may use.
    pub cpus: Option<Vec<u32>>,
    /// cpu.latency.nice, -20 to 19, for eevdf-rfc.
    pub latency_nice: Option<i8>,
}

/// A limit of cpu.max, microseconds.
///
/// The first period ends at a random instant, drawn from the seed and the path, as in kernels after
/// 6.1; in 6.1 periods begin at 0 (scheduler-model §4.18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Max {
    /// Run time a period, at least 1000; none: no limit.
    pub quota_us: Option<u64>,
    /// The period, 1000 to 1000000.
    pub period_us: u64,
    /// Unused quota that may be kept, at most the quota.
    pub burst_us: u64,
}

/// The kernel's default period, microseconds.
const DEFAULT_PERIOD_US: u64 = 100_000;
/// The shortest and the longest period that the kernel takes, microseconds; the shortest quota too.
const LEAST_PERIOD_US: u64 = 1000;
const MOST_PERIOD_US: u64 = 1_000_000;
const MOST_QUOTA_US: u64 = 1_000_000_000;

impl Group {
    /// A group with the kernel's defaults.
    #[must_use]
    pub const fn new(path: GroupPath) -> Self {
        Self { path, weight: None, shares: None, idle: false, max: None, cpus: None, latency_nice: None }
    }

    pub(crate) fn read_all(node: &Node<'_>, out: &mut Vec<Problem>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for entry in node.members("an object of groups", out).unwrap_or_default() {
            if let Some(path) = Self::read_path(&entry, out)
                && !entry.is_null()
            {
                groups.push(Self::read(path, &entry, out));
            }
        }
        let mut paths: Vec<&GroupPath> = groups.iter().map(|group| &group.path).collect();
        paths.sort_unstable();
        if let Some(twice) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            out.push(node.error(format!("the group {} is there twice", twice[0])));
        }
        groups
    }

    /// The key of a group. Keys are full paths: a variant's changes find a group by its key.
    fn read_path(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<GroupPath> {
        let problem = match GroupPath::parse(node.key()) {
            Err(message) => node.key_error(message),
            Ok(path) if path.is_root() => node.key_error("the root group has no settings"),
            Ok(path) if path.as_str() != node.key() => {
                node.key_error("the path of a group begins with a slash").suggest(Some(path.as_str()))
            }
            Ok(path) => return Some(path),
        };
        out.push(problem);
        None
    }

    fn read(path: GroupPath, node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut group = Self::new(path);
        let Some(mut fields) = Fields::of(node, "a group", out) else { return group };
        group.weight = fields.take("weight", out).and_then(|node| read_weight(&node, out));
        group.shares = fields.take("shares", out).and_then(|node| node.unsigned32("cpu.shares", 2..=262_144, out));
        group.idle = fields.take("idle", out).and_then(|node| node.boolean(out)).unwrap_or(false);
        group.max = fields.take("max", out).and_then(|node| Max::read(&node, out));
        group.cpus = fields.take("cpus", out).and_then(|node| read_cpus(&node, out));
        group.latency_nice = fields.take("latency_nice", out).and_then(|node| read_latency_nice(&node, out));
        fields.finish(out);
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
            object.push("max", max.write());
        }
        if let Some(cpus) = &self.cpus {
            object.push("cpus", cpus.clone());
        }
        if let Some(latency_nice) = self.latency_nice {
            object.push("latency_nice", latency_nice);
        }
        object
    }
}

impl Max {
    fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Self> {
        let mut fields = Fields::of(node, "max", out)?;
        let mut take = |key, least, most| {
            fields.take(key, out).and_then(|node| node.unsigned("a whole number of µs", least..=most, out))
        };
        let quota_us = take("quota_us", LEAST_PERIOD_US, MOST_QUOTA_US);
        let period_us = take("period_us", LEAST_PERIOD_US, MOST_PERIOD_US).unwrap_or(DEFAULT_PERIOD_US);
        let burst_us = take("burst_us", 0, MOST_QUOTA_US).unwrap_or(0);
        fields.finish(out);
        Some(Self { quota_us, period_us, burst_us })
    }

    fn write(&self) -> Value {
        let mut object = Value::object();
        if let Some(quota) = self.quota_us {
            object.push("quota_us", quota);
        }
        if self.period_us != DEFAULT_PERIOD_US {
            object.push("period_us", self.period_us);
        }
        if self.burst_us != 0 {
            object.push("burst_us", self.burst_us);
        }
        object
    }
}

/// cpu.weight.
pub(crate) fn read_weight(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<u32> {
    node.unsigned32("cpu.weight", 1..=10_000, out)
}

/// The latency nice value of a task or a group.
pub(crate) fn read_latency_nice(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<i8> {
    i8::try_from(node.integer("a latency-nice value", -20..=19, out)?).ok()
}

/// A list of CPU numbers, not empty.
pub(crate) fn read_cpus(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Vec<u32>> {
    let items = node.items("a list of CPU numbers", out)?;
    if items.is_empty() {
        out.push(node.error("a list of CPUs names at least one"));
    }
    Some(items.iter().filter_map(|item| item.unsigned32("a CPU number", 0..=1023, out)).collect())
}
