//! The `kernel` of a document: release, features, tunables.
//! Not for the rules behind them: those are in `schedlab_sim`.

use std::collections::BTreeMap;

use schedlab_sim::kernel::{CoreScheduling, FEATURES, Feature, PreemptionModel, Release, TUNABLES, Tunable};

use crate::json::{Kind, Value};
use crate::problem::{Problem, nearest_name};
use crate::read::{Fields, Node, unknown_key};

/// The kernel of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The release.
    pub release: Release,
    /// Flags that differ from the release's defaults, or that a document names anyway.
    pub features: BTreeMap<Feature, bool>,
    /// Tunables that a document names: final values, as debugfs shows them.
    pub tunables: BTreeMap<Tunable, u64>,
    /// The core scheduler: which tasks may share a core.
    pub core_sched: CoreScheduling,
    /// Whether all hardware threads of a core but the first are off. The CPUs that are left are
    /// numbered from 0, and tunables that follow the number of CPUs count only them.
    pub nosmt: bool,
    /// The preemption model, if a document names one.
    pub preempt: Option<PreemptionModel>,
}

impl Default for Kernel {
    fn default() -> Self {
        Self {
            release: Release::V6_12,
            features: BTreeMap::new(),
            tunables: BTreeMap::new(),
            core_sched: CoreScheduling::Off,
            nosmt: false,
            preempt: None,
        }
    }
}

impl Kernel {
    /// A release as it comes.
    #[must_use]
    pub fn of(release: Release) -> Self {
        Self { release, ..Self::default() }
    }

    pub(crate) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut kernel = Self::default();
        let Some(mut fields) = Fields::of(node, "kernel", out) else { return kernel };
        if let Some(node) = fields.take("release", out) {
            kernel.release = read_release(&node, out).unwrap_or(kernel.release);
        }
        if let Some(node) = fields.take("features", out) {
            kernel.features = read_features(&node, out);
        }
        if let Some(node) = fields.take("tunables", out) {
            kernel.tunables = read_tunables(&node, out);
        }
        if let Some(node) = fields.take("core_sched", out) {
            let kinds = CoreScheduling::ALL.map(|kind| (kind.name(), kind));
            kernel.core_sched = node.one_of("core scheduler", &kinds, out).unwrap_or_default();
        }
        kernel.nosmt = fields.take("nosmt", out).and_then(|node| node.boolean(out)).unwrap_or(false);
        let models = PreemptionModel::ALL.map(|model| (model.name(), model));
        kernel.preempt = fields.take("preempt", out).and_then(|node| node.one_of("preemption model", &models, out));
        fields.finish(out);
        kernel
    }

    pub(crate) fn write(&self) -> Value {
        let mut object = Value::object();
        if self.release != Self::default().release {
            object.push("release", self.release.name());
        }
        if !self.features.is_empty() {
            let mut features = Value::object();
            for (feature, &on) in &self.features {
                features.push(feature.name(), on);
            }
            object.push("features", features);
        }
        if !self.tunables.is_empty() {
            let mut tunables = Value::object();
            for (tunable, &value) in &self.tunables {
                tunables.push(tunable.info().name, value);
            }
            object.push("tunables", tunables);
        }
        if self.core_sched != CoreScheduling::Off {
            object.push("core_sched", self.core_sched.name());
        }
        if self.nosmt {
            object.push("nosmt", true);
        }
        if let Some(preempt) = &self.preempt {
            object.push("preempt", preempt.name());
        }
        object
    }
}

fn read_release(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Release> {
    // A name without quotes reads as a number; its text is the name all the same.
    let text = match &node.value.kind {
        Kind::Number(text) => text.clone(),
        _ => node.string("the name of a release, such as \"6.12\"", out)?,
    };
    let release = Release::parse(&text);
    if release.is_none() {
        let names = Release::ALL.map(Release::name);
        let problem = node.error(format!("there is no release \"{text}\"; known: {}", names.join(", ")));
        out.push(problem.suggest(nearest_name(&text, names)));
    }
    release
}

fn read_features(node: &Node<'_>, out: &mut Vec<Problem>) -> BTreeMap<Feature, bool> {
    let mut features = BTreeMap::new();
    for flag in node.members("an object of flags", out).unwrap_or_default() {
        if flag.is_null() {
            continue;
        }
        let Some(feature) = Feature::parse(flag.key()) else {
            match flag.key().strip_prefix("NO_").and_then(Feature::parse) {
                Some(feature) => {
                    let name = feature.name();
                    out.push(flag.key_error(format!("write \"{name}\": false to turn {name} off")));
                }
                None => unknown_key(&flag, "features", FEATURES.iter().map(|info| info.name), out),
            }
            continue;
        };
        if let Some(on) = flag.boolean(out)
            && features.insert(feature, on).is_some()
        {
            out.push(flag.key_error(format!("{} is there twice", feature.name())));
        }
    }
    features
}

fn read_tunables(node: &Node<'_>, out: &mut Vec<Problem>) -> BTreeMap<Tunable, u64> {
    let mut tunables = BTreeMap::new();
    for entry in node.members("an object of tunables", out).unwrap_or_default() {
        if entry.is_null() {
            continue;
        }
        let Some(tunable) = Tunable::parse(entry.key()) else {
            unknown_key(&entry, "tunables", TUNABLES.iter().map(|info| info.name), out);
            continue;
        };
        let info = tunable.info();
        if let Some(value) = entry.unsigned("a whole number", info.least..=info.most, out)
            && tunables.insert(tunable, value).is_some()
        {
            out.push(entry.key_error(format!("{} is there twice", info.name)));
        }
    }
    tunables
}
