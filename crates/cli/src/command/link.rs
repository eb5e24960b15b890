//! `schedlab link` and `schedlab unlink`: a scenario as a link, and back.

use std::path::Path;

use schedlab_scenario::link::encode;

use crate::args;
use crate::document::{self, Document};
use crate::error::CommandError;
use crate::notice::Notices;
use crate::output::Output;

/// `schedlab link`.
///
/// # Errors
/// When the input is wrong or the output cannot be written.
pub fn link(file: &Path, output: &args::Output) -> Result<(), CommandError> {
    let document = Document::open(file, &mut Notices::default())?;
    let output = Output::open(output)?;
    output.finish(format!("{}\n", encode(&document.scenario)).as_bytes())
}

/// `schedlab unlink`.
///
/// # Errors
/// When the input is wrong or the output cannot be written.
pub fn unlink(link: &str, output: &args::Output) -> Result<(), CommandError> {
    let bytes = if link == "-" { document::read(Path::new(link))? } else { link.as_bytes().to_vec() };
    let scenario = document::open_link(&String::from_utf8_lossy(&bytes), &mut Notices::default())?;
    let output = Output::open(output)?;
    output.finish(format!("{}\n", scenario.to_json().trim_end()).as_bytes())
}
