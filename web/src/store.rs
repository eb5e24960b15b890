//! What outlives a visit: the draft, unfinished text, the theme, and the link in the address bar.
//! Not for the meaning of links: `schedlab_scenario::link` has that.

use gloo::storage::{LocalStorage, SessionStorage, Storage};
use schedlab_scenario::{Problem, Scenario, link};
use schedlab_view::Theme;
use wasm_bindgen::JsValue;

use crate::example;
use crate::instant::{self, Instant};
use crate::state::{Lab, Message, Wanted};

const DRAFT: &str = "schedlab.draft";
const TEXT: &str = "schedlab.text";
const THEME: &str = "schedlab.theme";
const RELOADED: &str = "schedlab.reloaded-for";

/// The page as it begins: what the link holds, otherwise the draft, otherwise an example.
#[must_use]
pub fn first() -> Lab {
    begin(&hash(), draft(), read(TEXT))
}

/// The page for a link, a draft and an unfinished text, each of which may be missing or bad.
#[must_use]
pub fn begin(hash: &str, draft: Option<Scenario>, text: Option<String>) -> Lab {
    let (hash, wanted) = instant::split(hash);

    let fallback = |message| match draft.clone() {
        Some(scenario) => Lab::new(scenario, text.clone(), message, true),
        None => Lab::new(example::scenario(), text.clone(), message, false),
    };
    if !hash.starts_with("#s=") {
        return fallback(None);
    }
    match link::decode(hash) {
        Ok(opened) => {
            let theirs = draft.filter(|draft| *draft != opened.scenario);
            let note = theirs
                .is_some()
                .then(|| Message::note("Opened from a link. Undo brings your own draft back.", opened.notices.clone()));
            // An unfinished text belongs to the draft, not to a scenario of somebody else.
            let text = text.filter(|_| theirs.is_none());
            let mut lab = Lab::new(opened.scenario, text, note, theirs.is_none()).after(theirs);
            lab.list.wanted = wanted.map(Wanted::At);
            lab
        }
        Err(problems) => fallback(Some(bad_link(problems))),
    }
}

/// What is told of a link that does not open.
#[must_use]
pub fn bad_link(problems: Vec<Problem>) -> Message {
    Message::error("The link does not open. Your own draft is untouched.", problems)
}

/// The part of the address that holds the scenario, `#` included.
#[must_use]
pub fn hash() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// Puts the scenario's link into the address bar and answers its whole address. An instant that
/// the address names already stays as long as the scenario is the same.
pub fn put_link(scenario: &Scenario) -> Option<String> {
    put_made_link(&link::encode(scenario))
}

/// The same for a link that is there already.
pub fn put_made_link(link: &str) -> Option<String> {
    if instant::split(&hash()).0 != link { put_hash(link) } else { address() }
}

/// Puts a link to an instant into the address bar and answers its whole address.
pub fn put_instant(scenario: &Scenario, instant: Instant) -> Option<String> {
    put_hash(&link_to(scenario, instant))
}

/// The address of an instant, without putting it into the address bar.
#[must_use]
pub fn address_of(scenario: &Scenario, instant: Instant) -> Option<String> {
    let address = address()?;
    let page = address.split_once('#').map_or(address.as_str(), |(page, _)| page);
    Some(format!("{page}{}", link_to(scenario, instant)))
}

fn link_to(scenario: &Scenario, instant: Instant) -> String {
    format!("{}{}", link::encode(scenario), instant.to_text())
}

fn put_hash(hash: &str) -> Option<String> {
    let history = web_sys::window()?.history().ok()?;
    history.replace_state_with_url(&JsValue::NULL, "", Some(hash)).ok()?;
    address()
}

fn address() -> Option<String> {
    web_sys::window()?.location().href().ok()
}

fn draft() -> Option<Scenario> {
    schedlab_scenario::open(&read(DRAFT)?).ok().map(|opened| opened.scenario)
}

/// Keeps the draft for the next visit. A browser without storage keeps nothing, and the page works.
pub fn keep_draft(document: &str) {
    let _ = LocalStorage::set(DRAFT, document);
}

/// Keeps an unfinished text for the next visit, or forgets it.
pub fn keep_text(text: Option<&String>) {
    match text {
        Some(text) => {
            let _ = LocalStorage::set(TEXT, text);
        }
        None => LocalStorage::delete(TEXT),
    }
}

fn read(key: &str) -> Option<String> {
    LocalStorage::get(key).ok()
}

/// The theme that the user chose, if any.
#[must_use]
pub fn chosen_theme() -> Option<Theme> {
    match read(THEME).as_deref() {
        Some("light") => Some(Theme::Light),
        Some("dark") => Some(Theme::Dark),
        _ => None,
    }
}

/// Keeps the chosen theme; none: that of the system.
pub fn keep_theme(theme: Option<Theme>) {
    match theme {
        Some(theme) => {
            let _ = LocalStorage::set(THEME, theme.name());
        }
        None => LocalStorage::delete(THEME),
    }
}

/// The theme of the system.
#[must_use]
pub fn system_theme() -> Theme {
    let query = web_sys::window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten());
    if query.is_some_and(|query| query.matches()) { Theme::Dark } else { Theme::Light }
}

/// Loads the page anew because its worker is of another build; not twice for one build.
#[must_use]
pub fn reload_once(build: &str) -> bool {
    if SessionStorage::get::<String>(RELOADED).is_ok_and(|earlier| earlier == build) {
        return false;
    }
    let _ = SessionStorage::set(RELOADED, build);
    web_sys::window().is_some_and(|window| window.location().reload().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(title: &str) -> Scenario {
        Scenario { title: title.to_owned(), ..example::scenario() }
    }

    #[test]
    fn a_first_visit_has_an_example() {
        let lab = begin("", None, None);
        assert!(!lab.scenario.workload.tasks.is_empty() && !lab.touched && lab.message.is_none());
    }

    #[test]
    fn a_link_opens_and_the_draft_is_one_step_back() {
        let lab = begin(&link::encode(&titled("theirs")), Some(titled("mine")), None);
        assert_eq!(lab.scenario.title, "theirs");
        assert!(lab.can_undo() && !lab.touched && lab.message.is_some());
    }

    #[test]
    fn a_visit_that_goes_on_keeps_the_unfinished_text_and_another_scenario_does_not_get_it() {
        let text = || Some("{ unfinished".to_owned());
        let mine = link::encode(&titled("mine"));
        assert_eq!(begin(&mine, Some(titled("mine")), text()).text, text());
        assert_eq!(begin(&mine, None, text()).text, text());
        assert_eq!(begin(&link::encode(&titled("theirs")), Some(titled("mine")), text()).text, None);
    }

    #[test]
    fn a_link_to_an_instant_wants_it_and_opens_its_scenario() {
        let wanted = Instant { variant: 1, cpu: 0, at_ns: 12_000_000 };
        let lab = begin(&format!("{}{}", link::encode(&titled("theirs")), wanted.to_text()), None, None);
        assert_eq!((lab.scenario.title.as_str(), lab.list.wanted), ("theirs", Some(Wanted::At(wanted))));
        let lab = begin(&format!("{}&at=x", link::encode(&titled("theirs"))), None, None);
        assert_eq!((lab.scenario.title.as_str(), lab.list.wanted), ("theirs", None));
    }

    #[test]
    fn a_bad_link_says_so_and_keeps_draft_and_text() {
        for bad in ["#s=1.", "#s=1.!!!!", "#s=9.AAAA", "#s="] {
            let lab = begin(bad, Some(titled("mine")), Some("{ unfinished".to_owned()));
            assert_eq!(lab.scenario.title, "mine", "{bad}");
            assert_eq!(lab.text.as_deref(), Some("{ unfinished"));
            assert!(lab.message.is_some_and(|m| m.bad && !m.problems.is_empty()), "{bad}");
        }
    }
}
