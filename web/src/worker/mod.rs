//! The worker's side, without a browser: it takes messages, runs variants in short steps, and
//! answers questions about their switches. Not for scheduling or statistics: the engine and
//! `schedlab-report` do those.

mod bisect;
mod explain;
mod import;
mod job;
mod serve;
mod study;
mod timeline;
mod trace;

use std::collections::{BTreeMap, VecDeque};

use schedlab_scenario::{Problem, link};
use schedlab_view::timeline::Stretch;

use crate::protocol::{Explained, Filter, FromWorker, Timeline, ToWorker};
use explain::Explainer;
use job::{Job, Order, Step, Wanted};
use study::Study;
use trace::Trace;

pub use serve::serve;

/// How long one step may take before the worker looks at its messages again, milliseconds.
const STEP_MS: f64 = 12.0;

/// How often the page hears of progress, milliseconds.
const TELL_MS: f64 = 60.0;

/// What a worker knows.
#[derive(Default)]
pub struct Session {
    job: u32,
    waiting: VecDeque<Order>,
    running: Option<Job>,
    finished: BTreeMap<usize, Explainer>,
    /// The experiment that was asked for last.
    study: Option<Study>,
    /// When the page last heard of progress.
    told_ms: f64,
}

impl Session {
    /// Takes one message; the answers come at once. `now_ms` is a clock.
    pub fn take(&mut self, message: ToWorker, now_ms: impl Fn() -> f64) -> Vec<FromWorker> {
        match message {
            ToWorker::Run { job, document, variant } => {
                self.begin(job);
                self.waiting.push_back(Order::Variant { document, variant });
                Vec::new()
            }
            ToWorker::Measure { job, point, document, variant, settings, repeats } => {
                self.begin(job);
                self.waiting.push_back(Order::Point { number: point, document, variant, settings, repeats });
                Vec::new()
            }
            ToWorker::Plan { job, experiment } => {
                self.begin(job);
                let plan = self.study(&experiment).and_then(Study::plan);
                vec![answered(job, 0, plan, |plan| FromWorker::Planned { job, plan: Box::new(plan) })]
            }
            ToWorker::Check { job, document } => {
                let problems = schedlab_scenario::open(&document).err().unwrap_or_default();
                let link = schedlab_scenario::read_checked(&document).map(|scenario| link::encode(&scenario));
                vec![answered(job, 0, link, |link| FromWorker::Checked { job, problems, link })]
            }
            ToWorker::Part { job, experiment, part } => {
                let document = self.study(&experiment).and_then(|study| study.document(&part));
                vec![answered(job, 0, document, |document| FromWorker::Part { job, document })]
            }
            ToWorker::Observe { job, experiment, number, run } => {
                self.begin(job);
                match self.study(&experiment) {
                    Ok(_) => self.waiting.push_back(Order::Run { number, run }),
                    Err(problems) => return vec![FromWorker::Failed { job, variant: number, problems }],
                }
                Vec::new()
            }
            ToWorker::Conclude { job, experiment, figures } => {
                let report = self.study(&experiment).and_then(|study| study.conclude(figures));
                vec![answered(job, 0, report, |report| FromWorker::Concluded { job, report: Box::new(report) })]
            }
            ToWorker::Bisect(order) => {
                let told = std::cell::RefCell::new(Vec::new());
                bisect::run(&order, |answer| told.borrow_mut().push(answer.clone()));
                told.into_inner()
            }
            ToWorker::Cancel { job } => {
                if job == self.job {
                    self.waiting.clear();
                    self.running = None;
                }
                vec![FromWorker::Stopped { job }]
            }
            ToWorker::Switches { variant, filter, from, count } => {
                let Some(trace) = self.trace(variant) else { return Vec::new() };
                vec![FromWorker::Switches {
                    job: self.job,
                    variant,
                    filter,
                    total: trace.total(filter),
                    cut: trace.is_cut(),
                    from,
                    switches: trace.switches(filter, from, count),
                }]
            }
            ToWorker::Find { variant, filter, from, forward } => {
                let Some(trace) = self.trace(variant) else { return Vec::new() };
                vec![FromWorker::Found { variant, filter, place: trace.find(filter, from, forward) }]
            }
            ToWorker::Locate { variant, filter, cpu, at_ns } => {
                let Some(trace) = self.trace(variant) else { return Vec::new() };
                vec![FromWorker::Found { variant, filter, place: trace.locate(filter, cpu, at_ns) }]
            }
            ToWorker::Seek { variant, sought } => {
                let Some(trace) = self.trace(variant) else { return Vec::new() };
                vec![FromWorker::Found { variant, filter: Filter::All, place: trace.seek(&sought.into()) }]
            }
            ToWorker::Timeline { variant, from_ns, to_ns, width_px, cpus } => {
                let Some(trace) = self.trace(variant).filter(|_| from_ns < to_ns) else { return Vec::new() };
                let told = timeline::timeline(trace, Stretch { from_ns, to_ns }, width_px, &cpus);
                vec![FromWorker::Timeline(Box::new(Timeline { job: self.job, variant, ..told }))]
            }
            ToWorker::Explain { variant, cpu, at_ns } => {
                let Some(finished) = self.finished.get(&variant) else { return Vec::new() };
                let begun = now_ms();
                let (explanation, tasks) = finished.explain(cpu, at_ns);
                let took_ms = now_ms() - begun;
                let explained = Explained { job: self.job, variant, cpu, at_ns, explanation, tasks, took_ms };
                vec![FromWorker::Explained(Box::new(explained))]
            }
        }
    }

    /// What comes of a job that is done.
    fn ended(&mut self, job_done: Job, now_ms: impl Fn() -> f64) -> FromWorker {
        let (job, number) = (self.job, job_done.variant());
        match job_done.wanted().clone() {
            Wanted::Figures => FromWorker::Measured { job, point: number, figures: job_done.figures() },
            Wanted::Experiment(variant) => {
                let study = self.study.as_ref();
                let read = study.map_or_else(|| Ok(Vec::new()), |study| study.read(&variant, &job_done.report()));
                answered(job, number, read, |figures| FromWorker::Observed { job, number, variant, figures })
            }
            Wanted::Switches => {
                let started_ms = job_done.started_ms();
                let (report, finished, notices) = job_done.finish();
                self.finished.insert(number, finished);
                let took_ms = now_ms() - started_ms;
                FromWorker::Done { job, variant: number, report: Box::new(report), notices, took_ms }
            }
        }
    }

    /// A new job drops everything of the one before, but for the experiment.
    fn begin(&mut self, job: u32) {
        if job != self.job {
            *self = Self { job, study: self.study.take(), ..Self::default() };
        }
    }

    /// The experiment of that name; the last one is kept.
    fn study(&mut self, name: &str) -> Result<&Study, Vec<Problem>> {
        match self.study.take().filter(|study| study.name() == name) {
            Some(study) => Ok(self.study.insert(study)),
            None => Ok(self.study.insert(Study::of(name)?)),
        }
    }

    fn trace(&self, variant: usize) -> Option<&Trace> {
        self.finished.get(&variant).map(|finished| &finished.trace)
    }

    /// Whether [`Session::step`] has something to do.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.running.is_some() || !self.waiting.is_empty()
    }

    /// Works for a short while; `now_ms` is a clock.
    pub fn step(&mut self, now_ms: impl Fn() -> f64) -> Vec<FromWorker> {
        let job = self.job;
        let mut running = match self.running.take() {
            Some(running) => running,
            None => {
                let Some(order) = self.waiting.pop_front() else { return Vec::new() };
                match Job::new(&order, self.study.as_ref(), now_ms()) {
                    Ok(running) => running,
                    Err(problems) => return vec![FromWorker::Failed { job, variant: order.number(), problems }],
                }
            }
        };
        let variant = running.variant();
        match running.step(&now_ms, STEP_MS) {
            Step::More { permille } => {
                self.running = Some(running);
                let told = self.running.as_ref().is_some_and(|job| *job.wanted() == Wanted::Switches);
                if !told || now_ms() - self.told_ms < TELL_MS {
                    return Vec::new();
                }
                self.told_ms = now_ms();
                vec![FromWorker::Progress { job, variant, permille }]
            }
            Step::Failed(problems) => vec![FromWorker::Failed { job, variant, problems }],
            Step::Done => vec![self.ended(running, now_ms)],
        }
    }
}

/// An answer, or why there is none.
fn answered<T>(
    job: u32,
    variant: usize,
    result: Result<T, Vec<Problem>>,
    answer: impl FnOnce(T) -> FromWorker,
) -> FromWorker {
    result.map_or_else(|problems| FromWorker::Failed { job, variant, problems }, answer)
}

#[cfg(test)]
mod tests;
