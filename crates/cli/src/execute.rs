//! Running a variant: every repeat, in slices, with progress. Not for printing what came out.

use schedlab_report::{Explanation, Names, Subject, VariantReport, explanation, over_repeats, summarize};
use schedlab_scenario::{NamedVariant, Prepared};
use schedlab_sim::{Checkpoints, Limit, Progress, Run, Simulation};

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
    let mut prepared = prepare(file, variant, repeat, notices)?;
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

fn prepare(file: &str, variant: &NamedVariant, repeat: u32, notices: &mut Notices) -> Result<Prepared, CommandError> {
    let prepared = variant
        .scenario
        .prepare(repeat)
        .map_err(|problems| CommandError::Document { file: format!("{file}, variant {:?}", variant.name), problems })?;
    notices.give_all(file, &prepared.notices);
    Ok(prepared)
}

/// Runs the first repeat up to an instant and explains what was decided then, or last before.
///
/// # Errors
/// [`CommandError`] as [`figures`], and when the run does not reach the instant or had not begun.
pub fn explained(
    file: &str,
    variant: &NamedVariant,
    at_ns: u64,
    notices: &mut Notices,
) -> Result<Explanation, CommandError> {
    let nothing = |reason| CommandError::Nothing { file: file.to_owned(), variant: variant.name.clone(), reason };
    let failed = |source| CommandError::Run { variant: variant.name.clone(), source };
    let mut prepared = prepare(file, variant, 0, notices)?;
    prepared.input.record_budget = 0;
    if at_ns > prepared.input.until_ns {
        return Err(nothing(format!("the run ends at {} ns, before {at_ns} ns", prepared.input.until_ns)));
    }
    let names = Names::of(&prepared.input);
    let mut simulation = Simulation::new(prepared.input)
        .map_err(|source| CommandError::Input { variant: variant.name.clone(), source })?;
    let mut checkpoints = Checkpoints::new(&simulation);
    let mut progress = notice::Progress::new();
    loop {
        let limit = Limit { time_ns: at_ns, events: SLICE };
        let before = simulation.total_events();
        let state = checkpoints.run_until(&mut simulation, limit).map_err(failed)?;
        if state == Progress::Done || simulation.total_events() - before < SLICE {
            break;
        }
        progress.at(&variant.name, simulation.now_ns(), at_ns);
    }
    let moments = checkpoints.explain(at_ns).map_err(failed)?;
    if moments.is_empty() {
        return Err(nothing(format!("nothing had been decided by {at_ns} ns: no task had started")));
    }
    let names = names.with_tasks_of(&simulation.finish());
    Ok(Explanation { name: variant.name.clone(), ..explanation(&moments, &names, 0) })
}
