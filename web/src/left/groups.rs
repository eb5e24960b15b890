//! The control groups: path, weight or idle, and the limit of cpu.max.
//! Not for which task is in which: the task's form has that.

use std::rc::Rc;

use schedlab_scenario::{Group, GroupPath, Max, Scenario};
use yew::prelude::*;

use crate::parts::{Field, whole};
use crate::state::Edit;

/// Of which scenario.
#[derive(Properties, PartialEq)]
pub struct GroupsProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
}

/// The kernel's default weight and period, and what it takes.
const USUAL_WEIGHT: u32 = 100;
const MOST_WEIGHT: u64 = 10_000;
const USUAL_PERIOD_US: u64 = 100_000;
const LEAST_US: u64 = 1_000;
const MOST_PERIOD_US: u64 = 1_000_000;
const MOST_QUOTA_US: u64 = 1_000_000_000;

/// The groups.
#[component]
pub fn Groups(props: &GroupsProps) -> Html {
    let groups = &props.scenario.groups;
    let on_edit = props.on_edit.clone();
    let count = groups.len();
    let add = Callback::from(move |_: MouseEvent| {
        on_edit.emit(Edit::new(format!("groups+{count}"), |scenario| {
            if let Some(path) = free_path(scenario) {
                scenario.groups.push(Group::new(path));
            }
        }));
    });
    html! {
        <>
            <h2>{ "Groups" }<small>{ "cgroups that differ from the default" }</small></h2>
            { for groups.iter().enumerate().map(|(index, group)| card(props, index, group)) }
            <button type="button" class="add" onclick={add}>{ "+ group" }</button>
        </>
    }
}

/// The first of `/a`, `/b` … that no group has yet; one that a task names already is welcome.
fn free_path(scenario: &Scenario) -> Option<GroupPath> {
    let named = scenario.workload.tasks.iter().filter_map(|task| task.attributes.taskgroup.clone());
    let fresh = (b'a'..=b'z').filter_map(|letter| GroupPath::parse(&format!("/{}", char::from(letter))).ok());
    let numbered = (1..).map_while(|number| GroupPath::parse(&format!("/group{number}")).ok());
    let free = |path: &GroupPath| !path.is_root() && scenario.groups.iter().all(|group| group.path != *path);
    named.chain(fresh).chain(numbered).find(free)
}

/// Gives a group another path; its tasks go along.
fn put_path(scenario: &mut Scenario, index: usize, path: GroupPath) {
    let Some(group) = scenario.groups.get_mut(index) else { return };
    let old = std::mem::replace(&mut group.path, path.clone());
    let tasks = scenario.workload.tasks.iter_mut();
    let attributes = tasks.flat_map(|task| {
        std::iter::once(&mut task.attributes).chain(task.phases.iter_mut().map(|p| &mut p.attributes))
    });
    for named in attributes.filter_map(|attributes| attributes.taskgroup.as_mut()).filter(|named| **named == old) {
        named.clone_from(&path);
    }
}

/// Sets the quota; without one there is no limit, unless a period or burst is named.
fn put_quota(group: &mut Group, quota_us: Option<u64>) {
    let usual = Max { quota_us: None, period_us: USUAL_PERIOD_US, burst_us: 0 };
    let max = Max { quota_us, ..group.max.clone().unwrap_or(usual.clone()) };
    group.max = (max != usual).then_some(max);
}

fn put_period(group: &mut Group, period_us: Option<u64>) {
    let quota_us = group.max.as_ref().and_then(|max| max.quota_us);
    let burst_us = group.max.as_ref().map_or(0, |max| max.burst_us);
    group.max = Some(Max { quota_us, period_us: period_us.unwrap_or(USUAL_PERIOD_US), burst_us });
    put_quota(group, quota_us);
}

/// A change of one group.
fn edit(index: usize, what: &str, apply: impl FnOnce(&mut Group) + 'static) -> Edit {
    Edit::new(format!("group{index}.{what}"), move |scenario| {
        if let Some(group) = scenario.groups.get_mut(index) {
            apply(group);
        }
    })
}

fn card(props: &GroupsProps, index: usize, group: &Group) -> Html {
    // A number or nothing, which is the default.
    let number = |what: &'static str, least: u64, most: u64, put: fn(&mut Group, Option<u64>)| {
        let on_edit = props.on_edit.clone();
        Callback::from(move |text: String| {
            let text = text.trim();
            let value = if text.is_empty() { None } else { Some(whole(text, least, most)?) };
            on_edit.emit(edit(index, what, move |group| put(group, value)));
            Ok(())
        })
    };
    let on_path = {
        let (on_edit, scenario) = (props.on_edit.clone(), Rc::clone(&props.scenario));
        Callback::from(move |text: String| {
            let path = GroupPath::parse(text.trim())?;
            let others = scenario.groups.iter().enumerate().filter(|(place, _)| *place != index);
            if path.is_root() || others.into_iter().any(|(_, other)| other.path == path) {
                return Err("a path of its own, such as /a/b".to_owned());
            }
            on_edit.emit(Edit::new(format!("group{index}.path"), move |scenario| put_path(scenario, index, path)));
            Ok(())
        })
    };
    let on_idle = {
        let (on_edit, idle) = (props.on_edit.clone(), !group.idle);
        Callback::from(move |_: Event| {
            on_edit.emit(edit(index, "idle", move |group| {
                group.idle = idle;
                if idle {
                    // An idle group has no weight.
                    (group.weight, group.shares) = (None, None);
                }
            }));
        })
    };
    let remove = {
        let on_edit = props.on_edit.clone();
        Callback::from(move |_: MouseEvent| {
            on_edit.emit(Edit::new(format!("group-{index}"), move |scenario| {
                if index < scenario.groups.len() {
                    scenario.groups.remove(index);
                }
            }));
        })
    };
    let quota = group.max.as_ref().and_then(|max| max.quota_us);
    let period = group.max.as_ref().map(|max| max.period_us).filter(|us| *us != USUAL_PERIOD_US);
    let text = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    html! {
        <div class="task" key={index} role="group" aria-label={format!("Group {}", group.path)}>
            <div class="row">
                <b>{ group.path.to_string() }</b><span class="grow" />
                <button type="button" class="quiet small" onclick={remove} aria-label={format!("Remove group {}", group.path)}>{ "Remove" }</button>
            </div>
            <div class="form">
                <div class="fields">
                    <Field label="Path" number=false value={group.path.to_string()} on_change={on_path} />
                    if !group.idle {
                        <Field label="cpu.weight" placeholder="100" value={text(group.weight.map(u64::from))}
                            changed={group.weight.is_some_and(|weight| weight != USUAL_WEIGHT)}
                            on_change={number("weight", 1, MOST_WEIGHT, |group, weight| {
                                group.weight = weight.and_then(|weight| u32::try_from(weight).ok());
                                group.shares = None;
                            })} />
                    }
                    <Field label="Quota, µs" placeholder="no limit" value={text(quota)} changed={quota.is_some()}
                        on_change={number("quota", LEAST_US, MOST_QUOTA_US, put_quota)} />
                    <Field label="Period, µs" placeholder="100000" value={text(period)} changed={period.is_some()}
                        on_change={number("period", LEAST_US, MOST_PERIOD_US, put_period)} />
                </div>
                <label class={classes!("check", group.idle.then_some("changed"))}>
                    <input type="checkbox" checked={group.idle} onchange={on_idle} />
                    <span>{ "cpu.idle: runs when nothing else wants the CPU" }</span>
                </label>
                if let Some(shares) = group.shares { <p class="mute hint">{ format!("cpu.shares {shares}, of the old interface") }</p> }
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use schedlab_scenario::Task;

    use super::*;

    fn path(text: &str) -> GroupPath {
        GroupPath::parse(text).expect("a path")
    }

    #[test]
    fn a_new_group_is_one_that_a_task_names_or_a_free_one() {
        let mut scenario = Scenario { groups: vec![Group::new(path("/a"))], ..Scenario::default() };
        assert_eq!(free_path(&scenario), Some(path("/b")));
        let mut task = Task::new("x", Vec::new());
        task.attributes.taskgroup = Some(path("/web"));
        scenario.workload.tasks.push(task);
        assert_eq!(free_path(&scenario), Some(path("/web")));
    }

    #[test]
    fn tasks_go_along_with_a_new_path() {
        let mut task = Task::new("x", Vec::new());
        task.attributes.taskgroup = Some(path("/a"));
        let mut scenario = Scenario { groups: vec![Group::new(path("/a"))], ..Scenario::default() };
        scenario.workload.tasks.push(task);
        put_path(&mut scenario, 0, path("/b/c"));
        assert_eq!(scenario.workload.tasks[0].attributes.taskgroup, Some(path("/b/c")));
        assert_eq!(scenario.groups[0].path, path("/b/c"));
    }

    #[test]
    fn a_limit_is_set_and_taken_back() {
        let mut group = Group::new(path("/a"));
        put_quota(&mut group, Some(20_000));
        put_period(&mut group, Some(50_000));
        assert_eq!(group.max, Some(Max { quota_us: Some(20_000), period_us: 50_000, burst_us: 0 }));
        put_quota(&mut group, None);
        assert_eq!(group.max.as_ref().map(|max| max.period_us), Some(50_000), "a period stays as it was typed");
        put_period(&mut group, None);
        assert_eq!(group.max, None);
    }
}
