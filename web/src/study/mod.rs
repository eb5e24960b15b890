//! An experiment in the page: what it models, its runs spread over workers, reported beside
//! simulated, and the switches that show why. This is what is known of it; the card is beside. Not
//! for running or judging: workers do.

mod card;

use std::collections::BTreeMap;
use std::rc::Rc;

use schedlab_report::ExperimentReport;
use schedlab_scenario::Problem;
use yew::Reducible;

use crate::protocol::{Figure, FromWorker, Plan};

pub(crate) use card::StudyCard;

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A worker is asked what there is to run.
    #[default]
    Planning,
    /// It can be run.
    Ready,
    Running,
    /// Everything has run, and the table is worked out.
    Concluding,
}

/// What a run came to: its variant, and the figures by their names.
type Observed = (String, Vec<(String, f64)>);

/// What is known of an experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Study {
    /// Numbers what workers are asked, so that late answers are told apart.
    pub(crate) job: u32,
    pub(crate) stage: Stage,
    pub(crate) plan: Option<Rc<Plan>>,
    /// By the run's place in the plan.
    observed: Vec<Option<Observed>>,
    pub(crate) report: Option<Rc<ExperimentReport>>,
    /// Why it ended early.
    pub(crate) failed: Vec<Problem>,
}

/// What happens to an experiment.
pub(crate) enum Event {
    /// Another experiment is looked at.
    Open,
    Run,
    Stop,
    Heard(FromWorker),
    Broken(String),
}

impl Study {
    /// How many runs are done.
    pub(crate) fn count(&self) -> usize {
        self.observed.iter().flatten().count()
    }

    /// The figures of all runs: one value a repeat, in the order of the plan.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let mut all = BTreeMap::<(&str, &str), Vec<f64>>::new();
        for (variant, figures) in self.observed.iter().flatten() {
            for (name, value) in figures {
                all.entry((variant, name)).or_default().push(*value);
            }
        }
        let figure = |((variant, name), values): ((&str, &str), Vec<f64>)| Figure {
            variant: variant.to_owned(),
            name: name.to_owned(),
            values,
        };
        all.into_iter().map(figure).collect()
    }

    fn heard(&mut self, message: FromWorker) {
        match message {
            FromWorker::Planned { job, plan } if job == self.job => {
                self.plan = Some(Rc::from(plan));
                self.stage = Stage::Ready;
            }
            FromWorker::Observed { job, number, variant, figures } if job == self.job => {
                if let Some(slot) = self.observed.get_mut(number) {
                    *slot = Some((variant, figures));
                }
                if self.stage == Stage::Running && self.observed.iter().all(Option::is_some) {
                    self.stage = Stage::Concluding;
                }
            }
            FromWorker::Concluded { job, report } if job == self.job => {
                self.report = Some(Rc::from(report));
                self.stage = Stage::Ready;
            }
            FromWorker::Failed { job, problems, .. } if job == self.job => self.fail(problems),
            _ => {}
        }
    }

    fn fail(&mut self, problems: Vec<Problem>) {
        self.failed = problems;
        self.stage = Stage::Ready;
    }
}

impl Reducible for Study {
    type Action = Event;

    fn reduce(self: Rc<Self>, event: Event) -> Rc<Self> {
        let mut study = (*self).clone();
        match event {
            Event::Open => study = Self { job: self.job + 1, ..Self::default() },
            Event::Run => {
                let Some(plan) = &self.plan else { return self };
                study.job += 1;
                study.stage = Stage::Running;
                study.observed = vec![None; plan.runs.len()];
                study.report = None;
                study.failed = Vec::new();
            }
            Event::Stop => {
                study.job += 1;
                study.stage = Stage::Ready;
            }
            Event::Heard(message) => study.heard(message),
            Event::Broken(reason) => study.fail(vec![Problem::error("", reason)]),
        }
        Rc::new(study)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::PlannedRun;

    fn planned() -> Rc<Study> {
        let run = |variant, repeat| PlannedRun { part: "p".to_owned(), variant, repeat };
        let runs = vec![run(0, 0), run(0, 1), run(1, 0)];
        let plan = Box::new(Plan { runs, parts: Vec::new(), reported: ExperimentReport::default(), looks: Vec::new() });
        Rc::new(Study::default()).reduce(Event::Open).reduce(Event::Heard(FromWorker::Planned { job: 1, plan }))
    }

    fn observed(job: u32, number: usize, variant: &str, value: f64) -> Event {
        let figures = vec![("x".to_owned(), value)];
        Event::Heard(FromWorker::Observed { job, number, variant: variant.to_owned(), figures })
    }

    #[test]
    fn the_table_is_asked_for_when_every_run_is_done() {
        let study = planned().reduce(Event::Run);
        assert_eq!((study.job, study.stage), (2, Stage::Running));
        // Runs end in any order; an answer of an earlier job is nobody's.
        let study = study.reduce(observed(2, 1, "p/a", 5.0)).reduce(observed(1, 0, "p/a", 9.0));
        let study = study.reduce(observed(2, 2, "p/b", 6.0));
        assert_eq!((study.count(), study.stage), (2, Stage::Running));
        let study = study.reduce(observed(2, 0, "p/a", 4.0));
        assert_eq!(study.stage, Stage::Concluding);
        let figure = |variant: &str, values: &[f64]| Figure {
            variant: variant.to_owned(),
            name: "x".to_owned(),
            values: values.to_vec(),
        };
        assert_eq!(study.figures(), [figure("p/a", &[4.0, 5.0]), figure("p/b", &[6.0])]);
        let report = Box::<ExperimentReport>::default();
        let study = study.reduce(Event::Heard(FromWorker::Concluded { job: 2, report }));
        assert!(study.report.is_some() && study.stage == Stage::Ready);
    }

    #[test]
    fn a_stopped_experiment_can_be_run_again() {
        let study = planned().reduce(Event::Run).reduce(observed(2, 0, "p/a", 1.0)).reduce(Event::Stop);
        assert_eq!(study.stage, Stage::Ready);
        let study = study.reduce(observed(2, 1, "p/a", 1.0)).reduce(Event::Run);
        assert_eq!((study.count(), study.stage), (0, Stage::Running));
        let problems = vec![Problem::error("", "no")];
        let study = study.reduce(Event::Heard(FromWorker::Failed { job: 4, variant: 0, problems }));
        assert_eq!((study.stage, study.failed.len()), (Stage::Ready, 1));
    }
}
