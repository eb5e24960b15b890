//! The pointer on the timeline: a drag moves the stretch, a click selects, the wheel with Ctrl zooms.
//! Not for keys.

use gloo::events::{EventListener, EventListenerOptions};
use schedlab_view::timeline::Stretch;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::draw;

/// A pointer that moved less than this has clicked, pixels.
const STILL_PX: f64 = 4.0;

/// What the canvas listens to.
pub(super) struct Pointer {
    pub(super) down: Callback<PointerEvent>,
    pub(super) moved: Callback<PointerEvent>,
    pub(super) up: Callback<PointerEvent>,
}

/// A drag on its way.
#[derive(Clone, Copy)]
struct Drag {
    x: f64,
    from: Stretch,
    moved: bool,
}

/// The width of the rows on a canvas, pixels.
fn width(element: &Element) -> f64 {
    (element.get_bounding_client_rect().width() - draw::LEFT_PX - draw::RIGHT_PX).max(1.0)
}

/// Lets the pointer move and zoom the stretch; `choose` hears of clicks: pixels from the top of the
/// rows, and a part of the stretch.
#[hook]
pub(super) fn use_pointer(
    canvas: &NodeRef,
    now: Stretch,
    whole_ns: u64,
    set: Callback<Stretch>,
    choose: Callback<(f64, f64)>,
) -> Pointer {
    let drag = use_mut_ref(|| None::<Drag>);
    // The wheel's listener is made once; it needs the latest stretch.
    let latest = use_mut_ref(|| now);
    *latest.borrow_mut() = now;
    {
        let (latest, set) = (latest.clone(), set.clone());
        // After every rendering: the canvas comes and goes with the table.
        use_effect_with((canvas.get(), whole_ns), move |(node, whole_ns)| {
            let whole_ns = *whole_ns;
            let listener = node.as_ref().map(|node| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(node, "wheel", options, move |event| {
                    let Some(wheel) = event.dyn_ref::<WheelEvent>() else { return };
                    let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
                        return;
                    };
                    let now = *latest.borrow();
                    if wheel.ctrl_key() || wheel.meta_key() {
                        wheel.prevent_default();
                        let part = (f64::from(wheel.offset_x()) - draw::LEFT_PX) / width(&element);
                        let factor = (wheel.delta_y() / 400.0).clamp(-1.0, 1.0).exp2();
                        set.emit(now.zoomed(factor, part, whole_ns));
                    } else if wheel.delta_x().abs() > wheel.delta_y().abs() {
                        wheel.prevent_default();
                        set.emit(now.moved(wheel.delta_x() / width(&element), whole_ns));
                    }
                })
            });
            move || drop(listener)
        });
    }
    let down = {
        let drag = drag.clone();
        Callback::from(move |event: PointerEvent| {
            let element = event.target_unchecked_into::<Element>();
            // Without it a drag that leaves the canvas would not end.
            let _ = element.set_pointer_capture(event.pointer_id());
            *drag.borrow_mut() = Some(Drag { x: f64::from(event.client_x()), from: now, moved: false });
        })
    };
    let moved = {
        let (drag, set) = (drag.clone(), set);
        Callback::from(move |event: PointerEvent| {
            let mut drag = drag.borrow_mut();
            let Some(drag) = drag.as_mut() else { return };
            let way = drag.x - f64::from(event.client_x());
            drag.moved |= way.abs() >= STILL_PX;
            if drag.moved {
                let element = event.target_unchecked_into::<Element>();
                set.emit(drag.from.moved(way / width(&element), whole_ns));
            }
        })
    };
    let up = {
        Callback::from(move |event: PointerEvent| {
            let ended = drag.borrow_mut().take();
            if ended.is_some_and(|drag| !drag.moved) {
                let element = event.target_unchecked_into::<Element>();
                let part = (f64::from(event.offset_x()) - draw::LEFT_PX) / width(&element);
                choose.emit((f64::from(event.offset_y()), part));
            }
        })
    };
    Pointer { down, moved, up }
}
