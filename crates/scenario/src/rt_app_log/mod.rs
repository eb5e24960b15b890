//! The log that rt-app writes for each of its threads, of a run in the engine: a line each time a
//! phase is done, in rt-app's own columns, so that a log from a real machine can be laid beside it.
//!
//! [`crate::Scenario::prepare_logged`] makes programs that note when their events begin and end;
//! [`LogPlan::logs`] makes the lines from what they noted. Not for other statistics.

mod lines;
mod text;

use std::collections::HashMap;

use schedlab_sim::{Run, TaskId};

use crate::json::Kind;
use crate::workload::{Action, Policy, Task, TimerMode, Workload};

use lines::Lines;

/// A loop of rt-app's calibration where the document gives none, nanoseconds.
const DEFAULT_LOOP_NS: u64 = 1000;

/// The log of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskLog {
    /// Its name, with the number of the instance where there are several.
    pub name: String,
    /// Its policy at the start.
    pub policy: Policy,
    /// Its nice value or real-time priority at the start.
    pub priority: i32,
    /// A line each time a phase was done.
    pub lines: Vec<LogLine>,
}

/// A line of the log: one time through the events of a phase. Times are whole microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogLine {
    /// Which phase of the task, from 0.
    pub idx: usize,
    /// Work done, in loops of rt-app's calibration: `global.calibration` says how many nanoseconds one
    /// takes; where it names a CPU, 1000.
    pub perf: u64,
    /// In `run` and `runtime` events, waits on the run queue included.
    pub run: u64,
    /// From the start of the phase to its end.
    pub period: u64,
    /// When it began, from the start of the run.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// The same as `start`: simulated time begins with the use case.
    pub rel_st: u64,
    /// From the beginning of the last timer event to the timer's point, negative when that was past;
    /// with `global.cumulative_slack` the sum over all timer events of the phase.
    pub slack: i64,
    /// The configured length of the `run` and `runtime` events; the mean of a distribution.
    pub c_duration: u64,
    /// The periods of the timer events.
    pub c_period: u64,
    /// From the timers' points to when the task ran again.
    pub wu_lat: u64,
}

/// What the numbers mean that the programs of a scenario note.
#[derive(Clone, Debug)]
pub struct LogPlan {
    tasks: Vec<TaskPlan>,
    places: Vec<Place>,
    loop_ns: u64,
    cumulative_slack: bool,
}

/// A task of the document.
#[derive(Clone, Debug)]
struct TaskPlan {
    policy: Policy,
    priority: i32,
    phases: Vec<PhasePlan>,
}

/// A phase: its events, as far as they matter to the log.
#[derive(Clone, Debug)]
struct PhasePlan {
    /// The number of the first event's beginning; those of the others follow, then that of the end.
    first: u32,
    events: Vec<EventPlan>,
    c_duration: u64,
    c_period: u64,
}

#[derive(Clone, Debug)]
enum EventPlan {
    Run,
    Timer { name: String, own: bool, period_ns: u64, mode: TimerMode },
    Other,
}

/// What a number stands for: the beginning of an event, or after the last one the end of the phase.
#[derive(Clone, Copy, Debug)]
struct Place {
    task: usize,
    phase: usize,
    event: usize,
}

impl LogPlan {
    pub(crate) fn of(workload: &Workload) -> Self {
        let mut places = Vec::new();
        let default_policy = workload.global.default_policy.unwrap_or_default();
        let tasks = workload.tasks.iter().enumerate();
        let tasks = tasks.map(|(index, task)| TaskPlan::of(index, task, default_policy, &mut places)).collect();
        let ignored = |key: &str| workload.global.ignored.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        let loop_ns = match ignored("calibration").map(|value| &value.kind) {
            Some(Kind::Number(text)) => text.parse::<u64>().ok().filter(|ns| *ns > 0),
            _ => None,
        };
        Self {
            tasks,
            places,
            loop_ns: loop_ns.unwrap_or(DEFAULT_LOOP_NS),
            cumulative_slack: ignored("cumulative_slack").is_some_and(|value| value.kind == Kind::Bool(true)),
        }
    }

    /// The number of the beginning of an event, or of the end of the phase.
    pub(crate) fn number(&self, task: usize, phase: usize, event: usize) -> u32 {
        let first = self.tasks.get(task).and_then(|task| task.phases.get(phase)).map_or(0, |phase| phase.first);
        first.saturating_add(u32::try_from(event).unwrap_or(u32::MAX))
    }

    /// The logs of a run of what [`crate::Scenario::prepare_logged`] gave, in the order of its tasks; those
    /// that never began are left out. A phase that the end of the run cuts off has no line, as in
    /// rt-app.
    #[must_use]
    pub fn logs(&self, run: &Run) -> Vec<TaskLog> {
        let mut lines = Lines::new(self);
        let mut tasks: HashMap<TaskId, usize> = HashMap::new();
        for mark in run.record.marks() {
            if let Some(place) = self.places.get(mark.number as usize) {
                tasks.entry(mark.task).or_insert(place.task);
                lines.note(mark.task, *place, mark.at_ns);
            }
        }
        let mut done = lines.finish();
        let named = run.tasks.iter().zip(0..).map(|(result, index)| (&result.name, TaskId(index)));
        let log = |(name, id): (&String, TaskId)| {
            let plan = self.tasks.get(*tasks.get(&id)?)?;
            let lines = done.remove(&id).unwrap_or_default();
            Some(TaskLog { name: name.clone(), policy: plan.policy, priority: plan.priority, lines })
        };
        named.filter_map(log).collect()
    }
}

impl TaskPlan {
    fn of(index: usize, task: &Task, default_policy: Policy, places: &mut Vec<Place>) -> Self {
        let policy = task.attributes.policy.unwrap_or(default_policy);
        let usual = if matches!(policy, Policy::Fifo | Policy::RoundRobin) { 10 } else { 0 };
        let mut phases = Vec::with_capacity(task.phases.len());
        for (phase_index, phase) in task.phases.iter().enumerate() {
            let first = u32::try_from(places.len()).unwrap_or(u32::MAX);
            let place = |event| Place { task: index, phase: phase_index, event };
            places.extend((0..=phase.events.len()).map(place));
            let mut plan =
                PhasePlan { first, events: Vec::with_capacity(phase.events.len()), c_duration: 0, c_period: 0 };
            for event in &phase.events {
                plan.add(&event.action);
            }
            phases.push(plan);
        }
        Self { policy, priority: task.attributes.priority.unwrap_or(usual), phases }
    }
}

impl PhasePlan {
    fn add(&mut self, action: &Action) {
        let event = match action {
            Action::Run(amount) | Action::Runtime(amount) => {
                self.c_duration = self.c_duration.saturating_add(amount.mean().round() as u64);
                EventPlan::Run
            }
            Action::RunNs(amount) => {
                self.c_duration = self.c_duration.saturating_add((amount.mean() / 1000.0).round() as u64);
                EventPlan::Run
            }
            Action::Timer { name, period_us, mode } => {
                self.c_period = self.c_period.saturating_add(*period_us);
                let own = name.starts_with("unique");
                let period_ns = period_us.saturating_mul(1000);
                EventPlan::Timer { name: name.clone(), own, period_ns, mode: *mode }
            }
            _ => EventPlan::Other,
        };
        self.events.push(event);
    }
}
