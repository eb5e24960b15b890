//! An experiment's table and claims from the figures of its runs. Not for running, nor for printing.

use std::collections::{BTreeMap, BTreeSet};

use schedlab_scenario::library::Content;
use serde::{Deserialize, Serialize};

use crate::claim::{Claim, ClaimError, Expression, figure};
use crate::variant::VariantReport;

/// The expressions of an experiment, read.
#[derive(Clone, Debug)]
pub struct Expressions {
    rows: Vec<Option<Expression>>,
    claims: Vec<Claim>,
}

/// Figures of runs: by variant (`PART/VARIANT`) and name, one a repeat.
pub type Figures = BTreeMap<(String, String), Vec<f64>>;

/// What came of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExperimentReport {
    /// The table.
    pub rows: Vec<ExperimentRow>,
    /// What must come out.
    pub must: Vec<MustRow>,
}

/// A row: reported beside simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentRow {
    /// What it is.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// The reported figure.
    pub reported: Option<f64>,
    /// The mean over repeats, each with its own seed; none: not simulated, or not a number.
    pub simulated: Option<f64>,
    /// Its standard error; none with one repeat.
    pub sem: Option<f64>,
    /// The standard deviation over repeats.
    pub std: Option<f64>,
}

/// A line that must come out, with the means over repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MustRow {
    /// In words.
    pub text: String,
    /// As a comparison.
    pub claim: String,
    /// The left value.
    pub left: f64,
    /// The right value.
    pub right: f64,
    /// In how many repeats it held by itself.
    pub held_in: usize,
    /// How many repeats there were.
    pub repeats: usize,
    /// Whether it holds for the means.
    pub holds: bool,
}

impl Expressions {
    /// Reads the expressions of an experiment.
    ///
    /// # Errors
    /// [`ClaimError::Syntax`]; the tests see that there is none.
    pub fn of(content: &Content) -> Result<Self, ClaimError> {
        let row = |text: &str| if text.is_empty() { Ok(None) } else { Expression::parse(text).map(Some) };
        Ok(Self {
            rows: content.rows.iter().map(|row_of| row(&row_of.simulated)).collect::<Result<_, _>>()?,
            claims: content.must.iter().map(|must| Claim::parse(&must.claim)).collect::<Result<_, _>>()?,
        })
    }

    /// The figures that one variant (`PART/VARIANT`) must give.
    #[must_use]
    pub fn figures_of(&self, variant: &str) -> BTreeSet<String> {
        let mut all = Vec::new();
        self.rows.iter().flatten().for_each(|row| row.figures(&mut all));
        for claim in &self.claims {
            claim.left.figures(&mut all);
            claim.right.figures(&mut all);
        }
        all.into_iter().filter(|(of, _)| of == variant).map(|(_, name)| name).collect()
    }

    /// These figures of one run's report.
    ///
    /// # Errors
    /// [`ClaimError::NoFigure`].
    pub fn read(&self, variant: &str, report: &VariantReport) -> Result<BTreeMap<String, f64>, ClaimError> {
        let read = |name: String| match figure(report, &name) {
            Some(value) => Ok((name, value)),
            None => Err(ClaimError::NoFigure { variant: variant.to_owned(), figure: name }),
        };
        self.figures_of(variant).into_iter().map(read).collect()
    }

    /// The table and the claims. Expressions are worked out repeat by repeat, then the mean is taken.
    ///
    /// # Errors
    /// [`ClaimError::NoFigure`].
    pub fn report(&self, content: &Content, figures: &Figures) -> Result<ExperimentReport, ClaimError> {
        let each = |expression: &Expression| {
            let mut named = Vec::new();
            expression.figures(&mut named);
            let repeats = named.iter().filter_map(|key| figures.get(key)).map(Vec::len).min().unwrap_or(1);
            let value = |repeat: usize| {
                expression.value(&|variant: &str, name: &str| {
                    figures.get(&(variant.to_owned(), name.to_owned()))?.get(repeat).copied()
                })
            };
            (0..repeats).map(value).collect::<Result<Vec<f64>, _>>()
        };
        let mut report = ExperimentReport { rows: Vec::new(), must: Vec::new() };
        for (row, expression) in content.rows.iter().zip(&self.rows) {
            let values = expression.as_ref().map(each).transpose()?.unwrap_or_default();
            let (simulated, std, sem) = spread(&values);
            let (label, unit, reported) = (row.label.clone(), row.unit.to_owned(), row.reported);
            report.rows.push(ExperimentRow { label, unit, reported, simulated, sem, std });
        }
        for (must, claim) in content.must.iter().zip(&self.claims) {
            let (left, right) = (each(&claim.left)?, each(&claim.right)?);
            let repeats = left.len().max(right.len());
            // A side without figures has one value.
            let at = |side: &[f64], repeat: usize| side.get(repeat).or(side.last()).copied().unwrap_or(f64::NAN);
            let held_in =
                (0..repeats).filter(|&repeat| claim.relation.holds(at(&left, repeat), at(&right, repeat))).count();
            let (left, right) = (mean(&left), mean(&right));
            let (text, holds) = (must.text.clone(), claim.relation.holds(left, right));
            report.must.push(MustRow { text, claim: must.claim.clone(), left, right, held_in, repeats, holds });
        }
        Ok(report)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean, standard deviation and standard error.
fn spread(values: &[f64]) -> (Option<f64>, Option<f64>, Option<f64>) {
    let middle = Some(mean(values)).filter(|mean| mean.is_finite());
    let (Some(middle), true) = (middle, values.len() > 1) else { return (middle, None, None) };
    let squares: f64 = values.iter().map(|value| (value - middle) * (value - middle)).sum();
    let std = (squares / (values.len() - 1) as f64).sqrt();
    (Some(middle), Some(std), Some(std / (values.len() as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_scenario::library::{self, Must, Row};

    fn content(simulated: &str, claim: &str) -> Content {
        let row = Row { label: "change".to_owned(), unit: "%", reported: Some(-40.0), simulated: simulated.to_owned() };
        let must = Must { text: "it falls".to_owned(), claim: claim.to_owned() };
        Content { rows: vec![row], must: vec![must], ..Content::default() }
    }

    #[test]
    fn expressions_are_worked_out_repeat_by_repeat() {
        let content = content("100 * [p/new] x / [p/old] x - 100", "[p/new] x < [p/old] x");
        let expressions = Expressions::of(&content).expect("they read");
        assert_eq!(expressions.figures_of("p/new"), BTreeSet::from(["x".to_owned()]));
        let key = |variant: &str| (variant.to_owned(), "x".to_owned());
        let figures = Figures::from([(key("p/old"), vec![10.0, 20.0, 10.0]), (key("p/new"), vec![5.0, 10.0, 12.0])]);
        let report = expressions.report(&content, &figures).expect("all figures are there");
        // -50, -50 and 20 %.
        let row = &report.rows[0];
        assert!(row.simulated.is_some_and(|mean| (mean + 80.0 / 3.0).abs() < 1e-9));
        assert!(row.sem.is_some_and(|sem| (sem - 70.0 / 3.0).abs() < 1e-9));
        let must = &report.must[0];
        assert_eq!((must.holds, must.held_in, must.repeats), (true, 2, 3));
    }

    #[test]
    fn a_missing_figure_is_named() {
        let content = content("[p/new] x", "[p/new] x < 1");
        let expressions = Expressions::of(&content).expect("they read");
        let error = expressions.report(&content, &Figures::new()).expect_err("there are no figures");
        assert_eq!(error.to_string(), "variant \"p/new\" has no figure \"x\"");
    }

    #[test]
    fn the_expressions_of_all_experiments_read_and_name_their_variants() {
        for experiment in library::experiments() {
            let content = experiment.content().expect(experiment.name);
            let expressions = Expressions::of(&content).unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
            let mut named = Vec::new();
            expressions.rows.iter().flatten().for_each(|row| row.figures(&mut named));
            for claim in &expressions.claims {
                claim.left.figures(&mut named);
                claim.right.figures(&mut named);
            }
            let mut known = BTreeSet::new();
            for part in &content.parts {
                for index in 0..part.scenario.variant_count() {
                    let variant = part.scenario.variant(index).expect(experiment.name);
                    known.insert(format!("{}/{}", part.name, variant.name));
                }
            }
            for (variant, _) in named {
                assert!(known.contains(&variant), "{}: {variant:?}", experiment.name);
            }
        }
    }
}
