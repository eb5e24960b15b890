//! `cargo xtask bench`: the engine's benchmarks, natively.

use crate::error::Error;
use crate::native::cargo;
use crate::process::run;

/// Runs the engine's benchmarks with arguments of the user's.
///
/// # Errors
/// When they cannot be built or fail.
pub fn run_benches(extra: &[String]) -> Result<(), Error> {
    println!("Building the engine's benchmarks in release and running them (usually 2 min).");
    let mut command = cargo(&["bench", "--package", "schedlab-sim", "--benches"]);
    if !extra.is_empty() {
        command.arg("--").args(extra);
    }
    run("cargo bench", &mut command)
}
