//! The experiments: results that people published, scenarios that model their set-ups, and what must
//! come out. Reported figures are data, in `experiments/`; nothing is adjusted to them. Not for
//! running: the command does that, and `schedlab-report` works out the expressions.

mod core_scheduling;
mod eevdf_series;
mod mysql;
mod preempt_short;
mod respect_slice;
mod spec_2x;

use crate::document::{Scenario, Variant};
use crate::json;
use crate::problem::Problem;

use super::look::{Look, Sought};

/// An experiment, before its scenarios are made.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What is modelled, why the scheduler does that, and what was found.
    pub text: &'static str,
    /// The reported figures, with `source` and `setup`.
    reported: &'static str,
    /// Makes its parts, rows and claims from the reported figures.
    make: fn(&serde_json::Value) -> Result<Content, Vec<Problem>>,
}

/// What an experiment runs, prints and claims.
///
/// Expressions name a figure as `[PART/VARIANT] FIGURE`.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// The scenarios.
    pub parts: Vec<Part>,
    /// The table: reported beside simulated.
    pub rows: Vec<Row>,
    /// What must come out.
    pub must: Vec<Must>,
    /// Where to see why.
    pub looks: Vec<Look>,
}

/// A scenario of an experiment.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The scenario; its variants are what the report compares.
    pub scenario: Scenario,
}

/// A row of an experiment's table.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is.
    pub label: String,
    /// Its unit.
    pub unit: &'static str,
    /// The reported figure, if there is one.
    pub reported: Option<f64>,
    /// The expression of the simulated figure.
    pub simulated: String,
}

/// A line that must come out.
#[derive(Clone, Debug)]
pub struct Must {
    /// In words.
    pub text: String,
    /// The comparison.
    pub claim: String,
}

impl Experiment {
    /// Where the reported figures come from.
    #[must_use]
    pub fn source(&self) -> String {
        self.told("source")
    }

    /// What was measured, and on what.
    #[must_use]
    pub fn setup(&self) -> String {
        self.told("setup")
    }

    fn told(&self, key: &str) -> String {
        self.data()[key].as_str().unwrap_or_default().to_owned()
    }

    fn data(&self) -> serde_json::Value {
        serde_json::from_str(self.reported).unwrap_or_default()
    }

    /// Its scenarios, rows and claims.
    ///
    /// # Errors
    /// The problems of a scenario; the tests see that there are none.
    pub fn content(&self) -> Result<Content, Vec<Problem>> {
        let mut content = (self.make)(&self.data())?;
        for part in &mut content.parts {
            part.scenario.title = format!("{}: {}", self.title, part.name);
            self.text.clone_into(&mut part.scenario.notes);
        }
        Ok(content)
    }
}

impl Content {
    fn row(&mut self, label: impl Into<String>, unit: &'static str, reported: Option<f64>, simulated: String) {
        self.rows.push(Row { label: label.into(), unit, reported, simulated });
    }

    fn must(&mut self, text: impl Into<String>, claim: String) {
        self.must.push(Must { text: text.into(), claim });
    }

    fn look(&mut self, part: &str, variant: &str, sought: Sought, text: &str) {
        let (part, variant, text) = (part.to_owned(), variant.to_owned(), text.to_owned());
        self.looks.push(Look { text, part, variant, sought });
    }

    fn part(&mut self, name: impl Into<String>, scenario: Scenario) {
        self.parts.push(Part { name: name.into(), scenario });
    }
}

/// All experiments.
#[must_use]
pub fn experiments() -> &'static [Experiment] {
    &ALL
}

/// The experiment of that name.
#[must_use]
pub fn experiment(name: &str) -> Option<Experiment> {
    ALL.iter().find(|experiment| experiment.name == name).copied()
}

static ALL: [Experiment; 6] = [
    spec_2x::EXPERIMENT,
    preempt_short::EXPERIMENT,
    respect_slice::EXPERIMENT,
    mysql::EXPERIMENT,
    core_scheduling::EXPERIMENT,
    eevdf_series::EXPERIMENT,
];

/// A scenario from the text of its document.
fn document(text: &str) -> Result<Scenario, Vec<Problem>> {
    crate::open(text).map(|opened| opened.scenario)
}

/// A variant by the text of its changes.
fn variant(name: &str, changes: &str) -> Result<Variant, Vec<Problem>> {
    let patch = json::parse(changes).map_err(|problem| vec![*problem])?;
    Ok(Variant { name: Some(name.to_owned()), patch: patch.without_places() })
}

/// The workload of the library with these parameters.
fn workload(name: &str, given: &[(&str, &str)]) -> Result<Scenario, Vec<Problem>> {
    let missing = || vec![Problem::error(name, "the library has no such workload")];
    let recipe = super::workload(name).ok_or_else(missing)?;
    recipe.scenario(given).map_err(|problem| vec![problem])
}

/// The change of a figure from one variant to another, per cent.
fn change(from: &str, to: &str, figure: &str) -> String {
    format!("100 * [{to}] {figure} / [{from}] {figure} - 100")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_has_a_source_rows_and_claims_and_can_run() {
        for experiment in experiments() {
            let name = experiment.name;
            assert!(experiment.source().contains("LKML"), "{name}");
            assert!(!experiment.setup().is_empty(), "{name}");
            let content = experiment.content().expect(name);
            assert!(!content.rows.is_empty() && !content.must.is_empty(), "{name}");
            assert!(content.rows.iter().any(|row| row.reported.is_some()), "{name} stands beside nothing");
            for part in &content.parts {
                let text = part.scenario.to_json();
                assert_eq!(crate::open(&text).expect(name).scenario, part.scenario, "{name}, {}", part.name);
                assert!(part.scenario.variants.len() > 1, "{name}, {}", part.name);
            }
        }
    }
}
