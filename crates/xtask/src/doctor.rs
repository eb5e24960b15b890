//! `cargo xtask doctor`: what is there, what is missing, what would be done and how long that takes. Changes nothing.

use std::path::Path;

use crate::args::Options;
use crate::cache::Cache;
use crate::error::Error;
use crate::pins;
use crate::plan::{Action, Goal, plan};
use crate::probe::{Probe, Tool};
use crate::setup::duration;
use crate::version::Version;

/// Prints the report.
///
/// # Errors
/// When the cache folder cannot be determined.
pub fn run(options: &Options) -> Result<(), Error> {
    let cache = Cache::of_user()?;
    let probe = Probe::of_machine(&cache, options.registries_only);
    println!("cache: {}\n", cache.root().display());
    print!("{}", inventory(&probe));
    for (goal, command) in [(Goal::Page, "serve or build"), (Goal::Test, "test")] {
        print!("\n{}", outlook(&plan(&probe, goal), command));
    }
    Ok(())
}

fn inventory(probe: &Probe) -> String {
    let cargo_version = |text: &str| format!("needs {text}");
    let mut lines = vec![
        line("rustc", probe.rustc.as_ref(), &cargo_version(&pins::RUST_LEAST.to_string())),
        wasm_line(probe),
        line(
            "trunk",
            probe.trunk.as_ref(),
            &format!("any from {} to before {}", pins::TRUNK_RANGE.0, pins::TRUNK_RANGE.1),
        ),
        line("wasm-bindgen", probe.wasm_bindgen.as_ref(), &fetched(probe, pins::WASM_BINDGEN)),
        line("wasm-opt", probe.wasm_opt.as_ref(), &fetched(probe, pins::BINARYEN)),
        line("node", probe.node.as_ref(), &format!("for the page tests, {} or later", pins::NODE_LEAST)),
        line("browser", probe.browser.as_ref(), "Chromium or Chrome, for tests; CHROME names another"),
        line(
            "driver",
            probe.driver.as_ref(),
            "chromedriver of the browser's major version; CHROMEDRIVER names another",
        ),
        line("python3", probe.python.as_ref(), "for the comparison with golden traces"),
        line("nextest", probe.nextest.as_ref(), "not needed: cargo test does it too"),
    ];
    for (name, dir, version) in
        [("playwright-core", &probe.playwright, pins::PLAYWRIGHT), ("axe-core", &probe.axe, pins::AXE)]
    {
        lines.push(match dir {
            Some(dir) => present(name, version, dir),
            None => absent(name, &format!("for the page tests, {version}")),
        });
    }
    lines.concat()
}

fn wasm_line(probe: &Probe) -> String {
    match (&probe.wasm_std, &probe.debian_rust) {
        _ if probe.wasm_target => present("wasm target", "", Path::new("in the toolchain in use")),
        (Some(std), Some(rust)) => present("wasm target", &rust.version.to_string(), &std.sysroot),
        (None, Some(rust)) => absent("wasm target", &format!("Debian's compiler {} can have it", rust.version)),
        (_, None) => absent("wasm target", "from rustup or, on Debian, from packages"),
    }
}

fn fetched(probe: &Probe, version: &str) -> String {
    if probe.trunk_fetches { format!("{version}; Trunk fetches it") } else { format!("needs {version}") }
}

fn line(name: &str, tool: Option<&Tool>, wanted: &str) -> String {
    match tool {
        Some(Tool { path, version }) => present(name, &shown(*version), path),
        None => absent(name, wanted),
    }
}

/// A version without trailing zeros that the tool did not print: wasm-opt has one number only.
fn shown(version: Version) -> String {
    if version.minor == 0 && version.patch == 0 { version.major.to_string() } else { version.to_string() }
}

fn present(name: &str, version: &str, path: &Path) -> String {
    format!("{name:<16} {version:<12} {}\n", path.display())
}

fn absent(name: &str, wanted: &str) -> String {
    format!("{name:<16} {:<12} {wanted}\n", "missing")
}

fn outlook(actions: &[Action], command: &str) -> String {
    if actions.is_empty() {
        return format!("cargo xtask {command}: all is there\n");
    }
    let seconds = actions.iter().map(Action::usual_seconds).sum();
    let mut text = format!("cargo xtask {command} would first (usually {} on two cores):\n", duration(seconds));
    for action in actions {
        text += &format!("- {} ({})\n", action.title(), duration(action.usual_seconds()));
        if let Action::ByHand { how, .. } = action {
            text += &format!("  by hand: {how}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_and_what_would_be_done_is_said() {
        let text = inventory(&Probe::default());
        assert_eq!(text.matches("missing").count(), text.lines().count(), "{text}");
        let actions = [Action::BuildWasmStd, Action::ByHand { missing: "a browser", how: "install one".into() }];
        let text = outlook(&actions, "test");
        assert!(text.contains("usually 70 s") && text.contains("by hand: install one"), "{text}");
        assert_eq!(outlook(&[], "serve"), "cargo xtask serve: all is there\n");
    }

    #[test]
    fn what_is_there_is_shown_with_version_and_place() {
        let tool = Tool { path: "/opt/wasm-opt".into(), version: Version::new(132, 0, 0) };
        let text = inventory(&Probe { wasm_opt: Some(tool), ..Probe::default() });
        assert!(text.contains("wasm-opt         132          /opt/wasm-opt\n"), "{text}");
    }
}
