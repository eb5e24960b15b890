//! The library's texts are true: lessons show what they claim, workloads have the structure of the
//! programs they stand for (`tests/library`).

#![allow(clippy::expect_used)] // A test may fail by it.

use std::collections::BTreeMap;
use std::path::Path;

use schedlab_report::{Claim, Subject, VariantReport, figure, first_switch, over_repeats, summarize};
use schedlab_scenario::{Scenario, library};
use schedlab_sim::{Limit, Simulation, TaskId};

/// The reports of all variants, by name.
fn reports(name: &str, scenario: &Scenario) -> BTreeMap<String, VariantReport> {
    let report = |index| {
        let variant = scenario.variant(index).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let repeats = (0..variant.scenario.run.repeats).map(|repeat| {
            let mut prepared =
                variant.scenario.prepare(repeat).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
            prepared.input.record_budget = 0;
            let subject = Subject::of(&variant.name, &prepared);
            let mut simulation = Simulation::new(prepared.input).expect(name);
            simulation.run_until(Limit::end()).expect(name);
            summarize(&subject, &[simulation.finish()])
        });
        let report = over_repeats(repeats.collect()).expect("there is a repeat");
        (variant.name, report)
    };
    (0..scenario.variant_count()).map(report).collect()
}

/// Says which claims do not hold.
fn failures<'a>(
    name: &str,
    claims: impl IntoIterator<Item = &'a str>,
    reports: &BTreeMap<String, VariantReport>,
) -> Vec<String> {
    let value = |variant: &str, name: &str| reports.get(variant).and_then(|report| figure(report, name));
    let check = |claim: &str| {
        let parsed = Claim::parse(claim).unwrap_or_else(|error| panic!("{name}: {error}"));
        let left = parsed.left.value(&value).unwrap_or_else(|error| panic!("{name}: {error}"));
        let right = parsed.right.value(&value).unwrap_or_else(|error| panic!("{name}: {error}"));
        (!parsed.relation.holds(left, right)).then(|| format!("{name}: {claim} ({left} and {right})"))
    };
    claims.into_iter().filter_map(check).collect()
}

#[test]
fn lessons_show_what_they_claim() {
    let mut wrong = Vec::new();
    for lesson in library::lessons() {
        let scenario = lesson.scenario().unwrap_or_else(|problems| panic!("{}: {problems:?}", lesson.name));
        let reports = reports(lesson.name, &scenario);
        wrong.extend(failures(lesson.name, lesson.claims.iter().map(String::as_str), &reports));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_switch_of_a_lesson_happens_in_its_run() {
    for entry in library::entries().iter().filter(|entry| entry.kind == library::Kind::Lesson) {
        let (index, sought) = entry.switch().unwrap_or_else(|| panic!("{} has no switch", entry.name));
        let variant = entry.scenario().expect(entry.name).variant(index).expect(entry.name);
        let mut prepared = variant.scenario.prepare(0).expect(entry.name);
        prepared.input.record_budget = RECORD;
        let mut simulation = Simulation::new(prepared.input).expect(entry.name);
        simulation.run_until(Limit::end()).expect(entry.name);
        let run = simulation.finish();
        let name = |task: TaskId| run.tasks.get(task.0 as usize).map(|task| task.name.as_str());
        assert!(first_switch(&run.record, &sought, name).is_some(), "{}: {sought:?} does not happen", entry.name);
    }
}

/// So many switches and wake-ups are kept of a lesson's run.
const RECORD: usize = 1_000_000;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "structure")]
    _structure: String,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    threads: BTreeMap<String, u32>,
    claims: Vec<String>,
}

/// The threads at the start, with the numbers of names taken off.
fn threads(scenario: &Scenario) -> BTreeMap<String, u32> {
    let mut threads = BTreeMap::new();
    for task in &scenario.workload.tasks {
        let bare = task.name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
        let name = if bare == task.name { bare.to_owned() } else { format!("{bare}*") };
        *threads.entry(name).or_default() += task.instances;
    }
    threads
}

#[test]
fn workloads_have_the_structure_of_the_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/library/workloads");
    let mut wrong = Vec::new();
    for recipe in library::workloads() {
        let name = recipe.name;
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap_or_else(|error| {
            panic!("the workload {name} has no case: {error}");
        });
        let case: Case = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let given: Vec<_> = case.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let scenario = recipe.scenario(&given).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(threads(&scenario), case.threads, "{name}");
        let reopened =
            schedlab_scenario::open(&scenario.to_json()).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        assert_eq!(reopened.scenario, scenario, "{name} written and read");
        wrong.extend(failures(name, case.claims.iter().map(String::as_str), &reports(name, &scenario)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
