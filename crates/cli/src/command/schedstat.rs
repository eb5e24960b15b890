//! `schedlab schedstat`: the difference of two snapshots of `/proc/schedstat`.
//! Not for the statistics of a simulated run in that form: `run --format schedstat` prints those.

use std::path::Path;

use schedlab_scenario::import::schedstat::Snapshot;

use crate::args::{self, TextFormat};
use crate::document;
use crate::error::CommandError;
use crate::output::Output;

/// `schedlab schedstat`.
///
/// # Errors
/// When a snapshot is wrong, the two do not go together, or the output cannot be written.
pub fn schedstat(args: &args::Schedstat) -> Result<(), CommandError> {
    let (first, second) = (open(&args.first)?, open(&args.second)?);
    let difference = first.until(&second).map_err(|source| CommandError::Schedstat {
        file: format!("{} and {}", document::name(&args.first), document::name(&args.second)),
        source,
    })?;
    let text = match args.format {
        TextFormat::Text => difference.to_text(),
        TextFormat::Json => super::to_json(&difference)?,
    };
    Output::open(&args.output)?.finish(text.as_bytes())
}

fn open(path: &Path) -> Result<Snapshot, CommandError> {
    let bytes = document::read(path)?;
    Snapshot::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|source| CommandError::Schedstat { file: document::name(path), source })
}
