//! Reading documents: bounded, as text, with `--set` applied, taken apart into variants.
//! Not for what a document means: `schedlab-scenario` knows that.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use schedlab_scenario::json::MOST_BYTES;
use schedlab_scenario::{NamedVariant, Scenario};

use crate::args::Assignment;
use crate::error::CommandError;
use crate::notice::Notices;

/// A document that was read, with the name of its file for messages.
pub struct Document {
    pub file: String,
    pub scenario: Scenario,
}

impl Document {
    /// Opens a scenario document or an rt-app file and gives its notices.
    ///
    /// # Errors
    /// [`CommandError`] when it cannot be read or is wrong.
    pub fn open(path: &Path, notices: &mut Notices) -> Result<Self, CommandError> {
        Self::of_bytes(name(path), &read(path)?, notices)
    }

    /// Opens what was read of a file already.
    ///
    /// # Errors
    /// [`CommandError`] when it is wrong.
    pub fn of_bytes(file: String, bytes: &[u8], notices: &mut Notices) -> Result<Self, CommandError> {
        match schedlab_scenario::open_bytes(bytes) {
            Ok(opened) => {
                notices.give_all(&file, &opened.notices);
                Ok(Self { file, scenario: opened.scenario })
            }
            Err(problems) => Err(CommandError::Document { file, problems }),
        }
    }

    /// The variants that are to run (all, or the one of that name), with every assignment made: to
    /// the document where it has no variants or the path begins with `variants`, otherwise to each
    /// variant after its own changes.
    ///
    /// # Errors
    /// [`CommandError`] when an assignment or a name is wrong.
    pub fn variants(
        mut self,
        assignments: &[Assignment],
        name: Option<&str>,
    ) -> Result<Vec<NamedVariant>, CommandError> {
        let file = self.file;
        let wrong = |problems| CommandError::Document { file: file.clone(), problems };
        let (first, then): (Vec<_>, Vec<_>) = assignments
            .iter()
            .partition(|assignment| self.scenario.variants.is_empty() || assignment.path.starts_with("variants"));
        for assignment in first {
            self.scenario.set(&assignment.path, &assignment.value).map_err(wrong)?;
        }
        let mut variants = (0..self.scenario.variant_count())
            .map(|index| self.scenario.variant(index))
            .collect::<Result<Vec<_>, _>>()
            .map_err(wrong)?;
        if let Some(name) = name {
            let known: Vec<String> = variants.iter().map(|variant| format!("{:?}", variant.name)).collect();
            variants.retain(|variant| variant.name == name);
            if variants.is_empty() {
                let known = known.join(" or ");
                return Err(CommandError::NoVariant { file, name: name.to_owned(), known });
            }
        }
        for variant in &mut variants {
            for assignment in &then {
                variant.scenario.set(&assignment.path, &assignment.value).map_err(|problems| {
                    CommandError::Document { file: format!("{file}, variant {:?}", variant.name), problems }
                })?;
            }
        }
        Ok(variants)
    }
}

/// Opens what a link holds.
///
/// # Errors
/// [`CommandError::Document`] when the link is wrong.
pub fn open_link(link: &str, notices: &mut Notices) -> Result<Scenario, CommandError> {
    let opened = schedlab_scenario::link::decode(link.trim())
        .map_err(|problems| CommandError::Document { file: "link".to_owned(), problems })?;
    notices.give_all("link", &opened.notices);
    Ok(opened.scenario)
}

/// The name of a file in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a file, or standard input for `-`; never more than a document may have.
///
/// # Errors
/// [`CommandError`] when it cannot be read or is too large.
pub fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let bytes = if path == Path::new("-") { bounded(io::stdin().lock()) } else { File::open(path).and_then(bounded) }
        .map_err(|source| CommandError::Read { file: name(path), source })?;
    if bytes.len() > MOST_BYTES {
        return Err(CommandError::TooLarge { file: name(path), limit: MOST_BYTES });
    }
    Ok(bytes)
}

fn bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_a_document_may_have() {
        assert_eq!(bounded(io::repeat(b' ')).unwrap().len(), MOST_BYTES + 1);
    }
}
