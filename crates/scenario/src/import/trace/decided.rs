//! What a trace leaves open, decided: whose a wake-up was, what a yield was, and so what each task asks
//! for. Not for how to decide: `judge` and `ticks` have that.

use super::demand::{self, Act, Unit};
use super::judge::Verdicts;
use super::recover::Recovery;
use super::report::TracedTask;
use super::task::{Begin, Index, Step, Task as Traced, Waker};
use super::ticks::Ticks;

/// A task yields when so many of its departures are at no tick …
const LEAST_YIELDS: usize = 5;
/// … and this part of them.
const YIELDS_PART: f64 = 0.5;

/// What the trace leaves open, decided.
pub(super) struct Decided<'r> {
    pub recovery: &'r Recovery,
    /// For each task, its place among those kept.
    pub places: Vec<Option<u32>>,
    pub verdicts: Verdicts,
    pub yields: Vec<bool>,
    pub ticks: Option<Ticks>,
}

/// What a task asks for, and when it begins to.
pub(super) struct Demand {
    pub delay_ns: u64,
    pub acts: Vec<Act>,
}

pub(super) fn yields(task: &Traced, ticks: Option<&Ticks>) -> bool {
    let Some(ticks) = ticks else { return false };
    let left = task.steps.iter().filter_map(|step| match step {
        Step::Left { at_ns, cpu } => Some((*at_ns, *cpu)),
        _ => None,
    });
    let (at_tick, elsewhere): (Vec<_>, Vec<_>) = left.partition(|(at_ns, cpu)| ticks.explains(*at_ns, *cpu));
    let all = at_tick.len() + elsewhere.len();
    elsewhere.len() >= LEAST_YIELDS && elsewhere.len() as f64 >= YIELDS_PART * all as f64
}

impl Decided<'_> {
    /// Whether a wake-up was made by the task that ran.
    fn is_of_task(&self, wakee: Index, waker: Index, sure: bool) -> bool {
        let is_kept = |task: Index| self.places[task as usize].is_some();
        is_kept(wakee) && is_kept(waker) && (sure || self.verdicts.is_own(wakee, waker))
    }

    /// What a task asks for.
    pub fn demand(&self, index: Index, unit: Unit) -> Demand {
        let task = &self.recovery.tasks[index as usize];
        let place = |task: Index| self.places[task as usize];
        let mut acts: Vec<Act> = Vec::new();
        for step in &task.steps {
            let act = match *step {
                Step::Run(ns) => match acts.last_mut() {
                    Some(Act::Run(before)) => {
                        *before += ns;
                        continue;
                    }
                    _ => Act::Run(ns),
                },
                Step::Block { by: Waker::Task { task, sure }, .. } if self.is_of_task(index, task, sure) => Act::Wait,
                Step::Block { ns, .. } => Act::Sleep(ns),
                Step::Post { wakee, sure } => match place(wakee) {
                    Some(place) if self.is_of_task(wakee, index, sure) => Act::Post(place),
                    _ => continue,
                },
                Step::Left { at_ns, cpu } => {
                    let tick = self.ticks.as_ref().is_some_and(|ticks| ticks.explains(at_ns, cpu));
                    if !self.yields[index as usize] || tick {
                        continue;
                    }
                    Act::Yield
                }
                Step::Fork(child) => match place(child) {
                    Some(place) => Act::Fork(place),
                    None => continue,
                },
                Step::Nice(nice) => Act::Nice(nice),
                Step::Nothing => continue,
            };
            acts.push(act);
        }
        if self.yields[index as usize] {
            acts = demand::with_hidden_yields(acts);
        }
        let mut delay_ns = 0;
        if let (Begin::Woken, Some(Act::Sleep(ns))) = (task.begin, acts.first()) {
            // One that waits for another task starts at once, and waits.
            delay_ns = *ns;
            acts.remove(0);
        }
        // A task that took no time at all would loop for ever without any.
        let takes_time = acts.iter().any(|act| match act {
            Act::Run(ns) | Act::Sleep(ns) => *ns > 0,
            Act::Wait | Act::Yield => true,
            _ => false,
        });
        if !takes_time {
            acts.push(Act::Run(if unit == Unit::Micro { 1000 } else { 1 }));
        }
        Demand { delay_ns, acts }
    }

    /// What the report says of a task.
    pub fn row(&self, index: Index, name: &str) -> TracedTask {
        let task = &self.recovery.tasks[index as usize];
        let (mut woken_by_tasks, mut woken_by_timers) = (0, 0);
        for step in &task.steps {
            match *step {
                Step::Block { by: Waker::Task { task, sure }, .. } if self.is_of_task(index, task, sure) => {
                    woken_by_tasks += 1;
                }
                Step::Block { by: Waker::Interrupt | Waker::Task { .. }, .. } => woken_by_timers += 1,
                _ => {}
            }
        }
        let yields = self.yields[index as usize].then(|| {
            let ticks = self.ticks.as_ref();
            let count = task.steps.iter().filter(|step| match **step {
                Step::Left { at_ns, cpu } => !ticks.is_some_and(|ticks| ticks.explains(at_ns, cpu)),
                _ => false,
            });
            count.count() as u64
        });
        let mut cpus: Vec<u32> = task.on_cpus.iter().map(|(cpu, _)| *cpu).collect();
        cpus.sort_unstable();
        TracedTask {
            name: name.to_owned(),
            pid: task.pid,
            runtime_ns: task.counts.runtime_ns,
            woken_by_tasks,
            woken_by_timers,
            yields: yields.unwrap_or(0),
            cpus,
        }
    }

    /// How many unsure wake-ups went to timers and to tasks.
    pub fn judged(&self) -> (u64, u64) {
        let (mut timers, mut tasks) = (0, 0);
        for (index, task) in (0..).zip(&self.recovery.tasks) {
            for step in &task.steps {
                if let Step::Block { by: Waker::Task { task, sure: false }, .. } = *step {
                    let count = if self.is_of_task(index, task, false) { &mut tasks } else { &mut timers };
                    *count += 1;
                }
            }
        }
        (timers, tasks)
    }
}
