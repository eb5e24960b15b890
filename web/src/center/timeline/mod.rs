//! The timeline: a row for each CPU, drawn as far as it is seen. Zooming, panning and choosing by
//! pointer and keyboard; the same as a table. Not for what ran: the worker is asked for the stretch
//! and the rows that are seen.

mod draw;
mod pointer;

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use schedlab_view::timeline::{Stretch, row_px};
use schedlab_view::topology::Shape;
use schedlab_view::{Theme, Window, format, palette};
use web_sys::{HtmlCanvasElement, KeyboardEvent};
use yew::prelude::*;

use super::scroll::{on_scroll, reveal};
use crate::charts::watch_size;
use crate::machine;
use crate::parts::{Choice, VariantMark};
use crate::protocol::{Filter, Switch, Timeline as Told, TimelineRow, ToWorker};
use crate::state::{Action, List, Results};
use draw::{Row, Scene};

/// Rows are seen through a window of this height, pixels.
const MOST_PX: f64 = 330.0;

/// What is shown at first around the selected switch, nanoseconds.
const FIRST_NS: u64 = 80_000_000;

/// After so long without a change the worker is asked, milliseconds.
const SETTLE_MS: u32 = 12;

/// What the timeline shows.
#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    /// The results.
    pub results: Rc<Results>,
    /// The list of switches, which has the variant and the selected switch.
    pub list: List,
    /// What was told last of each variant.
    pub told: Rc<std::collections::BTreeMap<usize, Rc<Told>>>,
    /// The CPU that is looked at.
    pub cpu: Option<u16>,
    /// The theme.
    pub theme: Theme,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
    /// Asks a variant's worker.
    pub ask: Callback<(usize, ToWorker)>,
}

/// A row: which CPU of which variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    variant: usize,
    cpu: u16,
}

/// The rows in order: the CPUs core by core, so that siblings lie together; of machines of one CPU
/// one row a variant.
fn places(results: &Results, variant: usize, shape: Shape) -> Vec<Place> {
    if results.reports.iter().all(|report| report.cpus.len() < 2) {
        return (0..results.reports.len()).map(|variant| Place { variant, cpu: 0 }).collect();
    }
    let count = results.reports.get(variant).map_or(0, |report| report.cpus.len()) as u32;
    let by_core: Vec<u32> = if shape.cpus() == count {
        (0..shape.cores()).flat_map(|core| shape.of_core(core)).collect()
    } else {
        (0..count).collect()
    };
    by_core.into_iter().map(|cpu| Place { variant, cpu: cpu as u16 }).collect()
}

/// The timeline.
#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let (results, list) = (&props.results, &props.list);
    let variant = list.variant.min(results.reports.len().saturating_sub(1));
    let stretch = use_state(|| None::<Stretch>);
    let as_table = use_state(|| false);
    let (canvas, frame) = (use_node_ref(), use_node_ref());
    let scroll = use_state_eq(|| 0.0_f64);
    let size = use_state_eq(|| (0.0_f64, 0.0_f64));
    let rows = {
        let results = Rc::clone(results);
        use_memo((results.job, variant), move |(_, variant)| {
            // A variant that ran is sound.
            let named = results.scenario.variant(*variant).map(|named| named.scenario);
            let scenario = named.unwrap_or_else(|_| (*results.scenario).clone());
            let shape = machine::in_use(&scenario);
            let whole_ns = scenario.duration_ms().saturating_mul(1_000_000).max(1);
            (places(&results, *variant, shape), shape, whole_ns)
        })
    };
    let (rows, shape, whole_ns) = (&rows.0, rows.1, rows.2);
    let window = Window { total: rows.len(), row_px: row_px(rows.len()), visible_px: 0.0 };
    let window = Window { visible_px: (rows.len() as f64 * window.row_px).clamp(window.row_px, MOST_PX), ..window };
    let shown = seen(&window, *scroll);
    let selected_ns = list.selected.as_ref().map(|switch| switch.at_ns);
    let now = stretch.unwrap_or_else(|| Stretch::around(selected_ns.unwrap_or(0), FIRST_NS, whole_ns));

    {
        let size = size.clone();
        use_effect_with((frame.clone(), *as_table), move |(frame, _)| watch_size(frame, move |css| size.set(css)));
    }
    let width_px = (size.0 - draw::LEFT_PX - draw::RIGHT_PX).max(0.0).floor() as u32;
    {
        let (ask, places) = (props.ask.clone(), rows[shown.clone()].to_vec());
        let key = (results.job, now, width_px, places);
        use_effect_with(key, move |(_, stretch, width_px, places)| {
            let (stretch, width_px, places) = (*stretch, *width_px, places.clone());
            let timer = (width_px > 0).then(|| {
                Timeout::new(SETTLE_MS, move || question(&places, stretch, width_px).for_each(|asked| ask.emit(asked)))
            });
            move || drop(timer)
        });
    }
    // A selected switch comes into view, with its row.
    {
        let (stretch, frame, scroll) = (stretch.clone(), frame.clone(), scroll.clone());
        let row = list.selected.as_ref().and_then(|switch| row_of(rows, variant, switch.cpu));
        use_effect_with((results.job, variant, selected_ns), move |(.., at_ns)| {
            let Some(at_ns) = *at_ns else { return };
            if !(0.02..=0.98).contains(&now.part(at_ns)) {
                stretch.set(Some(Stretch::around(at_ns, now.length_ns(), whole_ns)));
            } else if stretch.is_none() {
                stretch.set(Some(now));
            }
            reveal(&frame, &scroll, &window, row);
        });
    }
    let answers: Vec<Option<Rc<Told>>> = results
        .reports
        .iter()
        .enumerate()
        .map(|(variant, _)| props.told.get(&variant).filter(|told| told.job == results.job).cloned())
        .collect();
    let several = rows.iter().any(|row| row.variant != variant);
    let scene = Scene {
        theme: props.theme,
        stretch: now,
        width: size.0,
        height: window.visible_px + draw::AXIS_PX,
        row_px: window.row_px,
        rows: shown
            .clone()
            .map(|place| {
                let row = rows[place];
                let label = if several {
                    let name = results.reports.get(row.variant).map_or("", |report| report.name.as_str());
                    format!("{} {name}", palette::variant_letter(row.variant))
                } else {
                    format!("CPU {}", row.cpu)
                };
                Row {
                    top: place as f64 * window.row_px - window.top_px(*scroll),
                    cpu: row.cpu,
                    label,
                    chosen: props.cpu == Some(row.cpu) && !several,
                    starts_core: begins(shape, rows, place),
                    told: answers.get(row.variant).cloned().flatten(),
                }
            })
            .collect(),
        marks: super::marks(results),
        cursor: list.selected.as_ref().map(|switch| (switch.cpu, switch.at_ns, several.then_some(variant))),
        chosen_variant: variant,
    };
    {
        let canvas = canvas.clone();
        let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        use_effect_with((scene.clone(), ratio, *as_table), move |(scene, ratio, _)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>().filter(|_| scene.width > 80.0) {
                draw::draw(&canvas, scene, *ratio);
            }
        });
    }
    let set = {
        let stretch = stretch.clone();
        Callback::from(move |to: Stretch| stretch.set(Some(to)))
    };
    let choose = choose(props, rows.clone(), &window, *scroll, now);
    let on_key = on_key(props, rows, now, whole_ns, &set, &frame, &scroll, window);
    let pointer = pointer::use_pointer(&canvas, now, whole_ns, set.clone(), choose);
    let on_scroll = on_scroll(&frame, &scroll);
    let nothing = results.reports.iter().all(|report| report.cpus.is_empty()) || list.total == Some(0);
    let label = format!(
        "Timeline from {} to {}. Left and right arrows move, plus and minus zoom, up and down choose a CPU, Enter selects its switch in the middle.",
        format::instant(now.from_ns),
        format::instant(now.to_ns)
    );
    html! {
        <section class="card" aria-label="Timeline">
            { head(props, variant, several, now, whole_ns, &set, &as_table) }
            if nothing && list.total == Some(0) {
                <p class="empty">{ "Nothing was recorded, so there is nothing to draw." }</p>
            } else if *as_table {
                { table(results, &answers, &rows[shown], several) }
            } else {
                <div class="timeline" ref={frame} tabindex="0" role="application" aria-label={label}
                    onkeydown={on_key} onscroll={on_scroll}
                    style={format!("height:{}px", window.visible_px + draw::AXIS_PX)}>
                    <div class="space" style={format!("height:{}px", window.height_px() + draw::AXIS_PX)}>
                        <canvas ref={canvas} onpointerdown={pointer.down} onpointermove={pointer.moved} onpointerup={pointer.up}
                            style={format!("height:{}px", window.visible_px + draw::AXIS_PX)} />
                    </div>
                </div>
                <div class="legend" aria-hidden="true">
                    <span><i class="swatch forced" />{ "forced idle" }</span>
                    <span><i class="swatch mixed" />{ "several short runs" }</span>
                    <span>{ "◤ came from another CPU" }</span>
                </div>
            }
        </section>
    }
}

/// The rows that are seen, without a margin.
fn seen(window: &Window, scroll: f64) -> std::ops::Range<usize> {
    let top = window.top_px(scroll);
    let first = (top / window.row_px).floor() as usize;
    let last = ((top + window.visible_px) / window.row_px).ceil() as usize;
    first.min(window.total)..last.min(window.total)
}

/// One question for each variant whose rows are seen.
fn question(places: &[Place], stretch: Stretch, width_px: u32) -> impl Iterator<Item = (usize, ToWorker)> {
    let mut questions: Vec<(usize, Vec<u16>)> = Vec::new();
    for place in places {
        match questions.iter_mut().find(|(variant, _)| *variant == place.variant) {
            Some((_, cpus)) => cpus.push(place.cpu),
            None => questions.push((place.variant, vec![place.cpu])),
        }
    }
    let Stretch { from_ns, to_ns } = stretch;
    questions
        .into_iter()
        .map(move |(variant, cpus)| (variant, ToWorker::Timeline { variant, from_ns, to_ns, width_px, cpus }))
}

fn row_of(rows: &[Place], variant: usize, cpu: u16) -> Option<usize> {
    rows.iter().position(|row| *row == Place { variant, cpu })
}

/// Whether a row is the first of its core.
fn begins(shape: Shape, rows: &[Place], place: usize) -> bool {
    let core = |place: usize| rows.get(place).and_then(|row| shape.seat(u32::from(row.cpu))).map(|seat| seat.core);
    shape.threads_per_core > 1 && place > 0 && core(place) != core(place - 1)
}

/// Selects the switch at a point: pixels from the top of the rows, and a part of the stretch.
fn choose(props: &TimelineProps, rows: Vec<Place>, window: &Window, scroll: f64, now: Stretch) -> Callback<(f64, f64)> {
    let (dispatch, ask, list, window) = (props.dispatch.clone(), props.ask.clone(), props.list.clone(), *window);
    let several = props.results.reports.iter().any(|report| report.cpus.len() > 1);
    Callback::from(move |(y, part): (f64, f64)| {
        let row = ((window.top_px(scroll) + y) / window.row_px).floor().max(0.0) as usize;
        let Some(place) = rows.get(row).copied() else { return };
        if several {
            dispatch.emit(Action::Look(Some(place.cpu)));
        }
        if (place.variant, Filter::All) != (list.variant, list.filter) {
            dispatch.emit(Action::Show { variant: place.variant, filter: Filter::All });
        }
        ask.emit(locate(place, now.at(part)));
    })
}

fn locate(Place { variant, cpu }: Place, at_ns: u64) -> (usize, ToWorker) {
    (variant, ToWorker::Locate { variant, filter: Filter::All, cpu, at_ns })
}

#[allow(clippy::too_many_arguments, reason = "what the keys change lies in as many states")]
fn on_key(
    props: &TimelineProps,
    rows: &[Place],
    now: Stretch,
    whole_ns: u64,
    set: &Callback<Stretch>,
    frame: &NodeRef,
    scroll: &UseStateHandle<f64>,
    window: Window,
) -> Callback<KeyboardEvent> {
    let (dispatch, ask, set) = (props.dispatch.clone(), props.ask.clone(), set.clone());
    let (frame, scroll, rows, list, cpu) =
        (frame.clone(), scroll.clone(), rows.to_vec(), props.list.clone(), props.cpu);
    Callback::from(move |event: KeyboardEvent| {
        let here = rows.iter().position(|row| Some(row.cpu) == cpu && row.variant == list.variant);
        let to = match event.key().as_str() {
            "ArrowLeft" => Some(now.moved(-0.1, whole_ns)),
            "ArrowRight" => Some(now.moved(0.1, whole_ns)),
            "PageUp" => Some(now.moved(-0.9, whole_ns)),
            "PageDown" => Some(now.moved(0.9, whole_ns)),
            "+" | "=" => Some(now.zoomed(0.5, 0.5, whole_ns)),
            "-" => Some(now.zoomed(2.0, 0.5, whole_ns)),
            "0" => Some(Stretch { from_ns: 0, to_ns: whole_ns }),
            "Home" => Some(now.moved(-1e12, whole_ns)),
            "End" => Some(now.moved(1e12, whole_ns)),
            key @ ("ArrowUp" | "ArrowDown") => {
                let row = match (here, key) {
                    (None, _) => 0,
                    (Some(row), "ArrowDown") => (row + 1).min(rows.len().saturating_sub(1)),
                    (Some(row), _) => row.saturating_sub(1),
                };
                event.prevent_default();
                if let Some(place) = rows.get(row) {
                    if place.variant != list.variant {
                        dispatch.emit(Action::Show { variant: place.variant, filter: list.filter });
                    }
                    dispatch.emit(Action::Look(Some(place.cpu)));
                    reveal(&frame, &scroll, &window, Some(row));
                }
                return;
            }
            "Enter" => {
                event.prevent_default();
                if let Some(place) = rows.get(here.unwrap_or(0)).copied() {
                    if list.filter != Filter::All || place.variant != list.variant {
                        dispatch.emit(Action::Show { variant: place.variant, filter: Filter::All });
                    }
                    ask.emit(locate(place, now.at(0.5)));
                }
                return;
            }
            _ => None,
        };
        if let Some(to) = to {
            event.prevent_default();
            set.emit(to);
        }
    })
}

fn head(
    props: &TimelineProps,
    variant: usize,
    several: bool,
    now: Stretch,
    whole_ns: u64,
    set: &Callback<Stretch>,
    as_table: &UseStateHandle<bool>,
) -> Html {
    let (dispatch, filter) = (props.dispatch.clone(), props.list.filter);
    let on_variant = Callback::from(move |variant| dispatch.emit(Action::Show { variant, filter }));
    let names = props.results.reports.iter().enumerate();
    let variants: Vec<String> =
        names.map(|(index, report)| format!("{}\u{a0}{}", palette::variant_letter(index), report.name)).collect();
    let button = |label: &'static str, name: &'static str, to: Stretch| {
        let set = set.clone();
        html! { <button type="button" aria-label={name} onclick={move |_| set.emit(to)}>{ label }</button> }
    };
    let toggle = {
        let as_table = as_table.clone();
        Callback::from(move |_: MouseEvent| as_table.set(!*as_table))
    };
    html! {
        <div class="head wrap">
            <h2>{ "Timeline" }</h2>
            <small>{ format!("{} from {} · drag to move, ", format::duration(now.length_ns() as f64), format::instant(now.from_ns)) }
                <kbd>{ "Ctrl" }</kbd>{ " wheel to zoom" }</small>
            <span class="grow" />
            <span class="choice" role="group" aria-label="Stretch of time">
                { button("◂", "Earlier", now.moved(-0.5, whole_ns)) }
                { button("▸", "Later", now.moved(0.5, whole_ns)) }
                { button("−", "Show more time", now.zoomed(2.0, 0.5, whole_ns)) }
                { button("+", "Show less time", now.zoomed(0.5, 0.5, whole_ns)) }
                { button("All", "All of the run", Stretch { from_ns: 0, to_ns: whole_ns }) }
            </span>
            if variants.len() > 1 && !several {
                <Choice label="Timeline of" options={variants} chosen={variant} on_choose={on_variant} />
            }
            <span class="choice">
                <button type="button" aria-pressed={as_table.to_string()} onclick={toggle} aria-label="Timeline as a table">{ "Table" }</button>
            </span>
        </div>
    }
}

/// The stretch that is seen as a table.
fn table(results: &Results, answers: &[Option<Rc<Told>>], places: &[Place], several: bool) -> Html {
    let line = |place: &Place| {
        let told = answers.get(place.variant).and_then(Option::as_ref)?;
        let row: &TimelineRow = told.rows.iter().find(|row| row.cpu == place.cpu)?;
        let whole = told.to_ns.saturating_sub(told.from_ns).max(1) as f64;
        let share = |ns: u64| format::share(ns as f64 / whole);
        let name = results.reports.get(place.variant).map(|report| report.name.clone()).unwrap_or_default();
        Some(html! {
            <tr>
                <th scope="row">
                    if several { <VariantMark index={place.variant} {name} />{ " " } }{ format!("CPU {}", place.cpu) }
                </th>
                <td class="num">{ share(row.busy_ns) }</td><td class="num">{ share(row.forced_idle_ns) }</td>
                <td class="num">{ row.runs }</td><td class="num">{ row.arrivals }</td>
            </tr>
        })
    };
    html! {
        <div class="asTable" tabindex="0" role="group" aria-label="Timeline as a table">
            <table>
                <thead><tr>
                    { for ["CPU", "Busy", "Forced idle", "Runs", "From another CPU"].map(|name| html! { <th scope="col">{ name }</th> }) }
                </tr></thead>
                <tbody>{ for places.iter().filter_map(line) }</tbody>
            </table>
        </div>
    }
}

/// What is said of a switch that came from another CPU.
pub(crate) fn arrival(switch: &Switch) -> Option<String> {
    switch.came_from.map(|cpu| format!("CPU {cpu}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_seen_is_asked_for() {
        let window = Window { total: 104, row_px: 15.0, visible_px: 330.0 };
        assert_eq!(seen(&window, 0.0), 0..22);
        assert_eq!(seen(&window, 20.0), 1..24);
        assert_eq!(seen(&window, 1e9), 82..104);
        let rows: Vec<Place> = (0..3).map(|cpu| Place { variant: 1, cpu }).collect();
        let asked: Vec<_> = question(&rows, Stretch { from_ns: 5, to_ns: 9 }, 100).collect();
        let wanted = ToWorker::Timeline { variant: 1, from_ns: 5, to_ns: 9, width_px: 100, cpus: vec![0, 1, 2] };
        assert_eq!(asked, [(1, wanted)]);
    }

    #[test]
    fn siblings_lie_together() {
        let shape = Shape { nodes: 1, llcs_per_node: 1, cores_per_llc: 2, threads_per_core: 2, adjacent: false };
        let rows: Vec<Place> = [0, 2, 1, 3].map(|cpu| Place { variant: 0, cpu }).to_vec();
        assert_eq!((0..4).map(|place| begins(shape, &rows, place)).collect::<Vec<_>>(), [false, false, true, false]);
    }
}
