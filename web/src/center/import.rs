//! A trace being imported: how far it is, with Stop; afterwards what was used of it, what not, and
//! how well a replay reproduces it. Not for importing: a worker does that.

use std::rc::Rc;

use schedlab_scenario::import::trace::Realism;
use schedlab_view::format;
use yew::prelude::*;

use crate::protocol::{Imported, Stage};
use crate::state::{Action, Importing};

/// How many notices, tasks and events are listed.
const MOST_LINES: usize = 14;

/// What is shown.
#[derive(Properties, PartialEq)]
pub struct ImportProps {
    /// The import on its way.
    pub importing: Option<Importing>,
    /// What came of the last one.
    pub imported: Option<Rc<Imported>>,
    /// Gives the import up.
    pub on_stop: Callback<()>,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
}

/// The import on its way, or the report of the last one.
#[component]
pub fn Import(props: &ImportProps) -> Html {
    if let Some(importing) = &props.importing {
        return progress(props, importing);
    }
    let Some(imported) = &props.imported else { return Html::default() };
    let dispatch = props.dispatch.clone();
    let close = Callback::from(move |_: MouseEvent| dispatch.emit(Action::CloseImport));
    let report = &imported.report;
    let seconds = report.to_ns.saturating_sub(report.from_ns) as f64;
    let events: u64 = report.events.iter().map(|event| event.count).sum();
    let others: u64 = report.other_events.iter().map(|event| event.count).sum();
    let list = |items: Vec<String>| {
        let hidden = items.len().saturating_sub(MOST_LINES);
        html! {
            <ul>
                { for items.into_iter().take(MOST_LINES).map(|item| html! { <li>{ item }</li> }) }
                if hidden > 0 { <li class="mute">{ format!("and {hidden} more") }</li> }
            </ul>
        }
    };
    let dropped = report.dropped.iter().map(|task| format!("{} ({}): {}", task.name, task.pid, task.why)).collect();
    html! {
        <section class="card import" aria-label="Import">
            <div class="head wrap">
                <h2>{ format!("Imported {}", imported.name) }</h2>
                <small>{ format!("{} of trace on {}", format::duration(seconds), cpus(report.cpus.len())) }</small><span class="grow" />
                <button type="button" class="link" onclick={close}>{ "Close the report" }</button>
            </div>
            <p>{ format!("{} events of the scheduler gave the demand of {} tasks; {} others say nothing of demand. What the kernel decided was left out: a run decides anew.",
                format::count(events), format::count(report.tasks.len() as u64), format::count(others)) }</p>
            if !imported.notices.is_empty() {
                <h3>{ "What was odd or could not be used" }</h3>
                { list(imported.notices.clone()) }
            }
            if !report.dropped.is_empty() {
                <details><summary>{ format!("Tasks left out · {}", report.dropped.len()) }</summary>{ list(dropped) }</details>
            }
            if let Some(realism) = &imported.realism { { beside(realism) } }
        </section>
    }
}

fn cpus(count: usize) -> String {
    if count == 1 { "1 CPU".to_owned() } else { format!("{count} CPUs") }
}

fn progress(props: &ImportProps, importing: &Importing) -> Html {
    let on_stop = props.on_stop.clone();
    let part = importing.read as f64 / importing.size.max(1) as f64;
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
    let text = match importing.stage {
        Stage::Reading => format!(
            "{} of {} MB · {} events",
            megabytes(importing.read),
            megabytes(importing.size),
            format::count(importing.events)
        ),
        Stage::Replaying => format!("{} events · replaying the scenario", format::count(importing.events)),
    };
    html! {
        <section class="card import" aria-label="Import">
            <div class="head wrap">
                <h2>{ format!("Importing {}", importing.name) }</h2><small class="num">{ text }</small><span class="grow" />
                <button type="button" class="small" onclick={move |_| on_stop.emit(())}>{ "Stop the import" }</button>
            </div>
            <div class="meter" role="progressbar" aria-label="Importing" aria-valuemin="0" aria-valuemax="100"
                aria-valuenow={format!("{:.0}", part * 100.0)}><i style={format!("width:{:.1}%", part * 100.0)} /></div>
        </section>
    }
}

/// The replay beside the trace.
fn beside(realism: &Realism) -> Html {
    let rows = realism.rows.iter().map(|row| {
        let off = row.deviation_percent.map_or_else(|| "–".to_owned(), |percent| format::change(percent / 100.0));
        html! {
            <tr><th scope="row">{ &row.measure }</th><td class="num">{ format::number(row.trace) }</td>
                <td class="num">{ format::number(row.replay) }</td><td class="num">{ off }</td></tr>
        }
    });
    html! {
        <>
            <h3>{ format!("How well a replay on {} reproduces it", realism.release) }</h3>
            <div class="scroll" tabindex="0" role="group" aria-label="Trace and replay, as a table">
                <table>
                    <thead><tr>{ for ["Figure", "Trace", "Replay", "Off by"].map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </>
    }
}
