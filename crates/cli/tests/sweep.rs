//! Sweeps as a whole: rows, shards, going on, merging, and the commands of `docs/scale.md`.
//! Not for particular figures: a row has those of the run that it names.

#![allow(clippy::expect_used)] // A test may fail by it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SCENARIO: &str = r#"{
    "schema": 1,
    "workload": {
        "global": { "duration": 1 },
        "tasks": {
            "hog": { "loop": -1, "run": 10000 },
            "server": { "loop": -1, "sleep": {"exp": 2000}, "op_begin": "request", "run": {"exp": 400}, "op_end": "request" }
        }
    },
    "run": { "duration_ms": 200, "seed": 5 },
    "variants": [ {"kernel": {"release": "6.5"}}, {"kernel": {"release": "6.12"}} ]
}"#;

const TWO: [&str; 4] = ["--param", "workload.tasks.hog.instance=1,3", "--param", "machine.hz=250,1000"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("scenario.json"), SCENARIO).expect("it is written");
    folder
}

fn schedlab(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_schedlab")).args(args).current_dir(folder).output().expect("it runs")
}

fn text(folder: &Path, args: &[&str]) -> String {
    let output = schedlab(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

fn sweep<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["sweep", "scenario.json"], more].concat()
}

/// A table with its heading.
fn csv(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
    (lines.next().expect("a heading"), lines.collect())
}

#[test]
fn a_row_is_the_run_that_it_names() {
    let folder = folder();
    let (heading, rows) = csv(&text(folder.path(), &sweep(&[&TWO[..], &["--repeats", "3"]].concat())));
    assert_eq!(rows.len(), 2 * 2 * 2 * 3);
    let place = |name: &str| heading.iter().position(|column| column == name).expect("the column is there");
    for (number, row) in rows.iter().enumerate() {
        assert_eq!((row.len(), row[place("run")].as_str()), (heading.len(), number.to_string().as_str()));
    }
    // 3 hogs at HZ 250 under 6.12, the second repeat.
    let row = rows
        .iter()
        .find(|row| {
            let is = |name: &str, value: &str| row[place(name)] == value;
            is("workload.tasks.hog.instance", "3")
                && is("machine.hz", "250")
                && is("variant", "6.12")
                && is("repeat", "1")
        })
        .expect("the row is there");
    assert_eq!(row[place("seed")], "6");
    let set = ["--set", "workload.tasks.hog.instance=3", "--set", "machine.hz=250", "--seed", "6", "--format", "json"];
    let json = text(folder.path(), &[&["run", "scenario.json", "--variant", "6.12"], &set[..]].concat());
    let report: Value = serde_json::from_str(&json).expect("it is JSON");
    let report = &report[0];
    assert_eq!(row[place("hash")], report["hash"][0].as_str().expect("a hash"));
    let number = |name: &str| row[place(name)].parse::<f64>().expect("a number");
    assert_eq!(number("tasks.hog.preempted"), report["tasks"][0]["preempted"].as_f64().expect("a count"));
    assert_eq!(
        number("tasks.server.run_delay.p999"),
        report["tasks"][1]["run_delay"]["p999"].as_f64().expect("a time")
    );
    assert_eq!(number("ops.latency.p99"), report["ops"]["latency"]["p99"].as_f64().expect("a time"));
    // The release has no such counter.
    assert_eq!(row[place("counters.tick_preempts")], "");
}

#[test]
fn ndjson_has_the_same_values() {
    let folder = folder();
    let args = |format| {
        sweep(&[&TWO[..], &["--metric", "total.preempted", "--metric", "ops.per_second", "--format", format]].concat())
    };
    let (heading, rows) = csv(&text(folder.path(), &args("csv")));
    assert_eq!(heading.len(), 7 + 2 + 2 + 1);
    let ndjson = text(folder.path(), &args("ndjson"));
    assert_eq!(ndjson.lines().count(), rows.len());
    for (line, row) in ndjson.lines().zip(rows) {
        let object: Value = serde_json::from_str(line).expect("it is JSON");
        for (column, cell) in heading.iter().zip(row) {
            let value = object[column].as_str().map_or_else(|| object[column].to_string(), str::to_owned);
            assert_eq!(value.parse::<f64>().ok(), cell.parse::<f64>().ok(), "{column}");
            assert!(value == cell || value.parse::<f64>().is_ok(), "{column}: {value} {cell}");
        }
    }
}

#[test]
fn an_interrupted_sweep_goes_on_where_it_ended() {
    let folder = folder();
    let file = folder.path().join("out.csv");
    for format in ["csv", "ndjson"] {
        let args = sweep(&[&TWO[..], &["--repeats", "2", "--format", format, "-o", "out.csv"]].concat());
        text(folder.path(), &args);
        let whole = fs::read_to_string(&file).expect("it is there");
        // Cut in the middle of a line.
        fs::write(&file, &whole[..whole.len() * 2 / 3]).expect("it is written");
        let output = schedlab(folder.path(), &args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains("are there already"), "{said}");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), whole, "{format}");
        // Given again there is nothing to do.
        text(folder.path(), &args);
        assert_eq!(fs::read_to_string(&file).expect("it is there"), whole);
        fs::remove_file(&file).expect("it is removed");
    }
}

#[test]
fn a_file_of_another_sweep_is_refused() {
    let folder = folder();
    text(folder.path(), &sweep(&[&TWO[..], &["-o", "out.csv"]].concat()));
    let before = fs::read(folder.path().join("out.csv")).expect("it is there");
    for other in [&["--repeats", "2"][..], &["--set", "run.duration_ms=100"], &["--metric", "total.preempted"]] {
        let output = schedlab(folder.path(), &sweep(&[&TWO[..], other, &["-o", "out.csv"]].concat()));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("write to another file"), "{other:?}: {said}");
    }
    assert_eq!(fs::read(folder.path().join("out.csv")).expect("it is there"), before);
}

#[test]
fn shards_merge_to_the_whole() {
    let folder = folder();
    let shard = |own: u32| {
        let (own, file) = (format!("{own}/3"), format!("part-{own}.csv"));
        text(folder.path(), &sweep(&[&TWO[..], &["--repeats", "2", "--shard", &own, "-o", &file]].concat()));
        file
    };
    let files: Vec<String> = (1..=3).rev().map(shard).collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let merged = text(folder.path(), &[&["sweep", "merge"], &names[..]].concat());
    let whole = text(folder.path(), &sweep(&[&TWO[..], &["--repeats", "2"]].concat()));
    let without_shard = |text: &str| csv(text).1.into_iter().map(|mut row| (row.remove(1), row).1).collect::<Vec<_>>();
    assert_eq!(without_shard(&merged), without_shard(&whole));

    let error = |names: &[&str]| {
        let output = schedlab(folder.path(), &[&["sweep", "merge"], names, &["-o", "all.csv"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(!folder.path().join("all.csv").exists());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(error(&["part-1.csv", "part-3.csv"]).contains("missing: shard 2/3"));
    assert!(error(&["part-1.csv", "part-2.csv", "part-3.csv", "part-2.csv"]).contains("overlap: run 1 of shard 2/3"));
    let cut = fs::read_to_string(folder.path().join("part-2.csv")).expect("it is there");
    let lines: Vec<&str> = cut.lines().collect();
    fs::write(folder.path().join("cut.csv"), lines[..lines.len() - 1].join("\n") + "\n").expect("it is written");
    assert!(error(&["part-1.csv", "cut.csv", "part-3.csv"]).contains("1 of the 5 runs of shard 2/3 (run 13)"));
}

#[test]
fn a_sweep_above_the_limit_is_refused_with_count_and_time() {
    let folder = folder();
    let output = schedlab(folder.path(), &sweep(&["--param", "workload.tasks.server.run=1..1000000"]));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("1000000 points × 2 variants = 2000000 runs, about ") && said.contains("--limit 2000000"),
        "{said}"
    );
    // The limit can be set lower too, and is about the runs of the shard.
    let shard = ["--param", "machine.hz=250,1000", "--limit", "3"];
    assert_eq!(schedlab(folder.path(), &sweep(&shard)).status.code(), Some(2));
    text(folder.path(), &sweep(&[&shard[..], &["--shard", "1/2"]].concat()));
}

#[test]
fn what_cannot_be_swept_is_said() {
    let folder = folder();
    for (args, expected) in [
        (&["--param", "workload.tasks.hog.rum=1,2"][..], "did you mean `run`?"),
        (&["--param", "machine.hz=250,77"], "machine.hz=77"),
        (&["--param", "machine.hz=250", "--metric", "tasks.hog.run_delay.p98"], "tasks.hog.run_delay.p99"),
        (&["--param", "machine.hz"], "expected PATH=V1,V2,…"),
        (&["--param", "machine.hz=250", "--shard", "3/2"], "expected I/N"),
        (&["--param", "a=1", "--param", "b=1", "--param", "c=1"], "one or two --param, not 3"),
        (&["--param", "machine.hz=250", "-o", "missing/out.csv"], "cannot write to missing/out.csv"),
    ] {
        let output = schedlab(folder.path(), &sweep(args));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(expected), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

/// The most memory that the command had, KiB.
#[cfg(target_os = "linux")]
fn most_memory(folder: &Path, repeats: &str) -> u64 {
    let args = sweep(&["--param", "machine.hz=250,1000", "--set", "run.duration_ms=2", "--repeats", repeats, "-o"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_schedlab"))
        .args(args)
        .arg(format!("{repeats}.csv"))
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", "2")
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(kib.unwrap_or(0));
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            assert!(status.success());
            return most;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn ten_thousand_runs_take_no_more_memory_than_a_thousand() {
    let folder = folder();
    // Two points and two variants.
    let (few, many) = (most_memory(folder.path(), "250"), most_memory(folder.path(), "2500"));
    let rows = fs::read_to_string(folder.path().join("2500.csv")).expect("it is there").lines().count();
    assert_eq!(rows, 10_001);
    assert!(few > 0 && many < few + 8 * 1024, "{few} KiB, {many} KiB");
}

/// The block of code of `docs/scale.md` that is marked so.
fn documented(mark: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scale.md");
    let text = fs::read_to_string(path).expect("the page is there");
    let begin = format!("```sh {mark}\n");
    let (_, rest) = text.split_once(&begin).expect("the block is there");
    rest.split_once("```").expect("it ends").0.to_owned()
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_page_on_scale_give_the_whole_sweep() {
    let gnu_parallel = Command::new("parallel").arg("--version").output();
    let has_parallel =
        gnu_parallel.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("GNU parallel"));
    let mark = if has_parallel { "parallel" } else { "xargs" };
    eprintln!("the block for {mark} is run");
    let folder = folder();
    let bin = Path::new(env!("CARGO_BIN_EXE_schedlab")).parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-e", "-c", &documented(mark)])
        .current_dir(folder.path())
        .env("PATH", path)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let merged = fs::read_to_string(folder.path().join("all.csv")).expect("it is there");
    // Three points, two variants, five repeats.
    assert_eq!(csv(&merged).1.len(), 30);
}
