//! A machine drawn: nodes hold LLCs, LLCs cores, cores hardware threads, each with the number that
//! Linux gives it. Not for drawing: the page does, with what it gets here; and not for scheduling
//! domains, which the engine makes of the same counts.

/// The counts of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// NUMA nodes.
    pub nodes: u32,
    /// Last-level caches a node.
    pub llcs_per_node: u32,
    /// Cores a last-level cache.
    pub cores_per_llc: u32,
    /// Hardware threads a core.
    pub threads_per_core: u32,
    /// Whether the threads of a core have numbers next to each other; otherwise the first threads
    /// of all cores come first.
    pub adjacent: bool,
}

/// Where a CPU is; everything counts from 0 over the whole machine, `thread` within its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The node.
    pub node: u32,
    /// The last-level cache.
    pub llc: u32,
    /// The core.
    pub core: u32,
    /// The thread of the core.
    pub thread: u32,
}

impl Shape {
    /// How many cores there are.
    #[must_use]
    pub const fn cores(self) -> u32 {
        self.nodes.saturating_mul(self.llcs_per_node).saturating_mul(self.cores_per_llc)
    }

    /// How many CPUs there are.
    #[must_use]
    pub const fn cpus(self) -> u32 {
        self.cores().saturating_mul(self.threads_per_core)
    }

    /// The number of a thread of a core.
    #[must_use]
    pub const fn cpu(self, core: u32, thread: u32) -> u32 {
        if self.adjacent { core * self.threads_per_core + thread } else { thread * self.cores() + core }
    }

    /// Where a CPU is; none where there is no such CPU.
    #[must_use]
    pub const fn seat(self, cpu: u32) -> Option<Seat> {
        if cpu >= self.cpus() {
            return None;
        }
        let (core, thread) = if self.adjacent {
            (cpu / self.threads_per_core, cpu % self.threads_per_core)
        } else {
            (cpu % self.cores(), cpu / self.cores())
        };
        let llc = core / self.cores_per_llc;
        Some(Seat { node: llc / self.llcs_per_node, llc, core, thread })
    }

    /// The CPUs of a core, in order of its threads.
    #[must_use]
    pub fn of_core(self, core: u32) -> Vec<u32> {
        (0..self.threads_per_core).map(|thread| self.cpu(core, thread)).collect()
    }

    /// The CPUs of a last-level cache, ascending.
    #[must_use]
    pub fn of_llc(self, llc: u32) -> Vec<u32> {
        let cores = llc * self.cores_per_llc..(llc + 1) * self.cores_per_llc;
        let mut cpus: Vec<u32> = cores.flat_map(|core| self.of_core(core)).collect();
        cpus.sort_unstable();
        cpus
    }
}

/// A list of CPUs as the kernel writes it: `0-3,8`.
#[must_use]
pub fn cpu_list(ascending: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in ascending {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let range = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

/// Reads a list of CPUs as the kernel writes it. The order and repeated numbers do not matter.
///
/// # Errors
/// The part that is no number and no range.
pub fn read_cpu_list(text: &str, most: u32) -> Result<Vec<u32>, String> {
    let mut cpus = Vec::new();
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) if first <= last && last <= most => cpus.extend(first..=last),
            _ => return Err(part.to_owned()),
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

/// A rectangle, pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Rect {
    /// Whether a point is inside.
    #[must_use]
    pub fn contains(&self, x: f64, y: f64) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

/// A node or LLC with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Where it is.
    pub place: Rect,
    /// Its name, as long as fits: `node 0`, `LLC 3`, or nothing.
    pub label: String,
}

/// A machine laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// The nodes.
    pub nodes: Vec<Part>,
    /// The last-level caches.
    pub llcs: Vec<Part>,
    /// The cores.
    pub cores: Vec<Rect>,
    /// The CPUs, by number.
    pub cpus: Vec<Rect>,
    /// Whether there is room for the numbers in the CPUs.
    pub numbered: bool,
    /// The whole height, pixels.
    pub height: f64,
}

/// Room for labels above a node's or LLC's content, pixels.
const LABEL_PX: f64 = 15.0;
/// Between a node or LLC and what it holds, pixels.
const EDGE_PX: f64 = 5.0;
/// A letter of a label is about as wide, pixels.
const LETTER_PX: f64 = 6.4;

/// The size of a CPU's cell for so many CPUs, and whether a number fits into it.
const fn cell(cpus: u32) -> (f64, f64, bool) {
    match cpus {
        0..=16 => (34.0, 24.0, true),
        17..=64 => (26.0, 19.0, true),
        65..=160 => (22.0, 15.0, true),
        161..=400 => (10.0, 10.0, false),
        _ => (7.0, 7.0, false),
    }
}

/// What lies in rows from left to right, each of one size: how many a row, how many rows.
fn grid(count: u32, size: f64, gap: f64, room: f64) -> (u32, u32) {
    let columns = ((room + gap) / (size + gap)).floor().max(1.0) as u32;
    let columns = columns.min(count.max(1));
    // The last row is as full as the others can make it.
    let rows = count.max(1).div_ceil(columns);
    (count.max(1).div_ceil(rows), rows)
}

/// Lays a machine out in `width` pixels. Every node, LLC and core is a box around what it holds.
#[must_use]
pub fn lay_out(shape: Shape, width: f64) -> Drawing {
    let (cell_width, cell_height, numbered) = cell(shape.cpus());
    let core_edge = if shape.threads_per_core > 1 && numbered { 2.0 } else { 0.0 };
    let gap = if numbered { 4.0 } else { 2.0 };
    let room = width - 4.0 * EDGE_PX;
    let (thread_columns, thread_rows) = grid(shape.threads_per_core, cell_width, 1.0, room - 2.0 * core_edge);
    let core_width = f64::from(thread_columns) * (cell_width + 1.0) - 1.0 + 2.0 * core_edge;
    let core_height = f64::from(thread_rows) * (cell_height + 1.0) - 1.0 + 2.0 * core_edge;
    let (core_columns, core_rows) = grid(shape.cores_per_llc, core_width, gap, room);
    let cores_width = f64::from(core_columns) * (core_width + gap) - gap;

    let llcs = shape.nodes.saturating_mul(shape.llcs_per_node);
    // Where there are so many that a name would be larger than what it names, it is left out.
    let label_llcs = llcs <= 64 && shape.cores_per_llc > 0;
    let llc_name = |llc: u32| if label_llcs { format!("LLC {llc}") } else { String::new() };
    let llc_label_px = if label_llcs { LABEL_PX } else { 0.0 };
    let least_llc = llc_name(llcs.saturating_sub(1)).len() as f64 * LETTER_PX;
    let llc_width = cores_width.max(least_llc) + 2.0 * EDGE_PX;
    let llc_height = f64::from(core_rows) * (core_height + gap) - gap + 2.0 * EDGE_PX + llc_label_px;
    let (llc_columns, llc_rows) = grid(shape.llcs_per_node, llc_width, gap, width - 2.0 * EDGE_PX);

    let label_nodes = shape.nodes <= 64;
    let node_name = |node: u32| if label_nodes { format!("node {node}") } else { String::new() };
    let node_label_px = if label_nodes { LABEL_PX } else { 0.0 };
    let least_node = node_name(shape.nodes.saturating_sub(1)).len() as f64 * LETTER_PX;
    let node_width = (f64::from(llc_columns) * (llc_width + gap) - gap).max(least_node) + 2.0 * EDGE_PX;
    let node_height = f64::from(llc_rows) * (llc_height + gap) - gap + 2.0 * EDGE_PX + node_label_px;
    let (node_columns, node_rows) = grid(shape.nodes, node_width, gap, width);

    let place = |number: u32, columns: u32, width: f64, height: f64, gap: f64| {
        (f64::from(number % columns) * (width + gap), f64::from(number / columns) * (height + gap))
    };
    let mut drawing = Drawing {
        numbered,
        height: f64::from(node_rows) * (node_height + gap) - gap,
        cpus: vec![Rect::default(); shape.cpus() as usize],
        ..Drawing::default()
    };
    for node in 0..shape.nodes {
        let (x, y) = place(node, node_columns, node_width, node_height, gap);
        let outline = Rect { x, y, width: node_width, height: node_height };
        drawing.nodes.push(Part { place: outline, label: node_name(node) });
        for n in 0..shape.llcs_per_node {
            let (dx, dy) = place(n, llc_columns, llc_width, llc_height, gap);
            let (x, y) = (x + EDGE_PX + dx, y + EDGE_PX + node_label_px + dy);
            let llc = node * shape.llcs_per_node + n;
            let outline = Rect { x, y, width: llc_width, height: llc_height };
            drawing.llcs.push(Part { place: outline, label: llc_name(llc) });
            for c in 0..shape.cores_per_llc {
                let (dx, dy) = place(c, core_columns, core_width, core_height, gap);
                let (x, y) = (x + EDGE_PX + dx, y + EDGE_PX + llc_label_px + dy);
                drawing.cores.push(Rect { x, y, width: core_width, height: core_height });
                for thread in 0..shape.threads_per_core {
                    let (dx, dy) = place(thread, thread_columns, cell_width, cell_height, 1.0);
                    let cpu = shape.cpu(llc * shape.cores_per_llc + c, thread);
                    drawing.cpus[cpu as usize] =
                        Rect { x: x + core_edge + dx, y: y + core_edge + dy, width: cell_width, height: cell_height };
                }
            }
        }
    }
    drawing
}

impl Drawing {
    /// The CPU at a point.
    #[must_use]
    pub fn cpu_at(&self, x: f64, y: f64) -> Option<u32> {
        self.cpus.iter().position(|cell| cell.contains(x, y)).map(|cpu| cpu as u32)
    }

    /// The nearest CPU to the right (`(1, 0)`), left, below or above of another; none at an edge.
    #[must_use]
    pub fn beside(&self, cpu: u32, (right, down): (i32, i32)) -> Option<u32> {
        let here = self.cpus.get(cpu as usize)?;
        let centre = |cell: &Rect| (cell.x + cell.width / 2.0, cell.y + cell.height / 2.0);
        let (x, y) = centre(here);
        let mut best: Option<(f64, u32)> = None;
        for (other, cell) in self.cpus.iter().enumerate() {
            let (dx, dy) = (centre(cell).0 - x, centre(cell).1 - y);
            let (ahead, aside) =
                if right == 0 { (dy * f64::from(down), dx.abs()) } else { (dx * f64::from(right), dy.abs()) };
            // What lies straight ahead comes before what lies aside.
            let distance = ahead + 8.0 * aside;
            let inside = ahead > 0.5 && (right == 0 || aside < here.height / 2.0);
            if inside && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, other as u32));
            }
        }
        best.map(|(_, cpu)| cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn shape(nodes: u32, llcs: u32, cores: u32, threads: u32, adjacent: bool) -> Shape {
        Shape { nodes, llcs_per_node: llcs, cores_per_llc: cores, threads_per_core: threads, adjacent }
    }

    #[test]
    fn numbers_are_those_of_linux() {
        let split = shape(2, 1, 2, 2, false);
        assert_eq!([split.of_core(0), split.of_core(3)], [vec![0, 4], vec![3, 7]]);
        assert_eq!(split.of_llc(1), [2, 3, 6, 7]);
        assert_eq!(split.seat(6), Some(Seat { node: 1, llc: 1, core: 2, thread: 1 }));
        let adjacent = shape(2, 1, 2, 2, true);
        assert_eq!([adjacent.of_core(0), adjacent.of_core(3)], [vec![0, 1], vec![6, 7]]);
        assert_eq!(adjacent.seat(8), None);
    }

    #[test]
    fn seats_and_numbers_agree() {
        for shape in [shape(2, 2, 3, 2, false), shape(2, 2, 3, 2, true), shape(1, 1, 1, 1, false)] {
            for cpu in 0..shape.cpus() {
                let seat = shape.seat(cpu).expect("a CPU");
                assert_eq!(shape.cpu(seat.core, seat.thread), cpu);
            }
        }
    }

    #[test]
    fn lists_are_written_and_read_as_the_kernel_does() {
        assert_eq!(cpu_list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(read_cpu_list("8, 0-3 10-11,2", 1023), Ok(vec![0, 1, 2, 3, 8, 10, 11]));
        for bad in ["3-1", "x", "1-", "1024", "-1"] {
            assert!(read_cpu_list(bad, 1023).is_err(), "{bad}");
        }
    }

    /// Machines from one CPU to the largest, in narrow and wide columns.
    fn drawings() -> Vec<(Shape, f64, Drawing)> {
        let shapes = [
            shape(1, 1, 1, 1, false),
            shape(1, 1, 4, 2, true),
            shape(2, 4, 8, 2, false),
            shape(2, 1, 26, 2, false),
            shape(8, 16, 4, 2, false),
            shape(512, 1, 1, 2, false),
            shape(1, 1, 1, 1024, false),
            shape(1, 1, 1024, 1, false),
        ];
        let with = |width: f64| shapes.map(|shape| (shape, width, lay_out(shape, width)));
        [with(300.0), with(344.0), with(402.0)].concat()
    }

    #[test]
    fn everything_is_inside_what_holds_it_and_nothing_overlaps() {
        let within = |inner: &Rect, outer: &Rect| {
            inner.x >= outer.x
                && inner.y >= outer.y
                && inner.x + inner.width <= outer.x + outer.width + 1e-9
                && inner.y + inner.height <= outer.y + outer.height + 1e-9
        };
        for (shape, width, drawing) in drawings() {
            let whole = Rect { x: 0.0, y: 0.0, width, height: drawing.height };
            assert!(drawing.nodes.iter().all(|node| within(&node.place, &whole)), "{shape:?} in {width}");
            assert_eq!(drawing.cpus.len(), shape.cpus() as usize);
            for (cpu, cell) in drawing.cpus.iter().enumerate() {
                let seat = shape.seat(cpu as u32).expect("a CPU");
                assert!(within(cell, &drawing.cores[seat.core as usize]), "{shape:?}");
                assert!(within(&drawing.cores[seat.core as usize], &drawing.llcs[seat.llc as usize].place));
                assert!(within(&drawing.llcs[seat.llc as usize].place, &drawing.nodes[seat.node as usize].place));
                let (x, y) = (cell.x + cell.width / 2.0, cell.y + cell.height / 2.0);
                assert_eq!(drawing.cpu_at(x, y), Some(cpu as u32));
            }
        }
    }

    #[test]
    fn arrows_reach_every_cpu() {
        for (shape, _, drawing) in drawings().into_iter().filter(|(shape, ..)| shape.cpus() <= 128) {
            let mut seen = vec![false; drawing.cpus.len()];
            let mut open = vec![0_u32];
            while let Some(cpu) = open.pop() {
                if !std::mem::replace(&mut seen[cpu as usize], true) {
                    let ways = [(1, 0), (-1, 0), (0, 1), (0, -1)];
                    open.extend(ways.into_iter().filter_map(|way| drawing.beside(cpu, way)));
                }
            }
            assert!(seen.iter().all(|seen| *seen), "{shape:?}");
        }
    }
}
