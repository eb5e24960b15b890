//! Runs every case of `tests/golden` natively, while building, and writes them down with the
//! hashes of their runs: the tests compare on the target they are built for.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schedlab_scenario::golden::GoldenCase;

fn cases(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            cases(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let golden = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../golden").canonicalize()?;
    let mut files = Vec::new();
    cases(&golden, &mut files)?;
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        let answer = GoldenCase::read(&std::fs::read_to_string(&file)?)?.run()?;
        writeln!(code, "    (include_str!({:?}), {:#018x}, {}),", file, answer.hash, answer.switches)?;
    }
    code.push_str("]\n");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("cases.rs"), code)?;
    Ok(())
}
