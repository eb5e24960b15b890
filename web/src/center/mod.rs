//! The middle column: what came out of the last run. What changed comes first.
//! Not for figures: the report has them.

mod carries;
mod changes;
mod counters;
mod cpus;
mod delays;
mod departures;
mod import;
mod list;
mod ran_before;
mod scroll;
mod sharing;
mod tasks;
mod timeline;

use std::collections::BTreeMap;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use schedlab_view::{Theme, palette};
use yew::prelude::*;

use crate::parts::{Problems, with_code};
use crate::protocol::{Imported, ToWorker};
use crate::state::{Action, Importing, List, Message, Results};
use changes::Changes;
use counters::Counters;
use cpus::Cpus;
pub(crate) use cpus::{bar, lost};
use delays::Delays;
use departures::Departures;
use import::Import;
use list::SwitchList;
pub(crate) use list::{marks, who};
use ran_before::RanBefore;
use sharing::Sharing;
use tasks::Tasks;
use timeline::Timeline;
pub(crate) use timeline::arrival;

/// What the middle column shows.
#[derive(Properties, PartialEq)]
pub struct CenterProps {
    /// The last results.
    pub results: Option<Rc<Results>>,
    /// What the page has to tell.
    pub message: Option<Message>,
    /// Why the last run failed.
    pub failure: Option<Message>,
    /// The list of switches.
    pub list: List,
    /// What CPUs ran, as it was told last of each variant.
    pub timelines: Rc<BTreeMap<usize, Rc<crate::protocol::Timeline>>>,
    /// The CPU that is looked at.
    pub cpu: Option<u16>,
    /// The import on its way.
    pub importing: Option<Importing>,
    /// What came of the last import.
    pub imported: Option<Rc<Imported>>,
    /// Gives the import up.
    pub on_stop_import: Callback<()>,
    /// What stands above the results: the gallery of a first visit, a sweep.
    #[prop_or_default]
    pub above: Html,
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
    let told = [&props.failure, &props.message].into_iter().flatten().map(|message| {
        html! {
            <div class={classes!("notice", message.bad.then_some("bad"))} role={message.bad.then_some("alert")}>
                <div>
                    <b class="grow">{ &message.title }</b>
                    <button type="button" class="link" onclick={dismiss.clone()}>{ "Dismiss" }</button>
                </div>
                if !message.problems.is_empty() { <Problems problems={message.problems.clone()} /> }
            </div>
        }
    });
    // On one CPU the distributions say most; on several, where things ran.
    let several = props.results.as_ref().is_some_and(|of| of.reports.iter().any(|report| report.cpus.len() > 1));
    let on_cpus = props.results.as_ref().map(|results| {
        html! {
            <>
                <Timeline results={Rc::clone(results)} list={props.list.clone()} told={Rc::clone(&props.timelines)} cpu={props.cpu}
                    theme={props.theme} dispatch={props.dispatch.clone()} ask={props.ask.clone()} />
                <Cpus results={Rc::clone(results)} variant={props.list.variant} cpu={props.cpu} dispatch={props.dispatch.clone()} />
            </>
        }
    });
    let notes = props.results.as_ref().map(|results| results.scenario.notes.trim()).filter(|notes| !notes.is_empty());
    let notes = notes.map(|notes| {
        let paragraphs = notes.split("\n\n").map(|paragraph| html! { <p>{ for with_code(paragraph) }</p> });
        html! { <section class="card notes" aria-label="Notes"><h2>{ "Notes" }</h2>{ for paragraphs }</section> }
    });
    let body = match &props.results {
        Some(results) => html! {
            <>
                if props.stale && !props.running {
                    <p class="mute">{ "The scenario has changed since this run. Press Run to see what that does." }</p>
                }
                <Changes results={Rc::clone(results)} dispatch={props.dispatch.clone()} />
                if several { { on_cpus.clone() }<Sharing results={Rc::clone(results)} theme={props.theme} /> }
                <Charts results={Rc::clone(results)} theme={props.theme} />
                if !several { { on_cpus.clone() } }
                <Tasks results={Rc::clone(results)} theme={props.theme} />
                <SwitchList results={Rc::clone(results)} list={props.list.clone()} theme={props.theme}
                    dispatch={props.dispatch.clone()} ask={props.ask.clone()} />
            </>
        },
        None if props.running => html! { <p class="empty">{ "Running…" }</p> },
        None => html! { <p class="empty">{ "Press Run to simulate the scenario." }</p> },
    };
    html! {
        <section class="center" id="results" tabindex="-1" aria-label="Results" aria-busy={props.running.then_some("true")}>
            { for told }
            <Import importing={props.importing.clone()} imported={props.imported.clone()} on_stop={props.on_stop_import.clone()}
                dispatch={props.dispatch.clone()} />
            { props.above.clone() }
            { notes }
            { body }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct ChartsProps {
    results: Rc<Results>,
    theme: Theme,
}

/// The charts depend on the results only, so that a selection does not draw them again.
#[component]
fn Charts(props: &ChartsProps) -> Html {
    let (results, theme) = (&props.results, props.theme);
    html! {
        <div class="charts">
            <Delays results={Rc::clone(results)} {theme} />
            <RanBefore results={Rc::clone(results)} {theme} />
            <Departures results={Rc::clone(results)} {theme} />
            <Counters results={Rc::clone(results)} />
        </div>
    }
}

/// The kinds of tasks of all variants, in order of the document.
pub(crate) fn kinds(results: &Results) -> Vec<String> {
    let mut known = HashSet::new();
    let all = results.reports.iter().flat_map(|report| &report.tasks);
    all.filter(|task| known.insert(task.name.as_str())).map(|task| task.name.clone()).collect()
}

/// A choice of one task or all.
fn task_options(kinds: &[String]) -> Vec<(String, String)> {
    let all = (String::new(), "all tasks".to_owned());
    std::iter::once(all).chain(kinds.iter().map(|kind| (kind.clone(), kind.clone()))).collect()
}

/// The marks of kinds of tasks.
pub(crate) struct Marks<'r> {
    kinds: HashMap<&'r str, usize>,
    letters: Vec<char>,
}

impl<'r> Marks<'r> {
    /// Those of the scenario that was run.
    pub(crate) fn of(results: &'r Results) -> Self {
        let names: Vec<&str> = results.scenario.workload.tasks.iter().map(|task| task.name.as_str()).collect();
        let letters = palette::letters(&names);
        Self { kinds: names.into_iter().enumerate().map(|(kind, name)| (name, kind)).collect(), letters }
    }

    /// A kind's place in the document, which gives it its colour, and its letter.
    pub(crate) fn get(&self, name: &str) -> (Option<usize>, char) {
        let kind = self.kinds.get(name).copied();
        (kind, kind.and_then(|kind| self.letters.get(kind).copied()).unwrap_or('?'))
    }
}
