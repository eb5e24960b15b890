//! The library as a gallery: lessons, experiments and workloads to open. On a first visit a short
//! one stands above the results; the whole one is a dialog. Not for what is in the library.

use std::rc::Rc;

use schedlab_scenario::library::{self, Entry, Kind};
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::parts::{Choice, with_code};
use crate::state::{Action, Message, Wanted};

/// How many entries a first visit shows.
const FIRST: usize = 6;

/// How a kind's entries are introduced.
const fn heading(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Lesson => ("Lessons", "one concept each"),
        Kind::Experiment => ("Experiments", "published results to stand beside"),
        Kind::Workload => ("Workloads", "benchmarks and programs as they are built"),
    }
}

/// What opening an entry does: show its scenario, and the switch that shows best what it is about.
fn opened(entry: &Entry) -> (Action, Option<Wanted>) {
    let wanted = entry.switch().map(|(variant, sought)| Wanted::Sought { variant, sought: (&sought).into() });
    let action = match entry.scenario() {
        Ok(scenario) => {
            let message =
                Message::note(format!("Opened “{}”. Undo brings back what you had.", entry.title), Vec::new());
            Action::Replace { scenario: Box::new(scenario), message: Some(message), own: true }
        }
        Err(problems) => Action::Tell(Message::error(format!("“{}” cannot be opened.", entry.title), problems)),
    };
    (action, wanted)
}

/// The first sentence of a text.
fn first_sentence(text: &str) -> &str {
    let line = text.split("\n\n").next().unwrap_or(text);
    line.find(". ").map_or(line, |end| &line[..=end])
}

fn card(
    entry: &Entry,
    whole: bool,
    on_open: &Callback<(Action, Option<Wanted>)>,
    on_study: &Callback<&'static str>,
) -> Html {
    // An experiment's own card has the whole text.
    let most = if entry.kind == Kind::Experiment { 1 } else { usize::MAX };
    let paragraphs = entry.text.split("\n\n").filter(|_| whole).take(most);
    let paragraphs = paragraphs.map(|paragraph| html! { <span class="mute">{ for with_code(paragraph) }</span> });
    let hint = (!whole).then(|| first_sentence(&entry.text).to_owned());
    let on_click = {
        let (entry, on_open, on_study) = (entry.clone(), on_open.clone(), on_study.clone());
        Callback::from(move |_: MouseEvent| match entry.kind {
            Kind::Experiment => on_study.emit(entry.name),
            Kind::Lesson | Kind::Workload => on_open.emit(opened(&entry)),
        })
    };
    html! { <button type="button" class="entry" title={hint} onclick={on_click}><b>{ &entry.title }</b>{ for paragraphs }</button> }
}

/// Where entries go.
#[derive(Properties, PartialEq)]
pub struct GalleryProps {
    /// Does what opening an entry means.
    pub on_open: Callback<(Action, Option<Wanted>)>,
    /// Shows an experiment.
    pub on_study: Callback<&'static str>,
    /// The dialog is wanted no more, or the short gallery is not wanted at all.
    pub on_close: Callback<()>,
    /// Shows the whole library.
    #[prop_or_default]
    pub on_all: Callback<()>,
}

/// The short gallery of a first visit.
#[component]
pub fn Welcome(props: &GalleryProps) -> Html {
    let entries = use_memo((), |()| library::entries());
    let (on_all, on_close) = (props.on_all.clone(), props.on_close.clone());
    html! {
        <section class="card" aria-label="Start here">
            <div class="head wrap">
                <h2>{ "Start here" }</h2><small>{ "what the scheduler does, one concept at a time" }</small><span class="grow" />
                <button type="button" class="link" onclick={move |_| on_all.emit(())}>{ format!("All {} of the library", entries.len()) }</button>
                <button type="button" class="link" onclick={move |_| on_close.emit(())}>{ "Hide" }</button>
            </div>
            <div class="starts">{ for entries.iter().take(FIRST).map(|entry| card(entry, false, &props.on_open, &props.on_study)) }</div>
        </section>
    }
}

/// The whole library as a dialog; the browser keeps the keyboard inside and closes it on Escape.
#[component]
pub fn Gallery(props: &GalleryProps) -> Html {
    let entries = use_memo((), |()| Rc::new(library::entries()));
    let chosen = use_state_eq(|| 0_usize);
    let dialog = use_modal(props.on_close.clone());
    let (on_close, close) = (props.on_close.clone(), props.on_close.clone());
    let kinds = [Kind::Lesson, Kind::Experiment, Kind::Workload];
    let kind = kinds[*chosen % kinds.len()];
    let of = |kind: Kind| entries.iter().filter(move |entry| entry.kind == kind);
    let options = kinds.iter().map(|kind| format!("{} {}", heading(*kind).0, of(*kind).count())).collect::<Vec<_>>();
    let on_choose = {
        let chosen = chosen.clone();
        Callback::from(move |index: usize| chosen.set(index))
    };
    html! {
        <dialog ref={dialog} class="gallery" aria-labelledby="gallery-title" onclose={move |_: Event| close.emit(())}>
            <div class="head wrap"><h2 id="gallery-title">{ "Library" }</h2>
                <Choice label="Kind" {options} chosen={*chosen} {on_choose} /><small>{ heading(kind).1 }</small><span class="grow" />
                <button type="button" class="small" onclick={move |_| on_close.emit(())}>{ "Close" }</button></div>
            <div class="scroll" tabindex="0" role="group" aria-label="Entries of the library">
                <div class="entries">{ for of(kind).map(|entry| card(entry, true, &props.on_open, &props.on_study)) }</div>
            </div>
        </dialog>
    }
}

/// A dialog that is modal as long as it is there.
#[hook]
pub(crate) fn use_modal(on_cancel: Callback<()>) -> NodeRef {
    let dialog = use_node_ref();
    use_effect_with(dialog.clone(), move |dialog| {
        let element = dialog.get().and_then(|node| node.dyn_into::<HtmlDialogElement>().ok());
        if element.as_ref().is_none_or(|element| element.show_modal().is_err()) {
            on_cancel.emit(());
        }
    });
    dialog
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_opens() {
        let entries = library::entries();
        assert!(!entries.is_empty());
        for entry in entries.iter().filter(|entry| entry.kind != Kind::Experiment) {
            let (Action::Replace { scenario, .. }, _) = opened(entry) else { panic!("{} does not open", entry.name) };
            assert!(scenario.prepare(0).is_ok(), "{}", entry.name);
        }
    }

    #[test]
    fn a_card_says_one_sentence() {
        assert_eq!(first_sentence("Lag is debt. It is paid.\n\nLook at it."), "Lag is debt.");
        assert_eq!(first_sentence("Lag is debt"), "Lag is debt");
    }
}
