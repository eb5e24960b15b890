//! `schedlab run`: every variant, or one, in the format asked for.

use schedlab_report::{VariantReport, text};
use schedlab_scenario::NamedVariant;

use crate::args::{self, By, Format, Sort};
use crate::document::Document;
use crate::error::CommandError;
use crate::execute::{self, Repeats};
use crate::notice::Notices;
use crate::output::Output;

/// `schedlab run`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn run(args: &args::Run) -> Result<(), CommandError> {
    check(args)?;
    let mut notices = Notices::default();
    let document = Document::open(&args.file, &mut notices)?;
    let file = document.file.clone();
    let variants = document.variants(&args.chosen.assignments(), args.chosen.variant.as_deref())?;
    let output = Output::open(&args.output)?;
    let result = match args.format {
        Format::Json => json(&file, &variants, &mut notices)?,
        _ => texts(args, &file, &variants, &mut notices)?,
    };
    output.finish(result.as_bytes())
}

/// Options of one format are an error with another: ignoring them would mislead.
fn check(args: &args::Run) -> Result<(), CommandError> {
    for (given, option, format) in [
        (args.sum, "--sum", Format::PerfLatency),
        (args.sort.is_some(), "--sort", Format::PerfLatency),
        (args.summary, "--summary", Format::Timehist),
        (args.counters, "--counters", Format::Schedstat),
        (args.by.is_some(), "--by", Format::Hist),
    ] {
        if given && args.format != format {
            let name = match format {
                Format::PerfLatency => "perf-latency",
                Format::Timehist => "timehist",
                Format::Schedstat => "schedstat",
                _ => "hist",
            };
            return Err(CommandError::Usage(format!("{option} goes with --format {name} only")));
        }
    }
    Ok(())
}

fn json(file: &str, variants: &[NamedVariant], notices: &mut Notices) -> Result<String, CommandError> {
    let reports = execute::all_figures(file, variants, Repeats::All, notices)?;
    super::to_json(&reports)
}

fn texts(
    args: &args::Run,
    file: &str,
    variants: &[NamedVariant],
    notices: &mut Notices,
) -> Result<String, CommandError> {
    let mut result = String::new();
    for (place, variant) in variants.iter().enumerate() {
        if place > 0 {
            result.push('\n');
        }
        if variants.len() > 1 && args.format != Format::Summary {
            result.push_str(&format!("# {}\n", variant.name));
        }
        result.push_str(&one(args, file, variant, notices)?);
    }
    Ok(result)
}

fn one(args: &args::Run, file: &str, variant: &NamedVariant, notices: &mut Notices) -> Result<String, CommandError> {
    if args.format == Format::Summary {
        return Ok(text::summary(&execute::figures(file, variant, Repeats::All, notices)?));
    }
    let repeats = variant.scenario.run.repeats;
    if repeats > 1 {
        notices.give(format!("{}: shows the first of {repeats} repeats", variant.name));
    }
    let mut figures =
        || -> Result<VariantReport, CommandError> { execute::figures(file, variant, Repeats::First, notices) };
    Ok(match args.format {
        Format::PerfLatency => text::perf_latency(&figures()?, order(args.sort), args.sum),
        Format::Hist => text::hist(&figures()?, args.by == Some(By::Task)),
        Format::Timehist => text::timehist(&execute::recorded(file, variant, notices)?, args.summary),
        Format::Map => text::map(&execute::recorded(file, variant, notices)?),
        Format::Schedstat => {
            let run = execute::first(file, variant, notices)?;
            text::schedstat(&run, variant.scenario.kernel.release, variant.scenario.machine.hz, args.counters)
        }
        Format::RtAppLog => execute::rt_app_log(file, variant, notices)?,
        _ => text::switches(&execute::recorded(file, variant, notices)?),
    })
}

fn order(sort: Option<Sort>) -> text::LatencyOrder {
    match sort {
        None | Some(Sort::Avg) => text::LatencyOrder::Average,
        Some(Sort::Max) => text::LatencyOrder::Maximum,
        Some(Sort::Switch) => text::LatencyOrder::Switches,
        Some(Sort::Runtime) => text::LatencyOrder::Runtime,
    }
}
