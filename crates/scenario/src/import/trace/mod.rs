//! Trace import: from the text of a trace to a scenario with the same *demand*: each task's runs and
//! sleeps, who woke it, nice values, starts. Never the schedule: what the kernel did with the demand
//! is what a run of the scenario is compared with.
//!
//! ```
//! use schedlab_scenario::import::trace::{TraceImport, TraceOptions};
//!
//! let text = "\
//!     <idle>-0  [000] d..2.  1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=125
//!     app-7     [000] d..2.  1.000500: sched_switch: prev_comm=app prev_pid=7 prev_prio=125 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
//!     <idle>-0  [000] dNh4.  1.002500: sched_wakeup: comm=app pid=7 prio=125 target_cpu=000
//!     <idle>-0  [000] d..2.  1.002503: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=125
//!     app-7     [000] d..2.  1.003003: sched_switch: prev_comm=app prev_pid=7 prev_prio=125 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
//! ";
//! let mut import = TraceImport::new(TraceOptions::default());
//! for piece in text.as_bytes().chunks(100) {
//!     import.feed(piece)?; // a file can come in pieces of any size
//! }
//! let imported = import.finish()?;
//! let task = &imported.scenario.workload.tasks[0];
//! assert_eq!((task.name.as_str(), task.attributes.priority), ("app", Some(5)));
//! assert_eq!(imported.report.tasks[0].runtime_ns, 1_000_000);
//! # Ok::<(), schedlab_scenario::import::trace::TraceError>(())
//! ```

mod bytes;
mod decided;
mod demand;
mod error;
mod judge;
mod line;
mod order;
mod realism;
mod recover;
mod report;
mod scenario;
mod task;
mod ticks;

pub use error::TraceError;
pub use judge::Wakers;
pub use realism::{Realism, RealismRow, TaskRealism, TraceFigures};
pub use report::{DroppedTask, EventCount, Met, Oddities, TickFinding, TraceReport, TracedTask};

use std::collections::BTreeMap;

use schedlab_sim::kernel::Release;

use crate::document::{MOST_CPUS, Scenario};
use crate::json::MOST_BYTES;

use bytes::Lines;
use line::{Context, Event, Line, What};
use order::{Order, Turn};
use recover::Recovery;

/// So much of a document is for what tasks do; names and keys have the rest.
const MOST_STEP_BYTES: usize = MOST_BYTES / 10 * 9;
/// Names of events that are told one by one; the rest is told together.
const MOST_NAMES: usize = 40;

/// How a trace is imported.
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    /// The title of the scenario; none: a general one.
    pub title: Option<String>,
    /// The kernel of the scenario.
    pub release: Option<Release>,
    /// Ticks a second; none: as found in the trace, or the document's default.
    pub hz: Option<u32>,
    /// What to believe of wake-ups of which the trace does not say who made them.
    pub wakers: Wakers,
    /// The first event to use, nanoseconds of the trace's clock.
    pub from_ns: Option<u64>,
    /// The last event to use.
    pub to_ns: Option<u64>,
}

/// An import in progress, fed with the bytes of a trace: plain text or gzip. It keeps what was
/// recovered and nothing of the text.
pub struct TraceImport {
    options: TraceOptions,
    lines: Lines,
    reading: Reading,
}

/// A trace that was imported.
#[derive(Clone, Debug)]
pub struct ImportedTrace {
    /// The scenario.
    pub scenario: Scenario,
    /// What was used and found.
    pub report: TraceReport,
    /// What the trace shows, for comparison with a replay: [`Realism::of`].
    pub figures: TraceFigures,
}

/// What has been read, apart from the line begun.
struct Reading {
    order: Order,
    recovery: Recovery,
    used: [u64; 7],
    others: BTreeMap<String, u64>,
    other_names: u64,
    outside: u64,
    flags: bool,
    head_cpus: Option<u32>,
    from_ns: u64,
    to_ns: u64,
    first_seen_ns: Option<u64>,
    last_seen_ns: u64,
    cut_at_ns: Option<u64>,
    /// What the last line was that could not be understood.
    last_bad: Option<(u64, bool)>,
    first_strange: Option<String>,
}

/// The names of the events used, in the order of [`Reading::used`].
const USED: [&str; 7] = [
    "sched_switch",
    "sched_waking",
    "sched_wakeup",
    "sched_wakeup_new",
    "sched_migrate_task",
    "sched_process_fork",
    "sched_process_exit",
];

impl TraceImport {
    /// An import of which nothing has been read.
    #[must_use]
    pub fn new(options: TraceOptions) -> Self {
        let reading = Reading {
            order: Order::default(),
            recovery: Recovery::new(),
            used: [0; 7],
            others: BTreeMap::new(),
            other_names: 0,
            outside: 0,
            flags: false,
            head_cpus: None,
            from_ns: options.from_ns.unwrap_or(0),
            to_ns: options.to_ns.unwrap_or(u64::MAX),
            first_seen_ns: None,
            last_seen_ns: 0,
            cut_at_ns: None,
            last_bad: None,
            first_strange: None,
        };
        Self { options, lines: Lines::new(), reading }
    }

    /// Takes the next bytes of the file, as many as there are.
    ///
    /// # Errors
    /// [`TraceError::Binary`] when the file is of another kind.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        let reading = &mut self.reading;
        self.lines.feed(bytes, &mut |number, line| reading.line(number, line))
    }

    /// Bytes of the file taken so far (of the packed ones, if it is packed).
    #[must_use]
    pub const fn bytes_read(&self) -> u64 {
        self.lines.bytes_read
    }

    /// Lines read so far.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines.number
    }

    /// Events used so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.reading.used.iter().sum()
    }

    /// The end of the file: makes the scenario.
    ///
    /// # Errors
    /// [`TraceError`] when there is nothing to make one of, or it would be too large.
    pub fn finish(mut self) -> Result<ImportedTrace, TraceError> {
        let reading = &mut self.reading;
        self.lines.finish(&mut |number, line| reading.line(number, line))?;
        if self.lines.bytes_read == 0 {
            return Err(TraceError::Empty);
        }
        if let (Some(at_byte), 0) = (self.lines.broken_at, self.lines.number) {
            return Err(TraceError::Gzip { at_byte });
        }
        if self.lines.text_bytes == 0 {
            return Err(TraceError::Empty);
        }
        reading.end(&self.lines);
        if reading.used.iter().all(|count| *count == 0) {
            return Err(reading.no_events(self.lines.number));
        }
        if reading.recovery.tasks.iter().all(|task| task.counts.switches == 0) {
            return Err(TraceError::NoTasks { events: reading.used.iter().sum() });
        }
        scenario::scenario(&self.options, &self.lines, self.reading)
    }
}

impl Reading {
    fn line(&mut self, number: u64, line: &[u8]) {
        match line::read(line) {
            Line::Event(event) => {
                if self.order.push(event.at_ns, number, line) {
                    self.recovery.oddities.swapped.add(number);
                }
                self.in_order(false);
            }
            Line::OtherEvent(name) => self.other(name),
            Line::Unreadable(_) => {
                self.recovery.oddities.unreadable.add(number);
                self.last_bad = Some((number, true));
            }
            Line::Lost { cpu, events } => {
                self.recovery.oddities.losses.add(number);
                self.recovery.oddities.lost_events += events.unwrap_or(0);
                // It stands between what comes before and after it.
                self.in_order(true);
                self.recovery.lost(cpu);
            }
            Line::Head { cpus, overwritten } => {
                self.head_cpus = cpus.filter(|cpus| u64::from(*cpus) <= MOST_CPUS).or(self.head_cpus);
                self.recovery.oddities.overwritten += overwritten;
            }
            Line::Nothing => {}
            Line::Strange => {
                self.recovery.oddities.strange.add(number);
                self.last_bad = Some((number, false));
                if self.first_strange.is_none() {
                    let text = String::from_utf8_lossy(line);
                    self.first_strange = Some(text.trim().chars().take(60).collect());
                }
            }
        }
    }

    /// Takes the events whose turn has come; at an end all.
    fn in_order(&mut self, end: bool) {
        while let Some(turn) = self.order.pop(end) {
            let held = match turn {
                Turn::Next(held) => held,
                Turn::AfterJump(held) => {
                    self.recovery.clock_went_back(held.at_ns, held.number);
                    held
                }
                Turn::TooLate(held) => {
                    self.recovery.oddities.late.add(held.number);
                    self.order.done(held);
                    continue;
                }
            };
            if let Line::Event(event) = line::read(&held.line) {
                self.event(&event, held.number);
            }
            self.order.done(held);
        }
    }

    fn event(&mut self, event: &Event<'_>, number: u64) {
        if u64::from(event.cpu) >= MOST_CPUS {
            self.recovery.oddities.cpus_beyond.add(number);
            return;
        }
        self.first_seen_ns.get_or_insert(event.at_ns);
        self.last_seen_ns = event.at_ns;
        if event.at_ns < self.from_ns || event.at_ns > self.to_ns {
            self.outside += 1;
            return;
        }
        if self.recovery.document_bytes() >= MOST_STEP_BYTES {
            self.cut_at_ns = Some(event.at_ns);
            self.outside += 1;
            return;
        }
        self.flags |= event.context != Context::Unsaid;
        self.used[match event.what {
            What::Switch { .. } => 0,
            What::Waking(_) => 1,
            What::Wakeup(_) => 2,
            What::WakeupNew(_) => 3,
            What::Migrate { .. } => 4,
            What::Fork { .. } => 5,
            What::Exit { .. } => 6,
        }] += 1;
        self.recovery.event(event, number);
    }

    fn other(&mut self, name: &[u8]) {
        let name = String::from_utf8_lossy(name);
        if let Some(count) = self.others.get_mut(name.as_ref()) {
            *count += 1;
        } else if self.others.len() < MOST_NAMES && name.len() <= 64 {
            self.others.insert(name.into_owned(), 1);
        } else {
            self.other_names += 1;
        }
    }

    /// The end of the text: a last line without end that is no event was cut.
    fn end(&mut self, lines: &Lines) {
        self.in_order(true);
        let odd = &mut self.recovery.oddities;
        odd.gzip_broken_at = lines.broken_at;
        if let Some((number, event)) = self.last_bad.filter(|(number, _)| lines.unfinished && *number == lines.number) {
            odd.cut_line = Some(number);
            let met = if event { &mut odd.unreadable } else { &mut odd.strange };
            met.count -= 1;
            if met.count == 0 {
                met.first_line = 0;
            }
        }
    }

    fn no_events(&self, lines: u64) -> TraceError {
        let seconds = |ns: u64| format!("{:.6}", ns as f64 / 1e9);
        if let (Some(first), true) = (self.first_seen_ns, self.outside > 0) {
            let to = if self.to_ns == u64::MAX { "the end".to_owned() } else { seconds(self.to_ns) };
            let (first, last) = (seconds(first), seconds(self.last_seen_ns));
            return TraceError::Window { from: seconds(self.from_ns), to, first, last };
        }
        let mut seen = String::new();
        if self.recovery.oddities.unreadable.count > 0 {
            let Met { count, first_line } = self.recovery.oddities.unreadable;
            seen = format!(" that can be read ({count} cannot, the first at line {first_line})");
        } else if !self.others.is_empty() {
            let names: Vec<&str> = self.others.keys().take(5).map(String::as_str).collect();
            seen = format!(" (there are {})", names.join(", "));
        } else if let Some(text) = &self.first_strange {
            let line = self.recovery.oddities.strange.first_line;
            seen = format!(" (line {line}: {text:?})");
        }
        TraceError::NoEvents { lines, seen }
    }
}

#[cfg(test)]
mod tests;
