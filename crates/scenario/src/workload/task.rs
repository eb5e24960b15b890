//! Tasks and phases of an rt-app document.

use crate::json::Value;
use crate::problem::{Problem, enough};
use crate::read::{Node, near_key};

use super::amount::MOST_US;
use super::attributes::{Attributes, KEYS};
use super::event::{EVENTS, Event, event_name};

/// A task: as many threads as it has instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// `instance`: how many threads; 0: a template for `fork` only.
    pub instances: u32,
    /// `delay`: when it starts, microseconds.
    pub delay_us: u64,
    /// `start`, an extension: how it starts.
    pub start: Start,
    /// `loop`: how often the phases are done.
    pub loops: Loops,
    /// `cookie`, an extension: its core-scheduling cookie at the start; 0: none.
    pub cookie: u64,
    /// `previous_cpu`, an extension: where it ran before its first wake-up; none: where a fork on an
    /// idle machine would have put it, one instance after the other.
    pub previous_cpu: Option<u32>,
    /// Its scheduling at the start.
    pub attributes: Attributes,
    /// What it does. One phase without a name, with nothing of its own but events, stands in the
    /// document without `phases`.
    pub phases: Vec<Phase>,
}

/// A phase of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// `loop`: how often the events are done.
    pub loops: Loops,
    /// What changes when it begins.
    pub attributes: Attributes,
    /// The events, in order.
    pub events: Vec<Event>,
}

/// How often something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// For ever (-1).
    Forever,
    /// That often.
    Times(u64),
}

/// How a task starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// By a wake-up, as rt-app's threads do.
    #[default]
    Wake,
    /// It is forked at that moment.
    Fork,
}

/// The most rounds a loop may have.
const MOST_LOOPS: i64 = 1_000_000_000_000;
/// The keys that a task has and a phase has not.
const TASK_KEYS: [&str; 6] = ["instance", "delay", "loop", "phases", "start", "previous_cpu"];
/// The largest cookie: JSON readers keep whole numbers up to here.
pub(super) const MOST_COOKIE: u64 = 1 << 53;

impl Task {
    /// A task of one instance that runs its events for ever.
    #[must_use]
    pub fn new(name: &str, events: Vec<Event>) -> Self {
        Self {
            name: name.to_owned(),
            instances: 1,
            delay_us: 0,
            start: Start::Wake,
            loops: Loops::Forever,
            cookie: 0,
            previous_cpu: None,
            attributes: Attributes::default(),
            phases: vec![Phase::unnamed(events)],
        }
    }

    /// Whether its events stand in the document without `phases`. The plain key `cookie` is that of
    /// the task there, so that an event of this key needs a phase.
    #[must_use]
    pub fn is_inline(&self) -> bool {
        let [phase] = self.phases.as_slice() else { return false };
        phase.name.is_empty()
            && phase.loops == Loops::Times(1)
            && phase.attributes == Attributes::default()
            && !phase.events.iter().any(|event| event.action.event() == "cookie" && event.written_key() == "cookie")
    }

    pub(super) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut task = Self::new(node.key(), Vec::new());
        let members = node.members("a task", out).unwrap_or_default();
        let phased = members.iter().any(|member| member.key() == "phases");
        let (mut events, mut seen) = (Vec::new(), Vec::new());
        for member in members.iter().filter(|member| !member.is_null()) {
            if enough(out) {
                break;
            }
            let key = member.key();
            let read = task.read_key(key, member, phased, out) || task.read_attribute(key, member, phased, out);
            if read {
                if seen.contains(&key) {
                    out.push(member.key_error(format!("`{key}` is there twice")));
                }
                seen.push(key);
            } else if phased && event_name(key).is_some() {
                out.push(member.notice("rt-app ignores events beside `phases`; so does this"));
            } else {
                events.extend(read_event(member, TASK_KEYS.into_iter(), out));
            }
        }
        if !phased {
            task.phases = vec![Phase::unnamed(events)];
        }
        task
    }

    /// Reads the member if it is a key of tasks; says whether it was one.
    fn read_key(&mut self, key: &str, node: &Node<'_>, phased: bool, out: &mut Vec<Problem>) -> bool {
        match key {
            "instance" => {
                let most = u32::try_from(schedlab_sim::MAX_TASKS).unwrap_or(u32::MAX);
                self.instances = node.unsigned32("a whole number of instances", 0..=most, out).unwrap_or(1);
            }
            "delay" => self.delay_us = node.unsigned("a whole number of µs", 0..=MOST_US, out).unwrap_or(0),
            "loop" => self.loops = Loops::read(node, out).unwrap_or(self.loops),
            "cookie" => self.cookie = node.unsigned("a cookie", 0..=MOST_COOKIE, out).unwrap_or(0),
            "previous_cpu" => self.previous_cpu = node.unsigned32("a CPU number", 0..=1023, out),
            "start" => {
                let names = [("wake", Start::Wake), ("fork", Start::Fork)];
                self.start = node.one_of("way to start", &names, out).unwrap_or_default();
            }
            "phases" if phased => {
                let phases = node.members("an object of phases", out).unwrap_or_default();
                self.phases =
                    phases.iter().filter(|phase| !phase.is_null()).map(|phase| Phase::read(phase, out)).collect();
            }
            _ => return false,
        }
        true
    }

    /// Reads an attribute, in its old spelling too: `runtime`, `period`, `deadline`. Without phases
    /// `runtime` is the event.
    fn read_attribute(&mut self, key: &str, node: &Node<'_>, phased: bool, out: &mut Vec<Problem>) -> bool {
        let key = match key {
            "runtime" if phased => "dl-runtime",
            "period" => "dl-period",
            "deadline" => "dl-deadline",
            other => other,
        };
        self.attributes.read(key, node, out)
    }

    pub(super) fn write(&self) -> Value {
        let mut object = Value::object();
        if self.instances != 1 {
            object.push("instance", self.instances);
        }
        if self.delay_us != 0 {
            object.push("delay", self.delay_us);
        }
        if self.start == Start::Fork {
            object.push("start", "fork");
        }
        if let Loops::Times(times) = self.loops {
            object.push("loop", times);
        }
        if self.cookie != 0 {
            object.push("cookie", self.cookie);
        }
        if let Some(cpu) = self.previous_cpu {
            object.push("previous_cpu", cpu);
        }
        self.attributes.write(&mut object);
        if self.is_inline() {
            for event in self.phases.iter().flat_map(|phase| &phase.events) {
                object.push(event.written_key(), event.action.write());
            }
            return object;
        }
        let mut phases = Value::object();
        for phase in &self.phases {
            phases.push(&phase.name, phase.write());
        }
        object.push("phases", phases);
        object
    }
}

impl Phase {
    /// A phase without a name that is done once a round.
    #[must_use]
    pub fn unnamed(events: Vec<Event>) -> Self {
        Self { name: String::new(), loops: Loops::Times(1), attributes: Attributes::default(), events }
    }

    fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut phase = Self { name: node.key().to_owned(), ..Self::unnamed(Vec::new()) };
        let mut seen: Vec<&str> = Vec::new();
        for member in node.members("a phase", out).unwrap_or_default() {
            let key = member.key();
            if enough(out) {
                break;
            }
            if member.is_null() {
                continue;
            }
            if key == "loop" {
                phase.loops = Loops::read(&member, out).unwrap_or(phase.loops);
            } else if TASK_KEYS.contains(&key) {
                out.push(member.notice(format!("rt-app ignores `{key}` inside a phase; so does this")));
            } else if !phase.attributes.read(key, &member, out) {
                phase.events.extend(read_event(&member, std::iter::once("loop"), out));
                continue;
            }
            if seen.contains(&key) {
                out.push(member.key_error(format!("`{key}` is there twice")));
            }
            seen.push(key);
        }
        phase
    }

    fn write(&self) -> Value {
        let mut object = Value::object();
        match self.loops {
            Loops::Forever => object.push("loop", -1),
            Loops::Times(1) => {}
            Loops::Times(times) => object.push("loop", times),
        }
        self.attributes.write(&mut object);
        for event in &self.events {
            object.push(event.written_key(), event.action.write());
        }
        object
    }
}

impl Loops {
    fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Self> {
        let times = node.integer("a whole number of rounds (-1: for ever)", -1..=MOST_LOOPS, out)?;
        Some(u64::try_from(times).map_or(Self::Forever, Self::Times))
    }
}

/// Reads an event, or tells of an unknown key.
fn read_event<'n>(node: &Node<'_>, others: impl Iterator<Item = &'n str>, out: &mut Vec<Problem>) -> Option<Event> {
    let key = node.key();
    if let Some(event) = event_name(key) {
        return Event::read(node, event, out);
    }
    let known = EVENTS.into_iter().chain(KEYS).chain(others);
    // An event with a number is compared without it: `slep1` is near `sleep`.
    let bare = key.trim_end_matches(|character: char| character.is_ascii_digit() || character == '_');
    let near = near_key(bare, known, out);
    out.push(node.key_error(format!("unknown event or key `{key}`")).suggest(near));
    None
}
