//! The document as text: edited as a draft, checked while typing, applied when it is sound.
//! Nothing typed is lost: the draft outlives other views and visits.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use schedlab_scenario::{Problem, Scenario};
use web_sys::{HtmlTextAreaElement, KeyboardEvent};
use yew::prelude::*;

use crate::parts::Problems;
use crate::state::Action;

/// The text is checked when nothing was typed for so long.
const SETTLE_MS: u32 = 200;

/// Of which scenario.
#[derive(Properties, PartialEq)]
pub struct TextProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// The draft, while it differs.
    pub text: Option<String>,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
}

/// The document as text.
#[component]
pub fn Text(props: &TextProps) -> Html {
    let area = use_node_ref();
    let problems = use_state_eq(Vec::<Problem>::new);
    {
        let problems = problems.clone();
        use_effect_with(props.text.clone(), move |text| {
            let text = text.clone();
            let settle =
                Timeout::new(SETTLE_MS, move || problems.set(text.map(|text| check(&text)).unwrap_or_default()));
            move || drop(settle)
        });
    }
    let on_input = {
        let (dispatch, scenario) = (props.dispatch.clone(), Rc::clone(&props.scenario));
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            let draft = (text != scenario.to_json()).then_some(text);
            dispatch.emit(Action::Text(draft));
        })
    };
    let apply = {
        let (dispatch, text, problems) = (props.dispatch.clone(), props.text.clone(), problems.clone());
        Callback::from(move |()| {
            let Some(text) = &text else { return };
            match schedlab_scenario::open(text) {
                Ok(opened) => {
                    let scenario = Box::new(opened.scenario);
                    dispatch.emit(Action::Replace { scenario, message: None, own: true });
                    dispatch.emit(Action::Say("Applied.".to_owned()));
                    problems.set(Vec::new());
                }
                Err(found) => {
                    dispatch.emit(Action::Say(format!("Not applied: {} found.", count(found.len()))));
                    problems.set(found);
                }
            }
        })
    };
    let on_key = {
        let apply = apply.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "s" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                apply.emit(());
            }
        })
    };
    let discard = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(Action::Text(None)))
    };
    let shown = props.text.clone().unwrap_or_else(|| props.scenario.to_json());
    let go = {
        let (area, shown) = (area.clone(), shown.clone());
        Callback::from(move |(line, column)| show(&area, &shown, line, column))
    };
    let edited = props.text.is_some();
    let errors = problems.iter().filter(|problem| problem.severity == schedlab_scenario::Severity::Error).count();
    html! {
        <div class="document">
            <h2 class="hidden">{ "Document" }</h2>
            <div class="actions">
                <button type="button" class={classes!(edited.then_some("primary"))} disabled={!edited}
                    onclick={move |_: MouseEvent| apply.emit(())}>{ "Apply " }<kbd>{ "Ctrl S" }</kbd></button>
                <button type="button" disabled={!edited} onclick={discard}>{ "Discard edits" }</button>
            </div>
            if !problems.is_empty() {
                <div class={classes!("notice", (errors > 0).then_some("bad"))} role="alert" id="text-problems">
                    <b>{ if errors > 0 { count(errors) } else { "This runs, with notes".to_owned() } }</b>
                    <Problems problems={(*problems).clone()} on_go={go} />
                </div>
            }
            <textarea ref={area} class={classes!((errors > 0).then_some("wrong"))} aria-label="The scenario document"
                aria-invalid={(errors > 0).then_some("true")} aria-describedby={(!problems.is_empty()).then_some("text-problems")}
                spellcheck="false" autocapitalize="off" value={shown} oninput={on_input} onkeydown={on_key} />
        </div>
    }
}

fn count(problems: usize) -> String {
    if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") }
}

/// Errors of a text, or the notices of one without errors.
fn check(text: &str) -> Vec<Problem> {
    match schedlab_scenario::open(text) {
        Ok(opened) => opened.notices,
        Err(problems) => problems,
    }
}

/// Puts the cursor at a place of the text and shows it.
fn show(area: &NodeRef, text: &str, line: u32, column: u32) {
    let Some(area) = area.cast::<HtmlTextAreaElement>() else { return };
    let offset = offset_of(text, line, column);
    let _ = area.focus();
    let _ = area.set_selection_range(offset, offset + 1);
    let lines = text.lines().count().max(1) as f64;
    let height = f64::from(area.scroll_height()) / lines;
    area.set_scroll_top(((f64::from(line) - 4.0) * height).max(0.0) as i32);
}

/// The offset of a line and column (characters, both from 1) in the UTF-16 units that browsers count.
fn offset_of(text: &str, line: u32, column: u32) -> u32 {
    let mut offset = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line as usize {
            let before: usize = content.chars().take(column.saturating_sub(1) as usize).map(char::len_utf16).sum();
            return (offset + before) as u32;
        }
        offset += content.encode_utf16().count();
    }
    offset as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_browser_units() {
        let text = "a\n\"😀é\": 1\nz";
        assert_eq!(offset_of(text, 1, 1), 0);
        assert_eq!(offset_of(text, 2, 1), 2);
        assert_eq!(offset_of(text, 2, 3), 5);
        assert_eq!(offset_of(text, 3, 1), 11);
        assert_eq!(offset_of(text, 9, 1), 12);
    }

    #[test]
    fn errors_have_a_line() {
        let problems = check("{\n  \"tasks\": {\n    \"a\": { \"rum\": 5 }\n  }\n}");
        assert_eq!(problems.first().map(|problem| problem.place.line), Some(3));
    }
}
