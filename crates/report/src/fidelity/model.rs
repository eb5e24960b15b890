//! The engine's value of a figure. Not for what a kernel had.

use schedlab_scenario::kernel_runs::measured_name;
use schedlab_sim::{Histogram, Run, TaskResult};

use super::{FidelityVariant, Figure, Subject};

impl Subject {
    /// One task.
    pub(super) fn task(name: &str) -> Self {
        Self { name: name.to_owned(), tasks: vec![name.to_owned()] }
    }

    fn of<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = &'a TaskResult> {
        run.tasks.iter().filter(|task| self.tasks.iter().any(|name| measured_name(&task.name) == name))
    }

    /// All delays of a kind together.
    fn delays(&self, run: &Run, of: fn(&TaskResult) -> &Histogram) -> Option<Histogram> {
        let mut all = Histogram::default();
        self.of(run).for_each(|task| all.merge(of(task)));
        (all.count() > 0).then_some(all)
    }
}

/// What the engine gives; none where it has no such thing.
pub(super) fn value(figure: &Figure, variant: &FidelityVariant) -> Option<f64> {
    let run = &variant.model;
    let window_ns = run.until_ns.saturating_sub(run.warmup_ns) as f64;
    if window_ns == 0.0 {
        return None;
    }
    let per_second = |count: u64| Some(count as f64 / window_ns * 1e9);
    let placed = |count: u64| match run.placement.wakeups {
        0 => None,
        all => Some(count as f64 / all as f64 * 100.0),
    };
    let placement = &run.placement;
    let both = |[busy, idle]: [u64; 2]| busy + idle;
    let at_wakeup: u64 = run.tasks.iter().map(|task| task.migrations_at_wakeup).sum();
    let migrations: u64 = run.tasks.iter().map(|task| task.migrations).sum();
    match figure {
        Figure::Share(of) => {
            let runtime: u64 = of.of(run).map(|task| task.runtime_ns).sum();
            Some(runtime as f64 / of.tasks.len().max(1) as f64 / window_ns * 100.0)
        }
        Figure::Switches => per_second(run.cpus.iter().map(|cpu| cpu.switches).sum()),
        Figure::WakeDelayMean(of) => of.delays(run, |task| &task.wake_delay).map(|all| mean_us(&all)),
        Figure::WakeDelayP99(of) => of.delays(run, |task| &task.wake_delay).map(|all| p99_us(&all)),
        Figure::WaitMean(of) => of.delays(run, |task| &task.run_delay).map(|all| mean_us(&all)),
        Figure::WaitP99(of) => of.delays(run, |task| &task.run_delay).map(|all| p99_us(&all)),
        Figure::Migrations => per_second(migrations),
        Figure::MigrationsAtWakeup => per_second(at_wakeup),
        Figure::MigrationsByBalance => per_second(migrations.saturating_sub(at_wakeup)),
        Figure::PlacedPrevious => placed(both(placement.previous_is_waker) + both(placement.previous)),
        Figure::PlacedWaker => placed(both(placement.waker)),
        Figure::PlacedOther => placed(both(placement.other)),
        Figure::BusyWhileIdle => placed(placement.busy_while_idle),
        Figure::Gap => Some(run.work_conservation.gap_ns as f64 / window_ns * 100.0),
        Figure::ForcedIdle => {
            let run = variant.whole.as_ref()?;
            let forced: u64 = run.tasks.iter().map(|task| task.forced_idle_ns).sum();
            let whole_ns = variant.measured.window_s[1] * 1e9;
            Some(forced as f64 / whole_ns / run.cpus.len().max(1) as f64 * 100.0)
        }
    }
}

fn mean_us(delays: &Histogram) -> f64 {
    delays.sum_ns() as f64 / delays.count().max(1) as f64 / 1e3
}

fn p99_us(delays: &Histogram) -> f64 {
    delays.quantile_ns(9_900) as f64 / 1e3
}
