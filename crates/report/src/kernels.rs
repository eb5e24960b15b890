//! The releases with their flags, tunables and preemption models, and what each was checked
//! against: the table of `schedlab kernels`, and of the page.
//! Not for printing it, and not for the rules: `docs/model.md` has those.

use schedlab_sim::kernel::{Acts, FEATURES, Feature, Kernel, PreemptionModel, Release, TUNABLES, Tunable, cpu_factor};
use serde::Serialize;

/// The numbers of CPUs for which tunables are told when none is asked for.
pub const USUAL_CPUS: [u32; 4] = [1, 2, 4, 8];

/// A release in the list of all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReleaseRow {
    /// Its name in documents.
    pub release: &'static str,
    /// `CFS` or `EEVDF`.
    pub class: &'static str,
    /// What its rules on one CPU were checked against; none: nothing.
    pub checked_against: Option<&'static str>,
    /// Whether groups, with their weights and limits, were checked too.
    pub groups_checked: bool,
    /// The preemption models it can be run with.
    pub preemption_models: Vec<&'static str>,
    /// The one it is run with unless another is chosen.
    pub preemption_default: &'static str,
}

/// A release with everything that can be set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReleaseDetail {
    /// What the list says of it.
    #[serde(flatten)]
    pub row: ReleaseRow,
    /// Its flags.
    pub features: Vec<FeatureRow>,
    /// The numbers of CPUs for which `tunables` gives defaults.
    pub cpus: Vec<u32>,
    /// Its tunables.
    pub tunables: Vec<TunableRow>,
}

/// A flag of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureRow {
    /// Its name in the kernel.
    pub name: &'static str,
    /// Whether it is on by default.
    pub default: bool,
    /// What it does.
    pub meaning: &'static str,
    /// The section of `docs/model.md` that has its rule.
    pub section: &'static str,
    /// `one CPU`, `many CPUs` or `nothing that is modelled`.
    pub acts_on: &'static str,
    /// The releases that have it.
    pub exists_in: String,
    /// It was proposed and never merged: no kernel has it.
    pub proposed: bool,
}

/// A tunable of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunableRow {
    /// Its name in documents, with its unit.
    pub name: &'static str,
    /// Its default for each number of CPUs asked for.
    pub defaults: Vec<u64>,
    /// The smallest accepted value.
    pub least: u64,
    /// The largest accepted value.
    pub most: u64,
    /// What it does.
    pub meaning: &'static str,
    /// The section of `docs/model.md` that has its rule.
    pub section: &'static str,
    /// Whether its default grows with the number of CPUs.
    pub scaled: bool,
}

/// Every release, oldest rules first.
#[must_use]
pub fn releases() -> Vec<ReleaseRow> {
    Release::ALL.into_iter().map(row).collect()
}

fn row(release: Release) -> ReleaseRow {
    ReleaseRow {
        release: release.name(),
        class: release.class().name(),
        checked_against: release.checked_against(),
        groups_checked: release.groups_checked(),
        preemption_models: PreemptionModel::ALL
            .into_iter()
            .filter(|model| model.exists_in(release))
            .map(PreemptionModel::name)
            .collect(),
        preemption_default: PreemptionModel::default_of(release).name(),
    }
}

/// One release, with the defaults of its tunables on machines of `cpus` CPUs.
#[must_use]
pub fn release(release: Release, cpus: &[u32]) -> ReleaseDetail {
    let features = FEATURES.iter().filter_map(|info| {
        Some(FeatureRow {
            name: info.name,
            default: info.feature.default_in(release)?,
            meaning: info.meaning,
            section: info.section,
            acts_on: match info.acts {
                Acts::OneCpu => "one CPU",
                Acts::ManyCpus => "many CPUs",
                Acts::Nothing => "nothing that is modelled",
            },
            exists_in: info.feature.existence(),
            proposed: info.feature == Feature::RespectSlice,
        })
    });
    let tunables = TUNABLES.iter().filter(|info| info.tunable.exists_in(release)).map(|info| TunableRow {
        name: info.name,
        defaults: cpus.iter().map(|cpus| default(release, info.tunable, *cpus)).collect(),
        least: info.least,
        most: info.most,
        meaning: info.meaning,
        section: info.section,
        scaled: cpu_factor(8) > 1 && default(release, info.tunable, 8) != default(release, info.tunable, 1),
    });
    ReleaseDetail { row: row(release), features: features.collect(), cpus: cpus.to_vec(), tunables: tunables.collect() }
}

fn default(release: Release, tunable: Tunable, cpus: u32) -> u64 {
    Kernel::new(release, cpus).tunable(tunable)
}

/// The releases nearest to a name that is none: for a version the modelled ones before and after
/// it, otherwise the names that differ least.
#[must_use]
pub fn nearest(name: &str) -> Vec<&'static str> {
    let Some(asked) = version(name) else { return alike(name) };
    let mut known: Vec<((u32, u32), &str)> =
        Release::ALL.iter().filter_map(|release| Some((version(release.name())?, release.name()))).collect();
    known.sort_unstable();
    let before = known.iter().rev().find(|(version, _)| *version <= asked);
    let after = known.iter().find(|(version, _)| *version > asked);
    match (before, after) {
        (Some((exact, name)), _) if *exact == asked => vec![name],
        (before, after) => before.into_iter().chain(after).map(|(_, name)| *name).collect(),
    }
}

/// `6.12` of `6.12`, `v6.12.3` or `6.12-rc1`; a name with another suffix has no version here.
fn version(name: &str) -> Option<(u32, u32)> {
    let name = name.trim_start_matches("linux-").trim_start_matches('v');
    let (name, suffix) = name.split_once('-').unwrap_or((name, ""));
    if !suffix.is_empty() && !suffix.starts_with("rc") {
        return None;
    }
    let mut parts = name.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn alike(name: &str) -> Vec<&'static str> {
    let distance = |known: &str| strsim::damerau_levenshtein(&name.to_lowercase(), known);
    let least = Release::ALL.iter().map(|release| distance(release.name())).min().unwrap_or(0);
    Release::ALL.iter().map(|release| release.name()).filter(|known| distance(known) == least).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_release_is_the_one_before_and_the_one_after() {
        for (name, expected) in [
            ("6.10", ["6.8", "6.12"].as_slice()),
            ("6.13.2", &["6.13"]),
            ("v6.12", &["6.12"]),
            ("5.15", &["6.1"]),
            ("8.0", &["7.3"]),
            ("eevdf_rfc", &["eevdf-rfc"]),
            ("6.12-stabel", &["6.12-stable"]),
        ] {
            assert_eq!(nearest(name), expected, "{name}");
        }
    }

    #[test]
    fn defaults_are_the_kernels() {
        let detail = release(Release::V6_5, &USUAL_CPUS);
        let latency = detail.tunables.iter().find(|row| row.name == "latency_ns").unwrap();
        assert_eq!(
            (latency.defaults.as_slice(), latency.scaled),
            ([6_000_000, 12_000_000, 18_000_000, 24_000_000].as_slice(), true)
        );
        assert!(detail.features.iter().all(|row| row.name != "RUN_TO_PARITY"));
        let detail = release(Release::V6_14, &[1]);
        let respect = detail.features.iter().find(|row| row.name == "RESPECT_SLICE").unwrap();
        assert!(respect.proposed && !respect.default);
        assert_eq!(detail.row.preemption_models, ["none", "voluntary", "full", "lazy"]);
    }
}
