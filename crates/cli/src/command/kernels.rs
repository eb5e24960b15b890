//! `schedlab kernels`: the releases, or one with its flags and tunables.
//! Not for the table itself: `schedlab-report` has it.

use schedlab_report::{kernels, text};
use schedlab_sim::kernel::Release;

use crate::args::{self, TextFormat};
use crate::error::CommandError;
use crate::output::Output;

/// `schedlab kernels`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn kernels(
    name: Option<&str>,
    cpus: Option<u32>,
    format: TextFormat,
    output: &args::Output,
) -> Result<(), CommandError> {
    let result = match name {
        None => {
            let rows = kernels::releases();
            match format {
                TextFormat::Text => text::kernels(&rows),
                TextFormat::Json => super::to_json(&rows)?,
            }
        }
        Some(name) => {
            let usual = kernels::USUAL_CPUS;
            let one = cpus.map(|cpus| [cpus]);
            let detail = kernels::release(release(name)?, one.as_ref().map_or(&usual, |one| one.as_slice()));
            match format {
                TextFormat::Text => text::kernel(&detail),
                TextFormat::Json => super::to_json(&detail)?,
            }
        }
    };
    Output::open(output)?.finish(result.as_bytes())
}

/// The release of that name.
///
/// # Errors
/// [`CommandError::NoRelease`] with the nearest one.
pub fn release(name: &str) -> Result<Release, CommandError> {
    Release::parse(name).ok_or_else(|| CommandError::NoRelease {
        name: name.to_owned(),
        nearest: kernels::nearest(name).join(" and "),
        known: Release::ALL.map(Release::name).join(", "),
    })
}
