//! Draws pictures on a canvas by plotters. Not for deciding what is drawn: `schedlab_view::picture`
//! does; not for events: the plot component has them.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_canvas::CanvasBackend;
use schedlab_view::palette::{Ink, Stroke, filled, stroke};
use schedlab_view::picture::{Columns, Curves, Rows};
use schedlab_view::{Colour, Picture, Theme, Tick};
use web_sys::HtmlCanvasElement;

/// The plot's place inside the canvas, CSS pixels from each side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// Left: labels of the height, or names of lines.
    pub left: f64,
    /// Right.
    pub right: f64,
    /// Top.
    pub top: f64,
    /// Bottom: labels of the axis.
    pub bottom: f64,
}

/// The margins that a picture needs.
#[must_use]
pub fn margins(picture: &Picture) -> Margins {
    let left = match picture {
        Picture::Curves(curves) => label_width(curves.y_ticks.iter().map(|tick| tick.label.as_str()), 6.8),
        Picture::Columns(columns) => label_width(columns.y_ticks.iter().map(|tick| tick.label.as_str()), 6.8),
        Picture::Rows(rows) => label_width(rows.labels.iter().map(String::as_str), 7.4).min(150.0),
    };
    Margins { left, right: 14.0, top: 8.0, bottom: 22.0 }
}

fn label_width<'a>(labels: impl Iterator<Item = &'a str>, each: f64) -> f64 {
    labels.map(|label| label.chars().count()).max().unwrap_or(0) as f64 * each + 10.0
}

const MONO: &str = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const SANS: &str = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/// Why a chart could not be drawn.
#[derive(Debug)]
pub struct DrawError(String);

impl std::fmt::Display for DrawError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the chart cannot be drawn: {}", self.0)
    }
}

impl std::error::Error for DrawError {}

type Area = DrawingArea<CanvasBackend, Shift>;
type Plot = DrawingArea<
    CanvasBackend,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;
type Drawn = Result<(), DrawingAreaErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>>;

/// What drawing needs to know everywhere.
struct Brush {
    ink: Ink,
    theme: Theme,
    /// Device pixels a CSS pixel.
    ratio: f64,
    margins: Margins,
    width: f64,
    height: f64,
}

/// Draws a picture on a canvas whose size in device pixels is already set.
///
/// # Errors
/// [`DrawError`] when the canvas has no 2D context or drawing fails.
pub fn draw(canvas: &HtmlCanvasElement, picture: &Picture, theme: Theme, ratio: f64) -> Result<(), DrawError> {
    let backend = CanvasBackend::with_canvas_object(canvas.clone())
        .ok_or_else(|| DrawError("the canvas has no 2D context".to_owned()))?;
    let root = backend.into_drawing_area();
    let brush = Brush {
        ink: theme.ink(),
        theme,
        ratio,
        margins: margins(picture),
        width: f64::from(canvas.width()),
        height: f64::from(canvas.height()),
    };
    brush.picture(&root, picture).map_err(|error| DrawError(error.to_string()))
}

impl Brush {
    fn picture(&self, root: &Area, picture: &Picture) -> Drawn {
        root.fill(&rgb(self.ink.panel))?;
        let margins = self.margins;
        let chart = ChartBuilder::on(root)
            .margin_left(self.px(margins.left))
            .margin_right(self.px(margins.right))
            .margin_top(self.px(margins.top))
            .margin_bottom(self.px(margins.bottom))
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        let plot = chart.plotting_area();
        match picture {
            Picture::Curves(curves) => self.curves(root, plot, curves)?,
            Picture::Columns(columns) => self.columns(root, plot, columns)?,
            Picture::Rows(rows) => self.rows(root, plot, rows)?,
        }
        root.present()
    }

    fn curves(&self, root: &Area, plot: &Plot, curves: &Curves) -> Drawn {
        let x_ticks: Vec<(f64, &str)> =
            curves.x_ticks.iter().map(|tick| (curves.x.position(tick.value), tick.label.as_str())).collect();
        self.upright(root, &x_ticks)?;
        self.level(root, &curves.y_ticks, curves.y_most)?;
        for index in 0..curves.curves.len() {
            let points: Vec<(f64, f64)> = curves.path(index).iter().map(|p| (p.x, p.y)).collect();
            let colour = rgb(self.theme.variant(index));
            if curves.area && filled(index) {
                let mut outline = vec![(0.0, 0.0)];
                outline.extend(&points);
                outline.push((1.0, 0.0));
                plot.draw(&Polygon::new(outline, colour.mix(0.22).filled()))?;
            }
            let style = colour.stroke_width(self.px(if curves.area { 1.5 } else { 2.0 }));
            match stroke(index) {
                Stroke::Solid => plot.draw(&PathElement::new(points, style))?,
                Stroke::Dashed(on, off) => {
                    let pixels = points.iter().map(|point| plot.map_coordinate(point));
                    for dash in dashes(pixels, self.ratio * f64::from(on), self.ratio * f64::from(off)) {
                        root.draw(&PathElement::new(dash, style))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn columns(&self, root: &Area, plot: &Plot, columns: &Columns) -> Drawn {
        self.level(root, &columns.y_ticks, columns.most)?;
        let count = columns.labels.len();
        let step = (count as f64 * 34.0 * self.ratio / self.plot_width()).ceil().max(1.0) as usize;
        for (index, label) in columns.labels.iter().enumerate().step_by(step) {
            let x = self.x((index as f64 + 0.5) / count as f64);
            self.text(root, label, (x, self.y(0.0) + 6.0 * self.ratio), (HPos::Center, VPos::Top), self.ink.mute)?;
        }
        for bar in columns.bars().into_iter().filter(|bar| bar.height > 0.0) {
            let (left, right) = (self.x(bar.left), self.x(bar.right));
            self.bar(root, bar.series, (left, self.y(bar.height)), (right, self.y(0.0)))?;
        }
        let _ = plot;
        Ok(())
    }

    fn rows(&self, root: &Area, plot: &Plot, rows: &Rows) -> Drawn {
        let x_ticks: Vec<(f64, &str)> =
            rows.x_ticks.iter().map(|tick| (tick.value / rows.most, tick.label.as_str())).collect();
        self.upright(root, &x_ticks)?;
        let count = rows.labels.len() as f64;
        let most_letters = ((self.margins.left - 10.0) / 7.0) as usize;
        for (index, label) in rows.labels.iter().enumerate() {
            let y = self.y(1.0 - (index as f64 + 0.5) / count);
            let label = shortened(label, most_letters);
            let at = (self.x(0.0) - 8.0 * self.ratio, y);
            self.styled(root, &label, at, (HPos::Right, VPos::Center), self.ink.ink, (SANS, 12.0))?;
        }
        for bar in rows.bars() {
            let (top, bottom) = (self.y(1.0 - bar.left), self.y(1.0 - bar.right));
            if bar.height > 0.0 {
                self.bar(root, bar.series, (self.x(0.0), top), (self.x(bar.height), bottom))?;
            }
        }
        let _ = plot;
        Ok(())
    }

    /// A bar of a variant: filled or outlined.
    fn bar(&self, root: &Area, series: usize, from: (f64, f64), to: (f64, f64)) -> Drawn {
        let colour = rgb(self.theme.variant(series));
        let gap = 0.5 * self.ratio;
        let corner = |(x, y): (f64, f64), by: f64| ((x + by).round() as i32, (y + by).round() as i32);
        if filled(series) {
            root.draw(&Rectangle::new([corner(from, gap), corner(to, -gap)], colour.filled()))
        } else {
            let width = self.px(1.5);
            let inset = gap + f64::from(width) / 2.0;
            let (a, b) = (corner(from, inset), corner(to, -inset));
            // Too thin for an outline: a line.
            let b = (b.0.max(a.0 + 1), b.1.max(a.1 + 1));
            root.draw(&Rectangle::new([a, b], rgb(self.ink.panel).filled()))?;
            root.draw(&Rectangle::new([a, b], colour.stroke_width(width)))
        }
    }

    /// Lines and labels of the axis.
    fn upright(&self, root: &Area, ticks: &[(f64, &str)]) -> Drawn {
        for (position, label) in ticks {
            let x = self.x(*position);
            self.line(root, (x, self.y(1.0)), (x, self.y(0.0)), self.ink.line)?;
            let anchor = if *position > 0.97 { HPos::Right } else { HPos::Center };
            let x = if *position > 0.97 { x + 10.0 * self.ratio } else { x };
            self.text(root, label, (x, self.y(0.0) + 6.0 * self.ratio), (anchor, VPos::Top), self.ink.mute)?;
        }
        Ok(())
    }

    /// Lines and labels of the height.
    fn level(&self, root: &Area, ticks: &[Tick], most: f64) -> Drawn {
        for tick in ticks {
            let y = self.y(tick.value / most);
            let colour = if tick.value == 0.0 { self.ink.axis } else { self.ink.line };
            self.line(root, (self.x(0.0), y), (self.x(1.0), y), colour)?;
            let at = (self.x(0.0) - 5.0 * self.ratio, y);
            self.text(root, &tick.label, at, (HPos::Right, VPos::Center), self.ink.mute)?;
        }
        Ok(())
    }

    /// A thin line as a filled rectangle, which stays sharp.
    fn line(&self, root: &Area, from: (f64, f64), to: (f64, f64), colour: Colour) -> Drawn {
        let thick = self.ratio.max(1.0).round() as i32;
        let (x, y) = (from.0.round() as i32, from.1.round() as i32);
        let (right, bottom) = ((to.0.round() as i32).max(x + thick), (to.1.round() as i32).max(y + thick));
        root.draw(&Rectangle::new([(x, y), (right, bottom)], rgb(colour).filled()))
    }

    fn text(&self, root: &Area, text: &str, at: (f64, f64), anchor: (HPos, VPos), colour: Colour) -> Drawn {
        self.styled(root, text, at, anchor, colour, (MONO, 11.0))
    }

    fn styled(
        &self,
        root: &Area,
        text: &str,
        at: (f64, f64),
        (horizontal, vertical): (HPos, VPos),
        colour: Colour,
        (family, size): (&str, f64),
    ) -> Drawn {
        let font = (family, size * self.ratio).into_font();
        let colour = rgb(colour);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(horizontal, vertical));
        root.draw_text(text, &style, (at.0.round() as i32, at.1.round() as i32))
    }

    fn px(&self, css: f64) -> u32 {
        (css * self.ratio).round().max(1.0) as u32
    }

    fn plot_width(&self) -> f64 {
        (self.width - (self.margins.left + self.margins.right) * self.ratio).max(1.0)
    }

    fn x(&self, part: f64) -> f64 {
        self.margins.left * self.ratio + part * self.plot_width()
    }

    fn y(&self, part: f64) -> f64 {
        let bottom = self.height - self.margins.bottom * self.ratio;
        bottom - part * (bottom - self.margins.top * self.ratio)
    }
}

fn rgb(colour: Colour) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Cuts a line of pixels into dashes.
fn dashes(points: impl Iterator<Item = (i32, i32)>, on: f64, off: f64) -> Vec<Vec<(i32, i32)>> {
    let mut dashes = Vec::new();
    let mut dash: Vec<(i32, i32)> = Vec::new();
    let (mut drawing, mut left) = (true, on.max(1.0));
    let mut last: Option<(f64, f64)> = None;
    for point in points {
        let to = (f64::from(point.0), f64::from(point.1));
        let Some(mut from) = last else {
            dash.push(point);
            last = Some(to);
            continue;
        };
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length < left {
                left -= length;
                if drawing {
                    dash.push(point);
                }
                break;
            }
            let part = left / length;
            from = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            let cut = (from.0.round() as i32, from.1.round() as i32);
            if drawing {
                dash.push(cut);
                dashes.push(std::mem::take(&mut dash));
                left = off.max(1.0);
            } else {
                dash = vec![cut];
                left = on.max(1.0);
            }
            drawing = !drawing;
        }
        last = Some(to);
    }
    // What is left is a dash if it has any length.
    if drawing && dash.first() != dash.last() {
        dashes.push(dash);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_their_share_of_a_line() {
        let cut = dashes([(0, 0), (50, 0), (90, 0)].into_iter(), 6.0, 3.0);
        assert_eq!(cut.len(), 10);
        assert_eq!((cut[0][0], cut[0].last().copied()), ((0, 0), Some((6, 0))));
        assert_eq!(cut[1][0], (9, 0));
        let total: i32 = cut.iter().map(|d| d.last().map_or(0, |end| end.0 - d[0].0)).sum();
        assert_eq!(total, 60);
    }

    #[test]
    fn long_names_are_cut_with_a_sign() {
        assert_eq!(shortened("BrowserMain", 8), "Browser…");
        assert_eq!(shortened("hog", 8), "hog");
    }
}
