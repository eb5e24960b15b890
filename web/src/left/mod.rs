//! The left column: the scenario as cards and forms, and as text. Four views of one value.
//! Not for what a change does: the application's state takes it.

mod amounts;
mod events;
mod flags;
mod groups;
mod machine;
mod numbers;
mod pieces;
mod task_form;
mod tasks;
mod text;
mod topology;
mod variants;

use std::rc::Rc;

use schedlab_scenario::{Problem, Scenario};
use schedlab_view::Theme;
use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::parts::Problems;
use crate::state::{Action, Edit};
use crate::sweep::{Plan, SweepForm};
use machine::Machine;
use tasks::Tasks;
use text::Text;
use variants::Variants;

/// Which view of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// The tasks.
    Workload,
    /// The machine and the run.
    Machine,
    /// The variants and their kernels.
    Variants,
    /// A sweep over parameters.
    Sweep,
    /// The document as text.
    Text,
}

impl Tab {
    const ALL: [Self; 5] = [Self::Workload, Self::Machine, Self::Variants, Self::Sweep, Self::Text];

    const fn name(self) -> &'static str {
        match self {
            Self::Workload => "Workload",
            Self::Machine => "Machine",
            Self::Variants => "Variants",
            Self::Sweep => "Sweep",
            Self::Text => "Text",
        }
    }

    const fn id(self) -> &'static str {
        match self {
            Self::Workload => "tab-workload",
            Self::Machine => "tab-machine",
            Self::Variants => "tab-variants",
            Self::Sweep => "tab-sweep",
            Self::Text => "tab-text",
        }
    }

    /// The tab that an arrow key moves to.
    fn beside(self, key: &str) -> Option<Self> {
        let here = Self::ALL.iter().position(|tab| *tab == self)?;
        let there = match key {
            "ArrowRight" => (here + 1) % Self::ALL.len(),
            "ArrowLeft" => (here + Self::ALL.len() - 1) % Self::ALL.len(),
            "Home" => 0,
            "End" => Self::ALL.len() - 1,
            _ => return None,
        };
        Self::ALL.get(there).copied()
    }
}

/// What the left column shows.
#[derive(Properties, PartialEq)]
pub struct LeftProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// The text being edited, while it differs.
    pub text: Option<String>,
    /// What is wrong with the scenario.
    pub problems: Vec<Problem>,
    /// The theme.
    pub theme: Theme,
    /// The view.
    pub tab: Tab,
    /// Shows another view.
    pub on_tab: Callback<Tab>,
    /// Whether a sweep is on its way.
    pub(crate) sweeping: bool,
    /// Begins a sweep.
    pub(crate) on_sweep: Callback<Plan>,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
}

/// The left column.
#[component]
pub fn Left(props: &LeftProps) -> Html {
    let scenario = &props.scenario;
    let view = match props.tab {
        Tab::Workload => html! {
            <Tasks scenario={Rc::clone(scenario)} theme={props.theme} problems={props.problems.clone()}
                on_edit={props.on_edit.clone()} on_tab={props.on_tab.clone()} />
        },
        Tab::Machine => html! { <Machine scenario={Rc::clone(scenario)} on_edit={props.on_edit.clone()} /> },
        Tab::Variants => html! { <Variants scenario={Rc::clone(scenario)} on_edit={props.on_edit.clone()} /> },
        Tab::Sweep => html! {
            <SweepForm scenario={Rc::clone(scenario)} running={props.sweeping} on_start={props.on_sweep.clone()} />
        },
        Tab::Text => html! {
            <Text scenario={Rc::clone(scenario)} text={props.text.clone()} dispatch={props.dispatch.clone()} />
        },
    };
    let elsewhere = elsewhere(props);
    html! {
        <section class="left" aria-label="Scenario">
            <div class="tabs" role="tablist" aria-label="Views of the scenario">
                { for Tab::ALL.map(|tab| head(props, tab)) }
            </div>
            <div class="pad" role="tabpanel" aria-labelledby={props.tab.id()} id="view">
                if !elsewhere.is_empty() && props.tab != Tab::Text {
                    <div class="notice bad" role="alert">
                        <b>{ "This scenario cannot run." }</b>
                        <Problems problems={elsewhere} />
                    </div>
                }
                { view }
            </div>
        </section>
    }
}

/// Problems that no card of the view shows.
fn elsewhere(props: &LeftProps) -> Vec<Problem> {
    let shown_by_a_card =
        |problem: &&Problem| props.tab == Tab::Workload && tasks::task_of(&props.scenario, problem).is_some();
    let without_place = |problem: &Problem| {
        // Lines of a text that nobody sees mean nothing here.
        let mut problem = problem.clone();
        (problem.place.line, problem.place.column) = (0, 0);
        problem
    };
    props.problems.iter().filter(|problem| !shown_by_a_card(problem)).map(without_place).collect()
}

fn head(props: &LeftProps, tab: Tab) -> Html {
    let selected = tab == props.tab;
    let on_tab = props.on_tab.clone();
    let on_key = {
        let on_tab = on_tab.clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(other) = tab.beside(&event.key()) else { return };
            event.prevent_default();
            on_tab.emit(other);
            let button = gloo::utils::document().get_element_by_id(other.id());
            if let Some(button) = button.and_then(|e| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(e).ok()) {
                let _ = button.focus();
            }
        })
    };
    let count = (tab == Tab::Variants).then(|| props.scenario.variant_count());
    html! {
        <button type="button" role="tab" id={tab.id()} aria-selected={selected.to_string()} aria-controls="view"
            tabindex={if selected { "0" } else { "-1" }} onclick={move |_| on_tab.emit(tab)} onkeydown={on_key}>
            { tab.name() }
            if let Some(count) = count { <span class="num mute">{ count }</span> }
            if tab == Tab::Text && props.text.is_some() { <span class="mute">{ "· edited" }</span> }
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_round_the_tabs() {
        assert_eq!(Tab::Text.beside("ArrowRight"), Some(Tab::Workload));
        assert_eq!(Tab::Workload.beside("ArrowLeft"), Some(Tab::Text));
        assert_eq!(Tab::Machine.beside("End"), Some(Tab::Text));
        assert_eq!(Tab::Machine.beside("x"), None);
    }
}
