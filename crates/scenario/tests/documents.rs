//! Documents as data: each folder of `tests/documents` has an `input.json` and an `expected.txt`
//! with what must come out: the problems, or the notices and the compiled tasks of each variant.
//! A new case is a new folder; when a case fails, what came out is printed in full.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects")]

use std::fmt::Write;
use std::path::Path;

use schedlab_scenario::{Problem, link, open_bytes};
use schedlab_sim::kernel::{FEATURES, Kernel, TUNABLES};
use schedlab_sim::{GroupId, GroupSpec, Input, Machine, Objects, Step, TaskSpec};

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
            let named = prepared.operations.iter().map(|of| format!("{} of {}", of.name, of.task));
            writeln!(body, "  operations: {}", named.collect::<Vec<_>>().join(", ")).unwrap();
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
    describe_machine(out, &input.machine);
    let kernel = &input.kernel;
    for info in FEATURES.iter().filter(|info| info.feature.default_in(kernel.release()).is_some()) {
        let on = kernel.has(info.feature);
        if info.feature.default_in(kernel.release()) != Some(on) {
            writeln!(out, "  {} {on}", info.name).unwrap();
        }
    }
    let default = Kernel::new(kernel.release(), input.machine.cpus());
    for info in TUNABLES.iter().filter(|info| info.tunable.exists_in(kernel.release())) {
        let value = kernel.tunable(info.tunable);
        if default.tunable(info.tunable) != value {
            writeln!(out, "  {} {value}", info.name).unwrap();
        }
    }
    if kernel.core_scheduling() != default.core_scheduling() {
        writeln!(out, "  core scheduling {}", kernel.core_scheduling().name()).unwrap();
    }
    if kernel.preemption() != default.preemption() {
        writeln!(out, "  preempt {}", kernel.preemption().name()).unwrap();
    }
    writeln!(out, "  until {} ns, warm-up {} ns, seed {}", input.until_ns, input.warmup_ns, input.seed).unwrap();
    describe_objects(out, &input.objects);
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

/// The machine: what differs from one CPU without costs.
fn describe_machine(out: &mut String, machine: &Machine) {
    write!(out, "  machine: HZ {}", machine.hz).unwrap();
    if machine.cpus() != 1 {
        let Machine { nodes, llcs_per_node, cores_per_llc, threads_per_core, .. } = machine;
        let product = format!("{nodes} x {llcs_per_node} x {cores_per_llc} x {threads_per_core}");
        write!(out, ", {} CPUs ({product}, {:?})", machine.cpus(), machine.sibling_numbering).unwrap();
    }
    if machine.tick_phases_ns.iter().any(|&phase| phase != 0) {
        write!(out, ", tick phases {:?}", machine.tick_phases_ns).unwrap();
    }
    if !machine.capacities.is_empty() {
        write!(out, ", capacities {:?}", machine.capacities).unwrap();
    }
    let ideal = Machine::ideal(machine.hz);
    let numbers = [
        ("SMT speed", u64::from(machine.smt_speed_per_mille), u64::from(ideal.smt_speed_per_mille)),
        ("context switch", machine.context_switch_ns, 0),
        ("wake-up", machine.wakeup_ns, 0),
        ("run step", machine.run_step_ns, 0),
        ("sleep", machine.sleep_ns, 0),
        ("migration", machine.migration_ns, 0),
        ("core-wide pick", machine.core_pick_ns, 0),
        ("newidle cost a CPU", machine.newidle_cost_per_cpu_ns, ideal.newidle_cost_per_cpu_ns),
    ];
    for (name, number, _) in numbers.iter().filter(|(_, number, usual)| number != usual) {
        write!(out, ", {name} {number}").unwrap();
    }
    if machine.cache != ideal.cache {
        write!(out, ", {:?}", machine.cache).unwrap();
    }
    writeln!(out).unwrap();
}

/// The objects of which there are some.
fn describe_objects(out: &mut String, objects: &Objects) {
    let counts = [
        ("mutexes", objects.mutexes),
        ("conditions", objects.conditions),
        ("semaphores", objects.semaphores),
        ("suspensions", objects.suspensions),
        ("timers", objects.timers),
        ("operations", objects.operations),
    ];
    let mut parts: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name} {count}")).collect();
    for (name, list) in [("barriers", &objects.barriers), ("pipes", &objects.pipes)] {
        if !list.is_empty() {
            parts.push(format!("{name} {list:?}"));
        }
    }
    if objects.locks_barge {
        parts.push("locks barge".to_owned());
    }
    if !parts.is_empty() {
        writeln!(out, "  objects: {}", parts.join(", ")).unwrap();
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
    if let Some(cpus) = &task.cpus {
        write!(out, ", CPUs {cpus:?}").unwrap();
    }
    if task.previous_cpu != 0 {
        write!(out, ", previously on CPU {}", task.previous_cpu).unwrap();
    }
    if task.working_set_kib != 0 {
        write!(out, ", working set {} KiB", task.working_set_kib).unwrap();
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
