//! The workload as cards: each task drawn, with what it is set to; the selected one with its form.
//! Not for the form itself.

use std::collections::HashSet;
use std::rc::Rc;

use schedlab_scenario::{Action, Amount, Event, Loops, Policy, Task};
use schedlab_scenario::{Problem, Scenario, path};
use schedlab_view::strip::{Kind, lay_out};
use schedlab_view::{Theme, format, palette};
use yew::prelude::*;

use super::groups::Groups;
use super::numbers;
use super::pieces::{in_words, pieces};
use super::task_form::{TaskForm, shown};
use super::{Tab, variants};
use crate::cookies;
use crate::parts::{Chip, Problems, VariantMark};
use crate::state::Edit;

/// What is shown.
#[derive(Properties, PartialEq)]
pub struct TasksProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// The theme.
    pub theme: Theme,
    /// What is wrong with the scenario.
    pub problems: Vec<Problem>,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
    /// Shows another view.
    pub on_tab: Callback<Tab>,
}

/// So many tasks have a card at first.
const MOST_CARDS: usize = 60;

/// The cards.
#[component]
pub fn Tasks(props: &TasksProps) -> Html {
    let selected = use_state(|| None::<usize>);
    let all = use_state_eq(|| false);
    let tasks = &props.scenario.workload.tasks;
    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    let letters = palette::letters(&names);
    let cookies = cookies::cookies(&props.scenario);
    // A task that something is wrong with, or that is being edited, is never left out.
    let wrong: HashSet<usize> = props.problems.iter().filter_map(|problem| task_of(&props.scenario, problem)).collect();
    let shown = |index: usize| *all || index < MOST_CARDS || *selected == Some(index) || wrong.contains(&index);
    let hidden = (0..tasks.len()).filter(|index| !shown(*index)).count();
    let more = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(true))
    };
    let cards = tasks.iter().zip(&letters).enumerate().filter(|(index, _)| shown(*index)).map(|(index, (task, letter))| {
        let open = *selected == Some(index);
        let on_open = {
            let selected = selected.clone();
            Callback::from(move |_: MouseEvent| selected.set((!open).then_some(index)))
        };
        let mine = |problem: &&Problem| task_of(&props.scenario, problem) == Some(index);
        let problems: Vec<Problem> = props.problems.iter().filter(mine).map(without_line).collect();
        html! {
            <div class={classes!("task", open.then_some("selected"))} key={index}>
                <button type="button" class="open" aria-expanded={open.to_string()} onclick={on_open}>
                    <span class="row">
                        <Chip kind={index} letter={*letter} theme={props.theme} />
                        <b>{ name(task) }</b><span class="mute">{ format!("× {}", task.instances) }</span>
                        <span class="grow" /><span class="mute num">{ in_words(task, &pieces(task)) }</span>
                    </span>
                </button>
                { strip(task, index) }
                <div class="props">
                    { for settings(task).into_iter().map(setting) }
                    if task.cookie != 0 {
                        <span class="prop changed">{ cookies::mark(&cookies, task.cookie, props.theme) }{ " cookie " }<i>{ task.cookie }</i></span>
                    }
                </div>
                if !problems.is_empty() { <div class="notice bad form" role="alert"><Problems {problems} /></div> }
                if open {
                    <TaskForm task={task.clone()} {index} cpus={props.scenario.machine.cpus()} on_edit={props.on_edit.clone()}
                        on_select={{ let selected = selected.clone(); move |place| selected.set(place) }} />
                }
            </div>
        }
    });
    let add = {
        let (on_edit, selected, count) = (props.on_edit.clone(), selected.clone(), tasks.len());
        Callback::from(move |_: MouseEvent| {
            on_edit.emit(Edit::new(format!("tasks+{count}"), |scenario| {
                let name = free_name(scenario, "task");
                let events = vec![
                    Event::new(Action::Run(Amount::Fixed(1_000))),
                    Event::new(Action::Sleep(Amount::Fixed(4_000))),
                ];
                scenario.workload.tasks.push(Task::new(&name, events));
            }));
            selected.set(Some(count));
        })
    };
    html! {
        <>
            <h2 class="hidden">{ "Tasks" }</h2>
            { for cards }
            if hidden > 0 { <button type="button" class="link" onclick={more}>{ format!("All {} tasks", tasks.len()) }</button> }
            <button type="button" class="add" onclick={add}>{ "+ task" }</button>
            <Groups scenario={Rc::clone(&props.scenario)} on_edit={props.on_edit.clone()} />
            <h2>{ "Variants" }<small>{ "what differs from the first" }</small></h2>
            { overview(props) }
        </>
    }
}

fn without_line(problem: &Problem) -> Problem {
    let mut problem = problem.clone();
    (problem.place.line, problem.place.column) = (0, 0);
    problem
}

/// The task that a problem is about.
pub(super) fn task_of(scenario: &Scenario, problem: &Problem) -> Option<usize> {
    let rest = problem.place.path.strip_prefix("workload.tasks.")?;
    scenario.workload.tasks.iter().position(|task| {
        let after = rest.strip_prefix(path::key_text(&task.name).as_str());
        after.is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
    })
}

/// A name that no task has yet: the wish itself, or with a number.
pub(super) fn free_name(scenario: &Scenario, wish: &str) -> String {
    let taken = |name: &str| scenario.workload.tasks.iter().any(|task| task.name == name);
    let numbered = (2..).map(|number| format!("{wish}{number}"));
    std::iter::once(wish.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

fn name(task: &Task) -> &str {
    if task.name.is_empty() { "unnamed" } else { &task.name }
}

/// A setting: what, its value, and whether it differs from the default.
type Setting = (&'static str, String, bool);

fn settings(task: &Task) -> Vec<Setting> {
    let attributes = &task.attributes;
    let policy = attributes.policy.unwrap_or_default();
    let priority = attributes.priority.unwrap_or(0);
    let what = if policy.is_fair() { "nice" } else { "priority" };
    let slice =
        attributes.slice_us().map_or_else(|| "default".to_owned(), |us| format::exact(us.saturating_mul(1_000)));
    let mut settings = vec![
        (what, priority.to_string(), priority != 0),
        ("policy", shown(policy).to_owned(), policy != Policy::Other),
        ("slice", slice, attributes.slice_us().is_some()),
    ];
    if task.delay_us > 0 {
        settings.push(("starts at", format::exact(task.delay_us.saturating_mul(1_000)), true));
    }
    if let Loops::Times(times) = task.loops {
        settings.push(("rounds", times.to_string(), true));
    }
    if let Some(group) = &attributes.taskgroup {
        settings.push(("group", group.to_string(), !group.is_root()));
    }
    if let Some(cpus) = &attributes.cpus {
        settings.push(("CPUs", numbers::write_cpus(cpus), true));
    }
    if let Some(kib) = attributes.working_set_kib.filter(|kib| *kib > 0) {
        settings.push(("working set", format!("{kib}\u{a0}KiB"), true));
    }
    if task.phases.len() > 1 {
        settings.push(("phases", task.phases.len().to_string(), false));
    }
    settings
}

fn setting((what, value, changed): Setting) -> Html {
    html! { <span class={classes!("prop", changed.then_some("changed"))}>{ what }{ " " }<i>{ value }</i></span> }
}

fn strip(task: &Task, index: usize) -> Html {
    let drawn = lay_out(&pieces(task), 0.012, 160);
    let (hatch, dots) = (format!("sleep-{index}"), format!("wait-{index}"));
    let bars = drawn.into_iter().map(|piece| {
        let x = (piece.start * 340.0).to_string();
        let width = ((piece.end - piece.start) * 340.0 - 1.5).max(1.0).to_string();
        match piece.kind {
            Kind::Run => {
                let fill = format!("var(--task-{})", index % palette::TASK_COLOURS);
                html! { <rect {x} {width} y="1" height="13" rx="2" {fill} /> }
            }
            kind => {
                let fill = format!("url(#{})", if kind == Kind::Sleep { &hatch } else { &dots });
                html! { <rect {x} {width} y="1" height="13" rx="2" {fill} stroke="var(--axis)" stroke-width=".8" /> }
            }
        }
    });
    html! {
        <svg class="strip" viewBox="0 0 340 15" preserveAspectRatio="none" aria-hidden="true">
            <defs>
                <pattern id={hatch.clone()} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect width="6" height="6" fill="var(--sunk)" /><path d="M0 0v6" stroke="var(--hatch)" stroke-width="1.4" />
                </pattern>
                <pattern id={dots.clone()} width="4" height="4" patternUnits="userSpaceOnUse">
                    <rect width="4" height="4" fill="var(--sunk)" /><rect x="1" y="1" width="1.6" height="1.6" fill="var(--mute)" />
                </pattern>
            </defs>
            { for bars }
        </svg>
    }
}

/// The variants in short, below the tasks.
fn overview(props: &TasksProps) -> Html {
    let on_tab = props.on_tab.clone();
    let on_open = Callback::from(move |_: MouseEvent| on_tab.emit(Tab::Variants));
    let cards = (0..props.scenario.variant_count()).map(|index| {
        let name = variants::title(&props.scenario, index);
        let differences = variants::differences(&props.scenario, index);
        html! {
            <div class="task">
                <button type="button" class="open" onclick={on_open.clone()}>
                    <span class="hidden">{ "Edit variant " }</span>
                    <span class="row">
                        <VariantMark {index} name={String::new()} /><b>{ name }</b><span class="grow" />
                        if index == 0 { <span class="mute">{ "the base" }</span> }
                    </span>
                </button>
                if !differences.is_empty() && index > 0 {
                    <div class="props">
                        { for differences.into_iter().map(|(what, value)| html! {
                            <span class="prop changed">{ what }{ " " }<i>{ value }</i></span>
                        }) }
                    </div>
                }
            </div>
        }
    });
    html! { { for cards } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(names: &[&str]) -> Scenario {
        let mut scenario = Scenario::default();
        scenario.workload.tasks = names.iter().map(|name| Task::new(name, Vec::new())).collect();
        scenario
    }

    #[test]
    fn a_new_task_gets_a_name_of_its_own() {
        assert_eq!(free_name(&scenario(&["a"]), "task"), "task");
        assert_eq!(free_name(&scenario(&["task", "task2"]), "task"), "task3");
    }

    #[test]
    fn problems_find_their_card() {
        let scenario = scenario(&["hog", "hogs", "a.b"]);
        let of = |path: &str| task_of(&scenario, &Problem::error(path, ""));
        assert_eq!(of("workload.tasks.hogs.run"), Some(1));
        assert_eq!(of("workload.tasks.hog"), Some(0));
        assert_eq!(of("workload.tasks.\"a.b\".run[1]"), Some(2));
        assert_eq!(of("kernel.release"), None);
    }

    #[test]
    fn settings_that_differ_are_marked() {
        let mut task = Task::new("a", Vec::new());
        assert!(settings(&task).iter().all(|(_, _, changed)| !changed));
        task.attributes.slice_us = Some(100);
        assert!(settings(&task).contains(&("slice", "100\u{a0}µs".to_owned(), true)));
    }
}
