//! The page's theme: the system's until the user chooses another.
//! Not for colours: the style sheet and `schedlab_view::palette` have those.

use gloo::events::EventListener;
use schedlab_view::Theme;
use yew::prelude::*;

use crate::store;

/// The theme, and what changes it: the system's until the user chooses another.
#[hook]
pub fn use_theme() -> (Theme, Callback<()>) {
    let chosen = use_state(store::chosen_theme);
    let system = use_state(store::system_theme);
    {
        let system = system.clone();
        use_effect_with((), move |()| {
            let query = web_sys::window().and_then(|w| w.match_media("(prefers-color-scheme: dark)").ok().flatten());
            let listener =
                query.map(|query| EventListener::new(&query, "change", move |_| system.set(store::system_theme())));
            move || drop(listener)
        });
    }
    let theme = (*chosen).unwrap_or(*system);
    use_effect_with(theme, |theme| {
        if let Some(root) = gloo::utils::document().document_element() {
            let _ = root.set_attribute("data-theme", theme.name());
        }
    });
    let switch = Callback::from(move |()| {
        let other = if theme == Theme::Light { Theme::Dark } else { Theme::Light };
        let choice = (other != *system).then_some(other);
        store::keep_theme(choice);
        chosen.set(choice);
    });
    (theme, switch)
}
