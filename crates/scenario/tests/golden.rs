//! The golden traces: what the kernel's own functions did, and what the engine answers.
//!
//! `tests/golden` has a representative set, a file a case (adding one is adding a file). Where the
//! whole set lies beside the project (`../shared/traces`), all of it is run.

use std::path::{Path, PathBuf};

use schedlab_scenario::golden::GoldenCase;
use serde_json::Value;

/// What `check.py --all` compares.
const COMPARED: [&str; 6] = ["switches", "counters", "sched_count", "end", "end_groups", "end_rq"];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The first difference between the kernel's line and the engine's answer, in words.
fn difference(line: &str) -> Option<String> {
    let kernel: Value = match serde_json::from_str(line) {
        Ok(kernel) => kernel,
        Err(error) => return Some(format!("not a case: {error}")),
    };
    let id = kernel["id"].as_str().unwrap_or("a case without an id");
    let answer = match GoldenCase::read(line).and_then(GoldenCase::run) {
        Ok(answer) => answer.json,
        Err(error) => return Some(error.to_string()),
    };
    for key in COMPARED {
        let (expected, got) = (&kernel[key], &answer[key]);
        if expected == got {
            continue;
        }
        if let (Some(expected), Some(got)) = (expected.as_array(), got.as_array()) {
            let at = expected.iter().zip(got).position(|(a, b)| a != b).unwrap_or(expected.len().min(got.len()));
            return Some(format!("{id}: {key} {at}: expected {:?}, got {:?}", expected.get(at), got.get(at)));
        }
        return Some(format!("{id}: {key}: expected {expected}, got {got}"));
    }
    None
}

fn check(lines: impl Iterator<Item = String>) -> usize {
    let (mut count, mut differences) = (0, Vec::new());
    for line in lines.filter(|line| !line.trim().is_empty()) {
        count += 1;
        differences.extend(difference(&line));
    }
    assert!(differences.is_empty(), "{} of {count} differ, first: {}", differences.len(), differences[0]);
    count
}

#[test]
fn the_cases_in_the_project_are_exact() {
    let files = files(&project().join("tests/golden"), "json");
    let count = check(files.iter().map(|file| std::fs::read_to_string(file).expect("a readable case")));
    assert!(count >= 275, "only {count} cases were found");
}

#[test]
fn every_shared_case_is_exact() {
    let folder = project().join("../shared/traces");
    let files = files(&folder, "jsonl");
    if files.is_empty() {
        println!("skipped: no ../shared/traces beside the project; the set in tests/golden was run");
        return;
    }
    let count = check(files.iter().flat_map(|file| {
        let text = std::fs::read_to_string(file).expect("a readable file");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    }));
    println!("{count} shared cases are exact");
    assert!(count > 0);
}

#[test]
fn a_difference_is_found() {
    let line = std::fs::read_to_string(project().join("tests/golden/6.12/hogs-2.json")).expect("the case");
    let changed = line.replacen("[2000000,\"A\",\"B\",\"preempt\"]", "[2000001,\"A\",\"B\",\"preempt\"]", 1);
    assert_ne!(line, changed);
    let difference = difference(&changed).expect("a difference");
    assert!(difference.contains("switches 1"), "{difference}");
}

#[test]
fn what_is_not_there_is_named() {
    let line = std::fs::read_to_string(project().join("tests/golden/6.12/hogs-2.json")).expect("the case");
    for (from, to, expected) in [
        ("\"release\":\"6.12\"", "\"release\":\"5.4\"", "6.12-hogs-2: release 5.4 is not modelled"),
        ("\"features\":{}", "\"features\":{\"NO_SUCH\":true}", "6.12-hogs-2: feature NO_SUCH is unknown"),
        ("\"features\":{}", "\"features\":{\"LAST_BUDDY\":true}", "6.12 has no feature LAST_BUDDY"),
        ("[\"run\",", "[\"dance\",", "step dance is unknown"),
    ] {
        let message = GoldenCase::read(&line.replacen(from, to, 1)).expect_err("an error").to_string();
        assert!(message.contains(expected), "{message}");
    }
    assert!(GoldenCase::read("not a case").is_err());
}
