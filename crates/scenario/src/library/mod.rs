//! The library: known benchmarks as workloads with parameters, published results as experiments, and
//! short lessons of one concept each. Not for running them: a scenario is what comes out.
//!
//! ```
//! use schedlab_scenario::library;
//!
//! let entries = library::entries();
//! let lesson = entries.iter().find(|entry| entry.kind == library::Kind::Lesson).ok_or("no lesson")?;
//! assert!(!lesson.title.is_empty());
//! let scenario = lesson.scenario().map_err(|problems| problems[0].to_string())?;
//! assert_eq!(scenario.title, lesson.title);
//!
//! // A workload takes parameters.
//! let hackbench = library::workload("hackbench").ok_or("no hackbench")?;
//! let scenario = hackbench.scenario(&[("groups", "2"), ("fds", "4")]).map_err(|problem| problem.to_string())?;
//! assert_eq!(scenario.workload.tasks.iter().map(|task| task.instances).sum::<u32>(), 16);
//! # Ok::<(), String>(())
//! ```

mod build;
mod experiments;
mod lessons;
mod look;
mod parameter;
mod recipe;
mod workloads;

pub use experiments::{Content, Experiment, Must, Part, Row, experiment, experiments};
pub use lessons::{Lesson, lesson, lessons};
pub use look::{Look, Sought};
pub use parameter::{Parameter, ParameterKind};
pub use recipe::Recipe;
pub use workloads::{workload, workloads};

use crate::document::Scenario;
use crate::problem::Problem;

/// What an entry of the library is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A benchmark or program, with its default parameters.
    Workload,
    /// A published result to stand beside.
    Experiment,
    /// One concept in a short scenario.
    Lesson,
}

impl Kind {
    /// Its name: "workload", "experiment", "lesson".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workload => "workload",
            Self::Experiment => "experiment",
            Self::Lesson => "lesson",
        }
    }
}

/// An entry of the library: what a gallery shows. Its scenario is built when it is asked for.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name, for the command line and for links: small letters, digits, `-` and `_`. No two
    /// entries of a kind have the same.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// A title.
    pub title: String,
    /// A few sentences of plain text.
    pub text: String,
}

impl Entry {
    /// Its scenario: that of a workload with default parameters, of an experiment the first part.
    ///
    /// # Errors
    /// The problems of a document of the library; the tests see that there are none.
    pub fn scenario(&self) -> Result<Scenario, Vec<Problem>> {
        let missing = || vec![Problem::error("", format!("the library has no {} {}", self.kind.name(), self.name))];
        match self.kind {
            Kind::Workload => workload(self.name).ok_or_else(missing)?.scenario(&[]).map_err(|problem| vec![problem]),
            Kind::Experiment => {
                let content = experiment(self.name).ok_or_else(missing)?.content()?;
                content.parts.into_iter().next().map(|part| part.scenario).ok_or_else(missing)
            }
            Kind::Lesson => lesson(self.name).ok_or_else(missing)?.scenario(),
        }
    }
}

impl Entry {
    /// The switch that shows best what a lesson is about: which variant of its scenario, and the
    /// switch. Other entries have none.
    #[must_use]
    pub fn switch(&self) -> Option<(usize, Sought)> {
        let lesson = lesson(self.name).filter(|_| self.kind == Kind::Lesson)?;
        let (wanted, sought) = lesson.switch.clone()?;
        let scenario = lesson.scenario().ok()?;
        let is_it = |index: &usize| scenario.variant(*index).is_ok_and(|variant| variant.name == wanted);
        Some(((0..scenario.variant_count()).find(is_it)?, sought))
    }
}

/// All entries: lessons first, then experiments, then workloads, each in the order of a course.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let lessons = lessons().into_iter().map(|lesson| Entry {
        name: lesson.name,
        kind: Kind::Lesson,
        title: lesson.title.clone(),
        text: lesson.text(),
    });
    let workloads = workloads().iter().map(|recipe| Entry {
        name: recipe.name,
        kind: Kind::Workload,
        title: recipe.title.to_owned(),
        text: recipe.text.to_owned(),
    });
    let experiments = experiments().iter().map(|experiment| Entry {
        name: experiment.name,
        kind: Kind::Experiment,
        title: experiment.title.to_owned(),
        text: format!("{}\n\nReported: {}. {}.", experiment.text, experiment.source(), experiment.setup()),
    });
    lessons.chain(experiments).chain(workloads).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_opens_and_names_are_unique() {
        let entries = entries();
        for (place, entry) in entries.iter().enumerate() {
            assert!(entries[..place].iter().all(|other| other.name != entry.name || other.kind != entry.kind));
            let plain = |character: char| {
                character.is_ascii_lowercase() || character.is_ascii_digit() || "-_".contains(character)
            };
            assert!(entry.name.chars().all(plain), "{}", entry.name);
            assert!(!entry.title.is_empty() && entry.text.len() > 80, "{}", entry.name);
            let scenario = entry.scenario().expect(entry.name);
            assert!(!scenario.workload.tasks.is_empty(), "{}", entry.name);
        }
        assert!(entries.len() > 50);
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        let recipe = workload("hackbench").expect("it is there");
        for (given, expected) in [
            (vec![("groop", "1")], "there is no parameter \"groop\""),
            (vec![("groups", "0")], "expected 1 to 64, not \"0\""),
            (vec![("over", "tcp")], "expected socket, pipe, not \"tcp\""),
            (vec![("fds", "1"), ("fds", "2")], "the parameter \"fds\" is there twice"),
        ] {
            let problem = recipe.scenario(&given).expect_err(expected);
            assert!(problem.message.starts_with(expected), "{problem}");
        }
        let hogs = workload("hogs").expect("it is there");
        let load = |text| hogs.scenario(&[("copies", text)]).map(|scenario| scenario.workload.tasks[0].instances);
        assert_eq!((load("75%"), load("3")), (Ok(6), Ok(3)));
        assert!(load("24%").is_err() && load("201%").is_err());
    }
}
