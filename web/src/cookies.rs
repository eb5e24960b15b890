//! Core-scheduling cookies as the page shows them: a lower-case letter in a round mark with a
//! colour, so that nobody takes them for kinds of tasks. Not for what cookies do.

use schedlab_scenario::{Action, Scenario};
use schedlab_view::{Theme, palette};
use yew::prelude::*;

/// The cookies of a scenario, ascending; 0, which is none, is left out.
#[must_use]
pub fn cookies(scenario: &Scenario) -> Vec<u64> {
    let tasks = &scenario.workload.tasks;
    let taken = tasks.iter().flat_map(|task| &task.phases).flat_map(|phase| &phase.events).filter_map(|event| {
        match event.action {
            Action::Cookie(cookie) => Some(cookie),
            _ => None,
        }
    });
    let mut all: Vec<u64> = tasks.iter().map(|task| task.cookie).chain(taken).filter(|cookie| *cookie != 0).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Which cookie.
#[derive(Properties, PartialEq)]
pub struct CookieMarkProps {
    /// Its place among the scenario's cookies.
    pub place: usize,
    /// The theme.
    pub theme: Theme,
}

/// A cookie's letter on its colour.
#[component]
pub fn CookieMark(props: &CookieMarkProps) -> Html {
    let colour = props.theme.task(props.place);
    let style = format!("background:{};color:{}", colour.css(), colour.ink_on().css());
    let letter = palette::cookie_letter(props.place);
    html! { <span class="chip cookie" {style}><span class="hidden">{ "cookie " }</span>{ letter }</span> }
}

/// The mark of a cookie; none for 0.
pub(crate) fn mark(cookies: &[u64], cookie: u64, theme: Theme) -> Html {
    match cookies.binary_search(&cookie) {
        Ok(place) => html! { <CookieMark {place} {theme} /> },
        Err(_) => Html::default(),
    }
}

#[cfg(test)]
mod tests {
    use schedlab_scenario::{Event, Task};

    use super::*;

    #[test]
    fn cookies_of_tasks_and_events_are_found_once() {
        let mut scenario = Scenario::default();
        let mut task = Task::new("a", vec![Event::new(Action::Cookie(3)), Event::new(Action::Cookie(0))]);
        task.cookie = 9;
        scenario.workload.tasks = vec![task.clone(), task, Task::new("b", Vec::new())];
        assert_eq!(cookies(&scenario), [3, 9]);
    }
}
