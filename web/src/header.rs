//! The header: title, link, history, opening, theme, and the run button.
//! Not for what these do: the application passes that in.

use schedlab_view::Theme;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

use crate::state::Edit;

/// What the header shows and does.
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// The scenario's title.
    pub title: String,
    /// How many characters the link has.
    pub link_length: usize,
    /// Whether there is a step back.
    pub can_undo: bool,
    /// Whether there is a step forward.
    pub can_redo: bool,
    /// What is done of a run that takes a while, 0 to 1.
    pub progress: Option<f64>,
    /// The theme.
    pub theme: Theme,
    /// Changes the title.
    pub on_edit: Callback<Edit>,
    /// One step back (`true`) or forward.
    pub on_step: Callback<bool>,
    /// Opens a file.
    pub on_file: Callback<web_sys::File>,
    /// Shows the library.
    pub on_library: Callback<()>,
    /// Shows what the model was compared with.
    pub on_about: Callback<()>,
    /// Copies the link.
    pub on_share: Callback<()>,
    /// The other theme.
    pub on_theme: Callback<()>,
    /// Runs, or stops.
    pub on_run: Callback<()>,
}

/// Links longer than this are cut by some programs that they are sent with.
const LONG_LINK: usize = 8_000;

/// The header.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let chooser = use_node_ref();
    let choose = {
        let chooser = chooser.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = chooser.cast::<HtmlElement>() {
                input.click();
            }
        })
    };
    let on_chosen = {
        let on_file = props.on_file.clone();
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                on_file.emit(file);
            }
            // The same file can be chosen again.
            input.set_value("");
        })
    };
    let on_title = {
        let on_edit = props.on_edit.clone();
        Callback::from(move |event: InputEvent| {
            let title = event.target_unchecked_into::<HtmlInputElement>().value();
            on_edit.emit(Edit::new("title", move |scenario| scenario.title = title));
        })
    };
    let on_step = props.on_step.clone();
    let back = Callback::from(move |_: MouseEvent| on_step.emit(true));
    let on_step = props.on_step.clone();
    let forward = Callback::from(move |_: MouseEvent| on_step.emit(false));
    let share = emit(&props.on_share);
    let other_theme = if props.theme == Theme::Light { "Dark" } else { "Light" };
    let link = if props.link_length > LONG_LINK {
        format!("a long link · {} characters", props.link_length)
    } else {
        format!("fits in a link · {} characters", props.link_length)
    };
    html! {
        <header class="top">
            <h1 class="brand">{ mark() }{ "schedlab" }</h1>
            <input class="title" type="text" aria-label="Title of the scenario" placeholder="Untitled scenario"
                maxlength="200" value={props.title.clone()} oninput={on_title} autocomplete="off" />
            if props.link_length > 0 { <span class="pill">{ link }</span> }
            <span class="grow" />
            <button type="button" class="quiet wide" onclick={back} disabled={!props.can_undo} title="Ctrl+Z">{ "Undo" }</button>
            <button type="button" class="quiet wide" onclick={forward} disabled={!props.can_redo} title="Ctrl+Shift+Z">{ "Redo" }</button>
            <button type="button" class="quiet" onclick={emit(&props.on_theme)}
                aria-label={format!("{other_theme} theme")}>{ other_theme }</button>
            <button type="button" class="quiet wide" onclick={emit(&props.on_about)}>{ "How true?" }</button>
            <button type="button" class="wide" onclick={emit(&props.on_library)}>{ "Library" }</button>
            <button type="button" class="wide" onclick={choose}>{ "Open…" }</button>
            <input ref={chooser} type="file" hidden=true accept=".json,application/json,text/plain,.txt,.gz,.trace,.log" onchange={on_chosen}
                aria-label="Open a scenario, an rt-app file or a trace" tabindex="-1" />
            <button type="button" class="wide" onclick={share}>{ "Share" }</button>
            if props.progress.is_some() {
                <button type="button" class="stop" onclick={emit(&props.on_run)}>{ "■ Stop" }</button>
            } else {
                <button type="button" class="primary" onclick={emit(&props.on_run)}>{ "▶ Run " }<kbd>{ "Ctrl ⏎" }</kbd></button>
            }
            if let Some(progress) = props.progress {
                <div class="progress" role="progressbar" aria-label="Simulating" aria-valuemin="0" aria-valuemax="100"
                    aria-valuenow={format!("{:.0}", progress * 100.0)}>
                    <i style={format!("width:{:.1}%", progress * 100.0)} />
                </div>
            }
        </header>
    }
}

fn emit(callback: &Callback<()>) -> Callback<MouseEvent> {
    let callback = callback.clone();
    Callback::from(move |_| callback.emit(()))
}

fn mark() -> Html {
    let block = |x: &'static str, y: &'static str, width: &'static str, colour: &'static str| {
        html! { <rect {x} {y} {width} height="4" rx="1" fill={format!("var(--task-{colour})")} /> }
    };
    html! {
        <svg viewBox="0 0 20 20" aria-hidden="true">
            { block("1", "3", "8", "0") }{ block("10", "3", "4", "1") }{ block("15", "3", "4", "0") }
            { block("1", "9", "4", "2") }{ block("6", "9", "13", "0") }
            <path d="M1 17h18" stroke="var(--faint)" />
        </svg>
    }
}
