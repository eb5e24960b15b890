//! Copying text. Not for what is copied.

use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Copies a text and tells whether that worked.
pub(crate) fn copy(text: String, told: impl FnOnce(bool) + 'static) {
    let Some(window) = web_sys::window() else { return };
    spawn_local(async move { told(JsFuture::from(window.navigator().clipboard().write_text(&text)).await.is_ok()) });
}
