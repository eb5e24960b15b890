//! What the page and its workers say to each other, as text. The first message of a worker is a
//! plain greeting with its build id, so that any two builds understand that much; everything
//! after it is JSON of the types below, which are made for this and nothing else. A file that the
//! page sends as it is, is a trace to import.
//! Not for sending: `pool` and the worker's binary do that.

mod study;

use schedlab_report::bisect::Findings;
use schedlab_report::{ExperimentReport, Explanation, VariantReport};
use schedlab_scenario::Problem;
use schedlab_scenario::import::trace::{Realism, TraceReport};
use serde::{Deserialize, Serialize};

pub use study::{Figure, LookAt, Plan, PlannedRun, Seek};

/// The id of this build.
pub const BUILD: &str = env!("SCHEDLAB_BUILD");

const GREETING: &str = "schedlab-worker ";

/// The first message of a worker.
#[must_use]
pub fn greeting() -> String {
    format!("{GREETING}{BUILD}")
}

/// Whether `text` is the greeting of a worker of this very build.
#[must_use]
pub fn is_our_greeting(text: &str) -> bool {
    text.strip_prefix(GREETING) == Some(BUILD)
}

/// Whether `text` is a greeting of any build.
#[must_use]
pub fn is_greeting(text: &str) -> bool {
    text.starts_with(GREETING)
}

/// From the page to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ToWorker {
    /// Run one variant of a document, after those asked for earlier under the same job. A new job
    /// drops everything of the one before.
    Run {
        /// Numbers the page's runs.
        job: u32,
        /// The scenario document.
        document: String,
        /// Which of its variants.
        variant: usize,
    },
    /// Run one variant of a document with some values set, and answer its figures only: no switches
    /// are kept. Answered by [`FromWorker::Measured`].
    Measure {
        /// Numbers the page's sweeps.
        job: u32,
        /// Which point of the sweep.
        point: usize,
        /// The scenario document.
        document: String,
        /// Which of its variants.
        variant: usize,
        /// Paths of the document and their values.
        settings: Vec<(String, String)>,
        /// How many repeats.
        repeats: u32,
    },
    /// Look for what carries the difference between two variants. Answered by
    /// [`FromWorker::Bisecting`] and [`FromWorker::Bisected`].
    Bisect(Box<Bisection>),
    /// Give up what is running and waiting. Answered by [`FromWorker::Stopped`].
    Cancel {
        /// The job to give up.
        job: u32,
    },
    /// Send some switches of a finished variant. Answered by [`FromWorker::Switches`].
    Switches {
        /// Which variant.
        variant: usize,
        /// Which switches count.
        filter: Filter,
        /// The first one, counted among those that count.
        from: usize,
        /// How many at most.
        count: usize,
    },
    /// Find the next preemption after, or the last one before, a switch. Answered by
    /// [`FromWorker::Found`].
    Find {
        /// Which variant.
        variant: usize,
        /// Which switches count.
        filter: Filter,
        /// The place among those that count; none: start from the end that is searched first.
        from: Option<usize>,
        /// Towards later switches.
        forward: bool,
    },
    /// Find the last switch of a CPU up to an instant. Answered by [`FromWorker::Found`].
    Locate {
        /// Which variant.
        variant: usize,
        /// Which switches count.
        filter: Filter,
        /// The CPU.
        cpu: u16,
        /// The instant, nanoseconds.
        at_ns: u64,
    },
    /// Find the first switch that is what is sought. Answered by [`FromWorker::Found`].
    Seek {
        /// Which variant.
        variant: usize,
        /// What is sought.
        sought: Seek,
    },
    /// Say what an experiment runs. Answered by [`FromWorker::Planned`].
    Plan {
        /// Numbers what is done with experiments.
        job: u32,
        /// Its name.
        experiment: String,
    },
    /// Check a document and make its link. Answered by [`FromWorker::Checked`].
    Check {
        /// Numbers what is checked.
        job: u32,
        /// The scenario document, as a scenario wrote it.
        document: String,
    },
    /// Send a part of an experiment as a scenario. Answered by [`FromWorker::Part`].
    Part {
        /// As it was planned.
        job: u32,
        /// The experiment's name.
        experiment: String,
        /// The part's.
        part: String,
    },
    /// Run one repeat of an experiment. Answered by [`FromWorker::Observed`].
    Observe {
        /// As it was planned.
        job: u32,
        /// The experiment's name.
        experiment: String,
        /// The run's place in the plan.
        number: usize,
        /// What is run.
        run: PlannedRun,
    },
    /// Work out the table of an experiment. Answered by [`FromWorker::Concluded`].
    Conclude {
        /// As it was planned.
        job: u32,
        /// The experiment's name.
        experiment: String,
        /// The figures of all runs.
        figures: Vec<Figure>,
    },
    /// Send what CPUs ran over a stretch of time, as pieces that can be seen. Answered by
    /// [`FromWorker::Timeline`].
    Timeline {
        /// Which variant.
        variant: usize,
        /// The beginning, nanoseconds.
        from_ns: u64,
        /// The end, nanoseconds.
        to_ns: u64,
        /// How wide a row is, pixels.
        width_px: u32,
        /// The CPUs.
        cpus: Vec<u16>,
    },
    /// Say what was decided at an instant, and on which queue. Answered by
    /// [`FromWorker::Explained`].
    Explain {
        /// Which variant.
        variant: usize,
        /// The CPU.
        cpu: u16,
        /// The instant, nanoseconds.
        at_ns: u64,
    },
}

/// Which switches a list shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Every switch.
    #[default]
    All,
    /// Those where a runnable task had to leave.
    Preemptions,
}

/// From a worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FromWorker {
    /// A run is on its way.
    Progress {
        /// The job.
        job: u32,
        /// The variant.
        variant: usize,
        /// What is done, all repeats together, in thousandths.
        permille: u32,
    },
    /// A variant is done.
    Done {
        /// The job.
        job: u32,
        /// The variant.
        variant: usize,
        /// Its figures, the JSON of `schedlab run --format json`.
        report: Box<VariantReport>,
        /// What the document says that has no effect.
        notices: Vec<Problem>,
        /// How long it took, milliseconds of real time.
        took_ms: f64,
    },
    /// A point of a sweep is done.
    Measured {
        /// The job.
        job: u32,
        /// The point.
        point: usize,
        /// Every figure: its name, its value, its standard error.
        figures: Vec<(String, f64, Option<f64>)>,
    },
    /// A bisection is on its way.
    Bisecting {
        /// The job.
        job: u32,
        /// How many runs were begun.
        runs: usize,
    },
    /// A bisection is done.
    Bisected {
        /// The job.
        job: u32,
        /// What was found.
        findings: Box<Findings>,
        /// The same in a sentence or two.
        sentence: String,
    },
    /// What an experiment runs.
    Planned {
        /// The job.
        job: u32,
        /// The plan.
        plan: Box<Plan>,
    },
    /// A document was checked.
    Checked {
        /// The job.
        job: u32,
        /// What is wrong with it.
        problems: Vec<Problem>,
        /// Its link, `#` included.
        link: String,
    },
    /// A part of an experiment.
    Part {
        /// The job.
        job: u32,
        /// Its scenario document.
        document: String,
    },
    /// A run of an experiment is done.
    Observed {
        /// The job.
        job: u32,
        /// Its place in the plan.
        number: usize,
        /// The variant, as `PART/VARIANT`.
        variant: String,
        /// The figures that the experiment asks for.
        figures: Vec<(String, f64)>,
    },
    /// The table of an experiment.
    Concluded {
        /// The job.
        job: u32,
        /// The table and what must come out.
        report: Box<ExperimentReport>,
    },
    /// A variant (or a point of a sweep, or a run of an experiment) cannot run.
    Failed {
        /// The job.
        job: u32,
        /// The variant.
        variant: usize,
        /// Why.
        problems: Vec<Problem>,
    },
    /// The job was given up.
    Stopped {
        /// The job.
        job: u32,
    },
    /// Switches that were asked for.
    Switches {
        /// The job that they are of.
        job: u32,
        /// The variant.
        variant: usize,
        /// Which switches count.
        filter: Filter,
        /// How many count in all.
        total: usize,
        /// Whether the record's budget was used up, so that later switches are missing.
        cut: bool,
        /// The first one's place.
        from: usize,
        /// The switches.
        switches: Vec<Switch>,
    },
    /// The switch that was looked for, if there is one.
    Found {
        /// The variant.
        variant: usize,
        /// Which switches count.
        filter: Filter,
        /// Its place among those that count.
        place: Option<usize>,
    },
    /// What CPUs ran.
    Timeline(Box<Timeline>),
    /// What was decided at an instant.
    Explained(Box<Explained>),
    /// A file is being imported.
    Importing {
        /// The file's name.
        name: String,
        /// What is being done.
        stage: Stage,
        /// Bytes read.
        read: u64,
        /// Bytes in all.
        size: u64,
        /// Events used so far.
        events: u64,
    },
    /// A trace became a scenario.
    Imported(Box<Imported>),
    /// A file cannot be imported.
    NotImported {
        /// The file's name.
        name: String,
        /// Why.
        message: String,
    },
    /// The worker's code failed; it is of no more use.
    Panicked {
        /// What it said.
        message: String,
    },
}

/// What was decided at an instant of a variant's first repeat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The job that it is of.
    pub job: u32,
    /// The variant.
    pub variant: usize,
    /// The CPU.
    pub cpu: u16,
    /// The instant that was asked for, nanoseconds.
    pub at_ns: u64,
    /// What `schedlab explain --format json` says of it.
    pub explanation: Explanation,
    /// The tasks that its queues name.
    pub tasks: Vec<Who>,
    /// How long the answer took, milliseconds of real time.
    pub took_ms: f64,
}

/// What a bisection is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bisection {
    /// Numbers the page's bisections.
    pub job: u32,
    /// The scenario document.
    pub document: String,
    /// The variant to come from.
    pub first: usize,
    /// The variant to go to.
    pub second: usize,
    /// The figure, such as `tasks.hog.preempted`.
    pub metric: String,
    /// How many repeats of each mixture.
    pub repeats: u32,
}

/// What an import is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It reads the file.
    Reading,
    /// It runs what came of it, to lay it beside the trace.
    Replaying,
}

/// What became of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// The file's name.
    pub name: String,
    /// The scenario document.
    pub document: String,
    /// What was used and found.
    pub report: TraceReport,
    /// How well a replay reproduces the trace; none where it could not be run.
    pub realism: Option<Realism>,
    /// What was odd or could not be used, in sentences.
    pub notices: Vec<String>,
}

/// What some CPUs ran over a stretch of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The job that it is of.
    pub job: u32,
    /// The variant.
    pub variant: usize,
    /// The beginning, nanoseconds.
    pub from_ns: u64,
    /// The end, nanoseconds.
    pub to_ns: u64,
    /// How wide a row is, pixels.
    pub width_px: u32,
    /// The end of what is known of the run, nanoseconds.
    pub until_ns: u64,
    /// Whether what came later was not recorded.
    pub cut: bool,
    /// The CPUs that were asked for.
    pub rows: Vec<TimelineRow>,
    /// The tasks that the pieces name, by their number.
    pub tasks: Vec<(u32, Who)>,
}

/// What one CPU ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineRow {
    /// The CPU.
    pub cpu: u16,
    /// Its pieces from left to right.
    pub pieces: Vec<TimelinePiece>,
    /// Time in tasks, nanoseconds.
    pub busy_ns: u64,
    /// Time forced idle, nanoseconds.
    pub forced_idle_ns: u64,
    /// Times a task came in.
    pub runs: u32,
    /// Of them: from another CPU.
    pub arrivals: u32,
}

/// A piece of a CPU's row. There are many, so the names are short on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelinePiece {
    /// The left edge, pixels.
    #[serde(rename = "l")]
    pub left: f32,
    /// The right edge, pixels.
    #[serde(rename = "r")]
    pub right: f32,
    /// The task; none: forced idle.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    /// How much of the piece that is, per cent.
    #[serde(rename = "p", default = "all", skip_serializing_if = "is_all")]
    pub part: u8,
    /// How many tasks came from another CPU in it.
    #[serde(rename = "a", default, skip_serializing_if = "is_none")]
    pub arrivals: u32,
    /// Where the task came from, where the piece is one run.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub came_from: Option<u16>,
}

const fn all() -> u8 {
    100
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_all(part: &u8) -> bool {
    *part == 100
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_none(count: &u32) -> bool {
    *count == 0
}

/// A context switch as the page shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    /// When, nanoseconds from the start of the run.
    pub at_ns: u64,
    /// On which CPU.
    pub cpu: u16,
    /// Where `next` ran before, if that is another CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came_from: Option<u16>,
    /// Who left; none: the idle thread.
    pub prev: Option<Who>,
    /// Who came; none: the idle thread.
    pub next: Option<Who>,
    /// The name of the reason, such as `tick-slice`.
    pub reason: String,
    /// How long `prev` had been on the CPU, nanoseconds.
    pub ran_ns: u64,
    /// How long `next` had waited on the run queue, nanoseconds.
    pub waited_ns: u64,
    /// Whether `next` came from a wake-up or fork, not from a preemption.
    pub woken: bool,
}

/// A task as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    /// Its name, with the instance.
    pub name: String,
    /// The kind of task: its place in the document; none when that is not known.
    pub kind: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_tell_builds_apart() {
        assert!(is_our_greeting(&greeting()));
        assert!(is_greeting("schedlab-worker 0") && !is_our_greeting("schedlab-worker 0"));
        assert!(!is_greeting("{\"kind\":\"stopped\"}"));
    }

    #[test]
    fn messages_survive_the_wire() -> Result<(), serde_json::Error> {
        let ask = ToWorker::Find { variant: 1, filter: Filter::Preemptions, from: None, forward: true };
        assert_eq!(serde_json::from_str::<ToWorker>(&serde_json::to_string(&ask)?)?, ask);
        let who = Who { name: "hog-1".to_owned(), kind: Some(0) };
        let switch = Switch {
            at_ns: u64::MAX,
            cpu: 0,
            came_from: Some(3),
            prev: None,
            next: Some(who),
            reason: "idle-cpu".to_owned(),
            ran_ns: 0,
            waited_ns: 1,
            woken: true,
        };
        let switches = vec![switch];
        let answer =
            FromWorker::Switches { job: 3, variant: 0, filter: Filter::All, total: 9, cut: false, from: 4, switches };
        assert_eq!(serde_json::from_str::<FromWorker>(&serde_json::to_string(&answer)?)?, answer);
        Ok(())
    }
}
