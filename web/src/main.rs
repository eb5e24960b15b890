//! The page's entry: starts the application, and apologises when its code fails.
//! Not for anything else.

use std::panic::PanicHookInfo;

fn main() {
    yew::set_custom_panic_hook(Box::new(apologise));
    yew::Renderer::<schedlab_web::app::App>::with_root(root()).render();
}

/// The place that `index.html` has for the application.
fn root() -> web_sys::Element {
    let document = gloo::utils::document();
    document.get_element_by_id("app").unwrap_or_else(|| gloo::utils::body().into())
}

/// Says what happened in the page's own apology, which needs nothing of the application. The draft
/// is in the browser's storage already.
fn apologise(info: &PanicHookInfo<'_>) {
    let document = gloo::utils::document();
    if let Some(place) = document.get_element_by_id("apology-message") {
        place.set_text_content(Some(&info.to_string()));
    }
    if let Some(apology) = document.get_element_by_id("apology") {
        let _ = apology.remove_attribute("hidden");
    }
    if let Some(app) = document.get_element_by_id("app") {
        let _ = app.set_attribute("hidden", "");
    }
}
