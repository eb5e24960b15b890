//! How the scheduling of a task changes from phase to phase.
//! A phase changes only what it names, so what it leaves a task with depends on what was before.

use schedlab_sim::kernel::Release;
use schedlab_sim::{Policy as SimPolicy, Step};

use crate::problem::Problem;
use crate::workload::{Action, Attributes, Loops, Phase, Policy, Task};

use super::program::Compiler;

/// The shortest and the longest slice of its own that a task can have (scheduler-model §4.7).
const SLICE_US: std::ops::RangeInclusive<u64> = 100..=100_000;

/// The scheduling of a task at one point of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    policy: Policy,
    nice: i8,
    slice_us: Option<u64>,
}

/// The state before each phase in the first round of a task, and in every later one.
pub(super) struct Flow {
    pub first: Vec<State>,
    pub later: Vec<State>,
}

impl State {
    /// What a phase or task makes of it. Values out of range are left out: they were told.
    fn with(self, attributes: &Attributes) -> Self {
        let policy = attributes.policy.unwrap_or(self.policy);
        let takes_nice = matches!(policy, Policy::Other | Policy::Batch);
        let nice = attributes.priority.filter(|_| takes_nice).and_then(nice_value).unwrap_or(self.nice);
        let slice_us = match attributes.slice_us() {
            Some(0) if takes_nice => None,
            Some(slice) if takes_nice => Some(slice.clamp(*SLICE_US.start(), *SLICE_US.end())),
            _ => self.slice_us,
        };
        Self { policy, nice, slice_us }
    }

    /// The state after a phase: its attributes, then its `nice` events.
    fn after(self, phase: &Phase) -> Self {
        if phase.loops == Loops::Times(0) {
            return self;
        }
        let state = self.with(&phase.attributes);
        let nice = phase.events.iter().rev().find_map(|event| match event.action {
            Action::Nice(nice) => Some(nice),
            _ => None,
        });
        Self { nice: nice.unwrap_or(state.nice), ..state }
    }
}

impl Flow {
    /// Follows the state through the phases. After one round it repeats: what a round names is
    /// fixed, and what it does not name stays.
    pub fn of(initial: State, phases: &[Phase]) -> Self {
        let round = |start: State| {
            let mut state = start;
            let mut before = Vec::with_capacity(phases.len());
            for phase in phases {
                before.push(state);
                state = state.after(phase);
            }
            (before, state)
        };
        let (first, end) = round(initial);
        Self { first, later: round(end).0 }
    }

    /// Whether the phases change the task in the first round as in the later ones.
    pub fn is_steady(&self, phases: &[Phase]) -> bool {
        let changes = |state: State, phase: &Phase| state.with(&phase.attributes);
        phases.iter().enumerate().filter(|(_, phase)| phase.loops != Loops::Times(0)).all(|(index, phase)| {
            let (first, later) = (self.first[index], self.later[index]);
            let (a, b) = (changes(first, phase), changes(later, phase));
            a == b || (a == first && b == later)
        })
    }

    /// The change at the start of a phase, if it makes one in any of the rounds asked for.
    pub fn change(&self, index: usize, phase: &Phase, first: bool, later: bool) -> Option<State> {
        let of = |states: &[State]| (states[index], states[index].with(&phase.attributes));
        let ((a, a_after), (b, b_after)) = (of(&self.first), of(&self.later));
        if first && a != a_after {
            Some(a_after)
        } else if later && b != b_after {
            Some(b_after)
        } else {
            None
        }
    }
}

fn nice_value(priority: i32) -> Option<i8> {
    i8::try_from(priority).ok().filter(|nice| (-20..=19).contains(nice))
}

impl Compiler<'_> {
    /// The scheduling a task starts with.
    pub(super) fn initial(&self, task: &Task, path: &str, found: &mut Vec<Problem>) -> State {
        let policy = self.scenario.workload.global.default_policy.unwrap_or_default();
        let default = State { policy, nice: 0, slice_us: None };
        let state = default.with(&task.attributes);
        check(&task.attributes, state.policy, true, path, self.release(), found);
        state
    }

    /// Tells of what is wrong or odd in the attributes of a phase that begins with `before`.
    pub(super) fn check_phase(&self, phase: &Phase, before: State, path: &str, found: &mut Vec<Problem>) {
        let policy = before.with(&phase.attributes).policy;
        check(&phase.attributes, policy, phase.attributes.policy.is_some(), path, self.release(), found);
    }

    /// The state as the engine takes it: real-time and deadline tasks run in the fair class for the
    /// present.
    pub(super) fn in_engine(&self, state: State) -> (SimPolicy, i8, Option<u64>) {
        let policy = match state.policy {
            Policy::Other => SimPolicy::Normal,
            Policy::Batch => SimPolicy::Batch,
            Policy::Idle => SimPolicy::Idle,
            Policy::Fifo | Policy::RoundRobin | Policy::Deadline => return (SimPolicy::Normal, 0, None),
        };
        let slice = state.slice_us.filter(|_| has_custom_slices(self.release())).map(|slice| slice * 1000);
        (policy, state.nice, slice)
    }

    pub(super) fn attributes_step(&self, state: State) -> Step {
        let (policy, nice, slice_ns) = self.in_engine(state);
        Step::Attributes { policy, nice, slice_ns }
    }

    fn release(&self) -> Release {
        self.scenario.kernel.release
    }
}

/// Custom slices came with 6.12 (scheduler-model §2).
fn has_custom_slices(release: Release) -> bool {
    release >= Release::V6_12
}

fn check(
    attributes: &Attributes,
    policy: Policy,
    names_policy: bool,
    path: &str,
    release: Release,
    found: &mut Vec<Problem>,
) {
    let name = policy.name();
    if !policy.is_fair() && names_policy {
        let at = if attributes.policy.is_some() { format!("{path}.policy") } else { path.to_owned() };
        let message = format!("{name} is not modelled yet; the task runs as SCHED_OTHER with nice 0");
        found.push(Problem::notice(at, message));
    }
    if let Some(priority) = attributes.priority {
        let at = format!("{path}.priority");
        match policy {
            Policy::Other | Policy::Batch if nice_value(priority).is_none() => {
                let message = format!("expected the nice value of a {name} task, from -20 to 19, not {priority}");
                found.push(Problem::error(at, message));
            }
            Policy::Fifo | Policy::RoundRobin if !(1..=99).contains(&priority) => {
                let message = format!("expected the priority of a {name} task, from 1 to 99, not {priority}");
                found.push(Problem::error(at, message));
            }
            Policy::Idle => found.push(Problem::notice(at, "the nice value of a SCHED_IDLE task has no effect")),
            _ => {}
        }
    }
    let Some(slice) = attributes.slice_us() else { return };
    let key = if attributes.slice_us.is_some() { "slice_us" } else { "dl-runtime" };
    let at = format!("{path}.{key}");
    let takes_slice = matches!(policy, Policy::Other | Policy::Batch);
    if !takes_slice && (key == "slice_us" || policy == Policy::Idle) {
        found.push(Problem::notice(at, format!("a {name} task takes no slice of its own")));
    } else if takes_slice && !has_custom_slices(release) {
        let message = format!("{} has no slices of a task's own (6.12 and later have); it is ignored", release.name());
        found.push(Problem::notice(at, message));
    } else if takes_slice && slice > 0 && !SLICE_US.contains(&slice) {
        let (least, most) = (SLICE_US.start(), SLICE_US.end());
        found.push(Problem::notice(at, format!("the kernel keeps a slice between {least} and {most} µs")));
    }
}
