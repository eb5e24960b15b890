//! Running a variant: every repeat, in slices, with progress. Not for printing what came out.

use schedlab_report::{Subject, VariantReport, over_repeats, summarize};
use schedlab_scenario::NamedVariant;
use schedlab_sim::{Limit, Progress, Run, Simulation};

use crate::error::CommandError;
use crate::notice::{self, Notices};

/// Events simulated between two looks at the clock.
const SLICE: u64 = 100_000;

/// How many switches and wake-ups a record may have that is to be printed: up to 300 MB of text.
const PRINTED_BUDGET: usize = 1 << 22;

/// Which repeats are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// As many as the document says.
    All,
    /// The first.
    First,
}

/// Runs a variant's repeats and gives their figures.
///
/// # Errors
/// [`CommandError`] when the scenario cannot be prepared or a run fails.
pub fn figures(
    file: &str,
    variant: &NamedVariant,
    repeats: Repeats,
    notices: &mut Notices,
) -> Result<VariantReport, CommandError> {
    let repeats = match repeats {
        Repeats::All => variant.scenario.run.repeats.max(1),
        Repeats::First => 1,
    };
    let mut reports = Vec::new();
    for repeat in 0..repeats {
        let (subject, run) = run(file, variant, repeat, 0, notices)?;
        reports.push(summarize(&subject, std::slice::from_ref(&run)));
    }
    Ok(over_repeats(reports).unwrap_or_default())
}

/// Runs the first repeat with a record of every switch.
///
/// # Errors
/// As [`figures`].
pub fn recorded(file: &str, variant: &NamedVariant, notices: &mut Notices) -> Result<Run, CommandError> {
    let (_, run) = run(file, variant, 0, PRINTED_BUDGET, notices)?;
    if run.record.is_full() {
        let kept = run.record.len();
        notices.give(format!("{}: the record ends after {kept} switches and wake-ups; the run went on", variant.name));
    }
    Ok(run)
}

fn run(
    file: &str,
    variant: &NamedVariant,
    repeat: u32,
    budget: usize,
    notices: &mut Notices,
) -> Result<(Subject, Run), CommandError> {
    let mut prepared = variant
        .scenario
        .prepare(repeat)
        .map_err(|problems| CommandError::Document { file: format!("{file}, variant {:?}", variant.name), problems })?;
    notices.give_all(file, &prepared.notices);
    prepared.input.record_budget = budget;
    let subject = Subject::of(&variant.name, &prepared);
    let mut simulation = Simulation::new(prepared.input)
        .map_err(|source| CommandError::Input { variant: variant.name.clone(), source })?;
    let mut progress = notice::Progress::new();
    loop {
        let state = simulation
            .run_until(Limit::events(SLICE))
            .map_err(|source| CommandError::Run { variant: variant.name.clone(), source })?;
        if state == Progress::Done {
            return Ok((subject, simulation.finish()));
        }
        progress.at(&variant.name, simulation.now_ns(), simulation.until_ns());
    }
}
