//! The page's parts in a real browser: messages through the worker's session, links in the
//! address bar, the draft in the browser's storage, charts on a canvas.
//! The whole page with its workers is tested in `tests/page`.
#![cfg(target_arch = "wasm32")]

use gloo::storage::{LocalStorage, Storage};
use schedlab_view::curve::{Point, Steps};
use schedlab_view::picture::{Columns, Curves, Rows};
use schedlab_view::{Colour, Picture, Theme};
use schedlab_web::protocol::{Filter, FromWorker, ToWorker};
use schedlab_web::worker::Session;
use schedlab_web::{charts, example, store};
use wasm_bindgen::{Clamped, JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

wasm_bindgen_test_configure!(run_in_browser);

/// Passes a message on as text, as the page and the worker do.
fn send(session: &mut Session, message: &ToWorker) -> Vec<FromWorker> {
    let text = serde_json::to_string(message).expect("a message");
    let answers = session.take(serde_json::from_str(&text).expect("the same message"), js_sys::Date::now);
    answers.iter().map(over_the_wire).collect()
}

fn over_the_wire(answer: &FromWorker) -> FromWorker {
    serde_json::from_str(&serde_json::to_string(answer).expect("an answer")).expect("the same answer")
}

fn run_to_the_end(session: &mut Session) -> Vec<FromWorker> {
    let mut said = Vec::new();
    while session.has_work() {
        said.extend(session.step(js_sys::Date::now).iter().map(over_the_wire));
    }
    said
}

#[wasm_bindgen_test]
fn a_variant_runs_and_answers_questions_about_its_switches() {
    let mut session = Session::default();
    let document = example().to_json();
    send(&mut session, &ToWorker::Run { job: 1, document, variant: 1 });
    let said = run_to_the_end(&mut session);
    let Some(FromWorker::Done { report, variant: 1, job: 1, .. }) = said.last() else {
        panic!("it did not end well: {said:?}")
    };
    assert_eq!((report.release.as_str(), report.tasks.len(), report.hash.len()), ("6.12", 2, 1));
    let switches: f64 = report.cpus.iter().map(|cpu| cpu.switches).sum();

    let ask = ToWorker::Switches { variant: 1, filter: Filter::All, from: 10, count: 5 };
    let answers = send(&mut session, &ask);
    let [FromWorker::Switches { total, from: 10, switches: rows, .. }] = answers.as_slice() else {
        panic!("unexpected: {answers:?}")
    };
    assert_eq!((*total as f64, rows.len()), (switches, 5));
    assert!(rows.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns && pair[0].next == pair[1].prev));

    let ask = ToWorker::Explain { variant: 1, cpu: 0, at_ns: rows[3].at_ns };
    let answers = send(&mut session, &ask);
    let [FromWorker::Explained(explained)] = answers.as_slice() else { panic!("unexpected: {answers:?}") };
    let moments = &explained.explanation.moments;
    assert!(moments.iter().any(|moment| moment.what == "schedule" && !moment.sentences.is_empty()));
    assert!(explained.took_ms < 200.0, "{} ms", explained.took_ms);

    let find = ToWorker::Find { variant: 1, filter: Filter::All, from: Some(10), forward: true };
    let answers = send(&mut session, &find);
    let [FromWorker::Found { place: Some(place), .. }] = answers.as_slice() else { panic!("unexpected: {answers:?}") };
    assert!(*place > 10);
}

/// The example on eight CPUs of four cores, where two cookies may not share one.
fn eight_cpus() -> schedlab_scenario::Scenario {
    let mut scenario = example();
    for (path, value) in [
        ("machine.cores_per_llc", "4"),
        ("machine.threads_per_core", "2"),
        ("kernel.core_sched", "mainline"),
        ("workload.tasks.hog.cookie", "1"),
        ("workload.tasks.sleeper.cookie", "2"),
        ("workload.tasks.sleeper.instance", "6"),
        ("run.duration_ms", "200"),
    ] {
        scenario.set(path, value).expect("a sound value");
    }
    scenario
}

#[wasm_bindgen_test]
fn what_many_cpus_ran_comes_over_the_wire_in_pieces() {
    let mut session = Session::default();
    send(&mut session, &ToWorker::Run { job: 1, document: eight_cpus().to_json(), variant: 1 });
    let said = run_to_the_end(&mut session);
    let Some(FromWorker::Done { report, .. }) = said.last() else { panic!("it did not end well: {said:?}") };
    let cpus: Vec<u16> = (0..8).collect();
    let ask = ToWorker::Timeline { variant: 1, from_ns: 0, to_ns: 200_000_000, width_px: 800, cpus };
    let answers = send(&mut session, &ask);
    let [FromWorker::Timeline(told)] = answers.as_slice() else { panic!("unexpected: {answers:?}") };
    assert_eq!(told.rows.len(), report.cpus.len());
    for (row, cpu) in told.rows.iter().zip(&report.cpus) {
        assert_eq!(row.busy_ns, cpu.busy_ns);
        assert!(row.pieces.len() <= 600, "{}", row.pieces.len());
        // In order; a piece narrower than a pixel is drawn as one, over what follows. Edges are told
        // to a tenth of a pixel.
        let mut pairs = row.pieces.windows(2);
        assert!(pairs.all(|pair| pair[0].left <= pair[1].left && pair[0].right - pair[1].left <= 1.11));
    }
    let text = serde_json::to_string(told).expect("a message");
    assert!(text.len() < 200_000, "{} bytes", text.len());
}

#[wasm_bindgen_test]
fn a_point_of_a_sweep_is_measured() {
    let mut session = Session::default();
    let settings = vec![("workload.tasks.hog.instance".to_owned(), "2".to_owned())];
    let document = eight_cpus().to_json();
    send(&mut session, &ToWorker::Measure { job: 1, point: 3, document, variant: 0, settings, repeats: 2 });
    let said = run_to_the_end(&mut session);
    let [FromWorker::Measured { job: 1, point: 3, figures }] = said.as_slice() else { panic!("unexpected: {said:?}") };
    assert!(figures.iter().any(|(name, value, _)| name == "tasks.hog.runtime_ns" && *value > 0.0));
}

#[wasm_bindgen_test]
fn a_job_that_is_given_up_says_nothing_more() {
    let mut session = Session::default();
    let mut scenario = example();
    scenario.run.duration_ms = Some(3_600_000);
    send(&mut session, &ToWorker::Run { job: 7, document: scenario.to_json(), variant: 0 });
    session.step(js_sys::Date::now);
    assert!(session.has_work());
    assert_eq!(send(&mut session, &ToWorker::Cancel { job: 7 }), [FromWorker::Stopped { job: 7 }]);
    assert!(!session.has_work());
}

#[wasm_bindgen_test]
fn a_step_is_short_even_in_a_long_run() {
    let mut session = Session::default();
    let mut scenario = example();
    scenario.run.duration_ms = Some(3_600_000);
    send(&mut session, &ToWorker::Run { job: 1, document: scenario.to_json(), variant: 0 });
    session.step(js_sys::Date::now);
    let begun = js_sys::Date::now();
    session.step(js_sys::Date::now);
    let took = js_sys::Date::now() - begun;
    assert!(took < 60.0, "a step took {took} ms");
}

#[wasm_bindgen_test]
fn a_document_with_errors_fails_with_their_places() {
    let mut session = Session::default();
    let document = "{\"schema\": 1,\n \"workload\": {\"tasks\": {\"a\": {\"rum\": 1}}}}".to_owned();
    send(&mut session, &ToWorker::Run { job: 1, document, variant: 0 });
    let said = run_to_the_end(&mut session);
    let [FromWorker::Failed { problems, .. }] = said.as_slice() else { panic!("unexpected: {said:?}") };
    assert_eq!((problems[0].place.line, problems[0].suggestion.as_deref()), (2, Some("run")));
}

#[wasm_bindgen_test]
fn the_address_bar_holds_the_scenario() {
    let mut scenario = example();
    scenario.title = "the address bar".to_owned();
    let address = store::put_link(&scenario).expect("an address");
    assert!(address.contains("#s=1."));
    let lab = store::begin(&store::hash(), None, None);
    assert_eq!(*lab.scenario, scenario);
}

#[wasm_bindgen_test]
fn the_draft_outlives_a_bad_link() {
    let mut mine = example();
    mine.title = "mine".to_owned();
    store::keep_draft(&mine.to_json());
    store::keep_text(Some(&"{ unfinished".to_owned()));
    let window = web_sys::window().expect("a window");
    let history = window.history().expect("a history");
    history.replace_state_with_url(&JsValue::NULL, "", Some("#s=1.broken")).expect("an address");
    let lab = store::first();
    assert_eq!((lab.scenario.title.as_str(), lab.text.as_deref()), ("mine", Some("{ unfinished")));
    assert!(lab.message.is_some_and(|message| message.bad));
    LocalStorage::clear();
    history.replace_state_with_url(&JsValue::NULL, "", Some("#")).expect("an address");
}

fn canvas(width: u32, height: u32) -> HtmlCanvasElement {
    let canvas = gloo::utils::document().create_element("canvas").expect("a canvas");
    let canvas: HtmlCanvasElement = canvas.unchecked_into();
    canvas.set_width(width);
    canvas.set_height(height);
    canvas
}

/// How many pixels have just this colour.
fn pixels(canvas: &HtmlCanvasElement, colour: Colour) -> usize {
    let context: CanvasRenderingContext2d = canvas.get_context("2d").expect("a context").expect("2d").unchecked_into();
    let image = context.get_image_data(0.0, 0.0, f64::from(canvas.width()), f64::from(canvas.height()));
    let Clamped(bytes) = image.expect("pixels").data();
    bytes.chunks(4).filter(|pixel| pixel[..3] == [colour.0, colour.1, colour.2]).count()
}

fn pictures() -> Vec<Picture> {
    let steps = |points: &[(f64, f64)]| Steps(points.iter().map(|&(x, y)| Point { x, y }).collect());
    let rising = steps(&[(1e3, 0.2), (1e4, 0.6), (1e6, 1.0)]);
    let falling = steps(&[(1e3, 0.7), (1e4, 0.3), (1e6, 0.0)]);
    let mut counts = vec![0.0; 32];
    counts[5..9].copy_from_slice(&[3.0, 9.0, 4.0, 1.0]);
    vec![
        Picture::Curves(Curves::distribution(vec![rising.clone(), rising])),
        Picture::Curves(Curves::histogram(vec![falling.clone(), falling])),
        Picture::Columns(Columns::log2_microseconds(&[counts.clone(), counts])),
        Picture::Rows(Rows::new(vec!["hog".into(), "sleeper".into()], vec![vec![5.0, 1.0], vec![9.0, 2.0]])),
    ]
}

#[wasm_bindgen_test]
fn charts_draw_both_variants_in_both_themes_and_at_any_pixel_ratio() {
    for picture in pictures() {
        for theme in [Theme::Light, Theme::Dark] {
            for ratio in [1.0, 2.0] {
                let canvas = canvas((400.0 * ratio) as u32, (190.0 * ratio) as u32);
                charts::draw::draw(&canvas, &picture, theme, ratio).expect("a drawing");
                for variant in 0..2 {
                    let found = pixels(&canvas, theme.variant(variant));
                    assert!(found > 30, "{picture:?} {theme:?} x{ratio} variant {variant}: {found} pixels");
                }
                assert!(pixels(&canvas, theme.ink().panel) > 10_000);
            }
        }
    }
}

#[wasm_bindgen_test]
fn a_picture_without_data_is_drawn_without_a_word() {
    let empty = [
        Picture::Curves(Curves::distribution(vec![Steps::default()])),
        Picture::Columns(Columns::log2_microseconds(&[Vec::new()])),
        Picture::Rows(Rows::new(Vec::new(), vec![Vec::new()])),
    ];
    for picture in empty {
        charts::draw::draw(&canvas(200, 100), &picture, Theme::Light, 1.0).expect("an empty drawing");
    }
}
