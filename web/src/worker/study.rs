//! An experiment in the worker: what it runs, its repeats one by one, and its table at the end. Not
//! for running them: a job does.

use std::collections::BTreeMap;

use schedlab_report::{ExperimentReport, Expressions, Figures, VariantReport};
use schedlab_scenario::library::{self, Content};
use schedlab_scenario::{NamedVariant, Problem};

use crate::protocol::{Figure, LookAt, Plan, PlannedRun};

/// An experiment that was asked for, kept as long as it is the one.
pub(super) struct Study {
    name: String,
    content: Content,
    expressions: Expressions,
}

impl Study {
    /// The experiment of that name.
    pub(super) fn of(name: &str) -> Result<Self, Vec<Problem>> {
        let missing = || vec![Problem::error("", format!("there is no experiment {name:?}"))];
        let content = library::experiment(name).ok_or_else(missing)?.content()?;
        let expressions = Expressions::of(&content).map_err(|error| told(&error))?;
        Ok(Self { name: name.to_owned(), content, expressions })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What it runs, reports and shows.
    pub(super) fn plan(&self) -> Result<Plan, Vec<Problem>> {
        let mut runs = Vec::new();
        for part in &self.content.parts {
            for index in 0..part.scenario.variant_count() {
                let variant = part.scenario.variant(index)?;
                let repeats = variant.scenario.run.repeats.max(1);
                runs.extend((0..repeats).map(|repeat| PlannedRun { part: part.name.clone(), variant: index, repeat }));
            }
        }
        let looks = self.content.looks.iter().map(|look| {
            let scenario = look.scenario(&self.content).map_err(|problem| vec![problem])?;
            let variant = scenario.variant_count().saturating_sub(1);
            Ok(LookAt { text: look.text.clone(), variant, document: scenario.to_json(), sought: (&look.sought).into() })
        });
        Ok(Plan {
            runs,
            parts: self.content.parts.iter().map(|part| part.name.clone()).collect(),
            reported: ExperimentReport { rows: self.reported(), must: Vec::new() },
            looks: looks.collect::<Result<_, Vec<Problem>>>()?,
        })
    }

    /// The table before anything has run.
    fn reported(&self) -> Vec<schedlab_report::ExperimentRow> {
        let row = |row: &library::Row| schedlab_report::ExperimentRow {
            label: row.label.clone(),
            unit: row.unit.to_owned(),
            reported: row.reported,
            simulated: None,
            sem: None,
            std: None,
        };
        self.content.rows.iter().map(row).collect()
    }

    /// The document of a part.
    pub(super) fn document(&self, part: &str) -> Result<String, Vec<Problem>> {
        Ok(self.part(part)?.scenario.to_json())
    }

    fn part(&self, name: &str) -> Result<&library::Part, Vec<Problem>> {
        let missing = || vec![Problem::error("", format!("the experiment has no part {name:?}"))];
        self.content.parts.iter().find(|part| part.name == name).ok_or_else(missing)
    }

    /// A variant of a part.
    pub(super) fn variant(&self, part: &str, index: usize) -> Result<NamedVariant, Vec<Problem>> {
        self.part(part)?.scenario.variant(index)
    }

    /// The figures of a run that the experiment asks for; `key` is the variant as `PART/VARIANT`.
    pub(super) fn read(&self, key: &str, report: &VariantReport) -> Result<Vec<(String, f64)>, Vec<Problem>> {
        let read = self.expressions.read(key, report).map_err(|error| told(&error))?;
        Ok(read.into_iter().collect())
    }

    /// The table and what must come out.
    pub(super) fn conclude(&self, figures: Vec<Figure>) -> Result<ExperimentReport, Vec<Problem>> {
        let mut all: Figures = BTreeMap::new();
        for Figure { variant, name, values } in figures {
            all.insert((variant, name), values);
        }
        self.expressions.report(&self.content, &all).map_err(|error| told(&error))
    }
}

fn told(error: &dyn std::error::Error) -> Vec<Problem> {
    vec![Problem::error("", error.to_string())]
}
