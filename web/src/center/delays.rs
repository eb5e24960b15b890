//! The delay distribution: wake delay or run delay, of one task or all, as a curve or a histogram.
//! Not for computing distributions: `schedlab_report` does.

use std::collections::BTreeMap;
use std::rc::Rc;

use schedlab_report::{VariantReport, cdf, log_bins};
use schedlab_view::Theme;
use schedlab_view::curve::{Point, Steps};
use schedlab_view::picture::{Curves, Picture};
use yew::prelude::*;

use crate::charts::PlotCard;
use crate::parts::{Choice, Select};
use crate::state::Results;

/// Bins for each factor of ten of the histogram.
const PER_DECADE: u32 = 8;

/// Of which results.
#[derive(Properties, PartialEq)]
pub struct DelaysProps {
    /// The results.
    pub results: Rc<Results>,
    /// The theme.
    pub theme: Theme,
}

/// The delay distribution.
#[component]
pub fn Delays(props: &DelaysProps) -> Html {
    let run_delay = use_state(|| false);
    let histogram = use_state(|| false);
    let task = use_state(|| None::<String>);
    let kinds = super::kinds(&props.results);
    let chosen =
        task.as_ref().filter(|name| kinds.contains(name)).cloned().unwrap_or_else(|| most_telling(&props.results));
    let picture = {
        let key = (Rc::clone(&props.results), *run_delay, *histogram, chosen.clone());
        use_memo(key, |(results, run_delay, histogram, task)| picture(results, *run_delay, *histogram, task))
    };
    let names: Vec<String> = props.results.reports.iter().map(|report| report.name.clone()).collect();
    let title = if *run_delay { "Run delay" } else { "Wake delay" };
    let about = if *histogram { "share of waits" } else { "share of waits not longer" };
    let choose = |state: &UseStateHandle<bool>| {
        let state = state.clone();
        Callback::from(move |chosen: usize| state.set(chosen == 1))
    };
    let options = super::task_options(&kinds);
    let choices = html! {
        <>
            <Select bare=true label="Task that waits" value={chosen.clone()} {options} on_change={move |name| task.set(Some(name))} />
            <Choice label="Which delay" options={vec!["Wake".to_owned(), "Run".to_owned()]}
                chosen={usize::from(*run_delay)} on_choose={choose(&run_delay)} />
            <Choice label="Drawn as" options={vec!["CDF".to_owned(), "Histogram".to_owned()]}
                chosen={usize::from(*histogram)} on_choose={choose(&histogram)} />
        </>
    };
    html! {
        <PlotCard {title} {about} picture={(*picture).clone()} variants={names}
            theme={props.theme} {choices} />
    }
}

/// The task whose wake delays there are most of: the first chart has something to say.
fn most_telling(results: &Results) -> String {
    let waits = |name: &String| -> f64 {
        let of = |report: &VariantReport| {
            report.tasks.iter().find(|task| task.name == *name).map_or(0.0, |task| task.wake_delay.count)
        };
        results.reports.iter().map(of).sum()
    };
    let most = super::kinds(results).into_iter().max_by(|a, b| waits(a).total_cmp(&waits(b)));
    most.unwrap_or_default()
}

fn picture(results: &Results, run_delay: bool, histogram: bool, task: &str) -> Picture {
    let curve = |report: &VariantReport| {
        let buckets = merged(report, run_delay, task);
        if histogram { bins(&buckets) } else { distribution(&buckets) }
    };
    let curves = results.reports.iter().map(curve).collect();
    Picture::Curves(if histogram { Curves::histogram(curves) } else { Curves::distribution(curves) })
}

/// The buckets of one task, or of all (an empty name) together, in order.
fn merged(report: &VariantReport, run_delay: bool, task: &str) -> Vec<(u64, u64, u64)> {
    let mut buckets: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for of in report.tasks.iter().filter(|of| task.is_empty() || of.name == task) {
        for (least, width, count) in if run_delay { &of.run_delay_histogram } else { &of.wake_delay_histogram } {
            buckets.entry(*least).or_insert((*width, 0)).1 += count;
        }
    }
    buckets.into_iter().map(|(least, (width, count))| (least, width, count)).collect()
}

fn distribution(buckets: &[(u64, u64, u64)]) -> Steps {
    Steps(cdf(buckets).into_iter().map(|(ns, share)| Point { x: ns as f64, y: share }).collect())
}

fn bins(buckets: &[(u64, u64, u64)]) -> Steps {
    let bins = log_bins(buckets, PER_DECADE).bins;
    let end = bins.last().map(|bin| Point { x: bin.to_ns, y: 0.0 });
    Steps(bins.iter().map(|bin| Point { x: bin.from_ns, y: bin.share }).chain(end).collect())
}

#[cfg(test)]
mod tests {
    use schedlab_report::TaskReport;

    use super::*;

    fn report() -> VariantReport {
        let task = |name: &str, wake: Vec<(u64, u64, u64)>| TaskReport {
            name: name.to_owned(),
            wake_delay_histogram: wake,
            ..TaskReport::default()
        };
        let tasks = vec![task("a", vec![(1_000, 8, 3), (2_000, 16, 1)]), task("b", vec![(1_000, 8, 4)])];
        VariantReport { tasks, ..VariantReport::default() }
    }

    #[test]
    fn the_waits_of_all_tasks_are_put_together() {
        assert_eq!(merged(&report(), false, ""), [(1_000, 8, 7), (2_000, 16, 1)]);
        assert_eq!(merged(&report(), false, "b"), [(1_000, 8, 4)]);
        assert!(merged(&report(), true, "").is_empty());
    }

    #[test]
    fn a_distribution_ends_at_all_and_a_histogram_at_nothing() {
        let buckets = merged(&report(), false, "");
        assert_eq!(distribution(&buckets).0.last().map(|p| p.y), Some(1.0));
        let bins = bins(&buckets);
        assert_eq!(bins.0.last().map(|p| p.y), Some(0.0));
        assert!((bins.0.iter().map(|p| p.y).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
