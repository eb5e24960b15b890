//! The worker's side, without a browser: it takes messages, runs variants in short steps, and
//! answers questions about their switches. Not for scheduling or statistics: the engine and
//! `schedlab-report` do those.

mod job;
mod serve;
mod trace;

use std::collections::{BTreeMap, VecDeque};

use crate::protocol::{FromWorker, ToWorker};
use job::{Job, Step};
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
    waiting: VecDeque<(String, usize)>,
    running: Option<Job>,
    traces: BTreeMap<usize, Trace>,
    /// When the page last heard of progress.
    told_ms: f64,
}

impl Session {
    /// Takes one message; the answers come at once.
    pub fn take(&mut self, message: ToWorker) -> Vec<FromWorker> {
        match message {
            ToWorker::Run { job, document, variant } => {
                if job != self.job {
                    *self = Self { job, ..Self::default() };
                }
                self.waiting.push_back((document, variant));
                Vec::new()
            }
            ToWorker::Cancel { job } => {
                if job == self.job {
                    self.waiting.clear();
                    self.running = None;
                }
                vec![FromWorker::Stopped { job }]
            }
            ToWorker::Switches { variant, filter, from, count } => {
                let Some(trace) = self.traces.get(&variant) else { return Vec::new() };
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
                let Some(trace) = self.traces.get(&variant) else { return Vec::new() };
                vec![FromWorker::Found { variant, filter, place: trace.find(filter, from, forward) }]
            }
        }
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
                let Some((document, variant)) = self.waiting.pop_front() else { return Vec::new() };
                match Job::new(&document, variant, now_ms()) {
                    Ok(running) => running,
                    Err(problems) => return vec![FromWorker::Failed { job, variant, problems }],
                }
            }
        };
        let variant = running.variant();
        match running.step(&now_ms, STEP_MS) {
            Step::More { permille } => {
                self.running = Some(running);
                if now_ms() - self.told_ms < TELL_MS {
                    return Vec::new();
                }
                self.told_ms = now_ms();
                vec![FromWorker::Progress { job, variant, permille }]
            }
            Step::Failed(problems) => vec![FromWorker::Failed { job, variant, problems }],
            Step::Done => {
                let started_ms = running.started_ms();
                let (report, trace, notices) = running.finish();
                self.traces.insert(variant, trace);
                let took_ms = now_ms() - started_ms;
                vec![FromWorker::Done { job, variant, report: Box::new(report), notices, took_ms }]
            }
        }
    }
}
