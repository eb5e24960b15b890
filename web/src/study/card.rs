//! An experiment's card: why, where it can be seen, what must come out, and the table. Not for
//! where things stand: `study` knows.

use std::rc::Rc;

use schedlab_report::text::experiment_figure;
use schedlab_report::{ExperimentReport, ExperimentRow, MustRow};
use schedlab_scenario::library;
use yew::prelude::*;

use super::{Event, Stage, Study};
use crate::opening;
use crate::parts::{Problems, Select, with_code};
use crate::pool::Pool;
use crate::protocol::{FromWorker, LookAt, ToWorker};
use crate::state::{Action, Wanted};

/// Which experiment.
#[derive(Properties, PartialEq)]
pub(crate) struct StudyCardProps {
    /// Its name.
    pub(crate) name: &'static str,
    /// Opens a scenario of it and runs it; the second is the switch to show.
    pub(crate) on_open: Callback<(Action, Option<Wanted>)>,
    /// It is looked at no more.
    pub(crate) on_close: Callback<()>,
}

/// The card.
#[component]
pub(crate) fn StudyCard(props: &StudyCardProps) -> Html {
    let study = use_reducer(Study::default);
    let part = use_state(|| None::<String>);
    let pool = use_study_pool(&study, &props.on_open);
    let ask = {
        let (pool, name) = (pool.clone(), props.name);
        let plan = study.plan.clone();
        let figures = if study.stage == Stage::Concluding { study.figures() } else { Vec::new() };
        Callback::from(move |(job, stage): (u32, Stage)| {
            let experiment = name.to_owned();
            match stage {
                Stage::Planning => pool.alone(&ToWorker::Plan { job, experiment }),
                Stage::Running => {
                    let runs = plan.iter().flat_map(|plan| plan.runs.iter().cloned().enumerate());
                    let observe =
                        |(number, run)| ToWorker::Observe { job, experiment: experiment.clone(), number, run };
                    pool.spread(&runs.map(observe).collect::<Vec<_>>());
                }
                Stage::Concluding => pool.ask(0, &ToWorker::Conclude { job, experiment, figures: figures.clone() }),
                // Workers that have nothing left to do are let go.
                Stage::Ready => pool.give_up(),
            }
        })
    };
    // Before what follows from it: the first stage of a new experiment is its own.
    {
        let dispatcher = study.dispatcher();
        use_effect_with(props.name, move |_| dispatcher.dispatch(Event::Open));
    }
    // On a phone it stands below the scenario.
    let card = use_node_ref();
    {
        let card = card.clone();
        use_effect_with(props.name, move |_| {
            if let Some(card) = card.cast::<web_sys::Element>() {
                card.scroll_into_view();
            }
        });
    }
    use_effect_with((study.job, study.stage), move |(job, stage)| {
        if *job > 0 {
            ask.emit((*job, *stage));
        }
    });
    let Some(experiment) = library::experiment(props.name) else { return Html::default() };
    let on = |event: fn() -> Event| {
        let dispatcher = study.dispatcher();
        Callback::from(move |_: MouseEvent| dispatcher.dispatch(event()))
    };
    let close = props.on_close.clone();
    let plan = study.plan.as_ref();
    let runs = plan.map_or(0, |plan| plan.runs.len());
    let busy = matches!(study.stage, Stage::Running | Stage::Concluding);
    let looks = plan.map(|plan| plan.looks.as_slice()).unwrap_or_default();
    let report = study.report.as_deref();
    let shown = report.or(plan.map(|plan| &plan.reported));
    html! {
        <section ref={card} class="card study" aria-label="Experiment">
            <div class="head wrap">
                <h2>{ experiment.title }</h2><span class="grow" />
                if busy {
                    <button type="button" class="small" onclick={on(|| Event::Stop)}>{ "Stop the experiment" }</button>
                } else {
                    <button type="button" class="small" disabled={plan.is_none()} onclick={on(|| Event::Run)}>
                        { if runs == 0 { "Run the experiment".to_owned() } else { format!("Run the experiment ({runs} runs)") } }
                    </button>
                    <button type="button" class="link" onclick={move |_: MouseEvent| close.emit(())}>{ "Close the experiment" }</button>
                }
            </div>
            if busy {
                <div class="meter" role="progressbar" aria-label="Running the experiment" aria-valuemin="0" aria-valuemax={runs.to_string()}
                    aria-valuenow={study.count().to_string()}>
                    <i style={format!("width:{:.1}%", study.count() as f64 / runs.max(1) as f64 * 100.0)} />
                </div>
            }
            if !study.failed.is_empty() { <div class="notice bad" role="alert"><Problems problems={study.failed.clone()} /></div> }
            { for experiment.text.split("\n\n").map(|paragraph| html! { <p>{ for with_code(paragraph) }</p> }) }
            <p class="mute">{ format!("Reported: {}. {}.", experiment.source(), experiment.setup()) }</p>
            if !looks.is_empty() {
                <h3>{ "Real switches" }</h3>
                <ul class="looks">{ for looks.iter().map(|look| see(look, &props.on_open)) }</ul>
            }
            if let Some(report) = report { { must(report) } }
            if let Some(report) = shown { { table(report) } }
            if let Some(plan) = plan { { parts(plan.parts.clone(), &part, props.name, study.job, &pool) } }
        </section>
    }
}

/// The workers of an experiment: what they say is told to it; a part is opened.
#[hook]
fn use_study_pool(study: &UseReducerHandle<Study>, on_open: &Callback<(Action, Option<Wanted>)>) -> Rc<Pool> {
    let dispatcher = study.dispatcher();
    // The pool outlives a drawing: it tells whoever is there now.
    let open = use_mut_ref(|| on_open.clone());
    open.borrow_mut().clone_from(on_open);
    use_memo((), move |()| {
        Pool::plain(Callback::from(move |heard| match heard {
            Ok(FromWorker::Part { document, .. }) => {
                let open = open.borrow().clone();
                open.emit((opening::opened_checked(&document, "a part of the experiment"), None));
            }
            Ok(message) => dispatcher.dispatch(Event::Heard(message)),
            Err(reason) => dispatcher.dispatch(Event::Broken(reason)),
        }))
    })
}

/// A switch to look at: what there is to see, and a button that goes there.
fn see(look: &LookAt, on_open: &Callback<(Action, Option<Wanted>)>) -> Html {
    let (look_at, on_open) = (look.clone(), on_open.clone());
    let on_click = Callback::from(move |_: MouseEvent| {
        let wanted = Wanted::Sought { variant: look_at.variant, sought: look_at.sought.clone() };
        on_open.emit((opening::opened_checked(&look_at.document, "a part of the experiment"), Some(wanted)));
    });
    html! { <li><button type="button" class="small" onclick={on_click} aria-label={format!("Show: {}", look.text)}>{ "Show" }</button><span>{ for with_code(&look.text) }</span></li> }
}

fn must(report: &ExperimentReport) -> Html {
    let failed = report.must.iter().filter(|must| !must.holds).count();
    let heading = match failed {
        0 => format!("All {} lines that must come out do", report.must.len()),
        _ => format!("{failed} of {} lines that must come out do not", report.must.len()),
    };
    let line = |must: &MustRow| {
        let (mark, class) = if must.holds { ("yes", None) } else { ("no", Some("bad")) };
        html! {
            <tr>
                <td class={classes!("verdict", class)}>{ mark }</td><th scope="row" title={must.claim.clone()}>{ &must.text }</th>
                <td class="num">{ experiment_figure(must.left) }</td><td class="num">{ experiment_figure(must.right) }</td>
                <td class="num">{ format!("{} of {}", must.held_in, must.repeats) }</td>
            </tr>
        }
    };
    html! {
        <>
            <h3>{ heading }</h3>
            <div class="asTable" tabindex="0" role="group" aria-label="What must come out">
                <table>
                    <thead><tr><th scope="col">{ "Holds" }</th><th scope="col">{ "Line" }</th><th scope="col" class="num">{ "left" }</th>
                        <th scope="col" class="num">{ "right" }</th><th scope="col" class="num">{ "repeats" }</th></tr></thead>
                    <tbody>{ for report.must.iter().map(line) }</tbody>
                </table>
            </div>
        </>
    }
}

fn table(report: &ExperimentReport) -> Html {
    let shown = |value: Option<f64>| value.map(experiment_figure).unwrap_or_default();
    let line = |row: &ExperimentRow| {
        let simulated = match (row.simulated, row.sem) {
            (Some(value), Some(sem)) => format!("{} ±{}", experiment_figure(value), experiment_figure(sem)),
            (value, _) => shown(value),
        };
        html! {
            <tr><th scope="row">{ &row.label }</th><td class="num">{ shown(row.reported) }</td><td class="num">{ simulated }</td><td>{ &row.unit }</td></tr>
        }
    };
    html! {
        <>
            <h3>{ "Reported beside simulated" }</h3>
            <div class="asTable" tabindex="0" role="group" aria-label="Reported beside simulated">
                <table>
                    <thead><tr><th scope="col">{ "Figure" }</th><th scope="col" class="num">{ "reported" }</th>
                        <th scope="col" class="num">{ "simulated" }</th><th scope="col">{ "unit" }</th></tr></thead>
                    <tbody>{ for report.rows.iter().map(line) }</tbody>
                </table>
            </div>
        </>
    }
}

/// Opens a part as a scenario, to be changed and run like any other.
fn parts(
    names: Vec<String>,
    chosen: &UseStateHandle<Option<String>>,
    name: &'static str,
    job: u32,
    pool: &Rc<Pool>,
) -> Html {
    let value = (**chosen).clone().filter(|part| names.contains(part)).or_else(|| names.first().cloned());
    let value = value.unwrap_or_default();
    let on_change = {
        let chosen = chosen.clone();
        Callback::from(move |part: String| chosen.set(Some(part)))
    };
    let on_click = {
        let (pool, part) = (Rc::clone(pool), value.clone());
        Callback::from(move |_: MouseEvent| {
            pool.alone(&ToWorker::Part { job, experiment: name.to_owned(), part: part.clone() });
        })
    };
    let options: Vec<(String, String)> = names.into_iter().map(|part| (part.clone(), part)).collect();
    html! {
        <div class="tools">
            <Select label="Part" {value} {options} {on_change} />
            <button type="button" class="small" onclick={on_click}>{ "Open as a scenario" }</button>
        </div>
    }
}
