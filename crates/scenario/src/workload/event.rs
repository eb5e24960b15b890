//! The events of a phase: rt-app's and the extensions.

use crate::document::{GroupPath, read_weight};
use crate::json::{Kind, Value};
use crate::problem::Problem;
use crate::read::{Fields, Node};

use super::amount::{Amount, MOST_US};
use super::memory::{MOST_BYTES, MemoryRun};
use super::task::MOST_COOKIE;

/// The most messages that a pipe may hold.
const MOST_PIPE_CAPACITY: u32 = 1_000_000;

/// Every event a key can begin with: rt-app's, then the extensions.
pub const EVENTS: [&str; 30] = [
    "run",
    "runtime",
    "sleep",
    "timer",
    "lock",
    "unlock",
    "wait",
    "signal",
    "broad",
    "sync",
    "suspend",
    "resume",
    "sem_post",
    "sem_wait",
    "barrier",
    "yield",
    "fork",
    "mem",
    "iorun",
    "memrun",
    "ns_run",
    "ns_sleep",
    "nice",
    "op_begin",
    "op_end",
    "move",
    "weight",
    "cookie",
    "pipe_write",
    "pipe_read",
];

/// The event that a key stands for: the longest one it begins with (`runtime2` is `runtime`).
pub(super) fn event_name(key: &str) -> Option<&'static str> {
    // Long documents ask this a million times, and most names differ in their first letter.
    let first = key.as_bytes().first();
    let candidates = EVENTS.into_iter().filter(|name| name.as_bytes().first() == first);
    candidates.filter(|name| key.starts_with(name)).max_by_key(|name| name.len())
}

/// An event of a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its key, which begins with the event's name: `run`, `run0`.
    pub key: String,
    /// What happens.
    pub action: Action,
}

/// What happens in an event. Times are microseconds where no other unit is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `run`: that much work at full speed of one CPU.
    Run(Amount),
    /// `runtime`: busy until that much wall time has passed.
    Runtime(Amount),
    /// `sleep`.
    Sleep(Amount),
    /// `ns_run`, an extension: `run` in nanoseconds.
    RunNs(Amount),
    /// `ns_sleep`, an extension: `sleep` in nanoseconds.
    SleepNs(Amount),
    /// `timer`: sleep until the timer's next point.
    Timer {
        /// The timer; one whose name begins with `unique` is each instance's own.
        name: String,
        /// The distance between points, microseconds.
        period_us: u64,
        /// What happens when the next point is past.
        mode: TimerMode,
    },
    /// `lock` a mutex.
    Lock(String),
    /// `unlock` a mutex.
    Unlock(String),
    /// `wait` on a condition.
    Wait {
        /// The condition (`ref`).
        condition: String,
        /// The mutex.
        mutex: String,
    },
    /// `signal` a condition: wakes the first waiter.
    Signal(String),
    /// `broad`: wakes all waiters of a condition.
    Broadcast(String),
    /// `sync`: lock, signal, wait, unlock.
    Sync {
        /// The condition (`ref`).
        condition: String,
        /// The mutex.
        mutex: String,
    },
    /// `suspend` until resumed.
    Suspend(String),
    /// `resume` the tasks of that name, or all who wait under that name.
    Resume(String),
    /// `sem_post`.
    SemaphorePost(String),
    /// `sem_wait`.
    SemaphoreWait(String),
    /// `barrier`: all its users meet.
    Barrier(String),
    /// `yield`.
    Yield,
    /// `fork`: one more instance of that task.
    Fork(String),
    /// `nice`, an extension: changes the own nice value.
    Nice(i8),
    /// `move`, an extension: moves itself to another group, as `taskgroup` does at the start of a
    /// phase. The value is the path, `/` for the root.
    Move(GroupPath),
    /// `weight`, an extension: writes cpu.weight of a group. The value is
    /// `{"group": "/a", "weight": 200}`.
    Weight {
        /// The group; one that the document's `groups` or some task names.
        group: GroupPath,
        /// The weight, 1 to 10000.
        weight: u32,
    },
    /// `cookie`, an extension: takes another core-scheduling cookie; 0: none. In a task without
    /// `phases` the plain key is the task's own cookie, and the event is `cookie1` or so.
    Cookie(u64),
    /// `pipe_write`, an extension: puts a message into a pipe, and blocks while the pipe is full.
    /// The value is the pipe's name, or `{"ref": the pipe, "capacity": N}`.
    PipeWrite {
        /// The pipe.
        pipe: String,
        /// How many messages it holds, 1 to 1000000; none: what another event of the pipe says, or
        /// 16.
        capacity: Option<u32>,
    },
    /// `pipe_read`, an extension: takes a message out of a pipe, and blocks while it is empty.
    PipeRead {
        /// The pipe.
        pipe: String,
        /// As in [`Action::PipeWrite`].
        capacity: Option<u32>,
    },
    /// `op_begin`, an extension: an operation begins.
    OperationBegin(String),
    /// `op_end`, an extension: the operation ends.
    OperationEnd(String),
    /// `mem`: writes that many bytes to memory.
    Memory(u64),
    /// `iorun`: writes that many bytes to a device.
    Io(u64),
    /// `memrun`: walks through a buffer.
    MemoryRun(MemoryRun),
}

/// What a timer does when its next point is past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimerMode {
    /// The next point restarts at now, without a sleep.
    #[default]
    Relative,
    /// The grid stays; late points fire at once.
    Absolute,
}

impl Event {
    /// An event under the plain name of its action.
    #[must_use]
    pub fn new(action: Action) -> Self {
        Self { key: action.event().to_owned(), action }
    }

    pub(crate) fn read(node: &Node<'_>, event: &'static str, out: &mut Vec<Problem>) -> Option<Self> {
        Some(Self { key: node.key().to_owned(), action: Action::read(node, event, out)? })
    }

    /// The key that is written: its own, if it still fits the action.
    #[must_use]
    pub(crate) fn written_key(&self) -> &str {
        if event_name(&self.key) == Some(self.action.event()) { &self.key } else { self.action.event() }
    }
}

impl Action {
    /// The name of the event.
    #[must_use]
    pub const fn event(&self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Runtime(_) => "runtime",
            Self::Sleep(_) => "sleep",
            Self::RunNs(_) => "ns_run",
            Self::SleepNs(_) => "ns_sleep",
            Self::Timer { .. } => "timer",
            Self::Lock(_) => "lock",
            Self::Unlock(_) => "unlock",
            Self::Wait { .. } => "wait",
            Self::Signal(_) => "signal",
            Self::Broadcast(_) => "broad",
            Self::Sync { .. } => "sync",
            Self::Suspend(_) => "suspend",
            Self::Resume(_) => "resume",
            Self::SemaphorePost(_) => "sem_post",
            Self::SemaphoreWait(_) => "sem_wait",
            Self::Barrier(_) => "barrier",
            Self::Yield => "yield",
            Self::Fork(_) => "fork",
            Self::Nice(_) => "nice",
            Self::Move(_) => "move",
            Self::Weight { .. } => "weight",
            Self::Cookie(_) => "cookie",
            Self::PipeWrite { .. } => "pipe_write",
            Self::PipeRead { .. } => "pipe_read",
            Self::OperationBegin(_) => "op_begin",
            Self::OperationEnd(_) => "op_end",
            Self::Memory(_) => "mem",
            Self::Io(_) => "iorun",
            Self::MemoryRun(_) => "memrun",
        }
    }

    fn read(node: &Node<'_>, event: &'static str, out: &mut Vec<Problem>) -> Option<Self> {
        let amount = |out: &mut Vec<Problem>| Amount::read(node, "a whole number of µs", out);
        let amount_ns = |out: &mut Vec<Problem>| Amount::read(node, "a whole number of ns", out);
        let name = |what: &str, out: &mut Vec<Problem>| node.string(&format!("the name of {what}"), out);
        Some(match event {
            "run" => Self::Run(amount(out)?),
            "runtime" => Self::Runtime(amount(out)?),
            "sleep" => Self::Sleep(amount(out)?),
            "ns_run" => Self::RunNs(amount_ns(out)?),
            "ns_sleep" => Self::SleepNs(amount_ns(out)?),
            "timer" => return read_timer(node, out),
            "lock" => Self::Lock(name("a mutex", out)?),
            "unlock" => Self::Unlock(name("a mutex", out)?),
            "wait" => {
                let (condition, mutex) = read_wait(node, out)?;
                Self::Wait { condition, mutex }
            }
            "signal" => Self::Signal(name("a condition", out)?),
            "broad" => Self::Broadcast(name("a condition", out)?),
            "sync" => {
                let (condition, mutex) = read_wait(node, out)?;
                Self::Sync { condition, mutex }
            }
            "suspend" => Self::Suspend(name("a task", out)?),
            "resume" => Self::Resume(name("a task", out)?),
            "sem_post" => Self::SemaphorePost(name("a semaphore", out)?),
            "sem_wait" => Self::SemaphoreWait(name("a semaphore", out)?),
            "barrier" => Self::Barrier(name("a barrier", out)?),
            "yield" => Self::Yield,
            "fork" => Self::Fork(name("a task", out)?),
            "nice" => Self::Nice(i8::try_from(node.integer("a nice value", -20..=19, out)?).unwrap_or(0)),
            "move" => Self::Move(GroupPath::read(node, out)?),
            "weight" => return read_weight_event(node, out),
            "cookie" => Self::Cookie(node.unsigned("a cookie", 0..=MOST_COOKIE, out)?),
            "pipe_write" => {
                let (pipe, capacity) = read_pipe(node, out)?;
                Self::PipeWrite { pipe, capacity }
            }
            "pipe_read" => {
                let (pipe, capacity) = read_pipe(node, out)?;
                Self::PipeRead { pipe, capacity }
            }
            "op_begin" => Self::OperationBegin(name("an operation", out)?),
            "op_end" => Self::OperationEnd(name("an operation", out)?),
            "mem" => Self::Memory(node.unsigned("a whole number of bytes", 0..=MOST_BYTES, out)?),
            "iorun" => Self::Io(node.unsigned("a whole number of bytes", 0..=MOST_BYTES, out)?),
            "memrun" => Self::MemoryRun(MemoryRun::read(node, out)?),
            // Only names of the list above come here.
            _ => return None,
        })
    }

    pub(crate) fn write(&self) -> Value {
        let wait = |condition: &str, mutex: &str| {
            let mut object = Value::object();
            object.push("ref", condition);
            object.push("mutex", mutex);
            object
        };
        match self {
            Self::Run(amount)
            | Self::Runtime(amount)
            | Self::Sleep(amount)
            | Self::RunNs(amount)
            | Self::SleepNs(amount) => amount.write(),
            Self::Timer { name, period_us, mode } => {
                let mut object = Value::object();
                object.push("ref", name.as_str());
                object.push("period", *period_us);
                if *mode == TimerMode::Absolute {
                    object.push("mode", "absolute");
                }
                object
            }
            Self::Wait { condition, mutex } | Self::Sync { condition, mutex } => wait(condition, mutex),
            Self::Lock(name)
            | Self::Unlock(name)
            | Self::Signal(name)
            | Self::Broadcast(name)
            | Self::Suspend(name)
            | Self::Resume(name)
            | Self::SemaphorePost(name)
            | Self::SemaphoreWait(name)
            | Self::Barrier(name)
            | Self::Fork(name)
            | Self::OperationBegin(name)
            | Self::OperationEnd(name) => Value::from(name.as_str()),
            Self::Yield => Value::from(""),
            Self::Nice(nice) => Value::from(*nice),
            Self::Move(group) => Value::from(group.as_str()),
            Self::Weight { group, weight } => {
                let mut object = Value::object();
                object.push("group", group.as_str());
                object.push("weight", *weight);
                object
            }
            Self::Cookie(cookie) => Value::from(*cookie),
            Self::PipeWrite { pipe, capacity: None } | Self::PipeRead { pipe, capacity: None } => {
                Value::from(pipe.as_str())
            }
            Self::PipeWrite { pipe, capacity: Some(capacity) } | Self::PipeRead { pipe, capacity: Some(capacity) } => {
                let mut object = Value::object();
                object.push("ref", pipe.as_str());
                object.push("capacity", *capacity);
                object
            }
            Self::Memory(bytes) | Self::Io(bytes) => Value::from(*bytes),
            Self::MemoryRun(run) => run.write(),
        }
    }
}

fn read_timer(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Action> {
    let mut fields = Fields::of(node, "timer", out)?;
    let name = fields.take("ref", out).and_then(|node| node.string("the name of a timer", out));
    let period = fields.take("period", out);
    let mode = fields.take("mode", out);
    fields.finish(out);
    let modes = [("relative", TimerMode::Relative), ("absolute", TimerMode::Absolute)];
    let mode = mode.and_then(|node| node.one_of("timer mode", &modes, out)).unwrap_or_default();
    let Some(period) = period else {
        out.push(node.error("a timer needs a `period`"));
        return None;
    };
    let period_us = period.unsigned("a whole number of µs", 0..=MOST_US, out)?;
    // rt-app takes a timer without `ref` as one more timer of the unknown name.
    Some(Action::Timer { name: name.unwrap_or_else(|| "unknown".to_owned()), period_us, mode })
}

fn read_wait(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<(String, String)> {
    let mut fields = Fields::of(node, "a wait", out)?;
    let condition = fields.take("ref", out);
    let mutex = fields.take("mutex", out);
    fields.finish(out);
    if condition.is_none() || mutex.is_none() {
        out.push(node.error("expected {\"ref\": the condition, \"mutex\": the mutex}"));
    }
    Some((condition?.string("the name of a condition", out)?, mutex?.string("the name of a mutex", out)?))
}

/// The name of a pipe and how many messages it holds, if that is said.
fn read_pipe(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<(String, Option<u32>)> {
    match node.value.kind {
        Kind::String(_) => return Some((node.string("the name of a pipe", out)?, None)),
        Kind::Object(_) => {}
        _ => {
            let expected = "the name of a pipe or {\"ref\": its name, \"capacity\": its messages}";
            out.push(node.error(format!("expected {expected}, not {}", node.value.describe())));
            return None;
        }
    }
    let mut fields = Fields::of(node, "a pipe event", out)?;
    let name = fields.take("ref", out);
    let capacity = fields.take("capacity", out);
    fields.finish(out);
    if name.is_none() {
        out.push(node.error("a pipe event needs a `ref`, the name of the pipe"));
    }
    let capacity = capacity.and_then(|node| node.unsigned32("a whole number of messages", 1..=MOST_PIPE_CAPACITY, out));
    Some((name?.string("the name of a pipe", out)?, capacity))
}

fn read_weight_event(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Action> {
    let expected = "{\"group\": the path of a group, \"weight\": its cpu.weight}";
    if !matches!(node.value.kind, Kind::Object(_)) {
        out.push(node.error(format!("expected {expected}, not {}", node.value.describe())));
        return None;
    }
    let mut fields = Fields::of(node, "a weight event", out)?;
    let group = fields.take("group", out);
    let weight = fields.take("weight", out);
    fields.finish(out);
    if group.is_none() || weight.is_none() {
        out.push(node.error(format!("expected {expected}")));
    }
    let group = group.and_then(|node| GroupPath::read(&node, out));
    let weight = weight.and_then(|node| read_weight(&node, out));
    Some(Action::Weight { group: group?, weight: weight? })
}
