//! Where the rows of a sweep go: standard output, or a file that grows and goes on where it ended.
//! Not for results that appear at once (`output`).

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::rows::{self, Written};
use crate::args::{self, RowFormat};
use crate::document::name;
use crate::error::CommandError;

/// An open target.
pub enum Target {
    /// Standard output.
    Standard,
    /// A file, by its name.
    File(File, String),
}

impl Target {
    /// Opens what the command line names and writes the heading, unless rows of the same sweep are
    /// there: then gives the numbers of their runs. A line that was cut off is removed.
    ///
    /// # Errors
    /// [`CommandError`] when it cannot be read or written, or is of another sweep.
    pub fn open(args: &args::Sweep, columns: &[String], sweep: &str) -> Result<(Self, HashSet<u64>), CommandError> {
        let heading = rows::heading(columns, args.format);
        let Some(path) = args.output.to.as_deref().filter(|path| *path != Path::new("-")) else {
            let mut target = Self::Standard;
            target.append(&heading)?;
            return Ok((target, HashSet::new()));
        };
        let refused = |source| CommandError::NoOutput { file: name(path), source };
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(refused(error)),
        };
        let wrong = |reason: String| CommandError::Rows { file: name(path), reason };
        let written = rows::read(&text, args.format, false).map_err(wrong)?;
        check(&written, columns, sweep, args.format).map_err(wrong)?;
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(refused)?;
        if written.whole_bytes < text.len() {
            file.set_len(written.whole_bytes as u64).map_err(refused)?;
        }
        let mut target = Self::File(file, name(path));
        if written.whole_bytes == 0 {
            target.append(&heading)?;
        }
        Ok((target, written.keys.into_iter().map(|key| key.run).collect()))
    }

    /// Writes rows; false when nobody reads them any more.
    ///
    /// # Errors
    /// [`CommandError::Write`].
    pub fn append(&mut self, text: &str) -> Result<bool, CommandError> {
        match self {
            Self::Standard => {
                let mut standard = io::stdout().lock();
                match standard.write_all(text.as_bytes()).and_then(|()| standard.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
                    Err(source) => Err(CommandError::Write { file: "standard output".to_owned(), source }),
                    Ok(()) => Ok(true),
                }
            }
            Self::File(file, name) => file
                .write_all(text.as_bytes())
                .map(|()| true)
                .map_err(|source| CommandError::Write { file: name.clone(), source }),
        }
    }
}

/// Whether rows that are there belong to this sweep.
fn check(written: &Written, columns: &[String], sweep: &str, format: RowFormat) -> Result<(), String> {
    if let Some(key) = written.keys.iter().find(|key| key.sweep != sweep) {
        let hint = "the document, the parameters, the repeats or schedlab's version differ";
        return Err(format!("it has rows of sweep {}, not of {sweep}: {hint}; write to another file", key.sweep));
    }
    let (mut there, mut wanted) = (written.columns.clone(), columns.to_vec());
    if format == RowFormat::Ndjson {
        there.sort();
        wanted.sort();
    }
    if written.whole_bytes > 0 && there != wanted {
        return Err("it has other columns; write to another file".to_owned());
    }
    Ok(())
}
