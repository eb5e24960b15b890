//! Grouped bars: where each bar stands, and which one a point hits.
//! Not for axes or drawing.

/// One bar, in parts of the plot's width and height from its lower left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Which group along the axis.
    pub group: usize,
    /// Which series within the group.
    pub series: usize,
    /// The left edge.
    pub left: f64,
    /// The right edge.
    pub right: f64,
    /// The height; 0 for nothing.
    pub height: f64,
}

/// Share of a group's width that its bars fill; the rest separates it from its neighbours.
const FILL: f64 = 0.78;

/// Lays out `series[s][g]` side by side in each group. Heights are parts of `most`; a value above
/// 0 is at least `thinnest` high so that it can be seen.
#[must_use]
pub fn grouped(series: &[Vec<f64>], most: f64, thinnest: f64) -> Vec<Bar> {
    let groups = series.iter().map(Vec::len).max().unwrap_or(0);
    if groups == 0 || most.is_nan() || most <= 0.0 {
        return Vec::new();
    }
    let (group_width, count) = (1.0 / groups as f64, series.len() as f64);
    let bar_width = group_width * FILL / count;
    let mut bars = Vec::with_capacity(groups * series.len());
    for group in 0..groups {
        let start = group as f64 * group_width + group_width * (1.0 - FILL) / 2.0;
        for (index, values) in series.iter().enumerate() {
            let value = values.get(group).copied().unwrap_or(0.0);
            let height = if value > 0.0 { (value / most).max(thinnest).min(1.0) } else { 0.0 };
            let left = start + index as f64 * bar_width;
            bars.push(Bar { group, series: index, left, right: left + bar_width, height });
        }
    }
    bars
}

/// The group below a point at `x` (part of the width) of `groups` equal ones.
#[must_use]
pub fn group_at(x: f64, groups: usize) -> Option<usize> {
    let inside = (0.0..1.0).contains(&x) && groups > 0;
    inside.then(|| ((x * groups as f64) as usize).min(groups - 1))
}

/// The part of a list of counts that is worth drawing: from the first to the last that is not 0
/// in any series, one empty place kept on each side.
#[must_use]
pub fn occupied(series: &[Vec<f64>]) -> std::ops::Range<usize> {
    let used = |index: usize| series.iter().any(|values| values.get(index).is_some_and(|v| *v > 0.0));
    let length = series.iter().map(Vec::len).max().unwrap_or(0);
    match ((0..length).find(|i| used(*i)), (0..length).rfind(|i| used(*i))) {
        (Some(first), Some(last)) => first.saturating_sub(1)..(last + 2).min(length),
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_of_a_group_touch_and_groups_do_not() {
        let bars = grouped(&[vec![1.0, 2.0], vec![4.0, 0.0]], 4.0, 0.01);
        assert_eq!(bars.len(), 4);
        assert!((bars[0].right - bars[1].left).abs() < 1e-12);
        assert!(bars[1].right < bars[2].left);
        assert_eq!(bars.iter().map(|b| b.height).collect::<Vec<_>>(), [0.25, 1.0, 0.5, 0.0]);
        assert!(bars.iter().all(|b| (0.0..=1.0).contains(&b.left) && b.right <= 1.0));
    }

    #[test]
    fn a_small_value_can_still_be_seen() {
        let bars = grouped(&[vec![1.0, 1e6]], 1e6, 0.01);
        assert!((bars[0].height - 0.01).abs() < 1e-12);
    }

    #[test]
    fn nothing_gives_no_bars() {
        assert!(grouped(&[], 1.0, 0.0).is_empty());
        assert!(grouped(&[vec![0.0]], 0.0, 0.0).is_empty());
    }

    #[test]
    fn a_point_hits_the_group_that_is_drawn_there() {
        let bars = grouped(&[vec![1.0; 7], vec![2.0; 7]], 2.0, 0.0);
        for bar in &bars {
            assert_eq!(group_at((bar.left + bar.right) / 2.0, 7), Some(bar.group));
        }
        assert_eq!([group_at(-0.1, 7), group_at(1.0, 7), group_at(0.5, 0)], [None; 3]);
    }

    #[test]
    fn empty_ends_are_cut() {
        assert_eq!(occupied(&[vec![0.0, 0.0, 0.0, 3.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]), 2..6);
        assert_eq!(occupied(&[vec![0.0; 4]]), 0..0);
        assert_eq!(occupied(&[vec![1.0]]), 0..1);
    }
}
