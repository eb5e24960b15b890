//! Which rows of a long list are on the screen.
//! Not for fetching them.

use std::ops::Range;

/// The rows to have at hand when `visible_px` of a list are seen from `top_px` on: what is on the
/// screen and half a screen more on each side. All rows are `row_px` high.
#[must_use]
pub fn rows(top_px: f64, visible_px: f64, row_px: f64, total: usize) -> Range<usize> {
    let margin = visible_px / 2.0;
    let first = ((top_px - margin).max(0.0) / row_px).floor() as usize;
    let last = ((top_px + visible_px + margin).max(0.0) / row_px).ceil() as usize;
    first.min(total)..last.min(total)
}

/// Where the list must be scrolled to so that `row` is seen, moving as little as possible.
#[must_use]
pub fn reveal(row: usize, top_px: f64, visible_px: f64, row_px: f64) -> f64 {
    let start = row as f64 * row_px;
    if start < top_px {
        start
    } else if start + row_px > top_px + visible_px {
        start + row_px - visible_px
    } else {
        top_px
    }
}

/// Browsers limit how high an element may be; a list longer than this many pixels is squeezed.
pub const TALLEST_PX: f64 = 8_000_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_and_a_margin_are_at_hand() {
        assert_eq!(rows(0.0, 200.0, 20.0, 1_000), 0..15);
        assert_eq!(rows(1_000.0, 200.0, 20.0, 1_000), 45..65);
        assert_eq!(rows(19_900.0, 200.0, 20.0, 1_000), 990..1_000);
        assert_eq!(rows(0.0, 200.0, 20.0, 3), 0..3);
    }

    #[test]
    fn revealing_moves_no_more_than_needed() {
        assert_eq!(reveal(5, 0.0, 200.0, 20.0), 0.0);
        assert_eq!(reveal(10, 0.0, 200.0, 20.0), 20.0);
        assert_eq!(reveal(2, 100.0, 200.0, 20.0), 40.0);
    }
}
