//! The golden traces beside the project: what real kernels did, against what the engine does.
//! Not for the representative set in `tests/`, which the native tests run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::native::cargo;
use crate::process::{self, check, run_read, which};
use crate::steps::Outcome;
use crate::tally::Tally;
use crate::workspace;

/// The folders of trace files, below the traces folder.
const FOLDERS: &[&str] = &["", "groups", "hrtick", "bandwidth"];

/// Every trace file, in order.
fn files(shared: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let entries = fs::read_dir(shared.join("traces").join(folder)).into_iter().flatten().flatten();
        found.extend(entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "jsonl")));
    }
    found.sort();
    found
}

/// Runs every case and compares all that was recorded.
///
/// # Errors
/// When the command or the comparison cannot be run. Cases that differ are failures in the outcome.
pub fn run_all(shared: &Path) -> Result<Outcome, Error> {
    let python = which("python3").ok_or_else(|| {
        Error::failed("comparing with the golden traces", "there is no python3").or_by_hand("install Python 3")
    })?;
    process::run("building schedlab", &mut cargo(&["build", "--quiet", "--package", "schedlab-cli"]))?;
    let schedlab = workspace::target().join("debug").join(format!("schedlab{}", std::env::consts::EXE_SUFFIX));
    let dir = workspace::target().join("golden");
    fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
    let mut tally = Tally::default();
    for traces in files(shared) {
        let inside = traces.strip_prefix(shared.join("traces")).unwrap_or(&traces);
        let name = inside.display().to_string();
        println!("{name}");
        let answers = dir.join(name.replace(std::path::MAIN_SEPARATOR, "-"));
        let out = File::create(&answers).map_err(Error::io(&answers))?;
        let mut command = Command::new(&schedlab);
        command.arg("conformance").arg(&traces).stdout(out);
        let status =
            command.status().map_err(|source| Error::Start { program: schedlab.display().to_string(), source })?;
        check(&format!("schedlab conformance {name}"), status)?;
        let mut compare = Command::new(&python);
        compare.arg(shared.join("traces/check.py")).arg(&traces).arg(&answers).arg("--all");
        let (status, text) = run_read(&mut compare)?;
        tally += Tally::read_golden(&text).judged(status.success());
    }
    if tally == Tally::default() {
        return Err(Error::failed("comparing with the golden traces", "not one case was compared"));
    }
    Ok(tally.into())
}

/// As [`run_all`] where the references lie beside the project; elsewhere says that they do not.
pub fn run() -> Result<Outcome, Error> {
    match workspace::shared() {
        Some(shared) => run_all(&shared),
        None => {
            let note = "../shared is absent: only the set in tests/ was run, with the native tests";
            println!("{note}");
            Ok(Outcome { tally: Tally::default(), note: note.into() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_folder_are_found() {
        let Some(shared) = workspace::shared() else {
            eprintln!("../shared is absent: nothing to look at");
            return;
        };
        let files = files(&shared);
        for expected in ["6.5.jsonl", "6.12.jsonl", "groups/6.12.jsonl", "hrtick/6.12.jsonl", "bandwidth/6.12.jsonl"] {
            assert!(files.contains(&shared.join("traces").join(expected)), "{expected}");
        }
    }
}
