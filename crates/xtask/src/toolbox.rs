//! The environment in which wasm builds and browser tests run, from what was found on the machine.
//! Sets variables of child processes only; nothing of the user's own set-up is changed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::error::Error;
use crate::pins;
use crate::probe::Probe;
use crate::workspace;

/// Between flags in `CARGO_ENCODED_RUSTFLAGS`; unlike a space it does not occur in paths.
const FLAG_SEPARATOR: &str = "\u{1f}";

/// A command with the tools that were found on its `PATH` and, where Debian's compiler builds wasm, with its
/// library and linker.
pub fn command(program: &str, probe: &Probe) -> Command {
    let path = search_path(probe);
    let mut command = match crate::process::which_in(program, &path) {
        Some(found) => Command::new(found),
        None => Command::new(program),
    };
    command.current_dir(workspace::root()).env("CARGO_TARGET_DIR", workspace::wasm_target()).env("PATH", &path);
    if let Some(std) = wasm_std(probe) {
        let flags = with_sysroot(
            std::env::var("CARGO_ENCODED_RUSTFLAGS").ok(),
            std::env::var("RUSTFLAGS").ok(),
            &std.sysroot.to_string_lossy(),
        );
        // Cargo and rustup set the others for the toolchain that runs xtask.
        for variable in ["LD_LIBRARY_PATH", "RUSTC", "RUSTUP_TOOLCHAIN", "CARGO", "RUSTFLAGS"] {
            command.env_remove(variable);
        }
        command.env("CARGO_ENCODED_RUSTFLAGS", flags).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", &std.wasm_ld);
    }
    command
}

/// Debian's compiler is used only where the user's own cannot build wasm.
fn wasm_std(probe: &Probe) -> Option<&crate::probe::WasmStd> {
    probe.wasm_std.as_ref().filter(|_| !probe.wasm_target)
}

/// Flags of the user's, and the library of ours. They go to wasm code only, because these builds name a target.
fn with_sysroot(encoded: Option<String>, plain: Option<String>, sysroot: &str) -> String {
    let mut flags: Vec<String> = match (encoded, plain) {
        (Some(encoded), _) => encoded.split(FLAG_SEPARATOR).map(str::to_owned).collect(),
        (None, Some(plain)) => plain.split_whitespace().map(str::to_owned).collect(),
        (None, None) => Vec::new(),
    };
    flags.retain(|flag| !flag.is_empty());
    flags.push(format!("--sysroot={sysroot}"));
    flags.join(FLAG_SEPARATOR)
}

/// The folders of the tools that were found, then the user's own `PATH`.
fn search_path(probe: &Probe) -> OsString {
    let mut dirs: Vec<PathBuf> = wasm_std(probe).map(|std| std.bin.clone()).into_iter().collect();
    let tools = [&probe.trunk, &probe.wasm_bindgen, &probe.wasm_opt];
    dirs.extend(tools.into_iter().flatten().filter_map(|tool| tool.path.parent().map(PathBuf::from)));
    let own = std::env::var_os("PATH").unwrap_or_default();
    dirs.extend(std::env::split_paths(&own));
    // A folder with the separator in its name cannot be on a path; then the user's own has to do.
    std::env::join_paths(dirs).unwrap_or(own)
}

/// Writes the capabilities with which WebDriver and the page tests start the browser, and returns the file's path.
///
/// # Errors
/// When no browser was found or the file cannot be written.
pub fn browser_file(probe: &Probe) -> Result<PathBuf, Error> {
    let browser = probe.browser.as_ref().ok_or_else(|| Error::failed("finding a browser", "there is none"))?;
    let dir = workspace::target();
    std::fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
    let path = dir.join("webdriver.json");
    let capabilities = serde_json::json!({
        "goog:chromeOptions": { "binary": browser.path, "args": pins::BROWSER_FLAGS }
    });
    std::fs::write(&path, format!("{capabilities:#}\n")).map_err(Error::io(&path))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_flags_are_kept() {
        assert_eq!(with_sysroot(None, None, "/a b"), "--sysroot=/a b");
        assert_eq!(with_sysroot(None, Some("-C debuginfo=1 ".into()), "/s"), "-C\u{1f}debuginfo=1\u{1f}--sysroot=/s");
        assert_eq!(with_sysroot(Some("-Cx".into()), Some("-Cy".into()), "/s"), "-Cx\u{1f}--sysroot=/s");
        assert_eq!(with_sysroot(Some(String::new()), None, "/s"), "--sysroot=/s");
    }

    #[test]
    fn an_own_toolchain_with_the_target_is_left_alone() {
        let std = crate::probe::WasmStd { bin: "/std/bin".into(), sysroot: "/std".into(), wasm_ld: "/ld".into() };
        let probe = Probe { wasm_std: Some(std), ..Probe::default() };
        let path = |probe: &Probe| search_path(probe).to_string_lossy().into_owned();
        assert!(path(&probe).starts_with("/std/bin"));
        assert!(!path(&Probe { wasm_target: true, ..probe }).contains("/std/bin"));
    }
}
