//! Exports of whole runs: what other tools' readers would stumble over. Not for single lines: the
//! formats have tests of their own.

#![allow(clippy::expect_used)] // A test may fail by it.

mod support;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const SCENARIO: &str = r#"{
    "schema": 1,
    "machine": { "cores_per_llc": 4, "hz": 250, "wakeup_ns": 2500 },
    "kernel": { "release": "6.12" },
    "workload": {
        "global": { "duration": 1 },
        "tasks": {
            "hog": { "instance": 3, "loop": -1, "run": 10000 },
            "web": { "instance": 4, "priority": -5, "loop": -1, "run": {"exp": 900}, "sleep": {"exp": 1500} },
            "main": { "loop": 20, "run": 200, "fork": "job", "sleep": 20000 },
            "job": { "instance": 0, "loop": 1, "run": 500 },
            "fifo": { "policy": "SCHED_FIFO", "priority": 10, "loop": -1, "run": 100, "sleep": 9000 }
        }
    },
    "run": { "duration_ms": 400 }
}"#;

fn schedlab(args: &[&str]) -> Output {
    support::schedlab(args, SCENARIO.as_bytes())
}

fn export(to: &str) -> Vec<u8> {
    let output = schedlab(&["export", "-", "--to", to]);
    assert!(output.status.success(), "{to}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn text(to: &str) -> String {
    String::from_utf8(export(to)).expect("it is text")
}

/// How many switches the run had.
fn switches() -> usize {
    let output = schedlab(&["run", "-", "--format", "switches"]);
    String::from_utf8_lossy(&output.stdout).lines().count()
}

/// `key=value` of an ftrace line.
fn field<'a>(line: &'a str, key: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!(" {key}=")).unwrap_or_else(|| panic!("{key} in {line}"));
    rest.split(' ').next().unwrap_or(rest)
}

#[test]
fn ftrace_is_in_order_and_every_cpu_goes_on_with_whom_it_left() {
    let text = text("ftrace");
    assert!(text.starts_with("# tracer: nop\n"));
    let (mut last, mut seen) = (0.0, 0);
    let mut running: HashMap<&str, &str> = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        assert_eq!(&line[16..17], "-", "{line}");
        let cpu = &line[23..28];
        let time: f64 = line[34..].trim_start().split(':').next().and_then(|time| time.parse().ok()).expect("a time");
        assert!(time >= last, "{line}");
        last = time;
        let pid = line[17..22].trim();
        assert_eq!(running.get(cpu).copied().unwrap_or("0"), pid, "{line}");
        if line.contains(": sched_switch: ") {
            assert_eq!(field(line, "prev_pid"), pid, "{line}");
            assert!(["R", "R+", "S", "X"].contains(&field(line, "prev_state")), "{line}");
            running.insert(cpu, field(line, "next_pid"));
            seen += 1;
        } else if line.contains(": sched_migrate_task: ") {
            assert!(field(line, "orig_cpu") != field(line, "dest_cpu"), "{line}");
        }
        for (comm, prio) in [("web-0", "115"), ("hog-0", "120"), ("fifo", "89")] {
            assert!(!line.contains(&format!(" comm={comm} ")) || field(line, "prio") == prio, "{line}");
        }
    }
    assert_eq!((seen, running.len()), (switches(), 4));
    for event in [
        "sched_waking",
        "sched_wakeup",
        "sched_wakeup_new",
        "sched_process_fork",
        "sched_process_exit",
        "sched_migrate_task",
    ] {
        assert!(text.contains(&format!(": {event}: ")), "{event}");
    }
}

#[test]
fn chrome_slices_nest_and_arrows_have_two_ends() {
    let json: Value = serde_json::from_str(&text("chrome")).expect("it is JSON");
    let events = json["traceEvents"].as_array().expect("a list");
    let mut tracks: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
    let mut arrows: HashMap<u64, [u32; 2]> = HashMap::new();
    let (mut lags, mut running) = (0, 0);
    for event in events {
        let number = |field: &str| event[field].as_f64().unwrap_or_else(|| panic!("{field} in {event}"));
        match event["ph"].as_str() {
            Some("X") => {
                let track = (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().expect("a thread"));
                tracks.entry(track).or_default().push((number("ts"), number("ts") + number("dur")));
            }
            Some("s") => arrows.entry(event["id"].as_u64().expect("a number")).or_default()[0] += 1,
            Some("f") => arrows.entry(event["id"].as_u64().expect("a number")).or_default()[1] += 1,
            Some("C") if event["name"].as_str().is_some_and(|name| name.starts_with("lag ")) => lags += 1,
            Some("C") => {
                let count = event["args"]["nr_running"].as_i64().expect("a count");
                assert!(count >= 0, "{event}");
                running += 1;
            }
            Some("M") => assert!(event["args"]["name"].is_string()),
            other => panic!("{other:?}"),
        }
    }
    for (track, slices) in &mut tracks {
        slices.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Times have three decimals.
        assert!(slices.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-6), "{track:?}");
        assert!(slices.last().is_some_and(|slice| slice.1 <= 400_000.0 + 1e-6));
    }
    assert!(arrows.values().all(|[begins, ends]| *begins == 1 && *ends <= 1));
    assert!(arrows.values().filter(|[_, ends]| *ends == 0).count() < 10, "all but what still waits have run");
    assert!(lags > 100 && running > 100, "{lags} {running}");
    // Four CPUs, and every task that ran.
    assert!(tracks.keys().filter(|(process, _)| *process == 1).count() == 4 && tracks.len() > 4 + 9);
}

#[test]
fn csv_and_json_have_the_same_events() {
    let json: Value = serde_json::from_str(&text("json")).expect("it is JSON");
    let events = json.as_array().expect("a list");
    let csv = text("csv");
    let mut lines = csv.lines();
    let heading: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    assert_eq!(heading, ["at_ns", "cpu", "event", "task", "tid", "prev", "prev_tid", "reason", "from_cpu"]);
    assert_eq!(csv.lines().count(), events.len() + 1);
    for (line, event) in lines.zip(events) {
        for (name, cell) in heading.iter().zip(line.split(',')) {
            let value = event[*name].as_str().map_or_else(|| event[*name].to_string(), str::to_owned);
            assert_eq!(value.replace("null", ""), cell, "{line}");
        }
    }
    assert_eq!(events.iter().filter(|event| event["event"] == "switch").count(), switches());
}

#[test]
fn an_rt_app_file_comes_back_as_the_same_workload() {
    let exported = text("rt-app");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("back.json");
    fs::write(&file, &exported).expect("it is written");
    let again = schedlab(&["export", file.to_str().expect("a path"), "--to", "rt-app"]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), exported);
    let said = schedlab(&["export", "-", "--to", "rt-app"]).stderr;
    assert!(String::from_utf8_lossy(&said).contains("rt-app has no distributions"), "what is lost is named");
}

/// Reads a trace with Perfetto's published description of it and prints, per thread, its changes of
/// state, and what is wrong.
const DECODE: &str = r#"
import collections, json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, GenericKernelTaskStateEvent as Event
trace = Trace(); trace.ParseFromString(sys.stdin.buffer.read())
states, wrong, last = collections.Counter(), [], {}
running = {}
for packet in trace.packet:
    if not packet.HasField("generic_kernel_task_state_event"):
        continue
    event = packet.generic_kernel_task_state_event
    if last.get(event.tid) == event.state == Event.TASK_STATE_RUNNING:
        wrong.append(f"{event.comm} runs twice at {packet.timestamp}")
    if event.state == Event.TASK_STATE_RUNNING:
        if running.get(event.cpu) not in (None, event.tid) and last[running[event.cpu]] == Event.TASK_STATE_RUNNING:
            wrong.append(f"two run on CPU {event.cpu} at {packet.timestamp}")
        running[event.cpu] = event.tid
        states[event.cpu] += 1
    last[event.tid] = event.state
threads = [thread.comm for packet in trace.packet for thread in packet.generic_kernel_process_tree.threads]
prios = {event.comm: event.prio for event in (packet.generic_kernel_task_state_event for packet in trace.packet)}
print(json.dumps({"running": states, "wrong": wrong, "threads": threads, "prios": prios}))
"#;

#[test]
fn perfetto_s_own_library_reads_the_trace() {
    let known = Command::new("python3").args(["-c", "import perfetto"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        eprintln!("there is no python3 with PyPI's perfetto: the trace is not decoded by it");
        return;
    }
    let mut python = Command::new("python3")
        .args(["-c", DECODE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    python.stdin.take().expect("it is piped").write_all(&export("perfetto")).expect("it reads");
    let output = python.wait_with_output().expect("it ends");
    let found: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(found["wrong"], serde_json::json!([]));
    assert_eq!((&found["prios"]["web-0"], &found["prios"]["fifo"]), (&serde_json::json!(115), &serde_json::json!(89)));
    assert!(found["threads"].as_array().is_some_and(|threads| threads.iter().any(|name| name == "hog-2")));
    let running: u64 = found["running"].as_object().expect("by CPU").values().filter_map(Value::as_u64).sum();
    let output = schedlab(&["run", "-", "--format", "switches"]);
    let to_tasks = String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.contains("->idle ")).count();
    assert_eq!(running, to_tasks as u64);
}

#[test]
fn one_of_several_variants_must_be_chosen() {
    let two = r#"{"tasks": {"a": {"run": 1000, "sleep": 500}}}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("two.json");
    fs::write(&file, two).expect("it is written");
    let path = file.to_str().expect("a path");
    let output = schedlab(&["export", path, "--to", "ftrace"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("expected --variant \"6.5\" or \"6.12\""));
    assert!(schedlab(&["export", path, "--to", "ftrace", "--variant", "6.5"]).status.success());
    // The workload is the same in both.
    assert!(schedlab(&["export", path, "--to", "rt-app"]).status.success());
}
