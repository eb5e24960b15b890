//! What follows the scenario a moment after it has changed: the link in the address bar, the draft,
//! and what is wrong with it. Long documents are checked by a worker, so that the page goes on. Not
//! for opening anything.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use schedlab_scenario::{Problem, link};
use yew::prelude::*;

use crate::pool::Pool;
use crate::protocol::{FromWorker, ToWorker};
use crate::state::{Action, Lab};
use crate::store;

/// After this long without a change everything follows.
const SETTLE_MS: u32 = 250;

/// A document of more bytes takes too long to be checked here.
const LONG: usize = 64 * 1024;

/// What a worker was asked last: the number of the question, and whether the scenario is the user's.
#[derive(Clone, Copy, Default)]
struct Asked {
    job: u32,
    touched: bool,
}

/// A link that did not open stays in the address bar until something changes.
fn put(link: &str, touched: bool) {
    if touched || !store::hash().starts_with("#s=") {
        store::put_made_link(link);
    }
}

/// Lets the link, the draft and the problems follow the scenario; answers the link's length.
#[hook]
pub(crate) fn use_follow(lab: &UseReducerHandle<Lab>) -> usize {
    let length = use_state(|| 0_usize);
    let asked = use_mut_ref(Asked::default);
    let checked = {
        let (length, dispatcher) = (length.setter(), lab.dispatcher());
        use_callback((), move |(link, problems, touched): (String, Vec<Problem>, bool), ()| {
            put(&link, touched);
            length.set(link.len());
            dispatcher.dispatch(Action::Checked(problems));
        })
    };
    let pool = {
        let (asked, checked) = (asked.clone(), checked.clone());
        use_memo((), move |()| {
            // Without a worker the link stays what it was; a run says that workers fail.
            Pool::plain(Callback::from(move |heard| {
                let Asked { job, touched } = *asked.borrow();
                if let Ok(FromWorker::Checked { job: of, problems, link }) = heard
                    && of == job
                {
                    checked.emit((link, problems, touched));
                }
            }))
        })
    };
    use_effect_with((Rc::clone(&lab.scenario), lab.touched), move |(scenario, touched)| {
        let (scenario, touched) = (Rc::clone(scenario), *touched);
        let settle = Timeout::new(SETTLE_MS, move || {
            let document = scenario.to_json();
            if touched {
                store::keep_draft(&document);
            }
            let job = asked.borrow().job + 1;
            *asked.borrow_mut() = Asked { job, touched };
            if document.len() > LONG {
                return pool.alone(&ToWorker::Check { job, document });
            }
            pool.give_up();
            let problems = schedlab_scenario::open(&document).err().unwrap_or_default();
            checked.emit((link::encode(&scenario), problems, touched));
        });
        move || drop(settle)
    });
    // What was kept earlier stays until something else is typed.
    let kept = use_mut_ref(|| lab.text.clone());
    use_effect_with(lab.text.clone(), move |text| {
        if *kept.borrow() != *text {
            store::keep_text(text.as_ref());
            kept.borrow_mut().clone_from(text);
        }
    });
    *length
}
