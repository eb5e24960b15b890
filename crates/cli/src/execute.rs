//! Running a variant: every repeat, in slices, with progress. Not for printing what came out.

use std::sync::Mutex;

use rayon::prelude::*;
use schedlab_report::export::{LagSample, Traced, lag_samples};
use schedlab_report::{Explanation, Names, Subject, VariantReport, explanation, over_repeats, summarize};
use schedlab_scenario::{NamedVariant, Prepared, Problem};
use schedlab_sim::{Checkpoints, Input, Limit, Progress, Run, Simulation};

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
    let mut reports = all_figures(file, std::slice::from_ref(variant), repeats, notices)?;
    Ok(reports.pop().unwrap_or_default())
}

/// Runs the repeats of several variants, as many at once as there are processors, and gives the
/// figures of each in their order.
///
/// # Errors
/// As [`figures`]: that of the first run, in order, which has one.
pub fn all_figures(
    file: &str,
    variants: &[NamedVariant],
    repeats: Repeats,
    notices: &mut Notices,
) -> Result<Vec<VariantReport>, CommandError> {
    let repeats = |variant: &NamedVariant| match repeats {
        Repeats::All => variant.scenario.run.repeats.max(1),
        Repeats::First => 1,
    };
    let runs: Vec<(&NamedVariant, u32)> =
        variants.iter().flat_map(|variant| (0..repeats(variant)).map(move |repeat| (variant, repeat))).collect();
    let progress = Mutex::new(notice::Progress::of(runs.len()));
    let mut done = runs.par_iter().map(|(variant, repeat)| one(file, variant, *repeat, &progress)).collect::<Vec<_>>();
    drop(progress);
    let mut done = done.drain(..);
    let mut reports = Vec::with_capacity(variants.len());
    for variant in variants {
        let mut of_repeats = Vec::new();
        for (report, notes) in done.by_ref().take(repeats(variant) as usize).collect::<Result<Vec<_>, _>>()? {
            notices.give_all(file, &notes);
            of_repeats.push(report);
        }
        reports.push(over_repeats(of_repeats).unwrap_or_default());
    }
    Ok(reports)
}

/// One repeat of one variant: its figures and what preparing it had to say.
fn one(
    file: &str,
    variant: &NamedVariant,
    repeat: u32,
    progress: &Mutex<notice::Progress>,
) -> Result<(VariantReport, Vec<Problem>), CommandError> {
    let mut prepared = prepare(file, variant, repeat)?;
    prepared.input.record_budget = 0;
    let subject = Subject::of(&variant.name, &prepared);
    let notes = std::mem::take(&mut prepared.notices);
    let run = simulate(&variant.name, prepared.input, progress)?;
    Ok((summarize(&subject, std::slice::from_ref(&run)), notes))
}

/// Runs an input to its end; other threads may run others under the same progress.
///
/// # Errors
/// [`CommandError`] when the engine refuses the input or the run fails.
pub fn simulate(name: &str, input: Input, progress: &Mutex<notice::Progress>) -> Result<Run, CommandError> {
    let mut simulation =
        Simulation::new(input).map_err(|source| CommandError::Input { variant: name.to_owned(), source })?;
    loop {
        let state = simulation
            .run_until(Limit::events(SLICE))
            .map_err(|source| CommandError::Run { variant: name.to_owned(), source })?;
        // Who finds the line of progress taken does not wait for it.
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(name, simulation.now_ns(), simulation.until_ns());
        }
        if state == Progress::Done {
            if let Ok(mut progress) = progress.lock() {
                progress.one_done();
            }
            return Ok(simulation.finish());
        }
    }
}

/// Runs the first repeat with a record of every switch.
///
/// # Errors
/// As [`figures`].
pub fn recorded(file: &str, variant: &NamedVariant, notices: &mut Notices) -> Result<Run, CommandError> {
    let mut prepared = prepare(file, variant, 0)?;
    notices.give_all(file, &prepared.notices);
    prepared.input.record_budget = PRINTED_BUDGET;
    let run = simulate(&variant.name, prepared.input, &Mutex::new(notice::Progress::of(1)))?;
    say_if_full(variant, &run, notices);
    Ok(run)
}

fn say_if_full(variant: &NamedVariant, run: &Run, notices: &mut Notices) {
    if run.record.is_full() {
        let kept = run.record.len();
        notices.give(format!("{}: the record ends after {kept} switches and wake-ups; the run went on", variant.name));
    }
}

/// Runs the first repeat and gives the logs that rt-app would write, with an empty line between.
///
/// # Errors
/// As [`figures`].
pub fn rt_app_log(file: &str, variant: &NamedVariant, notices: &mut Notices) -> Result<String, CommandError> {
    let wrong = |problems| CommandError::Document { file: format!("{file}, variant {:?}", variant.name), problems };
    let (mut prepared, plan) = variant.scenario.prepare_logged(0).map_err(wrong)?;
    notices.give_all(file, &prepared.notices);
    prepared.input.record_budget = PRINTED_BUDGET;
    let run = simulate(&variant.name, prepared.input, &Mutex::new(notice::Progress::of(1)))?;
    say_if_full(variant, &run, notices);
    Ok(plan.logs(&run).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// How much simulated time is observed at a stretch, nanoseconds: what decisions saw is large.
const OBSERVED_NS: u64 = 5_000_000;

/// As [`recorded`], with what an export must know of the tasks and, where they are wanted, the lags
/// that decisions saw.
///
/// # Errors
/// As [`figures`].
pub fn traced(
    file: &str,
    variant: &NamedVariant,
    lags: bool,
    notices: &mut Notices,
) -> Result<(Run, Traced, Vec<LagSample>), CommandError> {
    let mut prepared = prepare(file, variant, 0)?;
    notices.give_all(file, &prepared.notices);
    prepared.input.record_budget = PRINTED_BUDGET;
    let traced = Traced::of(&prepared.input);
    let mut samples = Vec::new();
    let run = if lags {
        let mut simulation = Simulation::new(prepared.input)
            .map_err(|source| CommandError::Input { variant: variant.name.clone(), source })?;
        let mut progress = notice::Progress::of(1);
        let mut time_ns = 0;
        while time_ns < simulation.until_ns() {
            time_ns = (time_ns + OBSERVED_NS).min(simulation.until_ns());
            let moments = simulation
                .observe(Limit { time_ns, events: u64::MAX })
                .map_err(|source| CommandError::Run { variant: variant.name.clone(), source })?;
            samples.extend(lag_samples(&moments));
            progress.at(&variant.name, time_ns, simulation.until_ns());
        }
        simulation.finish()
    } else {
        simulate(&variant.name, prepared.input, &Mutex::new(notice::Progress::of(1)))?
    };
    say_if_full(variant, &run, notices);
    let traced = traced.with_tasks_of(&run);
    Ok((run, traced, samples))
}

/// Runs the first repeat without a record.
///
/// # Errors
/// As [`figures`].
pub fn first(file: &str, variant: &NamedVariant, notices: &mut Notices) -> Result<Run, CommandError> {
    let mut prepared = prepare(file, variant, 0)?;
    notices.give_all(file, &prepared.notices);
    prepared.input.record_budget = 0;
    simulate(&variant.name, prepared.input, &Mutex::new(notice::Progress::of(1)))
}

/// Makes the input of a repeat.
///
/// # Errors
/// [`CommandError::Document`] when the scenario cannot be run.
pub fn prepare(file: &str, variant: &NamedVariant, repeat: u32) -> Result<Prepared, CommandError> {
    let wrong = |problems| CommandError::Document { file: format!("{file}, variant {:?}", variant.name), problems };
    variant.scenario.prepare(repeat).map_err(wrong)
}

/// Runs the first repeat up to an instant and explains what was decided on a CPU then, or last before.
///
/// # Errors
/// [`CommandError`] as [`figures`], and when the run does not reach the instant or had not begun.
pub fn explained(
    file: &str,
    variant: &NamedVariant,
    cpu: u32,
    at_ns: u64,
    notices: &mut Notices,
) -> Result<Explanation, CommandError> {
    let nothing = |reason| CommandError::Nothing { file: file.to_owned(), variant: variant.name.clone(), reason };
    let failed = |source| CommandError::Run { variant: variant.name.clone(), source };
    let mut prepared = prepare(file, variant, 0)?;
    notices.give_all(file, &prepared.notices);
    prepared.input.record_budget = 0;
    if at_ns > prepared.input.until_ns {
        return Err(nothing(format!("the run ends at {} ns, before {at_ns} ns", prepared.input.until_ns)));
    }
    let cpus = prepared.input.machine.cpus();
    if cpu >= cpus {
        return Err(nothing(format!("there is no CPU {cpu}; the machine has {cpus}, numbered from 0")));
    }
    let names = Names::of(&prepared.input);
    let mut simulation = Simulation::new(prepared.input)
        .map_err(|source| CommandError::Input { variant: variant.name.clone(), source })?;
    let mut checkpoints = Checkpoints::new(&simulation);
    let mut progress = notice::Progress::of(1);
    loop {
        let limit = Limit { time_ns: at_ns, events: SLICE };
        let before = simulation.total_events();
        let state = checkpoints.run_until(&mut simulation, limit).map_err(failed)?;
        if state == Progress::Done || simulation.total_events() - before < SLICE {
            break;
        }
        progress.at(&variant.name, simulation.now_ns(), at_ns);
    }
    let moments = if cpus == 1 { checkpoints.explain(at_ns) } else { checkpoints.explain_on(cpu, at_ns) };
    let moments = moments.map_err(failed)?;
    if moments.is_empty() {
        let place = if cpus == 1 { String::new() } else { format!(" on CPU {cpu}") };
        return Err(nothing(format!("nothing had been decided{place} by {at_ns} ns: no task had started")));
    }
    let names = names.with_tasks_of(&simulation.finish());
    Ok(Explanation { name: variant.name.clone(), ..explanation(&moments, &names, cpu) })
}
