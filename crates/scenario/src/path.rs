//! Paths into a document, as `--set` has them and messages show them: dots between keys, quotes
//! round a key with a dot, `[n]` for the n-th of a list or of repeated keys.
//! Not for meaning: what a path leads to is the readers' business.

use std::collections::HashMap;
use std::fmt;

use crate::json::{Kind, Member, Value};

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A key of an object.
    Key(String),
    /// The n-th of a list, or of repeated keys, from 0.
    Index(usize),
}

/// A path into a document.
///
/// ```
/// use schedlab_scenario::path::Path;
///
/// let path = Path::parse(r#"workload.tasks."mp3.decoder".run[1]"#).unwrap();
/// assert_eq!(path.parts().len(), 5);
/// assert_eq!(path.to_string(), r#"workload.tasks."mp3.decoder".run[1]"#);
/// assert!(Path::parse("a..b").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    parts: Vec<Part>,
}

impl Path {
    /// The parts, outermost first.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Reads a path.
    ///
    /// # Errors
    /// In words, when it does not follow the syntax.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('[') {
                let (number, after) = after.split_once(']').ok_or("the path has a `[` without `]`")?;
                let index = number.parse().map_err(|_| format!("`[{number}]` in the path is no index"))?;
                parts.push(Part::Index(index));
                rest = after;
                continue;
            }
            if !parts.is_empty() {
                rest = rest.strip_prefix('.').ok_or_else(|| format!("a dot was expected before `{rest}`"))?;
            }
            let (key, after) = key(rest)?;
            parts.push(Part::Key(key));
            rest = after;
        }
        Ok(Self { parts })
    }

    /// Whether the path leads to something in `root`.
    #[must_use]
    pub(crate) fn is_in(&self, root: &Value) -> bool {
        let mut place = Some((root, self.parts.as_slice()));
        while let Some((value, parts)) = place {
            if parts.is_empty() {
                return !self.parts.is_empty();
            }
            place = step(value, parts);
        }
        false
    }

    /// The value in `root` that the path leads to, or the innermost one on the way to it.
    #[must_use]
    pub(crate) fn nearest<'v>(&self, root: &'v Value) -> &'v Value {
        let mut value = root;
        let mut parts = self.parts.as_slice();
        while let Some((inner, rest)) = step(value, parts) {
            // A merged value may come from nowhere in the text; then what holds it is nearer.
            if inner.line == 0 && value.line > 0 {
                break;
            }
            (value, parts) = (inner, rest);
        }
        value
    }
}

/// One step into a value: the value reached and the parts still to go.
fn step<'v, 'p>(value: &'v Value, parts: &'p [Part]) -> Option<(&'v Value, &'p [Part])> {
    match (&value.kind, parts) {
        (Kind::List(items), [Part::Index(index), rest @ ..]) => Some((items.get(*index)?, rest)),
        (Kind::Object(members), [Part::Key(key), rest @ ..]) => {
            let mut same = members.iter().filter(|member| &member.key == key).map(|member| &member.value);
            match (same.clone().nth(1), rest) {
                (Some(_), [Part::Index(index), rest @ ..]) => Some((same.nth(*index)?, rest)),
                _ => Some((same.next()?, rest)),
            }
        }
        _ => None,
    }
}

/// Reads a key, in quotes or up to the next dot or bracket.
fn key(text: &str) -> Result<(String, &str), String> {
    if let Some(inner) = text.strip_prefix('"') {
        let mut key = String::new();
        let mut characters = inner.char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => return Ok((key, &inner[offset + 1..])),
                '\\' => key.extend(characters.next().map(|(_, escaped)| escaped)),
                other => key.push(other),
            }
        }
        return Err("the path has a quote that is not closed".to_owned());
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    if end == 0 {
        return Err("the path has an empty key; write \"\" if that is meant".to_owned());
    }
    Ok((text[..end].to_owned(), &text[end..]))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Key(key) if index == 0 => f.write_str(&key_text(key))?,
                Part::Key(key) => write!(f, ".{}", key_text(key))?,
                Part::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A key as a path shows it: in quotes when it would not be read as one key without them.
#[must_use]
pub fn key_text(key: &str) -> String {
    if key.is_empty() || key.contains(['.', '[', '"', '\\']) {
        format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        key.to_owned()
    }
}

/// The number of each key among its equals, from 0; none where it is the only one.
pub(crate) fn numbers<'k>(keys: impl Iterator<Item = &'k str> + Clone) -> Vec<Option<usize>> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for key in keys.clone() {
        counts.entry(key).or_default().0 += 1;
    }
    keys.map(|key| {
        let (total, seen) = counts.get_mut(key)?;
        *seen += 1;
        (*total > 1).then_some(*seen - 1)
    })
    .collect()
}

/// Sets the value at `path`, making the objects on the way; null removes what is there.
///
/// # Errors
/// In words, when the path leads nowhere: into a plain value, beyond a list, to one of several
/// repeated keys without saying which.
pub(crate) fn assign(root: &mut Value, path: &Path, new: Value) -> Result<(), String> {
    if path.parts.is_empty() {
        return Err("the path is empty".to_owned());
    }
    assign_in(root, &path.parts, new, "")
}

fn assign_in(value: &mut Value, parts: &[Part], new: Value, so_far: &str) -> Result<(), String> {
    let Some((part, rest)) = parts.split_first() else {
        *value = new;
        return Ok(());
    };
    let here = if so_far.is_empty() { "the document" } else { so_far };
    match (&mut value.kind, part) {
        (Kind::Object(members), Part::Key(key)) => {
            let shown = key_text(key);
            let name = if so_far.is_empty() { shown } else { format!("{so_far}.{shown}") };
            assign_member(members, key, rest, new, &name)
        }
        (Kind::List(items), Part::Index(index)) => {
            let name = format!("{so_far}[{index}]");
            if *index >= items.len() {
                return Err(format!("there is no {name}: {here} has {} entries, counted from 0", items.len()));
            }
            if rest.is_empty() && new.kind == Kind::Null {
                items.remove(*index);
                return Ok(());
            }
            assign_in(&mut items[*index], rest, new, &name)
        }
        (Kind::List(_), Part::Key(key)) => Err(format!("{here} is a list: say which entry, [0] …, before `{key}`")),
        (_, Part::Key(key)) => Err(format!("{here} is {}, so it has no `{key}`", value.describe())),
        (_, Part::Index(index)) => Err(format!("{here} is {}, so it has no [{index}]", value.describe())),
    }
}

fn assign_member(members: &mut Vec<Member>, key: &str, rest: &[Part], new: Value, name: &str) -> Result<(), String> {
    let same: Vec<usize> = (0..members.len()).filter(|&index| members[index].key == key).collect();
    let removing = |rest: &[Part]| rest.is_empty() && new.kind == Kind::Null;
    let (at, rest) = match (same.as_slice(), rest) {
        ([], _) if removing(rest) => return Ok(()),
        ([], _) => {
            let mut value = Value::object();
            assign_in(&mut value, rest, new, name)?;
            members.push(Member { key: key.to_owned(), value, line: 0, column: 0 });
            return Ok(());
        }
        (&[at], [Part::Index(0), rest @ ..]) if !matches!(members[at].value.kind, Kind::List(_)) => (at, rest),
        (&[at], _) => (at, rest),
        (_, [Part::Index(index), rest @ ..]) => match same.get(*index) {
            Some(&at) => (at, rest),
            None => return Err(format!("there is no {name}[{index}]: the key is there {} times", same.len())),
        },
        _ => return Err(format!("{name} is there {} times: say which, {name}[0] …", same.len())),
    };
    if removing(rest) {
        members.remove(at);
        return Ok(());
    }
    assign_in(&mut members[at].value, rest, new, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use proptest::prelude::*;

    fn set(text: &str, path: &str, new: &str) -> Result<String, String> {
        let mut root = parse(text).unwrap();
        assign(&mut root, &Path::parse(path)?, parse(new).unwrap())?;
        Ok(root.to_compact())
    }

    #[test]
    fn sets_changes_and_removes() {
        let text = r#"{"run":1,"run":2,"list":[1,2],"o":{"a.b":0}}"#;
        for (path, new, expected) in [
            ("run[1]", "7", r#"{"run":1,"run":7,"list":[1,2],"o":{"a.b":0}}"#),
            ("list[0]", "7", r#"{"run":1,"run":2,"list":[7,2],"o":{"a.b":0}}"#),
            ("list[0]", "null", r#"{"run":1,"run":2,"list":[2],"o":{"a.b":0}}"#),
            ("o.\"a.b\"", "7", r#"{"run":1,"run":2,"list":[1,2],"o":{"a.b":7}}"#),
            ("o.\"a.b\"[0]", "7", r#"{"run":1,"run":2,"list":[1,2],"o":{"a.b":7}}"#),
            ("o", "null", r#"{"run":1,"run":2,"list":[1,2]}"#),
            ("none", "null", text),
            ("x.y", "7", r#"{"run":1,"run":2,"list":[1,2],"o":{"a.b":0},"x":{"y":7}}"#),
        ] {
            assert_eq!(set(text, path, new).as_deref(), Ok(expected), "{path}");
        }
    }

    #[test]
    fn says_why_a_path_leads_nowhere() {
        let text = r#"{"run":1,"run":2,"list":[1,2]}"#;
        for (path, words) in [
            ("run", "run is there 2 times: say which, run[0] …"),
            ("run[2]", "there is no run[2]: the key is there 2 times"),
            ("list[5]", "there is no list[5]: list has 2 entries, counted from 0"),
            ("list.a", "list is a list: say which entry, [0] …, before `a`"),
            ("list[0].a", "list[0] is 1, so it has no `a`"),
            ("[0]", "the document is an object, so it has no [0]"),
            ("", "the path is empty"),
            ("a.", "the path has an empty key; write \"\" if that is meant"),
            ("a[x]", "`[x]` in the path is no index"),
            ("a[0", "the path has a `[` without `]`"),
            ("\"a", "the path has a quote that is not closed"),
            ("a[0]b", "a dot was expected before `b`"),
        ] {
            assert_eq!(set(text, path, "7"), Err(words.to_owned()), "{path}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(parts in prop::collection::vec(
            prop_oneof![any::<String>().prop_map(Part::Key), (0_usize..1000).prop_map(Part::Index)], 0..6)
        ) {
            let path = Path { parts };
            prop_assert_eq!(Path::parse(&path.to_string()), Ok(path));
        }
    }
}
