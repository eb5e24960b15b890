//! `schedlab conformance`: answers golden cases. Not for judging them (the checker beside the traces
//! compares the answers), nor for kernel runs (`kernel_runs`).

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use schedlab_scenario::golden;

use crate::args;
use crate::document::name;
use crate::error::CommandError;
use crate::output::Output;

/// `schedlab conformance`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn conformance(files: &[PathBuf], output: &args::Output) -> Result<(), CommandError> {
    let output = Output::open(output)?;
    let mut answers = String::new();
    for file in files {
        if file == Path::new("-") {
            answer(file, io::stdin().lock(), &mut answers)?;
        } else {
            let opened = File::open(file).map_err(|source| CommandError::Read { file: name(file), source })?;
            answer(file, BufReader::new(opened), &mut answers)?;
        }
    }
    output.finish(answers.as_bytes())
}

/// Answers each line of a file; an empty line is no case.
fn answer(file: &Path, reader: impl BufRead, answers: &mut String) -> Result<(), CommandError> {
    for (index, line) in reader.lines().enumerate() {
        let line = line.map_err(|source| CommandError::Read { file: name(file), source })?;
        if line.trim().is_empty() {
            continue;
        }
        let given = golden::answer(&line).map_err(|error| CommandError::Case {
            file: name(file),
            line: index + 1,
            reason: error.to_string(),
        })?;
        answers.push_str(&given);
        answers.push('\n');
    }
    Ok(())
}
