//! Events that belong to the page as a whole: keys, paste, drop, and a changed link. Not for what
//! they do: actions and workers do that.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, KeyboardEvent};
use yew::prelude::*;

use crate::instant;
use crate::opening;
use crate::protocol::ToWorker;
use crate::state::{Action, Lab, Message, Wanted};
use crate::store;

/// What the page's own events need.
pub(crate) struct PageEvents {
    pub(crate) on_trace: Callback<web_sys::File>,
    pub(crate) run: Callback<()>,
    pub(crate) dispatch: Callback<Action>,
    pub(crate) ask: Callback<(usize, ToWorker)>,
    pub(crate) lab: Lab,
}

impl PageEvents {
    fn key(&self, event: &KeyboardEvent) {
        let command = event.ctrl_key() || event.meta_key();
        let in_field = opening::is_text_field(event.target());
        match event.key().as_str() {
            "Enter" if command => {
                event.prevent_default();
                self.run.emit(());
            }
            "z" | "Z" if command && !in_field => {
                event.prevent_default();
                self.dispatch.emit(if event.shift_key() { Action::Redo } else { Action::Undo });
            }
            key @ ("n" | "p") if !command && !in_field && !event.alt_key() => {
                let list = &self.lab.list;
                let forward = key == "n";
                let find = ToWorker::Find { variant: list.variant, filter: list.filter, from: list.place, forward };
                self.ask.emit((list.variant, find));
            }
            _ => {}
        }
    }

    fn link(&self) {
        let hash = store::hash();
        if !hash.starts_with("#s=") {
            return;
        }
        let (scenario, wanted) = instant::split(&hash);
        self.dispatch.emit(match schedlab_scenario::link::decode(scenario) {
            Ok(opened) => {
                let message = Some(Message::note("Opened from a link. Undo brings back what you had.", opened.notices));
                Action::Replace { scenario: Box::new(opened.scenario), message, own: false }
            }
            Err(problems) => return self.dispatch.emit(Action::Tell(store::bad_link(problems))),
        });
        if let Some(wanted) = wanted {
            self.dispatch.emit(Action::Want(Wanted::At(wanted)));
        }
    }
}

/// Listens to keys, paste, drop and links; answers whether something is being dragged over the page.
#[hook]
pub(crate) fn use_page_events(events: PageEvents) -> bool {
    let dragging = use_state_eq(|| false);
    // The listeners are made once; what they call is that of the latest rendering.
    let latest = use_mut_ref(|| None::<Rc<PageEvents>>);
    *latest.borrow_mut() = Some(Rc::new(events));
    {
        let dragging = dragging.clone();
        use_effect_with((), move |()| {
            let document = gloo::utils::document();
            let current = move || latest.borrow().clone();
            let active = EventListenerOptions::enable_prevent_default();
            let on_key = {
                let current = current.clone();
                EventListener::new_with_options(&document, "keydown", active, move |event| {
                    if let (Some(events), Some(event)) = (current(), event.dyn_ref::<KeyboardEvent>()) {
                        events.key(event);
                    }
                })
            };
            let on_paste = {
                let current = current.clone();
                EventListener::new_with_options(&document, "paste", active, move |event| {
                    let Some(paste) = event.dyn_ref::<ClipboardEvent>() else { return };
                    let (Some(events), Some(data)) = (current(), paste.clipboard_data()) else { return };
                    if !opening::is_text_field(event.target())
                        && opening::read_transfer(&data, "The pasted text", &events.dispatch, &events.on_trace)
                    {
                        event.prevent_default();
                    }
                })
            };
            let over = {
                let dragging = dragging.clone();
                EventListener::new_with_options(&document, "dragover", active, move |event| {
                    event.prevent_default();
                    dragging.set(true);
                })
            };
            let leave = {
                let dragging = dragging.clone();
                EventListener::new(&document, "dragleave", move |event| {
                    // Leaving the window, not one element for another.
                    if event.dyn_ref::<DragEvent>().is_some_and(|event| event.related_target().is_none()) {
                        dragging.set(false);
                    }
                })
            };
            let on_drop = {
                let current = current.clone();
                EventListener::new_with_options(&document, "drop", active, move |event| {
                    event.prevent_default();
                    dragging.set(false);
                    let data = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
                    if let (Some(events), Some(data)) = (current(), data) {
                        opening::read_transfer(&data, "The dropped text", &events.dispatch, &events.on_trace);
                    }
                })
            };
            let on_hash = EventListener::new(&gloo::utils::window(), "hashchange", move |_| {
                if let Some(events) = current() {
                    events.link();
                }
            });
            move || drop((on_key, on_paste, over, leave, on_drop, on_hash))
        });
    }
    *dragging
}
