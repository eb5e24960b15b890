//! The application: one state, the workers, and the events that belong to the page as a whole.
//! Not for what the columns show.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use schedlab_scenario::Scenario;
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::about::About;
use crate::center::Center;
use crate::clipboard;
use crate::events::{PageEvents, use_page_events};
use crate::follow::use_follow;
use crate::gallery::{Gallery, Welcome};
use crate::header::Header;
use crate::instant::{self, Instant};
use crate::left::{Left, Tab};
use crate::opening;
use crate::pool::{self, Pool};
use crate::protocol::{BUILD, ToWorker};
use crate::right::Right;
use crate::state::{Action, Edit, Lab, Message, Wanted};
use crate::store;
use crate::study::StudyCard;
use crate::sweep::{self, Plan, Sweep, SweepCard, use_sweep};
use crate::theme::use_theme;

/// A run that takes longer shows a bar and can be stopped.
const SLOW_MS: u32 = 200;

/// The page.
#[component]
pub fn App() -> Html {
    let lab = use_reducer(store::first);
    let theme = use_theme();
    let pool = use_pool(&lab);
    // Imports have a worker of their own, so that runs go on.
    let importer = use_pool(&lab);
    // Nobody starts from nothing: a first visit sees what there is to open.
    let welcome = use_state_eq(|| !lab.touched && !store::hash().starts_with("#s="));
    let gallery = use_state_eq(|| false);
    let link_length = use_follow(&lab);
    let slow = use_slow(&lab);
    let tab = use_state(|| Tab::Workload);

    let dispatch = {
        let dispatcher = lab.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let edit = {
        let dispatch = dispatch.clone();
        use_callback((), move |edit: Edit, ()| dispatch.emit(Action::Edit(edit)))
    };
    let start = {
        let (lab, pool, dispatch) = (lab.clone(), pool.clone(), dispatch.clone());
        Callback::from(move |scenario: Rc<Scenario>| {
            // Before it begins: the handle sees each change at once.
            let job = lab.next_job();
            dispatch.emit(Action::Begin);
            pool.run(job, &scenario.to_json(), scenario.variant_count());
        })
    };
    let run = {
        let (lab, pool, dispatch, tab, start) =
            (lab.clone(), pool.clone(), dispatch.clone(), tab.clone(), start.clone());
        Callback::from(move |()| match &lab.running {
            Some(running) if slow => pool.stop(running.job),
            _ => match applied(&lab, &dispatch) {
                Some(scenario) => start.emit(scenario),
                None => tab.set(Tab::Text),
            },
        })
    };
    let ask = {
        let pool = pool.clone();
        use_callback((), move |(variant, question): (usize, ToWorker), ()| pool.ask(variant, &question))
    };
    let share = {
        let (scenario, dispatch) = (Rc::clone(&lab.scenario), dispatch.clone());
        Callback::from(move |()| {
            let address = store::put_link(&scenario).map(|address| instant::split(&address).0.to_owned());
            copy_link(address, "the whole scenario", true, &dispatch);
        })
    };
    let on_link = {
        let (scenario, dispatch) = (Rc::clone(&lab.scenario), dispatch.clone());
        let run = lab.results.as_ref().map(|results| Rc::clone(&results.scenario));
        Callback::from(move |instant: Instant| {
            let Some(run) = &run else { return };
            // The address bar follows the scenario as it is now, which may not be the one that was run.
            let current = *run == scenario;
            let address = if current { store::put_instant(run, instant) } else { store::address_of(run, instant) };
            copy_link(address, "the whole scenario and this instant", current, &dispatch);
        })
    };
    let on_trace = {
        let importer = importer.clone();
        use_callback((), move |file: web_sys::File, ()| importer.import(&file))
    };
    let on_stop_import = {
        let dispatch = dispatch.clone();
        use_callback((), move |(), ()| {
            importer.give_up();
            dispatch.emit(Action::StopImport);
        })
    };
    let study = use_state_eq(|| None::<&'static str>);
    let on_open = {
        let (dispatch, start, gallery, welcome) = (dispatch.clone(), start.clone(), gallery.clone(), welcome.clone());
        Callback::from(move |(action, wanted): (Action, Option<Wanted>)| {
            gallery.set(false);
            welcome.set(false);
            let scenario = match &action {
                Action::Replace { scenario, .. } => Some(Rc::new((**scenario).clone())),
                _ => None,
            };
            dispatch.emit(action);
            if let Some(scenario) = scenario {
                start.emit(scenario);
                wanted.into_iter().for_each(|wanted| dispatch.emit(Action::Want(wanted)));
            }
        })
    };
    let on_study = {
        let (study, gallery, welcome) = (study.clone(), gallery.clone(), welcome.clone());
        Callback::from(move |name: Option<&'static str>| {
            gallery.set(false);
            welcome.set(false);
            study.set(name);
        })
    };
    let show_gallery = |shown: bool| {
        let gallery = gallery.clone();
        Callback::from(move |()| gallery.set(shown))
    };
    let hide_welcome = {
        let welcome = welcome.clone();
        Callback::from(move |()| welcome.set(false))
    };
    let sweep = use_reducer(Sweep::default);
    let on_sweep_event = use_sweep(&sweep);
    let on_sweep = {
        let (scenario, begin) = (Rc::clone(&lab.scenario), on_sweep_event.clone());
        Callback::from(move |plan: Plan| begin.emit((sweep::Event::Begin(plan), Some(Rc::clone(&scenario)))))
    };
    let sweeping = sweep.running;
    let on_event = Callback::from(move |event| on_sweep_event.emit((event, None)));
    let about = use_state_eq(|| false);
    let show_about = |shown: bool| {
        let about = about.clone();
        Callback::from(move |()| about.set(shown))
    };
    let above = html! {
        <>
            if *welcome && !lab.touched { <Welcome on_open={on_open.clone()} on_study={on_study.reform(Some)} on_close={hide_welcome} on_all={show_gallery(true)} /> }
            if let Some(name) = *study { <StudyCard {name} on_open={on_open.clone()} on_close={on_study.reform(|()| None)} /> }
            <SweepCard sweep={Rc::new((*sweep).clone())} {on_event} />
        </>
    };
    let dragging = use_page_events(PageEvents {
        on_trace: on_trace.clone(),
        run: run.clone(),
        dispatch: dispatch.clone(),
        ask: ask.clone(),
        lab: (*lab).clone(),
    });
    // Nobody starts from an empty page. An unfinished text is left alone.
    {
        let scenario = Rc::clone(&lab.scenario);
        use_effect_with((), move |()| start.emit(scenario));
    }

    let step = {
        let dispatch = dispatch.clone();
        use_callback((), move |back: bool, ()| dispatch.emit(if back { Action::Undo } else { Action::Redo }))
    };
    let on_file = {
        let dispatch = dispatch.clone();
        use_callback((), move |file, ()| opening::read_file(file, dispatch.clone(), on_trace.clone()))
    };
    let (theme, on_theme) = theme;
    let select_tab = {
        let tab = tab.clone();
        use_callback((), move |chosen: Tab, ()| tab.set(chosen))
    };
    let busy = slow && lab.running.is_some();
    html! {
        <div class="page">
            <a class="skip" href="#results" onclick={to_results()}>{ "Skip to the results" }</a>
            <Header title={lab.scenario.title.clone()} {link_length} can_undo={lab.can_undo()} can_redo={lab.can_redo()}
                progress={if busy { lab.progress() } else { None }} {theme} on_edit={edit.clone()} on_step={step}
                on_library={show_gallery(true)} on_about={show_about(true)} on_file={on_file} on_share={share} {on_theme} on_run={run} />
            <main class="columns">
                <Left scenario={Rc::clone(&lab.scenario)} text={lab.text.clone()} problems={lab.problems.clone()} {theme}
                    {sweeping} {on_sweep} tab={*tab} on_tab={select_tab} on_edit={edit} dispatch={dispatch.clone()} />
                <Center results={lab.results.clone()} message={lab.message.clone()} failure={lab.failure.clone()} list={lab.list.clone()}
                    timelines={Rc::clone(&lab.timelines)} cpu={lab.cpu} importing={lab.importing.clone()}
                    imported={lab.imported.clone()} {on_stop_import} {above}
                    stale={lab.results.as_ref().is_some_and(|results| results.scenario != lab.scenario)}
                    running={lab.running.is_some()} {theme} dispatch={dispatch.clone()} ask={ask.clone()} />
                <Right results={lab.results.clone()} list={lab.list.clone()} explained={lab.explained.clone()} cpu={lab.cpu} {theme}
                    {ask} {dispatch} {on_link} />
            </main>
            <div class="hidden" role="status" aria-live="polite">{ &lab.said }</div>
            if *about { <About on_close={show_about(false)} /> }
            if *gallery { <Gallery on_open={on_open} on_study={on_study.reform(Some)} on_close={show_gallery(false)} /> }
            if dragging { <div class="drop" aria-hidden="true">{ "Drop a scenario, an rt-app file or a trace" }</div> }
        </div>
    }
}

/// The scenario to run: an unfinished text counts when it can be read.
fn applied(lab: &Lab, dispatch: &Callback<Action>) -> Option<Rc<Scenario>> {
    let Some(text) = &lab.text else { return Some(Rc::clone(&lab.scenario)) };
    match schedlab_scenario::open(text) {
        Ok(opened) => {
            let scenario = Box::new(opened.scenario);
            dispatch.emit(Action::Replace { scenario: scenario.clone(), message: None, own: true });
            Some(Rc::from(scenario))
        }
        Err(_) => {
            dispatch.emit(Action::Say("The text has errors; nothing was run.".to_owned()));
            None
        }
    }
}

/// The skip link moves the focus without touching the address, which holds the scenario.
fn to_results() -> Callback<MouseEvent> {
    Callback::from(|event: MouseEvent| {
        event.prevent_default();
        let results = gloo::utils::document().get_element_by_id("results");
        if let Some(results) = results.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = results.focus();
        }
    })
}

/// Copies an address; `what` says what it holds, `in_bar` whether the address bar has it too.
fn copy_link(address: Option<String>, what: &'static str, in_bar: bool, dispatch: &Callback<Action>) {
    let Some(address) = address else { return };
    let dispatch = dispatch.clone();
    clipboard::copy(address, move |copied| {
        let title = match (copied, in_bar) {
            (true, _) => format!("The link is copied. It holds {what}."),
            (false, true) => format!("The link is in the address bar. It holds {what}."),
            (false, false) => "The browser did not let the page copy the link.".to_owned(),
        };
        dispatch.emit(Action::Tell(Message::note(title, Vec::new())));
    });
}

#[hook]
fn use_pool(lab: &UseReducerHandle<Lab>) -> Pool {
    let dispatcher = lab.dispatcher();
    let pool = use_memo((), move |()| {
        Pool::new(Callback::from(move |event| match event {
            pool::Event::Message(message) => dispatcher.dispatch(Action::Heard(message)),
            pool::Event::Broken(reason) => dispatcher.dispatch(Action::Broken(reason)),
            pool::Event::Stopped { job } => dispatcher.dispatch(Action::Stopped { job }),
            pool::Event::OtherBuild => {
                if !store::reload_once(BUILD) {
                    dispatcher.dispatch(Action::Broken(pool::OTHER_BUILD.to_owned()));
                }
            }
        }))
    });
    (*pool).clone()
}

/// Whether the run on its way takes a while.
#[hook]
fn use_slow(lab: &UseReducerHandle<Lab>) -> bool {
    let slow = use_state(|| 0_u32);
    let job = lab.running.as_ref().map(|running| running.job);
    {
        let slow = slow.clone();
        use_effect_with(job, move |job| {
            let timer = job.map(|job| Timeout::new(SLOW_MS, move || slow.set(job)));
            move || drop(timer)
        });
    }
    job == Some(*slow)
}
