//! Where each CPU's time went: busy, lost, forced idle, idle, as bars and numbers in one grid. Only
//! the rows that are seen exist. Not for the figures: the report has them.

use std::rc::Rc;

use schedlab_report::{CpuReport, LostTime, VariantReport};
use schedlab_view::{Window, format, palette};
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::scroll::{on_scroll, reveal};
use crate::parts::{Choice, VariantMark};
use crate::state::{Action, Results};

const ROW_PX: f64 = 24.0;

/// At most so many CPUs are seen at a time.
const MOST_ROWS: usize = 12;

/// Which CPUs.
#[derive(Properties, PartialEq)]
pub struct CpusProps {
    /// The results.
    pub results: Rc<Results>,
    /// The variant whose CPUs are listed.
    pub variant: usize,
    /// The CPU that is looked at.
    pub cpu: Option<u16>,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
}

/// The grid of CPUs.
#[component]
pub fn Cpus(props: &CpusProps) -> Html {
    let frame = use_node_ref();
    let scroll = use_state_eq(|| 0.0_f64);
    let report = props.results.reports.get(props.variant);
    let count = report.map_or(0, |report| report.cpus.len());
    let window = Window { total: count, row_px: ROW_PX, visible_px: count.clamp(1, MOST_ROWS) as f64 * ROW_PX };
    let chosen = props.cpu.map(usize::from).filter(|cpu| *cpu < count);
    {
        let (frame, scroll) = (frame.clone(), scroll.clone());
        use_effect_with((chosen, count), move |(chosen, _)| {
            reveal(&frame, &scroll, &window, *chosen);
        });
    }
    let Some(report) = report else { return Html::default() };
    let on_scroll = on_scroll(&frame, &scroll);
    let look = {
        let dispatch = props.dispatch.clone();
        move |cpu: usize| dispatch.emit(Action::Look(u16::try_from(cpu).ok()))
    };
    let on_key = {
        let look = look.clone();
        Callback::from(move |event: KeyboardEvent| {
            let here = chosen.unwrap_or(0);
            let to = match event.key().as_str() {
                "ArrowDown" => chosen.map_or(0, |cpu| cpu + 1),
                "ArrowUp" => here.saturating_sub(1),
                "PageDown" => here + MOST_ROWS,
                "PageUp" => here.saturating_sub(MOST_ROWS),
                "Home" => 0,
                "End" => count,
                _ => return,
            };
            event.prevent_default();
            look(to.min(count.saturating_sub(1)));
        })
    };
    let rows = window.rows(*scroll).filter_map(|cpu| Some((cpu, report.cpus.get(cpu)?))).map(|(cpu, of)| {
        let look = look.clone();
        let selected = chosen == Some(cpu);
        let style = format!("transform:translateY({:.1}px)", window.place_px(cpu, *scroll));
        html! {
            <div class="line cpuLine" key={cpu} id={format!("cpu-{cpu}")} role="row" aria-rowindex={(cpu + 2).to_string()}
                aria-selected={selected.to_string()} {style} onclick={move |_| look(cpu)}>
                { line(html! { { format!("CPU\u{a0}{cpu}") } }, of) }
            </div>
        }
    });
    let totals = props.results.reports.iter().enumerate().map(|(variant, report)| {
        let name = html! { <VariantMark index={variant} name={report.name.clone()} /> };
        html! { <div class="line cpuLine total" role="row" key={variant}>{ line(name, &total(report)) }</div> }
    });
    let height = format!("height:{}px", window.visible_px);
    let active = chosen.map(|cpu| format!("cpu-{cpu}"));
    html! {
        <section class="card" aria-label="CPUs">
            { head(props, count) }
            <div class="cpus" tabindex="0" role="group" aria-label="CPUs, all columns">
                <div role="table" aria-label={if count > 1 { "All CPUs together" } else { "The CPU" }}>
                    <div role="row" class="line cpuLine headings">{ headings() }</div>
                    { for totals }
                </div>
                if count > 1 {
                    <div class="list" ref={frame} role="grid" aria-label="Each CPU" tabindex="0" aria-rowcount={(count + 1).to_string()}
                        aria-activedescendant={active} onscroll={on_scroll} onkeydown={on_key} style={height}>
                        <div class="space" role="rowgroup" style={format!("height:{}px", window.height_px())}>
                            <div class="hidden" role="row">{ headings() }</div>{ for rows }
                        </div>
                    </div>
                }
            </div>
            <div class="legend" aria-hidden="true">
                { key("busy", "busy") }{ key("lost", "of it lost") }{ key("forced", "forced idle") }{ key("idle", "idle") }
            </div>
        </section>
    }
}

fn head(props: &CpusProps, count: usize) -> Html {
    let dispatch = props.dispatch.clone();
    let on_variant = Callback::from(move |variant| {
        dispatch.emit(Action::Show { variant, filter: crate::protocol::Filter::All });
    });
    let names = props.results.reports.iter().enumerate();
    let variants: Vec<String> =
        names.map(|(index, report)| format!("{}\u{a0}{}", palette::variant_letter(index), report.name)).collect();
    html! {
        <div class="head wrap">
            <h2>{ "CPUs" }</h2><small>{ "share of the time · select one to look at it" }</small><span class="grow" />
            if variants.len() > 1 && count > 1 {
                <Choice label="CPUs of" options={variants} chosen={props.variant} on_choose={on_variant} />
            }
        </div>
    }
}

fn headings() -> Html {
    let names = [
        "busy",
        "idle",
        "forced idle",
        "lost to switches",
        "lost to migrations",
        "lost to cache",
        "lost to SMT",
        "context switches",
    ];
    html! {
        <>
            <span role="columnheader">{ "CPU" }</span><span role="columnheader"><span class="hidden">{ "drawn" }</span></span>
            { for names.map(|name| html! { <span role="columnheader" class="r">{ name }</span> }) }
        </>
    }
}

fn key(class: &'static str, name: &'static str) -> Html {
    html! { <span><i class={classes!("swatch", class)} />{ name }</span> }
}

/// All CPUs of a variant together.
pub(crate) fn total(report: &VariantReport) -> CpuReport {
    report.cpus.iter().fold(CpuReport::default(), |mut sum, cpu| {
        sum.busy_ns += cpu.busy_ns;
        sum.idle_ns += cpu.idle_ns;
        sum.forced_idle_ns += cpu.forced_idle_ns;
        sum.switches += cpu.switches;
        sum.lost_ns.switch += cpu.lost_ns.switch;
        sum.lost_ns.migration += cpu.lost_ns.migration;
        sum.lost_ns.cache += cpu.lost_ns.cache;
        sum.lost_ns.core_pick += cpu.lost_ns.core_pick;
        sum.lost_ns.smt += cpu.lost_ns.smt;
        sum
    })
}

/// All that was lost.
pub(crate) const fn lost(of: &LostTime) -> u64 {
    of.switch + of.migration + of.cache + of.core_pick + of.smt
}

/// The parts of a CPU's time: busy without what was lost, lost, forced idle, idle. The report's idle
/// time contains the forced one.
fn parts(of: &CpuReport) -> [f64; 4] {
    let whole = (of.busy_ns + of.idle_ns).max(1) as f64;
    let lost = lost(&of.lost_ns).min(of.busy_ns);
    let forced = of.forced_idle_ns.min(of.idle_ns);
    [of.busy_ns - lost, lost, forced, of.idle_ns - forced].map(|ns| ns as f64 / whole)
}

/// The bar of a CPU: what is busy is filled, what is lost dotted, what is forced idle hatched.
pub(crate) fn bar(of: &CpuReport) -> Html {
    let mut left = 0.0;
    let pieces = parts(of).into_iter().zip(["busy", "lost", "forced", "idle"]).map(|(part, class)| {
        let style = format!("left:{:.2}%;width:{:.2}%", left * 100.0, part * 100.0);
        left += part;
        html! { <i class={class} {style} /> }
    });
    html! { <span class="timeBar" aria-hidden="true">{ for pieces }</span> }
}

fn line(name: Html, of: &CpuReport) -> Html {
    let whole = (of.busy_ns + of.idle_ns).max(1) as f64;
    let share = |ns: u64| if ns == 0 { "–".to_owned() } else { format::share(ns as f64 / whole) };
    let lost = &of.lost_ns;
    let shares = [of.busy_ns, of.idle_ns, of.forced_idle_ns, lost.switch, lost.migration, lost.cache, lost.smt];
    html! {
        <>
            <span role="rowheader">{ name }</span>
            <span role="gridcell">{ bar(of) }</span>
            { for shares.map(|ns| html! { <span role="gridcell" class="num r">{ share(ns) }</span> }) }
            <span role="gridcell" class="num r">{ format::number(of.switches) }</span>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_bar_are_all_of_the_time() {
        let of = CpuReport {
            busy_ns: 600,
            idle_ns: 400,
            forced_idle_ns: 300,
            lost_ns: LostTime { switch: 10, migration: 20, cache: 30, core_pick: 0, smt: 40 },
            ..CpuReport::default()
        };
        assert_eq!(parts(&of), [0.5, 0.1, 0.3, 0.1]);
        assert_eq!(parts(&CpuReport::default()), [0.0; 4]);
    }
}
