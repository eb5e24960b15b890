//! The table of tasks: run time, switches, preemptions and delays of each kind, per variant.

use std::rc::Rc;

use schedlab_report::TaskReport;
use schedlab_view::{Theme, format};
use yew::prelude::*;

use super::Marks;
use crate::parts::{Chip, VariantMark};
use crate::state::Results;

/// So many kinds of tasks are listed at first.
const MOST_KINDS: usize = 40;

/// Of which results.
#[derive(Properties, PartialEq)]
pub struct TasksProps {
    /// The results.
    pub results: Rc<Results>,
    /// The theme.
    pub theme: Theme,
}

/// The table of tasks.
#[component]
pub fn Tasks(props: &TasksProps) -> Html {
    let results = &props.results;
    let all = use_state_eq(|| false);
    let kinds = super::kinds(results);
    let shown = if *all { kinds.len() } else { kinds.len().min(MOST_KINDS) };
    let marks = Marks::of(results);
    let lines = kinds.iter().take(shown).flat_map(|kind| {
        let of = results.reports.iter().enumerate();
        of.filter_map(|(variant, report)| {
            let task = report.tasks.iter().find(|task| task.name == *kind)?;
            Some(line(&marks, variant, task, props.theme))
        })
        .collect::<Vec<Html>>()
    });
    let more = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(true))
    };
    html! {
        <section class="card" aria-label="Tasks">
            <div class="head"><h2>{ "Tasks" }</h2><small>{ "instances together · delays in ms" }</small></div>
            <div class="scroll" tabindex="0" role="group" aria-label="Tasks, as a table">
                <table class="tasks">
                    <thead>
                        <tr>
                            <th scope="col" rowspan="2">{ "Task" }</th><th scope="col" rowspan="2">{ "Runtime ms" }</th>
                            <th scope="col" rowspan="2">{ "Switches" }</th><th scope="col" rowspan="2">{ "Preempted" }</th>
                            <th class="group" scope="colgroup" colspan="3">{ "Wake delay" }</th>
                            <th class="group" scope="colgroup" colspan="3">{ "Run delay" }</th>
                        </tr>
                        <tr>
                            { for ["avg", "p99", "max", "avg", "p99", "max"].map(|name| html! { <th scope="col">{ name }</th> }) }
                        </tr>
                    </thead>
                    <tbody>{ for lines }</tbody>
                </table>
            </div>
            if shown < kinds.len() {
                <button type="button" class="link" onclick={more}>{ format!("All {} kinds of task", kinds.len()) }</button>
            }
        </section>
    }
}

fn line(marks: &Marks<'_>, variant: usize, task: &TaskReport, theme: Theme) -> Html {
    let (kind, letter) = marks.get(&task.name);
    let name = if task.instances > 1.0 {
        format!("{}:({})", task.name, format::number(task.instances))
    } else {
        task.name.clone()
    };
    let cell = |text: String| html! { <td class="num">{ text }</td> };
    let delay = |ns: u64, count: f64| if count > 0.0 { format::milliseconds(ns as f64) } else { "–".to_owned() };
    let delays = [&task.wake_delay, &task.run_delay]
        .into_iter()
        .flat_map(|of| [delay(of.mean, of.count), delay(of.p99, of.count), delay(of.max, of.count)]);
    html! {
        <tr>
            <th scope="row"><span class="who"><Chip {kind} {letter} {theme} />{ name }{ " " }<VariantMark index={variant} name={String::new()} /></span></th>
            { cell(format::milliseconds(task.runtime_ns as f64)) }
            { cell(format::number(task.switches)) }
            { cell(format::number(task.preempted)) }
            { for delays.map(cell) }
        </tr>
    }
}
