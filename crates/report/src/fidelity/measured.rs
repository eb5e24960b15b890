//! What was measured of a kernel, figure by figure. Not for reading it from files.

use schedlab_scenario::kernel_runs::{Delay, Figures, TaskFigures};
use schedlab_sim::Run;

use super::{Figure, Subject};

/// A figure as it was measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// Its value, without what tasks outside the workload surely did to it.
    pub(super) value: f64,
    /// Its value without what they may have done to it at most.
    pub(super) undisturbed: f64,
}

impl Value {
    const fn certain(value: f64) -> Self {
        Self { value, undisturbed: value }
    }
}

/// Every figure that was measured and can be compared with the engine's run of the same.
///
/// A preemption by a task outside the workload adds one switch where another task of the workload
/// comes after it, as it would have anyway, and two where the same goes on; and then a wait of next
/// to nothing. The files do not say which: such figures have two ends.
pub(super) fn figures(measured: &Figures, model: &Run) -> Vec<(Figure, Value)> {
    let window_s = measured.window_length_s();
    let mut figures = Vec::new();
    let mut add = |figure, value: f64| figures.push((figure, Value::certain(value)));
    // Children are compared as one group: which of them a CPU is lost to is chance.
    for (name, task) in measured.tasks.iter().filter(|(_, task)| !task.child) {
        add(Figure::Share(Subject::task(name)), task.share_of_cpu * 100.0);
    }
    for (name, group) in measured.groups.iter().filter(|(name, _)| is_child(measured, name)) {
        add(Figure::Share(subject(measured, name, model)), group.share_of_cpu_mean * 100.0);
    }
    let value = measured.own_switches_per_s();
    let undisturbed = value - measured.preempted_by_other_tasks() as f64 / window_s;
    figures.push((Figure::Switches, Value { value, undisturbed }));
    if measured.groups.is_empty() {
        for (name, task) in &measured.tasks {
            let by_others = task.preempted_by_other_tasks;
            let wait = task.wait_us.unwrap_or_default();
            figures.extend(delays(Subject::task(name), task.wake_delay_us, wait, by_others));
        }
    } else {
        for (name, group) in &measured.groups {
            let subject = subject(measured, name, model);
            let tasks = subject.tasks.iter().filter_map(|task| measured.tasks.get(task));
            let by_others = tasks.map(|task| task.preempted_by_other_tasks).sum();
            figures.extend(delays(subject, group.wake_delay_us, group.wait_us, by_others));
        }
    }
    let mut add = |figure, value: f64| figures.push((figure, Value::certain(value)));
    if model.cpus.len() > 1 {
        match &measured.migrations {
            Some(migrations) => {
                add(Figure::MigrationsAtWakeup, migrations.at_wakeup as f64 / window_s);
                add(Figure::MigrationsByBalance, migrations.by_balance as f64 / window_s);
            }
            None => {
                let all: u64 = measured.tasks.values().map(|task| task.migrations).sum();
                add(Figure::Migrations, all as f64 / window_s);
            }
        }
    }
    if let Some(wakeups) = measured.wakeups.as_ref().filter(|wakeups| wakeups.n > 0) {
        let share = |count: u64| count as f64 / wakeups.n as f64 * 100.0;
        let both = |[busy, idle]: [u64; 2]| busy + idle;
        let placed = &wakeups.placement;
        add(Figure::PlacedPrevious, share(both(placed.previous_is_waker) + both(placed.previous)));
        add(Figure::PlacedWaker, share(both(placed.waker)));
        add(Figure::PlacedOther, share(both(placed.other)));
        add(Figure::BusyWhileIdle, share(placed.busy_while_idle));
    }
    if let Some(gap) = &measured.work_conservation_gap {
        add(Figure::Gap, gap.total_us as f64 / 1e4 / window_s);
    }
    if has_forced_idle(measured) {
        let ms: f64 = measured.tasks.values().filter_map(TaskFigures::forced_idle_ms).sum();
        add(Figure::ForcedIdle, ms / 10.0 / measured.window_s[1] / model.cpus.len().max(1) as f64);
    }
    figures
}

/// Whether the kernel counted forced idle.
pub(super) fn has_forced_idle(measured: &Figures) -> bool {
    measured.tasks.values().any(|task| task.forced_idle_ms().is_some())
}

fn is_child(measured: &Figures, group: &str) -> bool {
    let first = group.split("..").next().unwrap_or(group);
    measured.tasks.get(first).is_some_and(|task| task.child)
}

/// The tasks of a group `a0..b1`: those of the engine from the one to the other; of children, who
/// are born later, all that begin with the same letters.
fn subject(measured: &Figures, group: &str, model: &Run) -> Subject {
    let (first, last) = group.split_once("..").unwrap_or((group, group));
    let place = |wanted: &str| model.tasks.iter().position(|task| task.name == wanted);
    let tasks = match (place(first), place(last)) {
        (Some(first), Some(last)) if first <= last => {
            model.tasks[first..=last].iter().map(|task| task.name.clone()).collect()
        }
        _ => {
            let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
            let children = measured.tasks.iter().filter(|(name, task)| task.child && name.starts_with(stem));
            children.map(|(name, _)| name.clone()).collect()
        }
    };
    Subject { name: group.to_owned(), tasks }
}

/// The figures of delays, where there are any. Waits that only tasks outside the workload caused
/// are not compared.
fn delays(subject: Subject, wake_delay: Delay, wait: Delay, by_others: u64) -> Vec<(Figure, Value)> {
    let mut figures = Vec::new();
    if wake_delay.n > 0 {
        figures.push((Figure::WakeDelayMean(subject.clone()), Value::certain(wake_delay.mean)));
        figures.push((Figure::WakeDelayP99(subject.clone()), Value::certain(wake_delay.p99)));
    }
    if wait.n > by_others {
        let undisturbed = wait.mean * wait.n as f64 / (wait.n - by_others) as f64;
        figures.push((Figure::WaitMean(subject.clone()), Value { value: wait.mean, undisturbed }));
        figures.push((Figure::WaitP99(subject), Value::certain(wait.p99)));
    }
    figures
}
