//! The scheduler's counters of all variants, side by side.

use std::rc::Rc;

use schedlab_view::format;
use yew::prelude::*;

use crate::parts::VariantMark;
use crate::state::Results;

/// Of which results.
#[derive(Properties, PartialEq)]
pub struct CountersProps {
    /// The results.
    pub results: Rc<Results>,
}

/// The counters.
#[component]
pub fn Counters(props: &CountersProps) -> Html {
    let reports = &props.results.reports;
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in reports.iter().flat_map(|report| &report.counters) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let line = |name: &&str| {
        let cells = reports.iter().map(|report| {
            let value = report.counters.iter().find(|(known, _)| known == name);
            match value {
                Some((_, value)) => html! { <td class="num">{ format::number(*value) }</td> },
                None => html! { <td class="num plain"><span aria-label="not in this release">{ "–" }</span></td> },
            }
        });
        html! { <tr><th scope="row"><code>{ *name }</code></th>{ for cells }</tr> }
    };
    let heads = reports.iter().enumerate().map(|(index, report)| {
        html! { <th scope="col"><VariantMark {index} name={report.name.clone()} /></th> }
    });
    html! {
        <section class="card" aria-label="Counters">
            <div class="head"><h2>{ "Counters" }</h2><small>{ "of the whole run, as the kernel counts" }</small></div>
            <div class="scroll" tabindex="0" role="group" aria-label="Counters, as a table">
                <table>
                    <thead><tr><th scope="col">{ "Counter" }</th>{ for heads }</tr></thead>
                    <tbody>{ for names.iter().map(line) }</tbody>
                </table>
            </div>
        </section>
    }
}
