//! The scenario document: what it holds, how it is read and written.
//! Not for share links ([`crate::link`]) or for what a run is made of ([`crate::compile`]).

mod group;
mod group_path;
mod kernel;
mod machine;
mod run;
mod upgrade;

pub use group::{Group, Max};
pub(crate) use group::{read_cpus, read_latency_nice, read_weight};
pub use group_path::GroupPath;
pub use kernel::Kernel;
pub use machine::{HZ, MOST_CPUS, Machine, Tick};
pub use run::{DEFAULT_DURATION_MS, RecordKind, RunOptions};
pub use upgrade::SCHEMA;

use schedlab_sim::kernel::Release;

use crate::json::{Kind, Value, merged};
use crate::path::{Part, Path, assign};
use crate::problem::{Problem, nearest_name, verdict};
use crate::read::{Fields, Node, unknown_key};
use crate::workload::Workload;

/// A scenario: a machine, a kernel, a workload, and variants of them to compare.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// A title; may be empty.
    pub title: String,
    /// Notes; may be empty.
    pub notes: String,
    /// The machine.
    pub machine: Machine,
    /// The kernel.
    pub kernel: Kernel,
    /// The control groups.
    pub groups: Vec<Group>,
    /// The workload.
    pub workload: Workload,
    /// How it is run.
    pub run: RunOptions,
    /// What is compared; empty: only the scenario itself.
    pub variants: Vec<Variant>,
}

/// A variant: changes to a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name; none: that of its release.
    pub name: Option<String>,
    /// A JSON merge patch (RFC 7386) of `machine`, `kernel`, `groups`, `workload` and `run`.
    pub patch: Value,
}

/// A variant with its changes applied.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedVariant {
    /// Its name; no two variants of a scenario have the same.
    pub name: String,
    /// The scenario with the changes applied, and without variants.
    pub scenario: Scenario,
}

/// A document that was opened: the scenario, and what was odd in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The scenario.
    pub scenario: Scenario,
    /// What has no effect, or not the usual one.
    pub notices: Vec<Problem>,
}

/// The most variants of a scenario.
const MOST_VARIANTS: usize = 64;
/// The keys that a variant may change.
const CHANGED_BY_VARIANTS: [&str; 5] = ["machine", "kernel", "groups", "workload", "run"];

impl Variant {
    /// A variant that differs by its kernel release.
    #[must_use]
    pub fn of_release(release: Release) -> Self {
        let (mut kernel, mut patch) = (Value::object(), Value::object());
        kernel.push("release", release.name());
        patch.push("kernel", kernel);
        Self { name: None, patch }
    }

    fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Self> {
        let (mut name, mut patch) = (None, Value::object());
        for member in node.members("an object", out)? {
            match member.key() {
                "name" if member.is_null() => {}
                "name" => name = member.string("a name", out),
                key if CHANGED_BY_VARIANTS.contains(&key) => {
                    if patch.get(key).is_some() {
                        out.push(member.key_error(format!("`{key}` is there twice")));
                    }
                    patch.push(key, member.value.clone().without_places());
                }
                _ => unknown_key(&member, "a variant", CHANGED_BY_VARIANTS.into_iter().chain(["name"]), out),
            }
        }
        Some(Self { name, patch })
    }

    fn write(&self) -> Value {
        let mut object = Value::object();
        if let Some(name) = &self.name {
            object.push("name", name.as_str());
        }
        for member in self.patch.members() {
            object.push(&member.key, member.value.clone());
        }
        object
    }
}

impl Scenario {
    /// The scenario of an rt-app file: 6.5 beside 6.12.
    #[must_use]
    pub fn of_workload(workload: Workload) -> Self {
        let variants = vec![Variant::of_release(Release::V6_5), Variant::of_release(Release::V6_12)];
        Self { workload, variants, ..Self::default() }
    }

    /// How many CPUs are in use: all, or with `kernel.nosmt` one a core.
    #[must_use]
    pub fn online_cpus(&self) -> u64 {
        if self.kernel.nosmt {
            self.machine.cpus() / u64::from(self.machine.threads_per_core.max(1))
        } else {
            self.machine.cpus()
        }
    }

    /// The simulated time of a run, milliseconds: `run.duration_ms`, otherwise rt-app's
    /// `global.duration`, otherwise [`DEFAULT_DURATION_MS`].
    #[must_use]
    pub fn duration_ms(&self) -> u64 {
        let global = self.workload.global.duration_s.map(|seconds| seconds.saturating_mul(1000));
        self.run.duration_ms.or(global).unwrap_or(DEFAULT_DURATION_MS)
    }

    /// The document as text: strict JSON, two blanks a level, defaults left out, repeated keys
    /// kept. [`crate::open`] gives the same scenario back.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.write().to_pretty()
    }

    /// Sets one value of the document.
    ///
    /// `path` has dots between keys, quotes round a key with a dot, `[n]` for the n-th of a list or
    /// of repeated keys: `workload.tasks."mp3.decoder".run[1]`. `value` is JSON, or a bare text
    /// where text is expected; `null` takes the value away.
    ///
    /// The document is checked key by key; that its parts go together is checked by
    /// [`Scenario::prepare`], so that several values can be set one after the other.
    ///
    /// # Errors
    /// The problems of the document as it would be; the scenario is unchanged then.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Vec<Problem>> {
        let wrong = |message: String| vec![Problem::error(path, message)];
        let parsed = Path::parse(path).map_err(wrong)?;
        self.check_task_of(&parsed).map_err(|problem| vec![problem])?;
        let bare = Value::from(value);
        let json = crate::json::parse(value).ok().map(Value::without_places);
        let attempt = |value: Value| {
            let mut document = self.write();
            assign(&mut document, &parsed, value).map_err(wrong)?;
            let mut found = Vec::new();
            let scenario = Self::read(&Node::root(&document), &mut found);
            for changed in (0..scenario.variants.len()).filter_map(|index| variant_document(&document, index)) {
                Self::read(&Node::root(&changed), &mut found);
            }
            verdict(found).map(|_| scenario)
        };
        let changed = match json {
            // `kernel.release=6.12` reads as a number and means a text.
            Some(json) if json.as_str().is_none() => {
                attempt(json).or_else(|problems| attempt(bare).map_err(|_| problems))?
            }
            json => attempt(json.unwrap_or(bare))?,
        };
        *self = changed;
        Ok(())
    }

    /// A path into a task must name one that is there: a wrong name would make a new, empty task.
    fn check_task_of(&self, path: &Path) -> Result<(), Problem> {
        let [Part::Key(workload), Part::Key(tasks), Part::Key(name), _, ..] = path.parts() else { return Ok(()) };
        let names = || self.workload.tasks.iter().map(|task| task.name.as_str());
        if workload != "workload" || tasks != "tasks" || names().any(|known| known == name) {
            return Ok(());
        }
        let problem = Problem::error(path.to_string(), format!("there is no task `{name}`"));
        Err(problem.suggest(nearest_name(name, names())))
    }

    /// How many variants there are: at least one, the scenario itself.
    #[must_use]
    pub fn variant_count(&self) -> usize {
        self.variants.len().max(1)
    }

    /// A variant, with its changes applied.
    ///
    /// # Errors
    /// The problems of the changed document, or that there is no such variant.
    pub fn variant(&self, index: usize) -> Result<NamedVariant, Vec<Problem>> {
        let Some(changed) = variant_document(&self.write(), index) else {
            return Err(vec![Problem::error(format!("variants[{index}]"), "there is no such variant")]);
        };
        let mut found = Vec::new();
        let scenario = Self::read(&Node::root(&changed), &mut found);
        verdict(found)?;
        Ok(NamedVariant { name: self.variant_name(index, &scenario), scenario })
    }

    /// The name of a variant: its own, or that of its release; with a number where another has it.
    pub(crate) fn variant_name(&self, index: usize, changed: &Self) -> String {
        let release = |variant: &Variant| {
            let release = variant.patch.get("kernel").and_then(|kernel| kernel.get("release"));
            match release.map(|release| &release.kind) {
                Some(Kind::String(text) | Kind::Number(text)) => text.clone(),
                _ => self.kernel.release.name().to_owned(),
            }
        };
        let name = |variant: &Variant| variant.name.clone().unwrap_or_else(|| release(variant));
        let Some(own) = self.variants.get(index).map(name) else { return changed.kernel.release.name().to_owned() };
        match self.variants[..index].iter().filter(|variant| name(variant) == own).count() {
            0 => own,
            earlier => format!("{own} ({})", earlier + 1),
        }
    }

    pub(crate) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut scenario = Self::default();
        let Some(mut fields) = Fields::of(node, "the document", out) else { return scenario };
        fields.take("schema", out);
        if let Some(node) = fields.take("title", out) {
            scenario.title = node.string("a text", out).unwrap_or_default();
        }
        if let Some(node) = fields.take("notes", out) {
            scenario.notes = node.string("a text", out).unwrap_or_default();
        }
        if let Some(node) = fields.take("machine", out) {
            scenario.machine = Machine::read(&node, out);
        }
        if let Some(node) = fields.take("kernel", out) {
            scenario.kernel = Kernel::read(&node, out);
        }
        if let Some(node) = fields.take("groups", out) {
            scenario.groups = Group::read_all(&node, out);
        }
        match fields.take("workload", out) {
            Some(node) => scenario.workload = Workload::read(&node, out),
            None => out.push(node.error("there is no `workload`")),
        }
        if let Some(node) = fields.take("run", out) {
            scenario.run = RunOptions::read(&node, out);
        }
        if let Some(node) = fields.take("variants", out) {
            let items = node.items("a list of variants", out).unwrap_or_default();
            if items.len() > MOST_VARIANTS {
                out.push(node.error(format!("{} variants are more than {MOST_VARIANTS}", items.len())));
                return scenario;
            }
            scenario.variants = items.iter().filter_map(|item| Variant::read(item, out)).collect();
        }
        fields.finish(out);
        scenario
    }

    pub(crate) fn write(&self) -> Value {
        let mut object = Value::object();
        object.push("schema", SCHEMA);
        for (key, text) in [("title", &self.title), ("notes", &self.notes)] {
            if !text.is_empty() {
                object.push(key, text.as_str());
            }
        }
        let mut groups = Value::object();
        for group in &self.groups {
            groups.push(group.path.as_str(), group.write());
        }
        let parts = [("machine", self.machine.write()), ("kernel", self.kernel.write()), ("groups", groups)];
        for (key, part) in parts {
            if !part.members().is_empty() {
                object.push(key, part);
            }
        }
        object.push("workload", self.workload.write());
        let run = self.run.write();
        if !run.members().is_empty() {
            object.push("run", run);
        }
        if !self.variants.is_empty() {
            object.push("variants", self.variants.iter().map(Variant::write).collect::<Vec<_>>());
        }
        object
    }
}

/// The document with the changes of a variant, and without variants; the document itself is the
/// only variant where there are none.
pub(crate) fn variant_document(document: &Value, index: usize) -> Option<Value> {
    let mut patch = Value::object();
    match document.get("variants").map(|variants| &variants.kind) {
        Some(Kind::List(variants)) if !variants.is_empty() => {
            if let Kind::Object(members) = &variants.get(index)?.kind {
                let changes = members.iter().filter(|member| CHANGED_BY_VARIANTS.contains(&member.key.as_str()));
                patch = Kind::Object(changes.cloned().collect()).into();
            }
        }
        _ if index > 0 => return None,
        _ => {}
    }
    patch.push("variants", Value::from(Kind::Null));
    Some(merged(document, &patch))
}

/// Reads a document of any schema number, or an rt-app file, into the present form.
///
/// # Errors
/// When it is neither.
pub(crate) fn present_form(mut root: Value) -> Result<Value, Problem> {
    let Kind::Object(_) = root.kind else {
        let message = format!("expected a scenario document or an rt-app file, not {}", root.describe());
        return Err(Problem::error("", message));
    };
    if root.get("schema").is_some() {
        return match upgrade::upgrade(&mut root) {
            Ok(()) => Ok(root),
            Err(mut problem) => {
                problem.locate(&root);
                Err(problem)
            }
        };
    }
    if root.get("tasks").is_none() {
        let message =
            "this is neither a scenario document (it has no \"schema\") nor an rt-app file (it has no \"tasks\")";
        return Err(Problem::error("", message));
    }
    let variants = Scenario::of_workload(Workload::default()).write();
    let mut document = Value { kind: Kind::Object(Vec::new()), ..root };
    document.push("schema", SCHEMA);
    document.push("workload", root);
    if let Some(variants) = variants.get("variants") {
        document.push("variants", variants.clone());
    }
    Ok(document)
}
