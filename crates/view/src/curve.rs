//! Step curves such as a cumulative distribution: thinning for drawing, and reading a value off.
//! Not for making distributions: `schedlab-report` does.

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Along the axis.
    pub x: f64,
    /// The height.
    pub y: f64,
}

/// A curve that keeps its height until the next point; points in order of `x`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps(pub Vec<Point>);

impl Steps {
    /// The height at `x`: that of the last point not after it; 0 before the first.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let after = self.0.partition_point(|point| point.x <= x);
        after.checked_sub(1).and_then(|index| self.0.get(index)).map_or(0.0, |point| point.y)
    }

    /// The smallest `x` at which the curve has reached `y`, for a rising curve.
    #[must_use]
    pub fn reaches(&self, y: f64) -> Option<f64> {
        let index = self.0.partition_point(|point| point.y < y);
        self.0.get(index).map(|point| point.x)
    }

    /// The curve with at most `most` points (at least 2): a point that changes neither its column
    /// of the picture nor its row is left out. `position` maps `x` to 0..=1.
    #[must_use]
    pub fn thinned(&self, most: usize, position: impl Fn(f64) -> f64) -> Self {
        let most = most.max(2);
        if self.0.len() <= most {
            return self.clone();
        }
        let columns = (most - 1) as f64;
        let mut kept: Vec<Point> = Vec::with_capacity(most);
        let mut last_column = None;
        for point in &self.0 {
            let column = (position(point.x) * (columns - 1.0)).floor() as i64;
            if last_column == Some(column) {
                // A rising curve leaves its column at the column's highest point.
                if let Some(last) = kept.last_mut() {
                    *last = *point;
                }
            } else {
                kept.push(*point);
                last_column = Some(column);
            }
        }
        Self(kept)
    }

    /// The corners of the curve as a line goes through them, between `from` and `to`.
    #[must_use]
    pub fn corners(&self, from: f64, to: f64) -> Vec<Point> {
        let mut y = self.at(from);
        let mut corners = vec![Point { x: from, y }];
        for point in self.0.iter().filter(|point| point.x > from && point.x <= to) {
            corners.push(Point { x: point.x, y });
            corners.push(*point);
            y = point.y;
        }
        corners.push(Point { x: to, y });
        corners
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(points: usize) -> Steps {
        Steps((1..=points).map(|n| Point { x: n as f64, y: n as f64 / points as f64 }).collect())
    }

    #[test]
    fn a_step_keeps_its_height() {
        let steps = ramp(4);
        let heights = [0.5, 1.0, 1.9, 2.0, 9.0].map(|x| steps.at(x));
        assert_eq!(heights, [0.0, 0.25, 0.25, 0.5, 1.0]);
        assert_eq!(steps.reaches(0.5), Some(2.0));
        assert_eq!(steps.reaches(1.1), None);
        assert_eq!(Steps::default().at(1.0), 0.0);
    }

    #[test]
    fn thinning_keeps_ends_and_stays_close() {
        let steps = ramp(10_000);
        let thin = steps.thinned(200, |x| x / 10_000.0);
        assert!(thin.0.len() <= 200, "{}", thin.0.len());
        assert_eq!(thin.0.last(), steps.0.last());
        for x in 1..=10_000 {
            assert!((thin.at(f64::from(x)) - steps.at(f64::from(x))).abs() < 0.011, "{x}");
        }
        assert_eq!(ramp(5).thinned(10, |x| x), ramp(5));
    }

    #[test]
    fn corners_go_right_then_up() {
        let corners = ramp(2).corners(0.0, 3.0);
        let flat: Vec<(f64, f64)> = corners.iter().map(|p| (p.x, p.y)).collect();
        assert_eq!(flat, [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (3.0, 1.0)]);
    }
}
