//! `schedlab conformance --kernel-runs`: the engine beside real kernels, figure by figure.
//! Not for the figures themselves: `schedlab-report` has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rayon::prelude::*;
use schedlab_report::{Fidelity, FidelityRow, FidelityVariant, fidelity, text};
use schedlab_scenario::kernel_runs::{self, KernelRun, Variant};

use crate::args::{self, FidelityFormat};
use crate::document::{self, name};
use crate::error::CommandError;
use crate::execute::simulate;
use crate::notice::{Notices, Progress};
use crate::output::Output;

/// `schedlab conformance --kernel-runs`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn kernel_runs(args: &args::Conformance) -> Result<(), CommandError> {
    let files = files(&args.kernel_runs)?;
    let output = Output::open(&args.output)?;
    let mut runs = Vec::with_capacity(files.len());
    for file in &files {
        runs.push((name(file), read(file)?));
    }
    let jobs: Vec<(&str, &Variant)> =
        runs.iter().flat_map(|(file, run)| run.variants.iter().map(move |variant| (file.as_str(), variant))).collect();
    let progress = Mutex::new(Progress::of(jobs.len()));
    let mut done = jobs.par_iter().map(|(file, variant)| one(file, variant, &progress)).collect::<Vec<_>>();
    drop(progress);
    let mut done = done.drain(..);
    let mut rows = Vec::new();
    let mut notices = Notices::default();
    for (_, run) in &runs {
        // All of them are taken, whichever failed.
        let variants: Vec<_> = done.by_ref().take(run.variants.len()).collect();
        match variants.into_iter().collect::<Result<Vec<_>, _>>() {
            Ok(variants) => rows.extend(fidelity(&run.scenario, &run.kernel, &variants)),
            // What the engine cannot run to its end is a figure outside, not the end of the others.
            Err(error @ CommandError::Run { .. }) => {
                notices.give(error.to_string());
                rows.push(FidelityRow::not_run(&run.scenario, &run.kernel));
            }
            Err(error) => return Err(error),
        }
    }
    let result = Fidelity::new(rows);
    let text = match args.format {
        Some(FidelityFormat::Json) => super::to_json(&result)?,
        None | Some(FidelityFormat::Table) => text::fidelity(&result),
    };
    output.finish(text.as_bytes())
}

/// Runs a variant; a second time with statistics from its start where they are needed.
fn one(file: &str, variant: &Variant, progress: &Mutex<Progress>) -> Result<FidelityVariant, CommandError> {
    let mut input = variant.input.clone();
    input.record_budget = 0;
    let mut whole = None;
    if FidelityVariant::needs_whole(&variant.measured) {
        let mut input = input.clone();
        input.warmup_ns = 0;
        whole = Some(simulate(file, input, progress)?);
    }
    let model = simulate(file, input, progress)?;
    Ok(FidelityVariant { measured: variant.measured.clone(), model, whole })
}

fn read(file: &Path) -> Result<KernelRun, CommandError> {
    let bytes = document::read(file)?;
    let text = String::from_utf8_lossy(&bytes);
    kernel_runs::read(&text).map_err(|source| CommandError::KernelRun { file: name(file), source })
}

/// The files that were named, and the kernel runs in the folders that were, by name.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut all = Vec::new();
    for path in named {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let unreadable = |source| CommandError::Read { file: name(path), source };
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            let is_run = file.file_name().is_some_and(|name| {
                let name = name.to_string_lossy();
                name.contains('@') && name.ends_with(".json")
            });
            if is_run {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(CommandError::NoKernelRuns { folder: name(path) });
        }
        found.sort();
        all.extend(found);
    }
    Ok(all)
}
