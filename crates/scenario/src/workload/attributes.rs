//! What a task or a phase says of its scheduling: policy, priority, budget or slice, group, CPUs.

use crate::document::{GroupPath, read_cpus, read_latency_nice};
use crate::json::Value;
use crate::problem::Problem;
use crate::read::Node;

use super::amount::MOST_US;

/// rt-app's scheduling policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// SCHED_OTHER, which the kernel calls SCHED_NORMAL.
    #[default]
    Other,
    /// SCHED_BATCH.
    Batch,
    /// SCHED_IDLE.
    Idle,
    /// SCHED_FIFO.
    Fifo,
    /// SCHED_RR.
    RoundRobin,
    /// SCHED_DEADLINE.
    Deadline,
}

/// The policies by name; the kernel's name of SCHED_OTHER is read too.
const POLICIES: [(&str, Policy); 7] = [
    ("SCHED_OTHER", Policy::Other),
    ("SCHED_BATCH", Policy::Batch),
    ("SCHED_IDLE", Policy::Idle),
    ("SCHED_FIFO", Policy::Fifo),
    ("SCHED_RR", Policy::RoundRobin),
    ("SCHED_DEADLINE", Policy::Deadline),
    ("SCHED_NORMAL", Policy::Other),
];

impl Policy {
    /// Every policy.
    pub const ALL: [Self; 6] = [Self::Other, Self::Batch, Self::Idle, Self::Fifo, Self::RoundRobin, Self::Deadline];

    /// rt-app's name of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        POLICIES.iter().find(|(_, policy)| *policy == self).map_or("SCHED_OTHER", |(name, _)| name)
    }

    /// Whether tasks of it belong to the fair class.
    #[must_use]
    pub const fn is_fair(self) -> bool {
        matches!(self, Self::Other | Self::Batch | Self::Idle)
    }

    pub(super) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Self> {
        node.one_of("policy", &POLICIES, out)
    }
}

/// What a task or a phase names of its scheduling; none: unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// `policy`.
    pub policy: Option<Policy>,
    /// `priority`: the nice value for SCHED_OTHER and SCHED_BATCH, -20 to 19; the real-time
    /// priority for SCHED_FIFO and SCHED_RR, 1 to 99 (10 where none is named).
    pub priority: Option<i32>,
    /// `slice_us`, an extension: a slice of its own, before `dl-runtime`.
    pub slice_us: Option<u64>,
    /// `dl-runtime`: the budget of SCHED_DEADLINE, at least 2 µs; with SCHED_OTHER a slice of its
    /// own.
    pub dl_runtime_us: Option<u64>,
    /// `dl-period` of SCHED_DEADLINE; where none is named the budget.
    pub dl_period_us: Option<u64>,
    /// `dl-deadline` of SCHED_DEADLINE, from the budget to the period; where none is named the
    /// period.
    pub dl_deadline_us: Option<u64>,
    /// `cpus`.
    pub cpus: Option<Vec<u32>>,
    /// `taskgroup`: the control group. One that the document's `groups` do not name has the
    /// defaults.
    pub taskgroup: Option<GroupPath>,
    /// `latency_nice`, an extension: -20 to 19, at task level, for eevdf-rfc.
    pub latency_nice: Option<i8>,
    /// `working_set_kib`, an extension: what it keeps in the caches, KiB, at task level.
    pub working_set_kib: Option<u32>,
    /// Accepted keys that are not modelled, kept as written: `util_min`, `util_max`, `nodes_membind`.
    pub unmodelled: Vec<(String, Value)>,
}

/// The largest working set, KiB: a terabyte.
const MOST_WORKING_SET_KIB: u32 = 1 << 30;

/// The keys of attributes, for messages about unknown ones.
pub(super) const KEYS: [&str; 13] = [
    "policy",
    "priority",
    "slice_us",
    "dl-runtime",
    "dl-period",
    "dl-deadline",
    "cpus",
    "nodes_membind",
    "util_min",
    "util_max",
    "taskgroup",
    "latency_nice",
    "working_set_kib",
];

impl Attributes {
    /// The slice it names, microseconds: `slice_us`, otherwise `dl-runtime`.
    #[must_use]
    pub fn slice_us(&self) -> Option<u64> {
        self.slice_us.or(self.dl_runtime_us)
    }

    /// Reads the member if it is an attribute; says whether it was one.
    pub(super) fn read(&mut self, key: &str, node: &Node<'_>, out: &mut Vec<Problem>) -> bool {
        let microseconds = |out: &mut Vec<Problem>| node.unsigned("a whole number of µs", 0..=MOST_US, out);
        match key {
            "policy" => self.policy = Policy::read(node, out),
            "priority" => {
                self.priority = node.integer("a priority", -20..=99, out).and_then(|value| i32::try_from(value).ok());
            }
            "slice_us" => self.slice_us = microseconds(out),
            "dl-runtime" => self.dl_runtime_us = microseconds(out),
            "dl-period" => self.dl_period_us = microseconds(out),
            "dl-deadline" => self.dl_deadline_us = microseconds(out),
            "cpus" => self.cpus = read_cpus(node, out),
            "nodes_membind" => {
                for item in node.items("a list of node numbers", out).unwrap_or_default() {
                    item.unsigned("a node number", 0..=1023, out);
                }
                self.keep(key, node);
            }
            "util_min" | "util_max" => {
                node.unsigned("a utilisation", 0..=1024, out);
                self.keep(key, node);
            }
            "taskgroup" if node.value.as_str() == Some("") => {
                out.push(node.notice("an empty `taskgroup` counts as none, as in rt-app"));
            }
            "taskgroup" => self.taskgroup = GroupPath::read(node, out),
            "latency_nice" => self.latency_nice = read_latency_nice(node, out),
            "working_set_kib" => {
                self.working_set_kib = node.unsigned32("a whole number of KiB", 0..=MOST_WORKING_SET_KIB, out);
            }
            _ => return false,
        }
        true
    }

    fn keep(&mut self, key: &str, node: &Node<'_>) {
        self.unmodelled.push((key.to_owned(), node.value.clone().without_places()));
    }

    pub(super) fn write(&self, object: &mut Value) {
        if let Some(policy) = self.policy {
            object.push("policy", policy.name());
        }
        if let Some(priority) = self.priority {
            object.push("priority", priority);
        }
        let times = [
            ("slice_us", self.slice_us),
            ("dl-runtime", self.dl_runtime_us),
            ("dl-period", self.dl_period_us),
            ("dl-deadline", self.dl_deadline_us),
        ];
        for (key, time) in times {
            if let Some(time) = time {
                object.push(key, time);
            }
        }
        if let Some(cpus) = &self.cpus {
            object.push("cpus", cpus.clone());
        }
        if let Some(group) = &self.taskgroup {
            object.push("taskgroup", group.as_str());
        }
        if let Some(latency_nice) = self.latency_nice {
            object.push("latency_nice", latency_nice);
        }
        if let Some(kib) = self.working_set_kib {
            object.push("working_set_kib", kib);
        }
        for (key, value) in &self.unmodelled {
            object.push(key, value.clone());
        }
    }
}
