//! The steps that need only the user's Rust toolchain.

use std::process::Command;

use crate::error::Error;
use crate::process::{output, run_read};
use crate::steps::Outcome;
use crate::tally::Tally;
use crate::workspace;

/// Cargo, as it was called for xtask, in the project.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root()).args(args);
    command
}

/// A check that passes or fails as a whole.
fn check(command: &mut Command) -> Result<Outcome, Error> {
    let status = command.status().map_err(|source| Error::Start { program: "cargo".into(), source })?;
    Ok(Tally::one(status.success()).into())
}

/// A run of tests that prints how many there were. A run without any is a failure.
pub fn counted(what: &str, command: &mut Command) -> Result<Outcome, Error> {
    let (status, text) = run_read(command)?;
    let tally = Tally::read(&text).judged(status.success());
    if tally == Tally::default() {
        return Err(Error::failed(what, "not one test was run"));
    }
    Ok(tally.into())
}

/// `cargo fmt --check`.
pub fn fmt() -> Result<Outcome, Error> {
    check(&mut cargo(&["fmt", "--all", "--check"]))
        .map_err(|error| error.or_by_hand("rustup component add rustfmt clippy"))
}

/// clippy for everything, warnings are errors.
pub fn clippy() -> Result<Outcome, Error> {
    check(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
        .map_err(|error| error.or_by_hand("rustup component add rustfmt clippy"))
}

/// All native tests, by nextest where it is installed.
pub fn tests() -> Result<Outcome, Error> {
    if output("cargo", &["nextest", "--version"]).is_some() {
        let quiet = ["--status-level", "fail", "--final-status-level", "slow", "--cargo-quiet"];
        counted("the native tests", cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]).args(quiet))
    } else {
        let args = ["test", "--quiet", "--workspace", "--all-targets", "--no-fail-fast"];
        counted("the native tests", &mut cargo(&args))
    }
}

/// The examples in the documentation. There may be none.
pub fn doc_tests() -> Result<Outcome, Error> {
    let (status, text) = run_read(&mut cargo(&["test", "--quiet", "--workspace", "--doc"]))?;
    Ok(Tally::read(&text).judged(status.success()).into())
}

/// The documentation, warnings are errors.
pub fn docs() -> Result<Outcome, Error> {
    check(cargo(&["doc", "--quiet", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
}
