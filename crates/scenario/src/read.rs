//! Reading typed values from JSON: paths, places, ranges and unknown keys in one home.
//! Not for any particular part of a document.

use std::ops::RangeInclusive;

use crate::json::{Kind, Value};
use crate::path::{key_text, numbers};
use crate::problem::{Place, Problem, Severity, enough, nearest_name};

/// Beyond this many problems no nearest names are looked up: the document is something else.
const MOST_SUGGESTIONS: usize = 200;

/// A value of a document that knows its path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'v> {
    pub value: &'v Value,
    step: Step<'v>,
    parent: Option<&'v Node<'v>>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'v> {
    Root,
    /// A key, its number among equal keys if there are several, and the place of the key.
    Key(&'v str, Option<usize>, (u32, u32)),
    Index(usize),
}

impl<'v> Node<'v> {
    /// The whole document.
    pub fn root(value: &'v Value) -> Self {
        Self { value, step: Step::Root, parent: None }
    }

    /// The path, in the syntax of `--set`.
    pub fn path(&self) -> String {
        let above = self.parent.map_or_else(String::new, Node::path);
        match self.step {
            Step::Root => above,
            Step::Index(index) => format!("{above}[{index}]"),
            Step::Key(key, number, _) => {
                let dot = if above.is_empty() { "" } else { "." };
                let number = number.map_or_else(String::new, |number| format!("[{number}]"));
                format!("{above}{dot}{}{number}", key_text(key))
            }
        }
    }

    /// The key it stands under; empty for others.
    pub fn key(&self) -> &'v str {
        match self.step {
            Step::Key(key, ..) => key,
            _ => "",
        }
    }

    /// An error at the value.
    pub fn error(&self, message: impl Into<String>) -> Problem {
        Problem {
            place: Place { path: self.path(), line: self.value.line, column: self.value.column },
            severity: Severity::Error,
            message: message.into(),
            suggestion: None,
        }
    }

    /// A notice at the key, or at the value where there is no key.
    pub fn notice(&self, message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Notice, ..self.key_error(message) }
    }

    /// An error at the key.
    pub fn key_error(&self, message: impl Into<String>) -> Problem {
        let mut problem = self.error(message);
        if let Step::Key(_, _, (line, column)) = self.step {
            (problem.place.line, problem.place.column) = (line, column);
        }
        problem
    }

    fn expected<T>(&self, what: &str, out: &mut Vec<Problem>) -> Option<T> {
        out.push(self.error(format!("expected {what}, not {}", self.value.describe())));
        None
    }

    /// The members of an object; a problem for anything else.
    pub fn members(&'v self, what: &str, out: &mut Vec<Problem>) -> Option<Vec<Node<'v>>> {
        let Kind::Object(members) = &self.value.kind else { return self.expected(what, out) };
        let numbers = numbers(members.iter().map(|member| member.key.as_str()));
        let nodes = members.iter().zip(numbers).map(|(member, number)| {
            let step = Step::Key(&member.key, number, (member.line, member.column));
            Node { value: &member.value, step, parent: Some(self) }
        });
        Some(nodes.collect())
    }

    /// The entries of a list; a problem for anything else.
    pub fn items(&'v self, what: &str, out: &mut Vec<Problem>) -> Option<Vec<Node<'v>>> {
        let Kind::List(items) = &self.value.kind else { return self.expected(what, out) };
        let nodes = items.iter().enumerate();
        Some(nodes.map(|(index, value)| Node { value, step: Step::Index(index), parent: Some(self) }).collect())
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.value.kind == Kind::Null
    }

    /// Its text, or a problem that says `what` was expected.
    pub fn string(&self, what: &str, out: &mut Vec<Problem>) -> Option<String> {
        match &self.value.kind {
            Kind::String(text) => Some(text.clone()),
            _ => self.expected(what, out),
        }
    }

    /// Whether it is true or false, or a problem.
    pub fn boolean(&self, out: &mut Vec<Problem>) -> Option<bool> {
        match self.value.kind {
            Kind::Bool(value) => Some(value),
            _ => self.expected("true or false", out),
        }
    }

    /// A whole number in a range; `what` names it with its unit: `a whole number of µs`.
    pub fn integer(&self, what: &str, range: RangeInclusive<i64>, out: &mut Vec<Problem>) -> Option<i64> {
        let (least, most) = (range.start(), range.end());
        match whole_number(self.value) {
            Some(number) if range.contains(&number) => Some(number),
            _ => self.expected(&format!("{what} from {least} to {most}"), out),
        }
    }

    /// The same for numbers that cannot be negative.
    pub fn unsigned(&self, what: &str, range: RangeInclusive<u64>, out: &mut Vec<Problem>) -> Option<u64> {
        let limit = |bound: u64| i64::try_from(bound).unwrap_or(i64::MAX);
        let number = self.integer(what, limit(*range.start())..=limit(*range.end()), out)?;
        u64::try_from(number).ok()
    }

    /// The same for numbers that fit 32 bits.
    pub fn unsigned32(&self, what: &str, range: RangeInclusive<u32>, out: &mut Vec<Problem>) -> Option<u32> {
        let number = self.unsigned(what, u64::from(*range.start())..=u64::from(*range.end()), out)?;
        u32::try_from(number).ok()
    }

    /// A number that need not be whole, in a range.
    pub fn real(&self, what: &str, range: RangeInclusive<f64>, out: &mut Vec<Problem>) -> Option<f64> {
        let number = match &self.value.kind {
            Kind::Number(text) => text.parse::<f64>().ok(),
            _ => None,
        };
        match number {
            Some(number) if range.contains(&number) => Some(number),
            _ => self.expected(&format!("{what} from {} to {}", range.start(), range.end()), out),
        }
    }

    /// One of several names.
    pub fn one_of<T: Copy>(&self, what: &str, names: &[(&str, T)], out: &mut Vec<Problem>) -> Option<T> {
        let text = self.string(what, out)?;
        if let Some((_, value)) = names.iter().find(|(name, _)| *name == text) {
            return Some(*value);
        }
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let problem = self.error(format!("\"{text}\" is no {what}; known: {}", known.join(", ")));
        out.push(problem.suggest(nearest_name(&text, known)));
        None
    }
}

/// A number without a fraction; `2e3` and `5.0` are whole too.
fn whole_number(value: &Value) -> Option<i64> {
    let Kind::Number(text) = &value.kind else { return None };
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    let number = text.parse::<f64>().ok()?;
    // Beyond 2^53 a floating-point number no longer says which whole number was meant.
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and below 2^53")]
    (number.fract() == 0.0 && number.abs() < 9e15 && text.contains(['.', 'e', 'E'])).then_some(number as i64)
}

/// The members of an object whose keys are fixed.
pub(crate) struct Fields<'v> {
    what: &'static str,
    members: Vec<Node<'v>>,
    asked: Vec<&'static str>,
}

impl<'v> Fields<'v> {
    /// Begins reading; a problem when the value is no object.
    pub fn of(node: &'v Node<'v>, what: &'static str, out: &mut Vec<Problem>) -> Option<Self> {
        Some(Self { what, members: node.members("an object", out)?, asked: Vec::new() })
    }

    /// The member of that key; null counts as absent, a repeated key is a problem.
    pub fn take(&mut self, key: &'static str, out: &mut Vec<Problem>) -> Option<Node<'v>> {
        self.asked.push(key);
        let mut found = None;
        self.members.retain(|member| {
            if member.key() != key {
                return true;
            }
            match found {
                None => found = Some(*member),
                Some(_) => out.push(member.key_error(format!("`{key}` is there twice"))),
            }
            false
        });
        found.filter(|node| !node.is_null())
    }

    /// Ends reading: what nobody asked for is unknown.
    pub fn finish(self, out: &mut Vec<Problem>) {
        for member in &self.members {
            if enough(out) {
                break;
            }
            unknown_key(member, self.what, self.asked.iter().copied(), out);
        }
    }
}

/// Tells of an unknown key, with the nearest known one.
pub(crate) fn unknown_key<'n>(
    node: &Node<'_>,
    what: &str,
    known: impl IntoIterator<Item = &'n str>,
    out: &mut Vec<Problem>,
) {
    let problem = node.key_error(format!("{what} has no key `{}`", node.key()));
    let near = near_key(node.key(), known, out);
    out.push(problem.suggest(near));
}

/// The nearest known name, as long as it is worth looking for.
pub(crate) fn near_key<'n>(key: &str, known: impl IntoIterator<Item = &'n str>, out: &[Problem]) -> Option<&'n str> {
    if out.len() < MOST_SUGGESTIONS { nearest_name(key, known) } else { None }
}
