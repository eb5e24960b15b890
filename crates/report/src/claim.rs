//! Arithmetic over the figures of variants, and claims that compare two such values: what lessons
//! and experiments say must come out. Not for running anything.
//!
//! `[6.12] tasks.hog.preempted > 2 * [6.5] tasks.hog.preempted`: in brackets the variant, after them
//! the name of a [`crate::Metric`], or a JSON pointer into the report where it begins with `/`.

use crate::metric::metrics;
use crate::variant::VariantReport;

/// What is wrong with a claim or an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// It does not read.
    #[error("{text:?}, character {place}: expected {expected}")]
    Syntax {
        /// The whole text.
        text: String,
        /// The character, counted from 1.
        place: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// A figure is not there.
    #[error("variant {variant:?} has no figure {figure:?}")]
    NoFigure {
        /// The variant.
        variant: String,
        /// The figure.
        figure: String,
    },
}

/// Arithmetic over figures: numbers, `[VARIANT] FIGURE`, `+ - * /`, brackets.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// A figure of a variant.
    Figure {
        /// The variant's name.
        variant: String,
        /// The figure's name.
        figure: String,
    },
    /// Two values, and what is done with them.
    Two(Box<Expression>, Operation, Box<Expression>),
}

/// What is done with two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Their sum.
    Add,
    /// Their difference.
    Subtract,
    /// Their product.
    Multiply,
    /// Their quotient.
    Divide,
}

/// A comparison of two expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The left side.
    pub left: Expression,
    /// How they compare.
    pub relation: Relation,
    /// The right side.
    pub right: Expression,
}

/// How two values of a claim compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`ClaimError::Syntax`] with the place.
    pub fn parse(text: &str) -> Result<Self, ClaimError> {
        let mut reader = Reader { text, rest: text };
        let value = reader.sum()?;
        if reader.peek().is_some() { Err(reader.error("an operator or the end")) } else { Ok(value) }
    }

    /// The figures that it names, as variant and name.
    pub fn figures(&self, found: &mut Vec<(String, String)>) {
        match self {
            Self::Number(_) => {}
            Self::Figure { variant, figure } => found.push((variant.clone(), figure.clone())),
            Self::Two(left, _, right) => {
                left.figures(found);
                right.figures(found);
            }
        }
    }

    /// Its value, with figures as `figure(variant, name)` has them.
    ///
    /// # Errors
    /// [`ClaimError::NoFigure`].
    pub fn value(&self, figure: &dyn Fn(&str, &str) -> Option<f64>) -> Result<f64, ClaimError> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Figure { variant, figure: name } => figure(variant, name)
                .ok_or_else(|| ClaimError::NoFigure { variant: variant.clone(), figure: name.clone() }),
            Self::Two(left, operation, right) => {
                let (left, right) = (left.value(figure)?, right.value(figure)?);
                Ok(match operation {
                    Operation::Add => left + right,
                    Operation::Subtract => left - right,
                    Operation::Multiply => left * right,
                    Operation::Divide => left / right,
                })
            }
        }
    }
}

impl Claim {
    /// Reads a claim.
    ///
    /// # Errors
    /// [`ClaimError::Syntax`] with the place.
    pub fn parse(text: &str) -> Result<Self, ClaimError> {
        let mut reader = Reader { text, rest: text };
        let left = reader.sum()?;
        let relations = [
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("<", Relation::Less),
            (">", Relation::Greater),
            ("=", Relation::Equal),
        ];
        reader.rest = reader.rest.trim_start();
        let Some((sign, relation)) = relations.into_iter().find(|(sign, _)| reader.rest.starts_with(sign)) else {
            return Err(reader.error("<, <=, >, >= or ="));
        };
        reader.rest = &reader.rest[sign.len()..];
        let right = reader.sum()?;
        if reader.peek().is_some() { Err(reader.error("the end")) } else { Ok(Self { left, relation, right }) }
    }
}

impl Relation {
    /// Whether two values compare so. What is no number compares to nothing.
    #[must_use]
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Greater => left > right,
            Self::AtLeast => left >= right,
            Self::Equal => left == right,
        }
    }
}

/// What a report's JSON leaves out where it is 0.
const LEFT_OUT: [&str; 5] =
    ["/cookie_mix_ns", "/placement/", "/work_conservation/", "/ran_before_preempted/", "/reasons/"];

/// A figure of a report by the name of a metric, or, where it begins with `/`, by its place in the
/// report's JSON.
#[must_use]
pub fn figure(report: &VariantReport, name: &str) -> Option<f64> {
    if !name.starts_with('/') {
        return metrics(report).into_iter().find(|metric| metric.name == name).map(|metric| metric.value);
    }
    let json = serde_json::to_value(report).ok()?;
    let left_out = || LEFT_OUT.iter().any(|place| name.contains(place)).then_some(0.0);
    json.pointer(name).map_or_else(left_out, serde_json::Value::as_f64)
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    fn error(&self, expected: &'static str) -> ClaimError {
        let place = self.text[..self.text.len() - self.rest.len()].chars().count() + 1;
        ClaimError::Syntax { text: self.text.to_owned(), place, expected }
    }

    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, operations: [(char, Operation); 2]) -> Option<Operation> {
        let next = self.peek()?;
        let (_, operation) = operations.into_iter().find(|(sign, _)| *sign == next)?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(operation)
    }

    fn sum(&mut self) -> Result<Expression, ClaimError> {
        let mut value = self.product()?;
        while let Some(operation) = self.take([('+', Operation::Add), ('-', Operation::Subtract)]) {
            value = Expression::Two(Box::new(value), operation, Box::new(self.product()?));
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Expression, ClaimError> {
        let mut value = self.factor()?;
        while let Some(operation) = self.take([('*', Operation::Multiply), ('/', Operation::Divide)]) {
            value = Expression::Two(Box::new(value), operation, Box::new(self.factor()?));
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<Expression, ClaimError> {
        match self.peek() {
            Some('(') => {
                self.rest = &self.rest[1..];
                let value = self.sum()?;
                if self.peek() != Some(')') {
                    return Err(self.error("`)`"));
                }
                self.rest = &self.rest[1..];
                Ok(value)
            }
            Some('[') => {
                let Some(end) = self.rest.find(']') else { return Err(self.error("a variant in [ ]")) };
                let variant = self.rest[1..end].to_owned();
                self.rest = self.rest[end + 1..].trim_start();
                let figure = self.word(|character| !character.is_whitespace() && !")<>=".contains(character));
                if figure.is_empty() {
                    return Err(self.error("the name of a figure"));
                }
                Ok(Expression::Figure { variant, figure })
            }
            _ => {
                let before = self.rest;
                let number = self.word(|character| character.is_ascii_digit() || character == '.');
                number.parse().map(Expression::Number).map_err(|_| {
                    self.rest = before;
                    self.error("a number, `[VARIANT] FIGURE` or `(`")
                })
            }
        }
    }

    fn word(&mut self, part: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|character| !part(character)).unwrap_or(self.rest.len());
        let word = self.rest[..end].to_owned();
        self.rest = &self.rest[end..];
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{run, subject};
    use crate::summarize;

    fn value(text: &str) -> f64 {
        let figure = |variant: &str, name: &str| match (variant, name) {
            ("old", "x") => Some(6.0),
            ("a new one", "x") => Some(3.0),
            _ => None,
        };
        Expression::parse(text).and_then(|expression| expression.value(&figure)).expect(text)
    }

    #[test]
    fn products_come_before_sums_and_equals_go_from_the_left() {
        assert_eq!(value("100 * [a new one] x / [old] x - 100"), -50.0);
        assert_eq!(value("10 - 2 - 3 * (1 + 1)"), 2.0);
        assert_eq!(value("([old] x)"), 6.0);
    }

    #[test]
    fn claims_compare() {
        let claim = Claim::parse("[6.12] tasks.a.preempted >= 2 * [6.5] tasks.a.preempted").expect("it reads");
        assert_eq!(claim.relation, Relation::AtLeast);
        assert!(claim.relation.holds(2.0, 2.0) && !claim.relation.holds(1.0, 2.0));
        assert!(!Relation::Less.holds(f64::NAN, 1.0));
    }

    #[test]
    fn errors_say_where() {
        for (text, place) in
            [("1 < ", 5), ("[a x < 1", 1), ("[a] < 1", 5), ("1 2 < 3", 3), ("(1 < 2", 4), ("1 < 2 x", 7)]
        {
            match Claim::parse(text) {
                Err(ClaimError::Syntax { place: found, .. }) => assert_eq!(found, place, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn figures_are_metrics_or_places_in_the_report() {
        let report = summarize(&subject(), &[run(1_000)]);
        assert_eq!(figure(&report, "counters.sched_count"), Some(9.0));
        assert_eq!(figure(&report, "/cpus/0/idle_ns"), Some(6_000_000.0));
        assert_eq!(figure(&report, "/tasks/0/ran_before_preempted/1024"), Some(1.0));
        assert_eq!(figure(&report, "/tasks/0/ran_before_preempted/2048"), Some(0.0));
        assert_eq!(figure(&report, "/cookie_mix_ns"), Some(0.0));
        assert_eq!((figure(&report, "nothing"), figure(&report, "/nothing")), (None, None));
    }
}
