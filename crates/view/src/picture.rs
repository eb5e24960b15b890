//! The charts as data: what is drawn, what a pointer reads off, and the same as a table.
//! Not for drawing: the page hands these to its canvas.

use crate::bars::{Bar, group_at, grouped, occupied};
use crate::curve::{Point, Steps};
use crate::format;
use crate::scale::Scale;
use crate::ticks::{self, Tick};

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Curves over a logarithmic time axis.
    Curves(Curves),
    /// Upright bars over a row of buckets.
    Columns(Columns),
    /// Lying bars, one group a line.
    Rows(Rows),
}

/// Curves over a logarithmic time axis, one for each variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The axis, nanoseconds.
    pub x: Scale,
    /// Its ticks.
    pub x_ticks: Vec<Tick>,
    /// The largest height.
    pub y_most: f64,
    /// Ticks of the height.
    pub y_ticks: Vec<Tick>,
    /// The curves; heights are shares of one.
    pub curves: Vec<Steps>,
    /// Whether the first curve is drawn as an area.
    pub area: bool,
}

/// Upright bars: counts by bucket, a bar for each variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// What each bucket is called below the axis.
    pub labels: Vec<String>,
    /// What each bucket holds, in words.
    pub meanings: Vec<String>,
    /// Counts, by variant and bucket.
    pub series: Vec<Vec<f64>>,
    /// The largest height.
    pub most: f64,
    /// Ticks of the height.
    pub y_ticks: Vec<Tick>,
}

/// Lying bars: a group of one bar for each variant on each line.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The name of each line.
    pub labels: Vec<String>,
    /// Values, by variant and line.
    pub series: Vec<Vec<f64>>,
    /// The largest value.
    pub most: f64,
    /// Ticks of the value.
    pub x_ticks: Vec<Tick>,
}

/// What a chart says at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Where the cross-hair stands, part of the plot's width; none for lying bars.
    pub at: Option<f64>,
    /// What the point is.
    pub head: String,
    /// What each variant has there.
    pub values: Vec<String>,
}

/// A chart in words and numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What the first column is.
    pub first: String,
    /// A line for each point: what it is, then each variant.
    pub lines: Vec<(String, Vec<String>)>,
}

/// At most this many points a curve.
const FINEST: usize = 400;

impl Curves {
    /// A cumulative distribution for each variant: points of delay in nanoseconds and share of
    /// waits that are not longer.
    #[must_use]
    pub fn distribution(curves: Vec<Steps>) -> Self {
        let y_ticks = [0.0, 0.5, 0.99].map(|value| Tick { value, label: format!("{}%", value * 100.0) });
        Self::new(curves, 1.0, y_ticks.to_vec(), false)
    }

    /// A histogram for each variant: bins that begin at a delay in nanoseconds and hold a share
    /// of the waits. The last point of each ends its last bin and has the height 0.
    #[must_use]
    pub fn histogram(curves: Vec<Steps>) -> Self {
        let most = curves.iter().flat_map(|c| &c.0).map(|point| point.y).fold(0.0, f64::max);
        let most = if most > 0.0 { most * 1.06 } else { 1.0 };
        let mut y_ticks = ticks::linear(0.0, most * 100.0, 3);
        for tick in &mut y_ticks {
            tick.value /= 100.0;
            tick.label.push('%');
        }
        Self::new(curves, most, y_ticks, true)
    }

    fn new(curves: Vec<Steps>, y_most: f64, y_ticks: Vec<Tick>, area: bool) -> Self {
        let xs = || curves.iter().flat_map(|curve| &curve.0).map(|point| point.x);
        // Waits below 100 ns are all the same to a reader: no wait.
        let least = xs().fold(f64::INFINITY, f64::min).max(100.0);
        let most = xs().fold(0.0, f64::max).max(1_000.0);
        let (low, high) = ticks::decade_bounds(least.min(most), most);
        let x = Scale::log10(low, high);
        let curves =
            if area { curves } else { curves.iter().map(|c| c.thinned(FINEST, |x_ns| x.position(x_ns))).collect() };
        Self { x, x_ticks: ticks::decades(low, high), y_most, y_ticks, curves, area }
    }

    /// The corners of a curve in parts of the plot's width and height.
    #[must_use]
    pub fn path(&self, curve: usize) -> Vec<Point> {
        let (low, high) = self.x.range();
        let corners = self.curves.get(curve).map(|steps| steps.corners(low, high)).unwrap_or_default();
        corners.into_iter().map(|p| Point { x: self.x.position(p.x), y: (p.y / self.y_most).clamp(0.0, 1.0) }).collect()
    }

    fn reading(&self, x: f64) -> Reading {
        let ns = self.x.value(x);
        let head =
            if self.area { format!("about {}", format::duration(ns)) } else { format!("≤ {}", format::duration(ns)) };
        Reading { at: Some(x), head, values: self.curves.iter().map(|c| format::share(c.at(ns))).collect() }
    }

    fn table(&self) -> Table {
        if self.area {
            let mut starts: Vec<f64> = self.curves.iter().flat_map(|c| &c.0).map(|point| point.x).collect();
            starts.sort_by(f64::total_cmp);
            starts.dedup();
            let shares = |x: f64| self.curves.iter().map(move |c| c.at(x)).collect::<Vec<f64>>();
            let lines =
                starts.into_iter().map(|x| (x, shares(x))).filter(|(_, shares)| shares.iter().any(|s| *s > 0.0));
            let words = |shares: Vec<f64>| shares.into_iter().map(format::share).collect();
            return Table {
                first: "Delay from".to_owned(),
                lines: lines.map(|(x, shares)| (format::duration(x), words(shares))).collect(),
            };
        }
        let quantiles = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0];
        let cell = |curve: &Steps, q: f64| curve.reaches(q - 1e-12).map_or_else(|| "–".to_owned(), format::duration);
        Table {
            first: "Share of waits".to_owned(),
            lines: quantiles
                .map(|q| (format::share(q), self.curves.iter().map(|curve| cell(curve, q)).collect()))
                .to_vec(),
        }
    }
}

impl Columns {
    /// Counts by log2 bucket in microseconds: bucket 0 holds what is below 1, bucket n from 1 on
    /// what is from 2^(n-1) up to 2^n. Empty ends are cut.
    #[must_use]
    pub fn log2_microseconds(series: &[Vec<f64>]) -> Self {
        let range = occupied(series);
        let cut = |values: &Vec<f64>| range.clone().map(|n| values.get(n).copied().unwrap_or(0.0)).collect();
        let series: Vec<Vec<f64>> = series.iter().map(cut).collect();
        let most = series.iter().flatten().copied().fold(0.0, f64::max) * 1.06;
        let bound = |power: usize| format::exact(1_000u64 << power.min(40));
        let meaning = |bucket: usize| match bucket {
            0 => format!("less than {}", bound(0)),
            _ => format!("{} to {}", bound(bucket - 1), bound(bucket)),
        };
        Self {
            labels: range.clone().map(format::log2_label).collect(),
            meanings: range.map(meaning).collect(),
            y_ticks: ticks::linear(0.0, most, 3),
            most,
            series,
        }
    }

    /// The bars in parts of the plot's width and height.
    #[must_use]
    pub fn bars(&self) -> Vec<Bar> {
        grouped(&self.series, self.most, 0.008)
    }

    fn reading(&self, x: f64) -> Option<Reading> {
        let group = group_at(x, self.labels.len())?;
        let value = |values: &Vec<f64>| format::number(values.get(group).copied().unwrap_or(0.0));
        Some(Reading {
            at: Some((group as f64 + 0.5) / self.labels.len() as f64),
            head: self.meanings.get(group)?.clone(),
            values: self.series.iter().map(value).collect(),
        })
    }
}

impl Rows {
    /// Values by variant and line.
    #[must_use]
    pub fn new(labels: Vec<String>, series: Vec<Vec<f64>>) -> Self {
        let most = series.iter().flatten().copied().fold(0.0, f64::max);
        Self { labels, series, most: most * 1.12, x_ticks: ticks::linear(0.0, most * 1.12, 5) }
    }

    /// The bars: `left` and `right` are parts of the plot's height from its top, `height` a part
    /// of its width.
    #[must_use]
    pub fn bars(&self) -> Vec<Bar> {
        grouped(&self.series, self.most, 0.004)
    }

    fn reading(&self, y: f64) -> Option<Reading> {
        let line = group_at(y, self.labels.len())?;
        let value = |values: &Vec<f64>| format::number(values.get(line).copied().unwrap_or(0.0));
        Some(Reading {
            at: None,
            head: self.labels.get(line)?.clone(),
            values: self.series.iter().map(value).collect(),
        })
    }
}

impl Picture {
    /// What the chart says at a point of its plot: `x` from the left, `y` from the top, in parts.
    #[must_use]
    pub fn reading(&self, x: f64, y: f64) -> Option<Reading> {
        let inside = (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
        match self {
            _ if !inside => None,
            Self::Curves(curves) => Some(curves.reading(x)),
            Self::Columns(columns) => columns.reading(x),
            Self::Rows(rows) => rows.reading(y),
        }
    }

    /// The chart as a table.
    #[must_use]
    pub fn table(&self) -> Table {
        let lines = |heads: &[String], series: &[Vec<f64>]| {
            let cells = |n: usize| series.iter().map(|v| format::number(v.get(n).copied().unwrap_or(0.0))).collect();
            heads.iter().enumerate().map(|(n, head)| (head.clone(), cells(n))).collect()
        };
        match self {
            Self::Curves(curves) => curves.table(),
            Self::Columns(c) => Table { first: "Ran for".to_owned(), lines: lines(&c.meanings, &c.series) },
            Self::Rows(r) => Table { first: "Task".to_owned(), lines: lines(&r.labels, &r.series) },
        }
    }

    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Curves(curves) => curves.curves.iter().all(|curve| curve.0.is_empty()),
            Self::Columns(columns) => columns.labels.is_empty(),
            Self::Rows(rows) => rows.labels.is_empty() || rows.most <= 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(points: &[(f64, f64)]) -> Steps {
        Steps(points.iter().map(|&(x, y)| Point { x, y }).collect())
    }

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn a_distribution_is_read_at_the_pointer() {
        let picture =
            Picture::Curves(Curves::distribution(vec![steps(&[(2e3, 0.5), (5e6, 1.0)]), steps(&[(4e4, 1.0)])]));
        let Picture::Curves(curves) = &picture else { unreachable!() };
        assert_eq!(curves.x.range(), (1e3, 1e7));
        let reading = picture.reading(0.5, 0.5).expect("inside");
        assert_eq!(plain(&reading.head), "≤ 100 µs");
        assert_eq!(reading.values.iter().map(|v| plain(v)).collect::<Vec<_>>(), ["50.0 %", "100 %"]);
        assert_eq!(picture.reading(1.2, 0.5), None);
        let median = picture.table().lines.into_iter().find(|(head, _)| plain(head) == "50.0 %").expect("median");
        assert_eq!(median.1.iter().map(|v| plain(v)).collect::<Vec<_>>(), ["2.00 µs", "40.0 µs"]);
        let path = curves.path(0);
        assert!(path.windows(2).all(|pair| pair[0].x <= pair[1].x && pair[0].y <= pair[1].y));
    }

    #[test]
    fn a_distribution_without_waits_still_has_an_axis() {
        let picture = Picture::Curves(Curves::distribution(vec![Steps::default(), Steps::default()]));
        assert!(picture.is_empty());
        assert!(picture.reading(0.5, 0.5).is_some());
    }

    #[test]
    fn a_histogram_lists_what_it_draws() {
        let curve = steps(&[(1e3, 0.25), (2e3, 0.75), (4e3, 0.0)]);
        let picture = Picture::Curves(Curves::histogram(vec![curve]));
        let lines = picture.table().lines;
        assert_eq!(lines.len(), 2);
        assert_eq!((plain(&lines[1].0), plain(&lines[1].1[0])), ("2.00 µs".to_owned(), "75.0 %".to_owned()));
    }

    #[test]
    fn columns_say_what_a_bucket_holds() {
        let mut counts = vec![0.0; 32];
        counts[12] = 7.0;
        let picture = Picture::Columns(Columns::log2_microseconds(&[counts, vec![0.0; 32]]));
        let Picture::Columns(columns) = &picture else { unreachable!() };
        assert_eq!(columns.labels, ["1K", "2K", "4K"]);
        let reading = picture.reading(0.5, 0.9).expect("inside");
        assert_eq!((plain(&reading.head).as_str(), reading.values[0].as_str()), ("2048 µs to 4096 µs", "7"));
        assert!(Picture::Columns(Columns::log2_microseconds(&[vec![0.0; 32]])).is_empty());
    }

    #[test]
    fn rows_are_read_by_height() {
        let picture =
            Picture::Rows(Rows::new(vec!["hog".into(), "sleeper".into()], vec![vec![10.0, 0.0], vec![3.0, 1.0]]));
        let reading = picture.reading(0.1, 0.75).expect("inside");
        assert_eq!(
            (reading.head.as_str(), reading.values.as_slice()),
            ("sleeper", ["0".to_owned(), "1".to_owned()].as_slice())
        );
        assert_eq!(picture.table().lines.len(), 2);
    }
}
