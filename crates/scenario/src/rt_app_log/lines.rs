//! From the instants that programs noted to the lines of the log.
//! Not for what the columns look like.

use std::collections::HashMap;

use schedlab_sim::TaskId;

use crate::workload::TimerMode;

use super::{EventPlan, LogLine, LogPlan, PhasePlan, Place};

/// The lines so far, and what each task is at.
pub(super) struct Lines<'p> {
    plan: &'p LogPlan,
    at: HashMap<TaskId, Phase>,
    /// The last point of each timer, nanoseconds; a timer of a task's own goes with it.
    timers: HashMap<(Option<TaskId>, &'p str), u64>,
    done: HashMap<TaskId, Vec<LogLine>>,
}

/// A phase that is under way. Times are nanoseconds.
#[derive(Clone, Copy)]
struct Phase {
    begun: u64,
    /// When the present event began.
    event_begun: u64,
    /// The point that the present event waits for, if it is a timer's.
    point: Option<u64>,
    run: u64,
    slack: i64,
    wake_latency: u64,
}

impl<'p> Lines<'p> {
    /// Before the first mark.
    pub fn new(plan: &'p LogPlan) -> Self {
        Self { plan, at: HashMap::new(), timers: HashMap::new(), done: HashMap::new() }
    }

    /// A task is at a place of its program.
    pub fn note(&mut self, task: TaskId, place: Place, now: u64) {
        let plan = self.plan;
        let Some(phase) = plan.tasks.get(place.task).and_then(|task| task.phases.get(place.phase)) else { return };
        if place.event == 0 {
            let begun = Phase { begun: now, event_begun: now, point: None, run: 0, slack: 0, wake_latency: 0 };
            self.at.insert(task, begun);
        } else {
            self.end_event(task, phase, place.event - 1, now);
        }
        if let Some(event) = phase.events.get(place.event) {
            self.begin_event(task, event, now);
        } else if let Some(at) = self.at.remove(&task) {
            let line = self.line(place.phase, phase, at, now);
            self.done.entry(task).or_default().push(line);
        }
    }

    fn end_event(&mut self, task: TaskId, phase: &PhasePlan, event: usize, now: u64) {
        let Some(at) = self.at.get_mut(&task) else { return };
        match phase.events.get(event) {
            Some(EventPlan::Run) => at.run += now - at.event_begun,
            Some(EventPlan::Timer { .. }) => {
                if let Some(point) = at.point.take() {
                    at.wake_latency += now.saturating_sub(point);
                }
            }
            _ => {}
        }
    }

    fn begin_event(&mut self, task: TaskId, event: &'p EventPlan, now: u64) {
        let Some(at) = self.at.get_mut(&task) else { return };
        at.event_begun = now;
        let EventPlan::Timer { name, own, period_ns, mode } = event else { return };
        let previous = self.timers.entry((own.then_some(task), name)).or_insert(now);
        let next = previous.saturating_add(*period_ns);
        let slack = signed(next) - signed(now);
        at.slack = if self.plan.cumulative_slack { at.slack + slack } else { slack };
        at.point = (next > now).then_some(next);
        *previous = if next > now || *mode == TimerMode::Absolute { next } else { now };
    }

    fn line(&self, idx: usize, phase: &PhasePlan, at: Phase, now: u64) -> LogLine {
        let (start, end) = (at.begun / 1000, now / 1000);
        LogLine {
            idx,
            perf: phase.c_duration.saturating_mul(1000) / self.plan.loop_ns,
            run: at.run / 1000,
            period: (now - at.begun) / 1000,
            start,
            end,
            rel_st: start,
            slack: at.slack / 1000,
            c_duration: phase.c_duration,
            c_period: phase.c_period,
            wu_lat: at.wake_latency / 1000,
        }
    }

    /// The lines of each task.
    pub fn finish(self) -> HashMap<TaskId, Vec<LogLine>> {
        self.done
    }
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}
