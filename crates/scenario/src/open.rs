//! Opening a text: reading it, and checking it and each of its variants as far as can be done
//! without running it.

use std::collections::{HashMap, HashSet};

use crate::document::{Opened, Scenario, Variant, present_form, variant_document};
use crate::json::{self, Kind, MOST_BYTES, Value};
use crate::path::Path;
use crate::problem::{Problem, sort_by_place, verdict};
use crate::read::Node;

/// Opens a scenario document (it has `"schema"`) or an rt-app file (it has `"tasks"`), with
/// comments, trailing commas and repeated keys.
///
/// # Errors
/// Everything that is wrong with it, each with path, line and column.
pub fn open(text: &str) -> Result<Opened, Vec<Problem>> {
    let root = json::parse(text).map_err(|problem| vec![*problem])?;
    let text_is = if root.get("schema").is_none() { TextIs::RtApp } else { TextIs::Document };
    let place = Value { kind: Kind::Null, ..root };
    let document = present_form(root).map_err(|mut problem| {
        problem.locate(&place);
        vec![problem]
    })?;
    let mut found = Vec::new();
    let scenario = Scenario::read(&Node::root(&document), &mut found);
    text_is.place_all(&mut found, &document);
    if !found.iter().any(Problem::is_error) {
        check_variants(&scenario, &document, text_is, &mut found);
    }
    sort_by_place(&mut found);
    verdict(found).map(|notices| Opened { scenario, notices })
}

/// Reads a document that was checked before, such as one that a scenario of this build wrote: its
/// variants are not looked at, which takes most of the time of [`open`].
///
/// # Errors
/// What is wrong with the document itself, each with path, line and column.
pub fn read_checked(text: &str) -> Result<Scenario, Vec<Problem>> {
    let root = json::parse(text).map_err(|problem| vec![*problem])?;
    let document = present_form(root).map_err(|problem| vec![problem])?;
    let mut found = Vec::new();
    let scenario = Scenario::read(&Node::root(&document), &mut found);
    found.iter_mut().for_each(|problem| problem.locate(&document));
    verdict(found).map(|_| scenario)
}

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextIs {
    Document,
    /// It is what a document has as its workload.
    RtApp,
}

impl TextIs {
    /// Gives problems the places and paths of the text.
    fn place_all(self, found: &mut [Problem], document: &Value) {
        for problem in found {
            problem.locate(document);
            if let Some(path) = problem.place.path.strip_prefix("workload").filter(|_| self == Self::RtApp) {
                problem.place.path = path.trim_start_matches('.').to_owned();
            }
        }
    }
}

/// Adds what is wrong or odd in the variants. What not every variant has carries the names of
/// those that have it.
fn check_variants(scenario: &Scenario, document: &Value, text_is: TextIs, found: &mut Vec<Problem>) {
    let before: HashSet<Problem> = found.iter().cloned().collect();
    let mut had_by: HashMap<Problem, Vec<String>> = HashMap::new();
    let mut order = Vec::new();
    for index in 0..scenario.variant_count() {
        let Some(changed) = variant_document(document, index) else { continue };
        let mut own = Vec::new();
        let variant = Scenario::read(&Node::root(&changed), &mut own);
        if !own.iter().any(Problem::is_error) {
            own.extend(variant.prepare(0).map_or_else(|problems| problems, |prepared| prepared.notices));
        }
        text_is.place_all(&mut own, &changed);
        if let Some(Variant { patch, .. }) = scenario.variants.get(index).filter(|_| text_is == TextIs::Document) {
            for problem in &mut own {
                let path = &problem.place.path;
                if Path::parse(path).is_ok_and(|path| path.is_in(patch)) {
                    problem.place.path = format!("variants[{index}].{path}");
                }
            }
        }
        let name = scenario.variant_name(index, &variant);
        for problem in own.into_iter().filter(|problem| !before.contains(problem)) {
            let names = had_by.entry(problem.clone()).or_default();
            if names.is_empty() {
                order.push(problem);
            }
            if names.last() != Some(&name) {
                names.push(name.clone());
            }
        }
    }
    found.extend(order.into_iter().map(|problem| match &had_by[&problem] {
        names if names.len() == scenario.variant_count() => problem,
        names => Problem { message: format!("{} (in `{}`)", problem.message, names.join("`, `")), ..problem },
    }));
}

/// Opens a file as it was read: the same as [`open`], for bytes that need not be text.
///
/// # Errors
/// As [`open`], or that it is too long or no UTF-8 text.
pub fn open_bytes(bytes: &[u8]) -> Result<Opened, Vec<Problem>> {
    if bytes.len() > MOST_BYTES {
        let (most, size) = (MOST_BYTES >> 20, bytes.len().div_ceil(1 << 20));
        let message = format!("the file is too long: {size} MiB, at most {most} MiB are read");
        return Err(vec![Problem::error("", message)]);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => open(text),
        Err(error) => {
            let message = format!(
                "this is no text: byte {} is not UTF-8; a scenario document or an rt-app file was expected",
                error.valid_up_to()
            );
            Err(vec![Problem::error("", message)])
        }
    }
}
