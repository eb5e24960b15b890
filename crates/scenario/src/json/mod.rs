//! JSON as real files have it: comments, trailing commas, repeated keys in order, and the line and
//! column of every value. Not for meaning: documents are read by [`crate::open`].

mod merge;
mod write;

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

pub(crate) use merge::merged;

use crate::problem::{Place, Problem, Severity};

/// The longest text that is read, bytes.
pub const MOST_BYTES: usize = 4 << 20;
/// The deepest nesting that is read.
pub const MOST_DEPTH: usize = 64;

/// A JSON value with the place of its text. Two values are equal when they mean the same and their
/// members stand in the same order, wherever their text was.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// The line where it begins, counted from 1; 0: it was not read from a text.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
}

/// The kinds of JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string.
    String(String),
    /// A list.
    List(Vec<Value>),
    /// An object: members in order, keys possibly repeated.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Value,
    /// The line of the key, counted from 1; 0: it was not read from a text.
    pub line: u32,
    /// The column of the key in characters, counted from 1.
    pub column: u32,
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl From<Kind> for Value {
    fn from(kind: Kind) -> Self {
        Self { kind, line: 0, column: 0 }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Kind::String(text.to_owned()).into()
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Kind::Bool(value).into()
    }
}

macro_rules! from_numbers {
    ($($number:ty),*) => { $(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Kind::Number(number.to_string()).into()
            }
        }
    )* };
}
from_numbers!(u8, u16, u32, u64, i8, i32, i64, f64);

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Kind::List(items.into_iter().map(Into::into).collect()).into()
    }
}

impl Value {
    /// An object without members.
    #[must_use]
    pub fn object() -> Self {
        Kind::Object(Vec::new()).into()
    }

    /// Adds a member at the end of an object; does nothing to other values.
    pub fn push(&mut self, key: &str, value: impl Into<Value>) {
        if let Kind::Object(members) = &mut self.kind {
            members.push(Member { key: key.to_owned(), value: value.into(), line: 0, column: 0 });
        }
    }

    /// The members of an object; none for other values.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// The value of the first member of that key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().find(|member| member.key == key).map(|member| &member.value)
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, in words for a message: `the number -5`, `a list`.
    #[must_use]
    pub fn describe(&self) -> String {
        let short = |text: &str| {
            let cut: String = text.chars().take(40).collect();
            if cut.len() < text.len() { format!("{cut}…") } else { cut }
        };
        match &self.kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool(value) => value.to_string(),
            Kind::Number(text) => short(text),
            Kind::String(text) => format!("\"{}\"", short(text)),
            Kind::List(_) => "a list".to_owned(),
            Kind::Object(_) => "an object".to_owned(),
        }
    }

    /// The same value without places.
    #[must_use]
    pub(crate) fn without_places(mut self) -> Self {
        (self.line, self.column) = (0, 0);
        match &mut self.kind {
            Kind::List(items) => {
                for item in items {
                    *item = std::mem::replace(item, Kind::Null.into()).without_places();
                }
            }
            Kind::Object(members) => {
                for member in members {
                    (member.line, member.column) = (0, 0);
                    member.value = std::mem::replace(&mut member.value, Kind::Null.into()).without_places();
                }
            }
            _ => {}
        }
        self
    }
}

/// Reads a text.
///
/// # Errors
/// One [`Problem`] with line and column: the text is empty, longer than [`MOST_BYTES`], nested
/// deeper than [`MOST_DEPTH`], binary, or no JSON.
pub fn parse(text: &str) -> Result<Value, Box<Problem>> {
    let whole = |message: String| Box::new(Problem::error("", message));
    if text.len() > MOST_BYTES {
        let (most, size) = (MOST_BYTES >> 20, text.len().div_ceil(1 << 20));
        return Err(whole(format!("the text is too long: {size} MiB, at most {most} MiB are read")));
    }
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    if body.trim().is_empty() {
        return Err(whole("the text is empty; a scenario document or an rt-app file was expected".to_owned()));
    }
    let lines = Lines::new(body);
    let at = |offset: usize, message: String| {
        let (line, column) = lines.place(offset);
        let place = Place { path: String::new(), line, column };
        Box::new(Problem { place, severity: Severity::Error, message, suggestion: None })
    };
    if let Some(offset) = body.find('\0') {
        return Err(at(offset, "this is no text: it has a zero byte here; a JSON text was expected".to_owned()));
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options)
        .map_err(|error| at(error.range().start, plain_words(error.kind())))?;
    match parsed.value {
        Some(value) => convert(value, &lines, 1),
        None => Err(whole("there is nothing but comments; a JSON object was expected".to_owned())),
    }
}

/// The reader's message, in the words of this program.
fn plain_words(kind: &jsonc_parser::errors::ParseErrorKind) -> String {
    use jsonc_parser::errors::ParseErrorKind;
    match kind {
        ParseErrorKind::NestingDepthExceeded => too_deep(),
        other => format!("no valid JSON: {}", lower_first(&other.to_string())),
    }
}

fn too_deep() -> String {
    format!("nested too deeply: at most {MOST_DEPTH} levels are read")
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

/// Turns the library's tree into ours. It has at most 512 levels, so recursion is safe.
fn convert(value: ast::Value<'_>, lines: &Lines<'_>, depth: usize) -> Result<Value, Box<Problem>> {
    use jsonc_parser::common::Ranged;
    let (line, column) = lines.place(value.range().start);
    if depth > MOST_DEPTH {
        let place = Place { path: String::new(), line, column };
        let severity = Severity::Error;
        return Err(Box::new(Problem { place, severity, message: too_deep(), suggestion: None }));
    }
    let kind = match value {
        ast::Value::NullKeyword(_) => Kind::Null,
        ast::Value::BooleanLit(literal) => Kind::Bool(literal.value),
        ast::Value::NumberLit(literal) => Kind::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Kind::String(literal.value.into_owned()),
        ast::Value::Array(array) => Kind::List(
            array.elements.into_iter().map(|item| convert(item, lines, depth + 1)).collect::<Result<_, _>>()?,
        ),
        ast::Value::Object(object) => Kind::Object(
            object
                .properties
                .into_iter()
                .map(|property| {
                    let (line, column) = lines.place(property.range.start);
                    let value = convert(property.value, lines, depth + 1)?;
                    Ok(Member { key: property.name.into_string(), value, line, column })
                })
                .collect::<Result<_, Box<Problem>>>()?,
        ),
    };
    Ok(Value { kind, line, column })
}

/// Finds line and column of a byte offset.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(offset, _)| offset + 1)).collect();
        Self { text, starts }
    }

    fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset).unwrap_or("");
        // A text of one long line would cost the square of its length; a column beyond this helps nobody.
        let column = if before.len() > 4096 { before.len() } else { before.chars().count() };
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column + 1).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests;
