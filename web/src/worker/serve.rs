//! The worker's life in a browser: greet, listen, step, rest. Not for what a step does.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::global;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageChannel, MessageEvent, MessagePort};

use super::{Session, bisect, import};
use crate::protocol::{FromWorker, ToWorker, greeting};

/// Serves the page that started this worker, for ever.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = global().unchecked_into();
    report_panics();
    let Ok(rest) = MessageChannel::new() else {
        post(&scope, &FromWorker::Panicked { message: "The browser has no MessageChannel.".to_owned() });
        return;
    };
    let session = Rc::new(RefCell::new(Session::default()));
    let resume = rest.port2();

    let on_message = {
        let (scope, session, resume) = (scope.clone(), Rc::clone(&session), resume.clone());
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(file) = event.data().dyn_ref::<File>() {
                let scope = scope.clone();
                return import::import(file.clone(), move |answer| post(&scope, answer));
            }
            let Some(message) = event.data().as_string().and_then(|text| serde_json::from_str::<ToWorker>(&text).ok())
            else {
                return;
            };
            if let ToWorker::Bisect(order) = &message {
                // Told as it goes on, not at the end.
                return bisect::run(order, |answer| post(&scope, answer));
            }
            let idle = !session.borrow().has_work();
            let answers = session.borrow_mut().take(message, js_sys::Date::now);
            answers.iter().for_each(|answer| post(&scope, answer));
            if idle && session.borrow().has_work() {
                wake(&resume);
            }
        })
    };
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();

    // A message to itself is a task of its own, so that the page's messages get their turn
    // between two steps; unlike a time-out it is not delayed.
    let on_step = {
        let scope = scope.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
            let answers = session.borrow_mut().step(js_sys::Date::now);
            answers.iter().for_each(|answer| post(&scope, answer));
            if session.borrow().has_work() {
                wake(&resume);
            }
        })
    };
    rest.port1().set_onmessage(Some(on_step.as_ref().unchecked_ref()));
    on_step.forget();

    // A failure to post means that the page is gone.
    let _ = scope.post_message(&JsValue::from_str(&greeting()));
}

fn wake(port: &MessagePort) {
    let _ = port.post_message(&JsValue::NULL);
}

fn post(scope: &DedicatedWorkerGlobalScope, message: &FromWorker) {
    if let Ok(text) = serde_json::to_string(message) {
        let _ = scope.post_message(&JsValue::from_str(&text));
    }
}

/// A panic ends the worker silently; the page must hear of it.
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let scope: DedicatedWorkerGlobalScope = global().unchecked_into();
        post(&scope, &FromWorker::Panicked { message: info.to_string() });
    }));
}
