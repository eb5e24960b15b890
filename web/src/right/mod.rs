//! The right column: why the selected switch happened. First what happened in sentences, then the
//! queue as the decision saw it, drawn and as a table, then the rules.
//! Not for finding the reasons: the engine and `schedlab-report` do, in the worker.

mod checked;
mod cpu;
mod queue;
mod sentence;

use std::rc::Rc;

use schedlab_report::{MomentWords, QueueTable, Rule};
use schedlab_sim::Reason;
use schedlab_sim::kernel::Release;
use schedlab_view::{Theme, format};
use yew::prelude::*;

use crate::center::{arrival, marks, who};
use crate::instant::Instant;
use crate::parts::{VariantMark, section_link};
use crate::protocol::{Explained, Switch, ToWorker};
use crate::state::{Action, List, Results};
use cpu::Cpu;

/// What the inspector shows.
#[derive(Properties, PartialEq)]
pub struct RightProps {
    /// The results.
    pub results: Option<Rc<Results>>,
    /// The list with the selected switch.
    pub list: List,
    /// What was explained last.
    pub explained: Option<Rc<Explained>>,
    /// The CPU that is looked at.
    pub cpu: Option<u16>,
    /// The theme.
    pub theme: Theme,
    /// Asks a variant's worker.
    pub ask: Callback<(usize, ToWorker)>,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
    /// Copies a link to an instant.
    pub on_link: Callback<Instant>,
}

/// The inspector.
#[component]
pub fn Right(props: &RightProps) -> Html {
    let selected = props.results.as_ref().zip(props.list.selected.as_ref());
    {
        let ask = props.ask.clone();
        let wanted = selected.map(|(results, switch)| (results.job, props.list.variant, switch.cpu, switch.at_ns));
        use_effect_with(wanted, move |wanted| {
            if let Some((_, variant, cpu, at_ns)) = *wanted {
                ask.emit((variant, ToWorker::Explain { variant, cpu, at_ns }));
            }
        });
    }
    html! {
        <aside class="right" aria-label="Why" tabindex="0">
            <div class="tabs"><h2>{ "Why" }</h2><span class="grow" />{ walk(&props.list, &props.dispatch) }</div>
            <div class="pad">
                if let Some((results, cpu)) = props.results.as_ref().zip(props.cpu) {
                    <section class="lookedAt" aria-label={format!("CPU {cpu}")}>
                        <Cpu results={Rc::clone(results)} variant={props.list.variant} {cpu} theme={props.theme} />
                        <button type="button" class="link" onclick={close(&props.dispatch)}>{ "Close the CPU" }</button>
                    </section>
                }
                {
                    match selected {
                        Some((results, switch)) => inspector(props, results, switch),
                        None => html! { <p class="mute">{ "Select a switch to see why it happened." }</p> },
                    }
                }
                if let Some(results) = &props.results { { checked::checked(results) } }
            </div>
        </aside>
    }
}

/// Looks at no CPU any more.
fn close(dispatch: &Callback<Action>) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |_: MouseEvent| dispatch.emit(Action::Look(None)))
}

/// Steps to the switch before and after; they stay where they are while the text below changes.
fn walk(list: &List, dispatch: &Callback<Action>) -> Html {
    let (place, total) = (list.place, list.total.unwrap_or(0));
    let before = place.and_then(|place| place.checked_sub(1));
    let after = place.map(|place| place + 1).filter(|place| *place < total);
    let step = |to: Option<usize>| {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| to.into_iter().for_each(|place| dispatch.emit(Action::Select(place))))
    };
    html! {
        <>
            <button type="button" class="link" disabled={before.is_none()} onclick={step(before)}>{ "◂ previous" }<span class="hidden">{ " switch" }</span></button>
            <button type="button" class="link" disabled={after.is_none()} onclick={step(after)}>{ "next" }<span class="hidden">{ " switch" }</span>{ " ▸" }</button>
        </>
    }
}

fn inspector(props: &RightProps, results: &Rc<Results>, switch: &Switch) -> Html {
    let list = &props.list;
    let name = results.reports.get(list.variant).map(|report| report.name.clone()).unwrap_or_default();
    let asked = (results.job, list.variant, switch.cpu, switch.at_ns);
    let answer = props.explained.as_ref().filter(|e| (e.job, e.variant, e.cpu, e.at_ns) == asked);
    let instant = Instant { variant: list.variant, cpu: switch.cpu, at_ns: switch.at_ns };
    let on_link = props.on_link.clone();
    html! {
        <>
            <h2>
                <span class="num">{ format::instant(switch.at_ns) }</span>{ format!(" · CPU {}", switch.cpu) }
                <small><VariantMark index={list.variant} {name} /></small>
            </h2>
            {
                match answer.and_then(|explained| Some((explained, steps(explained, switch)?))) {
                    Some((explained, steps)) => in_full(explained, steps),
                    None => in_short(results, list.variant, switch),
                }
            }
            { facts(results, switch, props.theme) }
            <p class="actions">
                <button type="button" class="link" onclick={move |_| on_link.emit(instant)}>{ "link to this instant" }</button>
            </p>
        </>
    }
}

/// The steps of the instant up to the one that made the switch.
fn steps<'a>(explained: &'a Explained, switch: &Switch) -> Option<&'a [MomentWords]> {
    let moments = &explained.explanation.moments;
    let name = |who: &Option<crate::protocol::Who>| who.as_ref().map(|who| who.name.clone());
    let (prev, next) = (name(&switch.prev), name(&switch.next));
    let last = moments.iter().rposition(|m| m.what == "schedule" && m.prev == prev && m.next == next)?;
    // What an earlier schedule() of the same instant did belongs to another switch.
    let first = moments[..last].iter().rposition(|moment| moment.what == "schedule").map_or(0, |earlier| earlier + 1);
    Some(&moments[first..=last])
}

/// How many steps before the switch itself are told; many tasks may wake at one instant.
const MOST_STEPS: usize = 5;

fn in_full(explained: &Rc<Explained>, steps: &[MomentWords]) -> Html {
    let hidden = steps.len().saturating_sub(MOST_STEPS);
    let told = &steps[hidden..];
    let mut rules: Vec<&Rule> = Vec::new();
    for rule in told.iter().flat_map(|step| &step.rules) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let queues: &[QueueTable] = steps.last().map(|step| step.queues.as_slice()).unwrap_or_default();
    let names: Vec<&str> = explained
        .tasks
        .iter()
        .map(|task| task.name.as_str())
        .chain(queues.iter().flat_map(|queue| &queue.entities).filter(|e| e.group).map(|e| e.name.as_str()))
        .collect();
    let sentences = told.iter().flat_map(|step| &step.sentences);
    html! {
        <>
            if hidden > 0 {
                <p class="mute">{ format!("{hidden} more things happened at this instant before.") }</p>
            }
            <p class="why">{ for sentences.map(|text| html! { <>{ sentence::marked(text, &names) }{ " " }</> }) }</p>
            { for queues.iter().map(|level| queue::queue(level, queues.len() > 1, explained)) }
            <div class="rule">{ for rules.into_iter().enumerate().map(|(place, rule)| rule_line(place == 0, &rule.rule, &rule.function, &rule.section)) }</div>
        </>
    }
}

fn rule_line(first: bool, rule: &str, function: &str, section: &str) -> Html {
    html! {
        <p>
            if first { { "Rule: " } }{ rule }{ " · " }<code>{ function }</code>{ " · " }
            { section_link(section) }
        </p>
    }
}

/// What is known before the worker has answered.
fn in_short(results: &Results, variant: usize, switch: &Switch) -> Html {
    let reason = Reason::ALL.iter().copied().find(|reason| reason.name() == switch.reason);
    let release = results.reports.get(variant).and_then(|report| Release::parse(&report.release));
    let does = match (&switch.prev, &switch.next) {
        (Some(prev), Some(next)) => {
            html! { <><b>{ &prev.name }</b>{ " left the CPU and " }<b>{ &next.name }</b>{ " took it." }</> }
        }
        (Some(prev), None) => html! { <><b>{ &prev.name }</b>{ " left the CPU and nobody was waiting." }</> },
        (None, Some(next)) => html! { <><b>{ &next.name }</b>{ " took the CPU." }</> },
        (None, None) => Html::default(),
    };
    html! {
        <>
            <p class="why">{ reason.map(Reason::sentence).unwrap_or_default() }{ " " }{ does }</p>
            if let Some((reason, release)) = reason.zip(release) {
                <div class="rule">{ rule_line(true, "decided here", reason.function_in(release), reason.section_in(release)) }</div>
            }
        </>
    }
}

fn facts(results: &Results, switch: &Switch, theme: Theme) -> Html {
    let marks = marks(results);
    html! {
        <dl class="facts">
            <dt>{ "Left" }</dt><dd>{ who(switch.prev.as_ref(), &marks, theme) }</dd>
            if switch.prev.is_some() {
                <dt>{ "had been on the CPU for" }</dt><dd class="num">{ format::duration(switch.ran_ns as f64) }</dd>
            }
            <dt>{ "Came" }</dt><dd>{ who(switch.next.as_ref(), &marks, theme) }</dd>
            if switch.next.is_some() {
                <dt>{ if switch.woken { "had waited since its wake-up" } else { "had waited since it last ran" } }</dt>
                <dd class="num">{ format::duration(switch.waited_ns as f64) }</dd>
            }
            if let Some(from) = arrival(switch) { <dt>{ "which last ran on" }</dt><dd class="num">{ from }</dd> }
            <dt>{ "Reason" }</dt><dd class="num">{ &switch.reason }</dd>
        </dl>
    }
}
