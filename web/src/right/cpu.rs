//! A CPU: where it is in the machine, where its time went, and who ran on it.
//! Not for the figures: the report has them.

use std::rc::Rc;

use schedlab_report::{TaskReport, VariantReport};
use schedlab_view::topology::cpu_list;
use schedlab_view::{Theme, format};
use yew::prelude::*;

use crate::center::{Marks, bar, lost};
use crate::cookies;
use crate::machine;
use crate::parts::{Chip, VariantMark};
use crate::state::Results;

/// How many tasks are listed.
const MOST_TASKS: usize = 16;

/// Which CPU.
#[derive(Properties, PartialEq)]
pub struct CpuProps {
    /// The results.
    pub results: Rc<Results>,
    /// Its variant.
    pub variant: usize,
    /// The CPU.
    pub cpu: u16,
    /// The theme.
    pub theme: Theme,
}

/// What there is to say of the CPU.
#[component]
pub fn Cpu(props: &CpuProps) -> Html {
    let results = &props.results;
    let place = usize::from(props.cpu);
    let seat = {
        let results = Rc::clone(results);
        use_memo((results.job, props.variant, props.cpu), move |(_, variant, cpu)| seat(&results, *variant, *cpu))
    };
    let Some(report) = results.reports.get(props.variant) else { return Html::default() };
    let Some(of) = report.cpus.get(place) else {
        return html! { <p class="mute">{ format!("This variant has no CPU {place}.") }</p> };
    };
    let whole = (of.busy_ns + of.idle_ns).max(1) as f64;
    let fact = |name: &'static str, ns: u64| {
        html! { <><dt>{ name }</dt><dd class="num">{ format!("{} · {}", format::duration(ns as f64), format::share(ns as f64 / whole)) }</dd></> }
    };
    let some = |name: &'static str, ns: u64| if ns > 0 { fact(name, ns) } else { Html::default() };
    html! {
        <>
            <h2>{ format!("CPU {place}") }<small><VariantMark index={props.variant} name={report.name.clone()} /></small></h2>
            <p class="why">{ &*seat }</p>
            { bar(of) }
            <dl class="facts">
                { fact("Busy", of.busy_ns) }
                { some("of it lost", lost(&of.lost_ns)) }
                { some("to context switches", of.lost_ns.switch) }
                { some("to changes of CPU", of.lost_ns.migration) }
                { some("to cold caches", of.lost_ns.cache) }
                { some("to core-wide picks", of.lost_ns.core_pick) }
                { some("to busy siblings", of.lost_ns.smt) }
                { fact("Idle", of.idle_ns) }
                { some("of it forced", of.forced_idle_ns) }
                { some("Waits that ended here", of.run_delay_ns) }
                <dt>{ "Switches" }</dt><dd class="num">{ format::number(of.switches) }</dd>
            </dl>
            { tasks(props, report, place) }
        </>
    }
}

/// Where the CPU is, in words.
fn seat(results: &Results, variant: usize, cpu: u16) -> String {
    let shape = results.scenario.variant(variant).map(|named| machine::in_use(&named.scenario));
    let shape = shape.unwrap_or_else(|_| machine::in_use(&results.scenario));
    let Some(seat) = shape.seat(u32::from(cpu)) else { return String::new() };
    let mut others = shape.of_core(seat.core);
    others.retain(|other| *other != u32::from(cpu));
    let beside = match others.as_slice() {
        [] => String::new(),
        [other] => format!(" beside CPU {other}"),
        _ => format!(" beside CPUs {}", cpu_list(&others)),
    };
    format!("Thread {} of core {}{beside}, LLC {}, node {}.", seat.thread, seat.core, seat.llc, seat.node)
}

/// Who ran there, the longest first.
fn tasks(props: &CpuProps, report: &VariantReport, cpu: usize) -> Html {
    let time = |task: &TaskReport| match task.runtime_by_cpu_ns.get(cpu) {
        Some(ns) => *ns,
        // On one CPU there is no list: everything ran there.
        None if report.cpus.len() == 1 => task.runtime_ns,
        None => 0,
    };
    let mut ran: Vec<(&TaskReport, u64)> =
        report.tasks.iter().map(|task| (task, time(task))).filter(|(_, ns)| *ns > 0).collect();
    ran.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    let hidden = ran.len().saturating_sub(MOST_TASKS);
    let cookies = cookies::cookies(&props.results.scenario);
    let marks = Marks::of(&props.results);
    let lines = ran.into_iter().take(MOST_TASKS).map(|(task, ns)| {
        let (kind, letter) = marks.get(&task.name);
        let described = &props.results.scenario.workload.tasks;
        let cookie = described.iter().find(|of| of.name == task.name).map_or(0, |of| of.cookie);
        html! {
            <tr>
                <th scope="row"><span class="who"><Chip {kind} {letter} theme={props.theme} />{ &task.name }{ cookies::mark(&cookies, cookie, props.theme) }</span></th>
                <td class="num">{ format::milliseconds(ns as f64) }</td>
                <td class="num">{ format::share(ns as f64 / report.measured_ns.max(1) as f64) }</td>
            </tr>
        }
    });
    html! {
        <>
            <table>
                <thead><tr><th scope="col">{ "Ran here" }</th><th scope="col">{ "ms" }</th><th scope="col">{ "of the time" }</th></tr></thead>
                <tbody>{ for lines }</tbody>
            </table>
            if hidden > 0 { <p class="mute">{ format!("and {hidden} more kinds of task") }</p> }
        </>
    }
}
