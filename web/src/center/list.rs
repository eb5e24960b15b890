//! The list of switches: only the rows that are seen exist, and only they are asked for.
//! Not for keeping switches: the worker does.

use std::rc::Rc;

use schedlab_view::{Theme, Window, format, palette};
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::scroll::{on_scroll, reveal};
use crate::parts::{Chip, Choice};
use crate::protocol::{Filter, Switch, ToWorker, Who};
use crate::state::{Action, List, Results, Wanted};

const ROW_PX: f64 = 24.0;
const VISIBLE_PX: f64 = 264.0;

/// How many switches are asked for at a time.
const AT_ONCE: usize = 120;

/// What the list shows.
#[derive(Properties, PartialEq)]
pub struct SwitchListProps {
    /// The results whose switches they are.
    pub results: Rc<Results>,
    /// The list as far as it is at hand.
    pub list: List,
    /// The theme.
    pub theme: Theme,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
    /// Asks a variant's worker.
    pub ask: Callback<(usize, ToWorker)>,
}

/// The list of switches.
#[component]
pub fn SwitchList(props: &SwitchListProps) -> Html {
    let list = &props.list;
    let frame = use_node_ref();
    let scroll = use_state_eq(|| 0.0_f64);
    let window = Window { total: list.total.unwrap_or(0), row_px: ROW_PX, visible_px: VISIBLE_PX };
    let rows = window.rows(*scroll);

    {
        let (ask, missing) = (props.ask.clone(), missing(list, &rows));
        let key = (props.results.job, list.variant, list.filter, missing);
        use_effect_with(key, move |(_, variant, filter, missing)| {
            if let Some(from) = *missing {
                ask.emit((*variant, ToWorker::Switches { variant: *variant, filter: *filter, from, count: AT_ONCE }));
            }
        });
    }
    // A new list begins at the instant that a link asked for, otherwise at its first preemption.
    {
        let ask = props.ask.clone();
        let wanted = list.wanted.clone();
        let ready = list.total.is_some_and(|total| total > 0);
        let key = (props.results.job, list.variant, list.filter, ready, list.place, wanted);
        use_effect_with(key, move |(_, variant, filter, ready, place, wanted)| {
            let (variant, filter) = (*variant, *filter);
            if *ready && place.is_none() {
                let question = match wanted {
                    Some(Wanted::At(at)) => ToWorker::Locate { variant, filter, cpu: at.cpu, at_ns: at.at_ns },
                    Some(Wanted::Sought { sought, .. }) => ToWorker::Seek { variant, sought: sought.clone() },
                    None => ToWorker::Find { variant, filter, from: None, forward: true },
                };
                ask.emit((variant, question));
            }
        });
    }
    // The selected row comes into view when another one is selected.
    {
        let (frame, scroll) = (frame.clone(), scroll.clone());
        use_effect_with((list.place, list.variant, list.filter, list.total), move |(place, ..)| {
            reveal(&frame, &scroll, &window, *place);
        });
    }
    let on_scroll = on_scroll(&frame, &scroll);
    let on_key = {
        let (dispatch, place, total) = (props.dispatch.clone(), list.place, window.total);
        Callback::from(move |event: KeyboardEvent| {
            if let Some(place) = moved(&event.key(), place, total) {
                event.prevent_default();
                dispatch.emit(Action::Select(place));
            }
        })
    };
    let marks = marks(&props.results);
    let drawn = rows.filter_map(|place| Some((place, list.at(place)?))).map(|(place, switch)| {
        let dispatch = props.dispatch.clone();
        let selected = list.place == Some(place);
        let style = format!("transform:translateY({:.1}px)", window.place_px(place, *scroll));
        html! {
            <div class="line" key={place} id={format!("switch-{place}")} role="option" aria-selected={selected.to_string()}
                {style} onclick={move |_| dispatch.emit(Action::Select(place))}>
                { line(switch, &marks, props.theme) }
            </div>
        }
    });
    let active = list.place.filter(|place| list.at(*place).is_some()).map(|place| format!("switch-{place}"));
    html! {
        <section class="card" aria-label="Switches">
            { head(props) }
            if list.total == Some(0) {
                <p class="empty">{ nothing(list.filter) }</p>
            } else {
                <div class="list" ref={frame} role="listbox" aria-label="Context switches" tabindex="0"
                    aria-activedescendant={active} onscroll={on_scroll} onkeydown={on_key}>
                    <div class="space" role="presentation" style={format!("height:{}px", window.height_px())}>{ for drawn }</div>
                </div>
            }
        </section>
    }
}

fn nothing(filter: Filter) -> &'static str {
    match filter {
        Filter::All => "Nothing was recorded: the scenario keeps a summary only, or nothing ran.",
        Filter::Preemptions => "No task was preempted in this run.",
    }
}

fn head(props: &SwitchListProps) -> Html {
    let list = &props.list;
    let about = match list.total {
        Some(total) if list.cut => format!("the first {} · the record was full", format::count(total as u64)),
        Some(total) => format::count(total as u64),
        None => "…".to_owned(),
    };
    let (dispatch, filter) = (props.dispatch.clone(), list.filter);
    let on_variant = Callback::from(move |variant| dispatch.emit(Action::Show { variant, filter }));
    let (dispatch, variant) = (props.dispatch.clone(), list.variant);
    let on_filter = Callback::from(move |chosen| {
        let filter = if chosen == 1 { Filter::Preemptions } else { Filter::All };
        dispatch.emit(Action::Show { variant, filter });
    });
    let names = props.results.reports.iter().enumerate();
    let variants = names.map(|(index, report)| format!("{}\u{a0}{}", palette::variant_letter(index), report.name));
    html! {
        <div class="head wrap">
            <h2>{ "Switches" }</h2><small>{ about }{ " · " }<kbd>{ "n" }</kbd>{ " next preemption, " }<kbd>{ "p" }</kbd>{ " previous" }</small>
            <span class="grow" />
            <Choice label="Which switches" options={vec!["All".to_owned(), "Preemptions".to_owned()]}
                chosen={usize::from(filter == Filter::Preemptions)} on_choose={on_filter} />
            <Choice label="Variant" options={variants.collect::<Vec<_>>()} chosen={variant} on_choose={on_variant} />
        </div>
    }
}

/// Where to ask from so that the rows that are seen are at hand; none: they are.
fn missing(list: &List, rows: &std::ops::Range<usize>) -> Option<usize> {
    let at_hand = list.from..list.from + list.switches.len();
    match list.total {
        None => Some(0),
        Some(_) if rows.is_empty() || (at_hand.start <= rows.start && rows.end <= at_hand.end) => None,
        Some(_) => Some(rows.start.saturating_sub((AT_ONCE.saturating_sub(rows.len())) / 2)),
    }
}

/// The place that a key moves to.
fn moved(key: &str, place: Option<usize>, total: usize) -> Option<usize> {
    let last = total.checked_sub(1)?;
    let here = place.unwrap_or(0);
    let page = (VISIBLE_PX / ROW_PX) as usize;
    Some(match key {
        "ArrowDown" => (here + 1).min(last),
        "ArrowUp" => here.saturating_sub(1),
        "PageDown" => (here + page).min(last),
        "PageUp" => here.saturating_sub(page),
        "Home" => 0,
        "End" => last,
        _ => return None,
    })
}

/// The letters of the kinds of tasks, in the document's order.
pub(crate) fn marks(results: &Results) -> Vec<char> {
    let names: Vec<&str> = results.scenario.workload.tasks.iter().map(|task| task.name.as_str()).collect();
    palette::letters(&names)
}

/// A task with its mark; none is the idle thread.
pub(crate) fn who(who: Option<&Who>, marks: &[char], theme: Theme) -> Html {
    match who {
        None => html! { <span class="who mute">{ "idle" }</span> },
        Some(who) => {
            let letter = who.kind.and_then(|kind| marks.get(kind).copied()).unwrap_or('?');
            html! { <span class="who"><Chip kind={who.kind} {letter} {theme} />{ &who.name }</span> }
        }
    }
}

fn line(switch: &Switch, marks: &[char], theme: Theme) -> Html {
    // Nanoseconds and the unit are left out where there is no room.
    let instant = format::instant(switch.at_ns);
    let (at, fine) = match instant.char_indices().rev().nth(5) {
        Some((end, _)) => (instant[..end].to_owned(), instant[end..].to_owned()),
        None => (instant, String::new()),
    };
    html! {
        <>
            <span class="num">{ at }<span class="fine">{ fine }</span></span>
            <span>{ who(switch.prev.as_ref(), marks, theme) }</span>
            <span class="mute" aria-label="to">{ "→" }</span>
            <span>{ who(switch.next.as_ref(), marks, theme) }</span>
            <span class="num mute">{ &switch.reason }</span>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_asked_for_once() {
        let mut list = List::default();
        assert_eq!(missing(&list, &(0..0)), Some(0));
        list.total = Some(1_000);
        assert!(missing(&list, &(0..17)).is_some());
        list.switches = vec![
            Switch {
                at_ns: 0,
                cpu: 0,
                came_from: None,
                prev: None,
                next: None,
                reason: String::new(),
                ran_ns: 0,
                waited_ns: 0,
                woken: false
            };
            120
        ];
        assert_eq!(missing(&list, &(0..17)), None);
        let from = missing(&list, &(500..520)).unwrap();
        assert!(from <= 500 && from + AT_ONCE >= 520);
    }

    #[test]
    fn keys_stay_inside_the_list() {
        assert_eq!(moved("ArrowUp", Some(0), 5), Some(0));
        assert_eq!(moved("End", None, 5), Some(4));
        assert_eq!(moved("PageDown", Some(2), 5), Some(4));
        assert_eq!(moved("ArrowDown", Some(2), 0), None);
        assert_eq!(moved("x", Some(2), 5), None);
    }
}
