//! `schedlab sweep`: one or two parameters, every variant and repeat, a row a run.
//! Not for curves: rows are for tools that draw.

mod merge;
mod parameter;
mod plan;
mod rows;
mod target;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use schedlab_report::{Subject, VariantReport, metric_names, metrics, nearest_metrics, summarize};
use schedlab_scenario::NamedVariant;

use self::plan::{Plan, Point};
use self::rows::{Cell, LAST, LEADING, Row};
use self::target::Target;
use crate::args::{self, SweepCommand};
use crate::document::Document;
use crate::error::CommandError;
use crate::execute::{prepare, simulate};
use crate::notice::{self, Notices};

pub use self::parameter::Parameter;
pub use self::plan::shard;

/// Rows kept in memory for each thread until they are written.
const ROWS_A_THREAD: usize = 16;

/// `schedlab sweep` and `schedlab sweep merge`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn sweep(args: &args::Sweep) -> Result<(), CommandError> {
    if let Some(SweepCommand::Merge { files, output }) = &args.command {
        return merge::merge(files, output);
    }
    let mut notices = Notices::default();
    let plan = plan(args, &mut notices)?;
    let Some(all) = plan.runs() else {
        return Err(CommandError::Usage("the sweep has more runs than can be counted".to_owned()));
    };
    let mut numbers = plan.numbers().peekable();
    let Some(first) = numbers.peek().copied() else { return Ok(()) };
    let own = (all - first).div_ceil(plan.shards);

    // The first run tells how long the others will take, and what figures there are.
    let began = Instant::now();
    let quiet = Mutex::new(notice::Progress::of(1));
    let report = run(&plan, &plan.point(first), &quiet, Some(&mut notices))?.1;
    let took = estimate(began.elapsed(), own);
    let runs = size(&plan, own, all);
    if own > args.limit {
        return Err(CommandError::Usage(format!(
            "{runs}, about {took}, are more than the limit of {}; raise it with --limit {own}",
            args.limit
        )));
    }
    let columns = columns(&plan, args, &report)?;
    let (mut target, done) = Target::open(args, &columns, &plan.fingerprint)?;
    notices.give(match done.len() {
        0 => format!("{runs}, about {took}"),
        there => format!("{runs}, about {took} in all; {there} are there already"),
    });

    let todo = numbers.filter(|number| !done.contains(number));
    let progress = Mutex::new(notice::Progress::of((own as usize).saturating_sub(done.len())));
    let chunk = rayon::current_num_threads() * ROWS_A_THREAD;
    let mut todo = todo.peekable();
    while todo.peek().is_some() {
        let numbers: Vec<u64> = todo.by_ref().take(chunk).collect();
        let results: Vec<Result<Row, CommandError>> =
            numbers.into_par_iter().map(|number| row(&plan, &plan.point(number), &columns, &progress)).collect();
        // What is done is kept, even when a later run fails.
        let mut failed = None;
        let mut text = String::new();
        for result in results {
            match result {
                Ok(row) => text.push_str(&rows::line(&columns, &row, args.format)),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        if !target.append(&text)? {
            return Ok(());
        }
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(())
}

fn plan(args: &args::Sweep, notices: &mut Notices) -> Result<Plan, CommandError> {
    let Some(file) = &args.file else {
        return Err(CommandError::Usage("a sweep needs a document".to_owned()));
    };
    let parameters = args.parameters.clone();
    if !(1..=2).contains(&parameters.len()) {
        return Err(CommandError::Usage(format!("a sweep has one or two --param, not {}", parameters.len())));
    }
    let document = Document::open(file, notices)?;
    let file = document.file.clone();
    let variants = document.variants(&args.set.assignments, args.variant.as_deref())?;
    let repeats = args.repeats.or(variants.first().map(|variant| variant.scenario.run.repeats)).unwrap_or(1).max(1);
    let mut all = format!("{} {repeats}", env!("CARGO_PKG_VERSION"));
    for variant in &variants {
        all.push_str(&format!("\n{} {}", variant.name, variant.scenario.to_json()));
    }
    for parameter in &parameters {
        all.push_str(&format!("\n{parameter:?}"));
    }
    let fingerprint = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(all.as_bytes()));
    let (shard, shards) = args.shard;
    let plan = Plan { file, parameters, variants, repeats, fingerprint, shard, shards };
    // A value that cannot be set is said before the work: the ends stand for what is between.
    if let Some(runs) = plan.runs() {
        for run in [0, runs.saturating_sub(1)] {
            let point = plan.point(run);
            prepare(&plan.place(&point), &plan.variant(&point)?, point.repeat)?;
        }
    }
    Ok(plan)
}

/// The columns of every row: where it belongs, the parameters, the figures.
fn columns(plan: &Plan, args: &args::Sweep, report: &VariantReport) -> Result<Vec<String>, CommandError> {
    let known = metric_names(report);
    if let Some(wrong) = args.metrics.iter().find(|metric| !known.contains(metric)) {
        return Err(no_metric(wrong, &known));
    }
    let figures = if args.metrics.is_empty() { known } else { args.metrics.clone() };
    let parameters = plan.parameters.iter().map(|parameter| parameter.path.clone());
    Ok(LEADING.map(str::to_owned).into_iter().chain(parameters).chain(figures).chain([LAST.to_owned()]).collect())
}

/// There is no such figure.
pub fn no_metric(wrong: &str, known: &[String]) -> CommandError {
    let near = nearest_metrics(wrong, known).join(", ");
    CommandError::Usage(format!("there is no figure {wrong:?}; the nearest: {near}"))
}

fn run(
    plan: &Plan,
    point: &Point,
    progress: &Mutex<notice::Progress>,
    notices: Option<&mut Notices>,
) -> Result<(NamedVariant, VariantReport), CommandError> {
    let variant = plan.variant(point)?;
    let mut prepared = prepare(&plan.place(point), &variant, point.repeat)?;
    if let Some(notices) = notices {
        notices.give_all(&plan.file, &prepared.notices);
    }
    prepared.input.record_budget = 0;
    let subject = Subject::of(&variant.name, &prepared);
    let run = simulate(&plan.place(point), prepared.input, progress)?;
    Ok((variant, summarize(&subject, std::slice::from_ref(&run))))
}

fn row(
    plan: &Plan,
    point: &Point,
    columns: &[String],
    progress: &Mutex<notice::Progress>,
) -> Result<Row, CommandError> {
    let (variant, report) = run(plan, point, progress, None)?;
    let figures: HashMap<String, f64> =
        metrics(&report).into_iter().map(|metric| (metric.name, metric.value)).collect();
    let text = |text: &str| Cell::Text(text.to_owned());
    let seed = variant.scenario.run.seed.wrapping_add(u64::from(point.repeat));
    let mut row = vec![
        text(&plan.fingerprint),
        Cell::Text(format!("{}/{}", plan.shard, plan.shards)),
        Cell::Number(point.run as f64),
        Cell::Number(plan.runs().unwrap_or(0) as f64),
        text(&variant.name),
        Cell::Number(f64::from(point.repeat)),
        Cell::whole(seed),
    ];
    row.extend(point.values.iter().map(|value| text(value)));
    let named = columns.get(row.len()..columns.len().saturating_sub(1)).unwrap_or(&[]);
    row.extend(named.iter().map(|name| figures.get(name).map_or(Cell::Missing, |value| Cell::Number(*value))));
    row.push(text(report.hash.first().map_or("", String::as_str)));
    Ok(row)
}

/// `30 points × 2 variants × 10 repeats = 600 runs`, and of them those of the shard.
fn size(plan: &Plan, own: u64, all: u64) -> String {
    let points: u64 = plan.parameters.iter().map(Parameter::count).product();
    let mut text = format!("{points} points");
    if plan.variants.len() > 1 {
        text.push_str(&format!(" × {} variants", plan.variants.len()));
    }
    if plan.repeats > 1 {
        text.push_str(&format!(" × {} repeats", plan.repeats));
    }
    text.push_str(&format!(" = {all} runs"));
    if plan.shards > 1 {
        text.push_str(&format!(", {own} of them in shard {}/{}", plan.shard, plan.shards));
    }
    text
}

/// How long so many runs take when one takes so long.
fn estimate(one: Duration, runs: u64) -> String {
    let threads = rayon::current_num_threads();
    let seconds = one.as_secs_f64() * runs as f64 / threads as f64;
    let time = match seconds {
        short if short < 1.0 => "a second".to_owned(),
        short if short < 90.0 => format!("{short:.0} s"),
        minutes if minutes < 5400.0 => format!("{:.0} min", minutes / 60.0),
        hours if hours < 172_800.0 => format!("{:.1} h", hours / 3600.0),
        days => format!("{:.1} days", days / 86_400.0),
    };
    match threads {
        1 => format!("{time} on 1 processor"),
        several => format!("{time} on {several} processors"),
    }
}
