//! What each variant's model was checked against, beside the results that depend on it.
//! Not for the checks: the engine's releases say what they were.

use schedlab_sim::kernel::Release;
use yew::prelude::*;

use crate::parts::VariantMark;
use crate::state::Results;
use crate::words;

/// A line for each variant.
pub(super) fn checked(results: &Results) -> Html {
    let lines = results.reports.iter().enumerate().filter_map(|(index, report)| {
        let release = Release::parse(&report.release)?;
        Some(html! {
            <p class="mute">
                <VariantMark {index} name={words::release(release)} />{ ": " }{ words::checked(release) }{ "." }
            </p>
        })
    });
    html! {
        <section class="checked" aria-labelledby="checked">
            <h2 id="checked">{ "Checked against kernels" }</h2>
            { for lines }
        </section>
    }
}
