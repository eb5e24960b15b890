//! The page's workers: one for each variant up to the machine's cores, kept as long as their
//! switches may be asked for. Starts, greets, stops and replaces them.
//! Not for what the messages mean to the page.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, File, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use crate::protocol::{FromWorker, ToWorker, is_greeting, is_our_greeting};

/// The script that Trunk makes for the worker.
const SCRIPT: &str = "schedlab-worker_loader.js";

/// How long a worker may take to greet.
const READY_MS: u32 = 20_000;

/// How long a worker may take to stop before it is ended.
const STOP_MS: u32 = 70;

/// What is told of workers of another build.
pub const OTHER_BUILD: &str = "The page and its worker are of different versions. Reload the page.";

/// What the pool tells the page.
#[derive(Debug)]
pub enum Event {
    /// A worker said something.
    Message(FromWorker),
    /// A worker does not start or has failed, with the reason in plain words.
    Broken(String),
    /// The worker's script is of another build than the page.
    OtherBuild,
    /// The job was given up.
    Stopped {
        /// The job.
        job: u32,
    },
}

/// One worker.
struct Hand {
    worker: Worker,
    greeted: bool,
    /// What waits for the greeting.
    held: Vec<JsValue>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
    ready: Option<Timeout>,
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

#[derive(Default)]
struct Inner {
    hands: Vec<Option<Hand>>,
    /// The job that is being stopped, and when patience ends.
    stopping: Option<(u32, usize, Timeout)>,
}

/// The workers; clones are the same workers.
#[derive(Clone)]
pub struct Pool {
    inner: Rc<RefCell<Inner>>,
    tell: Callback<Event>,
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Pool {
    /// A pool without workers; `tell` hears everything.
    #[must_use]
    pub fn new(tell: Callback<Event>) -> Self {
        Self { inner: Rc::default(), tell }
    }

    /// A pool that tells messages, and in words why there will be none.
    #[must_use]
    pub fn plain(heard: Callback<Result<FromWorker, String>>) -> Self {
        Self::new(Callback::from(move |event| match event {
            Event::Message(message) => heard.emit(Ok(message)),
            Event::Broken(reason) => heard.emit(Err(reason)),
            Event::OtherBuild => heard.emit(Err(OTHER_BUILD.to_owned())),
            Event::Stopped { .. } => {}
        }))
    }

    /// Runs every variant of a document.
    pub fn run(&self, job: u32, document: &str, variants: usize) {
        self.inner.borrow_mut().stopping = None;
        let cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let wanted = variants.clamp(1, (cores as usize).max(1));
        self.inner.borrow_mut().hands.resize_with(wanted, || None);
        for variant in 0..variants {
            self.send(variant, &ToWorker::Run { job, document: document.to_owned(), variant });
        }
    }

    /// Spreads orders over as many new workers as there are cores.
    pub fn spread(&self, orders: &[ToWorker]) {
        self.give_up();
        let cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let wanted = orders.len().clamp(1, (cores as usize).max(1));
        self.inner.borrow_mut().hands.resize_with(wanted, || None);
        for (place, order) in orders.iter().enumerate() {
            self.send(place, order);
        }
    }

    /// Sends a question about a variant to the worker that ran it.
    pub fn ask(&self, variant: usize, question: &ToWorker) {
        self.send(variant, question);
    }

    /// Gives a job up; workers that do not answer at once are ended.
    pub fn stop(&self, job: u32) {
        let hands = self.inner.borrow().hands.len();
        for hand in 0..hands {
            self.send(hand, &ToWorker::Cancel { job });
        }
        let pool = self.clone();
        let patience = Timeout::new(STOP_MS, move || {
            let pending = pool.inner.borrow_mut().stopping.take();
            if pending.is_some() {
                pool.inner.borrow_mut().hands.clear();
                pool.tell.emit(Event::Stopped { job });
            }
        });
        self.inner.borrow_mut().stopping = Some((job, hands, patience));
    }

    /// Lets a worker import a trace, and give up the one before.
    pub fn import(&self, file: &File) {
        self.give_up();
        self.inner.borrow_mut().hands.resize_with(1, || None);
        self.post(0, file);
    }

    /// Gives a worker of its own something to do, and gives up what was before.
    pub fn alone(&self, message: &ToWorker) {
        self.give_up();
        self.inner.borrow_mut().hands.resize_with(1, || None);
        self.send(0, message);
    }

    /// Ends all workers, whatever they do.
    pub fn give_up(&self) {
        self.inner.borrow_mut().hands.clear();
    }

    fn send(&self, variant: usize, message: &ToWorker) {
        if let Ok(text) = serde_json::to_string(message) {
            self.post(variant, &JsValue::from_str(&text));
        }
    }

    fn post(&self, variant: usize, message: &JsValue) {
        let count = self.inner.borrow().hands.len();
        if count == 0 {
            return;
        }
        let place = variant % count;
        let missing = self.inner.borrow().hands[place].is_none();
        if missing {
            match self.hire(place) {
                Ok(hand) => self.inner.borrow_mut().hands[place] = Some(hand),
                Err(_) => return self.tell.emit(Event::Broken("This browser does not start workers.".to_owned())),
            }
        }
        let mut inner = self.inner.borrow_mut();
        if let Some(Some(hand)) = inner.hands.get_mut(place) {
            if hand.greeted {
                // A worker that was ended meanwhile has told so already.
                let _ = hand.worker.post_message(message);
            } else {
                hand.held.push(message.clone());
            }
        }
    }

    fn hire(&self, place: usize) -> Result<Hand, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        // Relative to the page, so that a page under a sub-path finds it.
        let base = gloo::utils::document().base_uri()?.unwrap_or_default();
        let address = web_sys::Url::new_with_base(SCRIPT, &base)?.href();
        let worker = Worker::new_with_options(&address, &options)?;

        let pool = self.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                pool.hear(place, &text);
            }
        });
        let pool = self.clone();
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            let reason = match event.message() {
                text if text.is_empty() => "its script cannot be loaded".to_owned(),
                text => text,
            };
            pool.broken(place, format!("A worker failed: {reason}."));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let pool = self.clone();
        let ready = Timeout::new(READY_MS, move || {
            pool.broken(place, format!("A worker did not start within {} s.", READY_MS / 1000));
        });
        Ok(Hand {
            worker,
            greeted: false,
            held: Vec::new(),
            _on_message: on_message,
            _on_error: on_error,
            ready: Some(ready),
        })
    }

    fn hear(&self, place: usize, text: &str) {
        if is_greeting(text) {
            if !is_our_greeting(text) {
                return self.tell.emit(Event::OtherBuild);
            }
            let mut inner = self.inner.borrow_mut();
            if let Some(Some(hand)) = inner.hands.get_mut(place) {
                hand.greeted = true;
                hand.ready = None;
                for held in std::mem::take(&mut hand.held) {
                    let _ = hand.worker.post_message(&held);
                }
            }
            return;
        }
        match serde_json::from_str(text) {
            Ok(FromWorker::Stopped { job }) => self.stopped(job),
            Ok(FromWorker::Panicked { message }) => {
                self.broken(place, format!("The simulation failed: {message}"));
            }
            Ok(message) => self.tell.emit(Event::Message(message)),
            Err(error) => self.broken(place, format!("A worker said something unexpected: {error}.")),
        }
    }

    fn stopped(&self, job: u32) {
        let mut inner = self.inner.borrow_mut();
        let Some((expected, left, _)) = &mut inner.stopping else { return };
        if *expected != job {
            return;
        }
        *left = left.saturating_sub(1);
        if *left == 0 {
            inner.stopping = None;
            drop(inner);
            self.tell.emit(Event::Stopped { job });
        }
    }

    /// Ends a worker that is of no more use; the next run hires another.
    fn broken(&self, place: usize, reason: String) {
        let hand = self.inner.borrow_mut().hands.get_mut(place).and_then(Option::take);
        // Dropping it here would free the very closure that is running.
        if let Some(hand) = hand {
            hand.worker.terminate();
            Timeout::new(0, move || drop(hand)).forget();
        }
        self.tell.emit(Event::Broken(reason));
    }
}
