//! What only a machine of several CPUs has: where wake-ups put their tasks, idle CPUs beside waiting
//! tasks, who shared a core with whom, and balancing by domain. Tables, a column a variant.
//! Not for the figures: the report has them.

use std::collections::BTreeMap;
use std::rc::Rc;

use schedlab_report::{BalanceReport, BusyIdle, DomainReport, IDLE_NAME, VariantReport};
use schedlab_view::{Theme, format};
use yew::prelude::*;

use crate::cookies;
use crate::parts::{Chip, VariantMark};
use crate::state::Results;

/// How many pairs that shared a core are listed.
const MOST_PAIRS: usize = 24;

/// Of which results.
#[derive(Properties, PartialEq)]
pub struct SharingProps {
    /// The results.
    pub results: Rc<Results>,
    /// The theme.
    pub theme: Theme,
}

/// The cards.
#[component]
pub fn Sharing(props: &SharingProps) -> Html {
    let reports = &props.results.reports;
    if reports.iter().all(|report| report.cpus.len() < 2) {
        return Html::default();
    }
    html! {
        <div class="charts broad">
            { placement(reports) }
            if reports.iter().any(|report| !report.shared_cores.is_empty()) { { shared_cores(props) } }
            { domains(reports) }
        </div>
    }
}

fn heads(reports: &[VariantReport]) -> Html {
    let head = |(index, report): (usize, &VariantReport)| {
        html! { <th scope="col"><VariantMark {index} name={report.name.clone()} /></th> }
    };
    html! { { for reports.iter().enumerate().map(head) } }
}

/// A line of a table: a value of each variant.
fn line(name: &str, reports: &[VariantReport], value: impl Fn(&VariantReport) -> String) -> Html {
    let cells = reports.iter().map(|report| html! { <td class="num">{ value(report) }</td> });
    html! { <tr><th scope="row">{ name }</th>{ for cells }</tr> }
}

fn part(count: f64, of: f64) -> String {
    if of > 0.0 { format::share(count / of) } else { "–".to_owned() }
}

fn placement(reports: &[VariantReport]) -> Html {
    let place = |name: &str, of: fn(&VariantReport) -> BusyIdle| {
        line(name, reports, move |report| {
            let (pair, all) = (of(report), report.placement.wakeups);
            let text = part(pair.busy + pair.idle, all);
            if pair.idle > 0.0 { format!("{text} · idle {}", part(pair.idle, all)) } else { text }
        })
    };
    let gap = |of: &VariantReport, ns: u64| part(ns as f64, of.measured_ns as f64);
    html! {
        <section class="card" aria-label="Wake-ups">
            <div class="head"><h2>{ "Where wake-ups went" }</h2><small>{ "share of wake-ups" }</small></div>
            <div class="scroll" tabindex="0" role="group" aria-label="Where wake-ups went, as a table">
                <table>
                    <thead><tr><th scope="col">{ "To" }</th>{ heads(reports) }</tr></thead>
                    <tbody>
                        { place("previous CPU, the waker's too", |report| report.placement.previous_is_waker) }
                        { place("previous CPU", |report| report.placement.previous) }
                        { place("the waker's CPU", |report| report.placement.waker) }
                        { place("another CPU", |report| report.placement.other) }
                        { line("a busy CPU while one was idle", reports, |of| part(of.placement.busy_while_idle, of.placement.wakeups)) }
                        { line("not the previous, which was idle", reports, |of| part(of.placement.previous_idle_not_chosen, of.placement.wakeups)) }
                        { line("wake-ups in all", reports, |of| format::number(of.placement.wakeups)) }
                    </tbody>
                    <thead><tr><th scope="col">{ "Work conservation" }</th>{ for reports.iter().map(|_| html! { <td /> }) }</tr></thead>
                    <tbody>
                        { line("a CPU idle while a task waits elsewhere", reports, |of| gap(of, of.work_conservation.gap_ns)) }
                        { line("the same, times CPUs or tasks", reports, |of| gap(of, of.work_conservation.cpu_ns)) }
                        { line("how often that began", reports, |of| format::number(of.work_conservation.count)) }
                    </tbody>
                </table>
            </div>
        </section>
    }
}

fn shared_cores(props: &SharingProps) -> Html {
    let results = &props.results;
    let reports = &results.reports;
    let cookies = cookies::cookies(&results.scenario);
    let mut most = BTreeMap::<(&str, &str), u64>::new();
    for shared in reports.iter().flat_map(|report| &report.shared_cores) {
        let ns = most.entry((&shared.first, &shared.second)).or_default();
        *ns = (*ns).max(shared.ns);
    }
    let mut pairs: Vec<(&str, &str, u64)> = most.into_iter().map(|((first, second), ns)| (first, second, ns)).collect();
    let marks = super::Marks::of(results);
    pairs.sort_by_key(|(.., ns)| std::cmp::Reverse(*ns));
    let hidden = pairs.len().saturating_sub(MOST_PAIRS);
    let cookie = |name: &str| {
        results.scenario.workload.tasks.iter().find(|task| task.name == name).map_or(0, |task| task.cookie)
    };
    let named = |name: &str| {
        if name == IDLE_NAME {
            return html! { <span class="mute">{ "idle" }</span> };
        }
        let (kind, letter) = marks.get(name);
        html! {
            <span class="who"><Chip {kind} {letter} theme={props.theme} />{ name.to_owned() }{ cookies::mark(&cookies, cookie(name), props.theme) }</span>
        }
    };
    let lines = pairs.iter().take(MOST_PAIRS).map(|(first, second, _)| {
        let cells = reports.iter().map(|report| {
            let found = report.shared_cores.iter().find(|of| (of.first.as_str(), of.second.as_str()) == (*first, *second));
            html! { <td class="num">{ found.map_or_else(|| "–".to_owned(), |of| format::milliseconds(of.ns as f64)) }</td> }
        });
        html! { <tr><th scope="row">{ named(first) }{ " with " }{ named(second) }</th>{ for cells }</tr> }
    });
    html! {
        <section class="card" aria-label="Shared cores">
            <div class="head"><h2>{ "Who shared a core" }</h2><small>{ "ms, over all cores · round marks are cookies" }</small></div>
            <div class="scroll" tabindex="0" role="group" aria-label="Who shared a core, as a table">
                <table>
                    <thead><tr><th scope="col">{ "On the threads of one core" }</th>{ heads(reports) }</tr></thead>
                    <tbody>
                        { for lines }
                        { line("two different cookies", reports, |of| format::milliseconds(of.cookie_mix_ns as f64)) }
                    </tbody>
                </table>
                if hidden > 0 { <p class="mute">{ format!("and {hidden} more pairs") }</p> }
            </div>
        </section>
    }
}

/// How a level's counters are called, and which they are.
type Counter = (&'static str, fn(&BalanceReport) -> f64);

fn domains(reports: &[VariantReport]) -> Html {
    let counters: [Counter; 7] = [
        ("attempts", |of| of.count),
        ("balanced", |of| of.balanced),
        ("failed", |of| of.failed),
        ("tasks pulled", |of| of.gained),
        ("cache-hot ones", |of| of.hot_gained),
        ("no busier CPU", |of| of.nobusyq),
        ("no busier group", |of| of.nobusyg),
    ];
    let several = reports.len() > 1;
    let lines = reports.iter().enumerate().flat_map(|(index, report)| {
        report.domains.iter().flat_map(move |domain| {
            let kinds = [("idle", &domain.idle), ("busy", &domain.busy), ("newly idle", &domain.newly_idle)];
            kinds.map(|(kind, of)| {
                let cells =
                    counters.iter().map(|(_, count)| html! { <td class="num">{ format::number(count(of)) }</td> });
                html! {
                    <tr>
                        <th scope="row">{ format!("{} {kind}", domain.level) }
                            if several { { " " }<VariantMark {index} name={String::new()} /> }</th>
                        { for cells }
                    </tr>
                }
            })
        })
    });
    let rest = |name: &str, of: fn(&DomainReport) -> f64| {
        line(name, reports, move |report| format::number(report.domains.iter().map(of).sum()))
    };
    html! {
        <section class="card" aria-label="Balancing">
            <div class="head"><h2>{ "Balancing" }</h2><small>{ "counters of the scheduling domains" }</small></div>
            <div class="scroll" tabindex="0" role="group" aria-label="Balancing, as a table">
                <table>
                    <thead>
                        <tr><th scope="col">{ "Domain, CPU" }</th>
                            { for counters.iter().map(|(name, _)| html! { <th scope="col">{ *name }</th> }) }</tr>
                    </thead>
                    <tbody>{ for lines }</tbody>
                </table>
                <table>
                    <thead><tr><th scope="col">{ "All domains" }</th>{ heads(reports) }</tr></thead>
                    <tbody>
                        { rest("active balances asked for", |of| of.alb_count) }
                        { rest("that moved the task", |of| of.alb_pushed) }
                        { rest("that failed", |of| of.alb_failed) }
                        { rest("remote wake-ups", |of| of.ttwu_wake_remote) }
                        { rest("affine wake-ups", |of| of.ttwu_move_affine) }
                    </tbody>
                </table>
            </div>
        </section>
    }
}
