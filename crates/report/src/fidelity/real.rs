//! What was recorded of a kernel: the part of a kernel run's JSON that is compared.
//! Not for the scenario that it ran.

use std::collections::BTreeMap;

use schedlab_sim::Run;
use serde::Deserialize;

use super::{Figure, Subject};

/// One of the `runs` of a kernel run's file. Times are microseconds unless their names say more.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct RealRun {
    /// From when to when it was measured, seconds from the start of the tasks.
    pub window_s: [f64; 2],
    switches_per_s: f64,
    other_switches_in: u64,
    tasks: BTreeMap<String, RealTask>,
    #[serde(default)]
    groups: BTreeMap<String, RealGroup>,
    wakeups: Option<RealWakeups>,
    migrations: Option<RealMigrations>,
    work_conservation_gap: Option<RealGap>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct RealTask {
    #[serde(default)]
    child: bool,
    share_of_cpu: f64,
    preempted: u64,
    preempted_by_other_tasks: u64,
    migrations: u64,
    wake_delay_us: RealDelay,
    #[serde(default)]
    wait_us: RealDelay,
    /// Milliseconds over the whole run; the first variant has it among the others of its kind.
    core_forceidle_sum: Option<f64>,
    #[serde(default)]
    proc_sched_at_end: RealEnd,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct RealEnd {
    core_forceidle_sum: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct RealGroup {
    share_of_cpu_mean: f64,
    wake_delay_us: RealDelay,
    wait_us: RealDelay,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
struct RealDelay {
    n: u64,
    mean: Option<f64>,
    p99: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct RealWakeups {
    n: u64,
    placement: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct RealMigrations {
    at_wakeup: u64,
    by_balance: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct RealGap {
    total_us: f64,
}

impl RealTask {
    fn forced_idle_ms(&self) -> Option<f64> {
        self.core_forceidle_sum.or(self.proc_sched_at_end.core_forceidle_sum)
    }

    /// Switches that tasks outside the workload put in: a preemption, and where nothing else ever
    /// preempts the task the return to it too (elsewhere another one comes, as it would have).
    fn switches_by_others(&self) -> u64 {
        let alone = self.preempted == self.preempted_by_other_tasks;
        self.preempted_by_other_tasks * if alone { 2 } else { 1 }
    }
}

impl RealRun {
    /// Whether the kernel counted forced idle in this run.
    #[must_use]
    pub fn has_forced_idle(&self) -> bool {
        self.tasks.values().any(|task| task.forced_idle_ms().is_some())
    }

    /// Every figure that was recorded and can be compared with the engine's run of the same.
    pub(super) fn figures(&self, model: &Run) -> Vec<(Figure, f64)> {
        let window_s = self.window_s[1] - self.window_s[0];
        let mut figures = Vec::new();
        let mut add = |figure, value: f64| figures.push((figure, value));
        // Children are compared as one group: their numbers are not their fates.
        for (name, task) in self.tasks.iter().filter(|(_, task)| !task.child) {
            add(Figure::Share(Subject::task(name)), task.share_of_cpu * 100.0);
        }
        for (name, group) in self.groups.iter().filter(|(name, _)| self.is_child(name)) {
            add(Figure::Share(self.group(name, model)), group.share_of_cpu_mean * 100.0);
        }
        add(Figure::Switches, self.switches_per_s - self.switches_by_others() / window_s);
        if self.groups.is_empty() {
            for (name, task) in &self.tasks {
                let by_others = task.preempted_by_other_tasks;
                delays(Subject::task(name), task.wake_delay_us, task.wait_us, by_others, &mut add);
            }
        } else {
            for (name, group) in &self.groups {
                let subject = self.group(name, model);
                let by_others = subject.tasks.iter().filter_map(|task| self.tasks.get(task));
                let by_others = by_others.map(|task| task.preempted_by_other_tasks).sum();
                delays(subject, group.wake_delay_us, group.wait_us, by_others, &mut add);
            }
        }
        if model.cpus.len() > 1 {
            match &self.migrations {
                Some(migrations) => {
                    add(Figure::MigrationsAtWakeup, migrations.at_wakeup as f64 / window_s);
                    add(Figure::MigrationsByBalance, migrations.by_balance as f64 / window_s);
                }
                None => {
                    let all: u64 = self.tasks.values().map(|task| task.migrations).sum();
                    add(Figure::Migrations, all as f64 / window_s);
                }
            }
        }
        if let Some(wakeups) = self.wakeups.as_ref().filter(|wakeups| wakeups.n > 0) {
            let share = |places: &[&str]| {
                let count: u64 = places.iter().filter_map(|place| wakeups.placement.get(*place)).sum();
                count as f64 / wakeups.n as f64 * 100.0
            };
            add(Figure::PlacedPrevious, share(&["prev busy", "prev idle", "prev=waker busy", "prev=waker idle"]));
            add(Figure::PlacedWaker, share(&["waker busy", "waker idle"]));
            add(Figure::PlacedOther, share(&["other busy", "other idle"]));
            add(Figure::BusyWhileIdle, share(&["busy chosen while an idle CPU existed"]));
        }
        if let Some(gap) = &self.work_conservation_gap {
            add(Figure::Gap, gap.total_us / 1e4 / window_s);
        }
        if self.has_forced_idle() {
            let ms: f64 = self.tasks.values().filter_map(RealTask::forced_idle_ms).sum();
            add(Figure::ForcedIdle, ms / 10.0 / self.window_s[1] / model.cpus.len() as f64);
        }
        figures
    }

    /// How many switches tasks outside the workload put in. A preemption by forced idle counts as
    /// one by others too, but then no other task was switched to.
    fn switches_by_others(&self) -> f64 {
        let all: u64 = self.tasks.values().map(RealTask::switches_by_others).sum();
        let preemptions: u64 = self.tasks.values().map(|task| task.preempted_by_other_tasks).sum();
        if preemptions > self.other_switches_in { self.other_switches_in as f64 } else { all as f64 }
    }

    fn is_child(&self, group: &str) -> bool {
        let first = group.split("..").next().unwrap_or(group);
        self.tasks.get(first).is_some_and(|task| task.child)
    }

    /// The tasks of a group `a0..b1`: those of the model from the one to the other; of children,
    /// who are born later, those of that name and the numbers between.
    fn group(&self, name: &str, model: &Run) -> Subject {
        let (first, last) = name.split_once("..").unwrap_or((name, name));
        let place = |wanted: &str| model.tasks.iter().position(|task| task.name == wanted);
        let tasks = match (place(first), place(last)) {
            (Some(first), Some(last)) if first <= last => {
                model.tasks[first..=last].iter().map(|task| task.name.clone()).collect()
            }
            _ => {
                let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
                let children = self.tasks.iter().filter(|(other, task)| task.child && other.starts_with(stem));
                children.map(|(other, _)| other.clone()).collect()
            }
        };
        Subject { name: name.to_owned(), tasks }
    }
}

/// The figures of delays, where there are any. Waits that only tasks outside the workload caused
/// are not compared.
fn delays(subject: Subject, wake_delay: RealDelay, wait: RealDelay, by_others: u64, add: &mut impl FnMut(Figure, f64)) {
    if let (Some(mean), Some(p99)) = (wake_delay.mean, wake_delay.p99) {
        add(Figure::WakeDelayMean(subject.clone()), mean);
        add(Figure::WakeDelayP99(subject.clone()), p99);
    }
    if let (Some(mean), Some(p99), true) = (wait.mean, wait.p99, wait.n > by_others) {
        add(Figure::WaitMean(subject.clone()), mean);
        add(Figure::WaitP99(subject), p99);
    }
}
