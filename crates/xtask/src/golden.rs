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

/// The releases that the engine models.
const MODELLED: &[&str] = &["6.5", "6.12"];

/// The trace files of every modelled release.
fn files(shared: &Path) -> Vec<PathBuf> {
    MODELLED.iter().map(|release| shared.join("traces").join(format!("{release}.jsonl"))).collect()
}

/// Runs every case of every modelled release and compares all that was recorded.
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
        let name = traces.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}");
        let answers = dir.join(&name);
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
    fn every_modelled_release_has_a_trace_file() {
        let Some(shared) = workspace::shared() else {
            eprintln!("../shared is absent: nothing to look at");
            return;
        };
        assert!(!files(&shared).is_empty());
        for file in files(&shared) {
            assert!(file.is_file(), "{}", file.display());
        }
    }
}
