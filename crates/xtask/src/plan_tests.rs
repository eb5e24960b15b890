//! The plan on every kind of machine that we know of.

use super::*;
use crate::probe::{DebianRust, Tool, WasmStd};
use crate::version::Version;

fn tool(major: u32) -> Option<Tool> {
    Some(Tool { path: "tool".into(), version: Version::new(major, 0, 0) })
}

/// A machine with nothing but rustup and apt, as root.
fn bare() -> Probe {
    Probe { root: true, apt: true, rustup: true, rustc: tool(1), ..Probe::default() }
}

/// A developer's machine: everything is there, Trunk fetches the rest.
fn ordinary() -> Probe {
    Probe {
        root: false,
        wasm_target: true,
        trunk: tool(0),
        trunk_fetches: true,
        node: tool(20),
        npm: true,
        browser: tool(156),
        driver: tool(156),
        python: tool(3),
        ..bare()
    }
}

/// A machine that has been set up for the tests.
fn complete() -> Probe {
    Probe {
        wasm_bindgen: tool(0),
        wasm_bindgen_runner: Some("runner".into()),
        wasm_opt: tool(132),
        playwright: Some("p".into()),
        axe: Some("a".into()),
        trunk_fetches: false,
        ..ordinary()
    }
}

fn wasm_std() -> WasmStd {
    WasmStd { bin: "bin".into(), sysroot: "sysroot".into(), wasm_ld: "wasm-ld".into() }
}

fn debian_rust() -> DebianRust {
    DebianRust { version: Version::new(1, 96, 0), identity: "rustc 1.96.0".into(), wasm_ld: "wasm-ld".into() }
}

#[test]
fn nothing_is_done_twice() {
    assert_eq!(plan(&complete(), Goal::Page), []);
    assert_eq!(plan(&complete(), Goal::Test), []);
}

#[test]
fn the_page_on_an_ordinary_machine_needs_nothing_of_ours() {
    assert_eq!(plan(&ordinary(), Goal::Page), []);
}

#[test]
fn tests_need_the_runner_that_trunk_does_not_bring() {
    assert_eq!(
        plan(&ordinary(), Goal::Test),
        [Action::Cargo(CargoTool::WasmBindgen), Action::Npm(NpmTool::Playwright), Action::Npm(NpmTool::Axe)]
    );
}

#[test]
fn rustup_is_asked_first() {
    let actions = plan(&bare(), Goal::Page);
    assert!(actions.contains(&Action::AddWasmTarget));
    assert!(!actions.contains(&Action::BuildWasmStd));
}

#[test]
fn when_rustup_cannot_the_registries_bring_the_compiler() {
    for probe in [
        Probe { target_refused: true, ..bare() },
        Probe { registries_only: true, ..bare() },
        Probe { rustup: false, ..bare() },
    ] {
        assert_eq!(
            plan(&probe, Goal::Page),
            [
                Action::Debian(vec!["rustc-web", "cargo-web", "rust-web-src", "lld-19", "nodejs", "npm"]),
                Action::BuildWasmStd,
                Action::Cargo(CargoTool::Trunk),
                Action::Cargo(CargoTool::WasmBindgen),
                Action::Npm(NpmTool::Binaryen),
            ]
        );
    }
}

#[test]
fn the_library_is_built_once() {
    let refused = Probe { wasm_target: false, target_refused: true, ..complete() };
    let with_compiler = Probe { debian_rust: Some(debian_rust()), ..refused.clone() };
    assert_eq!(plan(&with_compiler, Goal::Test), [Action::BuildWasmStd]);
    assert_eq!(plan(&Probe { wasm_std: Some(wasm_std()), ..refused }, Goal::Test), []);
}

#[test]
fn a_bare_machine_gets_all_for_the_tests_in_an_order_that_works() {
    assert_eq!(
        plan(&bare(), Goal::Test),
        [
            Action::Debian(vec!["chromium", "chromium-driver", "python3", "nodejs", "npm"]),
            Action::AddWasmTarget,
            Action::Cargo(CargoTool::Trunk),
            Action::Cargo(CargoTool::WasmBindgen),
            Action::Npm(NpmTool::Binaryen),
            Action::Npm(NpmTool::Playwright),
            Action::Npm(NpmTool::Axe),
        ]
    );
}

#[test]
fn a_browser_without_its_driver_is_not_enough() {
    assert_eq!(
        plan(&Probe { root: true, driver: None, ..complete() }, Goal::Test),
        [Action::Debian(vec!["chromium", "chromium-driver"])]
    );
}

#[test]
fn an_old_node_is_replaced() {
    assert_eq!(plan(&Probe { root: true, node: tool(16), ..complete() }, Goal::Test), [Action::Debian(vec!["nodejs"])]);
    assert_eq!(plan(&Probe { node: tool(16), ..complete() }, Goal::Page), []);
}

#[test]
fn who_is_not_root_is_told_the_command() {
    let actions = plan(&Probe { browser: None, driver: None, ..complete() }, Goal::Test);
    let [Action::ByHand { how, .. }] = actions.as_slice() else { panic!("{actions:?}") };
    assert_eq!(how, "sudo apt-get update && sudo apt-get install chromium chromium-driver");
}

#[test]
fn other_systems_get_words_instead_of_package_names() {
    let actions = plan(&Probe { apt: false, browser: None, driver: None, ..complete() }, Goal::Test);
    let [Action::ByHand { how, .. }] = actions.as_slice() else { panic!("{actions:?}") };
    assert!(how.contains("Chrome or Chromium") && !how.contains("apt"), "{how}");
}

#[test]
fn every_action_says_what_it_is_and_what_to_do_by_hand() {
    let mut actions = plan(&bare(), Goal::Test);
    actions.extend(plan(&Probe { registries_only: true, ..bare() }, Goal::Test));
    actions.extend(plan(&Probe { root: false, ..bare() }, Goal::Test));
    for action in actions {
        assert!(!action.title().is_empty() && !action.by_hand().is_empty());
        assert_eq!(action.usual_seconds() == 0, matches!(action, Action::ByHand { .. }), "{action:?}");
    }
}
