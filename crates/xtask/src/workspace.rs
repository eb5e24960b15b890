//! Where things are in the project: its root, its target folders, what lies beside it.

use std::path::{Path, PathBuf};

/// The project's top folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Where native artefacts go: `CARGO_TARGET_DIR` if it is set, else `target`.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) if !dir.is_empty() => root().join(dir),
        _ => root().join("target"),
    }
}

/// Where wasm artefacts go. A folder of their own: they may come from another compiler, and two compilers in one
/// folder rebuild each other's work.
pub fn wasm_target() -> PathBuf {
    target().join("web")
}

/// The folder of shared references beside the project (golden traces and examples), if it is there.
pub fn shared() -> Option<PathBuf> {
    root().parent().map(|parent| parent.join("shared")).filter(|dir| dir.is_dir())
}
