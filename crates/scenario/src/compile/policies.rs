//! What is wrong or odd in what a task or phase says of policy, priority, slice and budget.
//! Not for what it means: [`super::attributes`] has that.

use schedlab_sim::kernel::Release;

use crate::document::Scenario;
use crate::problem::Problem;
use crate::workload::{Attributes, Policy};

use super::attributes::{SLICE_US, State, has_custom_slices, nice_value, rt_priority};
use super::names::{Paths, PhasePath};

/// The shortest budget, microseconds: the kernel wants 1024 ns.
const LEAST_RUNTIME_US: u64 = 2;

/// Where attributes stand.
#[derive(Clone, Copy)]
pub(super) struct At<'p> {
    /// The path of the task or phase.
    pub path: &'p str,
    pub release: Release,
    /// Whether they are those a task starts with, so that what they leave out matters too.
    pub first: bool,
}

impl At<'_> {
    fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }
}

/// Tells of what is wrong or odd in attributes that lead to `state`.
pub(super) fn check(attributes: &Attributes, state: State<'_>, at: At<'_>, found: &mut Vec<Problem>) {
    if let Some(priority) = attributes.priority {
        found.extend(priority_problem(priority, state.policy, at));
    }
    if state.policy == Policy::Deadline {
        found.extend(deadline_problem(attributes, state, at));
    }
    found.extend(slice_problem(attributes, state.policy, at));
}

fn priority_problem(priority: i32, policy: Policy, at: At<'_>) -> Option<Problem> {
    let (name, path) = (policy.name(), at.key("priority"));
    match policy {
        Policy::Other | Policy::Batch if nice_value(priority).is_none() => {
            let message = format!("expected the nice value of a {name} task, from -20 to 19, not {priority}");
            Some(Problem::error(path, message))
        }
        Policy::Fifo | Policy::RoundRobin if rt_priority(priority).is_none() => {
            let message = format!("expected the priority of a {name} task, from 1 to 99, not {priority}");
            Some(Problem::error(path, message))
        }
        Policy::Idle => Some(Problem::notice(path, "the nice value of a SCHED_IDLE task has no effect")),
        Policy::Deadline => Some(Problem::notice(path, "the priority of a SCHED_DEADLINE task has no effect")),
        _ => None,
    }
}

/// runtime ≤ deadline ≤ period, as the kernel demands.
fn deadline_problem(attributes: &Attributes, state: State<'_>, at: At<'_>) -> Option<Problem> {
    let named = [
        ("dl-runtime", attributes.dl_runtime_us.is_some()),
        ("dl-deadline", attributes.dl_deadline_us.is_some()),
        ("dl-period", attributes.dl_period_us.is_some()),
        ("policy", attributes.policy.is_some()),
    ];
    // What a phase does not name was told where it was named.
    let first_named = || named.iter().find(|(_, named)| *named).map(|&(key, _)| at.key(key));
    let here = match first_named() {
        Some(path) => path,
        None if at.first => at.path.to_owned(),
        None => return None,
    };
    // The key that is wrong, if it is one of those named.
    let place = |key: &str| if named.contains(&(key, true)) { at.key(key) } else { here.clone() };
    let (runtime, deadline, period) = state.deadline.all();
    let (key, message) = if state.deadline.runtime_us.is_none() {
        ("policy", "a SCHED_DEADLINE task needs `dl-runtime`, its budget in µs".to_owned())
    } else if runtime < LEAST_RUNTIME_US {
        ("dl-runtime", format!("expected a budget of at least {LEAST_RUNTIME_US} µs, not {runtime}"))
    } else if deadline < runtime {
        // The period stands for a deadline that nobody named.
        let (key, what) = if deadline == period { ("dl-period", "period") } else { ("dl-deadline", "deadline") };
        (key, format!("expected a {what} of at least the budget, {runtime} µs, not {deadline}"))
    } else if period < deadline {
        ("dl-period", format!("expected a period of at least the deadline, {deadline} µs, not {period}"))
    } else {
        return None;
    };
    Some(Problem::error(place(key), message))
}

fn slice_problem(attributes: &Attributes, policy: Policy, at: At<'_>) -> Option<Problem> {
    let slice = attributes.slice_us()?;
    let key = if attributes.slice_us.is_some() { "slice_us" } else { "dl-runtime" };
    let takes_slice = matches!(policy, Policy::Other | Policy::Batch);
    let message = if !takes_slice {
        if key == "dl-runtime" && policy != Policy::Idle {
            return None;
        }
        format!("a {} task takes no slice of its own", policy.name())
    } else if !has_custom_slices(at.release) {
        format!("{} has no slices of a task's own (6.12 and later have); it is ignored", at.release.name())
    } else if slice > 0 && !SLICE_US.contains(&slice) {
        let (least, most) = (SLICE_US.start(), SLICE_US.end());
        format!("the kernel keeps a slice between {least} and {most} µs")
    } else {
        return None;
    };
    Some(Problem::notice(at.key(key), message))
}

/// Says once, at the first task above the fair class, what is not modelled there.
pub(super) fn higher_classes(scenario: &Scenario, paths: &Paths, found: &mut Vec<Problem>) {
    let workload = &scenario.workload;
    let higher = |attributes: &Attributes| attributes.policy.is_some_and(|policy| !policy.is_fair());
    let by_default = workload.global.default_policy.is_some_and(|policy| !policy.is_fair())
        && workload.tasks.iter().any(|task| task.attributes.policy.is_none());
    let place = if by_default {
        Some("workload.global.default_policy".to_owned())
    } else {
        workload.tasks.iter().zip(&paths.tasks).find_map(|(task, path)| {
            if higher(&task.attributes) {
                return Some(format!("{path}.policy"));
            }
            let phase = task.phases.iter().position(|phase| higher(&phase.attributes))?;
            PhasePath::all(path, task).get(phase).map(|phase| format!("{}.policy", phase.path))
        })
    };
    if let Some(place) = place {
        let message = "tasks above the fair class can keep the others off the CPU: real-time throttling \
                       (sched_rt_runtime_us), the fair server, admission control and priority inheritance are not \
                       modelled";
        found.push(Problem::notice(&place, message));
        if scenario.online_cpus() > 1 {
            let message = "how such tasks are pushed and pulled between CPUs is simple here, and was not checked \
                           against a kernel";
            found.push(Problem::notice(place, message));
        }
    }
}
