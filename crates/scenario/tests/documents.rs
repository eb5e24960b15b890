//! Documents as data: each folder of `tests/documents` has an `input.json` and an `expected.txt`
//! with what must come out: the problems, or the notices and the compiled tasks of each variant.
//! A new case is a new folder; when a case fails, what came out is printed in full.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects")]

use std::fmt::Write;
use std::path::Path;

use schedlab_scenario::{Problem, link, open_bytes};
use schedlab_sim::kernel::{FEATURES, Kernel, TUNABLES};
use schedlab_sim::{GroupId, GroupSpec, Input, Step, TaskSpec};

#[test]
fn documents_give_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/documents");
    let mut cases: Vec<_> =
        std::fs::read_dir(&folder).expect("tests/documents").map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.is_dir());
    cases.sort();
    assert!(cases.len() > 10, "only {} cases in {}", cases.len(), folder.display());
    let mut failed = Vec::new();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read(case.join("input.json")).unwrap_or_else(|error| panic!("{name}: input.json: {error}"));
        let expected = std::fs::read_to_string(case.join("expected.txt")).unwrap_or_default();
        let came = describe(&text);
        if came != expected {
            println!("=== {name}: expected\n{expected}=== {name}: came\n{came}");
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

/// What comes out of a document. A document that opens must survive writing and linking too.
fn describe(text: &[u8]) -> String {
    let mut out = String::new();
    let opened = match open_bytes(text) {
        Ok(opened) => opened,
        Err(problems) => {
            list(&mut out, "error", &problems);
            return out;
        }
    };
    list(&mut out, "notice", &opened.notices);
    let scenario = opened.scenario;
    let again = schedlab_scenario::open(&scenario.to_json()).expect("what was written opens");
    assert_eq!(again.scenario, scenario, "what was written is the same document");
    assert_eq!(link::decode(&link::encode(&scenario)).expect("the link opens").scenario, scenario);
    let mut first = String::new();
    for index in 0..scenario.variant_count() {
        let variant = scenario.variant(index).expect("every variant was checked");
        let prepared = variant.scenario.prepare(0).expect("every variant was checked");
        let release = prepared.input.kernel.release().name();
        let mut body = String::new();
        input(&mut body, &prepared.input);
        if !prepared.operations.is_empty() {
            writeln!(body, "  operations: {}", prepared.operations.join(", ")).unwrap();
        }
        if index == 0 {
            first.clone_from(&body);
        } else if body == first {
            body = "  the same as the first\n".to_owned();
        }
        write!(out, "variant {}: {release}\n{body}", variant.name).unwrap();
        // The engine has its own checks; a compiled document passes them.
        schedlab_sim::Simulation::new(prepared.input).expect("the engine takes it");
    }
    out
}

fn list(out: &mut String, kind: &str, problems: &[Problem]) {
    for problem in problems {
        writeln!(out, "{kind}: {problem}").unwrap();
    }
}

fn input(out: &mut String, input: &Input) {
    writeln!(out, "  {:?}", input.machine).unwrap();
    let kernel = &input.kernel;
    for info in FEATURES.iter().filter(|info| info.feature.default_in(kernel.release()).is_some()) {
        let on = kernel.has(info.feature);
        if info.feature.default_in(kernel.release()) != Some(on) {
            writeln!(out, "  {} {on}", info.name).unwrap();
        }
    }
    let default = Kernel::new(kernel.release(), 1);
    for info in TUNABLES.iter().filter(|info| info.tunable.exists_in(kernel.release())) {
        let value = kernel.tunable(info.tunable);
        if default.tunable(info.tunable) != value {
            writeln!(out, "  {} {value}", info.name).unwrap();
        }
    }
    if kernel.preemption() != default.preemption() {
        writeln!(out, "  preempt {}", kernel.preemption().name()).unwrap();
    }
    writeln!(out, "  until {} ns, warm-up {} ns, seed {}", input.until_ns, input.warmup_ns, input.seed).unwrap();
    if input.objects != schedlab_sim::Objects::default() {
        writeln!(out, "  {:?}", input.objects).unwrap();
    }
    for (index, group) in input.groups.iter().enumerate() {
        describe_group(out, index, group);
    }
    let mut last = None;
    for task in &input.tasks {
        describe_task(out, "task", task, &mut last);
    }
    for task in input.templates.iter().map(|template| &template.spec) {
        describe_task(out, "template", task, &mut last);
    }
}

fn describe_group(out: &mut String, index: usize, group: &GroupSpec) {
    write!(out, "  group {index} {}", group.path).unwrap();
    if let Some(GroupId(parent)) = group.parent {
        write!(out, " in {parent}").unwrap();
    }
    write!(out, ": weight {}", group.weight).unwrap();
    if group.idle {
        write!(out, ", idle").unwrap();
    }
    if group.latency_nice != 0 {
        write!(out, ", latency nice {}", group.latency_nice).unwrap();
    }
    if let Some(max) = &group.max {
        write!(out, ", {max:?}").unwrap();
    }
    writeln!(out).unwrap();
}

fn describe_task<'t>(out: &mut String, kind: &str, task: &'t TaskSpec, last: &mut Option<&'t TaskSpec>) {
    write!(out, "  {kind} {}: {:?} at {} ns, {:?}", task.name, task.birth, task.start_ns, task.policy).unwrap();
    write!(out, " nice {}", task.nice).unwrap();
    if let Some(GroupId(group)) = task.group {
        write!(out, ", in group {group}").unwrap();
    }
    if let Some(slice) = task.slice_ns {
        write!(out, ", slice {slice} ns").unwrap();
    }
    if task.latency_nice != 0 {
        write!(out, ", latency nice {}", task.latency_nice).unwrap();
    }
    if task.cookie != 0 {
        write!(out, ", cookie {}", task.cookie).unwrap();
    }
    if last.is_some_and(|last| std::sync::Arc::ptr_eq(&last.program, &task.program)) {
        writeln!(out, ", the same program").unwrap();
        return;
    }
    *last = Some(task);
    writeln!(out).unwrap();
    let mut depth = 0;
    for (index, step) in task.program.steps.iter().enumerate() {
        if matches!(step, Step::LoopEnd { .. }) {
            depth -= 1;
        }
        writeln!(out, "    {index:>2} {}{step:?}", "  ".repeat(depth)).unwrap();
        if matches!(step, Step::LoopStart { .. }) {
            depth += 1;
        }
    }
}
