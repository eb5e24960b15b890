//! Imports as data: each folder of `tests/import` has a trace, a machine's files or two snapshots, and
//! what must come of them; `README.md` there says what a folder holds. The traces of real kernels are
//! used where `../shared` is beside the project. Not for single lines or events: those are tested
//! beside the code.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use schedlab_scenario::Scenario;
use schedlab_scenario::import::machine::{self, MachineFiles};
use schedlab_scenario::import::schedstat::Snapshot;
use schedlab_scenario::import::trace::{ImportedTrace, Realism, TraceError, TraceImport, TraceOptions, Wakers};
use schedlab_sim::kernel::Release;
use schedlab_sim::{Limit, Simulation};

/// Imports bytes in pieces of a size.
fn import(bytes: &[u8], options: TraceOptions, piece: usize) -> Result<ImportedTrace, TraceError> {
    let mut import = TraceImport::new(options);
    for piece in bytes.chunks(piece) {
        import.feed(piece)?;
    }
    import.finish()
}

fn options(text: &str) -> TraceOptions {
    let mut options = TraceOptions::default();
    let nanoseconds = |value: &str| Some((value.parse::<f64>().unwrap() * 1e9).round() as u64);
    for line in text.lines() {
        let (key, value) = line.split_once('=').unwrap();
        match key {
            "release" => options.release = Release::parse(value),
            "hz" => options.hz = Some(value.parse().unwrap()),
            "from" => options.from_ns = nanoseconds(value),
            "to" => options.to_ns = nanoseconds(value),
            "wakers" => options.wakers = Wakers::ALL.iter().find(|(name, _)| *name == value).unwrap().1,
            other => panic!("no option {other}"),
        }
    }
    options
}

/// What is wrong with what a case gave; empty when nothing is.
fn check(case: &Path) -> Vec<String> {
    let read = |file: &str| fs::read_to_string(case.join(file)).ok();
    let mut wrong = Vec::new();
    let mut contains = |what: &str, text: &str, parts: &str| {
        for part in parts.lines().filter(|part| !text.contains(part)) {
            wrong.push(format!("{what} has no {part:?}:\n{text}"));
        }
    };
    if case.join("machine").is_dir() {
        let mut files = MachineFiles::default();
        add(&mut files, &case.join("machine"), "");
        match machine::import(&files, None) {
            Ok(imported) => {
                contains("the report", &imported.report.to_string(), &read("report.contains").unwrap_or_default());
                if let Some(expected) = read("scenario.json") {
                    same(&imported.scenario, &expected, &mut wrong);
                }
            }
            Err(error) => contains("the error", &error.to_string(), &read("error.txt").expect("it fails")),
        }
        return wrong;
    }
    if let (Some(first), Some(second)) = (read("first"), read("second")) {
        let difference = Snapshot::parse(&first).and_then(|first| first.until(&Snapshot::parse(&second)?));
        match difference {
            Ok(difference) => {
                contains("the difference", &difference.to_text(), &read("difference.contains").expect("it succeeds"));
            }
            Err(error) => contains("the error", &error.to_string(), &read("error.txt").expect("it fails")),
        }
        return wrong;
    }
    let trace = fs::read(case.join("trace.txt")).expect("a case has a trace");
    let options = options(&read("options").unwrap_or_default());
    for piece in [1, 61, 1 << 20] {
        match import(&trace, options.clone(), piece) {
            Ok(imported) => {
                same(&imported.scenario, &read("scenario.json").unwrap_or_default(), &mut wrong);
                let notices = imported.report.notices().join("\n");
                let expected = read("notices.txt").unwrap_or_default();
                if notices != expected.trim_end() {
                    wrong.push(format!("expected the notices\n{expected}got\n{notices}"));
                }
            }
            Err(error) => {
                let expected = read("error.txt").unwrap_or_default();
                if error.to_string() != expected.trim_end() {
                    wrong.push(format!("expected the error\n{expected}got\n{error}"));
                }
            }
        }
        if !wrong.is_empty() {
            break;
        }
    }
    wrong
}

fn same(scenario: &Scenario, expected: &str, wrong: &mut Vec<String>) {
    let came = scenario.to_json();
    let unique = |scenario: Scenario| Scenario { workload: scenario.workload.with_unique_keys(), ..scenario };
    match schedlab_scenario::open(expected) {
        Ok(opened) if unique(opened.scenario.clone()).to_json() == came => {}
        Ok(_) => wrong.push(format!("expected\n{expected}got\n{came}")),
        Err(problems) => wrong.push(format!("what is expected does not open: {}\ngot\n{came}", problems[0])),
    }
    // What comes out is a document, and can be run.
    match schedlab_scenario::open(&came) {
        Ok(opened) => assert!(opened.scenario.prepare(0).is_ok()),
        Err(problems) => wrong.push(format!("what came does not open: {}", problems[0])),
    }
}

fn add(files: &mut MachineFiles, folder: &Path, below: &str) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = format!("{below}{}", entry.file_name().unwrap().to_string_lossy());
        if entry.is_dir() {
            add(files, &entry, &format!("{name}/"));
        } else {
            files.add(&name, &fs::read_to_string(&entry).unwrap());
        }
    }
}

#[test]
fn every_case_gives_what_it_must() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/import");
    let mut cases: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.is_dir());
    cases.sort();
    assert!(cases.len() > 12, "only {} cases", cases.len());
    let mut failed = 0;
    for case in &cases {
        let wrong = check(case);
        if !wrong.is_empty() {
            failed += 1;
            eprintln!("=== {}: {}", case.file_name().unwrap_or_default().to_string_lossy(), wrong.join("\n"));
        }
    }
    assert_eq!(failed, 0, "of {} cases", cases.len());
}

/// A trace of a few hundred lines with everything in it.
fn generated(rounds: u64) -> String {
    let mut text = String::from("# tracer: nop\n# entries-in-buffer/entries-written: 1/1   #P:2\n");
    let mut at = 1_000_000_u64;
    for round in 0..rounds {
        let (cpu, pid) = (round % 2, 10 + round % 5);
        let time = |at: u64| format!("{}.{:06}", at / 1_000_000, at % 1_000_000);
        text.push_str(&format!(
            "          <idle>-0     [00{cpu}] dNh4. {}: sched_wakeup: comm=t{pid} pid={pid} prio=120 target_cpu=00{cpu}\n",
            time(at)
        ));
        text.push_str(&format!(
            "          <idle>-0     [00{cpu}] d..2. {}: sched_switch: prev_comm=swapper/{cpu} prev_pid=0 prev_prio=120 \
             prev_state=R ==> next_comm=t{pid} next_pid={pid} next_prio=120\n",
            time(at + 2)
        ));
        text.push_str(&format!(
            "          t{pid}-{pid}     [00{cpu}] d..2. {}: sched_switch: prev_comm=t{pid} prev_pid={pid} prev_prio=120 \
             prev_state=S ==> next_comm=swapper/{cpu} next_pid=0 next_prio=120\n",
            time(at + 300 + round % 97)
        ));
        at += 1000 + round % 13;
    }
    text
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_gives_the_same_and_a_cut_one_what_is_there() {
    let text = generated(3000);
    let plain = import(text.as_bytes(), TraceOptions::default(), 4096).unwrap();
    let packed = gzip(text.as_bytes());
    let unpacked = import(&packed, TraceOptions::default(), 1000).unwrap();
    assert_eq!(unpacked.scenario, plain.scenario);
    assert_eq!(unpacked.report.oddities, plain.report.oddities);
    let cut = import(&packed[..packed.len() / 2], TraceOptions::default(), 1000).unwrap();
    assert!(cut.report.lines > 3000 && cut.report.lines < plain.report.lines, "{}", cut.report.lines);
    assert_eq!(cut.report.oddities.gzip_broken_at, Some(packed.len() as u64 / 2));
    assert!(cut.report.notices().iter().any(|notice| notice.contains("the gzip data breaks off")));
    assert!(matches!(import(&packed[..12], TraceOptions::default(), 1), Err(TraceError::Gzip { .. })));
}

#[test]
fn a_part_of_a_trace_can_be_imported() {
    let text = generated(3000);
    let options = TraceOptions { from_ns: Some(2_000_000_000), to_ns: Some(2_500_000_000), ..TraceOptions::default() };
    let part = import(text.as_bytes(), options, 4096).unwrap();
    assert!(part.report.from_ns >= 2_000_000_000 && part.report.to_ns <= 2_500_000_000);
    assert_eq!(part.scenario.run.duration_ms, Some(500));
    assert!(part.report.outside > 6000);
}

#[test]
fn a_demand_too_long_for_a_document_is_cut_and_told() {
    let text = generated(400_000);
    let imported = import(text.as_bytes(), TraceOptions::default(), 1 << 16).unwrap();
    assert!(imported.scenario.to_json().len() < schedlab_scenario::json::MOST_BYTES);
    let cut = imported.report.cut_at_ns.expect("it is cut");
    assert!(imported.report.to_ns < cut);
    assert!(imported.report.notices().iter().any(|notice| notice.contains("a document has no room for more")));
}

/// The traces of real kernels: release, and within how many percent the replay must be in switches and
/// in the CPU time of the tasks.
const REAL: [(&str, Release, f64, f64); 6] = [
    ("D_rnd@6.12", Release::V6_12Stable, 3.0, 2.0),
    ("E_rnd@6.1", Release::V6_1, 3.0, 2.0),
    ("G@6.12", Release::V6_12Stable, 3.0, 3.0),
    ("Y1@6.12", Release::V6_12Stable, 5.0, 3.0),
    ("L_s@6.12", Release::V6_12Stable, 5.0, 5.0),
    ("P2@6.12", Release::V6_12Stable, 5.0, 3.0),
];

#[test]
fn replays_of_real_traces_come_near_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/kernel-runs/traces");
    if !folder.is_dir() {
        eprintln!("skipped: there is no ../shared/kernel-runs/traces beside the project");
        return;
    }
    for (name, release, switches, cpu_time) in REAL {
        let bytes = fs::read(folder.join(format!("{name}.txt.gz"))).unwrap();
        let options = TraceOptions { release: Some(release), ..TraceOptions::default() };
        let mut imported = import(&bytes, options, 1 << 14).unwrap();
        assert_eq!(imported.report.tick.map(|tick| tick.hz), Some(250), "{name}");
        imported.scenario.set("kernel.preempt", "voluntary").unwrap();
        let mut simulation = Simulation::new(imported.scenario.prepare(0).unwrap().input).unwrap();
        simulation.run_until(Limit::end()).unwrap();
        let realism = Realism::of(&imported.figures, &simulation.finish(), release.name());
        let off = |measure: &str| {
            let row = realism.rows.iter().find(|row| row.measure.starts_with(measure)).unwrap();
            println!("{name}: {}: {:?} %", row.measure, row.deviation_percent);
            row.deviation_percent.unwrap().abs()
        };
        assert!(off("switches/s") < switches, "{name}: {realism:#?}");
        assert!(off("CPU time task by task") < cpu_time, "{name}: {realism:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000), piece in 1_usize..100) {
        let _ = import(&bytes, TraceOptions::default(), piece);
        let _ = import(&[&[0x1f, 0x8b, 8, 0][..], &bytes].concat(), TraceOptions::default(), piece);
        let text = String::from_utf8_lossy(&bytes);
        let _ = Snapshot::parse(&text);
        let mut files = MachineFiles::default();
        for name in ["a", "features", "preempt", "cmdline", "sched/latency_ns"] {
            files.add(name, &text);
        }
        let _ = machine::import(&files, None);
    }

    #[test]
    fn damaged_traces_never_panic_and_give_documents(
        changes in proptest::collection::vec((0_usize..100_000, any::<u8>()), 0..30),
        swaps in proptest::collection::vec((0_usize..1000, 0_usize..1000), 0..10),
        cut in 0_usize..100_000,
    ) {
        let text = generated(300);
        let mut lines: Vec<&str> = text.lines().collect();
        for (first, second) in swaps {
            let count = lines.len();
            lines.swap(first % count, second % count);
        }
        let mut bytes = lines.join("\n").into_bytes();
        for (place, byte) in changes {
            let length = bytes.len();
            // Below 4 KiB a zero byte would make it a binary file.
            bytes[place % length] = byte.max(1);
        }
        bytes.truncate(bytes.len() - cut % (bytes.len() / 2));
        if let Ok(imported) = import(&bytes, TraceOptions::default(), 1000) {
            let text = imported.scenario.to_json();
            let opened = schedlab_scenario::open(&text);
            prop_assert!(opened.is_ok(), "{:?}\n{text}", opened.err());
            let input = imported.scenario.prepare(0).unwrap().input;
            let mut simulation = Simulation::new(input).unwrap();
            prop_assert!(simulation.run_until(Limit::events(100_000)).is_ok());
        }
    }
}
