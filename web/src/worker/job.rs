//! One variant being run: all its repeats, in short steps, then its report.
//! Not for choosing what to run next: the session does that.

use schedlab_report::{Subject, VariantReport, summarize};
use schedlab_scenario::{Problem, Scenario};
use schedlab_sim::{Limit, Progress, Run, Simulation};

use super::trace::Trace;
use crate::protocol::Who;

/// Events between two looks at the clock: well below a millisecond's work.
const EVENTS: u64 = 2_000;

/// A variant on its way.
pub(super) struct Job {
    variant: usize,
    scenario: Scenario,
    notices: Vec<Problem>,
    subject: Subject,
    /// The kinds of tasks in the document's order, which is that of the page's colours.
    document_kinds: Vec<String>,
    repeats: u32,
    runs: Vec<Run>,
    simulation: Option<Simulation>,
    started_ms: f64,
}

/// How a step ended.
pub(super) enum Step {
    /// There is more to do.
    More {
        /// What is done, in thousandths.
        permille: u32,
    },
    /// Every repeat is done.
    Done,
    /// The run cannot go on.
    Failed(Vec<Problem>),
}

impl Job {
    /// Prepares the first repeat.
    pub(super) fn new(document: &str, variant: usize, started_ms: f64) -> Result<Self, Vec<Problem>> {
        let opened = schedlab_scenario::open(document)?;
        let named = opened.scenario.variant(variant)?;
        let prepared = named.scenario.prepare(0)?;
        let subject = Subject {
            name: named.name,
            release: prepared.input.kernel.release(),
            kinds: prepared.tasks.iter().map(|origin| origin.name.clone()).collect(),
            templates: prepared.input.templates.iter().map(|template| template.spec.name.clone()).collect(),
            operations: prepared.operations,
        };
        let document_kinds = named.scenario.workload.tasks.iter().map(|task| task.name.clone()).collect();
        let simulation = Simulation::new(prepared.input).map_err(|error| told("workload", &error))?;
        Ok(Self {
            variant,
            repeats: named.scenario.run.repeats.max(1),
            scenario: named.scenario,
            notices: prepared.notices,
            subject,
            document_kinds,
            runs: Vec::new(),
            simulation: Some(simulation),
            started_ms,
        })
    }

    pub(super) const fn variant(&self) -> usize {
        self.variant
    }

    pub(super) const fn started_ms(&self) -> f64 {
        self.started_ms
    }

    /// Works for about `step_ms`.
    pub(super) fn step(&mut self, now_ms: impl Fn() -> f64, step_ms: f64) -> Step {
        let begun = now_ms();
        while let Some(simulation) = &mut self.simulation {
            match simulation.run_until(Limit::events(EVENTS)) {
                Err(error) => return Step::Failed(told("workload", &error)),
                Ok(Progress::Running) => {}
                Ok(Progress::Done) => {
                    if let Err(problems) = self.next_repeat() {
                        return Step::Failed(problems);
                    }
                }
            }
            if now_ms() - begun >= step_ms {
                return Step::More { permille: self.permille() };
            }
        }
        Step::Done
    }

    /// Closes the repeat that has ended and prepares the next one, if there is one.
    fn next_repeat(&mut self) -> Result<(), Vec<Problem>> {
        self.runs.extend(self.simulation.take().map(Simulation::finish));
        let repeat = self.runs.len() as u32;
        if repeat < self.repeats {
            let mut input = self.scenario.prepare(repeat)?.input;
            // The page shows the switches of the first repeat only.
            input.record_budget = 0;
            self.simulation = Some(Simulation::new(input).map_err(|error| told("workload", &error))?);
        }
        Ok(())
    }

    fn permille(&self) -> u32 {
        let part = self.simulation.as_ref().map_or(0.0, |s| s.now_ns() as f64 / s.until_ns().max(1) as f64);
        ((self.runs.len() as f64 + part) / f64::from(self.repeats) * 1000.0).min(1000.0) as u32
    }

    /// The report, the switches of the first repeat, and the notices.
    pub(super) fn finish(mut self) -> (VariantReport, Trace, Vec<Problem>) {
        let report = summarize(&self.subject, &self.runs);
        let record = self.runs.first_mut().map(|run| std::mem::take(&mut run.record)).unwrap_or_default();
        let tasks = self.runs.first().map(|run| run.tasks.as_slice()).unwrap_or_default();
        let names = tasks.iter().enumerate().map(|(id, task)| self.who(id, &task.name)).collect();
        (report, Trace::new(&record, names), self.notices)
    }

    fn who(&self, id: usize, name: &str) -> Who {
        let stem = || name.rsplit_once('-').map_or(name, |(stem, _)| stem);
        let kind = self.subject.kinds.get(id).map_or_else(stem, String::as_str);
        let place = |kind: &str| self.document_kinds.iter().position(|known| known == kind);
        Who { name: name.to_owned(), kind: place(kind).or_else(|| place(name)) }
    }
}

fn told(path: &str, error: &dyn std::error::Error) -> Vec<Problem> {
    vec![Problem::error(path, error.to_string())]
}
