//! A frame that scrolls over more rows than it shows. Not for which rows are drawn: [`Window`] says
//! that.

use schedlab_view::Window;
use web_sys::Element;
use yew::prelude::*;

/// Keeps `scroll` at how far the frame is scrolled, pixels.
pub fn on_scroll(frame: &NodeRef, scroll: &UseStateHandle<f64>) -> Callback<Event> {
    let (frame, scroll) = (frame.clone(), scroll.clone());
    Callback::from(move |_: Event| {
        if let Some(element) = frame.cast::<Element>() {
            scroll.set(f64::from(element.scroll_top()));
        }
    })
}

/// Scrolls so far that a row is seen whole.
pub fn reveal(frame: &NodeRef, scroll: &UseStateHandle<f64>, window: &Window, row: Option<usize>) {
    if let (Some(element), Some(row)) = (frame.cast::<Element>(), row) {
        let now = f64::from(element.scroll_top());
        let then = window.reveal_px(row, now);
        if (then - now).abs() >= 1.0 {
            element.set_scroll_top(then.round() as i32);
            scroll.set(then);
        }
    }
}
