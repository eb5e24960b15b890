//! The machine drawn: nodes, LLCs, cores and hardware threads with their CPU numbers. Arrow keys
//! and the pointer go from CPU to CPU. Not for where things stand: `schedlab_view::topology` says.

use std::fmt::Write;

use schedlab_view::topology::{Rect, Shape, cpu_list, lay_out};
use web_sys::{Element, KeyboardEvent, MouseEvent};
use yew::prelude::*;

/// Which machine.
#[derive(Properties, PartialEq)]
pub struct TopologyProps {
    /// Its counts.
    pub shape: Shape,
    /// Whether only the first thread of each core is in use.
    pub nosmt: bool,
    /// The capacity of each CPU; empty: all are 1024.
    pub capacities: Vec<u32>,
}

/// The width of the drawing, pixels; it is scaled to the column.
const WIDTH_PX: f64 = 344.0;

/// The drawing, with what is said of the chosen CPU below it.
#[component]
pub fn Topology(props: &TopologyProps) -> Html {
    let shape = props.shape;
    let chosen = use_state(|| 0_u32);
    let frame = use_node_ref();
    let drawing = use_memo(shape, |shape| lay_out(*shape, WIDTH_PX));
    let cpu = (*chosen).min(shape.cpus().saturating_sub(1));
    let on_key = {
        let (drawing, chosen) = (drawing.clone(), chosen.clone());
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowRight" => drawing.beside(cpu, (1, 0)),
                "ArrowLeft" => drawing.beside(cpu, (-1, 0)),
                "ArrowDown" => drawing.beside(cpu, (0, 1)),
                "ArrowUp" => drawing.beside(cpu, (0, -1)),
                "Home" => Some(0),
                "End" => drawing.cpus.len().checked_sub(1).map(|last| last as u32),
                _ => return,
            };
            event.prevent_default();
            to.into_iter().for_each(|cpu| chosen.set(cpu));
        })
    };
    let on_click = {
        let (drawing, chosen, frame) = (drawing.clone(), chosen.clone(), frame.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(element) = frame.cast::<Element>() else { return };
            let edge = element.get_bounding_client_rect();
            let scale = WIDTH_PX / edge.width().max(1.0);
            let (x, y) = (f64::from(event.client_x()) - edge.left(), f64::from(event.client_y()) - edge.top());
            drawing.cpu_at(x * scale, y * scale).into_iter().for_each(|cpu| chosen.set(cpu));
        })
    };
    let seat = shape.seat(cpu);
    let siblings: Vec<u32> = seat.map(|seat| shape.of_core(seat.core)).unwrap_or_default();
    let off = |cpu: u32| props.nosmt && shape.seat(cpu).is_some_and(|seat| seat.thread > 0);
    let (on, off): (Vec<u32>, Vec<u32>) = (0..shape.cpus()).partition(|cpu| !off(*cpu));
    let cells = |cpus: &[u32]| path(cpus.iter().filter_map(|cpu| drawing.cpus.get(*cpu as usize)));
    let numbers = drawing.cpus.iter().enumerate().filter(|_| drawing.numbered).map(|(number, cell)| {
        let (x, y) = (cell.x + cell.width / 2.0, cell.y + cell.height / 2.0 + 3.4);
        html! { <text class="cpu" x={px(x)} y={px(y)} text-anchor="middle">{ number }</text> }
    });
    let labels = drawing.nodes.iter().chain(&drawing.llcs).filter(|part| !part.label.is_empty()).map(|part| {
        html! { <text class="axis" x={px(part.place.x + 5.0)} y={px(part.place.y + 12.5)}>{ &part.label }</text> }
    });
    let outlines = |class: &'static str, places: Vec<Rect>| html! { <path {class} d={path(places.iter())} /> };
    html! {
        <div class="topology">
            <svg ref={frame} viewBox={format!("0 0 {WIDTH_PX} {}", px(drawing.height + 1.0))} tabindex="0" role="application"
                aria-label={format!("{}. Arrow keys go from CPU to CPU.", summary(shape))} aria-describedby="topology-cpu"
                onkeydown={on_key} onclick={on_click}>
                <defs>
                    <pattern id="cpu-off" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <path d="M0 0v4" stroke="var(--edge)" stroke-width="1.2" />
                    </pattern>
                </defs>
                { outlines("node", drawing.nodes.iter().map(|part| part.place).collect()) }
                { outlines("llc", drawing.llcs.iter().map(|part| part.place).collect()) }
                if shape.threads_per_core > 1 { { outlines("core", drawing.cores.clone()) } }
                <path class="thread" d={cells(&on)} />
                <path class="thread" d={cells(&off)} style="fill:url(#cpu-off)" />
                <path class="sibling" d={cells(&siblings)} />
                <path class="chosen" d={cells(&[cpu])} />
                { for numbers }
                { for labels }
            </svg>
            <p class="mute hint" id="topology-cpu" aria-live="polite">{ about(props, cpu, &siblings) }</p>
        </div>
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// Many rectangles as one path: a machine of a thousand CPUs is a handful of elements.
fn path<'a>(places: impl Iterator<Item = &'a Rect>) -> String {
    places.fold(String::new(), |mut text, place| {
        // Half a pixel, so that lines of one pixel are sharp.
        let (x, y) = (place.x + 0.5, place.y + 0.5);
        let _ = write!(text, "M{x:.1} {y:.1}h{:.1}v{:.1}h-{0:.1}z", place.width - 1.0, place.height - 1.0);
        text
    })
}

/// The counts in words: `2 nodes, 8 LLCs, 64 cores, 128 CPUs`.
pub(super) fn summary(shape: Shape) -> String {
    let some = |count: u32, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let llcs = shape.nodes.saturating_mul(shape.llcs_per_node);
    let parts = [some(shape.nodes, "node"), some(llcs, "LLC"), some(shape.cores(), "core"), some(shape.cpus(), "CPU")];
    parts.join(", ")
}

/// What there is to say of a CPU.
fn about(props: &TopologyProps, cpu: u32, siblings: &[u32]) -> String {
    let Some(seat) = props.shape.seat(cpu) else { return String::new() };
    let mut text = format!("CPU {cpu}: node {}, LLC {}, core {}", seat.node, seat.llc, seat.core);
    if siblings.len() > 1 {
        let others: Vec<u32> = siblings.iter().copied().filter(|other| *other != cpu).collect();
        let _ = write!(text, ", thread {} beside CPU {}", seat.thread, cpu_list(&others));
    }
    if let Some(capacity) = props.capacities.get(cpu as usize) {
        let _ = write!(text, ", capacity {capacity}");
    }
    if props.nosmt && seat.thread > 0 {
        text.push_str("; off by nosmt");
    }
    let _ = write!(text, ". Its LLC has CPUs {}.", cpu_list(&props.shape.of_llc(seat.llc)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_told_with_its_siblings() {
        let shape = Shape { nodes: 1, llcs_per_node: 2, cores_per_llc: 2, threads_per_core: 2, adjacent: false };
        let props = TopologyProps { shape, nosmt: true, capacities: Vec::new() };
        assert_eq!(summary(shape), "1 node, 2 LLCs, 4 cores, 8 CPUs");
        assert_eq!(
            about(&props, 6, &shape.of_core(2)),
            "CPU 6: node 0, LLC 1, core 2, thread 1 beside CPU 2; off by nosmt. Its LLC has CPUs 2-3,6-7."
        );
    }
}
