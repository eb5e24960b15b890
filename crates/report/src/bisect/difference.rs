//! All that differs between two scenarios, taken apart so that each difference can be switched by
//! itself. Not for running the mixtures.

use schedlab_scenario::json::{self, Kind, Member, Value};
use schedlab_scenario::path::key_text;
use schedlab_scenario::{Problem, Scenario};
use schedlab_sim::kernel::{FEATURES, Feature, Kernel, Release, TUNABLES, Tunable};
use serde::{Deserialize, Serialize};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What differs: a path of the document; of releases, their rules as one.
    pub what: String,
    /// In the first scenario; `-`: it is not there, or the default.
    pub from: String,
    /// In the second.
    pub to: String,
}

/// Two scenarios and their differences.
#[derive(Clone, Debug)]
pub struct Differences {
    /// The differences, kernel first.
    pub all: Vec<Difference>,
    /// Where the rules of the releases are among them: what cannot be switched alone goes with them.
    pub rules: Option<usize>,
    sides: [Side; 2],
    kernel: Vec<Switch>,
}

/// One of the two scenarios.
#[derive(Clone, Debug)]
struct Side {
    scenario: Scenario,
    /// The document without what is typed or no matter of the model.
    document: Value,
    /// Flags and tunables with their values, defaults included.
    kernel: Kernel,
}

/// A difference of the kernels, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    Rules,
    Feature(Feature),
    Tunable(Tunable),
    Preemption,
    CoreScheduling,
    NoSmt,
}

impl Differences {
    /// Finds what differs. Titles, notes, variants, seeds and repeats are no difference.
    ///
    /// # Errors
    /// The problems of a scenario that cannot be run.
    pub fn between(from: &Scenario, to: &Scenario) -> Result<Self, Vec<Problem>> {
        let sides = [Side::of(from)?, Side::of(to)?];
        let mut found = Self { all: Vec::new(), rules: None, sides, kernel: Vec::new() };
        found.kernels();
        let mut walk = Walk { found: Some(&mut found.all), chosen: &[], next: 0 };
        let [from, to] = &found.sides;
        walk.mix(&from.document, &to.document, "");
        Ok(found)
    }

    /// The scenario with those differences of the second one that are chosen, the others as in the
    /// first.
    ///
    /// # Errors
    /// The problems of a mixture that is no scenario: some differences cannot be switched alone.
    pub fn mixed(&self, chosen: &[bool]) -> Result<Scenario, Vec<Problem>> {
        let [from, to] = &self.sides;
        let mut walk = Walk { found: None, chosen, next: self.kernel.len() };
        let document = walk.mix(&from.document, &to.document, "");
        let mut scenario = schedlab_scenario::open(&document.to_compact())?.scenario;
        scenario.variants.clear();
        scenario.run = schedlab_scenario::RunOptions {
            repeats: from.scenario.run.repeats,
            seed: from.scenario.run.seed,
            ..scenario.run
        };
        scenario.kernel = self.kernel(chosen);
        Ok(scenario)
    }

    fn kernels(&mut self) {
        let [from, to] = &self.sides;
        let (a, b) = (&from.kernel, &to.kernel);
        let mut all = Vec::new();
        let mut add = |switch, what: String, from: String, to: String| {
            if from != to {
                self.kernel.push(switch);
                all.push(Difference { what, from, to });
            }
        };
        let rules = |release: Release| release.name().to_owned();
        add(Switch::Rules, "kernel.release (its rules)".to_owned(), rules(a.release()), rules(b.release()));
        let both = |feature: &Feature| [a, b].iter().all(|kernel| feature.default_in(kernel.release()).is_some());
        for feature in FEATURES.iter().map(|info| info.feature).filter(both) {
            let what = format!("kernel.features.{}", feature.name());
            add(Switch::Feature(feature), what, a.has(feature).to_string(), b.has(feature).to_string());
        }
        let both = |tunable: &Tunable| [a, b].iter().all(|kernel| tunable.exists_in(kernel.release()));
        for tunable in TUNABLES.iter().map(|info| info.tunable).filter(both) {
            let what = format!("kernel.tunables.{}", tunable.info().name);
            add(Switch::Tunable(tunable), what, a.tunable(tunable).to_string(), b.tunable(tunable).to_string());
        }
        let preemption = |kernel: &Kernel| kernel.preemption().name().to_owned();
        add(Switch::Preemption, "kernel.preempt".to_owned(), preemption(a), preemption(b));
        let core = |side: &Side| side.scenario.kernel.core_sched.name().to_owned();
        add(Switch::CoreScheduling, "kernel.core_sched".to_owned(), core(from), core(to));
        let nosmt = |side: &Side| side.scenario.kernel.nosmt.to_string();
        add(Switch::NoSmt, "kernel.nosmt".to_owned(), nosmt(from), nosmt(to));
        self.rules = self.kernel.iter().position(|switch| *switch == Switch::Rules);
        self.all = all;
    }

    /// The kernel of a mixture: flags and tunables that both releases have by their own choice, what
    /// one of them has alone with its rules.
    fn kernel(&self, chosen: &[bool]) -> schedlab_scenario::Kernel {
        let side = |switch: Switch| {
            let place = self.kernel.iter().position(|other| *other == switch);
            let second = place.is_some_and(|place| chosen.get(place).copied().unwrap_or(false));
            &self.sides[usize::from(second)]
        };
        let rules = side(Switch::Rules);
        let release = rules.kernel.release();
        let mut kernel = schedlab_scenario::Kernel::of(release);
        let other = self.sides.iter().map(|side| side.kernel.release()).find(|other| *other != release);
        for feature in FEATURES.iter().map(|info| info.feature) {
            let Some(default) = feature.default_in(release) else { continue };
            let shared = other.is_none_or(|other| feature.default_in(other).is_some());
            let on = if shared { side(Switch::Feature(feature)) } else { rules }.kernel.has(feature);
            if on != default {
                kernel.features.insert(feature, on);
            }
        }
        for tunable in TUNABLES.iter().map(|info| info.tunable).filter(|tunable| tunable.exists_in(release)) {
            let shared = other.is_none_or(|other| tunable.exists_in(other));
            let value = if shared { side(Switch::Tunable(tunable)) } else { rules }.kernel.tunable(tunable);
            kernel.tunables.insert(tunable, value);
        }
        kernel.preempt = Some(side(Switch::Preemption).kernel.preemption()).filter(|model| model.exists_in(release));
        kernel.core_sched = side(Switch::CoreScheduling).scenario.kernel.core_sched;
        kernel.nosmt = side(Switch::NoSmt).scenario.kernel.nosmt;
        kernel
    }
}

impl Side {
    fn of(scenario: &Scenario) -> Result<Self, Vec<Problem>> {
        let kernel = scenario.prepare(0)?.input.kernel;
        let mut plain = scenario.clone();
        plain.variants.clear();
        (plain.title, plain.notes) = (String::new(), String::new());
        plain.kernel = schedlab_scenario::Kernel::default();
        plain.run.seed = Scenario::default().run.seed;
        plain.run.repeats = Scenario::default().run.repeats;
        let document = json::parse(&plain.to_json()).map_err(|problem| vec![*problem])?;
        Ok(Self { scenario: scenario.clone(), document, kernel })
    }
}

/// Two documents side by side: finds their differences, or takes each from the side it is chosen
/// from. Both in the same order.
struct Walk<'w> {
    found: Option<&'w mut Vec<Difference>>,
    chosen: &'w [bool],
    next: usize,
}

/// A member by its key and how many of that key were before it.
type Id<'v> = (&'v str, usize);

impl Walk<'_> {
    fn mix(&mut self, from: &Value, to: &Value, path: &str) -> Value {
        if from == to {
            return from.clone();
        }
        match (&from.kind, &to.kind) {
            (Kind::Object(a), Kind::Object(b)) => {
                if let Some(order) = merged_order(a, b) {
                    return self.members(a, b, &order, path);
                }
            }
            (Kind::List(a), Kind::List(b)) if a.len() == b.len() => {
                let items = a.iter().zip(b).enumerate();
                let items: Vec<Value> =
                    items.map(|(place, (a, b))| self.mix(a, b, &format!("{path}[{place}]"))).collect();
                return Kind::List(items).into();
            }
            _ => {}
        }
        self.leaf(Some(from), Some(to), path).unwrap_or_else(|| from.clone())
    }

    fn members(&mut self, a: &[Member], b: &[Member], order: &[Id<'_>], path: &str) -> Value {
        let mut object = Value::object();
        for (key, occurrence) in order {
            let repeated = [a, b].iter().any(|side| side.iter().filter(|member| member.key == *key).count() > 1);
            let dot = if path.is_empty() { "" } else { "." };
            let mut inner = format!("{path}{dot}{}", key_text(key));
            if repeated {
                inner.push_str(&format!("[{occurrence}]"));
            }
            let find = |side: &'_ [Member]| {
                side.iter().filter(|member| member.key == *key).nth(*occurrence).map(|member| member.value.clone())
            };
            let value = match (find(a), find(b)) {
                (Some(a), Some(b)) => Some(self.mix(&a, &b, &inner)),
                // A part of the document that is all defaults is not written.
                (a, b) if path.is_empty() && PARTS.contains(key) => {
                    let part = |side: Option<Value>| side.unwrap_or_else(Value::object);
                    Some(self.mix(&part(a), &part(b), &inner))
                }
                (a, b) => self.leaf(a.as_ref(), b.as_ref(), &inner),
            };
            if let Some(value) = value {
                object.push(key, value);
            }
        }
        object
    }

    /// A difference that is not taken apart.
    fn leaf(&mut self, from: Option<&Value>, to: Option<&Value>, path: &str) -> Option<Value> {
        let text = |value: Option<&Value>| value.map_or_else(|| "-".to_owned(), |value| short(&value.to_compact()));
        if let Some(found) = &mut self.found {
            found.push(Difference { what: path.to_owned(), from: text(from), to: text(to) });
        }
        let second = self.chosen.get(self.next).copied().unwrap_or(false);
        self.next += 1;
        if second { to } else { from }.cloned()
    }
}

/// The parts of a document that are taken apart even where only one side has them.
const PARTS: [&str; 3] = ["machine", "run", "groups"];

/// The most characters of a value in a list of differences.
const LONGEST: usize = 48;

fn short(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// The members of both in one order, those that only the second has after the one they follow
/// there; none when what both have stands in another order.
fn merged_order<'v>(a: &'v [Member], b: &'v [Member]) -> Option<Vec<Id<'v>>> {
    let (ids_a, ids_b) = (ids(a), ids(b));
    let common =
        |of: &[Id<'v>], other: &[Id<'v>]| of.iter().filter(|id| other.contains(id)).copied().collect::<Vec<_>>();
    if common(&ids_a, &ids_b) != common(&ids_b, &ids_a) {
        return None;
    }
    let mut order = ids_a;
    let mut before: Option<Id<'v>> = None;
    for id in ids_b {
        if !order.contains(&id) {
            let place = before.and_then(|before| order.iter().position(|other| *other == before));
            order.insert(place.map_or(0, |place| place + 1), id);
        }
        before = Some(id);
    }
    Some(order)
}

fn ids(members: &[Member]) -> Vec<Id<'_>> {
    let mut ids: Vec<Id<'_>> = Vec::new();
    for member in members {
        let occurrence = ids.iter().filter(|(key, _)| *key == member.key).count();
        ids.push((&member.key, occurrence));
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(patch: &str) -> Differences {
        let text = format!(
            r#"{{ "schema": 1, "machine": {{ "hz": 250 }},
                 "kernel": {{ "release": "6.5", "tunables": {{ "migration_cost_ns": 600000 }} }},
                 "workload": {{ "tasks": {{ "a": {{ "run": 100, "sleep": 50, "run1": 30 }}, "b": {{ "run": 10, "sleep": 10 }} }} }},
                 "variants": [ {{ "name": "A" }}, {{ "name": "B", {patch} }} ] }}"#
        );
        let scenario = schedlab_scenario::open(&text).expect("it opens").scenario;
        let variant = |index| scenario.variant(index).expect("it is there").scenario;
        Differences::between(&variant(0), &variant(1)).expect("both can be run")
    }

    fn words(differences: &Differences) -> Vec<String> {
        differences.all.iter().map(|of| format!("{}: {} -> {}", of.what, of.from, of.to)).collect()
    }

    #[test]
    fn values_of_the_document_are_differences() {
        let found = between(
            r#""machine": { "hz": 1000, "context_switch_ns": 5 }, "kernel": { "features": { "WA_IDLE": false } },
               "workload": { "tasks": { "a": { "priority": 3, "run1": 31 }, "b": null } }"#,
        );
        assert_eq!(
            words(&found),
            [
                "kernel.features.WA_IDLE: true -> false",
                "machine.context_switch_ns: - -> 5",
                "machine.hz: 250 -> -",
                "workload.tasks.a.priority: - -> 3",
                "workload.tasks.a.run1: 30 -> 31",
                "workload.tasks.b: {\"run\":10,\"sleep\":10} -> -",
            ]
        );
        // Each alone, and all together.
        for place in 0..found.all.len() {
            let chosen: Vec<bool> = (0..found.all.len()).map(|other| other == place).collect();
            let mixed = found.mixed(&chosen).expect("it is a scenario");
            let again = Differences::between(&found.sides[0].scenario, &mixed).expect("it can be run");
            assert_eq!(again.all, [found.all[place].clone()]);
        }
        let none = found.mixed(&[]).expect("it is a scenario");
        assert!(Differences::between(&found.sides[0].scenario, &none).expect("it can be run").all.is_empty());
        let all = found.mixed(&[true; 6]).expect("it is a scenario");
        assert!(Differences::between(&found.sides[1].scenario, &all).expect("it can be run").all.is_empty());
    }

    #[test]
    fn rules_of_releases_are_one_and_what_both_have_is_switched_by_itself() {
        let found = between(r#""kernel": { "release": "6.12", "tunables": { "migration_cost_ns": 500000 } }"#);
        let words = words(&found);
        assert_eq!((words[0].as_str(), found.rules), ("kernel.release (its rules): 6.5 -> 6.12", Some(0)));
        assert!(words.contains(&"kernel.tunables.migration_cost_ns: 600000 -> 500000".to_owned()), "{words:?}");
        // What only one of them has goes with the rules.
        assert!(
            !words.iter().any(|word| word.contains("base_slice_ns") || word.contains("RUN_TO_PARITY")),
            "{words:?}"
        );
        let mut chosen = vec![false; found.all.len()];
        chosen[0] = true;
        let rules = found.mixed(&chosen).expect("it is a scenario").prepare(0).expect("it can be run").input.kernel;
        assert_eq!(rules.release(), Release::V6_12);
        assert_eq!(rules.tunable(Tunable::parse("migration_cost_ns").expect("it is known")), 600_000);
    }
}
