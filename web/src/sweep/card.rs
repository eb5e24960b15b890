//! The results of a sweep: a curve with its error band or a heat map, and the same as a table.
//! Not for where things stand: `schedlab_view::sweep` says.

use std::fmt::Write;
use std::rc::Rc;

use schedlab_view::format;
use schedlab_view::sweep::{Measured, curve, shades};
use yew::prelude::*;

use super::{Event, Sweep};
use crate::parts::{Problems, Select};

/// The plot inside its drawing, pixels.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 30.0;
const TOP: f64 = 8.0;

/// What is shown.
#[derive(Properties, PartialEq)]
pub(crate) struct SweepCardProps {
    /// The sweep.
    pub(crate) sweep: Rc<Sweep>,
    /// Changes it.
    pub(crate) on_event: Callback<Event>,
}

/// A value of a figure, in the unit that its name tells.
fn words(name: &str, value: f64) -> String {
    let time = name.ends_with("_ns") || name.contains("delay.") || name.contains("latency.");
    if time && !name.ends_with("count") { format::duration(value) } else { format::number(value) }
}

fn cell(name: &str, measured: Option<Measured>) -> String {
    match measured {
        None => "…".to_owned(),
        Some(Measured { value, sem: Some(sem) }) if sem > 0.0 => {
            format!("{} ±{}", words(name, value), words(name, sem))
        }
        Some(Measured { value, .. }) => words(name, value),
    }
}

/// The results of a sweep.
#[component]
pub(crate) fn SweepCard(props: &SweepCardProps) -> Html {
    let wanted = use_state(|| None::<String>);
    let as_table = use_state(|| false);
    let sweep = &props.sweep;
    let plan = &sweep.plan;
    if plan.parameters.is_empty() {
        return Html::default();
    }
    let names = sweep.names();
    let usual = ["total.run_delay.mean", "counters.sched_count", "total.preempted"];
    let usual = usual.iter().map(|name| (*name).to_owned()).find(|name| names.contains(name));
    let delay = names.iter().find(|name| name.ends_with("run_delay.p99")).cloned();
    let chosen = (*wanted).clone().filter(|name| names.contains(name));
    let name = chosen.or(delay).or(usual).or_else(|| names.first().cloned()).unwrap_or_default();
    let figures = sweep.figure(&name);
    let (count, points) = (sweep.count(), plan.points());
    let emit = |event: fn() -> Event| {
        let on_event = props.on_event.clone();
        Callback::from(move |_: MouseEvent| on_event.emit(event()))
    };
    let on_name = {
        let wanted = wanted.clone();
        Callback::from(move |name: String| wanted.set(Some(name)))
    };
    let toggle = {
        let as_table = as_table.clone();
        Callback::from(move |_: MouseEvent| as_table.set(!*as_table))
    };
    let paths: Vec<&str> = plan.parameters.iter().map(|parameter| parameter.path.as_str()).collect();
    let options = names.iter().map(|name| (name.clone(), name.clone())).collect::<Vec<_>>();
    html! {
        <section class="card sweepCard" aria-label="Sweep">
            <div class="head wrap">
                <h2>{ "Sweep" }</h2>
                <small>{ format!("over {} · {} · {} of {}", paths.join(" and "), plan.name, count, points) }</small>
                <span class="grow" />
                if sweep.running {
                    <button type="button" class="small" onclick={emit(|| Event::Stop)}>{ "Stop the sweep" }</button>
                } else {
                    <button type="button" class="link" onclick={emit(|| Event::Close)}>{ "Close the sweep" }</button>
                }
                <span class="choice">
                    <button type="button" aria-pressed={as_table.to_string()} onclick={toggle} aria-label="Sweep as a table">{ "Table" }</button>
                </span>
            </div>
            if sweep.running {
                <div class="meter" role="progressbar" aria-label="Sweeping" aria-valuemin="0" aria-valuemax={points.to_string()}
                    aria-valuenow={count.to_string()}><i style={format!("width:{:.1}%", count as f64 / points.max(1) as f64 * 100.0)} /></div>
            }
            if !sweep.failed.is_empty() { <div class="notice bad" role="alert"><Problems problems={sweep.failed.clone()} /></div> }
            if !names.is_empty() {
                <div class="tools"><Select label="Figure" bare=true value={name.clone()} {options} on_change={on_name} /></div>
                if plan.parameters.len() == 2 {
                    { heat(sweep, &name, &figures, *as_table) }
                } else if *as_table {
                    { table(sweep, &name, &figures) }
                } else {
                    { drawing(sweep, &name, &figures) }
                }
            }
        </section>
    }
}

fn drawing(sweep: &Sweep, name: &str, figures: &[Option<Measured>]) -> Html {
    let Some(parameter) = sweep.plan.parameters.first() else { return Html::default() };
    let curve = curve(&parameter.values, figures);
    let x = |part: f64| LEFT + part * (WIDTH - LEFT - 10.0);
    let y = |part: f64| HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
    let path = |points: Vec<(f64, f64)>| {
        points.into_iter().enumerate().fold(String::new(), |mut text, (place, (at_x, at_y))| {
            let _ = write!(text, "{}{at_x:.1} {at_y:.1}", if place == 0 { "M" } else { "L" });
            text
        })
    };
    let upper = curve.points.iter().map(|point| (x(point.x), y(point.high)));
    let lower = curve.points.iter().rev().map(|point| (x(point.x), y(point.low)));
    let band = format!("{}z", path(upper.chain(lower).collect()));
    let line = path(curve.points.iter().map(|point| (x(point.x), y(point.y))).collect());
    let levels = curve.y_ticks.iter().map(|(part, tick)| {
        let label = words(name, tick.value);
        html! {
            <>
                <path class="grid" d={format!("M{LEFT} {0:.1}H{1:.1}", y(*part), WIDTH - 10.0)} />
                <text x={(LEFT - 6.0).to_string()} y={format!("{:.1}", y(*part) + 4.0)} text-anchor="end">{ label }</text>
            </>
        }
    });
    // Names that would run into each other are left out; the table has them all.
    let mut free = f64::NEG_INFINITY;
    let mut ticks: Vec<&(f64, String)> = curve.x_ticks.iter().collect();
    ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ticks: Vec<Html> = ticks
        .into_iter()
        .filter_map(|(part, label)| {
            let half = label.chars().count() as f64 * 3.4 + 4.0;
            let at = x(*part);
            let fits = at - half >= free;
            free = if fits { at + half } else { free };
            fits.then(|| {
                html! { <text x={format!("{at:.1}")} y={(HEIGHT - BOTTOM + 16.0).to_string()} text-anchor="middle">{ label.clone() }</text> }
            })
        })
        .collect();
    let dots = curve.points.iter().map(|point| {
        let value = parameter.values.get(point.index).cloned().unwrap_or_default();
        let told = format!("{value}: {}", cell(name, figures.get(point.index).copied().flatten()));
        html! { <circle cx={format!("{:.1}", x(point.x))} cy={format!("{:.1}", y(point.y))} r="3.4"><title>{ told }</title></circle> }
    });
    let axis = if curve.log { " (logarithmic)" } else { "" };
    html! {
        <>
            <svg class="curve" viewBox={format!("0 0 {WIDTH} {HEIGHT}")} role="img"
                aria-label={format!("{name} over {}; the table has the numbers", parameter.path)}>
                { for levels }
                <path class="band" d={band} /><path class="line" d={line} />
                { for dots }{ for ticks }
            </svg>
            <p class="mute hint">{ format!("{name} over {}{axis} · the band is one standard error to each side", parameter.path) }</p>
        </>
    }
}

fn table(sweep: &Sweep, name: &str, figures: &[Option<Measured>]) -> Html {
    let Some(parameter) = sweep.plan.parameters.first() else { return Html::default() };
    let lines = parameter.values.iter().zip(figures).map(|(value, measured)| {
        html! { <tr><th scope="row" class="num">{ value }</th><td class="num">{ cell(name, *measured) }</td></tr> }
    });
    html! {
        <div class="asTable" tabindex="0" role="group" aria-label="Sweep as a table">
            <table><thead><tr><th scope="col">{ &parameter.path }</th><th scope="col">{ name }</th></tr></thead><tbody>{ for lines }</tbody></table>
        </div>
    }
}

/// Two parameters: a table whose cells are shaded by their values; plain where a table is wanted.
fn heat(sweep: &Sweep, name: &str, figures: &[Option<Measured>], plain: bool) -> Html {
    let [rows, columns] = sweep.plan.parameters.as_slice() else { return Html::default() };
    let shades = shades(figures);
    let width = columns.values.len();
    let lines = rows.values.iter().enumerate().map(|(row, value)| {
        let cells = (0..width).map(|column| {
            let place = row * width + column;
            let measured = figures.get(place).copied().flatten();
            let shade = shades.get(place).copied().flatten().filter(|_| !plain);
            // At most half of the accent, so that the ink can be read on it.
            let style = shade
                .map(|shade| format!("background:color-mix(in srgb, var(--heat) {:.0}%, var(--panel))", shade * 100.0));
            let text = match (plain, measured) {
                (false, Some(measured)) => words(name, measured.value),
                _ => cell(name, measured),
            };
            html! { <td class="num" {style}>{ text }</td> }
        });
        html! { <tr><th scope="row" class="num">{ value }</th>{ for cells }</tr> }
    });
    html! {
        <>
            <div class="scroll" tabindex="0" role="group" aria-label={if plain { "Sweep as a table" } else { "Sweep as a heat map" }}>
                <table class="heat">
                    <thead><tr><th scope="col">{ format!("{} ↓ · {} →", rows.path, columns.path) }</th>
                        { for columns.values.iter().map(|value| html! { <th scope="col" class="num">{ value }</th> }) }</tr></thead>
                    <tbody>{ for lines }</tbody>
                </table>
            </div>
            <p class="mute hint">{ if plain { "Means with their standard errors." } else { "The darker, the more." } }</p>
        </>
    }
}
