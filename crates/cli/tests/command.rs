//! Runs every folder of `tests/command` at the top of the workspace: a command line and what must
//! come of it. A new case is a new folder and no new code; `README.md` there says what it holds.
//! Not for properties of outputs: `properties.rs` checks those.

#![allow(clippy::expect_used)] // A test may fail by it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What is wrong with what a case gave; empty when nothing is.
fn check(case: &Path) -> Vec<String> {
    let read = |file: &str| fs::read_to_string(case.join(file)).ok();
    let args = read("args").expect("a case has args");
    let mut child = Command::new(env!("CARGO_BIN_EXE_schedlab"))
        .args(args.lines())
        .current_dir(case)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A command that does not read its input may have gone already.
    let _ = stdin.write_all(read("stdin").unwrap_or_default().as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));

    let mut wrong = Vec::new();
    let status = read("status").map_or(0, |status| status.trim().parse().expect("a status is a number"));
    if output.status.code() != Some(status) {
        wrong.push(format!("expected status {status}, got {:?}; standard error: {stderr}", output.status.code()));
    }
    if let Some(expected) = read("stdout").filter(|expected| *expected != stdout) {
        wrong.push(format!("expected on standard output:\n{expected}got:\n{stdout}"));
    }
    if let Some(expected) = read("stdout.begins") {
        let lines: Vec<&str> = stdout.lines().collect();
        if lines.len() != expected.lines().count() {
            wrong.push(format!("expected {} lines, got {}", expected.lines().count(), lines.len()));
        }
        for (number, (line, beginning)) in lines.iter().zip(expected.lines()).enumerate() {
            if !line.starts_with(beginning) {
                wrong.push(format!("line {}: expected {beginning:?} at its beginning, got {line:?}", number + 1));
            }
        }
    }
    // Sentences are wrapped: blanks and line ends are the same.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in read("stdout.contains").unwrap_or_default().lines() {
        if !words(&stdout).contains(&words(part)) {
            wrong.push(format!("expected {part:?} on standard output, got:\n{stdout}"));
        }
    }
    if let Some(expected) = read("stderr").filter(|expected| *expected != stderr) {
        wrong.push(format!("expected on standard error:\n{expected}got:\n{stderr}"));
    }
    for part in read("stderr.contains").unwrap_or_default().lines() {
        if !stderr.contains(part) {
            wrong.push(format!("expected {part:?} on standard error, got:\n{stderr}"));
        }
    }
    if !["stdout", "stdout.begins", "stdout.contains", "stderr", "stderr.contains"]
        .iter()
        .any(|file| case.join(file).exists())
    {
        wrong.push("the case expects nothing".to_owned());
    }
    wrong
}

#[test]
fn every_case_gives_what_it_must() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/command");
    let mut cases: Vec<_> = fs::read_dir(&folder)
        .expect("the cases are there")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    assert!(cases.len() > 20, "only {} cases in {}", cases.len(), folder.display());
    let mut failed = 0;
    for case in &cases {
        let wrong = check(case);
        if !wrong.is_empty() {
            failed += 1;
            eprintln!("{}:\n  {}", case.file_name().unwrap_or_default().to_string_lossy(), wrong.join("\n  "));
        }
    }
    assert_eq!(failed, 0, "of {} cases", cases.len());
}
