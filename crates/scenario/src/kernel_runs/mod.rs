//! Kernel runs: what real kernels did on small workloads, as JSON files that hold the workload, the
//! machine, and the figures that were measured. Here a file becomes the engine's input for each of
//! its variants, beside those figures.
//!
//! Not for running them, nor for saying how near the engine comes: `schedlab-report` does that.
//!
//! How a run is set up (release, start, random lengths, costs) follows the section "How to compare"
//! of the files' own README. Nothing is fitted to a scenario.

mod build;
mod draw;
mod figures;
mod guest;
mod spec;

use std::collections::BTreeMap;

use schedlab_sim::Input;
use schedlab_sim::kernel::Release;
use serde::Deserialize;
use serde_json::Value;

pub use figures::{Delay, Figures, Gap, GroupFigures, Migrations, RunSteps, TaskFigures, Wakeups};

/// Why a text is no kernel run that can be compared.
#[derive(Debug, thiserror::Error)]
pub enum KernelRunError {
    /// The text is no JSON, or lacks a field.
    #[error("not a kernel run: {0}")]
    Format(#[from] serde_json::Error),
    /// A field holds something that is not known.
    #[error("{place}: expected {expected}, not {found}")]
    Unexpected {
        /// Where, such as `spec[1], line 7`.
        place: String,
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The kernel cannot be set up as the file says.
    #[error("{place}: {error}")]
    Kernel {
        /// Where.
        place: String,
        /// What is wrong.
        error: schedlab_sim::kernel::KernelError,
    },
}

impl KernelRunError {
    fn unexpected(place: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Unexpected { place: place.into(), expected: expected.into(), found: found.into() }
    }
}

/// A scenario as one kernel ran it.
#[derive(Clone, Debug)]
pub struct KernelRun {
    /// The scenario, such as `P2`.
    pub scenario: String,
    /// The kernel as the file names it: `6.1`, `6.12`, or with `core` behind it.
    pub kernel: String,
    /// What the scenario is, in words.
    pub note: String,
    /// The release that the engine takes for it.
    pub release: Release,
    /// The runs, which differ in tick phase, start times and random lengths.
    pub variants: Vec<Variant>,
}

/// One of the runs of a scenario.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What the engine runs. Statistics begin with the window in which the kernel was measured, and
    /// the run ends with it.
    ///
    /// Children that a task forks are named `c0-N`, `c1-N`, … by their place among the forks of a
    /// round, N counting the rounds: see [`measured_name`].
    pub input: Input,
    /// When the first task starts (T0 of the figures), nanoseconds of the engine's time.
    pub start_ns: u64,
    /// What was measured.
    pub measured: Figures,
}

/// The name under which a file has the figures of a task of the engine: forked children of one place
/// among their siblings count as one.
#[must_use]
pub fn measured_name(task: &str) -> &str {
    task.split_once('-').map_or(task, |(child, _)| child)
}

/// A file, as it is written.
#[derive(Debug, Deserialize)]
struct File {
    scenario: String,
    kernel: String,
    #[serde(default)]
    note: String,
    hz: u32,
    smp: String,
    #[serde(default)]
    features_written: String,
    #[serde(default)]
    tunables_written: BTreeMap<String, u64>,
    spec: Vec<String>,
    guest: BTreeMap<String, Value>,
    runs: Vec<Figures>,
}

/// Reads a file.
///
/// # Errors
/// [`KernelRunError`] when the text is no kernel run, or asks for what the engine does not have.
pub fn read(text: &str) -> Result<KernelRun, KernelRunError> {
    let file: File = serde_json::from_str(text)?;
    if file.spec.len() != file.runs.len() {
        let expected = format!("one for each of the {} runs", file.runs.len());
        return Err(KernelRunError::unexpected("spec", expected, file.spec.len().to_string()));
    }
    let machine = guest::machine(&file)?;
    let (release, kernel) = guest::kernel(&file, machine.cpus())?;
    let previous = file.runs.first().map(Figures::previous_cpus).unwrap_or_default();
    let mut variants = Vec::with_capacity(file.runs.len());
    for (index, (text, measured)) in file.spec.iter().zip(file.runs).enumerate() {
        let spec = spec::Spec::read(text, &format!("spec[{index}]"))?;
        let (input, start_ns) = build::input(&spec, &kernel, &machine, &previous, &measured, index)?;
        variants.push(Variant { input, start_ns, measured });
    }
    let (scenario, kernel, note) = (file.scenario, file.kernel, file.note);
    Ok(KernelRun { scenario, kernel, note, release, variants })
}
