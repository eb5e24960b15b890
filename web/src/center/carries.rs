//! What carries the difference between two variants: the finding as a sentence, and what each
//! difference carries. Not for finding it: a worker of its own does.

use std::rc::Rc;

use schedlab_report::bisect::{Carrier, Estimate, Findings};
use schedlab_report::{Comparison, Group, Row};
use schedlab_scenario::Problem;
use schedlab_view::format;
use yew::prelude::*;

use crate::parts::{Choice, Field, Problems, Select, whole};
use crate::pool::Pool;
use crate::protocol::{Bisection, FromWorker, ToWorker};
use crate::state::Results;
use crate::words;

/// Of which results.
#[derive(Properties, PartialEq)]
pub struct CarriesProps {
    /// The results.
    pub results: Rc<Results>,
}

/// How far it is.
#[derive(Clone, Debug, Default, PartialEq)]
enum State {
    #[default]
    Nothing,
    /// So many runs are done.
    Running(usize),
    Found(Box<Findings>, String),
    Failed(Vec<Problem>),
}

/// So many figures are offered, those that changed most.
const MOST_FIGURES: usize = 300;

/// The name of a row's figure, as sweeps and bisections call it.
fn metric(row: &Row) -> String {
    let of = match &row.group {
        Group::Task(task) => format!("tasks.{task}"),
        Group::Operation(kind) if kind.is_empty() => "ops".to_owned(),
        Group::Operation(kind) => format!("ops.{kind}"),
        Group::Cpu(_) | Group::Machine => "cpus".to_owned(),
        Group::Counters => "counters".to_owned(),
    };
    format!("{of}.{}", row.measure)
}

/// The figures that can be asked for, those that changed most first.
fn figures(comparison: &Comparison) -> Vec<(String, String)> {
    comparison.rows.iter().take(MOST_FIGURES).map(|row| (metric(row), words::measure(row))).collect()
}

/// The part of the comparison that looks for causes.
#[component]
pub fn Carries(props: &CarriesProps) -> Html {
    let results = &props.results;
    let figures = figures(&results.comparison);
    let chosen = use_state(|| None::<String>);
    let second = use_state(|| 1_usize);
    let repeats = use_state(|| 5_u32);
    let state = use_state(State::default);
    let job = use_mut_ref(|| 0_u32);
    let pool = {
        let (state, job) = (state.setter(), job.clone());
        use_memo((), move |()| {
            Pool::plain(Callback::from(move |heard| match heard {
                Ok(FromWorker::Bisecting { job: of, runs }) if of == *job.borrow() => {
                    state.set(State::Running(runs));
                }
                Ok(FromWorker::Bisected { job: of, findings, sentence }) if of == *job.borrow() => {
                    state.set(State::Found(findings, sentence));
                }
                Ok(FromWorker::Failed { job: of, problems, .. }) if of == *job.borrow() => {
                    state.set(State::Failed(problems));
                }
                Err(reason) => state.set(State::Failed(vec![Problem::error("", reason)])),
                Ok(_) => {}
            }))
        })
    };
    // Another run has other differences.
    {
        let (state, pool, job) = (state.clone(), pool.clone(), job.clone());
        use_effect_with(results.job, move |_| {
            *job.borrow_mut() += 1;
            pool.give_up();
            state.set(State::Nothing);
        });
    }
    let name = (*chosen).clone().filter(|name| figures.iter().any(|(known, _)| known == name));
    let name = name.or_else(|| figures.first().map(|(name, _)| name.clone())).unwrap_or_default();
    let count = results.reports.len();
    let against = (*second).clamp(1, count.saturating_sub(1).max(1));
    let on_start = {
        let (pool, job, state, results) = (pool.clone(), job.clone(), state.clone(), Rc::clone(results));
        let (metric, repeats) = (name.clone(), *repeats);
        Callback::from(move |_: MouseEvent| {
            *job.borrow_mut() += 1;
            let job = *job.borrow();
            let document = results.scenario.to_json();
            state.set(State::Running(0));
            let order = Bisection { job, document, first: 0, second: against, metric: metric.clone(), repeats };
            pool.alone(&ToWorker::Bisect(Box::new(order)));
        })
    };
    let on_stop = {
        let (pool, job, state) = (pool.clone(), job, state.clone());
        Callback::from(move |_: MouseEvent| {
            *job.borrow_mut() += 1;
            pool.give_up();
            state.set(State::Nothing);
        })
    };
    let on_name = {
        let chosen = chosen.clone();
        Callback::from(move |name: String| chosen.set(Some(name)))
    };
    let on_repeats = {
        let repeats = repeats.clone();
        Callback::from(move |text: String| {
            repeats.set(whole(text.trim(), 1, 200)? as u32);
            Ok(())
        })
    };
    let on_second = {
        let second = second.clone();
        Callback::from(move |place: usize| second.set(place + 1))
    };
    let others: Vec<String> = results.reports.iter().skip(1).map(|report| report.name.clone()).collect();
    html! {
        <details class="carries">
            <summary>{ "What carries the difference?" }</summary>
            <p class="mute hint">{ "All that differs is switched one by one, in both directions, until it is known what carries how much of the change." }</p>
            <div class="tools">
                <Select label="Figure to explain" bare=true value={name} options={figures} on_change={on_name} />
                if others.len() > 1 { <Choice label="Against A" options={others} chosen={against - 1} on_choose={on_second} /> }
                <span class="repeats"><Field label="Repeats of each" bare=true value={repeats.to_string()} on_change={on_repeats} /></span>
                <span class="mute">{ "repeats" }</span>
                if let State::Running(runs) = &*state {
                    <button type="button" class="small" onclick={on_stop}>{ "Stop looking" }</button>
                    <span class="num mute" role="status">{ format!("{runs} runs") }</span>
                } else {
                    <button type="button" class="small" onclick={on_start}>{ "Find out" }</button>
                }
            </div>
            {
                match &*state {
                    State::Nothing | State::Running(_) => Html::default(),
                    State::Failed(problems) => html! { <div class="notice bad" role="alert"><Problems problems={problems.clone()} /></div> },
                    State::Found(findings, sentence) => found(findings, sentence),
                }
            }
        </details>
    }
}

fn estimate(of: &Estimate) -> String {
    let sign = if of.mean > 0.0 { "+" } else { "" };
    if of.sem > 0.0 {
        format!("{sign}{} ±{}", format::number(of.mean), format::number(of.sem))
    } else {
        format!("{sign}{}", format::number(of.mean))
    }
}

fn found(findings: &Findings, sentence: &str) -> Html {
    let line = |carrier: &Carrier| {
        let maybe = |of: Option<Estimate>| of.map_or_else(|| "–".to_owned(), |of| estimate(&of));
        let values = carrier.differences.iter().map(|of| format!("{} → {}", of.from, of.to)).collect::<Vec<_>>();
        let part = if carrier.matters { format::share(carrier.percent / 100.0) } else { "≈ noise".to_owned() };
        html! {
            <tr>
                <th scope="row">{ carrier.name() }<span class="mute">{ " " }{ values.join(", ") }</span></th>
                <td class="num">{ maybe(carrier.alone) }</td><td class="num">{ maybe(carrier.last) }</td>
                <td class="num">{ estimate(&carrier.effect) }</td><td class="num">{ part }</td>
            </tr>
        }
    };
    let together = findings.interactions.iter().map(|of| {
        html! { <li>{ format!("Only together: {} and {}: {} ({})", of.first, of.second, estimate(&of.effect), format::share(of.percent / 100.0)) }</li> }
    });
    html! {
        <>
            <p class="why" role="status">{ sentence.to_owned() }</p>
            if !findings.noise && !findings.carriers.is_empty() {
                <div class="scroll" tabindex="0" role="group" aria-label="What carries the difference, as a table">
                    <table>
                        <thead><tr>{ for ["What differs", "Alone", "Last", "Effect", "Of the change"].map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                        <tbody>{ for findings.carriers.iter().map(line) }</tbody>
                    </table>
                </div>
                <ul>{ for together }</ul>
                <p class="mute hint">{ format!("{} runs, all on the same seeds; ± standard error over the repeats.", findings.runs) }</p>
            }
        </>
    }
}

#[cfg(test)]
mod tests {
    use schedlab_report::Unit;

    use super::*;

    #[test]
    fn rows_have_the_names_of_sweeps() {
        let row = |group, measure: &str| Row {
            group,
            measure: measure.to_owned(),
            unit: Unit::Ns,
            values: Vec::new(),
            sem: Vec::new(),
            changes: Vec::new(),
        };
        assert_eq!(metric(&row(Group::Task("a.b".to_owned()), "run_delay.p99")), "tasks.a.b.run_delay.p99");
        assert_eq!(metric(&row(Group::Operation(String::new()), "per_second")), "ops.per_second");
        assert_eq!(metric(&row(Group::Machine, "busy")), "cpus.busy");
        assert_eq!(metric(&row(Group::Counters, "sched_count")), "counters.sched_count");
    }
}
