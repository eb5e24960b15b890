//! How long tasks had run when they were preempted, in powers of two of microseconds.

use std::rc::Rc;

use schedlab_report::{TaskReport, VariantReport};
use schedlab_view::Theme;
use schedlab_view::picture::{Columns, Picture};
use yew::prelude::*;

use crate::charts::PlotCard;
use crate::parts::Select;
use crate::state::Results;

/// Of which results.
#[derive(Properties, PartialEq)]
pub struct RanBeforeProps {
    /// The results.
    pub results: Rc<Results>,
    /// The theme.
    pub theme: Theme,
}

/// The histogram.
#[component]
pub fn RanBefore(props: &RanBeforeProps) -> Html {
    let task = use_state(String::new);
    let kinds = super::kinds(&props.results);
    let chosen = if kinds.contains(&*task) { (*task).clone() } else { String::new() };
    let series = props.results.reports.iter().map(|report| counts(report, &chosen)).collect::<Vec<_>>();
    let names: Vec<String> = props.results.reports.iter().map(|report| report.name.clone()).collect();
    let options = super::task_options(&kinds);
    let choices = html! {
        <Select bare=true label="Task that was preempted" value={chosen.clone()} {options} on_change={move |name| task.set(name)} />
    };
    html! {
        <PlotCard title="Ran before preempted" about="log2 µs" picture={Picture::Columns(Columns::log2_microseconds(&series))}
            variants={names} theme={props.theme} {choices} />
    }
}

/// Counts by bucket of one task, or of all (an empty name): bucket 0 holds what is below 1 µs,
/// bucket n from 1 on what is from 2^(n-1) µs on.
fn counts(report: &VariantReport, task: &str) -> Vec<f64> {
    let mut counts = vec![0.0; 33];
    let of = |report: &&TaskReport| task.is_empty() || report.name == task;
    for (least_us, count) in report.tasks.iter().filter(of).flat_map(|task| &task.ran_before_preempted) {
        let bucket = least_us.checked_ilog2().map_or(0, |power| power as usize + 1);
        if let Some(slot) = counts.get_mut(bucket) {
            *slot += count;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_found_by_their_least_microseconds() {
        let task = |name: &str, ran: Vec<(u64, f64)>| TaskReport {
            name: name.to_owned(),
            ran_before_preempted: ran,
            ..TaskReport::default()
        };
        let tasks = vec![task("a", vec![(0, 1.0), (1, 2.0), (1024, 3.0)]), task("b", vec![(1024, 4.0)])];
        let report = VariantReport { tasks, ..VariantReport::default() };
        let all = counts(&report, "");
        assert_eq!((all[0], all[1], all[11]), (1.0, 2.0, 7.0));
        assert_eq!(counts(&report, "b").iter().sum::<f64>(), 4.0);
    }
}
