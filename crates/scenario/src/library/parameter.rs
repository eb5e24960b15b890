//! Parameters of workloads: what they may be, and reading them from text.

use crate::problem::{Problem, nearest_name};

/// A parameter of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub text: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// What it is when nothing is said, as [`Parameter`]s are written.
    pub default: &'static str,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Number {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
        /// What it counts, such as `µs`.
        unit: &'static str,
    },
    /// A count from 1, or a share of the CPUs from `25%` to `200%`.
    Load {
        /// The most, as a count.
        most: u64,
    },
    /// One of these.
    Choice(&'static [&'static str]),
}

/// The least and the most share of the CPUs, per cent.
const SHARES: std::ops::RangeInclusive<u64> = 25..=200;

/// A value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Number(u64),
    Share(u64),
    Choice(&'static str),
}

/// The values of all parameters of a workload.
pub(super) struct Values(Vec<(&'static str, Given)>);

impl Parameter {
    /// A whole number.
    pub(super) const fn number(
        name: &'static str,
        text: &'static str,
        (least, most): (u64, u64),
        unit: &'static str,
        default: &'static str,
    ) -> Self {
        Self { name, text, kind: ParameterKind::Number { least, most, unit }, default }
    }

    /// A count or a share of the CPUs.
    pub(super) const fn load(name: &'static str, text: &'static str, most: u64, default: &'static str) -> Self {
        Self { name, text, kind: ParameterKind::Load { most }, default }
    }

    /// One of several.
    pub(super) const fn choice(name: &'static str, text: &'static str, choices: &'static [&'static str]) -> Self {
        let default = match choices {
            [first, ..] => first,
            [] => "",
        };
        Self { name, text, kind: ParameterKind::Choice(choices), default }
    }

    /// What it may be, in words: `1 to 64 µs`.
    #[must_use]
    pub fn range(&self) -> String {
        match self.kind {
            ParameterKind::Number { least, most, unit } => format!("{least} to {most} {unit}").trim_end().to_owned(),
            ParameterKind::Load { most } => {
                format!("1 to {most}, or {} % to {} % of the CPUs", SHARES.start(), SHARES.end())
            }
            ParameterKind::Choice(choices) => choices.join(", "),
        }
    }

    fn read(&self, text: &str) -> Option<Given> {
        match self.kind {
            ParameterKind::Number { least, most, .. } => {
                text.parse().ok().filter(|number| (least..=most).contains(number)).map(Given::Number)
            }
            ParameterKind::Load { most } => match text.strip_suffix('%') {
                Some(share) => share.trim().parse().ok().filter(|share| SHARES.contains(share)).map(Given::Share),
                None => text.parse().ok().filter(|number| (1..=most).contains(number)).map(Given::Number),
            },
            ParameterKind::Choice(choices) => {
                choices.iter().find(|choice| **choice == text).map(|choice| Given::Choice(choice))
            }
        }
    }
}

impl Values {
    /// The given values, and the defaults of the rest.
    ///
    /// # Errors
    /// A parameter that is not known, is there twice, or is out of its range.
    pub(super) fn of(parameters: &[Parameter], given: &[(&str, &str)]) -> Result<Self, Problem> {
        for (place, (name, _)) in given.iter().enumerate() {
            let known = || parameters.iter().map(|parameter| parameter.name);
            if !known().any(|other| other == *name) {
                let names: Vec<_> = known().collect();
                let problem =
                    Problem::error(*name, format!("there is no parameter {name:?}; expected {}", names.join(", ")));
                return Err(problem.suggest(nearest_name(name, known())));
            }
            if given[..place].iter().any(|(other, _)| other == name) {
                return Err(Problem::error(*name, format!("the parameter {name:?} is there twice")));
            }
        }
        let value = |parameter: &Parameter| {
            let text =
                given.iter().find(|(name, _)| *name == parameter.name).map_or(parameter.default, |(_, text)| text);
            parameter
                .read(text)
                .map(|value| (parameter.name, value))
                .ok_or_else(|| Problem::error(parameter.name, format!("expected {}, not {text:?}", parameter.range())))
        };
        parameters.iter().map(value).collect::<Result<_, _>>().map(Self)
    }

    fn get(&self, name: &str) -> Option<Given> {
        debug_assert!(self.0.iter().any(|(known, _)| *known == name), "no parameter {name}");
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// A number.
    pub(super) fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Given::Number(number) | Given::Share(number)) => number,
            _ => 0,
        }
    }

    /// A number that counts tasks or CPUs.
    pub(super) fn count(&self, name: &str) -> u32 {
        u32::try_from(self.number(name)).unwrap_or(u32::MAX)
    }

    /// A load: the count, or its share of so many CPUs, at least 1.
    pub(super) fn load(&self, name: &str, cpus: u32) -> u32 {
        match self.get(name) {
            Some(Given::Share(share)) => u32::try_from(u64::from(cpus) * share / 100).unwrap_or(u32::MAX).max(1),
            _ => self.count(name),
        }
    }

    /// A choice.
    pub(super) fn choice(&self, name: &str) -> &'static str {
        match self.get(name) {
            Some(Given::Choice(choice)) => choice,
            _ => "",
        }
    }
}
