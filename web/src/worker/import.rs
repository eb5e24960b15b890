//! Imports a trace in the worker: the file is read piece by piece, then the scenario is replayed and
//! laid beside the trace. Not for reading traces: `schedlab_scenario::import` does. To stop it the
//! page ends the worker.

use js_sys::Uint8Array;
use schedlab_scenario::import::trace::{ImportedTrace, Realism, TraceImport, TraceOptions};
use schedlab_sim::{Limit, Simulation};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;

use crate::protocol::{FromWorker, Imported, Stage};

/// So much is read at a time, bytes.
const PIECE: f64 = 1_048_576.0;

/// How often the page hears of progress, milliseconds.
const TELL_MS: f64 = 60.0;

/// Imports a file; what becomes of it is posted.
pub(super) fn import(file: File, post: impl Fn(&FromWorker) + 'static) {
    spawn_local(async move {
        let answer = match read(&file, &post).await {
            Ok(imported) => FromWorker::Imported(Box::new(imported)),
            Err(message) => FromWorker::NotImported { name: file.name(), message },
        };
        post(&answer);
    });
}

async fn read(file: &File, post: &impl Fn(&FromWorker)) -> Result<Imported, String> {
    let (name, size) = (file.name(), file.size());
    let title = Some(format!("Replay of {name}"));
    let mut import = TraceImport::new(TraceOptions { title, ..TraceOptions::default() });
    let tell = |stage, import: &TraceImport, read: f64| {
        let (read, size) = (read as u64, size as u64);
        post(&FromWorker::Importing { name: name.clone(), stage, read, size, events: import.events() });
    };
    tell(Stage::Reading, &import, 0.0);
    let (mut at, mut told_ms) = (0.0, js_sys::Date::now());
    while at < size {
        let end = (at + PIECE).min(size);
        let unreadable = |_| "the browser cannot read it".to_owned();
        let piece = file.slice_with_f64_and_f64(at, end).map_err(unreadable)?;
        let buffer = JsFuture::from(piece.array_buffer()).await.map_err(unreadable)?;
        import.feed(&Uint8Array::new(&buffer).to_vec()).map_err(|error| error.to_string())?;
        at = end;
        if js_sys::Date::now() - told_ms >= TELL_MS {
            told_ms = js_sys::Date::now();
            tell(Stage::Reading, &import, at);
        }
    }
    tell(Stage::Replaying, &import, size);
    let imported = import.finish().map_err(|error| error.to_string())?;
    let (realism, not_replayed) = match replay(&imported) {
        Ok(realism) => (Some(realism), None),
        Err(why) => (None, Some(why)),
    };
    let mut notices = imported.report.notices();
    notices.extend(not_replayed.map(|why| format!("no replay: {why}")));
    Ok(Imported { name, document: imported.scenario.to_json(), report: imported.report, realism, notices })
}

/// Runs the scenario and lays it beside the trace.
fn replay(imported: &ImportedTrace) -> Result<Realism, String> {
    let first = |problems: Vec<schedlab_scenario::Problem>| {
        problems.into_iter().next().map_or_else(String::new, |problem| problem.message)
    };
    let mut input = imported.scenario.prepare(0).map_err(first)?.input;
    input.record_budget = 0;
    let mut simulation = Simulation::new(input).map_err(|error| error.to_string())?;
    simulation.run_until(Limit::end()).map_err(|error| error.to_string())?;
    Ok(Realism::of(&imported.figures, &simulation.finish(), imported.scenario.kernel.release.name()))
}
