//! Judges wake-ups of which a trace without the flags column does not say who made them: the task
//! that ran at that moment, or a timer that interrupted it.
//!
//! Timers strike whoever runs: those that a task sleeps on are spread over the tasks (and the idle
//! thread) of the CPU as its time is. A task's own wake-ups are not. What strikes while the CPU is idle
//! is a timer's (or a device's), and tells how many of them strike while a task runs.

use std::collections::{HashMap, HashSet};

use super::recover::Recovery;
use super::task::{Index, Task};

/// What to believe of unsure wake-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wakers {
    /// Judge by who ran when.
    #[default]
    Judged,
    /// They are timers.
    Timers,
    /// They are the running tasks' own.
    Tasks,
}

impl Wakers {
    /// Every way, with its name.
    pub const ALL: [(&'static str, Self); 3] =
        [("judged", Self::Judged), ("timers", Self::Timers), ("tasks", Self::Tasks)];
}

/// How far from the CPU time's own distribution wakers must be (half the sum of differences) to be
/// believed, with very many wake-ups …
const FAR: f64 = 0.3;
/// … and more by this over the square root of their number.
const FAR_OF_ONE: f64 = 0.5;
/// So many wake-ups are more than chance.
const ENOUGH: u32 = 8;
/// This part of a task's wake-ups is one task's.
const ALONE_PART: f64 = 0.95;
/// So many wake-ups, and this part, must strike while the CPU is idle to tell how often timers strike.
const ENOUGH_IDLE: u32 = 5;
const IDLE_PART: f64 = 0.05;
/// A task's own wake-ups are more than timers would explain by this factor …
const FACTOR: f64 = 3.0;
/// … and this number.
const MARGIN: f64 = 3.0;

/// The pairs of wakee and running task whose unsure wake-ups are taken as that task's own.
pub(super) struct Verdicts {
    own: HashSet<(Index, Index)>,
    all: Option<bool>,
}

impl Verdicts {
    /// Judges every unsure wake-up; `waking`: the trace has `sched_waking`, which is recorded where the
    /// waker is, and not where the wakee will run.
    pub fn of(recovery: &Recovery, wakers: Wakers, waking: bool) -> Self {
        let all = match wakers {
            Wakers::Timers => Some(false),
            Wakers::Tasks => Some(true),
            Wakers::Judged => None,
        };
        let mut own = HashSet::new();
        if all.is_none() {
            for (wakee, task) in (0..).zip(&recovery.tasks) {
                let mut by_waker: HashMap<Index, u32> = HashMap::new();
                for ((waker, _), count) in &task.unsure {
                    if let Some(waker) = waker {
                        *by_waker.entry(*waker).or_default() += count;
                    }
                }
                let case = Case::of(recovery, wakee);
                let idle_ns = case.timers_strike_idle(waking).then(|| case.idle_ns());
                let of_tasks = idle_ns.is_none() && case.is_of_tasks();
                let is_own = |waker: Index, woken: u32| match idle_ns {
                    Some(idle_ns) => case.is_more(waker, woken, idle_ns),
                    None => of_tasks,
                };
                own.extend(by_waker.into_iter().filter(|(w, woken)| is_own(*w, *woken)).map(|(w, _)| (wakee, w)));
            }
        }
        Self { own, all }
    }

    /// Whether an unsure wake-up is the running task's own.
    pub fn is_own(&self, wakee: Index, waker: Index) -> bool {
        self.all.unwrap_or_else(|| self.own.contains(&(wakee, waker)))
    }
}

/// The unsure wake-ups of a task.
struct Case<'r> {
    recovery: &'r Recovery,
    task: &'r Task,
    total: u32,
    /// Of them: while the CPU was idle.
    of_idle: u32,
    on_cpu: HashMap<u32, u32>,
    window: u64,
}

impl<'r> Case<'r> {
    fn of(recovery: &'r Recovery, wakee: Index) -> Self {
        let task = &recovery.tasks[wakee as usize];
        let mut on_cpu: HashMap<u32, u32> = HashMap::new();
        for ((_, cpu), count) in &task.unsure {
            *on_cpu.entry(*cpu).or_default() += count;
        }
        let window = recovery.now_ns - recovery.first_ns.unwrap_or(recovery.now_ns);
        let of_idle = task.unsure.iter().filter(|((waker, _), _)| waker.is_none()).map(|(_, count)| count).sum();
        Self { recovery, task, total: task.unsure.values().sum(), of_idle, on_cpu, window }
    }

    /// How long something (none: the idle thread) ran on a CPU.
    fn time(&self, waker: Option<Index>, cpu: u32) -> u64 {
        match waker {
            Some(waker) => self.recovery.tasks[waker as usize].time_on(cpu),
            None => self.recovery.cpus[cpu as usize].idle_ns,
        }
    }

    /// Its part of the time in which the wakee did not run there.
    fn part(&self, waker: Option<Index>, cpu: u32) -> f64 {
        ratio(self.time(waker, cpu), self.window.saturating_sub(self.task.time_on(cpu)))
    }

    fn timers_strike_idle(&self, waking: bool) -> bool {
        waking && self.of_idle >= ENOUGH_IDLE && f64::from(self.of_idle) >= IDLE_PART * f64::from(self.total)
    }

    /// How long the CPUs were idle on which it was woken.
    fn idle_ns(&self) -> u64 {
        self.on_cpu.keys().map(|cpu| self.time(None, *cpu)).sum()
    }

    /// Whether a task woke it more often than the timers that strike the idle CPUs explain.
    fn is_more(&self, waker: Index, woken: u32, idle_ns: u64) -> bool {
        let on_cpus = &self.recovery.tasks[waker as usize].on_cpus;
        let ran: u64 = on_cpus.iter().filter(|(cpu, _)| self.on_cpu.contains_key(cpu)).map(|(_, ns)| ns).sum();
        f64::from(woken) > FACTOR * f64::from(self.of_idle) * ratio(ran, idle_ns) + MARGIN
    }

    /// Whether the wake-ups are far from spread as the CPU's time is, or one task's that sleeps too.
    fn is_of_tasks(&self) -> bool {
        if self.total == 0 {
            return false;
        }
        let distance: f64 = self
            .task
            .unsure
            .iter()
            .map(|(&(waker, cpu), &count)| {
                (f64::from(count) - f64::from(self.on_cpu[&cpu]) * self.part(waker, cpu)).max(0.0)
            })
            .sum::<f64>()
            / f64::from(self.total);
        if distance > FAR + FAR_OF_ONE / f64::from(self.total).sqrt() {
            return true;
        }
        // One task that sleeps about as often as it wakes: had timers ended the sleeps, some would have
        // struck while both slept, and found the CPU idle.
        let mut by_waker: HashMap<Index, u32> = HashMap::new();
        for ((waker, _), count) in &self.task.unsure {
            if let Some(waker) = waker {
                *by_waker.entry(*waker).or_default() += count;
            }
        }
        let most_often = by_waker.into_iter().max_by_key(|(waker, count)| (*count, *waker));
        let Some((waker, most)) = most_often else { return false };
        let alone = most >= ENOUGH && f64::from(most) >= ALONE_PART * f64::from(self.total);
        let expected: f64 = self.on_cpu.iter().map(|(cpu, count)| f64::from(*count) * self.part(None, *cpu)).sum();
        let of_idle = f64::from(self.of_idle);
        let never_idle = if expected >= f64::from(ENOUGH) {
            of_idle < expected / 4.0
        } else {
            expected < 0.005 * f64::from(self.total)
        };
        alone && never_idle && self.recovery.tasks[waker as usize].blocks * 4 >= u64::from(most)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
