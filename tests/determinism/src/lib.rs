//! The golden cases with the hashes of their native runs, and what this target makes of them.
//! Not for exactness against kernels: `crates/scenario/tests/golden.rs` checks that.

use schedlab_scenario::golden::{GoldenCase, GoldenError};

/// Each case: its text, the hash of its run on the machine that built this, its switches.
pub static NATIVE: &[(&str, u64, u64)] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// Runs every case here and answers the names of those whose hash or switches differ.
///
/// # Errors
/// [`GoldenError`] when a case that ran natively cannot be run here.
pub fn differing() -> Result<Vec<String>, GoldenError> {
    let mut differing = Vec::new();
    for (text, hash, switches) in NATIVE {
        let case = GoldenCase::read(text)?;
        let id = case.id.clone();
        let answer = case.run()?;
        if (answer.hash, answer.switches) != (*hash, *switches) {
            differing.push(format!("{id}: {:#018x} and not {hash:#018x}", answer.hash));
        }
    }
    Ok(differing)
}
