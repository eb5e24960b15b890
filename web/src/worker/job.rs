//! One variant being run: all its repeats, in short steps, then its report.
//! Not for choosing what to run next: the session does that.

use schedlab_report::{Names, Subject, VariantReport, metrics, summarize};
use schedlab_scenario::{Problem, RecordKind, Scenario};
use schedlab_sim::{Checkpoints, Limit, Progress, Run, Simulation};

use super::explain::Explainer;
use super::study::Study;
use super::trace::Trace;
use crate::protocol::{PlannedRun, Who};

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
    /// Copies of the first repeat, from which any instant of it can be looked at again.
    checkpoints: Checkpoints,
    names: Names,
    started_ms: f64,
    wanted: Wanted,
}

/// What is to be run.
pub(super) enum Order {
    /// A variant of a document, with its switches.
    Variant { document: String, variant: usize },
    /// A point of a sweep.
    Point {
        number: usize,
        document: String,
        variant: usize,
        /// Paths of the document and their values.
        settings: Vec<(String, String)>,
        repeats: u32,
    },
    /// A run of an experiment.
    Run { number: usize, run: PlannedRun },
}

/// What is wanted of a job in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The report, and answers about the switches of the first repeat.
    Switches,
    /// Every figure, over all repeats.
    Figures,
    /// The figures that an experiment asks for of this variant.
    Experiment(String),
}

impl Order {
    /// What it is called in answers: its variant, its point or its run.
    pub(super) const fn number(&self) -> usize {
        match self {
            Self::Variant { variant, .. } => *variant,
            Self::Point { number, .. } | Self::Run { number, .. } => *number,
        }
    }
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
    /// Prepares the first repeat. `study` is the experiment that a run is of.
    pub(super) fn new(order: &Order, study: Option<&Study>, started_ms: f64) -> Result<Self, Vec<Problem>> {
        let (mut named, wanted) = match order {
            Order::Variant { document, variant } => {
                (schedlab_scenario::open(document)?.scenario.variant(*variant)?, Wanted::Switches)
            }
            Order::Point { document, variant, settings, repeats, .. } => {
                let mut named = schedlab_scenario::open(document)?.scenario.variant(*variant)?;
                for (path, value) in settings {
                    named.scenario.set(path, value)?;
                }
                named.scenario.run.repeats = *repeats;
                (named, Wanted::Figures)
            }
            Order::Run { run, .. } => {
                let missing = || vec![Problem::error("", "no experiment was asked for")];
                let named = study.ok_or_else(missing)?.variant(&run.part, run.variant)?;
                let key = format!("{}/{}", run.part, named.name);
                (named, Wanted::Experiment(key))
            }
        };
        let first = match order {
            Order::Run { run, .. } => run.repeat,
            Order::Variant { .. } | Order::Point { .. } => 0,
        };
        if wanted != Wanted::Switches {
            named.scenario.run.record = RecordKind::Summary;
        }
        if matches!(order, Order::Run { .. }) {
            named.scenario.run.repeats = 1;
        }
        let prepared = named.scenario.prepare(first)?;
        let subject = Subject {
            name: named.name,
            release: prepared.input.kernel.release(),
            kinds: prepared.tasks.iter().map(|origin| origin.name.clone()).collect(),
            templates: prepared.input.templates.iter().map(|template| template.spec.name.clone()).collect(),
            operations: prepared.operations,
        };
        let document_kinds = named.scenario.workload.tasks.iter().map(|task| task.name.clone()).collect();
        let names = Names::of(&prepared.input);
        let simulation = Simulation::new(prepared.input).map_err(|error| told("workload", &error))?;
        Ok(Self {
            variant: order.number(),
            wanted,
            repeats: named.scenario.run.repeats.max(1),
            scenario: named.scenario,
            notices: prepared.notices,
            subject,
            document_kinds,
            runs: Vec::new(),
            checkpoints: Checkpoints::new(&simulation),
            names,
            simulation: Some(simulation),
            started_ms,
        })
    }

    /// What is wanted of it.
    pub(super) const fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// The figures.
    pub(super) fn figures(self) -> Vec<(String, f64, Option<f64>)> {
        metrics(&self.report()).into_iter().map(|metric| (metric.name, metric.value, metric.sem)).collect()
    }

    /// The report alone.
    pub(super) fn report(&self) -> VariantReport {
        summarize(&self.subject, &self.runs)
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
            let limit = Limit::events(EVENTS);
            let progress = if self.runs.is_empty() && self.wanted == Wanted::Switches {
                self.checkpoints.run_until(simulation, limit)
            } else {
                simulation.run_until(limit)
            };
            match progress {
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

    /// The report, what is kept of the first repeat, and the notices.
    pub(super) fn finish(mut self) -> (VariantReport, Explainer, Vec<Problem>) {
        let report = self.report();
        let record = self.runs.first_mut().map(|run| std::mem::take(&mut run.record)).unwrap_or_default();
        let tasks = self.runs.first().map(|run| run.tasks.as_slice()).unwrap_or_default();
        let who = tasks.iter().enumerate().map(|(id, task)| self.who(id, &task.name)).collect();
        let names = match self.runs.first() {
            Some(run) => self.names.with_tasks_of(run),
            None => self.names,
        };
        let until_ns = self.runs.first().map_or(0, |run| run.until_ns);
        let trace = Trace::new(&record, who, until_ns);
        let explainer = Explainer::new(trace, self.checkpoints, names);
        (report, explainer, self.notices)
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
