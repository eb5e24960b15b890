//! The kernel runs beside the project: whole workloads as real kernels ran them, against what the
//! engine does. Not for saying where it is off and why: `docs/fidelity.md` does.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::native::cargo;
use crate::process::{self, run_read};
use crate::steps::Outcome;
use crate::tally::Tally;
use crate::workspace;

/// The least part of the figures that must lie inside, per mille. What lies outside is in
/// `docs/fidelity.md` with its cause; this floor keeps a change from making it more unnoticed.
const FLOOR_PER_MILLE: u64 = 900;

/// Compares with every kernel run.
///
/// # Errors
/// When the command cannot be run. Too few figures inside is a failure in the outcome.
pub fn run_all(shared: &Path) -> Result<Outcome, Error> {
    process::run("building schedlab", &mut cargo(&["build", "--quiet", "--release", "--package", "schedlab-cli"]))?;
    let schedlab = workspace::target().join("release").join(format!("schedlab{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(&schedlab);
    command.args(["conformance", "--kernel-runs"]).arg(shared.join("kernel-runs"));
    let (status, text) = run_read(&mut command)?;
    process::check("schedlab conformance --kernel-runs", status)?;
    let path = workspace::root().join("docs/fidelity.md");
    let document = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
    let stale = stale_line(&document, &text).map(str::to_owned);
    let mut outcome =
        judged(&text).ok_or_else(|| Error::failed("comparing with the kernel runs", "not one figure was compared"))?;
    outcome.tally += Tally::one(stale.is_none());
    if let Some(line) = stale {
        println!("docs/fidelity.md is not what the command prints. Its table says otherwise than\n  {line}");
        outcome.note = format!("{}; docs/fidelity.md is old", outcome.note);
    }
    Ok(outcome)
}

/// The first line of the printed table that the document has with another model's value. Lines of
/// runs that only one of them has are not compared: other references may lie beside the project.
fn stale_line<'a>(document: &str, printed: &'a str) -> Option<&'a str> {
    let heading = printed.lines().next()?;
    let end_of_real = heading.find(" real ")? + " real".len();
    let key = |line: &'_ str| line.get(..end_of_real).map(str::to_owned);
    let told: BTreeMap<String, &str> = document.lines().filter_map(|line| Some((key(line)?, line))).collect();
    let differs = |line: &&str| key(line).and_then(|key| told.get(&key)).is_some_and(|told| told != line);
    printed.lines().find(differs)
}

/// One check, with the count beside it; none when the text does not end with one.
fn judged(text: &str) -> Option<Outcome> {
    let line = text.lines().last()?;
    let words: Vec<&str> = line.split(' ').collect();
    let [inside, "of", of, "figures", "inside"] = words[..] else { return None };
    let (inside, of): (u64, u64) = (inside.parse().ok()?, of.parse().ok()?);
    let floor = (of * FLOOR_PER_MILLE).div_ceil(1000);
    let note = format!("{line}, at least {floor} must be");
    (of > 0).then(|| Outcome { tally: Tally::one(inside >= floor), note })
}

/// As [`run_all`] where the references lie beside the project; elsewhere says that they do not.
pub fn run() -> Result<Outcome, Error> {
    match workspace::shared().filter(|shared| shared.join("kernel-runs").is_dir()) {
        Some(shared) => run_all(&shared),
        None => {
            let note = "../shared/kernel-runs is absent: nothing to compare with";
            println!("{note}");
            Ok(Outcome { tally: Tally::default(), note: note.into() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_the_document_has_otherwise_is_found() {
        let printed = "run  figure   real  model\nA    share   50.00  49.90\nB    share   10.00  11.00\n";
        assert_eq!(stale_line(&format!("# Table\n\n{printed}"), printed), None);
        assert_eq!(stale_line("B    share   10.00  11.50\n", printed), Some("B    share   10.00  11.00"));
        // Another run, and another machine's figure for the same one.
        assert_eq!(stale_line("C    share   10.00  11.50\nB    share   12.00  11.50\n", printed), None);
    }

    #[test]
    fn the_last_line_is_judged() {
        let outcome = judged("a table\n\n900 of 1000 figures inside\n").expect("a count");
        assert_eq!(outcome.tally, Tally::one(true));
        assert!(outcome.note.starts_with("900 of 1000 figures inside"));
        assert_eq!(judged("1 of 1000 figures inside\n").map(|outcome| outcome.tally), Some(Tally::one(false)));
        for text in ["", "error", "0 of 0 figures inside\n"] {
            assert!(judged(text).is_none(), "{text:?}");
        }
    }
}
