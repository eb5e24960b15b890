//! A sweep: every combination of the values of one or two parameters is run in workers of its own.
//! This is what is known of it; the form and the picture are beside. Not for running: the worker does.

mod card;
mod form;
mod hook;

use std::collections::BTreeMap;
use std::rc::Rc;

use schedlab_scenario::Problem;
use schedlab_view::sweep::Measured;
use yew::Reducible;

use crate::protocol::FromWorker;

pub(crate) use card::SweepCard;
pub(crate) use form::SweepForm;
pub(crate) use hook::use_sweep;

/// The most runs of a sweep in the page; the command takes more.
pub(crate) const MOST_POINTS: usize = 2_000;

/// A parameter and its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// A path of the document, such as `kernel.tunables.base_slice_ns`.
    pub(crate) path: String,
    pub(crate) values: Vec<String>,
}

/// What is swept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Of which variant.
    pub(crate) variant: usize,
    /// Its name.
    pub(crate) name: String,
    /// One or two.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) repeats: u32,
}

impl Plan {
    /// How many points there are.
    pub(crate) fn points(&self) -> usize {
        self.parameters.iter().map(|parameter| parameter.values.len()).fold(1, usize::saturating_mul)
    }

    /// What is set at a point, the first parameter changing slowest.
    pub(crate) fn settings(&self, point: usize) -> Vec<(String, String)> {
        let mut rest = point;
        let mut settings: Vec<(String, String)> = Vec::new();
        for parameter in self.parameters.iter().rev() {
            let count = parameter.values.len().max(1);
            if let Some(value) = parameter.values.get(rest % count) {
                settings.push((parameter.path.clone(), value.clone()));
            }
            rest /= count;
        }
        settings.reverse();
        settings
    }
}

/// What a point came to: every figure by its name.
pub(crate) type Figures = BTreeMap<String, Measured>;

/// What is known of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sweep {
    pub(crate) job: u32,
    pub(crate) plan: Rc<Plan>,
    pub(crate) done: Vec<Option<Rc<Figures>>>,
    pub(crate) running: bool,
    /// Why it ended early.
    pub(crate) failed: Vec<Problem>,
}

/// What happens to a sweep.
pub(crate) enum Event {
    Begin(Plan),
    Heard(FromWorker),
    Broken(String),
    Stop,
    Close,
}

impl Sweep {
    /// How many points are done.
    pub(crate) fn count(&self) -> usize {
        self.done.iter().flatten().count()
    }

    /// The figures that any point has, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let first = self.done.iter().flatten().next();
        first.map(|figures| figures.keys().cloned().collect()).unwrap_or_default()
    }

    /// One figure of every point.
    pub(crate) fn figure(&self, name: &str) -> Vec<Option<Measured>> {
        self.done.iter().map(|figures| figures.as_ref()?.get(name).copied()).collect()
    }
}

impl Reducible for Sweep {
    type Action = Event;

    fn reduce(self: Rc<Self>, event: Event) -> Rc<Self> {
        let mut sweep = (*self).clone();
        match event {
            Event::Begin(plan) => {
                let done = vec![None; plan.points()];
                sweep = Self { job: sweep.job + 1, plan: Rc::new(plan), done, running: true, failed: Vec::new() };
            }
            Event::Heard(FromWorker::Measured { job, point, figures }) if job == sweep.job && sweep.running => {
                if let Some(slot) = sweep.done.get_mut(point) {
                    let figure = |(name, value, sem)| (name, Measured { value, sem });
                    *slot = Some(Rc::new(figures.into_iter().map(figure).collect()));
                }
                sweep.running = sweep.done.iter().any(Option::is_none);
            }
            Event::Heard(FromWorker::Failed { job, variant, problems }) if job == sweep.job && sweep.running => {
                let at = sweep.plan.settings(variant);
                let at: Vec<String> = at.into_iter().map(|(path, value)| format!("{path}={value}")).collect();
                sweep.failed = problems;
                sweep.failed.insert(0, Problem::error("", format!("the run at {} failed", at.join(", "))));
                sweep.running = false;
            }
            Event::Heard(_) => {}
            Event::Broken(reason) => {
                sweep.running = false;
                sweep.failed = vec![Problem::error("", reason)];
            }
            Event::Stop => sweep.running = false,
            Event::Close => sweep = Self { job: sweep.job, ..Self::default() },
        }
        Rc::new(sweep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let parameter = |path: &str, values: &[&str]| Parameter {
            path: path.to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        Plan { parameters: vec![parameter("a", &["1", "2"]), parameter("b", &["x", "y", "z"])], ..Plan::default() }
    }

    #[test]
    fn every_combination_is_a_point() {
        let plan = plan();
        assert_eq!(plan.points(), 6);
        let at = |point| plan.settings(point).into_iter().map(|(_, value)| value).collect::<Vec<_>>().join("");
        assert_eq!((0..6).map(at).collect::<Vec<_>>(), ["1x", "1y", "1z", "2x", "2y", "2z"]);
    }

    #[test]
    fn a_sweep_ends_with_its_last_point() {
        let sweep = Rc::new(Sweep::default()).reduce(Event::Begin(plan()));
        let measured = |point| {
            Event::Heard(FromWorker::Measured { job: 1, point, figures: vec![("f".to_owned(), point as f64, None)] })
        };
        let sweep = (0..6).fold(sweep, |sweep, point| {
            assert!(sweep.running);
            sweep.reduce(measured(point))
        });
        assert!(!sweep.running && sweep.count() == 6);
        assert_eq!(sweep.figure("f")[4], Some(Measured { value: 4.0, sem: None }));
    }

    #[test]
    fn a_failure_names_its_point() {
        let sweep = Rc::new(Sweep::default()).reduce(Event::Begin(plan()));
        let problems = vec![Problem::error("a", "no such thing")];
        let sweep = sweep.reduce(Event::Heard(FromWorker::Failed { job: 1, variant: 4, problems }));
        assert_eq!(sweep.failed[0].message, "the run at a=2, b=y failed");
        assert!(!sweep.running);
    }
}
