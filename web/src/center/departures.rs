//! How often each task was preempted, and why tasks left the CPU.

use std::rc::Rc;

use schedlab_report::VariantReport;
use schedlab_view::Theme;
use schedlab_view::picture::{Picture, Rows};
use yew::prelude::*;

use crate::charts::PlotCard;
use crate::state::Results;

/// Of which results.
#[derive(Properties, PartialEq)]
pub struct DeparturesProps {
    /// The results.
    pub results: Rc<Results>,
    /// The theme.
    pub theme: Theme,
}

/// Two charts of lying bars.
#[component]
pub fn Departures(props: &DeparturesProps) -> Html {
    let results = &props.results;
    let names: Vec<String> = results.reports.iter().map(|report| report.name.clone()).collect();
    let count = names.len();
    let height = |lines: usize| (lines * (10 * count + 10) + 32).clamp(80, 900) as u32;
    let kinds = super::kinds(results);
    let reasons = reasons(results);
    let preemptions = rows(results, &kinds, |report, kind| {
        report.tasks.iter().find(|task| task.name == kind).map_or(0.0, |task| task.preempted)
    });
    let departures = rows(results, &reasons, |report, reason| {
        report
            .tasks
            .iter()
            .flat_map(|task| &task.reasons)
            .filter(|(name, _)| name == reason)
            .map(|(_, count)| count)
            .sum()
    });
    html! {
        <div class="stack">
            <PlotCard title="Preemptions" about="times made to leave" picture={preemptions}
                variants={names.clone()} theme={props.theme} height={height(kinds.len())} />
            <PlotCard title="Why tasks left" about="switches by reason" first="Reason" picture={departures}
                variants={names} theme={props.theme} height={height(reasons.len())} />
        </div>
    }
}

fn rows(results: &Results, labels: &[String], value: impl Fn(&VariantReport, &str) -> f64) -> Picture {
    let of = |report: &VariantReport| labels.iter().map(|label| value(report, label)).collect();
    Picture::Rows(Rows::new(labels.to_vec(), results.reports.iter().map(of).collect()))
}

/// The reasons that occur, the most frequent first.
fn reasons(results: &Results) -> Vec<String> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for (name, count) in results.reports.iter().flat_map(|report| &report.tasks).flat_map(|task| &task.reasons) {
        match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += count,
            None => found.push((name.clone(), *count)),
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.into_iter().map(|(name, _)| name).collect()
}
