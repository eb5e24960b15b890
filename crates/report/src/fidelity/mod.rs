//! The model beside real kernels: for each figure of a recorded kernel run, what was measured, what
//! the engine gives, how far apart they are and whether that lies inside the aim or the noise.
//! Not for reading scenarios or running them: the caller does both.

mod aim;
mod measured;
mod model;

use serde::{Deserialize, Serialize};

use schedlab_scenario::kernel_runs::Figures;
use schedlab_sim::Run;

use measured::Value;

/// One variant of a kernel run: what was measured, and the engine's run of the same.
#[derive(Clone, Debug)]
pub struct FidelityVariant {
    /// What the kernel did.
    pub measured: Figures,
    /// What the engine does, with statistics from the start of the window on.
    pub model: Run,
    /// The engine's run with statistics from 0 on, where [`FidelityVariant::needs_whole`]: the kernel
    /// counts forced idle over the whole run.
    pub whole: Option<Run>,
}

impl FidelityVariant {
    /// Whether a figure of this run must be compared over the whole run.
    #[must_use]
    pub fn needs_whole(measured: &Figures) -> bool {
        measured::has_forced_idle(measured)
    }
}

/// A figure of one scenario under one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FidelityRow {
    /// The scenario, such as `P2`.
    pub scenario: String,
    /// The kernel, such as `6.12` or `6.1core`.
    pub kernel: String,
    /// What is compared, such as `share h0` or `wake delay mean t0..t7`.
    pub figure: String,
    /// What `real`, `model` and `noise` are in: `%` (of a CPU, of wake-ups, of the time), `1/s` or
    /// `us`.
    pub unit: String,
    /// The kernel's: the mean of the variants.
    pub real: f64,
    /// The engine's: the mean of the variants.
    pub model: f64,
    /// `model` against `real`: in points where the unit is `%`, otherwise in per cent of `real`;
    /// none where that is 0.
    pub deviation: Option<f64>,
    /// The kernel's largest variant minus its smallest.
    pub noise: f64,
    /// The most that the deviation may be.
    pub aim: f64,
    /// Whether the deviation is within the aim, or the difference within the noise.
    pub inside: bool,
}

impl FidelityRow {
    /// The row of a scenario that the engine could not run to its end: one of one real run, none of
    /// the model.
    #[must_use]
    pub fn not_run(scenario: &str, kernel: &str) -> Self {
        Self {
            scenario: scenario.to_owned(),
            kernel: kernel.to_owned(),
            figure: "runs to the end".to_owned(),
            unit: "%".to_owned(),
            real: 100.0,
            model: 0.0,
            deviation: Some(-100.0),
            noise: 0.0,
            aim: 0.0,
            inside: false,
        }
    }
}

/// All rows, and how many are inside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fidelity {
    /// One a figure.
    pub rows: Vec<FidelityRow>,
    /// How many rows are inside.
    pub inside: usize,
    /// How many rows there are.
    pub of: usize,
}

impl Fidelity {
    /// Counts the rows.
    #[must_use]
    pub fn new(rows: Vec<FidelityRow>) -> Self {
        Self { inside: rows.iter().filter(|row| row.inside).count(), of: rows.len(), rows }
    }
}

/// Whom a figure is about: a task, or a group of tasks of the same kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    /// Its name: `h0`, or `t0..t7`.
    name: String,
    /// The names of its tasks in the engine; a child's stands for all children of that number.
    tasks: Vec<String>,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Figure {
    /// CPU time, of one CPU; of a group the mean of its tasks.
    Share(Subject),
    /// Switches that involve a task of the workload.
    Switches,
    /// The mean from wake-up to run.
    WakeDelayMean(Subject),
    /// Its 99th percentile.
    WakeDelayP99(Subject),
    /// The mean of every wait on a run queue.
    WaitMean(Subject),
    /// Its 99th percentile.
    WaitP99(Subject),
    /// Changes of CPU.
    Migrations,
    /// Of them: at a wake-up.
    MigrationsAtWakeup,
    /// Of them: by a balancer.
    MigrationsByBalance,
    /// Wake-ups that stay on the previous CPU.
    PlacedPrevious,
    /// Wake-ups that go to the waker's CPU.
    PlacedWaker,
    /// Wake-ups that go to a third.
    PlacedOther,
    /// Wake-ups that choose a busy CPU while an allowed one is idle.
    BusyWhileIdle,
    /// Time with an idle CPU while a task waits elsewhere.
    Gap,
    /// CPU time forced idle, of all CPU time.
    ForcedIdle,
}

impl Figure {
    fn name(&self) -> String {
        match self {
            Self::Share(of) => format!("share {}", of.name),
            Self::Switches => "switches".to_owned(),
            Self::WakeDelayMean(of) => format!("wake delay mean {}", of.name),
            Self::WakeDelayP99(of) => format!("wake delay p99 {}", of.name),
            Self::WaitMean(of) => format!("wait mean {}", of.name),
            Self::WaitP99(of) => format!("wait p99 {}", of.name),
            Self::Migrations => "migrations".to_owned(),
            Self::MigrationsAtWakeup => "migrations at wake-up".to_owned(),
            Self::MigrationsByBalance => "migrations by balancing".to_owned(),
            Self::PlacedPrevious => "placed on the previous CPU".to_owned(),
            Self::PlacedWaker => "placed on the waker's CPU".to_owned(),
            Self::PlacedOther => "placed on another CPU".to_owned(),
            Self::BusyWhileIdle => "busy CPU chosen while one was idle".to_owned(),
            Self::Gap => "idle while a task waits".to_owned(),
            Self::ForcedIdle => "forced idle".to_owned(),
        }
    }

    const fn unit(&self) -> &'static str {
        match self {
            Self::Switches | Self::Migrations | Self::MigrationsAtWakeup | Self::MigrationsByBalance => "1/s",
            Self::WakeDelayMean(_) | Self::WakeDelayP99(_) | Self::WaitMean(_) | Self::WaitP99(_) => "us",
            _ => "%",
        }
    }
}

/// The rows of one scenario under one kernel, from its variants; empty without any. Only what every
/// variant has is compared.
#[must_use]
pub fn fidelity(scenario: &str, kernel: &str, variants: &[FidelityVariant]) -> Vec<FidelityRow> {
    let Some(first) = variants.first() else { return Vec::new() };
    let measured: Vec<_> =
        variants.iter().map(|variant| measured::figures(&variant.measured, &variant.model)).collect();
    let mut rows = Vec::new();
    for (figure, _) in measured::figures(&first.measured, &first.model) {
        let real: Option<Vec<Value>> = measured
            .iter()
            .map(|all| all.iter().find(|(other, _)| *other == figure).map(|(_, value)| *value))
            .collect();
        let model: Option<Vec<f64>> = variants.iter().map(|variant| model::value(&figure, variant)).collect();
        if let (Some(real), Some(model)) = (real, model) {
            rows.push(row(scenario, kernel, &figure, &real, &model));
        }
    }
    rows
}

fn row(scenario: &str, kernel: &str, figure: &Figure, real: &[Value], model: &[f64]) -> FidelityRow {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let values: Vec<f64> = real.iter().map(|of| of.value).collect();
    let undisturbed: Vec<f64> = real.iter().map(|of| of.undisturbed).collect();
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let (noise, real, undisturbed, model) = (largest - smallest, mean(&values), mean(&undisturbed), mean(model));
    // In points where the unit is a part of something, otherwise in per cent.
    let deviation = |from: f64| match figure.unit() {
        "%" => Some(model - from),
        _ if from == 0.0 => None,
        _ => Some((model - from) / from * 100.0),
    };
    let aim = aim::of(scenario, kernel, figure);
    // What tasks outside the workload may have done is no deviation.
    let nearest = model.clamp(real.min(undisturbed), real.max(undisturbed));
    let inside = (model - nearest).abs() <= noise
        || deviation(nearest).is_some_and(|deviation| deviation.abs() <= aim.within)
        || aim.also(nearest, model);
    FidelityRow {
        scenario: scenario.to_owned(),
        kernel: kernel.to_owned(),
        figure: figure.name(),
        unit: figure.unit().to_owned(),
        real,
        model,
        deviation: deviation(real),
        noise,
        aim: aim.within,
        inside,
    }
}

#[cfg(test)]
mod tests;
