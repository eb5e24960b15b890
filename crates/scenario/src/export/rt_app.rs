//! A scenario's workload as strict JSON that rt-app runs, and what of it rt-app cannot say.
//! Machine and kernel are those of whoever runs it.

use std::collections::BTreeMap;

use crate::compile::{Paths, PhasePath, Pipes};
use crate::document::{Group, Scenario};
use crate::path::key_text;
use crate::problem::Problem;
use crate::workload::{Action, Amount, Attributes, Event, MOST_US, Policy, Start, Task, Workload};

use super::pipes::{Semaphores, filler};

/// A workload in rt-app's own format.
#[derive(Clone, Debug)]
pub struct Exported {
    /// Strict JSON; no key is there twice.
    pub text: String,
    /// Each place that rt-app cannot say: what is written instead, or that it is left out.
    pub approximated: Vec<Problem>,
}

/// Writes the workload of a scenario for rt-app. Reading it back gives the same workload, where
/// nothing was approximated and no key was there twice (see [`Workload::with_unique_keys`]).
///
/// ```
/// let text = r#"{ "tasks": { "a": { "run": { "uniform": [100, 300] }, "sleep": 500, "run": 40 } } }"#;
/// let scenario = schedlab_scenario::open(text).map_err(|problems| problems[0].clone())?.scenario;
/// let exported = schedlab_scenario::export_rt_app(&scenario);
/// assert!(exported.text.contains(r#""run1": 40"#));
/// let place = "workload.tasks.a.run[0]: rt-app has no distributions: the mean, 200 µs, is written";
/// assert_eq!(exported.approximated[0].to_string(), place);
/// # Ok::<(), schedlab_scenario::Problem>(())
/// ```
#[must_use]
pub fn export_rt_app(scenario: &Scenario) -> Exported {
    let mut approximated = Vec::new();
    let paths = Paths::of(&scenario.workload);
    let semaphores = Semaphores::of(&scenario.workload);
    let mut workload = Workload { tasks: Vec::new(), ..scenario.workload.clone() };
    // rt-app's mutexes are glibc's, which are never handed over.
    workload.global.locks_barge = false;
    duration(scenario, &mut workload, &mut approximated);
    for (task, path) in scenario.workload.tasks.iter().zip(&paths.tasks) {
        let mut writer =
            Writer { semaphores: &semaphores, budget: has_budget(task, scenario), found: &mut approximated };
        workload.tasks.push(writer.task(task, path));
    }
    // Two capacities of one pipe are an error of the document, told where it is read.
    let pipes = Pipes::of(&scenario.workload, &paths, &mut Vec::new());
    workload.tasks.extend(filler(&semaphores, |pipe| pipes.capacity(pipe), &scenario.workload.tasks));
    let unique = workload.with_unique_keys();
    for ((task, before), path) in unique.tasks.iter().zip(&workload.tasks).zip(&paths.tasks) {
        if task.name != before.name {
            let message = format!("rt-app has one task of a name: this one is written as `{}`", task.name);
            approximated.push(Problem::notice(path, message));
        }
    }
    approximated.extend(scenario.groups.iter().filter_map(group));
    Exported { text: unique.write().to_pretty(), approximated }
}

/// rt-app has whole seconds, and the time of the run is the document's.
fn duration(scenario: &Scenario, workload: &mut Workload, found: &mut Vec<Problem>) {
    let Some(ms) = scenario.run.duration_ms else { return };
    let seconds = ms.div_ceil(1000);
    workload.global.duration_s = Some(seconds);
    if ms % 1000 != 0 {
        let message = format!("rt-app runs whole seconds: `global.duration` is {seconds}");
        found.push(Problem::notice("run.duration_ms", message));
    }
}

fn group(group: &Group) -> Option<Problem> {
    let plain = Group::new(group.path.clone()) == *group;
    let path = format!("groups.{}", key_text(group.path.as_str()));
    (!plain).then(|| Problem::notice(path, "rt-app puts tasks into a group and sets nothing of it; left out"))
}

/// Whether `dl-runtime` means a budget somewhere in the task.
fn has_budget(task: &Task, scenario: &Scenario) -> bool {
    let default = scenario.workload.global.default_policy;
    let phases = task.phases.iter().map(|phase| phase.attributes.policy);
    let mut policies = phases.chain([task.attributes.policy.or(default)]);
    policies.any(|policy| policy == Some(Policy::Deadline))
}

/// Rewrites one task.
struct Writer<'w> {
    semaphores: &'w BTreeMap<String, Semaphores>,
    budget: bool,
    found: &'w mut Vec<Problem>,
}

impl Writer<'_> {
    fn tell(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.found.push(Problem::notice(path, message));
    }

    fn task(&mut self, task: &Task, path: &str) -> Task {
        let mut plain = task.clone();
        let left_out = [
            ("start", task.start == Start::Fork),
            ("cookie", task.cookie != 0),
            ("previous_cpu", task.previous_cpu.is_some()),
        ];
        for (key, _) in left_out.iter().filter(|(_, named)| *named) {
            self.tell(format!("{path}.{key}"), LEFT_OUT);
        }
        (plain.start, plain.cookie, plain.previous_cpu) = (Start::Wake, 0, None);
        self.attributes(&mut plain.attributes, path);
        for ((phase, before), at) in plain.phases.iter_mut().zip(&task.phases).zip(PhasePath::all(path, task)) {
            self.attributes(&mut phase.attributes, &at.path);
            let events = before.events.iter().enumerate();
            phase.events = events.flat_map(|(position, event)| self.event(event, &|| at.event(position))).collect();
        }
        plain
    }

    fn attributes(&mut self, attributes: &mut Attributes, path: &str) {
        if let Some(slice) = attributes.slice_us.take() {
            let place = format!("{path}.slice_us");
            if self.budget {
                self.tell(place, "`dl-runtime` is the budget of this SCHED_DEADLINE task; the slice is left out");
            } else {
                attributes.dl_runtime_us = Some(slice);
                self.tell(place, "written as `dl-runtime`, rt-app's own key for a slice");
            }
        }
        let left_out = [
            ("latency_nice", attributes.latency_nice.take().is_some()),
            ("working_set_kib", attributes.working_set_kib.take().is_some()),
        ];
        for (key, _) in left_out.iter().filter(|(_, named)| *named) {
            self.tell(format!("{path}.{key}"), LEFT_OUT);
        }
    }

    /// What rt-app has for an event: itself, another one, two, or none.
    fn event(&mut self, event: &Event, path: &dyn Fn() -> String) -> Vec<Event> {
        let changed = |action: Action| vec![Event::new(action)];
        let same = |action: Action| vec![Event { key: event.key.clone(), action }];
        match &event.action {
            Action::Run(amount) => same(Action::Run(self.amount(amount, 1, path))),
            Action::Runtime(amount) => same(Action::Runtime(self.amount(amount, 1, path))),
            Action::Sleep(amount) => same(Action::Sleep(self.amount(amount, 1, path))),
            Action::RunNs(amount) => changed(Action::Run(self.amount(amount, 1000, path))),
            Action::SleepNs(amount) => changed(Action::Sleep(self.amount(amount, 1000, path))),
            Action::PipeWrite { pipe, .. } | Action::PipeRead { pipe, .. } => {
                let Some(semaphores) = self.semaphores.get(pipe) else { return Vec::new() };
                self.tell(path(), "rt-app has no pipes: two semaphores stand for it, and a task that makes its room");
                let write = matches!(event.action, Action::PipeWrite { .. });
                let actions = if write { semaphores.write() } else { semaphores.read() };
                actions.into_iter().map(Event::new).collect()
            }
            Action::Nice(_)
            | Action::Move(_)
            | Action::Weight { .. }
            | Action::Cookie(_)
            | Action::OperationBegin(_)
            | Action::OperationEnd(_) => {
                self.tell(path(), LEFT_OUT);
                Vec::new()
            }
            _ => vec![event.clone()],
        }
    }

    /// A number of microseconds for an amount in the given part of one (1000: nanoseconds).
    fn amount(&mut self, amount: &Amount, a_microsecond: u64, path: &dyn Fn() -> String) -> Amount {
        let mean = amount.mean();
        let rounded = ((mean / a_microsecond as f64).round() as u64).clamp(u64::from(mean > 0.0), MOST_US);
        if amount.constant().is_none() {
            self.tell(path(), format!("rt-app has no distributions: the mean, {rounded} µs, is written"));
        } else if (rounded * a_microsecond) as f64 != mean {
            self.tell(path(), format!("rt-app has whole microseconds: {rounded} µs is written"));
        }
        Amount::Fixed(rounded)
    }
}

const LEFT_OUT: &str = "rt-app has no such thing; left out";
