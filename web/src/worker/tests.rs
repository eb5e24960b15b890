//! Tests of the worker's session, without a browser.

use std::cell::Cell;

use super::*;
use crate::example;

/// A clock that goes on by a millisecond each time it is read.
fn clock() -> impl Fn() -> f64 {
    let now = Cell::new(0.0);
    move || {
        now.set(now.get() + 1.0);
        now.get()
    }
}

fn run(session: &mut Session, variant: usize, document: String) -> Vec<FromWorker> {
    let now = clock();
    session.take(ToWorker::Run { job: 1, document, variant }, &now);
    let mut said = Vec::new();
    while session.has_work() {
        said.extend(session.step(&now));
    }
    said
}

fn report_of(said: &[FromWorker]) -> &schedlab_report::VariantReport {
    match said.last() {
        Some(FromWorker::Done { report, .. }) => report,
        other => panic!("it did not end well: {other:?}"),
    }
}

#[test]
fn every_repeat_has_a_hash_and_the_list_is_of_the_first() {
    let mut scenario = example::scenario();
    scenario.run.duration_ms = Some(50);
    let mut session = Session::default();
    let one = run(&mut session, 1, scenario.to_json());
    let all = |session: &mut Session| {
        session.take(ToWorker::Switches { variant: 1, filter: Filter::All, from: 0, count: 9_999 }, clock())
    };
    let list = all(&mut session);
    scenario.run.repeats = 3;
    let three = run(&mut session, 1, scenario.to_json());
    assert_eq!(report_of(&three).hash.len(), 3);
    assert_eq!(report_of(&three).hash[0], report_of(&one).hash[0]);
    assert_eq!(all(&mut session), list);
}

#[test]
fn the_list_agrees_with_the_report() {
    let mut session = Session::default();
    let said = run(&mut session, 0, example::scenario().to_json());
    let report = report_of(&said).clone();
    let mut total =
        |filter| match session.take(ToWorker::Switches { variant: 0, filter, from: 0, count: 0 }, clock()).pop() {
            Some(FromWorker::Switches { total, .. }) => total as f64,
            other => panic!("unexpected: {other:?}"),
        };
    assert_eq!(total(Filter::All), report.cpus.iter().map(|cpu| cpu.switches).sum::<f64>());
    let preempted: f64 = report.tasks.iter().map(|task| task.preempted - task.yields).sum();
    assert_eq!(total(Filter::Preemptions), preempted);
}

#[test]
fn walking_to_the_end_and_back_meets_the_same_preemptions() {
    let mut session = Session::default();
    run(&mut session, 1, example::scenario().to_json());
    let mut find = |from, forward| match session
        .take(ToWorker::Find { variant: 1, filter: Filter::All, from, forward }, clock())
        .pop()
    {
        Some(FromWorker::Found { place, .. }) => place,
        other => panic!("unexpected: {other:?}"),
    };
    let mut there = Vec::new();
    let mut at = find(None, true);
    while let Some(place) = at {
        there.push(place);
        at = find(Some(place), true);
    }
    assert!(there.len() > 100);
    let mut back = Vec::new();
    let mut at = find(None, false);
    while let Some(place) = at {
        back.push(place);
        at = find(Some(place), false);
    }
    back.reverse();
    assert_eq!(there, back);
}

#[test]
fn a_point_of_a_sweep_is_a_run_with_its_values_set() {
    let mut scenario = example::scenario();
    scenario.run.duration_ms = Some(100);
    let mut session = Session::default();
    let measure = |session: &mut Session, point: usize, value: &str| {
        let settings = vec![("workload.tasks.hog.instance".to_owned(), value.to_owned())];
        let document = scenario.to_json();
        session.take(ToWorker::Measure { job: 3, point, document, variant: 1, settings, repeats: 2 }, clock());
        let mut said = Vec::new();
        while session.has_work() {
            said.extend(session.step(clock()));
        }
        said
    };
    let said = measure(&mut session, 7, "2");
    let [FromWorker::Measured { job: 3, point: 7, figures }] = said.as_slice() else { panic!("not measured") };
    let figure = figures.iter().find(|(name, ..)| name == "tasks.hog.preempted").expect("a figure");
    let mut same = scenario.clone();
    same.set("workload.tasks.hog.instance", "2").expect("a count");
    same.run.repeats = 2;
    let said = run(&mut Session::default(), 1, same.to_json());
    assert_eq!(figure.1, report_of(&said).tasks[0].preempted);
    assert!(figure.2.is_some() && session.finished.is_empty());
    let said = measure(&mut session, 8, "many");
    assert!(matches!(said.as_slice(), [FromWorker::Failed { variant: 8, problems, .. }] if !problems.is_empty()));
}

#[test]
fn an_experiment_is_planned_run_and_concluded_as_by_the_command() {
    use schedlab_report::{Expressions, Subject, summarize};
    let (job, name) = (4, "respect-slice");
    let experiment = || name.to_owned();
    let mut session = Session::default();
    let said = session.take(ToWorker::Plan { job, experiment: experiment() }, clock());
    let [FromWorker::Planned { plan, .. }] = said.as_slice() else { panic!("no plan") };
    assert!(plan.runs.len() > 1 && !plan.looks.is_empty() && !plan.reported.rows.is_empty());
    // One run, through the worker and directly.
    let run = plan.runs.last().cloned().expect("a run");
    let number = plan.runs.len() - 1;
    session.take(ToWorker::Observe { job, experiment: experiment(), number, run: run.clone() }, clock());
    let mut said = Vec::new();
    while session.has_work() {
        said.extend(session.step(clock()));
    }
    let [FromWorker::Observed { number: of, variant: key, figures, .. }] = said.as_slice() else {
        panic!("not observed")
    };
    assert_eq!(*of, number);
    let content = schedlab_scenario::library::experiment(name).expect("it is there").content().expect("it opens");
    let part = content.parts.iter().find(|part| part.name == run.part).expect("its part");
    let variant = part.scenario.variant(run.variant).expect("its variant");
    let mut prepared = variant.scenario.prepare(run.repeat).expect("it prepares");
    prepared.input.record_budget = 0;
    let subject = Subject::of(&variant.name, &prepared);
    let mut simulation = schedlab_sim::Simulation::new(prepared.input).expect("it begins");
    simulation.run_until(schedlab_sim::Limit::end()).expect("it ends");
    let report = summarize(&subject, &[simulation.finish()]);
    let expressions = Expressions::of(&content).expect("they read");
    let read = expressions.read(key, &report).expect("its figures");
    assert_eq!(*figures, read.into_iter().collect::<Vec<_>>());
    // A table needs the figures of all runs.
    let said = session.take(ToWorker::Conclude { job, experiment: experiment(), figures: Vec::new() }, clock());
    assert!(matches!(said.as_slice(), [FromWorker::Failed { job: 4, problems, .. }] if !problems.is_empty()));
    let said = session.take(ToWorker::Plan { job, experiment: "no such".to_owned() }, clock());
    assert!(matches!(said.as_slice(), [FromWorker::Failed { .. }]));
}

#[test]
fn a_document_is_checked_and_linked() {
    let mut session = Session::default();
    let scenario = example::scenario();
    let said = session.take(ToWorker::Check { job: 7, document: scenario.to_json() }, clock());
    let link = link::encode(&scenario);
    assert_eq!(said, [FromWorker::Checked { job: 7, problems: Vec::new(), link }]);
    let text = r#"{"schema": 1, "workload": {"tasks": {"a": {"run": 1, "lock": "m"}, "b": {"unlock": "m"}}}}"#;
    let said = session.take(ToWorker::Check { job: 8, document: text.to_owned() }, clock());
    assert!(matches!(said.as_slice(), [FromWorker::Checked { job: 8, problems, .. }] if !problems.is_empty()));
    let said = session.take(ToWorker::Check { job: 9, document: "{".to_owned() }, clock());
    assert!(matches!(said.as_slice(), [FromWorker::Failed { job: 9, .. }]));
}

#[test]
fn what_an_experiment_shows_is_found_in_its_run() {
    for name in ["respect-slice", "spec-2x"] {
        let mut session = Session::default();
        let said = session.take(ToWorker::Plan { job: 9, experiment: name.to_owned() }, clock());
        let [FromWorker::Planned { plan, .. }] = said.as_slice() else { panic!("no plan") };
        for look in &plan.looks {
            let mut session = Session::default();
            run(&mut session, look.variant, look.document.clone());
            let seek = ToWorker::Seek { variant: look.variant, sought: look.sought.clone() };
            let said = session.take(seek, clock());
            let [FromWorker::Found { place: Some(place), .. }] = said.as_slice() else { panic!("{}", look.text) };
            let one = ToWorker::Switches { variant: look.variant, filter: Filter::All, from: *place, count: 1 };
            let Some(FromWorker::Switches { switches, .. }) = session.take(one, clock()).pop() else {
                panic!("no switches")
            };
            assert_eq!(switches[0].reason, look.sought.reason);
            assert!(switches[0].at_ns >= look.sought.from_ns);
        }
    }
}

#[test]
fn an_old_job_is_dropped_with_all_it_knew() {
    let mut session = Session::default();
    run(&mut session, 0, example::scenario().to_json());
    session.take(ToWorker::Run { job: 2, document: example::scenario().to_json(), variant: 1 }, clock());
    let ask = ToWorker::Switches { variant: 0, filter: Filter::All, from: 0, count: 1 };
    assert!(session.take(ask, clock()).is_empty());
    assert_eq!(session.take(ToWorker::Cancel { job: 2 }, clock()), [FromWorker::Stopped { job: 2 }]);
    assert!(!session.has_work());
}

#[test]
fn every_switch_is_explained_with_its_queue() {
    let mut session = Session::default();
    for variant in [0, 1] {
        let mut scenario = example::scenario();
        scenario.run.duration_ms = Some(100);
        run(&mut session, variant, scenario.to_json());
        let list = ToWorker::Switches { variant, filter: Filter::All, from: 0, count: 9_999 };
        let Some(FromWorker::Switches { switches, .. }) = session.take(list, clock()).pop() else {
            panic!("no switches")
        };
        assert!(switches.len() > 20);
        for switch in switches {
            let at_ns = switch.at_ns;
            let Some(FromWorker::Explained(explained)) =
                session.take(ToWorker::Explain { variant, cpu: 0, at_ns }, clock()).pop()
            else {
                panic!("no explanation")
            };
            assert_eq!((explained.explanation.at_ns, explained.variant), (at_ns, variant));
            let name = |who: &Option<crate::protocol::Who>| who.as_ref().map(|who| who.name.clone());
            let moment = explained.explanation.moments.iter().rfind(|moment| moment.what == "schedule");
            let moment = moment.expect("schedule() was entered");
            assert_eq!((&moment.prev, &moment.next), (&name(&switch.prev), &name(&switch.next)), "{at_ns}");
            assert_eq!(moment.reason.as_ref(), Some(&switch.reason));
            for entity in moment.queues.iter().flat_map(|queue| &queue.entities) {
                assert!(explained.tasks.iter().any(|task| task.name == entity.name && task.kind.is_some()));
            }
        }
    }
}

#[test]
fn a_switch_is_found_by_its_instant() {
    let mut session = Session::default();
    run(&mut session, 1, example::scenario().to_json());
    let list = ToWorker::Switches { variant: 1, filter: Filter::All, from: 0, count: 9_999 };
    let Some(FromWorker::Switches { switches, .. }) = session.take(list, clock()).pop() else { panic!("no switches") };
    let mut locate = |at_ns| match session
        .take(ToWorker::Locate { variant: 1, filter: Filter::All, cpu: 0, at_ns }, clock())
        .pop()
    {
        Some(FromWorker::Found { place, .. }) => place,
        other => panic!("unexpected: {other:?}"),
    };
    for place in [1, 70, switches.len() - 1] {
        assert_eq!(locate(switches[place].at_ns), Some(place));
        assert_eq!(locate(switches[place].at_ns - 1), Some(place - 1));
    }
    assert_eq!(locate(u64::MAX), Some(switches.len() - 1));
}

/// Two hogs and a sleeper on two cores of two threads, each with a cookie of its own.
fn three_cookies() -> schedlab_scenario::Scenario {
    let text = r#"{
        "schema": 1,
        "machine": {"cores_per_llc": 2, "threads_per_core": 2},
        "kernel": {"release": "6.12", "core_sched": "mainline"},
        "workload": {"tasks": {
            "a": {"instance": 3, "run": 10000, "cookie": 1},
            "b": {"instance": 3, "run": 10000, "cookie": 2},
            "c": {"run": 300, "sleep": 700, "cookie": 3}
        }},
        "run": {"duration_ms": 400}
    }"#;
    schedlab_scenario::open(text).expect("a scenario").scenario
}

fn timeline(session: &mut Session, from_ns: u64, to_ns: u64) -> Timeline {
    let ask = ToWorker::Timeline { variant: 0, from_ns, to_ns, width_px: 700, cpus: vec![0, 1, 2, 3] };
    match session.take(ask, clock()).pop() {
        Some(FromWorker::Timeline(timeline)) => *timeline,
        other => panic!("unexpected: {other:?}"),
    }
}

#[test]
fn the_timeline_agrees_with_the_report() {
    let mut session = Session::default();
    let said = run(&mut session, 0, three_cookies().to_json());
    let report = report_of(&said).clone();
    let told = timeline(&mut session, 0, 400_000_000);
    let mut forced_ns = 0;
    for (row, cpu) in told.rows.iter().zip(&report.cpus) {
        assert_eq!(row.busy_ns, cpu.busy_ns, "CPU {}", row.cpu);
        assert_eq!(row.forced_idle_ns, cpu.forced_idle_ns, "CPU {}", row.cpu);
        forced_ns += row.forced_idle_ns;
    }
    assert!(forced_ns > 10_000_000, "{forced_ns}");
    let migrations: f64 = report.tasks.iter().map(|task| task.migrations).sum();
    let arrivals: u32 = told.rows.iter().map(|row| row.arrivals).sum();
    assert!(f64::from(arrivals) <= migrations && arrivals > 0, "{arrivals} of {migrations}");
}

#[test]
fn a_closer_look_has_the_same_runs() {
    let mut session = Session::default();
    run(&mut session, 0, three_cookies().to_json());
    let whole = timeline(&mut session, 100_000_000, 104_000_000);
    let halves = [timeline(&mut session, 100_000_000, 102_000_000), timeline(&mut session, 102_000_000, 104_000_000)];
    for (place, row) in whole.rows.iter().enumerate() {
        let of = |sum: fn(&crate::protocol::TimelineRow) -> u64| {
            halves.iter().map(|half| sum(&half.rows[place])).sum::<u64>()
        };
        assert_eq!(row.busy_ns, of(|row| row.busy_ns));
        assert_eq!(row.forced_idle_ns, of(|row| row.forced_idle_ns));
        assert_eq!(u64::from(row.runs), of(|row| u64::from(row.runs)));
    }
    for task in whole.rows.iter().flat_map(|row| &row.pieces).filter_map(|piece| piece.task) {
        assert!(whole.tasks.iter().any(|(number, who)| *number == task && who.kind.is_some()));
    }
}

#[test]
fn switches_of_every_cpu_follow_each_other() {
    let mut session = Session::default();
    run(&mut session, 0, three_cookies().to_json());
    let list = ToWorker::Switches { variant: 0, filter: Filter::All, from: 0, count: 9_999 };
    let Some(FromWorker::Switches { switches, .. }) = session.take(list, clock()).pop() else { panic!("no switches") };
    let mut running = vec![(None, 0); 4];
    for switch in &switches {
        let (before, since_ns) =
            std::mem::replace(&mut running[usize::from(switch.cpu)], (switch.next.clone(), switch.at_ns));
        assert_eq!((switch.prev.clone(), switch.ran_ns), (before, switch.at_ns - since_ns));
    }
    assert!(switches.iter().any(|switch| switch.came_from.is_some()));
}
