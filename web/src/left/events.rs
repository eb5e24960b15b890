//! The events of a phase as editable lines: what happens, and with what.
//! Not for phases.

use schedlab_scenario::{Action, Amount, Event, MOST_US, TimerMode};
use yew::prelude::*;

use super::amounts;
use super::task_form::edit_phase;
use crate::parts::{Field, Select, whole};
use crate::state::Edit;

/// Which events.
#[derive(Properties, PartialEq)]
pub struct EventsProps {
    /// The events.
    pub events: Vec<Event>,
    /// The task's place.
    pub task: usize,
    /// The phase's place.
    pub phase: usize,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
}

/// The events that a line can be changed to.
const KINDS: [&str; 21] = [
    "run", "sleep", "timer", "runtime", "yield", "suspend", "resume", "lock", "unlock", "wait", "signal", "broad",
    "sync", "sem_post", "sem_wait", "barrier", "fork", "nice", "op_begin", "op_end", "ns_run",
];

/// The lines.
#[component]
pub fn Events(props: &EventsProps) -> Html {
    let lines = props.events.iter().enumerate().map(|(place, event)| line(props, place, event));
    let add = edit_events(props, "events+", |events| events.push(Event::new(Action::Run(Amount::Fixed(1_000)))));
    html! {
        <>
            { for lines }
            <div><button type="button" class="quiet small" onclick={add}>{ "+ event" }</button></div>
        </>
    }
}

fn edit_events(
    props: &EventsProps,
    what: &str,
    apply: impl Fn(&mut Vec<Event>) + Clone + 'static,
) -> Callback<MouseEvent> {
    let (on_edit, task, phase, what) = (props.on_edit.clone(), props.task, props.phase, what.to_owned());
    Callback::from(move |_: MouseEvent| {
        let apply = apply.clone();
        on_edit.emit(edit_phase(task, phase, &what, move |phase| apply(&mut phase.events)));
    })
}

/// Puts another action into a line.
fn put(props: &EventsProps, place: usize) -> impl Fn(Action) + Clone + 'static {
    let (on_edit, task, phase) = (props.on_edit.clone(), props.task, props.phase);
    move |action: Action| {
        on_edit.emit(edit_phase(task, phase, &format!("event{place}"), move |phase| {
            if let Some(event) = phase.events.get_mut(place) {
                event.action = action;
            }
        }));
    }
}

fn line(props: &EventsProps, place: usize, event: &Event) -> Html {
    let name = event.action.event();
    let mut kinds: Vec<(String, String)> = KINDS.iter().map(|kind| ((*kind).to_owned(), shown(kind))).collect();
    if !KINDS.contains(&name) {
        kinds.push((name.to_owned(), shown(name)));
    }
    let on_kind = {
        let (put, old) = (put(props, place), event.action.clone());
        Callback::from(move |kind: String| put(converted(&old, &kind)))
    };
    let number = place + 1;
    let up = edit_events(props, "move", move |events| {
        if place > 0 && place < events.len() {
            events.swap(place - 1, place);
        }
    });
    let remove = edit_events(props, "events-", move |events| {
        if place < events.len() {
            events.remove(place);
        }
    });
    html! {
        <div class="event" key={place}>
            <Select bare=true label={format!("Event {number}")} value={name} options={kinds} on_change={on_kind} />
            { value(props, place, &event.action) }
            <span class="actions">
                <button type="button" class="quiet small" onclick={up} disabled={place == 0}
                    aria-label={format!("Move event {number} up")}>{ "up" }</button>
                <button type="button" class="quiet small" onclick={remove}
                    aria-label={format!("Remove event {number}")}>{ "remove" }</button>
            </span>
        </div>
    }
}

fn shown(kind: &str) -> String {
    match kind {
        "run" | "sleep" | "runtime" => format!("{kind} µs"),
        "ns_run" => "run ns".to_owned(),
        "ns_sleep" => "sleep ns".to_owned(),
        other => other.to_owned(),
    }
}

fn value(props: &EventsProps, place: usize, action: &Action) -> Html {
    let number = place + 1;
    let name = |label: &str, text: &str, make: fn(&Action, String) -> Action| {
        let (put, old) = (put(props, place), action.clone());
        let on_change = Callback::from(move |text: String| {
            let text = text.trim().to_owned();
            if text.is_empty() {
                return Err("a name".to_owned());
            }
            put(make(&old, text));
            Ok(())
        });
        html! { <Field bare=true number=false label={format!("Event {number}: {label}")} value={text.to_owned()} {on_change} /> }
    };
    match action {
        Action::Run(amount)
        | Action::Runtime(amount)
        | Action::Sleep(amount)
        | Action::RunNs(amount)
        | Action::SleepNs(amount) => {
            let (put, old) = (put(props, place), action.clone());
            let on_change = Callback::from(move |text: String| {
                put(with_amount(&old, amounts::read(text.trim())?));
                Ok(())
            });
            html! { <Field bare=true label={format!("Event {number}: how long")} value={amounts::write(amount)} {on_change} /> }
        }
        Action::Timer { name: timer, period_us, mode } => {
            let (put, timer_name, mode) = (put(props, place), timer.clone(), *mode);
            let on_period = Callback::from(move |text: String| {
                let period_us = whole(text.trim(), 1, MOST_US)?;
                put(Action::Timer { name: timer_name.clone(), period_us, mode });
                Ok(())
            });
            html! {
                <span class="pair">
                    <Field bare=true label={format!("Event {number}: period, µs")} value={period_us.to_string()} on_change={on_period} />
                    { name("timer", timer, |old, text| match old {
                        Action::Timer { period_us, mode, .. } => Action::Timer { name: text, period_us: *period_us, mode: *mode },
                        other => other.clone(),
                    }) }
                </span>
            }
        }
        Action::Wait { condition, mutex } | Action::Sync { condition, mutex } => html! {
            <span class="pair">
                { name("condition", condition, |old, text| with_condition(old, Some(text), None)) }
                { name("mutex", mutex, |old, text| with_condition(old, None, Some(text))) }
            </span>
        },
        Action::Nice(nice) => {
            let put = put(props, place);
            let on_change = Callback::from(move |text: String| match text.trim().replace('−', "-").parse::<i8>() {
                Ok(nice @ -20..=19) => {
                    put(Action::Nice(nice));
                    Ok(())
                }
                _ => Err("from -20 to 19".to_owned()),
            });
            html! { <Field bare=true label={format!("Event {number}: nice")} value={nice.to_string()} {on_change} /> }
        }
        Action::Yield => html! { <span /> },
        other => match name_of(other) {
            Some(text) => {
                name("name", text, |old, text| converted_name(old.event(), text).unwrap_or_else(|| old.clone()))
            }
            None => html! { <span class="mute">{ "as written; see the text" }</span> },
        },
    }
}

fn with_amount(old: &Action, amount: Amount) -> Action {
    match old {
        Action::Runtime(_) => Action::Runtime(amount),
        Action::Sleep(_) => Action::Sleep(amount),
        Action::RunNs(_) => Action::RunNs(amount),
        Action::SleepNs(_) => Action::SleepNs(amount),
        _ => Action::Run(amount),
    }
}

fn with_condition(old: &Action, condition: Option<String>, mutex: Option<String>) -> Action {
    match old.clone() {
        Action::Wait { condition: c, mutex: m } => {
            Action::Wait { condition: condition.unwrap_or(c), mutex: mutex.unwrap_or(m) }
        }
        Action::Sync { condition: c, mutex: m } => {
            Action::Sync { condition: condition.unwrap_or(c), mutex: mutex.unwrap_or(m) }
        }
        other => other,
    }
}

fn name_of(action: &Action) -> Option<&str> {
    match action {
        Action::Lock(name)
        | Action::Unlock(name)
        | Action::Signal(name)
        | Action::Broadcast(name)
        | Action::Suspend(name)
        | Action::Resume(name)
        | Action::SemaphorePost(name)
        | Action::SemaphoreWait(name)
        | Action::Barrier(name)
        | Action::Fork(name)
        | Action::OperationBegin(name)
        | Action::OperationEnd(name) => Some(name),
        Action::Timer { name, .. } => Some(name),
        Action::Wait { condition, .. } | Action::Sync { condition, .. } => Some(condition),
        _ => None,
    }
}

fn amount_of(action: &Action) -> Option<&Amount> {
    match action {
        Action::Run(amount)
        | Action::Runtime(amount)
        | Action::Sleep(amount)
        | Action::RunNs(amount)
        | Action::SleepNs(amount) => Some(amount),
        _ => None,
    }
}

/// An event of another kind that keeps the amount or the name as far as it has one.
fn converted(old: &Action, kind: &str) -> Action {
    let amount = || amount_of(old).cloned().unwrap_or(Amount::Fixed(1_000));
    let name = name_of(old).unwrap_or(kind).to_owned();
    match kind {
        "run" => Action::Run(amount()),
        "runtime" => Action::Runtime(amount()),
        "sleep" => Action::Sleep(amount()),
        "ns_run" => Action::RunNs(amount()),
        "ns_sleep" => Action::SleepNs(amount()),
        "timer" => {
            let period_us = match amount_of(old) {
                Some(Amount::Fixed(us)) if *us > 0 => *us,
                _ => 10_000,
            };
            Action::Timer { name: "unique".to_owned(), period_us, mode: TimerMode::Relative }
        }
        "wait" => Action::Wait { condition: name, mutex: "mutex".to_owned() },
        "sync" => Action::Sync { condition: name, mutex: "mutex".to_owned() },
        "yield" => Action::Yield,
        "nice" => Action::Nice(0),
        other => converted_name(other, name).unwrap_or_else(|| old.clone()),
    }
}

/// An event that has nothing but a name.
fn converted_name(kind: &str, name: String) -> Option<Action> {
    Some(match kind {
        "lock" => Action::Lock(name),
        "unlock" => Action::Unlock(name),
        "signal" => Action::Signal(name),
        "broad" => Action::Broadcast(name),
        "suspend" => Action::Suspend(name),
        "resume" => Action::Resume(name),
        "sem_post" => Action::SemaphorePost(name),
        "sem_wait" => Action::SemaphoreWait(name),
        "barrier" => Action::Barrier(name),
        "fork" => Action::Fork(name),
        "op_begin" => Action::OperationBegin(name),
        "op_end" => Action::OperationEnd(name),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_can_be_chosen() {
        for kind in KINDS {
            assert_eq!(converted(&Action::Yield, kind).event(), kind);
        }
    }

    #[test]
    fn a_new_kind_keeps_amount_and_name() {
        let run = Action::Run(Amount::Exponential(7));
        assert_eq!(converted(&run, "sleep"), Action::Sleep(Amount::Exponential(7)));
        assert_eq!(converted(&Action::Lock("m".to_owned()), "unlock"), Action::Unlock("m".to_owned()));
    }
}
