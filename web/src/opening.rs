//! Documents that come from outside: chosen files, dropped files, pasted text.
//! Not for reading them: `schedlab_scenario::open` does.

use schedlab_scenario::Problem;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DataTransfer, File, HtmlElement};
use yew::Callback;

use crate::instant;
use crate::state::{Action, Message};

/// The largest file that is read at all, bytes. What is larger is no scenario.
const MOST_BYTES: f64 = 4.0 * 1024.0 * 1024.0;

/// Opens a text and answers what is to be done: show the scenario, or tell what is wrong and leave
/// everything as it is. `from` says where the text is from, such as a file's name.
#[must_use]
pub fn opened(text: &str, from: &str) -> Action {
    let looks_like_a_link = text.trim_start().starts_with("http") || text.trim_start().starts_with("#s=");
    let result = if looks_like_a_link {
        schedlab_scenario::link::decode(instant::split(text.trim()).0)
    } else {
        schedlab_scenario::open(text)
    };
    match result {
        Ok(opened) => {
            let mut scenario = opened.scenario;
            if scenario.title.is_empty() {
                scenario.title = from.trim_end_matches(".json").to_owned();
            }
            let notes = match opened.notices.len() {
                0 => String::new(),
                1 => " One thing in it has no effect yet.".to_owned(),
                count => format!(" {count} things in it have no effect yet."),
            };
            let message = Message::note(format!("Opened {from}.{notes}"), opened.notices);
            Action::Replace { scenario: Box::new(scenario), message: Some(message), own: true }
        }
        Err(problems) => refused(from, problems),
    }
}

/// Opens a document that a worker has checked. `from` says where it is from.
#[must_use]
pub fn opened_checked(text: &str, from: &str) -> Action {
    match schedlab_scenario::read_checked(text) {
        Ok(scenario) => {
            let message = Message::note(format!("Opened {from}. Undo brings back what you had."), Vec::new());
            Action::Replace { scenario: Box::new(scenario), message: Some(message), own: true }
        }
        Err(problems) => refused(from, problems),
    }
}

fn refused(from: &str, problems: Vec<Problem>) -> Action {
    Action::Tell(Message::error(format!("{from} cannot be opened. What you had is untouched."), problems))
}

/// So much of a file tells what it is, bytes.
const BEGINNING: f64 = 4096.0;

/// Whether a file begins as a trace does: packed, or a line of the scheduler's or of a tracer's head.
fn is_trace(beginning: &[u8]) -> bool {
    let packed = beginning.starts_with(&[0x1f, 0x8b]);
    let text = String::from_utf8_lossy(beginning);
    let json = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '/']);
    packed || (!json && ["# tracer:", "cpus=", " sched_", ":sched_", "sched:"].iter().any(|mark| text.contains(mark)))
}

/// Reads a file and passes on what is to be done: a trace to the importer, a document to the page.
pub fn read_file(file: File, tell: Callback<Action>, on_trace: Callback<File>) {
    spawn_local(async move {
        let beginning = match file.slice_with_f64_and_f64(0.0, BEGINNING.min(file.size())) {
            Ok(beginning) => JsFuture::from(beginning.array_buffer()).await,
            Err(error) => Err(error),
        };
        match beginning.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec()) {
            Ok(bytes) if is_trace(&bytes) => on_trace.emit(file),
            _ => read_document(file, tell),
        }
    });
}

fn read_document(file: File, tell: Callback<Action>) {
    let name = file.name();
    if file.size() > MOST_BYTES {
        let size = file.size() / 1024.0 / 1024.0;
        let problem = Problem::error("", format!("it has {size:.0} MiB; at most {} are read", MOST_BYTES / 1048576.0));
        return tell.emit(refused(&name, vec![problem]));
    }
    spawn_local(async move {
        match JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()) {
            Some(text) => tell.emit(opened(&text, &name)),
            None => tell.emit(refused(&name, vec![Problem::error("", "the browser cannot read it")])),
        }
    });
}

/// Opens what was dropped or pasted: the first file, otherwise text. Answers whether there was any.
pub fn read_transfer(data: &DataTransfer, from: &str, tell: &Callback<Action>, on_trace: &Callback<File>) -> bool {
    if let Some(file) = data.files().and_then(|files| files.get(0)) {
        read_file(file, tell.clone(), on_trace.clone());
        return true;
    }
    match data.get_data("text/plain") {
        Ok(text) if !text.trim().is_empty() => {
            tell.emit(opened(&text, from));
            true
        }
        _ => false,
    }
}

/// Whether an event happened where text is edited, which has its own paste and undo.
#[must_use]
pub fn is_text_field(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return false };
    match element.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => !matches!(element.get_attribute("type").as_deref(), Some("checkbox" | "radio")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_rt_app_file_opens_under_its_name() {
        let action = opened(r#"{"tasks": {"a": {"run": 10, "sleep": 90}}}"#, "mine.json");
        let Action::Replace { scenario, own, .. } = action else { panic!("refused") };
        assert_eq!((scenario.title.as_str(), scenario.variant_count(), own), ("mine", 2, true));
    }

    #[test]
    fn traces_are_told_from_documents() {
        for trace in [
            "# tracer: nop\n#\n",
            "cpus=4\n   <idle>-0  [000]",
            "  <idle>-0 [000] d..2. 1.0: sched_switch: prev_comm=a",
            "swapper 0 [000] 1.0: sched:sched_switch: a:1",
        ] {
            assert!(is_trace(trace.as_bytes()), "{trace}");
        }
        assert!(is_trace(&[0x1f, 0x8b, 8, 0]));
        for document in
            ["{\"tasks\": {}}", "/* of sched_switch */ {}", "\u{feff}{\"notes\": \"a sched_switch\"}", "", "#s=1.abc"]
        {
            assert!(!is_trace(document.as_bytes()), "{document}");
        }
    }

    #[test]
    fn a_bad_text_replaces_nothing() {
        for bad in ["", "{", "\0\u{1}binary", r#"{"tasks": {"a": {"rum": 10}}}"#, "https://example.org/#s=1.x"] {
            let Action::Tell(message) = opened(bad, "it") else { panic!("{bad} was opened") };
            assert!(message.bad && !message.problems.is_empty(), "{bad}");
        }
    }
}
