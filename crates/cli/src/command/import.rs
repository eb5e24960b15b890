//! `schedlab import`: a scenario from a trace, an rt-app file or a machine's own settings.
//! Not for reading traces: `schedlab-scenario` does that; this feeds it, replays and prints.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use schedlab_report::text::duration;
use schedlab_scenario::import::machine::{self, ImportedMachine, MachineFiles, MachineReport};
use schedlab_scenario::import::trace::{
    EventCount, ImportedTrace, Realism, TraceError, TraceFigures, TraceImport, TraceOptions, TraceReport,
};
use schedlab_scenario::json::MOST_BYTES;
use schedlab_scenario::{NamedVariant, Scenario};
use serde::Serialize;

use super::kernels;
use crate::args::{self, TextFormat};
use crate::document::{self, Document};
use crate::error::CommandError;
use crate::execute;
use crate::notice::{self, Notices};
use crate::output::Output;

/// So much of a file is read at a time.
const PIECE: usize = 1 << 18;
/// So many tasks are listed in the text.
const MOST_TASKS: usize = 12;
/// Folders below the one of a machine's settings: debugfs has domains/cpu0/domain0.
const MOST_DEPTH: usize = 5;

/// What is printed about an import.
#[derive(Serialize)]
struct Printed {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    realism: Option<Realism>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<MachineReport>,
}

/// `schedlab import`.
///
/// # Errors
/// When the input is wrong or the output cannot be written.
pub fn import(args: &args::Import) -> Result<(), CommandError> {
    let mut notices = Notices::default();
    let machine = args.machine.as_deref().map(|folder| read_machine(folder, args)).transpose()?;
    let (name, mut scenario, trace) = match (args.file.as_deref(), &machine) {
        (Some(path), _) => {
            let (scenario, trace) = read_file(path, args, &mut notices)?;
            (document::name(path), scenario, trace)
        }
        (None, Some(machine)) => {
            (args.machine.as_deref().map_or_else(String::new, document::name), machine.scenario.clone(), None)
        }
        (None, None) => return Err(CommandError::Usage("expected a FILE to import, or --machine DIR".to_owned())),
    };
    if let (Some(machine), Some(_)) = (&machine, &args.file)
        && let Some(notice) = machine.apply_to(&mut scenario)
    {
        notices.give(format!("{name}: {notice}"));
    }
    for assignment in &args.set.assignments {
        scenario
            .set(&assignment.path, &assignment.value)
            .map_err(|problems| CommandError::Document { file: name.clone(), problems })?;
    }
    let output = Output::open(&args.output)?;
    let mut printed = Printed { trace: None, realism: None, machine: machine.map(|machine| machine.report) };
    if let Some((report, figures)) = trace {
        printed.trace = Some(report);
        if !args.no_replay {
            printed.realism = replay(&name, &scenario, &figures, &mut notices);
        }
    } else {
        // Strict JSON, which an export for rt-app and an import of that give back as it is.
        scenario.workload = scenario.workload.with_unique_keys();
        match scenario.prepare(0) {
            Ok(prepared) => notices.give_all(&name, &prepared.notices),
            Err(problems) => return Err(CommandError::Document { file: name, problems }),
        }
    }
    write(args, output, &scenario, &printed)
}

/// Runs the scenario and lays it beside the trace. A scenario that cannot be run is imported all the
/// same, with a notice.
fn replay(file: &str, scenario: &Scenario, figures: &TraceFigures, notices: &mut Notices) -> Option<Realism> {
    let name = scenario.kernel.release.name().to_owned();
    let variant = NamedVariant { name: name.clone(), scenario: scenario.clone() };
    match execute::recorded(file, &variant, notices) {
        Ok(run) => Some(Realism::of(figures, &run, &name)),
        Err(error) => {
            notices.give(format!("no replay: {error}"));
            None
        }
    }
}

/// What a trace gave beside the scenario.
type Traced = (TraceReport, TraceFigures);

/// The scenario of a file, and of a trace what was found in it.
fn read_file(
    path: &Path,
    args: &args::Import,
    notices: &mut Notices,
) -> Result<(Scenario, Option<Traced>), CommandError> {
    let file = document::name(path);
    let failed = |source| CommandError::Read { file: file.clone(), source };
    let standard = path == Path::new("-");
    let open = || -> io::Result<Box<dyn Read>> {
        Ok(if standard { Box::new(io::stdin().lock()) } else { Box::new(File::open(path)?) })
    };
    let mut reader = open().map_err(failed)?;
    let mut piece = vec![0; PIECE];
    let mut filled = fill(&mut reader, &mut piece).map_err(failed)?;
    if is_json(&piece[..filled]) {
        // An rt-app file or a document: what it says is checked as for a run.
        let mut bytes = piece[..filled].to_vec();
        reader.take(MOST_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        return Ok((Document::of_bytes(file, &bytes, notices)?.scenario, None));
    }
    let mut options = TraceOptions {
        title: path.file_name().filter(|_| !standard).map(|name| name.to_string_lossy().into_owned()),
        release: args.release.as_deref().map(kernels::release).transpose()?,
        hz: args.hz,
        wakers: args.wakers.into(),
        from_ns: args.from_ns,
        to_ns: args.to_ns,
    };
    let total = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    loop {
        let mut import = TraceImport::new(options.clone());
        let mut progress = notice::Progress::of(1);
        let imported = loop {
            if filled == 0 {
                break import.finish();
            }
            if let Err(error) = import.feed(&piece[..filled]) {
                break Err(error);
            }
            if total > 0 {
                progress.at(&file, import.bytes_read(), total);
            }
            filled = fill(&mut reader, &mut piece).map_err(failed)?;
        };
        match imported {
            Ok(ImportedTrace { scenario, report, figures }) => return Ok((scenario, Some((report, figures)))),
            // What cannot be folded takes more room than it seemed: a shorter part of the trace fits.
            Err(TraceError::TooLarge { fits_to_ns, .. }) if !standard => {
                options.to_ns = Some(fits_to_ns);
                reader = open().map_err(failed)?;
                filled = fill(&mut reader, &mut piece).map_err(failed)?;
                let seconds = fits_to_ns as f64 / 1e9;
                notices.give(format!("{file}: only the part up to {seconds:.3} s fits into a document"));
            }
            Err(source) => return Err(CommandError::Trace { file, source }),
        }
    }
}

/// Writes the scenario where `-o` says, and the report to standard output; without `-o` the scenario
/// takes that place and the report goes to standard error.
fn write(args: &args::Import, output: Output, scenario: &Scenario, printed: &Printed) -> Result<(), CommandError> {
    let report = match args.format {
        TextFormat::Json => super::to_json(printed)?,
        TextFormat::Text => text(printed),
    };
    let to_file = args.output.to.as_deref().is_some_and(|path| path != Path::new("-"));
    output.finish(scenario.to_json().as_bytes())?;
    if report.is_empty() {
        Ok(())
    } else if to_file {
        Output::Standard.finish(report.as_bytes())
    } else {
        notice::say(report.trim_end());
        Ok(())
    }
}

/// Fills a buffer as far as there is anything to fill it with.
fn fill(reader: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match reader.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Whether a file is JSON, with comments or without: no line of a trace begins so.
fn is_json(beginning: &[u8]) -> bool {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
    text.starts_with(b"{") || text.starts_with(b"//") || text.starts_with(b"/*")
}

/// The settings of a machine, from all files of a folder.
fn read_machine(folder: &Path, args: &args::Import) -> Result<ImportedMachine, CommandError> {
    let failed = |path: &Path, source| CommandError::Read { file: document::name(path), source };
    let mut files = MachineFiles::default();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, below)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|source| failed(&folder, source))? {
            let path = entry.map_err(|source| failed(&folder, source))?.path();
            let name = format!("{below}{}", path.file_name().unwrap_or_default().to_string_lossy());
            if path.is_dir() {
                if below.matches('/').count() < MOST_DEPTH {
                    folders.push((path, format!("{name}/")));
                }
                continue;
            }
            let mut bytes = Vec::new();
            let file = File::open(&path).map_err(|source| failed(&path, source))?;
            file.take(MOST_BYTES as u64).read_to_end(&mut bytes).map_err(|source| failed(&path, source))?;
            files.add(&name, &String::from_utf8_lossy(&bytes));
        }
    }
    let release = args.release.as_deref().map(kernels::release).transpose()?;
    machine::import(&files, release)
        .map_err(|source| CommandError::MachineFiles { folder: document::name(folder), source })
}

fn text(printed: &Printed) -> String {
    let mut out = String::new();
    if let Some(report) = &printed.trace {
        trace_text(report, &mut out);
    }
    if let Some(realism) = &printed.realism {
        realism_text(realism, &mut out);
    }
    if let Some(report) = &printed.machine {
        out.push_str(&report.to_string());
    }
    out
}

fn trace_text(report: &TraceReport, out: &mut String) {
    let list = |events: &[EventCount]| {
        events.iter().map(|event| format!("{} {}", event.count, event.name)).collect::<Vec<_>>().join(", ")
    };
    out.push_str(&format!(
        "{} lines; {:.6} s to {:.6} s; {} CPU{}\nused: {}\n",
        report.lines,
        report.from_ns as f64 / 1e9,
        report.to_ns as f64 / 1e9,
        report.cpus.len(),
        if report.cpus.len() == 1 { "" } else { "s" },
        list(&report.events)
    ));
    if !report.other_events.is_empty() {
        out.push_str(&format!("not used: {}\n", list(&report.other_events)));
    }
    if report.outside > 0 {
        out.push_str(&format!("outside the times used: {} events\n", report.outside));
    }
    match report.tick {
        Some(tick) => out.push_str(&format!(
            "tick: {} Hz, with {} of {} preemptions that no wake-up explains\n",
            tick.hz, tick.hits, tick.of
        )),
        None => out.push_str("tick: not to be seen; --hz says how many a second\n"),
    }
    if let Some(ns) = report.wakeup_ns {
        out.push_str(&format!("from a wake-up to the switch on an idle CPU: {} (median)\n", duration(ns as f64)));
    }
    if report.judged_timers + report.judged_tasks > 0 {
        out.push_str(&format!(
            "no flags column: of the wake-ups while a task ran, {} are taken as timers' and {} as the tasks' own\n",
            report.judged_timers, report.judged_tasks
        ));
    }
    out.push_str(&format!("{} tasks:\n", report.tasks.len()));
    for task in report.tasks.iter().take(MOST_TASKS) {
        let yields = if task.yields > 0 { format!(", {} yields", task.yields) } else { String::new() };
        out.push_str(&format!(
            "  {:<20} {:>10}, woken {} times by timers, {} by tasks{yields}\n",
            task.name,
            duration(task.runtime_ns as f64),
            task.woken_by_timers,
            task.woken_by_tasks
        ));
    }
    if report.tasks.len() > MOST_TASKS {
        out.push_str(&format!("  and {} more\n", report.tasks.len() - MOST_TASKS));
    }
    for task in &report.dropped {
        out.push_str(&format!("left out: {} ({}): {}\n", task.name, task.pid, task.why));
    }
    for notice in report.notices() {
        out.push_str(&format!("{notice}\n"));
    }
}

fn realism_text(realism: &Realism, out: &mut String) {
    out.push_str(&format!(
        "\nreplay on {}\n  {:<55} {:>11} {:>11} {:>9}\n",
        realism.release, "", "trace", "replay", "off by"
    ));
    for row in &realism.rows {
        let off = row.deviation_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:+.1} %"));
        let same = if row.negligible && row.trace != row.replay { "  (less than 5 µs)" } else { "" };
        out.push_str(&format!("  {:<55} {:>11.2} {:>11.2} {off:>9}{same}\n", row.measure, row.trace, row.replay));
    }
    for task in realism.tasks.iter().take(MOST_TASKS) {
        out.push_str(&format!(
            "  {:<55} {:>11.2} {:>11.2}\n",
            format!("CPU time of {}, %", task.name),
            task.trace_percent,
            task.replay_percent
        ));
    }
}
