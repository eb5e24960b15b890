//! A chart on the page: a canvas at the screen's own resolution, a cross-hair with a reading, and
//! the same as a table. Not for what is drawn: that is a `schedlab_view::Picture`.

use schedlab_view::picture::Reading;
use schedlab_view::{Picture, Theme, palette};
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, MouseEvent};
use yew::prelude::*;

use super::draw::{draw, margins};
use crate::parts::VariantMark;

/// What a chart shows.
#[derive(Properties, PartialEq)]
pub struct PlotProps {
    /// The heading.
    pub title: AttrValue,
    /// What is drawn, in words, beside the heading.
    pub about: AttrValue,
    /// The picture.
    pub picture: Picture,
    /// The variants' names, in order.
    pub variants: Vec<String>,
    /// The theme it is drawn for.
    pub theme: Theme,
    /// The canvas's height, CSS pixels; none: what the card has, at least 188.
    #[prop_or_default]
    pub height: Option<u32>,
    /// What the first column of the table is, where the picture does not say it.
    #[prop_or_default]
    pub first: Option<AttrValue>,
    /// Choices below the heading.
    #[prop_or_default]
    pub choices: Html,
}

/// A chart with its heading, its choices and its table.
#[component]
pub fn PlotCard(props: &PlotProps) -> Html {
    let as_table = use_state(|| false);
    let toggle = {
        let as_table = as_table.clone();
        Callback::from(move |_: MouseEvent| as_table.set(!*as_table))
    };
    let body = if props.picture.is_empty() {
        html! { <p class="empty">{ "Nothing to count in this run." }</p> }
    } else if *as_table {
        table(props)
    } else {
        html! {
            <>
                <Canvas picture={props.picture.clone()} theme={props.theme} height={props.height}
                    variants={props.variants.clone()} label={format!("{}: {}", props.title, props.about)} />
                { legend(&props.variants, matches!(props.picture, Picture::Curves(_))) }
            </>
        }
    };
    html! {
        <section class="card column" aria-label={props.title.clone()}>
            <div class="head">
                <h2>{ &props.title }</h2><small>{ &props.about }</small><span class="grow" />
                <span class="choice">
                    <button type="button" aria-pressed={as_table.to_string()} onclick={toggle}
                        aria-label={format!("{} as a table", props.title)}>{ "Table" }</button>
                </span>
            </div>
            if props.choices != Html::default() { <div class="tools">{ props.choices.clone() }</div> }
            { body }
        </section>
    }
}

fn table(props: &PlotProps) -> Html {
    let table = props.picture.table();
    let line = |(head, values): &(String, Vec<String>)| {
        html! { <tr><th scope="row">{ head }</th>{ for values.iter().map(|v| html! { <td class="num">{ v }</td> }) }</tr> }
    };
    let heads = props.variants.iter().enumerate().map(|(index, name)| {
        html! { <th scope="col"><VariantMark {index} name={name.clone()} /></th> }
    });
    html! {
        <div class="asTable" tabindex="0" role="group" aria-label={format!("{} as a table", props.title)}>
            <table>
                <thead><tr><th scope="col">{ props.first.clone().unwrap_or_else(|| table.first.clone().into()) }</th>{ for heads }</tr></thead>
                <tbody>{ for table.lines.iter().map(line) }</tbody>
            </table>
        </div>
    }
}

/// Which variant is which: its stroke for curves, its fill for bars.
fn legend(variants: &[String], curves: bool) -> Html {
    let entry = |(index, name): (usize, &String)| {
        let colour = format!("var(--variant-{})", index % palette::VARIANT_COLOURS);
        let dash = match palette::stroke(index) {
            palette::Stroke::Solid => None,
            palette::Stroke::Dashed(on, off) => Some(format!("{on} {off}")),
        };
        let fill = if palette::filled(index) { colour.clone() } else { "none".to_owned() };
        html! {
            <span>
                <svg viewBox="0 0 22 10" aria-hidden="true">
                    if curves {
                        <path d="M0 5h22" fill="none" stroke={colour} stroke-width="2" stroke-dasharray={dash} />
                    } else {
                        <rect x="8" y="1" width="13" height="8" {fill} stroke={colour} stroke-width="1.5" />
                    }
                </svg>
                <VariantMark {index} name={name.clone()} />
            </span>
        }
    };
    html! { <div class="legend" aria-hidden="true">{ for variants.iter().enumerate().map(entry) }</div> }
}

#[derive(Properties, PartialEq)]
struct CanvasProps {
    picture: Picture,
    theme: Theme,
    height: Option<u32>,
    variants: Vec<String>,
    label: String,
}

#[component]
fn Canvas(props: &CanvasProps) -> Html {
    let canvas = use_node_ref();
    let frame = use_node_ref();
    let size = use_state_eq(|| (0.0_f64, 0.0_f64));
    let reading = use_state(|| None::<Reading>);

    // The size follows the layout; a change of the pixel ratio (zoom, another screen) changes it too.
    {
        let size = size.clone();
        use_effect_with(frame.clone(), move |frame| watch_size(frame, move |css| size.set(css)));
    }
    {
        let canvas = canvas.clone();
        let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        use_effect_with((props.picture.clone(), props.theme, *size, ratio), move |(picture, theme, size, ratio)| {
            let (width, height) = *size;
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>()
                && width > 40.0
                && height > 40.0
            {
                canvas.set_width((width * ratio).round() as u32);
                canvas.set_height((height * ratio).round() as u32);
                if let Err(error) = draw(&canvas, picture, *theme, *ratio) {
                    canvas.set_title(&error.to_string());
                }
            }
        });
    }

    let (width, height) = *size;
    let edges = margins(&props.picture);
    let on_move = {
        let (picture, reading) = (props.picture.clone(), reading.clone());
        Callback::from(move |event: MouseEvent| {
            let x = (f64::from(event.offset_x()) - edges.left) / (width - edges.left - edges.right);
            let y = (f64::from(event.offset_y()) - edges.top) / (height - edges.top - edges.bottom);
            reading.set(picture.reading(x, y));
        })
    };
    let on_leave = {
        let reading = reading.clone();
        Callback::from(move |_: MouseEvent| reading.set(None))
    };
    let overlay = reading.as_ref().map(|reading| {
        let at = reading.at.map(|x| edges.left + x * (width - edges.left - edges.right));
        let side = match at {
            Some(at) if at > width / 2.0 => format!("right:{}px", width - at + 8.0),
            Some(at) => format!("left:{}px", at + 8.0),
            None => "right:8px".to_owned(),
        };
        let values = reading.values.iter().enumerate().map(|(index, value)| {
            html! { <div><VariantMark {index} name={String::new()} />{ " " }<span class="num">{ value }</span></div> }
        });
        html! {
            <>
                if let Some(at) = at { <div class="cross" style={format!("left:{at}px")} /> }
                <div class="reading" style={side}><div class="num">{ &reading.head }</div>{ for values }</div>
            </>
        }
    });
    html! {
        <div class="chart" ref={frame} style={props.height.map(|height| format!("height:{height}px;flex:none"))}>
            <canvas ref={canvas} role="img" aria-label={props.label.clone()}
                onmousemove={on_move} onmouseleave={on_leave} />
            { overlay }
        </div>
    }
}

/// Calls `tell` with the width and height of an element, in CSS pixels, now and whenever they change.
pub(crate) fn watch_size(frame: &NodeRef, tell: impl Fn((f64, f64)) + 'static) -> Box<dyn FnOnce()> {
    let Some(element) = frame.cast::<web_sys::Element>() else { return Box::new(|| ()) };
    let observed = element.clone();
    let on_resize = Closure::<dyn FnMut()>::new(move || {
        let rectangle = observed.get_bounding_client_rect();
        tell((rectangle.width(), rectangle.height()));
    });
    let Ok(observer) = web_sys::ResizeObserver::new(on_resize.as_ref().unchecked_ref()) else {
        return Box::new(|| ());
    };
    observer.observe(&element);
    Box::new(move || {
        observer.disconnect();
        drop(on_resize);
    })
}
