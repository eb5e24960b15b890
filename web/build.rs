//! Gives the page and its worker one build id: a hash of every source file they are made of, so
//! that a page from one build never decodes the messages of a worker from another.

use std::error::Error;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("..");
    let folders = ["web/src", "crates/sim/src", "crates/scenario/src", "crates/report/src", "crates/view/src"];
    let mut files = vec![root.join("Cargo.lock")];
    for folder in folders {
        println!("cargo::rerun-if-changed=../{folder}");
        collect(&root.join(folder), &mut files)?;
    }
    println!("cargo::rerun-if-changed=../Cargo.lock");
    files.sort();
    let mut hash = Xxh3::new();
    for file in files {
        hash.update(&std::fs::read(file)?);
    }
    // The table of the comparison with real kernels goes into the page; a clone may not have it yet.
    println!("cargo::rerun-if-changed=../docs/fidelity.md");
    let fidelity = std::fs::read_to_string(root.join("docs/fidelity.md")).unwrap_or_default();
    let fidelity = without_rows_inside(&fidelity);
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("fidelity.md"), fidelity)?;
    println!("cargo::rustc-env=SCHEDLAB_BUILD={:016x}", hash.digest());
    Ok(())
}

/// The document with those rows of its table only that lie outside: the page has the whole one as a
/// file beside it.
fn without_rows_inside(text: &str) -> String {
    let (mut kept, mut in_table, mut heading) = (String::new(), false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            in_table = !in_table;
            heading = in_table;
        } else if in_table && !heading && !line.trim_end().ends_with("outside") {
            continue;
        } else {
            heading = false;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
