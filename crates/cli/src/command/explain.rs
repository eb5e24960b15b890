//! `schedlab explain`: what was decided at an instant, and the run queue it was decided on.
//! Not for the words: `schedlab-report` makes them.

use schedlab_report::text;

use crate::args::{self, TextFormat};
use crate::document::Document;
use crate::error::CommandError;
use crate::execute;
use crate::notice::Notices;
use crate::output::Output;

/// `schedlab explain`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn explain(args: &args::Explain) -> Result<(), CommandError> {
    let mut notices = Notices::default();
    let document = Document::open(&args.file, &mut notices)?;
    let file = document.file.clone();
    let variants = document.variants(&args.chosen.assignments(), args.chosen.variant.as_deref())?;
    let output = Output::open(&args.output)?;
    let mut explanations = Vec::new();
    for variant in &variants {
        let explanation = execute::explained(&file, variant, args.cpu, args.at, &mut notices)?;
        if explanation.at_ns < args.at {
            notices.give(format!(
                "{}: nothing was decided at {} ns; the last decision before was at {} ns",
                variant.name, args.at, explanation.at_ns
            ));
        }
        explanations.push(explanation);
    }
    let result = match args.format {
        TextFormat::Json => super::to_json(&explanations)?,
        TextFormat::Text => {
            let several = explanations.len() > 1;
            let texts = explanations.iter().map(|explanation| {
                let heading = if several { format!("# {}\n", explanation.name) } else { String::new() };
                heading + &text::explanation(explanation)
            });
            texts.collect::<Vec<_>>().join("\n")
        }
    };
    output.finish(result.as_bytes())
}
