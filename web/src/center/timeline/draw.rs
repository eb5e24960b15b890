//! Draws the timeline on a canvas. Not for events, and not for what is drawn: the scene has it.

use std::rc::Rc;

use schedlab_view::timeline::Stretch;
use schedlab_view::{Colour, Theme, ticks};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::protocol::{Timeline, TimelinePiece, Who};

/// Room for the rows' names, pixels.
pub(super) const LEFT_PX: f64 = 62.0;
/// Room right of the rows.
pub(super) const RIGHT_PX: f64 = 10.0;
/// Room for the axis below the rows.
pub(super) const AXIS_PX: f64 = 22.0;

/// Where tasks go from row to row is drawn while there are at most so many such lines.
const MOST_LINES: usize = 150;

/// Everything that is drawn.
#[derive(Clone, PartialEq)]
pub(super) struct Scene {
    pub(super) theme: Theme,
    pub(super) stretch: Stretch,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) row_px: f64,
    pub(super) rows: Vec<Row>,
    /// The letters of the kinds of tasks.
    pub(super) marks: Vec<char>,
    /// The selected switch: its CPU and instant, and its variant where rows are variants.
    pub(super) cursor: Option<(u16, u64, Option<usize>)>,
    pub(super) chosen_variant: usize,
}

/// A row that is seen.
#[derive(Clone, PartialEq)]
pub(super) struct Row {
    /// Its upper edge, pixels.
    pub(super) top: f64,
    pub(super) cpu: u16,
    pub(super) label: String,
    pub(super) chosen: bool,
    pub(super) starts_core: bool,
    pub(super) told: Option<Rc<Timeline>>,
}

struct Brush<'a> {
    context: CanvasRenderingContext2d,
    scene: &'a Scene,
    /// The width of the rows, pixels.
    width: f64,
    /// The height of all rows together.
    rows_px: f64,
}

/// Draws a scene on a canvas, at the screen's own resolution.
pub(super) fn draw(canvas: &HtmlCanvasElement, scene: &Scene, ratio: f64) {
    canvas.set_width((scene.width * ratio).round() as u32);
    canvas.set_height((scene.height * ratio).round() as u32);
    let context = canvas.get_context("2d").ok().flatten();
    let Some(context) = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok()) else { return };
    let _ = context.scale(ratio, ratio);
    let width = scene.width - LEFT_PX - RIGHT_PX;
    let brush = Brush { context, scene, width, rows_px: scene.height - AXIS_PX };
    brush.paper();
    brush.context.save();
    brush.context.begin_path();
    brush.context.rect(0.0, 0.0, scene.width, brush.rows_px);
    brush.context.clip();
    for row in &scene.rows {
        brush.row(row);
    }
    brush.ways();
    brush.context.restore();
    brush.cursor();
}

impl Brush<'_> {
    fn fill(&self, colour: Colour) {
        self.context.set_fill_style_str(&colour.css());
    }

    fn stroke(&self, colour: Colour, width: f64) {
        self.context.set_stroke_style_str(&colour.css());
        self.context.set_line_width(width);
    }

    fn line(&self, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
        self.context.begin_path();
        self.context.move_to(x, y);
        self.context.line_to(to_x, to_y);
        self.context.stroke();
    }

    fn text(&self, text: &str, x: f64, y: f64) {
        // A browser that cannot draw text has no user.
        let _ = self.context.fill_text(text, x, y);
    }

    /// The background, the grid and the axis.
    fn paper(&self) {
        let ink = self.scene.theme.ink();
        self.fill(ink.panel);
        self.context.fill_rect(0.0, 0.0, self.scene.width, self.scene.height);
        self.context.set_font("11px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace");
        self.context.set_text_align("center");
        let wanted = (self.width / 110.0).floor().max(2.0) as usize;
        for tick in ticks::instants(self.scene.stretch.from_ns, self.scene.stretch.to_ns, wanted) {
            let x = (LEFT_PX + self.scene.stretch.part(tick.value as u64) * self.width).round() + 0.5;
            self.stroke(ink.line, 1.0);
            self.line((x, 0.0), (x, self.rows_px + 4.0));
            self.fill(ink.mute);
            self.text(&tick.label, x.clamp(LEFT_PX + 22.0, self.scene.width - 32.0), self.scene.height - 6.0);
        }
    }

    /// The x of a piece's edge: pieces were laid out for the stretch that was asked for, which may be
    /// an earlier one.
    fn x(&self, told: &Timeline, px: f32) -> f64 {
        let part = f64::from(px) / f64::from(told.width_px.max(1));
        let ns = told.from_ns as f64 + part * (told.to_ns - told.from_ns) as f64;
        let shown = (ns - self.scene.stretch.from_ns as f64) / self.scene.stretch.length_ns().max(1) as f64;
        LEFT_PX + shown * self.width
    }

    fn row(&self, row: &Row) {
        let ink = self.scene.theme.ink();
        let (top, height) = (row.top + 1.5, self.scene.row_px - 3.0);
        if row.chosen {
            self.fill(ink.line);
            self.context.fill_rect(0.0, row.top, self.scene.width, self.scene.row_px);
        }
        if row.starts_core {
            self.stroke(ink.axis, 1.0);
            self.line((0.0, row.top.round() + 0.5), (self.scene.width, row.top.round() + 0.5));
        }
        self.fill(if row.chosen { ink.ink } else { ink.mute });
        self.context.set_font(if row.chosen { "600 11px system-ui, sans-serif" } else { "11px system-ui, sans-serif" });
        self.context.set_text_align("left");
        self.text(&row.label, 2.0, row.top + self.scene.row_px / 2.0 + 4.0);
        // An idle CPU is a thin line.
        self.stroke(ink.axis, 1.0);
        let middle = (row.top + self.scene.row_px / 2.0).round() + 0.5;
        self.line((LEFT_PX, middle), (LEFT_PX + self.width, middle));
        let Some(told) = &row.told else { return };
        let Some(of_cpu) = told.rows.iter().find(|told| told.cpu == row.cpu) else { return };
        for piece in &of_cpu.pieces {
            let (left, right) = (self.x(told, piece.left), self.x(told, piece.right));
            let (left, right) = (left.max(LEFT_PX), right.min(LEFT_PX + self.width));
            if right > left {
                self.piece(told, piece, (left, right), (top, height));
            }
        }
    }

    fn piece(&self, told: &Timeline, piece: &TimelinePiece, (left, right): (f64, f64), (top, height): (f64, f64)) {
        let ink = self.scene.theme.ink();
        let width = right - left;
        let mixed = piece.part < 100 || (piece.arrivals > 0 && piece.came_from.is_none());
        match piece.task {
            None => self.forced_idle((left, right), (top, height)),
            Some(task) => {
                let who = who(told, task);
                let kind = who.and_then(|who| who.kind);
                let colour = kind.map_or(ink.axis, |kind| self.scene.theme.task(kind));
                self.fill(colour);
                // Several short runs are as high as the part of the time that they take.
                let share = if mixed { (f64::from(piece.part) / 100.0).max(0.15) } else { 1.0 };
                let gap = if width > 4.0 { 0.6 } else { 0.0 };
                self.context.fill_rect(left, top + height * (1.0 - share), (width - gap).max(0.6), height * share);
                if !mixed && width > 14.0 {
                    self.name(kind, who, colour, (left, right), top + height / 2.0 + 4.0);
                }
            }
        }
        if piece.arrivals > 0 && piece.task.is_some() {
            // A corner tells where a task came from another CPU.
            let side = (height * 0.42).min(7.0).min(width.max(3.0));
            self.fill(ink.ink);
            self.context.begin_path();
            self.context.move_to(left, top);
            self.context.line_to(left + side, top);
            self.context.line_to(left, top + side);
            self.context.close_path();
            self.context.fill();
        }
    }

    /// Hatched and framed, so that it is not taken for idle; named where there is room.
    fn forced_idle(&self, (left, right): (f64, f64), (top, height): (f64, f64)) {
        let ink = self.scene.theme.ink();
        let width = right - left;
        self.fill(ink.panel);
        self.context.fill_rect(left, top, width, height);
        self.stroke(ink.mute, 1.0);
        self.context.begin_path();
        if width > 3.0 {
            let mut x = left - height + 2.0;
            while x < right {
                let (from, to) = (x.max(left), (x + height).min(right));
                self.context.move_to(from, top + height - (from - x));
                self.context.line_to(to, top + height - (to - x));
                x += 5.0;
            }
        }
        self.context.rect(left + 0.5, top + 0.5, (width - 1.0).max(0.2), height - 1.0);
        self.context.stroke();
        if width > 72.0 {
            self.context.set_font("11px system-ui, sans-serif");
            self.context.set_text_align("center");
            let (middle, y) = ((left + right) / 2.0, top + height / 2.0 + 4.0);
            self.fill(ink.panel);
            self.context.fill_rect(middle - 33.0, top + 2.0, 66.0, height - 4.0);
            self.fill(ink.ink);
            self.text("forced idle", middle, y);
        }
    }

    /// The letter of a task, with its instance where there is room, or its whole name.
    fn name(&self, kind: Option<usize>, who: Option<&Who>, colour: Colour, (left, right): (f64, f64), y: f64) {
        let Some(who) = who else { return };
        let letter = kind.and_then(|kind| self.scene.marks.get(kind)).copied().unwrap_or('?');
        let instance = who.name.rsplit_once('-').map_or("", |(_, instance)| instance);
        let short = format!("{letter}{instance}");
        let room = right - left - 10.0;
        let text = [who.name.as_str(), short.as_str()].into_iter().find(|text| text.len() as f64 * 6.6 <= room);
        if let Some(text) = text {
            self.fill(colour.ink_on());
            self.context.set_font("11px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace");
            self.context.set_text_align("left");
            self.text(text, left + 7.0, y);
        }
    }

    /// Where tasks go from one row to another, while there are not too many.
    fn ways(&self) {
        let mut ways = Vec::new();
        for row in &self.scene.rows {
            let Some(told) = &row.told else { continue };
            let Some(of_cpu) = told.rows.iter().find(|told| told.cpu == row.cpu) else { continue };
            for piece in &of_cpu.pieces {
                let from = piece.came_from.and_then(|cpu| self.scene.rows.iter().find(|row| row.cpu == cpu));
                let x = self.x(told, piece.left);
                if let Some(from) = from.filter(|_| (LEFT_PX..LEFT_PX + self.width).contains(&x)) {
                    ways.push((x, from.top, row.top));
                }
            }
        }
        if ways.len() > MOST_LINES {
            return;
        }
        self.stroke(self.scene.theme.ink().mute, 1.0);
        let half = self.scene.row_px / 2.0;
        for (x, from, to) in ways {
            let edge = if to > from { to + 1.5 } else { to + self.scene.row_px - 1.5 };
            self.line((x + 0.5, from + half), (x + 0.5, edge));
        }
    }

    /// The selected switch.
    fn cursor(&self) {
        let Some((cpu, at_ns, variant)) = self.scene.cursor else { return };
        let part = self.scene.stretch.part(at_ns);
        if !(0.0..=1.0).contains(&part) {
            return;
        }
        let x = (LEFT_PX + part * self.width).round() + 0.5;
        let ink = self.scene.theme.ink();
        self.stroke(ink.ink, 1.3);
        self.line((x, 0.0), (x, self.rows_px));
        let row = match variant {
            Some(variant) => self.scene.rows.get(variant),
            None => self.scene.rows.iter().find(|row| row.cpu == cpu),
        };
        if let Some(row) = row {
            let y = row.top + self.scene.row_px / 2.0;
            self.fill(ink.ink);
            self.context.begin_path();
            for (dx, dy) in [(-4.5, 0.0), (0.0, -4.5), (4.5, 0.0), (0.0, 4.5)] {
                self.context.line_to(x + dx, y + dy);
            }
            self.context.close_path();
            self.context.fill();
        }
    }
}

fn who(told: &Timeline, task: u32) -> Option<&Who> {
    let place = told.tasks.binary_search_by_key(&task, |(number, _)| *number).ok()?;
    told.tasks.get(place).map(|(_, who)| who)
}
