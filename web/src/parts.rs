//! Small parts that many views use: marks of variants and tasks, fields, tabs of problems.
//! Not for anything that knows of the scenario as a whole.

use schedlab_scenario::{Problem, Severity};
use schedlab_view::{Theme, palette};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::words;

/// Which variant.
#[derive(Properties, PartialEq)]
pub struct VariantMarkProps {
    /// Its place.
    pub index: usize,
    /// Its name; may be empty.
    pub name: String,
}

/// A variant's letter and name in its colour.
#[component]
pub fn VariantMark(props: &VariantMarkProps) -> Html {
    let colour = format!("color:var(--variant-{})", props.index % palette::VARIANT_COLOURS);
    let letter = palette::variant_letter(props.index);
    html! {
        <span class="variant" style={colour}>
            { letter }
            if !props.name.is_empty() { { "\u{a0}" }{ &props.name } }
        </span>
    }
}

/// Which kind of task.
#[derive(Properties, PartialEq)]
pub struct ChipProps {
    /// Its place in the document; none when it is not known.
    pub kind: Option<usize>,
    /// Its letter.
    pub letter: char,
    /// The theme.
    pub theme: Theme,
}

/// A kind of task's letter on its colour.
#[component]
pub fn Chip(props: &ChipProps) -> Html {
    let style = match props.kind {
        Some(kind) => {
            let colour = props.theme.task(kind);
            format!("background:{};color:{}", colour.css(), colour.ink_on().css())
        }
        None => "background:var(--axis);color:var(--ink)".to_owned(),
    };
    html! { <span class="chip" {style} aria-hidden="true">{ props.letter }</span> }
}

/// A text field with its label.
#[derive(Properties, PartialEq)]
pub struct FieldProps {
    /// What it is.
    pub label: AttrValue,
    /// Its value.
    pub value: String,
    /// Hears what is typed and says what is wrong with it.
    pub on_change: Callback<String, Result<(), String>>,
    /// What an empty field stands for.
    #[prop_or_default]
    pub placeholder: AttrValue,
    /// Whether the value differs from the default.
    #[prop_or_default]
    pub changed: bool,
    /// Whether it is a number.
    #[prop_or(true)]
    pub number: bool,
    /// Whether the label is only read out.
    #[prop_or_default]
    pub bare: bool,
    /// More classes.
    #[prop_or_default]
    pub class: Classes,
}

/// A field that keeps what is typed until it makes sense, and says what is wrong beside it.
#[component]
pub fn Field(props: &FieldProps) -> Html {
    // What is typed while it is not a value yet; none: the value is shown.
    let typed = use_state(|| None::<(String, String)>);
    let on_input = {
        let (typed, on_change) = (typed.clone(), props.on_change.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            typed.set(on_change.emit(text.clone()).err().map(|wrong| (text, wrong)));
        })
    };
    let on_blur = {
        let typed = typed.clone();
        Callback::from(move |_: FocusEvent| typed.set(None))
    };
    let shown = typed.as_ref().map_or_else(|| props.value.clone(), |(text, _)| text.clone());
    let wrong = typed.as_ref().map(|(_, wrong)| wrong.clone());
    let classes = classes!(
        props.number.then_some("num"),
        props.changed.then_some("changed"),
        wrong.is_some().then_some("wrong"),
        props.bare.then(|| props.class.clone())
    );
    let input = html! {
        <input type="text" class={classes} value={shown} placeholder={props.placeholder.clone()} autocomplete="off"
            spellcheck="false" inputmode={props.number.then_some("decimal")} aria-label={props.label.clone()}
            aria-invalid={wrong.is_some().then_some("true")} oninput={on_input} onblur={on_blur} />
    };
    let wrongness = wrong.map(|wrong| html! { <span class="wrongness" role="alert">{ wrong }</span> });
    if props.bare {
        html! { <>{ input }{ wrongness }</> }
    } else {
        html! {
            <label class={classes!("field", props.class.clone())}>
                <span>{ &props.label }</span>{ input }{ wrongness }
            </label>
        }
    }
}

/// A choice from a list, with its label.
#[derive(Properties, PartialEq)]
pub struct SelectProps {
    /// What it is.
    pub label: AttrValue,
    /// The chosen value.
    pub value: String,
    /// Values and what they are called.
    pub options: Vec<(String, String)>,
    /// Hears the choice.
    pub on_change: Callback<String>,
    /// Whether the value differs from the default.
    #[prop_or_default]
    pub changed: bool,
    /// Whether the label is only read out.
    #[prop_or_default]
    pub bare: bool,
}

/// A choice from a list.
#[component]
pub fn Select(props: &SelectProps) -> Html {
    let on_change = {
        let on_change = props.on_change.clone();
        Callback::from(move |event: Event| {
            on_change.emit(event.target_unchecked_into::<HtmlSelectElement>().value());
        })
    };
    let options = props.options.iter().map(|(value, name)| {
        html! { <option value={value.clone()} selected={*value == props.value}>{ name }</option> }
    });
    let select = html! {
        <select class={classes!(props.changed.then_some("changed"))} aria-label={props.label.clone()} onchange={on_change}>
            { for options }
        </select>
    };
    if props.bare {
        select
    } else {
        html! { <label class="field"><span>{ &props.label }</span>{ select }</label> }
    }
}

/// A section of the model as a link to it.
pub fn section_link(section: &str) -> Html {
    html! { <a class="section" href={words::model_link(section)} target="_blank">{ "model\u{a0}" }{ section.replace(' ', "\u{a0}") }</a> }
}

/// Two or more alternatives side by side.
#[derive(Properties, PartialEq)]
pub struct ChoiceProps {
    /// What is chosen.
    pub label: AttrValue,
    /// What there is.
    pub options: Vec<String>,
    /// The chosen one's place.
    pub chosen: usize,
    /// Hears the choice.
    pub on_choose: Callback<usize>,
}

/// Two or more alternatives side by side, as buttons.
#[component]
pub fn Choice(props: &ChoiceProps) -> Html {
    let button = |(index, name): (usize, &String)| {
        let on_choose = props.on_choose.clone();
        html! {
            <button type="button" aria-pressed={(index == props.chosen).to_string()}
                onclick={move |_| on_choose.emit(index)}>{ name }</button>
        }
    };
    html! {
        <span class="choice" role="group" aria-label={props.label.clone()}>
            { for props.options.iter().enumerate().map(button) }
        </span>
    }
}

/// Problems as a list.
#[derive(Properties, PartialEq)]
pub struct ProblemsProps {
    /// The problems.
    pub problems: Vec<Problem>,
    /// Hears that somebody wants to go to a place of the text.
    #[prop_or_default]
    pub on_go: Option<Callback<(u32, u32)>>,
}

/// Problems as a list: what, where, and the nearest known name.
#[component]
pub fn Problems(props: &ProblemsProps) -> Html {
    let line = |problem: &Problem| {
        let place = &problem.place;
        let at = (place.line > 0).then(|| format!("line {}, column {}", place.line, place.column));
        let go = props.on_go.clone().filter(|_| place.line > 0);
        let position = (place.line, place.column);
        html! {
            <li>
                if problem.severity == Severity::Notice { <span class="pill">{ "note" }</span>{ " " } }
                { for with_code(&problem.message) }
                if let Some(name) = &problem.suggestion { { "; did you mean " }<code>{ name }</code>{ "?" } }
                <div class="where">
                    if !place.path.is_empty() { <code>{ &place.path }</code>{ " " } }
                    if let Some(at) = at {
                        if let Some(go) = go {
                            <button type="button" class="link" onclick={move |_| go.emit(position)}>{ at }</button>
                        } else {
                            { at }
                        }
                    }
                </div>
            </li>
        }
    };
    const SHOWN: usize = 12;
    let more = props.problems.len().saturating_sub(SHOWN);
    html! {
        <ul>
            { for props.problems.iter().take(SHOWN).map(line) }
            if more > 0 { <li class="mute">{ format!("and {more} more") }</li> }
        </ul>
    }
}

/// A message with what stands between backticks set as code.
pub(crate) fn with_code(message: &str) -> impl Iterator<Item = Html> + '_ {
    message.split('`').enumerate().map(|(place, part)| {
        if place % 2 == 1 {
            html! { <code>{ part.to_owned() }</code> }
        } else {
            html! { { part.to_owned() } }
        }
    })
}

/// Reads a whole number of a field.
///
/// # Errors
/// What was expected, in words.
pub fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    match digits.parse::<u64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("a whole number from {least} to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_say_their_range() {
        assert_eq!(whole(" 1 000 ", 0, 5_000), Ok(1_000));
        assert_eq!(whole("1.5", 0, 9), Err("a whole number from 0 to 9".to_owned()));
        assert_eq!(whole("", 1, 9), Err("a whole number from 1 to 9".to_owned()));
        assert_eq!(whole("99999999999999999999999", 1, 9), Err("a whole number from 1 to 9".to_owned()));
    }
}
