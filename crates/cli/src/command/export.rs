//! `schedlab export`: a run's trace, or its workload, in the format of another tool.
//! Not for the formats: `schedlab-report` and `schedlab-scenario` have them.

use schedlab_report::export;
use schedlab_scenario::NamedVariant;

use crate::args::{self, ExportFormat};
use crate::document::Document;
use crate::error::CommandError;
use crate::execute;
use crate::notice::Notices;
use crate::output::Output;

/// `schedlab export`.
///
/// # Errors
/// When the input is wrong, the run fails, or the output cannot be written.
pub fn export(args: &args::Export) -> Result<(), CommandError> {
    let mut notices = Notices::default();
    let document = Document::open(&args.file, &mut notices)?;
    let file = document.file.clone();
    let variants = document.variants(&args.chosen.assignments(), args.chosen.variant.as_deref())?;
    let variant = match (variants.as_slice(), args.format) {
        // All variants of a file written for rt-app have its own workload.
        ([first, ..], ExportFormat::RtApp) if same_workload(&variants) => first,
        ([one], _) => one,
        (several, _) => {
            let known: Vec<String> = several.iter().map(|variant| format!("{:?}", variant.name)).collect();
            return Err(CommandError::WhichVariant { file, known: known.join(" or ") });
        }
    };
    let output = Output::open(&args.output)?;
    if args.format == ExportFormat::RtApp {
        let exported = schedlab_scenario::export_rt_app(&variant.scenario);
        notices.give_all(&file, &exported.approximated);
        return output.finish(format!("{}\n", exported.text.trim_end()).as_bytes());
    }
    let (run, traced, lags) = execute::traced(&file, variant, args.format == ExportFormat::Chrome, &mut notices)?;
    match args.format {
        ExportFormat::Ftrace => output.finish(export::ftrace(&run, &traced).as_bytes()),
        ExportFormat::Perfetto => output.finish(&export::perfetto(&run, &traced)),
        ExportFormat::Chrome => output.finish(export::chrome(&run, &traced, &lags).as_bytes()),
        ExportFormat::Csv => output.finish(export::events_csv(&run, &traced).as_bytes()),
        ExportFormat::Json | ExportFormat::RtApp => output.finish(export::events_json(&run, &traced).as_bytes()),
    }
}

fn same_workload(variants: &[NamedVariant]) -> bool {
    variants.windows(2).all(|pair| pair[0].scenario.workload == pair[1].scenario.workload)
}
