//! `schedlab bisect`: which differences between two variants carry the change of a figure.
//! Not for taking differences apart or judging them: `schedlab-report` does both.

use std::sync::Mutex;

use rayon::prelude::*;
use schedlab_report::bisect::{Differences, Mixture};
use schedlab_report::{Subject, VariantReport, metric_names, metrics, summarize, text};
use schedlab_scenario::{NamedVariant, Prepared};

use super::sweep::no_metric;
use crate::args::{self, TextFormat};
use crate::document::Document;
use crate::error::CommandError;
use crate::execute::simulate;
use crate::notice::{Notices, Progress};
use crate::output::Output;

/// `schedlab bisect`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn bisect(args: &args::Bisect) -> Result<(), CommandError> {
    let mut notices = Notices::default();
    let document = Document::open(&args.file, &mut notices)?;
    let file = document.file.clone();
    let variants = document.variants(&args.set.assignments, None)?;
    let (first, second) = (find(&file, &variants, &args.first)?, find(&file, &variants, &args.second)?);
    let wrong = |problems| CommandError::Document { file: file.clone(), problems };
    let differences = Differences::between(&first.scenario, &second.scenario).map_err(wrong)?;
    if differences.all.is_empty() {
        let (from, to) = (&first.name, &second.name);
        return Err(CommandError::Usage(format!(
            "{file}: nothing that can be run differs between {from:?} and {to:?}"
        )));
    }
    let output = Output::open(&args.output)?;
    let findings =
        schedlab_report::bisect::bisect(&args.metric, &differences, |mixtures| measure(args, &differences, mixtures))?;
    let result = match args.format {
        TextFormat::Text => text::bisection(&findings, &first.name, &second.name),
        TextFormat::Json => super::to_json(&findings)?,
    };
    output.finish(result.as_bytes())
}

fn find<'v>(file: &str, variants: &'v [NamedVariant], name: &str) -> Result<&'v NamedVariant, CommandError> {
    variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
        let known: Vec<String> = variants.iter().map(|variant| format!("{:?}", variant.name)).collect();
        CommandError::NoVariant { file: file.to_owned(), name: name.to_owned(), known: known.join(" or ") }
    })
}

/// The figure of each mixture over the repeats; none where the mixture cannot be run.
fn measure(
    args: &args::Bisect,
    differences: &Differences,
    mixtures: &[Mixture],
) -> Result<Vec<Option<Vec<f64>>>, CommandError> {
    let prepared = |mixture: &Mixture| -> Option<Vec<Prepared>> {
        let scenario = differences.mixed(mixture).ok()?;
        (0..args.repeats).map(|repeat| scenario.prepare(repeat).ok()).collect()
    };
    let progress = Mutex::new(Progress::of(mixtures.len() * args.repeats as usize));
    let values = mixtures.par_iter().map(|mixture| {
        let Some(repeats) = prepared(mixture) else { return Ok(None) };
        let values = repeats.into_par_iter().map(|prepared| one(args, prepared, &progress));
        values.collect::<Result<Vec<f64>, CommandError>>().map(Some)
    });
    values.collect()
}

fn one(args: &args::Bisect, mut prepared: Prepared, progress: &Mutex<Progress>) -> Result<f64, CommandError> {
    prepared.input.record_budget = 0;
    let subject = Subject::of("mixture", &prepared);
    let run = simulate("mixture", prepared.input, progress)?;
    value(&summarize(&subject, std::slice::from_ref(&run)), &args.metric)
}

/// A counter that the release lacks counts as 0: it has counted nothing.
fn value(report: &VariantReport, metric: &str) -> Result<f64, CommandError> {
    if let Some(found) = metrics(report).into_iter().find(|of| of.name == metric) {
        return Ok(found.value);
    }
    let known = metric_names(report);
    if known.iter().any(|name| name == metric) { Ok(0.0) } else { Err(no_metric(metric, &known)) }
}
