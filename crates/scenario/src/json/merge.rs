//! JSON merge patches (RFC 7386), with repeated keys. Not for paths: see [`crate::path`].

use std::collections::HashMap;

use super::{Kind, Member, Value};

/// `base` with `patch` applied: objects are merged member by member, null removes a member, and
/// everything else, lists included, replaces what was there.
///
/// Repeated keys, which the RFC does not know, are treated like a list: where a key is repeated on
/// either side, all its members of the patch replace all those of the base.
#[must_use]
pub(crate) fn merged(base: &Value, patch: &Value) -> Value {
    let Kind::Object(changes) = &patch.kind else { return patch.clone() };
    let (olds, news) = (by_key(base.members()), by_key(changes));
    let mut members: Vec<Member> = Vec::with_capacity(base.members().len() + changes.len());
    for (index, old) in base.members().iter().enumerate() {
        match news.get(old.key.as_str()) {
            None => members.push(old.clone()),
            Some(new) if olds[old.key.as_str()][0] == index => {
                let single = new.len() == 1 && olds[old.key.as_str()].len() == 1;
                members.extend(new.iter().filter_map(|&n| put(single.then_some(&old.value), &changes[n])));
            }
            Some(_) => {}
        }
    }
    let added = changes.iter().filter(|change| !olds.contains_key(change.key.as_str()));
    members.extend(added.filter_map(|change| put(None, change)));
    let place = if base.line > 0 { base } else { patch };
    Value { kind: Kind::Object(members), line: place.line, column: place.column }
}

fn put(old: Option<&Value>, new: &Member) -> Option<Member> {
    let nothing = Value::from(Kind::Null);
    let value = merged(old.unwrap_or(&nothing), &new.value);
    (new.value.kind != Kind::Null).then(|| Member { value, ..new.clone() })
}

fn by_key(members: &[Member]) -> HashMap<&str, Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, member) in members.iter().enumerate() {
        places.entry(&member.key).or_default().push(index);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn check(base: &str, patch: &str, expected: &str) {
        let result = merged(&parse(base).unwrap(), &parse(patch).unwrap());
        assert_eq!(result.to_compact(), expected, "{base} with {patch}");
    }

    #[test]
    fn the_examples_of_the_rfc() {
        for (base, patch, expected) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, r#"{}"#),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            check(base, patch, expected);
        }
    }

    #[test]
    fn repeated_keys_are_replaced_whole() {
        check(r#"{"run":1,"x":0,"run":2}"#, r#"{"run":3}"#, r#"{"run":3,"x":0}"#);
        check(r#"{"a":0,"run":1}"#, r#"{"run":2,"run":3}"#, r#"{"a":0,"run":2,"run":3}"#);
        check(r#"{"run":1,"run":2,"a":0}"#, r#"{"run":null}"#, r#"{"a":0}"#);
    }
}
