//! The machine and the run: counts, numbering, ticks, costs and caches; length, seed, repeats.
//! Not for drawing the machine.

use std::rc::Rc;

use schedlab_scenario::{HZ, MOST_CPUS, Machine as Described, RecordKind, RunOptions, Scenario, Tick};
use schedlab_sim::SiblingNumbering;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::numbers;
use super::topology::{Topology, summary};
use crate::machine::described;
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

/// The largest cache that the form takes, KiB: a terabyte.
const MOST_KIB: u64 = 1 << 30;
/// The slowest loading of a KiB that the form takes, nanoseconds.
const MOST_NS_PER_KIB: u64 = 1_000_000;

/// The machine and the run.
#[component]
pub fn Machine(props: &MachineProps) -> Html {
    let scenario = &props.scenario;
    let (machine, run) = (&scenario.machine, &scenario.run);
    let usual_run = RunOptions::default();
    let number = |what, least, most, put| number(props, what, least, most, put);
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
    let drawable = (1..=MOST_CPUS).contains(&machine.cpus());
    html! {
        <>
            <h2>{ "Machine" }<small>{ summary(described(machine)) }</small></h2>
            if drawable {
                <Topology shape={described(machine)} nosmt={scenario.kernel.nosmt} capacities={machine.capacities.clone()} />
            }
            { counts(props) }
            { ticks(props) }
            { costs(props) }
            { caches(props) }
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

/// How many of everything, how it is numbered, and how fast it is.
fn counts(props: &MachineProps) -> Html {
    let (machine, usual) = (&props.scenario.machine, Described::default());
    let cpus = machine.cpus();
    let count = |label: &'static str, value: u32, put: fn(&mut Described) -> &mut u32| {
        let (on_edit, most) = (props.on_edit.clone(), MOST_CPUS / (cpus / u64::from(value.max(1))).max(1));
        let on_change = Callback::from(move |text: String| {
            let value = whole(text.trim(), 1, most)? as u32;
            on_edit.emit(Edit::new(label, move |scenario| *put(&mut scenario.machine) = value));
            Ok(())
        });
        html! { <Field {label} value={value.to_string()} changed={value != 1} {on_change} /> }
    };
    let on_edit = props.on_edit.clone();
    let on_numbering = Callback::from(move |name: String| {
        let numbering = if name == "adjacent" { SiblingNumbering::Adjacent } else { SiblingNumbering::Split };
        on_edit.emit(Edit::new("numbering", move |scenario| scenario.machine.sibling_numbering = numbering));
    });
    let numberings = [("split", "first threads first"), ("adjacent", "siblings adjacent")];
    let adjacent = machine.sibling_numbering == SiblingNumbering::Adjacent;
    let capacities: Vec<u64> = machine.capacities.iter().map(|capacity| u64::from(*capacity)).collect();
    let on_edit = props.on_edit.clone();
    let on_capacities = Callback::from(move |text: String| {
        let list = numbers::read(&text, 1, 1024, cpus)?;
        let list: Vec<u32> = list.into_iter().map(|capacity| capacity as u32).collect();
        on_edit.emit(Edit::new("capacities", move |scenario| scenario.machine.capacities = list));
        Ok(())
    });
    html! {
        <div class="fields">
            { count("Nodes", machine.nodes, |machine| &mut machine.nodes) }
            { count("LLCs a node", machine.llcs_per_node, |machine| &mut machine.llcs_per_node) }
            { count("Cores an LLC", machine.cores_per_llc, |machine| &mut machine.cores_per_llc) }
            { count("Threads a core", machine.threads_per_core, |machine| &mut machine.threads_per_core) }
            <Select label="Numbering" value={if adjacent { "adjacent" } else { "split" }} changed={adjacent}
                options={numberings.map(|(value, name)| (value.to_owned(), name.to_owned())).to_vec()} on_change={on_numbering} />
            <Field label="SMT speed, ‰" value={machine.smt_speed.to_string()} changed={machine.smt_speed != usual.smt_speed}
                on_change={number(props, "smt", 1, 1000, |s, speed| s.machine.smt_speed = speed as u32)} />
            <Field class="twice" label="Capacities, of 1024" placeholder="all 1024" value={numbers::write(&capacities)}
                changed={!capacities.is_empty()} on_change={on_capacities} />
            if !capacities.is_empty() {
                <p class="mute hint">{ "A capacity only stretches run steps; no decision looks at it, and no kernel was compared." }</p>
            }
        </div>
    }
}

/// How the ticks lie.
fn ticks(props: &MachineProps) -> Html {
    let (machine, usual) = (&props.scenario.machine, Described::default());
    let on_edit = props.on_edit.clone();
    let on_hz = Callback::from(move |text: String| {
        if let Ok(hz) = text.parse() {
            on_edit.emit(Edit::new("hz", move |scenario| scenario.machine.hz = hz));
        }
    });
    let (cpus, tick_ns) = (machine.cpus(), machine.tick_ns());
    let on_edit = props.on_edit.clone();
    let on_lie = Callback::from(move |name: String| {
        let tick = match name.as_str() {
            "staggered" => Tick::Staggered,
            "phases" => Tick::Phases((0..cpus).map(|cpu| cpu * tick_ns / cpus.max(1)).collect()),
            _ => Tick::Aligned,
        };
        on_edit.emit(Edit::new("tick", move |scenario| scenario.machine.tick = tick));
    });
    let on_edit = props.on_edit.clone();
    let on_phases = Callback::from(move |text: String| {
        let phases = numbers::read(&text, 0, tick_ns.saturating_sub(1), cpus)?;
        if phases.is_empty() {
            return Err("a phase for each CPU".to_owned());
        }
        on_edit.emit(Edit::new("phases", move |scenario| scenario.machine.tick = Tick::Phases(phases)));
        Ok(())
    });
    let (lie, phases) = match &machine.tick {
        Tick::Aligned => ("aligned", None),
        Tick::Staggered => ("staggered", None),
        Tick::Phases(phases) => ("phases", Some(numbers::write(phases))),
    };
    let ways = [("aligned", "all at once"), ("staggered", "staggered"), ("phases", "a phase each")];
    html! {
        <>
            <h2>{ "Ticks" }</h2>
            <div class="fields">
                <Select label="Ticks a second, HZ" value={machine.hz.to_string()} changed={machine.hz != usual.hz}
                    options={HZ.map(|hz| (hz.to_string(), hz.to_string())).to_vec()} on_change={on_hz} />
                <Select label="On the CPUs" value={lie} changed={machine.tick != usual.tick}
                    options={ways.map(|(value, name)| (value.to_owned(), name.to_owned())).to_vec()} on_change={on_lie} />
                if let Some(phases) = phases {
                    <Field class="twice" label="Phases, ns after CPU 0's" value={phases} changed=true on_change={on_phases} />
                }
            </div>
        </>
    }
}

/// A number of the machine.
fn part(props: &MachineProps, label: &'static str, most: u64, of: fn(&mut Described) -> &mut u64) -> Html {
    let (mut machine, mut usual) = (props.scenario.machine.clone(), Described::default());
    let (value, usual) = (*of(&mut machine), *of(&mut usual));
    let on_edit = props.on_edit.clone();
    let on_change = Callback::from(move |text: String| {
        let value = whole(text.trim(), 0, most)?;
        on_edit.emit(Edit::new(label, move |scenario| *of(&mut scenario.machine) = value));
        Ok(())
    });
    html! { <Field {label} value={value.to_string()} changed={value != usual} {on_change} /> }
}

/// What is done takes time.
fn costs(props: &MachineProps) -> Html {
    let cost = |label, of| part(props, label, MOST_COST_NS, of);
    html! {
        <>
            <h2>{ "What things cost" }<small>{ "ns · 0 is an ideal machine" }</small></h2>
            <div class="fields">
                { cost("Context switch", |m| &mut m.context_switch_ns) }
                { cost("Change of CPU", |m| &mut m.migration_ns) }
                { cost("Core-wide pick", |m| &mut m.core_pick_ns) }
                { cost("Wake-up", |m| &mut m.wakeup_ns) }
                { cost("Tick to switch", |m| &mut m.reschedule_ns) }
                { cost("Both at random +", |m| &mut m.jitter_ns) }
                { cost("Each run step", |m| &mut m.run_step_ns) }
                { cost("Late from sleep", |m| &mut m.sleep_ns) }
                { cost("Newidle, a CPU", |m| &mut m.newidle_cost_per_cpu_ns) }
            </div>
        </>
    }
}

/// The caches: what tasks with a working set load again.
fn caches(props: &MachineProps) -> Html {
    let (machine, usual) = (&props.scenario.machine, Described::default());
    let part = |label, most, of| part(props, label, most, of);
    let used = machine.cache != usual.cache
        || machine.mem_ns_per_kib != usual.mem_ns_per_kib
        || machine.io_ns_per_kib != usual.io_ns_per_kib;
    html! {
        <details open={used}>
            <summary>{ "Caches and memory" }</summary>
            <div class="fields">
                { part("A core's, KiB", MOST_KIB, |m| &mut m.cache.core_kib) }
                { part("An LLC, KiB", MOST_KIB, |m| &mut m.cache.llc_kib) }
                { part("From LLC, ns/KiB", MOST_NS_PER_KIB, |m| &mut m.cache.llc_ns_per_kib) }
                { part("From memory, ns/KiB", MOST_NS_PER_KIB, |m| &mut m.cache.memory_ns_per_kib) }
                { part("mem, ns/KiB", MOST_NS_PER_KIB, |m| &mut m.mem_ns_per_kib) }
                { part("iorun, ns/KiB", MOST_NS_PER_KIB, |m| &mut m.io_ns_per_kib) }
            </div>
            <p class="mute hint">{ "A task that comes in loads what others have displaced of its working set. At 0 ns that is free." }</p>
        </details>
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
