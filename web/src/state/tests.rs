//! Tests of the page's state: history, runs, messages, the selection.

use super::*;

fn lab() -> Rc<Lab> {
    Rc::new(Lab::new(Scenario::default(), None, None, false))
}

fn title(lab: &Rc<Lab>, field: &str, text: &str) -> Rc<Lab> {
    let text = text.to_owned();
    Rc::clone(lab).reduce(Action::Edit(Edit::new(field, move |scenario| scenario.title = text)))
}

#[test]
fn changes_of_one_field_are_one_step_back() {
    let lab = title(&title(&title(&lab(), "title", "a"), "title", "ab"), "other", "c");
    let back = Rc::clone(&lab).reduce(Action::Undo);
    assert_eq!(back.scenario.title, "ab");
    let start = Rc::clone(&back).reduce(Action::Undo);
    assert_eq!((start.scenario.title.as_str(), start.can_undo()), ("", false));
    let again = start.reduce(Action::Redo).reduce(Action::Redo);
    assert_eq!((again.scenario.title.as_str(), again.can_redo()), ("c", false));
}

#[test]
fn a_change_that_changes_nothing_is_no_step() {
    assert!(!title(&lab(), "title", "").can_undo());
}

#[test]
fn a_new_change_ends_the_way_forward() {
    let back = title(&lab(), "title", "a").reduce(Action::Undo);
    assert!(back.can_redo() && !title(&back, "title", "b").can_redo());
}

#[test]
fn an_opened_scenario_can_be_undone_and_is_not_yet_the_draft() {
    let draft = title(&lab(), "title", "mine");
    let scenario = Box::new(Scenario { title: "theirs".to_owned(), ..Scenario::default() });
    let opened = Rc::clone(&draft).reduce(Action::Replace { scenario, message: None, own: false });
    assert!(!opened.touched);
    assert_eq!(opened.reduce(Action::Undo).scenario, draft.scenario);
}

#[test]
fn messages_of_an_earlier_run_are_ignored() {
    let lab = lab().reduce(Action::Begin).reduce(Action::Begin);
    let late = FromWorker::Failed { job: 1, variant: 0, problems: Vec::new() };
    let lab = lab.reduce(Action::Heard(late));
    assert!(lab.running.is_some() && lab.failure.is_none());
}

#[test]
fn a_failed_run_keeps_the_results_and_what_was_told() {
    let lab = lab().reduce(Action::Tell(Message::error("a bad link", Vec::new()))).reduce(Action::Begin);
    let failed = lab.reduce(Action::Heard(FromWorker::Failed { job: 1, variant: 0, problems: Vec::new() }));
    assert!(failed.running.is_none() && failed.failure.is_some());
    let again = failed.reduce(Action::Begin).reduce(Action::Heard(FromWorker::Done {
        job: 2,
        variant: 0,
        report: Box::default(),
        notices: Vec::new(),
        took_ms: 1.0,
    }));
    assert!(again.failure.is_none() && again.results.is_some());
    assert_eq!(again.message.as_ref().map(|message| message.title.as_str()), Some("a bad link"));
}

#[test]
fn a_run_is_done_when_every_variant_is() {
    let done = |variant: usize| {
        let report = Box::new(VariantReport { name: variant.to_string(), ..VariantReport::default() });
        Action::Heard(FromWorker::Done { job: 1, variant, report, notices: Vec::new(), took_ms: 1.0 })
    };
    let release = |name: &str| schedlab_scenario::Variant {
        name: Some(name.to_owned()),
        patch: schedlab_scenario::json::Value::object(),
    };
    let scenario = Scenario { variants: vec![release("a"), release("b")], ..Scenario::default() };
    let lab = Rc::new(Lab::new(scenario, None, None, false)).reduce(Action::Begin);
    let half = lab.reduce(done(1));
    assert_eq!((half.progress(), half.results.is_some()), (Some(0.5), false));
    let all = half.reduce(done(0));
    let names: Vec<String> = all.results.iter().flat_map(|r| &r.reports).map(|r| r.name.clone()).collect();
    assert_eq!((names, all.running.is_some()), (vec!["0".to_owned(), "1".to_owned()], false));
}

#[test]
fn the_selected_switch_is_taken_from_those_at_hand() {
    let switch = |at_ns| Switch {
        at_ns,
        came_from: None,
        cpu: 0,
        prev: None,
        next: None,
        reason: "block".to_owned(),
        ran_ns: 0,
        waited_ns: 0,
        woken: false,
    };
    let mut lab = Lab::new(Scenario::default(), None, None, false);
    lab.list = List { from: 10, switches: vec![switch(5), switch(6)], ..List::default() };
    let lab = Rc::new(lab).reduce(Action::Select(11));
    assert_eq!(lab.list.selected.as_ref().map(|s| s.at_ns), Some(6));
    let far = lab.reduce(Action::Select(900));
    assert_eq!((far.list.place, far.list.selected.as_ref().map(|s| s.at_ns)), (Some(900), Some(6)));
}

/// A page whose run of one variant is done.
fn done(lab: Rc<Lab>) -> Rc<Lab> {
    let job = lab.next_job();
    let report = Box::default();
    let finished = FromWorker::Done { job, variant: 0, report, notices: Vec::new(), took_ms: 1.0 };
    lab.reduce(Action::Begin).reduce(Action::Heard(finished))
}

#[test]
fn a_wanted_instant_waits_for_the_run_and_is_forgotten_once_found() {
    let wanted = Wanted::At(Instant { variant: 0, cpu: 0, at_ns: 7 });
    let before = lab().reduce(Action::Want(wanted.clone()));
    let after = done(before);
    assert_eq!((after.list.wanted.clone(), after.list.place), (Some(wanted.clone()), None));
    let found = FromWorker::Found { variant: 0, filter: Filter::All, place: Some(4) };
    let found = after.reduce(Action::Heard(found));
    assert_eq!((found.list.wanted.clone(), found.list.place), (None, Some(4)));
    // Another instant of the same run starts the list anew, at once.
    let again = found.reduce(Action::Want(wanted.clone()));
    assert_eq!((again.list.wanted.clone(), again.list.place), (Some(wanted), None));
    assert_eq!(title(&again, "title", "another scenario").list.wanted, None);
}

#[test]
fn explanations_of_an_earlier_run_are_ignored() {
    let explained = |job| {
        FromWorker::Explained(Box::new(Explained {
            job,
            variant: 0,
            cpu: 0,
            at_ns: 7,
            explanation: schedlab_report::Explanation::default(),
            tasks: Vec::new(),
            took_ms: 0.5,
        }))
    };
    let lab = done(done(lab()));
    assert_eq!(Rc::clone(&lab).reduce(Action::Heard(explained(1))).explained, None);
    let lab = lab.reduce(Action::Heard(explained(2)));
    assert_eq!(lab.explained.as_ref().map(|e| e.at_ns), Some(7));
    assert_eq!(done(lab).explained, None, "a new run has other instants");
}
