//! What can be wrong or odd in a document, with its place and what was expected.
//! Not for finding problems: the readers and checks do that.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::Value;
use crate::path::Path;

/// At most this many problems of one document are told; the rest is counted.
const MOST_TOLD: usize = 50;

/// Beyond this many problems, the last an error, readers stop: the document is something else.
const MOST_FOUND: usize = 1000;

/// A place in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The path, in the syntax of `--set`; empty: the document as a whole.
    pub path: String,
    /// The line, counted from 1; 0: there is no text behind the path.
    pub line: u32,
    /// The column in characters, counted from 1; 0: there is no text behind the path.
    pub column: u32,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// The document cannot run.
    Error,
    /// The document runs, but something in it has no effect or not the usual one.
    Notice,
}

/// Something wrong or odd in a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// How bad.
    pub severity: Severity,
    /// What, in plain words.
    pub message: String,
    /// The nearest known name, where a name was not known.
    pub suggestion: Option<String>,
}

impl Problem {
    /// An error at a path; [`crate::open`] adds line and column.
    #[must_use]
    pub fn error(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: Place { path: path.into(), line: 0, column: 0 },
            severity: Severity::Error,
            message: message.into(),
            suggestion: None,
        }
    }

    /// A notice at a path; [`crate::open`] adds line and column.
    #[must_use]
    pub fn notice(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Notice, ..Self::error(path, message) }
    }

    /// The same problem with a suggested name.
    #[must_use]
    pub fn suggest(self, suggestion: Option<&str>) -> Self {
        Self { suggestion: suggestion.map(str::to_owned), ..self }
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Fills in line and column from the text behind `root`, where the problem has none yet: those
    /// of its path, or of the nearest part of the path that the document has.
    pub(crate) fn locate(&mut self, root: &Value) {
        if self.place.line > 0 {
            return;
        }
        let nearest = Path::parse(&self.place.path).map_or(root, |path| path.nearest(root));
        self.place.line = nearest.line;
        self.place.column = nearest.column;
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { path, line, column } = &self.place;
        match (path.is_empty(), *line) {
            (true, 0) => {}
            (true, _) => write!(f, "line {line}, column {column}: ")?,
            (false, 0) => write!(f, "{path}: ")?,
            (false, _) => write!(f, "{path} (line {line}, column {column}): ")?,
        }
        f.write_str(&self.message)?;
        if let Some(suggestion) = &self.suggestion {
            write!(f, "; did you mean `{suggestion}`?")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// The known name that is nearest to `name`, if one is near enough to be meant.
pub(crate) fn nearest_name<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A name far longer than any known one is not worth the quadratic comparison.
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase();
    let length = name.chars().count();
    // One that begins like the other is near however much longer it is: `duration`, `duration_ms`.
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let begins =
            length >= 4 && candidate.len() >= 4 && (candidate.starts_with(&lower) || lower.starts_with(&candidate));
        if begins { 1 } else { strsim::damerau_levenshtein(&lower, &candidate) }
    };
    let best = known.into_iter().map(|candidate| (distance(candidate), candidate)).min_by_key(|&(d, _)| d)?;
    (best.0 <= (length / 3).max(1)).then_some(best.1)
}

/// Splits what was found: notices when nothing is wrong, otherwise the errors only; the first
/// [`MOST_TOLD`] of either.
pub(crate) fn verdict(found: Vec<Problem>) -> Result<Vec<Problem>, Vec<Problem>> {
    let (errors, notices): (Vec<Problem>, Vec<Problem>) = found.into_iter().partition(Problem::is_error);
    if errors.is_empty() { Ok(the_first(notices)) } else { Err(the_first(errors)) }
}

fn the_first(mut problems: Vec<Problem>) -> Vec<Problem> {
    if problems.len() > MOST_TOLD {
        let rest = problems.len() - MOST_TOLD;
        let severity = problems[0].severity;
        let what = if severity == Severity::Error { "errors" } else { "notices" };
        let rest = if problems.len() < MOST_FOUND { rest.to_string() } else { "many".to_owned() };
        problems.truncate(MOST_TOLD);
        problems.push(Problem { severity, ..Problem::error("", format!("and {rest} more {what}")) });
    }
    problems
}

/// Whether enough is wrong for readers to stop.
pub(crate) fn enough(found: &[Problem]) -> bool {
    found.len() >= MOST_FOUND && found.last().is_some_and(Problem::is_error)
}

/// Sorts by place in the text; what has no place comes last.
pub(crate) fn sort_by_place(problems: &mut [Problem]) {
    problems.sort_by_key(|problem| (problem.place.line == 0, problem.place.line, problem.place.column));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_says_place_message_and_suggestion() {
        let mut problem = Problem::error("tasks.a.slep", "unknown event").suggest(Some("sleep"));
        assert_eq!(problem.to_string(), "tasks.a.slep: unknown event; did you mean `sleep`?");
        (problem.place.line, problem.place.column) = (3, 7);
        assert_eq!(problem.to_string(), "tasks.a.slep (line 3, column 7): unknown event; did you mean `sleep`?");
        assert_eq!(Problem::error("", "the file is empty").to_string(), "the file is empty");
    }

    #[test]
    fn the_nearest_name_must_be_near() {
        let known = ["run", "runtime", "sleep", "timer"];
        assert_eq!(nearest_name("slepe", known), Some("sleep"));
        assert_eq!(nearest_name("TIMER", known), Some("timer"));
        assert_eq!(nearest_name("frequency", known), None);
        assert_eq!(nearest_name("duration", ["durable", "duration_ms"]), Some("duration_ms"));
        assert_eq!(nearest_name(&"x".repeat(10_000), known), None);
    }

    #[test]
    fn errors_hide_notices_and_are_counted() {
        let notice = Problem::notice("a", "odd");
        assert_eq!(verdict(vec![notice.clone()]), Ok(vec![notice.clone()]));
        let mut many = vec![Problem::error("b", "wrong"); 60];
        many.push(notice);
        let told = verdict(many).unwrap_err();
        assert_eq!(told.len(), 51);
        assert_eq!(told[50].message, "and 10 more errors");
    }
}
