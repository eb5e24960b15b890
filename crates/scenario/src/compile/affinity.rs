//! Which CPUs a task may use: those that it names, as far as its group has them.
//! Not for whether they are there: [`super::checks`] says that.

use std::sync::Arc;

use schedlab_sim::GroupId;

use crate::problem::Problem;
use crate::workload::{Action, Attributes, Phase};

use super::attributes::State;
use super::groups::Groups;
use super::names::PhasePath;

/// A set of CPUs, ascending; none: all.
pub(super) type Cpus = Option<Arc<[u32]>>;

/// The CPUs of a list, ascending and once each; none if those are all.
pub(super) fn set(list: &[u32], online: u64) -> Cpus {
    let mut cpus = list.to_vec();
    cpus.sort_unstable();
    cpus.dedup();
    ((cpus.len() as u64) < online).then(|| cpus.into())
}

/// What two sets have in common.
pub(super) fn common(first: &Cpus, second: &Cpus) -> Cpus {
    match (first, second) {
        (None, other) | (other, None) => other.clone(),
        (Some(first), Some(second)) => Some(first.iter().filter(|cpu| second.contains(cpu)).copied().collect()),
    }
}

/// Whether there is no CPU left.
pub(super) fn is_empty(cpus: &Cpus) -> bool {
    cpus.as_ref().is_some_and(|cpus| cpus.is_empty())
}

/// A set in words.
pub(super) fn words(cpus: &Cpus) -> String {
    match cpus {
        None => "all".to_owned(),
        Some(cpus) => cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn none_left(groups: &Groups<'_>, group: Option<GroupId>, asked: Option<&[u32]>, path: String) -> Option<Problem> {
    let (own, of_group) = (groups.asked(asked), groups.cpus(group));
    (!is_empty(of_group) && is_empty(&common(&own, of_group))).then(|| {
        let (own, name, has) = (words(&own), groups.path(group), words(of_group));
        Problem::error(path, format!("no CPU is left: the task may use {own}, its group {name} {has}"))
    })
}

/// Tells when attributes that lead to `state` leave no CPU.
pub(super) fn check(attributes: &Attributes, state: State<'_>, groups: &Groups<'_>, path: &str) -> Option<Problem> {
    let key = if attributes.cpus.is_some() { "cpus" } else { "taskgroup" };
    none_left(groups, state.group, state.cpus, format!("{path}.{key}"))
}

/// Tells when a `move` event of a phase leaves no CPU; `asked` is what the task itself asked for.
pub(super) fn check_moves(
    phase: &Phase,
    asked: Option<&[u32]>,
    groups: &Groups<'_>,
    path: &PhasePath<'_>,
    found: &mut Vec<Problem>,
) {
    for (position, event) in phase.events.iter().enumerate() {
        if let Action::Move(group) = &event.action {
            found.extend(none_left(groups, groups.id(group), asked, path.event(position)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sorted_and_all_is_none() {
        assert_eq!(set(&[3, 1, 1], 4).as_deref(), Some(&[1, 3][..]));
        assert_eq!(set(&[1, 0, 1], 2), None);
        let (low, high) = (set(&[0, 1], 4), set(&[1, 2], 4));
        assert_eq!(common(&low, &high).as_deref(), Some(&[1][..]));
        assert_eq!(common(&None, &high), high);
        assert!(is_empty(&common(&set(&[0], 4), &set(&[1], 4))) && !is_empty(&None));
    }
}
