//! The steps that run in a headless browser: wasm-bindgen tests, and the built page.

use std::process::Command;

use crate::error::Error;
use crate::native::counted;
use crate::pins;
use crate::probe::{Probe, Tool};
use crate::process::run;
use crate::steps::Outcome;
use crate::toolbox;
use crate::trunk;
use crate::workspace;

/// The packages that have tests for the browser.
const WASM_TESTS: &[&str] = &["schedlab-determinism", "schedlab-web"];

/// wasm-bindgen tests in a headless browser.
///
/// # Errors
/// When a tool is missing or not one test was run.
pub fn wasm_tests(probe: &Probe) -> Result<Outcome, Error> {
    let runner = found(probe.wasm_bindgen_runner.as_ref(), "wasm-bindgen-test-runner")?;
    let driver = found(probe.driver.as_ref(), "chromedriver")?;
    let cargo_test = || {
        let mut command = toolbox::command("cargo", probe);
        // The profile of the page: most of both is the same crates.
        command.args(["test", "--profile", "page", "--target", "wasm32-unknown-unknown", "--tests"]);
        for package in WASM_TESTS {
            command.args(["--package", package]);
        }
        command
    };
    // Cargo would pass --quiet on to the test runner, which does not know it.
    run("building the wasm tests", cargo_test().args(["--quiet", "--no-run"]))?;
    let mut command = cargo_test();
    command
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .env("CHROMEDRIVER", &driver.path)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", toolbox::browser_file(probe)?)
        .env("WASM_BINDGEN_TEST_TIMEOUT", pins::WASM_TEST_TIMEOUT);
    counted("the wasm tests", &mut command)
}

/// The built page in a headless browser: the cases in `tests/page`.
///
/// # Errors
/// When a tool or the built page is missing.
pub fn page_tests(probe: &Probe, update_screenshot: bool) -> Result<Outcome, Error> {
    let page = trunk::tested_page();
    if !page.join("index.html").is_file() {
        return Err(Error::failed("testing the page", "it has not been built")
            .or_by_hand("cargo xtask test --only page-build --only page"));
    }
    let node: &Tool = found(probe.node.as_ref(), "Node")?;
    let mut command = Command::new(&node.path);
    command.current_dir(workspace::root()).arg("tests/page/run.mjs").arg("--dist").arg(&page);
    command.arg("--playwright").arg(found(probe.playwright.as_ref(), "playwright-core")?);
    command.arg("--axe").arg(found(probe.axe.as_ref(), "axe-core")?);
    command.arg("--browser").arg(toolbox::browser_file(probe)?);
    command.arg("--screenshots").arg(workspace::target().join("screenshots"));
    if let Some(shared) = workspace::shared() {
        command.arg("--shared").arg(shared);
    }
    if update_screenshot {
        command.arg("--update-screenshot").arg("docs/screenshot.png");
    }
    counted("the page tests", &mut command)
}

fn found<'a, T>(tool: Option<&'a T>, name: &str) -> Result<&'a T, Error> {
    tool.ok_or_else(|| Error::failed(format!("finding {name}"), "it is not there").or_by_hand("cargo xtask doctor"))
}
