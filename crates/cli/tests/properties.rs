//! What must hold between the outputs of one run, whatever the scenario: the same facts by two
//! ways. Not for particular outputs: `command.rs` has those.

#![allow(clippy::expect_used)] // A test may fail by it.

mod support;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::schedlab;

/// Sleepers, instances, a yielding task, forks, nice values, a lock and operations, under three
/// kernels.
const MIXED: &str = r#"{
    "schema": 1,
    "machine": { "hz": 250, "context_switch_ns": 1500, "wakeup_ns": 700 },
    "workload": {
        "global": { "duration": 1 },
        "tasks": {
            "hog": { "loop": -1, "run": 10000 },
            "pair": { "instance": 2, "priority": 3, "loop": -1, "lock": "m", "run": 300, "unlock": "m", "sleep": {"exp": 2500} },
            "polite": { "loop": -1, "run": 150, "yield": "", "sleep": 1000 },
            "main": { "loop": 20, "run": 200, "fork": "job", "sleep": 20000 },
            "job": { "instance": 0, "loop": 2, "run": 500, "sleep": 100 },
            "server": { "loop": -1, "sleep": {"uniform": [500, 4000]}, "op_begin": "request", "run": {"exp": 400}, "op_end": "request" }
        }
    },
    "variants": [ {"kernel": {"release": "6.5"}}, {"kernel": {"release": "6.12"}},
                  {"name": "no parity", "kernel": {"release": "6.12", "features": {"RUN_TO_PARITY": false}}} ]
}"#;

fn text(args: &[&str]) -> String {
    let output = schedlab(args, MIXED.as_bytes());
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&text(args)).expect("it is JSON")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is a whole number"))
}

fn sum<'a>(values: impl IntoIterator<Item = &'a Value>) -> u64 {
    values.into_iter().map(number).sum()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is a list"))
}

fn counts(value: &Value) -> u64 {
    sum(value.as_object().unwrap_or_else(|| panic!("{value} is an object")).values())
}

/// The kind of an instance: `pair` of `pair-1`.
fn kind(name: &str) -> &str {
    name.split('-').next().unwrap_or(name)
}

#[test]
fn the_figures_of_a_report_agree_with_each_other() {
    let reports = json(&["run", "-", "--format", "json"]);
    assert_eq!(list(&reports).len(), 3);
    for report in list(&reports) {
        let tasks = list(&report["tasks"]);
        let (cpu, of) = (&report["cpus"][0], |field: &str| sum(tasks.iter().map(|task| &task[field])));
        assert_eq!(of("runtime_ns"), number(&cpu["busy_ns"]));
        assert_eq!(number(&cpu["busy_ns"]) + number(&cpu["idle_ns"]), number(&report["measured_ns"]));
        assert_eq!(number(&report["measured_ns"]), 1_000_000_000);
        assert_eq!(number(&cpu["lost_ns"]["switch"]), 1_500 * of("switches"));
        assert_eq!(number(&report["ops"]["count"]), number(&report["ops"]["latency"]["count"]));
        assert!(number(&report["ops"]["count"]) > 50);
        for task in tasks {
            let name = &task["name"];
            assert_eq!(counts(&task["reasons"]), number(&task["preempted"]) + number(&task["blocked"]), "{name}");
            assert_eq!(counts(&task["ran_before_preempted"]), number(&task["preempted"]), "{name}");
            assert_eq!(number(&task["run_delay"]["count"]), number(&task["switches"]), "{name}");
            assert!(number(&task["wake_delay"]["count"]) <= number(&task["wakeups"]), "{name}");
            for delay in ["wake_delay", "run_delay"] {
                let of = |field: &str| number(&task[delay][field]);
                let buckets = list(&task[format!("{delay}_histogram")]);
                assert_eq!(sum(buckets.iter().map(|bucket| &bucket[2])), of("count"), "{name}");
                assert!(of("p50") <= of("p95") && of("p95") <= of("p99") && of("p99") <= of("max"), "{name}");
                assert_eq!(of("mean"), of("sum") / of("count").max(1), "{name}");
            }
            let instances = task["by_instance"].as_array().cloned().unwrap_or_default();
            for field in ["runtime_ns", "switches", "preempted", "blocked", "wakeups"] {
                let all = sum(instances.iter().map(|instance| &instance[field]));
                assert!(instances.is_empty() || all == number(&task[field]), "{name} {field}");
            }
        }
    }
}

#[test]
fn the_list_of_switches_tells_the_same_as_the_figures() {
    for variant in ["6.5", "6.12", "no parity"] {
        let report = &json(&["run", "-", "--variant", variant, "--format", "json"])[0];
        let switches = text(&["run", "-", "--variant", variant, "--format", "switches"]);
        let (mut running, mut since) = ("idle".to_owned(), 0);
        let mut runtime: HashMap<String, u64> = HashMap::new();
        let mut entered: HashMap<String, u64> = HashMap::new();
        for line in switches.lines() {
            let [at, cpu, pair, reason] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("four words: {line}") };
            let (prev, next) = pair.split_once("->").expect("prev->next");
            let at: u64 = at.parse().expect("a time");
            assert_eq!((cpu, prev), ("0", running.as_str()));
            assert!(at >= since && prev != next, "{line}");
            assert!(schedlab_sim::Reason::ALL.iter().any(|known| known.name() == reason), "{line}");
            *runtime.entry(kind(prev).to_owned()).or_default() += at - since;
            *entered.entry(kind(next).to_owned()).or_default() += 1;
            (running, since) = (next.to_owned(), at);
        }
        *runtime.entry(kind(&running).to_owned()).or_default() += 1_000_000_000 - since;
        for task in list(&report["tasks"]) {
            let name = task["name"].as_str().expect("a name");
            assert_eq!(runtime[name], number(&task["runtime_ns"]), "{variant} {name}");
            assert_eq!(entered[name], number(&task["switches"]), "{variant} {name}");
        }
        assert_eq!(runtime["idle"], number(&report["cpus"][0]["idle_ns"]), "{variant}");
    }
}

#[test]
fn timehist_has_a_line_a_switch_in_perf_s_columns() {
    let switches = text(&["run", "-", "--variant", "6.12", "--format", "switches"]);
    let timehist = text(&["run", "-", "--variant", "6.12", "--format", "timehist", "--summary"]);
    let (lines, summary) = timehist.split_once("\n\nRuntime summary\n").expect("two parts");
    let lines: Vec<&str> = lines.lines().skip(3).collect();
    assert_eq!(lines.len(), switches.lines().count());
    for (line, switch) in lines.iter().zip(switches.lines()) {
        assert_eq!(line.len(), 78, "{line}");
        let at: u64 = switch.split(' ').next().and_then(|at| at.parse().ok()).expect("a time");
        assert_eq!(line[..16].trim(), format!("{}.{:06}", at / 1_000_000_000, at % 1_000_000_000 / 1_000));
        let prev = switch.split([' ', '-']).nth(2).expect("who left");
        assert!(line[25..].trim_start_matches('<').starts_with(prev), "{line}: {switch}");
    }
    // Each run once in the lines, within the microsecond that is cut off.
    for name in ["hog", "polite"] {
        let runs = lines.iter().filter(|line| line[25..].starts_with(&format!("{name}[")));
        let ms: f64 = runs.map(|line| line[69..].trim().parse::<f64>().expect("a time")).sum();
        let row = summary.lines().find(|line| line.trim().starts_with(&format!("{name}["))).expect("a row");
        let words: Vec<&str> = row.split_whitespace().collect();
        let (count, total): (f64, f64) = (words[2].parse().expect("a count"), words[3].parse().expect("a time"));
        assert!(total - ms >= 0.0 - 1e-6 && total - ms <= count * 0.001 + 0.001, "{name}: {ms} of {total}");
    }
}

#[test]
fn perf_latency_and_hist_show_the_figures_of_the_report() {
    let args = |format| ["run", "-", "--variant", "6.12", "--format", format];
    let report = &json(&args("json"))[0];
    let latency = text(&args("perf-latency"));
    for task in list(&report["tasks"]) {
        let name = task["name"].as_str().expect("a name");
        let row = latency.lines().find(|line| line.trim().starts_with(&format!("{name}:"))).expect("a row");
        assert_eq!(row.find('|'), Some(24));
        assert_eq!(row[40..51].trim_matches([' ', '|']), number(&task["switches"]).to_string());
        let ms = |field: &str| format!("{:8.3} ms", number(&task["run_delay"][field]) as f64 / 1e6);
        assert!(row.contains(&format!("avg:{}", ms("mean"))) && row.contains(&format!("max:{}", ms("max"))), "{row}");
        let times: Vec<f64> = row
            .split("max start:")
            .nth(1)
            .expect("two times")
            .split([' ', '|'])
            .filter_map(|word| word.parse().ok())
            .collect();
        assert!((times[1] - times[0] - number(&task["run_delay"]["max"]) as f64 / 1e9).abs() < 2e-6, "{row}");
    }
    let hist = text(&args("hist"));
    for (map, field, inner) in [
        ("@task_duration_usecs_before_preempted:", "preempted", None),
        ("@wake_delay_usecs:", "wake_delay", Some("count")),
        ("@run_delay_usecs:", "run_delay", Some("count")),
    ] {
        let buckets = hist.split("\n\n").find_map(|part| part.strip_prefix(map)).expect("the histogram");
        let counted: u64 = buckets
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| line[16..24].trim().parse::<u64>().expect("a count"))
            .sum();
        let expected =
            sum(list(&report["tasks"]).iter().map(|task| inner.map_or(&task[field], |inner| &task[field][inner])));
        assert_eq!(counted, expected, "{map}");
    }
}

#[test]
fn schedstat_lines_parse_and_add_up() {
    for (variant, version, counters) in [("6.5", 15, 2), ("6.12", 16, 3)] {
        let args = |format| ["run", "-", "--variant", variant, "--format", format];
        let report = &json(&args("json"))[0];
        let text = text(&[&args("schedstat")[..], &["--counters"]].concat());
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(format!("version {version}").as_str()));
        // One second at HZ 250.
        assert_eq!(lines.next(), Some("timestamp 250"));
        let (mut rq_cpu_time, mut run_delay, mut pcount) = (0, 0, 0);
        for (cpu, line) in lines.filter(|line| line.starts_with("cpu")).enumerate() {
            let (name, numbers) = line.split_once(' ').expect("a name and numbers");
            let numbers: Vec<u64> = numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
            assert_eq!((name, numbers.len()), (format!("cpu{cpu}").as_str(), 9 + counters));
            assert!(numbers[1] == 0 && numbers[2] >= numbers[3] && numbers[4] >= numbers[5], "{line}");
            rq_cpu_time += numbers[6];
            run_delay += numbers[7];
            pcount += numbers[8];
        }
        let tasks = list(&report["tasks"]);
        assert_eq!(rq_cpu_time, sum(tasks.iter().map(|task| &task["runtime_ns"])), "{variant}");
        assert_eq!(run_delay, sum(tasks.iter().map(|task| &task["run_delay"]["sum"])), "{variant}");
        assert_eq!(pcount, sum(tasks.iter().map(|task| &task["switches"])), "{variant}");
    }
}

#[test]
fn map_has_a_line_a_switch_and_a_code_a_task() {
    let args = |format| ["run", "-", "--variant", "6.12", "--format", format];
    let (map, switches) = (text(&args("map")), text(&args("switches")));
    assert_eq!(map.lines().count(), switches.lines().count());
    let mut names: HashMap<String, String> = HashMap::new();
    for (line, switch) in map.lines().zip(switches.lines()) {
        let (codes, rest) = line.split_at(6);
        let (time, new) = rest.split_once(" secs ").expect("a time");
        let words: Vec<&str> = switch.split(' ').collect();
        let at: u64 = words[0].parse().expect("a time");
        assert_eq!(time.trim(), format!("{}.{:06}", at / 1_000_000_000, at % 1_000_000_000 / 1_000));
        let code = codes.trim_start().trim_start_matches('*').trim().to_owned();
        if let Some((known, name)) = new.split_once("=>") {
            assert_eq!(known.trim(), code);
            let name = name.trim().rsplit_once(':').expect("comm:tid").0.to_owned();
            assert!(names.insert(code.clone(), name).is_none(), "{line}");
        }
        let next = words[2].split_once("->").expect("prev->next").1;
        assert_eq!(names[&code].replace("swapper", "idle"), next, "{line}");
    }
}

#[test]
fn a_link_carries_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = text(&["link", "-"]);
    let document = text(&["unlink", link.trim()]);
    let file = folder.path().join("scenario.json");
    std::fs::write(&file, &document).expect("it is written");
    let file = file.to_str().expect("a path");
    assert_eq!(text(&["link", file]), link);
    let hashes = |reports: Value| list(&reports).iter().map(|report| report["hash"].clone()).collect::<Vec<_>>();
    let direct = hashes(json(&["run", "-", "--format", "json"]));
    assert_eq!(hashes(json(&["run", file, "--format", "json"])), direct);
    assert!(direct[0] != direct[1] && direct[1] != direct[2]);
}

#[test]
fn repeats_count_the_seed_up() {
    let hash = |args: &[&str]| {
        json(&[&["run", "-", "--variant", "6.12", "--format", "json"], args].concat())[0]["hash"].clone()
    };
    let three = hash(&["--set", "run.repeats=3", "--seed", "7"]);
    assert_eq!(list(&three).len(), 3);
    for (repeat, seed) in ["7", "8", "9"].into_iter().enumerate() {
        assert_eq!(hash(&["--seed", seed])[0], three[repeat]);
        assert_eq!(hash(&["--set", &format!("run.seed={seed}")])[0], three[repeat]);
    }
    assert!(three[0] != three[1]);
}

#[test]
fn a_comparison_has_the_reports_values_in_every_form() {
    let reports = json(&["run", "-", "--set", "run.repeats=3", "--format", "json"]);
    let comparison = json(&["compare", "-", "--set", "run.repeats=3", "--format", "json"]);
    assert_eq!(comparison["variants"], serde_json::json!(["6.5", "6.12", "no parity"]));
    let rows = list(&comparison["rows"]);
    let hog = rows.iter().find(|row| row["group"]["task"] == "hog" && row["measure"] == "preempted").expect("a row");
    for (place, report) in list(&reports).iter().enumerate() {
        assert_eq!(hog["values"][place].as_f64(), report["tasks"][0]["preempted"].as_f64());
        assert!(hog["sem"][place].is_number());
    }
    assert!(hog["changes"][1]["noise"].is_boolean());
    let lines = |format| text(&["compare", "-", "--set", "run.repeats=3", "--format", format]).lines().count();
    assert_eq!(lines("csv"), rows.len() + 1);
    assert!(lines("table") > rows.len() && lines("markdown") > rows.len() + 1);
    let mail = text(&["compare", "-", "--set", "run.repeats=3", "--format", "markdown", "--top", "5"]);
    assert!(mail.contains("1.000 s simulated on 1 CPU, means of 3 runs"), "{mail}");
    let table: Vec<&str> = mail.lines().filter(|line| line.starts_with('|')).collect();
    assert!(table.len() == 7 && table.iter().all(|line| line.chars().count() == table[0].chars().count()), "{mail}");
}

#[test]
fn kernel_runs_give_a_row_a_figure() {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/kernel-runs");
    let file = runs.join("D@6.12.json");
    let Some(file) = file.to_str().filter(|_| file.exists()) else {
        eprintln!("../shared/kernel-runs is absent: nothing to compare with");
        return;
    };
    let args = ["conformance", "--kernel-runs", file];
    let result: Value = json(&[&args[..], &["--format", "json"]].concat());
    let rows = list(&result["rows"]);
    let named: Vec<&str> = rows.iter().map(|row| row["figure"].as_str().expect("a name")).collect();
    assert!(
        ["share h0", "share s0", "switches", "wake delay p99 s0", "wait mean h0"].iter().all(|of| named.contains(of))
    );
    for row in rows {
        assert_eq!((row["scenario"].as_str(), row["kernel"].as_str()), (Some("D"), Some("6.12")));
        let number = |field: &str| row[field].as_f64().expect("a number");
        if row["figure"] == "share s0" {
            // The kernel gave the sleeper 12.6 %.
            assert!(
                (number("real") - 12.6).abs() < 0.1
                    && (number("deviation") - number("model") + number("real")).abs() < 1e-9
            );
        }
        assert!(row["inside"].is_boolean() && number("noise") >= 0.0);
    }
    let inside = rows.iter().filter(|row| row["inside"] == true).count();
    assert_eq!((number(&result["inside"]), number(&result["of"])), (inside as u64, rows.len() as u64));
    let table = text(&args);
    assert!(table.ends_with(&format!("\n{inside} of {} figures inside\n", rows.len())), "{table}");
}

#[test]
fn an_output_file_has_what_standard_output_would() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out");
    let args = ["run", "-", "--format", "switches"];
    assert_eq!(text(&[&args[..], &["-o", file.to_str().expect("a path")]].concat()), "");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text(&args));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn what_cannot_be_a_document_is_refused_within_a_second() {
    let deep = [b"[".repeat(4_000_000), b"]".repeat(4_000_000)].concat();
    let number = [b"{\"tasks\":{\"a\":{\"run\":".to_vec(), b"9".repeat(4_000_000), b"}}}".to_vec()].concat();
    let keys = [b"{".to_vec(), b"\"a\":{},".repeat(1_000_000), b"}".to_vec()].concat();
    for (what, bytes) in [
        ("50 MB of blanks", vec![b' '; 50_000_000]),
        ("50 MB of zeros", vec![0; 50_000_000]),
        ("7 MB of zeros", vec![0; 7_000_000]),
        ("deep nesting", deep),
        ("a long number", number),
        ("a million wrong keys", keys),
    ] {
        let start = Instant::now();
        let output = schedlab(&["run", "-"], &bytes);
        let took = start.elapsed();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{what}: {stderr}");
        assert!(
            stderr.starts_with("error: standard input: ") && stderr.len() < 20_000,
            "{what}: {} bytes",
            stderr.len()
        );
        assert!(took < Duration::from_secs(1), "{what}: {took:?}");
        assert!(output.stdout.is_empty(), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_schedlab"))
        .args(["run", "-", "--format", "timehist"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    child.stdin.take().expect("it is piped").write_all(MIXED.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn completions_and_pages_name_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(text(&["completions", shell]).contains("perf-latency"), "{shell}");
    }
    let page = text(&["man"]);
    for name in ["run", "compare", "link", "unlink", "conformance", "completions", "man"] {
        assert!(page.contains(&format!("schedlab\\-{name}(1)")), "{name}");
        assert!(text(&["man", name]).contains(&format!(".TH schedlab-{name} 1")), "{name}");
    }
}

#[test]
fn rt_app_s_own_examples_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rt-app-examples");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("note: skipped, {} is not there", folder.display());
        return;
    };
    let mut count = 0;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path.extension().is_some_and(|extension| extension == "json") {
            let output = schedlab(&["run", path.to_str().expect("a path"), "--format", "json"], b"");
            assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
            let reports: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
            let releases: Vec<_> = list(&reports).iter().map(|report| report["release"].clone()).collect();
            assert_eq!(releases, ["6.5", "6.12"], "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 9, "only {count} examples");
}
