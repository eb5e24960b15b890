//! `schedlab compare`: every variant, side by side, against the first.

use schedlab_report::{VariantReport, text};

use crate::args::{self, TableFormat};
use crate::document::Document;
use crate::error::CommandError;
use crate::execute::{self, Repeats};
use crate::notice::Notices;
use crate::output::Output;

/// `schedlab compare`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn compare(args: &args::Compare) -> Result<(), CommandError> {
    let mut notices = Notices::default();
    let document = Document::open(&args.file, &mut notices)?;
    let file = document.file.clone();
    let variants = document.variants(&args.set.assignments, None)?;
    if variants.len() < 2 {
        return Err(CommandError::OneVariant { file });
    }
    let output = Output::open(&args.output)?;
    let reports = execute::all_figures(&file, &variants, Repeats::All, &mut notices)?;
    let mut comparison = schedlab_report::compare(&reports);
    if let Some(top) = args.top {
        comparison.rows.truncate(top as usize);
    }
    let result = match args.format {
        TableFormat::Table => text::comparison_table(&comparison),
        TableFormat::Json => super::to_json(&comparison)?,
        TableFormat::Csv => text::comparison_csv(&comparison),
        TableFormat::Markdown => format!("{}\n\n{}", about(&reports), text::comparison_markdown(&comparison)),
    };
    output.finish(result.as_bytes())
}

/// What a reader of a mail must know to judge the table.
fn about(reports: &[VariantReport]) -> String {
    let Some(first) = reports.first() else { return String::new() };
    let cpus = match first.cpus.len() {
        1 => "1 CPU".to_owned(),
        several => format!("{several} CPUs"),
    };
    let runs = match first.repeats {
        1 => "one run".to_owned(),
        several => format!("means of {several} runs ± standard error, the same seeds for each variant"),
    };
    let time = text::duration(first.measured_ns as f64);
    format!(
        "schedlab {}: {time} simulated on {cpus}, {runs}; changes against {}.",
        env!("CARGO_PKG_VERSION"),
        first.name
    )
}
