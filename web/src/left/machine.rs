//! The machine and the run: ticks, costs, length, seed, repeats.

use std::rc::Rc;

use schedlab_scenario::{HZ, Machine as Described, RecordKind, RunOptions, Scenario};
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::parts::{Field, Select, whole};
use crate::state::Edit;

/// Of which scenario.
#[derive(Properties, PartialEq)]
pub struct MachineProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
}

/// The longest run that the form takes, milliseconds: an hour.
const MOST_MS: u64 = 3_600_000;
/// The largest cost, nanoseconds.
const MOST_COST_NS: u64 = 1_000_000_000;

/// The machine and the run.
#[component]
pub fn Machine(props: &MachineProps) -> Html {
    let scenario = &props.scenario;
    let (machine, run) = (&scenario.machine, &scenario.run);
    let (usual, usual_run) = (Described::default(), RunOptions::default());
    let number = |what, least, most, put| number(props, what, least, most, put);
    let cost = |label: &'static str, value: u64, put: fn(&mut Scenario, u64)| {
        html! {
            <Field {label} value={value.to_string()} changed={value != 0} on_change={number(label, 0, MOST_COST_NS, put)} />
        }
    };
    let on_edit = props.on_edit.clone();
    let on_hz = Callback::from(move |text: String| {
        if let Ok(hz) = text.parse() {
            on_edit.emit(Edit::new("hz", move |scenario| scenario.machine.hz = hz));
        }
    });
    let on_edit = props.on_edit.clone();
    let on_record = Callback::from(move |text: String| {
        let record = if text == "summary" { RecordKind::Summary } else { RecordKind::Full };
        on_edit.emit(Edit::new("record", move |scenario| scenario.run.record = record));
    });
    let on_edit = props.on_edit.clone();
    let on_notes = Callback::from(move |event: InputEvent| {
        let notes = event.target_unchecked_into::<HtmlTextAreaElement>().value();
        on_edit.emit(Edit::new("notes", move |scenario| scenario.notes = notes));
    });
    let kinds = vec![("full".to_owned(), "every switch".to_owned()), ("summary".to_owned(), "a summary".to_owned())];
    html! {
        <>
            <h2>{ "Machine" }<small>{ "one CPU" }</small></h2>
            <div class="fields">
                <Select label="Ticks a second, HZ" value={machine.hz.to_string()} changed={machine.hz != usual.hz}
                    options={HZ.map(|hz| (hz.to_string(), hz.to_string())).to_vec()} on_change={on_hz} />
            </div>
            <h2>{ "What things cost" }<small>{ "ns · 0 is an ideal machine" }</small></h2>
            <div class="fields">
                { cost("Context switch", machine.context_switch_ns, |s, ns| s.machine.context_switch_ns = ns) }
                { cost("Wake-up", machine.wakeup_ns, |s, ns| s.machine.wakeup_ns = ns) }
                { cost("Each run step", machine.run_step_ns, |s, ns| s.machine.run_step_ns = ns) }
                { cost("Late from sleep", machine.sleep_ns, |s, ns| s.machine.sleep_ns = ns) }
            </div>
            <h2>{ "Run" }</h2>
            <div class="fields">
                <Field label="Duration, ms" value={scenario.duration_ms().to_string()} changed={run.duration_ms.is_some()}
                    on_change={number("duration", 1, MOST_MS, |s, ms| s.run.duration_ms = Some(ms))} />
                <Field label="Warm-up, ms" value={run.warmup_ms.to_string()} changed={run.warmup_ms != usual_run.warmup_ms}
                    on_change={number("warmup", 0, MOST_MS, |s, ms| s.run.warmup_ms = ms)} />
                <Field label="Seed" value={run.seed.to_string()} changed={run.seed != usual_run.seed}
                    on_change={number("seed", 0, (1 << 53) - 1, |s, seed| s.run.seed = seed)} />
                <Field label="Repeats" value={run.repeats.to_string()} changed={run.repeats != usual_run.repeats}
                    on_change={number("repeats", 1, 1_000, |s, n| s.run.repeats = n as u32)} />
                <Select label="Record" value={if run.record == RecordKind::Summary { "summary" } else { "full" }}
                    options={kinds} changed={run.record != usual_run.record} on_change={on_record} />
            </div>
            <h2>{ "Notes" }</h2>
            <label class="field">
                <span class="hidden">{ "Notes" }</span>
                <textarea rows="5" style="height:auto;padding:6px 8px;font-family:var(--sans)" value={scenario.notes.clone()} oninput={on_notes}
                    placeholder="What this scenario is to show" />
            </label>
        </>
    }
}

fn number(
    props: &MachineProps,
    what: &'static str,
    least: u64,
    most: u64,
    put: fn(&mut Scenario, u64),
) -> Callback<String, Result<(), String>> {
    let on_edit = props.on_edit.clone();
    Callback::from(move |text: String| {
        let value = whole(text.trim(), least, most)?;
        on_edit.emit(Edit::new(what, move |scenario| put(scenario, value)));
        Ok(())
    })
}
