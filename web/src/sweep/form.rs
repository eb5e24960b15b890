//! The form of a sweep: a variant, one or two parameters with their values, repeats.
//! Not for the results.

use std::rc::Rc;

use schedlab_scenario::{Scenario, path};
use schedlab_view::sweep::read_values;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::{MOST_POINTS, Parameter, Plan};
use crate::parts::{Field, Select, whole};

/// What the form needs.
#[derive(Properties, PartialEq)]
pub(crate) struct SweepFormProps {
    /// The scenario.
    pub(crate) scenario: Rc<Scenario>,
    /// Whether a sweep is on its way.
    pub(crate) running: bool,
    /// Begins a sweep.
    pub(crate) on_start: Callback<Plan>,
}

/// What is typed.
#[derive(Clone, PartialEq)]
struct Typed {
    variant: usize,
    paths: [String; 2],
    values: [String; 2],
    repeats: u32,
}

impl Typed {
    /// The plan, or what is wrong.
    fn plan(&self, names: &[String]) -> Result<Plan, String> {
        let mut parameters = Vec::new();
        for (path, values) in self.paths.iter().zip(&self.values) {
            let path = path.trim();
            if path.is_empty() && !parameters.is_empty() {
                continue;
            }
            if path.is_empty() {
                return Err("The first parameter is a path of the document.".to_owned());
            }
            let values = read_values(values).map_err(|wrong| format!("{path}: {wrong}."))?;
            parameters.push(Parameter { path: path.to_owned(), values });
        }
        let name = names.get(self.variant).cloned().unwrap_or_default();
        let plan = Plan { variant: self.variant, name, parameters, repeats: self.repeats };
        match plan.points().saturating_mul(self.repeats as usize) {
            runs if runs > MOST_POINTS => Err(format!(
                "These are {runs} runs; the page takes up to {MOST_POINTS}. The command has no such limit: schedlab sweep."
            )),
            _ => Ok(plan),
        }
    }
}

/// Paths that people sweep, of this very scenario.
fn suggestions(scenario: &Scenario) -> Vec<String> {
    let mut paths: Vec<String> = [
        "kernel.tunables.base_slice_ns",
        "kernel.release",
        "kernel.core_sched",
        "kernel.features.RUN_TO_PARITY",
        "machine.hz",
        "machine.cores_per_llc",
        "machine.smt_speed",
        "machine.migration_ns",
        "run.duration_ms",
    ]
    .map(str::to_owned)
    .to_vec();
    for task in scenario.workload.tasks.iter().take(20) {
        let key = path::key_text(&task.name);
        for field in ["instance", "priority", "slice_us", "cookie", "working_set_kib"] {
            paths.push(format!("workload.tasks.{key}.{field}"));
        }
    }
    paths
}

/// The form.
#[component]
pub(crate) fn SweepForm(props: &SweepFormProps) -> Html {
    let scenario = &props.scenario;
    let typed = use_state(|| {
        let first = scenario.workload.tasks.first().map(|task| path::key_text(&task.name));
        let path = first.map_or_else(|| "machine.hz".to_owned(), |key| format!("workload.tasks.{key}.instance"));
        let values = ["1, 2, 4, 8, 16".to_owned(), String::new()];
        Typed { variant: 0, paths: [path, String::new()], values, repeats: 3 }
    });
    let names: Vec<String> = (0..scenario.variant_count())
        .map(|index| scenario.variant(index).map_or_else(|_| format!("variant {index}"), |named| named.name))
        .collect();
    let plan = typed.plan(&names);
    let text = |label: &'static str, value: String, list: bool, put: fn(&mut Typed, String)| {
        let state = typed.clone();
        let on_input = Callback::from(move |event: InputEvent| {
            let mut typed = (*state).clone();
            put(&mut typed, event.target_unchecked_into::<HtmlInputElement>().value());
            state.set(typed);
        });
        html! {
            <label class="field"><span>{ label }</span>
                <input type="text" class="num" {value} autocomplete="off" spellcheck="false" list={list.then_some("sweep-paths")}
                    aria-label={label} oninput={on_input} />
            </label>
        }
    };
    let on_variant = {
        let state = typed.clone();
        Callback::from(move |text: String| {
            state.set(Typed { variant: text.parse().unwrap_or(0), ..(*state).clone() });
        })
    };
    let on_repeats = {
        let state = typed.clone();
        Callback::from(move |text: String| {
            let repeats = whole(text.trim(), 1, 1_000)? as u32;
            state.set(Typed { repeats, ..(*state).clone() });
            Ok(())
        })
    };
    let start = {
        let (plan, on_start) = (plan.clone(), props.on_start.clone());
        Callback::from(move |_: MouseEvent| {
            if let Ok(plan) = &plan {
                on_start.emit(plan.clone());
            }
        })
    };
    let options = names.iter().enumerate().map(|(index, name)| (index.to_string(), name.clone())).collect::<Vec<_>>();
    html! {
        <>
            <h2>{ "Sweep" }<small>{ "every combination of values, run in all cores" }</small></h2>
            <datalist id="sweep-paths">{ for suggestions(scenario).into_iter().map(|path| html! { <option value={path} /> }) }</datalist>
            <div class="form sweep">
                { text("First parameter", typed.paths[0].clone(), true, |typed, text| typed.paths[0] = text) }
                { text("Its values", typed.values[0].clone(), false, |typed, text| typed.values[0] = text) }
                { text("Second parameter, if any", typed.paths[1].clone(), true, |typed, text| typed.paths[1] = text) }
                { text("Values of the second", typed.values[1].clone(), false, |typed, text| typed.values[1] = text) }
                <div class="fields two">
                    <Select label="Of variant" value={typed.variant.to_string()} {options} on_change={on_variant} />
                    <Field label="Repeats of each" value={typed.repeats.to_string()} on_change={on_repeats} />
                </div>
                <p class="mute hint" role="status">
                    { match &plan {
                        Ok(plan) => format!("{} points, {} runs of {} ms each.", plan.points(), plan.points() * plan.repeats as usize, scenario.duration_ms()),
                        Err(wrong) => wrong.clone(),
                    } }
                </p>
                <button type="button" class="primary" onclick={start} disabled={plan.is_err() || props.running}>
                    { if props.running { "Sweeping…" } else { "Run the sweep" } }
                </button>
            </div>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(paths: [&str; 2], values: [&str; 2], repeats: u32) -> Result<Plan, String> {
        let typed = Typed { variant: 0, paths: paths.map(str::to_owned), values: values.map(str::to_owned), repeats };
        typed.plan(&["6.12".to_owned()])
    }

    #[test]
    fn one_or_two_parameters_are_a_plan() {
        assert_eq!(typed(["machine.hz", ""], ["100, 250", "ignored"], 3).map(|plan| plan.points()), Ok(2));
        assert_eq!(typed(["machine.hz", "run.seed"], ["100, 250", "1..5"], 3).map(|plan| plan.points()), Ok(10));
        assert!(typed(["", "run.seed"], ["1", "1"], 1).is_err());
        assert!(typed(["machine.hz", ""], ["", ""], 1).is_err());
    }

    #[test]
    fn too_many_runs_are_refused_with_their_number() {
        let wrong = typed(["a", "b"], ["1..1000", "1..1000"], 1).unwrap_err();
        assert!(wrong.contains("1000000 runs"), "{wrong}");
    }
}
