//! The middle column: what came out of the last run. What changed comes first.
//! Not for figures: the report has them.

mod changes;
mod counters;
mod delays;
mod list;
mod tasks;

use std::rc::Rc;

use schedlab_view::picture::{Columns, Picture, Rows};
use schedlab_view::{Theme, palette};
use yew::prelude::*;

use crate::charts::PlotCard;
use crate::parts::Problems;
use crate::protocol::ToWorker;
use crate::state::{Action, List, Message, Results};
use changes::Changes;
use counters::Counters;
use delays::Delays;
use list::SwitchList;
pub(crate) use list::{marks, who};
use tasks::Tasks;

/// What the middle column shows.
#[derive(Properties, PartialEq)]
pub struct CenterProps {
    /// The last results.
    pub results: Option<Rc<Results>>,
    /// What the page has to tell.
    pub message: Option<Message>,
    /// The list of switches.
    pub list: List,
    /// Whether the scenario has changed since.
    pub stale: bool,
    /// Whether a run is on its way.
    pub running: bool,
    /// The theme.
    pub theme: Theme,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
    /// Asks a variant's worker.
    pub ask: Callback<(usize, ToWorker)>,
}

/// The middle column.
#[component]
pub fn Center(props: &CenterProps) -> Html {
    let dispatch = props.dispatch.clone();
    let dismiss = Callback::from(move |_: MouseEvent| dispatch.emit(Action::Dismiss));
    let message = props.message.as_ref().map(|message| {
        html! {
            <div class={classes!("notice", message.bad.then_some("bad"))} role={if message.bad { "alert" } else { "status" }}>
                <div>
                    <b class="grow">{ &message.title }</b>
                    <button type="button" class="link" onclick={dismiss}>{ "Dismiss" }</button>
                </div>
                if !message.problems.is_empty() { <Problems problems={message.problems.clone()} /> }
            </div>
        }
    });
    let body = match &props.results {
        Some(results) => html! {
            <>
                if props.stale && !props.running {
                    <p class="mute">{ "The scenario has changed since this run. Press Run to see what that does." }</p>
                }
                <Sheets results={Rc::clone(results)} theme={props.theme} />
                <SwitchList results={Rc::clone(results)} list={props.list.clone()} theme={props.theme}
                    dispatch={props.dispatch.clone()} ask={props.ask.clone()} />
            </>
        },
        None if props.running => html! { <p class="empty">{ "Running…" }</p> },
        None => html! { <p class="empty">{ "Press Run to simulate the scenario." }</p> },
    };
    html! {
        <section class="center" id="results" tabindex="-1" aria-label="Results" aria-busy={props.running.then_some("true")}>{ message }{ body }</section>
    }
}

#[derive(Properties, PartialEq)]
struct SheetsProps {
    results: Rc<Results>,
    theme: Theme,
}

/// Everything that depends on the results only, so that a selection does not draw it again.
#[component]
fn Sheets(props: &SheetsProps) -> Html {
    let results = &props.results;
    let names: Vec<String> = results.reports.iter().map(|report| report.name.clone()).collect();
    let kinds: Vec<String> = kinds(results);
    // Heights of lying bars: a line for each task, as thick as there are variants.
    let height = (kinds.len() * (14 + 9 * names.len()) + 30).clamp(120, 560) as u32;
    let height = if kinds.len() <= 4 { 188 } else { height };
    html! {
        <>
            <Changes results={Rc::clone(results)} />
            <div class="charts">
                <Delays results={Rc::clone(results)} theme={props.theme} />
                <PlotCard title="Ran before being preempted" about="all tasks · log2 µs" picture={ran_before(results)}
                    variants={names.clone()} theme={props.theme} />
                <PlotCard title="Preemptions" about="times a runnable task had to leave" picture={preemptions(results, &kinds)}
                    variants={names} theme={props.theme} {height} />
                <Counters results={Rc::clone(results)} />
            </div>
            <Tasks results={Rc::clone(results)} theme={props.theme} />
        </>
    }
}

/// The kinds of tasks of all variants, in order of the document.
pub(crate) fn kinds(results: &Results) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for task in results.reports.iter().flat_map(|report| &report.tasks) {
        if !kinds.contains(&task.name) {
            kinds.push(task.name.clone());
        }
    }
    kinds
}

/// A kind's place in the document, which gives it its colour, and its letter.
pub(crate) fn mark_of(results: &Results, name: &str) -> (Option<usize>, char) {
    let names: Vec<&str> = results.scenario.workload.tasks.iter().map(|task| task.name.as_str()).collect();
    let kind = names.iter().position(|known| *known == name);
    let letter = kind.and_then(|kind| palette::letters(&names).get(kind).copied()).unwrap_or('?');
    (kind, letter)
}

fn ran_before(results: &Results) -> Picture {
    let series: Vec<Vec<f64>> = results
        .reports
        .iter()
        .map(|report| {
            let mut counts = vec![0.0; 32];
            for (least_us, count) in report.tasks.iter().flat_map(|task| &task.ran_before_preempted) {
                // What is shorter than a microsecond is drawn with 1 µs.
                let bucket = least_us.checked_ilog2().unwrap_or(0) as usize;
                if let Some(slot) = counts.get_mut(bucket) {
                    *slot += count;
                }
            }
            counts
        })
        .collect();
    Picture::Columns(Columns::log2_microseconds(&series))
}

fn preemptions(results: &Results, kinds: &[String]) -> Picture {
    let of = |report: &schedlab_report::VariantReport| -> Vec<f64> {
        let count =
            |kind: &String| report.tasks.iter().find(|task| task.name == *kind).map_or(0.0, |task| task.preempted);
        kinds.iter().map(count).collect()
    };
    Picture::Rows(Rows::new(kinds.to_vec(), results.reports.iter().map(of).collect()))
}
