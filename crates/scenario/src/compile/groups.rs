//! The control groups of a run: those of the document, those above them, and those that only tasks
//! name. Not for which task is in which group when: that is part of its attributes.

use std::collections::{HashMap, HashSet};

use schedlab_sim::kernel::Release;
use schedlab_sim::{Bandwidth, GroupId, GroupSpec};

use crate::document::{Group, GroupPath, Max, Scenario};
use crate::path::key_text;
use crate::problem::{Problem, nearest_name};
use crate::workload::{Action, Task};

use super::affinity::{self, Cpus};
use super::checks;
use super::names::{Paths, PhasePath};

/// The most groups of a run, those above others included.
const MOST_GROUPS: usize = 10_000;
/// The most cpu.shares.
const MOST_SHARES: u32 = 262_144;
/// cpu.weight of a group for which none is named.
const DEFAULT_WEIGHT: u32 = 100;

/// The groups of a run, parents first.
pub(super) struct Groups<'s> {
    written: HashMap<&'s GroupPath, &'s Group>,
    ids: HashMap<GroupPath, GroupId>,
    pub specs: Vec<GroupSpec>,
    /// By [`GroupId`]: the CPUs that a group and those above it leave.
    cpus: Vec<Cpus>,
    online: u64,
    release: Release,
    seed: u64,
}

impl<'s> Groups<'s> {
    /// Collects and checks the groups of a scenario; `seed` is that of the run.
    pub fn of(scenario: &'s Scenario, paths: &Paths, seed: u64, found: &mut Vec<Problem>) -> Self {
        let mut groups = Self {
            written: scenario.groups.iter().map(|group| (&group.path, group)).collect(),
            ids: HashMap::new(),
            specs: Vec::new(),
            cpus: Vec::new(),
            online: scenario.online_cpus(),
            release: scenario.kernel.release,
            seed,
        };
        for group in &scenario.groups {
            check(group, scenario, found);
            groups.add(&group.path);
        }
        groups.check_cpus(scenario, found);
        let mut first = (!scenario.groups.is_empty()).then(|| "groups".to_owned());
        for (index, task) in scenario.workload.tasks.iter().enumerate() {
            each_named(task, &paths.tasks[index], |path, at| {
                groups.add(path);
                if first.is_none() && !path.is_root() {
                    first = Some(at());
                }
            });
        }
        if groups.specs.len() > MOST_GROUPS {
            let message = format!("there are more than {MOST_GROUPS} groups, with those above them");
            found.push(Problem::error("groups", message));
        }
        if let Some(first) = first {
            groups.tell_unchecked(&first, found);
        }
        groups.check_weight_events(scenario, paths, found);
        groups
    }

    /// Says what of the groups was checked against no kernel.
    fn tell_unchecked(&self, first: &str, found: &mut Vec<Problem>) {
        let release = self.release.name();
        let message = if self.release.checked_against().is_none() {
            // Nothing of the release was checked, which is told.
            return;
        } else if !self.release.groups_checked() {
            format!("groups in {release} follow the rules but were not checked against a kernel")
        } else if self.online > 1 {
            "how the weight of a group is shared between CPUs follows the rules but was not checked against a kernel"
                .to_owned()
        } else {
            return;
        };
        found.push(Problem::notice(first, message));
    }

    /// A group has at least one CPU of those above it.
    fn check_cpus(&self, scenario: &Scenario, found: &mut Vec<Problem>) {
        for group in &scenario.groups {
            let Some(id) = self.id(&group.path) else { continue };
            let parent = self.specs.get(id.0 as usize).and_then(|spec| spec.parent);
            if group.cpus.is_some() && affinity::is_empty(self.cpus(Some(id))) && !affinity::is_empty(self.cpus(parent))
            {
                let path = format!("groups.{}.cpus", key_text(group.path.as_str()));
                let (above, has) = (self.path(parent), affinity::words(self.cpus(parent)));
                found.push(Problem::error(path, format!("no CPU is left: the group above, {above}, has {has}")));
            }
        }
    }

    /// The CPUs that a group leaves its tasks; none: all.
    pub fn cpus(&self, group: Option<GroupId>) -> &Cpus {
        group.and_then(|group| self.cpus.get(group.0 as usize)).unwrap_or(&None)
    }

    /// Whether some group has not all CPUs.
    pub fn limit_cpus(&self) -> bool {
        self.cpus.iter().any(Option::is_some)
    }

    /// The CPUs that a task asks for; none: all.
    pub fn asked(&self, list: Option<&[u32]>) -> Cpus {
        list.and_then(|list| affinity::set(list, self.online))
    }

    /// The CPUs that a task of a group may use, which asks for those of a list; none: all.
    pub fn allowed(&self, group: Option<GroupId>, asked: Option<&[u32]>) -> Cpus {
        affinity::common(self.cpus(group), &self.asked(asked))
    }

    /// The path of a group.
    pub fn path(&self, group: Option<GroupId>) -> &str {
        group.and_then(|group| self.specs.get(group.0 as usize)).map_or("/", |spec| spec.path.as_str())
    }

    /// The group of a path; none for the root.
    pub fn id(&self, path: &GroupPath) -> Option<GroupId> {
        self.ids.get(path).copied()
    }

    /// Adds a group and those above it. Beyond the limit, which is told, there are no more.
    fn add(&mut self, path: &GroupPath) {
        if self.ids.contains_key(path) {
            return;
        }
        let mut parent = None;
        for path in path.lineage() {
            let next = GroupId(u32::try_from(self.specs.len()).unwrap_or(u32::MAX));
            if let Some(&known) = self.ids.get(&path) {
                parent = Some(known);
            } else if self.specs.len() <= MOST_GROUPS {
                let own = self.written.get(&path).and_then(|group| group.cpus.as_deref());
                self.cpus.push(self.allowed(parent, own));
                self.specs.push(self.spec(&path, parent));
                self.ids.insert(path, next);
                parent = Some(next);
            }
        }
    }

    fn spec(&self, path: &GroupPath, parent: Option<GroupId>) -> GroupSpec {
        let written = self.written.get(path).copied();
        let shares = written.and_then(|group| group.shares).map(weight_of_shares);
        let limit = written.and_then(|group| group.max.as_ref());
        GroupSpec {
            path: path.to_string(),
            parent,
            weight: written.and_then(|group| group.weight).or(shares).unwrap_or(DEFAULT_WEIGHT),
            idle: written.is_some_and(|group| group.idle),
            latency_nice: written.and_then(|group| group.latency_nice).unwrap_or(0),
            max: limit.and_then(|max| self.bandwidth(path, max)),
        }
    }

    /// The limit as the engine takes it. The first period ends at a random instant after 6.1
    /// (scheduler-model §4.18); the draw belongs to the path, so that other groups leave it alone.
    fn bandwidth(&self, path: &GroupPath, max: &Max) -> Option<Bandwidth> {
        let ns = |us: u64| us.saturating_mul(1000);
        let period_ns = ns(max.period_us);
        let random = xxhash_rust::xxh3::xxh3_64_with_seed(path.as_str().as_bytes(), self.seed);
        let phase_ns = if self.release > Release::V6_1 { random.checked_rem(period_ns).unwrap_or(0) } else { 0 };
        max.quota_us.map(|quota| Bandwidth { quota_ns: ns(quota), period_ns, burst_ns: ns(max.burst_us), phase_ns })
    }

    /// A weight can be written to a group that is there, and has an effect on one that is not idle.
    fn check_weight_events(&self, scenario: &Scenario, paths: &Paths, found: &mut Vec<Problem>) {
        let mut told = HashSet::new();
        for (index, task) in scenario.workload.tasks.iter().enumerate() {
            paths.each_event(index, task, |event, at| {
                let Action::Weight { group, .. } = &event.action else { return };
                let problem = if group.is_root() {
                    Problem::error(at(), "the root group has no weight")
                } else if !self.ids.contains_key(group) {
                    let known = self.ids.keys().map(GroupPath::as_str);
                    let near = if told.len() < 50 { nearest_name(group.as_str(), known) } else { None };
                    Problem::error(at(), format!("there is no group {group}")).suggest(near)
                } else if self.written.get(group).is_some_and(|group| group.idle) {
                    Problem::notice(at(), format!("{group} is idle (cpu.idle): the kernel refuses a weight for it"))
                } else {
                    return;
                };
                if told.insert(group) {
                    found.push(problem);
                }
            });
        }
    }
}

/// Calls `visit` for every group that a task names to be in, with a function that gives the place.
fn each_named(task: &Task, path: &str, mut visit: impl FnMut(&GroupPath, &dyn Fn() -> String)) {
    if let Some(group) = &task.attributes.taskgroup {
        visit(group, &|| format!("{path}.taskgroup"));
    }
    for (phase, path) in task.phases.iter().zip(PhasePath::all(path, task)) {
        if let Some(group) = &phase.attributes.taskgroup {
            visit(group, &|| format!("{}.taskgroup", path.path));
        }
        for (position, event) in phase.events.iter().enumerate() {
            if let Action::Move(group) = &event.action {
                visit(group, &|| path.event(position));
            }
        }
    }
}

/// Checks whether what a group names goes together, and goes with kernel and machine.
fn check(group: &Group, scenario: &Scenario, found: &mut Vec<Problem>) {
    let path = format!("groups.{}", key_text(group.path.as_str()));
    if group.weight.is_some() && group.shares.is_some() {
        found.push(Problem::error(&path, "a group has either a weight or shares"));
    }
    for (key, _) in [("weight", group.weight), ("shares", group.shares)].iter().filter(|(_, value)| value.is_some()) {
        if group.idle {
            let message = format!("the kernel refuses a weight for an idle group: leave out `{key}` or `idle`");
            found.push(Problem::error(format!("{path}.{key}"), message));
        }
    }
    if let Some(shares) = group.shares {
        let weight = weight_of_shares(shares);
        let exact = shares_of_weight(weight);
        if exact != shares {
            let message = format!("no cpu.weight is {shares} shares; the group has {exact} (cpu.weight {weight})");
            found.push(Problem::notice(format!("{path}.shares"), message));
        }
    }
    if let Some(Max { quota_us: Some(quota), burst_us, .. }) = &group.max
        && burst_us > quota
    {
        let message = format!("expected a burst of at most the quota, {quota} µs, not {burst_us}");
        found.push(Problem::error(format!("{path}.max.burst_us"), message));
    }
    checks::cpus(group.cpus.as_deref(), scenario, &path, found);
    if group.latency_nice.is_some() {
        checks::latency_nice(scenario.kernel.release, &path, found);
    }
}

/// The shares that a cpu.weight is (scheduler-model §4.16).
const fn shares_of_weight(weight: u32) -> u32 {
    (weight * 1024 + 50) / 100
}

/// The cpu.weight whose shares are nearest.
fn weight_of_shares(shares: u32) -> u32 {
    ((shares.min(MOST_SHARES) * 100 + 512) / 1024).clamp(1, 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_is_the_nearest_of_its_shares() {
        for weight in 1..=10_000 {
            assert_eq!(weight_of_shares(shares_of_weight(weight)), weight);
        }
    }

    #[test]
    fn no_other_weight_is_nearer() {
        for shares in (2..=1100).chain([102_399, 102_400, 102_401, 262_144]) {
            let distance = |weight: u32| shares_of_weight(weight).abs_diff(shares);
            let nearest = weight_of_shares(shares);
            assert_eq!((1..=10_000).map(distance).min(), Some(distance(nearest)), "{shares}");
        }
    }
}
