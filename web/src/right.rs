//! The right column: why the selected switch happened. First a sentence, then the figures, then
//! the rule. Not for the rules themselves: the reason carries them from the engine.

use std::rc::Rc;

use schedlab_sim::Reason;
use schedlab_sim::kernel::Release;
use schedlab_view::{Theme, format};
use yew::prelude::*;

use crate::center::{marks, who};
use crate::parts::VariantMark;
use crate::protocol::{Switch, ToWorker, Who};
use crate::state::{List, Results};
use crate::words;

/// What the inspector shows.
#[derive(Properties, PartialEq)]
pub struct RightProps {
    /// The results.
    pub results: Option<Rc<Results>>,
    /// The list with the selected switch.
    pub list: List,
    /// The theme.
    pub theme: Theme,
    /// Asks a variant's worker.
    pub ask: Callback<(usize, ToWorker)>,
}

/// The inspector.
#[component]
pub fn Right(props: &RightProps) -> Html {
    let shown = props.results.as_ref().zip(props.list.selected.as_ref());
    html! {
        <aside class="right" aria-label="Why" tabindex="0">
            <div class="tabs"><h2>{ "Why" }</h2></div>
            <div class="pad">
                {
                    match shown {
                        Some((results, switch)) => inspector(props, results, switch),
                        None => html! { <p class="mute">{ "Select a switch to see why it happened." }</p> },
                    }
                }
            </div>
        </aside>
    }
}

fn inspector(props: &RightProps, results: &Results, switch: &Switch) -> Html {
    let list = &props.list;
    let marks = marks(results);
    let reason = Reason::ALL.iter().copied().find(|reason| reason.name() == switch.reason);
    let report = results.reports.get(list.variant);
    let name = report.map(|report| report.name.clone()).unwrap_or_default();
    let release = report.and_then(|report| Release::parse(&report.release));
    let find = |forward: bool| {
        let (ask, variant, filter, from) = (props.ask.clone(), list.variant, list.filter, list.place);
        Callback::from(move |_: MouseEvent| ask.emit((variant, ToWorker::Find { variant, filter, from, forward })))
    };
    html! {
        <>
            <h2>
                <span class="num">{ format::instant(switch.at_ns) }</span>{ format!(" · CPU {}", switch.cpu) }
                <small><VariantMark index={list.variant} {name} /></small>
            </h2>
            <p class="why">{ reason.map_or_else(|| switch.reason.clone(), |reason| reason.sentence().to_owned()) }{ " " }{ consequence(switch) }</p>
            <dl class="facts">
                <dt>{ "Left" }</dt><dd>{ who(switch.prev.as_ref(), &marks, props.theme) }</dd>
                if switch.prev.is_some() {
                    <dt>{ "had been on the CPU for" }</dt><dd class="num">{ format::duration(switch.ran_ns as f64) }</dd>
                }
                <dt>{ "Came" }</dt><dd>{ who(switch.next.as_ref(), &marks, props.theme) }</dd>
                if switch.next.is_some() {
                    <dt>{ if switch.woken { "had waited since its wake-up" } else { "had waited since it last ran" } }</dt>
                    <dd class="num">{ format::duration(switch.waited_ns as f64) }</dd>
                }
                <dt>{ "Reason" }</dt><dd class="num">{ &switch.reason }</dd>
            </dl>
            if let Some(reason) = reason {
                <div class="rule">
                    { "Rule: decided in " }<code>{ reason.function() }</code>{ format!(" · model {}", reason.section()) }
                </div>
            }
            <p class="actions">
                <button type="button" class="link" onclick={find(false)}>{ "◂ previous preemption" }</button>
                <button type="button" class="link" onclick={find(true)}>{ "next preemption ▸" }</button>
            </p>
            if let Some(release) = release {
                <h2>{ "Checked against kernels" }</h2>
                <p class="mute">
                    { format!("On one CPU the model of {} takes the decisions of the kernel at the same nanosecond: \
                        each test run compares it, switch by switch, with recorded traces.", words::release(release)) }
                </p>
            }
        </>
    }
}

fn named(who: &Who) -> Html {
    html! { <b>{ &who.name }</b> }
}

/// What the switch did, in a sentence with the tasks' names.
fn consequence(switch: &Switch) -> Html {
    match (&switch.prev, &switch.next) {
        (Some(prev), Some(next)) => {
            html! { <>{ named(prev) }{ " left the CPU and " }{ named(next) }{ " took it." }</> }
        }
        (Some(prev), None) => html! { <>{ named(prev) }{ " left the CPU and nobody was waiting." }</> },
        (None, Some(next)) => html! { <>{ named(next) }{ " took the CPU." }</> },
        (None, None) => Html::default(),
    }
}
