//! The form of one task: its settings, and its phases with their events.
//! Not for single events.

use schedlab_scenario::{Action, GroupPath, Loops, MOST_US, Phase, Policy, Start, Task};
use yew::prelude::*;

use super::events::Events;
use super::numbers;
use super::tasks::free_name;
use crate::parts::{Field, Select, whole};
use crate::state::Edit;

/// The largest cookie of a document.
const MOST_COOKIE: u64 = 1 << 53;

/// The largest working set of a document, KiB: a terabyte.
const MOST_WORKING_SET_KIB: u64 = 1 << 30;

/// Which task.
#[derive(Properties, PartialEq)]
pub struct TaskFormProps {
    /// The task.
    pub task: Task,
    /// Its place.
    pub index: usize,
    /// How many CPUs the machine has.
    pub cpus: u64,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
    /// Selects another task, or none.
    pub on_select: Callback<Option<usize>>,
}

/// The form.
#[component]
pub fn TaskForm(props: &TaskFormProps) -> Html {
    let phases = props.task.phases.iter().enumerate().map(|(number, phase)| phase_form(props, number, phase));
    let add_phase = change(props, "phases+", |task| {
        let name = format!("phase{}", task.phases.len() + 1);
        // A phase without a name stands for the task itself; beside others it needs one.
        for (number, phase) in task.phases.iter_mut().enumerate().filter(|(_, phase)| phase.name.is_empty()) {
            phase.name = format!("phase{}", number + 1);
        }
        task.phases.push(Phase { name, ..Phase::unnamed(Vec::new()) });
    });
    html! {
        <div class="form">
            { settings(props) }
            { for phases }
            <div class="actions">
                <button type="button" class="small" onclick={add_phase}>{ "Add phase" }</button>
                <span class="grow" />
                <button type="button" class="small" onclick={duplicate(props)}>{ "Duplicate task" }</button>
                <button type="button" class="small" onclick={remove(props)}>{ "Remove task" }</button>
            </div>
        </div>
    }
}

/// A click that changes the task.
fn change(props: &TaskFormProps, what: &str, apply: impl Fn(&mut Task) + Clone + 'static) -> Callback<MouseEvent> {
    let (on_edit, index, what) = (props.on_edit.clone(), props.index, what.to_owned());
    Callback::from(move |_: MouseEvent| {
        let apply = apply.clone();
        on_edit.emit(edit(index, &what, move |task| apply(task)));
    })
}

/// A change of one task.
pub(super) fn edit(index: usize, what: &str, apply: impl FnOnce(&mut Task) + 'static) -> Edit {
    Edit::new(format!("task{index}.{what}"), move |scenario| {
        if let Some(task) = scenario.workload.tasks.get_mut(index) {
            apply(task);
        }
    })
}

/// A text field that reads a value and puts it into the task.
fn field<T: 'static>(
    props: &TaskFormProps,
    what: &'static str,
    read: impl Fn(&str) -> Result<T, String> + 'static,
    put: fn(&mut Task, T),
) -> Callback<String, Result<(), String>> {
    let (on_edit, index) = (props.on_edit.clone(), props.index);
    Callback::from(move |text: String| {
        let value = read(text.trim())?;
        on_edit.emit(edit(index, what, move |task| put(task, value)));
        Ok(())
    })
}

/// An empty field is the default.
fn optional<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if text.is_empty() { Ok(None) } else { read(text).map(Some) }
}

/// A policy as the kernel calls it: NORMAL is rt-app's SCHED_OTHER.
pub(super) fn shown(policy: Policy) -> &'static str {
    match policy {
        Policy::Other => "NORMAL",
        other => other.name().trim_start_matches("SCHED_"),
    }
}

fn settings(props: &TaskFormProps) -> Html {
    let task = &props.task;
    let attributes = &task.attributes;
    let policy = attributes.policy.unwrap_or_default();
    let policies = Policy::ALL.map(|policy| (policy.name().to_owned(), shown(policy).to_owned())).to_vec();
    let on_policy = {
        let (on_edit, index) = (props.on_edit.clone(), props.index);
        Callback::from(move |name: String| {
            let policy = Policy::ALL.into_iter().find(|policy| policy.name() == name).filter(|p| *p != Policy::Other);
            on_edit.emit(edit(index, "policy", move |task| task.attributes.policy = policy));
        })
    };
    let on_start = {
        let (on_edit, index) = (props.on_edit.clone(), props.index);
        Callback::from(move |name: String| {
            let start = if name == "fork" { Start::Fork } else { Start::Wake };
            on_edit.emit(edit(index, "start", move |task| task.start = start));
        })
    };
    let most_instances = schedlab_sim::MAX_TASKS as u64;
    let range = if policy.is_fair() { -20..=19 } else { 1..=99 };
    let priority = move |text: &str| {
        optional(&text.replace('−', "-"), |text| match text.parse::<i32>() {
            Ok(value) if range.contains(&value) => Ok(value),
            _ => Err(format!("from {} to {}", range.start(), range.end())),
        })
    };
    let slice = attributes.slice_us();
    let cpus = props.cpus;
    html! {
        <div class="fields">
            <Field class="twice" label="Name" number=false value={task.name.clone()} on_change={on_name(props)} />
            <Field label="Instances" value={task.instances.to_string()} changed={task.instances != 1}
                on_change={field(props, "instances", move |text| whole(text, 0, most_instances), |task, n| task.instances = n as u32)} />
            <Select label="Policy" value={policy.name()} options={policies} changed={policy != Policy::Other} on_change={on_policy} />
            <Field label={if policy.is_fair() { "Nice" } else { "Priority" }} placeholder={if policy.is_fair() { "0" } else { "10" }}
                value={attributes.priority.map(|n| n.to_string()).unwrap_or_default()}
                changed={attributes.priority.is_some_and(|n| n != 0)}
                on_change={field(props, "priority", priority, |task, n| task.attributes.priority = n)} />
            <Field label="Slice, µs" placeholder="default" value={slice.map(|us| us.to_string()).unwrap_or_default()}
                changed={slice.is_some()} on_change={field(props, "slice", |text| optional(text, |t| whole(t, 1, MOST_US)), put_slice)} />
            <Field label="Starts at, µs" value={task.delay_us.to_string()} changed={task.delay_us != 0}
                on_change={field(props, "delay", |text| whole(text, 0, MOST_US), |task, us| task.delay_us = us)} />
            <Field label="Rounds" placeholder="for ever" value={rounds(task.loops, Loops::Forever)} changed={task.loops != Loops::Forever}
                on_change={field(props, "loop", |text| read_rounds(text, Loops::Forever), |task, loops| task.loops = loops)} />
            <Select label="Starts by" value={if task.start == Start::Fork { "fork" } else { "wake" }}
                options={vec![("wake".to_owned(), "wake-up".to_owned()), ("fork".to_owned(), "fork".to_owned())]}
                changed={task.start == Start::Fork} on_change={on_start} />
            <Field label="Group" number=false placeholder="/" changed={attributes.taskgroup.is_some()}
                value={attributes.taskgroup.as_ref().map(ToString::to_string).unwrap_or_default()}
                on_change={field(props, "taskgroup", |text| optional(text, GroupPath::parse), |task, path| task.attributes.taskgroup = path)} />
            <Field label="Cookie" placeholder="none" changed={task.cookie != 0}
                value={if task.cookie == 0 { String::new() } else { task.cookie.to_string() }}
                on_change={field(props, "cookie", |text| optional(text, |t| whole(t, 0, MOST_COOKIE)), |task, cookie| task.cookie = cookie.unwrap_or(0))} />
            <Field label="May run on CPUs" number=false placeholder="all" changed={attributes.cpus.is_some()}
                value={attributes.cpus.as_deref().map(numbers::write_cpus).unwrap_or_default()}
                on_change={field(props, "cpus", move |text| numbers::read_cpus(text, cpus), |task, cpus| task.attributes.cpus = cpus)} />
            <Field label="Working set, KiB" placeholder="0" changed={attributes.working_set_kib.is_some_and(|kib| kib > 0)}
                value={attributes.working_set_kib.map(|kib| kib.to_string()).unwrap_or_default()}
                on_change={field(props, "working_set", |text| optional(text, |t| whole(t, 0, MOST_WORKING_SET_KIB)),
                    |task, kib| task.attributes.working_set_kib = kib.map(|kib| kib as u32))} />
        </div>
    }
}

/// With a slice of its own under one name there is none under the other.
fn put_slice(task: &mut Task, slice: Option<u64>) {
    task.attributes.slice_us = slice;
    if task.attributes.policy != Some(Policy::Deadline) {
        task.attributes.dl_runtime_us = None;
    }
}

/// A name goes along to those who name the task.
fn on_name(props: &TaskFormProps) -> Callback<String, Result<(), String>> {
    let (on_edit, index) = (props.on_edit.clone(), props.index);
    Callback::from(move |name: String| {
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err("a name".to_owned());
        }
        on_edit.emit(Edit::new(format!("task{index}.name"), move |scenario| {
            let Some(task) = scenario.workload.tasks.get_mut(index) else { return };
            let old = std::mem::replace(&mut task.name, name.clone());
            let events =
                scenario.workload.tasks.iter_mut().flat_map(|task| &mut task.phases).flat_map(|p| &mut p.events);
            for event in events {
                if let Action::Fork(named) | Action::Resume(named) = &mut event.action
                    && *named == old
                {
                    named.clone_from(&name);
                }
            }
        }));
        Ok(())
    })
}

fn rounds(loops: Loops, usual: Loops) -> String {
    match loops {
        loops if loops == usual => String::new(),
        Loops::Forever => "-1".to_owned(),
        Loops::Times(times) => times.to_string(),
    }
}

fn read_rounds(text: &str, usual: Loops) -> Result<Loops, String> {
    match text {
        "" => Ok(usual),
        "-1" => Ok(Loops::Forever),
        _ => whole(text, 0, 1_000_000_000_000).map(Loops::Times).map_err(|wrong| format!("{wrong}; -1 is for ever")),
    }
}

fn duplicate(props: &TaskFormProps) -> Callback<MouseEvent> {
    let (on_edit, on_select, index) = (props.on_edit.clone(), props.on_select.clone(), props.index);
    Callback::from(move |_: MouseEvent| {
        on_edit.emit(Edit::new(format!("duplicate{index}"), move |scenario| {
            if let Some(task) = scenario.workload.tasks.get(index).cloned() {
                let name = free_name(scenario, &task.name);
                scenario.workload.tasks.insert(index + 1, Task { name, ..task });
            }
        }));
        on_select.emit(Some(index + 1));
    })
}

fn remove(props: &TaskFormProps) -> Callback<MouseEvent> {
    let (on_edit, on_select, index) = (props.on_edit.clone(), props.on_select.clone(), props.index);
    Callback::from(move |_: MouseEvent| {
        on_edit.emit(Edit::new(format!("remove{index}"), move |scenario| {
            if index < scenario.workload.tasks.len() {
                scenario.workload.tasks.remove(index);
            }
        }));
        on_select.emit(None);
    })
}

fn phase_form(props: &TaskFormProps, number: usize, phase: &Phase) -> Html {
    let alone = props.task.phases.len() == 1;
    let (on_edit, index) = (props.on_edit.clone(), props.index);
    let on_phase_name = {
        let on_edit = on_edit.clone();
        Callback::from(move |name: String| {
            if name.trim().is_empty() {
                return Err("a name".to_owned());
            }
            on_edit.emit(edit_phase(index, number, "name", move |phase| phase.name = name.trim().to_owned()));
            Ok(())
        })
    };
    let on_rounds = {
        let on_edit = on_edit.clone();
        Callback::from(move |text: String| {
            let loops = read_rounds(text.trim(), Loops::Times(1))?;
            on_edit.emit(edit_phase(index, number, "loop", move |phase| phase.loops = loops));
            Ok(())
        })
    };
    let remove = change(props, &format!("phase{number}-"), move |task| {
        if number < task.phases.len() {
            task.phases.remove(number);
        }
    });
    let shown = if alone && phase.name.is_empty() { "the task".to_owned() } else { phase.name.clone() };
    html! {
        <fieldset class="phase" key={number}>
            <legend class="hidden">{ format!("Phase {shown}") }</legend>
            if !alone || !phase.name.is_empty() {
                <div class="phase-head">
                    <Field label="Phase" number=false value={phase.name.clone()} on_change={on_phase_name} />
                    <Field label="Rounds" placeholder="1" value={rounds(phase.loops, Loops::Times(1))} on_change={on_rounds} />
                    <button type="button" class="quiet small" onclick={remove} disabled={alone}
                        aria-label={format!("Remove phase {shown}")}>{ "Remove" }</button>
                </div>
            }
            <Events events={phase.events.clone()} task={props.index} phase={number} {on_edit} />
        </fieldset>
    }
}

/// A change of one phase.
pub(super) fn edit_phase(task: usize, phase: usize, what: &str, apply: impl FnOnce(&mut Phase) + 'static) -> Edit {
    edit(task, &format!("phase{phase}.{what}"), move |task| {
        if let Some(phase) = task.phases.get_mut(phase) {
            apply(phase);
        }
    })
}

#[cfg(test)]
mod tests {
    use schedlab_scenario::Scenario;

    use super::*;

    #[test]
    fn rounds_read_what_they_write() {
        for usual in [Loops::Forever, Loops::Times(1)] {
            for loops in [Loops::Forever, Loops::Times(1), Loops::Times(0), Loops::Times(50)] {
                assert_eq!(read_rounds(&rounds(loops, usual), usual), Ok(loops));
            }
        }
        assert!(read_rounds("-2", Loops::Forever).is_err());
    }

    #[test]
    fn a_new_slice_replaces_the_one_under_the_other_name() {
        let mut task = Task::new("a", Vec::new());
        task.attributes.dl_runtime_us = Some(5);
        put_slice(&mut task, None);
        assert_eq!(task.attributes.slice_us(), None);
    }

    #[test]
    fn a_change_of_a_task_that_is_gone_changes_nothing() {
        let mut scenario = Scenario::default();
        (edit(3, "x", |task| task.instances = 9).change)(&mut scenario);
        assert_eq!(scenario, Scenario::default());
    }
}
