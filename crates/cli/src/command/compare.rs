//! `schedlab compare`: every variant, side by side, against the first.

use schedlab_report::text;

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
    let reports = variants
        .iter()
        .map(|variant| execute::figures(&file, variant, Repeats::All, &mut notices))
        .collect::<Result<Vec<_>, _>>()?;
    let comparison = schedlab_report::compare(&reports);
    let result = match args.format {
        TableFormat::Table => text::comparison_table(&comparison),
        TableFormat::Json => super::to_json(&comparison)?,
        TableFormat::Csv => text::comparison_csv(&comparison),
        TableFormat::Markdown => text::comparison_markdown(&comparison),
    };
    output.finish(result.as_bytes())
}
