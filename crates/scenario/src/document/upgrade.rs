//! Documents of older schema numbers are brought up to date here, one step a number.

use crate::json::{Kind, Value};
use crate::problem::Problem;

/// The schema number that this release writes.
pub const SCHEMA: u32 = 1;

/// A step from one schema number to the next.
struct Upgrade {
    /// The number of the documents it takes.
    from: u32,
    /// Changes a document to the next number (the number itself is changed for it).
    step: fn(&mut Value),
}

/// Every step, in order: one for each number below [`SCHEMA`].
static UPGRADES: &[Upgrade] = &[];

/// Brings a document up to [`SCHEMA`].
pub(super) fn upgrade(document: &mut Value) -> Result<(), Problem> {
    let number = match document.get("schema").map(|value| &value.kind) {
        Some(Kind::Number(text)) => text.parse::<u32>().ok().filter(|&number| number > 0),
        _ => None,
    };
    let Some(number) = number else {
        let given = document.get("schema").map_or_else(|| "nothing".to_owned(), Value::describe);
        return Err(Problem::error("schema", format!("expected the schema number, {SCHEMA}, not {given}")));
    };
    if number > SCHEMA {
        let message =
            format!("this document has schema {number}, from a newer schedlab; this one reads up to {SCHEMA}");
        return Err(Problem::error("schema", message));
    }
    for upgrade in UPGRADES.iter().filter(|upgrade| upgrade.from >= number) {
        (upgrade.step)(document);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn there_is_one_step_for_each_older_number() {
        let numbers: Vec<u32> = UPGRADES.iter().map(|upgrade| upgrade.from).collect();
        assert_eq!(numbers, (1..SCHEMA).collect::<Vec<_>>());
    }

    #[test]
    fn other_numbers_are_refused_in_words() {
        let tried = |text: &str| upgrade(&mut parse(text).unwrap()).map_err(|problem| problem.message);
        assert_eq!(tried("{\"schema\": 1}"), Ok(()));
        let newer = "this document has schema 2, from a newer schedlab; this one reads up to 1";
        assert_eq!(tried("{\"schema\": 2}"), Err(newer.to_owned()));
        for odd in ["{\"schema\": 0}", "{\"schema\": -1}", "{\"schema\": \"1\"}", "{\"schema\": 1.5}"] {
            assert!(tried(odd).unwrap_err().starts_with("expected the schema number, 1, not "), "{odd}");
        }
    }
}
