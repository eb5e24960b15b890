//! Opening a text: reading it, and checking it and each of its variants as far as can be done
//! without running it.

use std::collections::HashMap;

use crate::document::{Opened, Scenario, present_form, variant_document};
use crate::json::{self, MOST_BYTES, Value};
use crate::problem::{Problem, sort_by_place, verdict};
use crate::read::Node;

/// Opens a scenario document (it has `"schema"`) or an rt-app file (it has `"tasks"`), with
/// comments, trailing commas and repeated keys.
///
/// # Errors
/// Everything that is wrong with it, each with path, line and column.
pub fn open(text: &str) -> Result<Opened, Vec<Problem>> {
    let root = json::parse(text).map_err(|problem| vec![*problem])?;
    let from_rt_app = root.get("schema").is_none();
    let with_places = |mut found: Vec<Problem>, document: &Value| {
        for problem in &mut found {
            problem.locate(document);
            // The text of an rt-app file begins inside the workload.
            if let Some(path) = problem.place.path.strip_prefix("workload").filter(|_| from_rt_app) {
                problem.place.path = path.trim_start_matches('.').to_owned();
            }
        }
        found
    };
    let document = match present_form(root.clone()) {
        Ok(document) => document,
        Err(problem) => return Err(with_places(vec![problem], &root)),
    };
    let mut found = Vec::new();
    let scenario = Scenario::read(&Node::root(&document), &mut found);
    let mut found = with_places(found, &document);
    if !found.iter().any(Problem::is_error) {
        let variants = check_variants(&scenario, &document);
        found.extend(variants.into_iter().map(|(problem, variant)| {
            let document = variant_document(&document, variant).unwrap_or_else(Value::object);
            with_places(vec![problem], &document).remove(0)
        }));
        let mut seen = std::collections::HashSet::new();
        found.retain(|problem| seen.insert(problem.clone()));
    }
    sort_by_place(&mut found);
    verdict(found).map(|notices| Opened { scenario, notices })
}

/// What is wrong or odd in the variants, each with the number of a variant that has it. What not
/// every variant has carries the name of its variant.
fn check_variants(scenario: &Scenario, document: &Value) -> Vec<(Problem, usize)> {
    let count = scenario.variant_count();
    let mut names = Vec::new();
    let mut had_by: HashMap<Problem, Vec<usize>> = HashMap::new();
    let mut order = Vec::new();
    for index in 0..count {
        let mut found = Vec::new();
        let variant = scenario.variant_of(document, index, &mut found);
        if let Some(variant) = variant {
            if !found.iter().any(Problem::is_error) {
                let prepared = variant.scenario.prepare(0);
                found.extend(prepared.map_or_else(|problems| problems, |prepared| prepared.notices));
            }
            names.push(variant.name);
        }
        for problem in found {
            let variants = had_by.entry(problem.clone()).or_default();
            if variants.is_empty() {
                order.push(problem);
            }
            if variants.last() != Some(&index) {
                variants.push(index);
            }
        }
    }
    let told = order.into_iter().map(|problem| {
        let variants = &had_by[&problem];
        let first = variants[0];
        if variants.len() == count {
            return (problem, first);
        }
        let which: Vec<String> = variants.iter().map(|&index| format!("`{}`", names[index])).collect();
        let message = format!("{} (in {})", problem.message, which.join(", "));
        (Problem { message, ..problem }, first)
    });
    told.collect()
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
