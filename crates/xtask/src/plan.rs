//! From what is on the machine to what has to be done: a pure function, so that every kind of machine can be tested.
//! Not for doing it: that is `install`.

use crate::pins;
use crate::probe::Probe;

/// What the tools are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Building or serving the page.
    Page,
    /// Running the wasm tests and the page in a browser, besides building the page.
    Test,
}

/// A package that cargo builds into the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CargoTool {
    /// Trunk.
    Trunk,
    /// wasm-bindgen and its test runner.
    WasmBindgen,
}

/// A package that npm puts into the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NpmTool {
    /// Binaryen, for wasm-opt.
    Binaryen,
    /// playwright-core.
    Playwright,
    /// axe-core.
    Axe,
}

impl NpmTool {
    /// The package's name and pinned version.
    pub const fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::Binaryen => ("binaryen", pins::BINARYEN),
            Self::Playwright => ("playwright-core", pins::PLAYWRIGHT),
            Self::Axe => ("axe-core", pins::AXE),
        }
    }
}

/// One thing to do before the work can begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask rustup for the wasm target. The one action that may fail without harm: the plan is then made anew.
    AddWasmTarget,
    /// Install Debian packages.
    Debian(Vec<&'static str>),
    /// Build the wasm standard library for Debian's compiler.
    BuildWasmStd,
    /// Build a tool with cargo.
    Cargo(CargoTool),
    /// Bring a package with npm.
    Npm(NpmTool),
    /// Something that only the user can do.
    ByHand {
        /// What is missing.
        missing: &'static str,
        /// What to do.
        how: String,
    },
}

impl Action {
    /// What is being done, in one line.
    pub fn title(&self) -> String {
        match self {
            Self::AddWasmTarget => "add the wasm32-unknown-unknown target to the Rust toolchain in use (rustup)".into(),
            Self::Debian(packages) => format!("install Debian packages: {}", packages.join(" ")),
            Self::BuildWasmStd => "build the wasm standard library for Debian's compiler, into the cache".into(),
            Self::Cargo(CargoTool::Trunk) => format!("build Trunk {} with cargo, into the cache", pins::TRUNK),
            Self::Cargo(CargoTool::WasmBindgen) => {
                format!("build wasm-bindgen {} with cargo, into the cache", pins::WASM_BINDGEN)
            }
            Self::Npm(tool) => {
                let (name, version) = tool.package();
                format!("bring {name} {version} with npm, into the cache")
            }
            Self::ByHand { missing, .. } => format!("{missing}: cannot be brought from here"),
        }
    }

    /// How long it took on two cores, in seconds.
    pub const fn usual_seconds(&self) -> u32 {
        match self {
            Self::AddWasmTarget => 5,
            Self::Debian(_) => 60,
            Self::BuildWasmStd => 70,
            Self::Cargo(CargoTool::Trunk) => 240,
            Self::Cargo(CargoTool::WasmBindgen) => 120,
            Self::Npm(_) => 3,
            Self::ByHand { .. } => 0,
        }
    }

    /// What to do if it fails.
    pub fn by_hand(&self) -> String {
        match self {
            Self::AddWasmTarget => "rustup target add wasm32-unknown-unknown".into(),
            Self::Debian(packages) => format!("as root: apt-get update && apt-get install {}", packages.join(" ")),
            Self::BuildWasmStd => {
                "install a Rust toolchain with the wasm target: rustup target add wasm32-unknown-unknown".into()
            }
            Self::Cargo(CargoTool::Trunk) => format!("cargo install trunk --version {} --locked", pins::TRUNK),
            Self::Cargo(CargoTool::WasmBindgen) => {
                format!("cargo install wasm-bindgen-cli --version {}", pins::WASM_BINDGEN)
            }
            Self::Npm(tool) => {
                let (name, version) = tool.package();
                format!("see that `npm install {name}@{version}` works in an empty folder, then try again")
            }
            Self::ByHand { how, .. } => how.clone(),
        }
    }
}

/// What has to be done for a goal, in order. Empty: all is there.
pub fn plan(probe: &Probe, goal: Goal) -> Vec<Action> {
    let mut packages = Vec::new();
    let mut actions = Vec::new();
    wasm_compiler(probe, &mut packages, &mut actions);
    if probe.trunk.is_none() {
        actions.push(Action::Cargo(CargoTool::Trunk));
    }
    // Trunk brings wasm-bindgen where it can, but not its test runner.
    let runner_missing = goal == Goal::Test && probe.wasm_bindgen_runner.is_none();
    if runner_missing || (probe.wasm_bindgen.is_none() && !probe.trunk_fetches) {
        actions.push(Action::Cargo(CargoTool::WasmBindgen));
    }
    let mut npm = Vec::new();
    if probe.wasm_opt.is_none() && !probe.trunk_fetches {
        npm.push(NpmTool::Binaryen);
    }
    if goal == Goal::Test {
        if probe.browser.is_none() || probe.driver.is_none() {
            packages.extend(["chromium", "chromium-driver"]);
        }
        if probe.python.is_none() {
            packages.push("python3");
        }
        if probe.playwright.is_none() {
            npm.push(NpmTool::Playwright);
        }
        if probe.axe.is_none() {
            npm.push(NpmTool::Axe);
        }
    }
    let node_needed = goal == Goal::Test || !npm.is_empty();
    if node_needed && probe.node.as_ref().is_none_or(|node| node.version < pins::NODE_LEAST) {
        packages.push("nodejs");
    }
    if !npm.is_empty() && !probe.npm {
        packages.push("npm");
    }
    actions.extend(npm.into_iter().map(Action::Npm));
    if !packages.is_empty() {
        actions.insert(0, debian(probe, packages));
    }
    actions
}

/// The wasm target: the user's own toolchain first, else Debian's compiler and a library built for it.
fn wasm_compiler(probe: &Probe, packages: &mut Vec<&'static str>, actions: &mut Vec<Action>) {
    if probe.wasm_target || probe.wasm_std.is_some() {
        return;
    }
    if probe.rustup && !probe.target_refused && !probe.registries_only {
        actions.push(Action::AddWasmTarget);
        return;
    }
    if probe.debian_rust.is_none() {
        packages.extend(["rustc-web", "cargo-web", "rust-web-src", "lld-19"]);
    }
    actions.push(Action::BuildWasmStd);
}

/// Packages are installed where that is allowed, asked for elsewhere.
fn debian(probe: &Probe, packages: Vec<&'static str>) -> Action {
    if probe.apt && probe.root {
        return Action::Debian(packages);
    }
    let how = if probe.apt {
        format!("sudo apt-get update && sudo apt-get install {}", packages.join(" "))
    } else {
        packages.iter().map(|package| elsewhere(package)).collect::<Vec<_>>().join("; ")
    };
    Action::ByHand { missing: "packages of the system", how }
}

/// What a Debian package is for, in words for other systems.
fn elsewhere(package: &str) -> &'static str {
    match package {
        "chromium" => "install Chrome or Chromium (or name one in CHROME)",
        "chromium-driver" => "and the chromedriver of the same major version (or name one in CHROMEDRIVER)",
        "python3" => "install Python 3",
        "nodejs" => "install Node 18 or later",
        "npm" => "with npm",
        "rustc-web" => "run rustup target add wasm32-unknown-unknown",
        _ => "(on Debian: rustc-web cargo-web rust-web-src lld-19)",
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
