//! Which rows of a long list are on the screen, and where they stand.
//! Not for fetching them.

use std::ops::Range;

/// Browsers limit how high an element may be; a longer list is scrolled faster than it moves.
const TALLEST_PX: f64 = 4_000_000.0;

/// A list of rows of equal height, seen through a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// How many rows there are.
    pub total: usize,
    /// The height of a row, pixels.
    pub row_px: f64,
    /// The height of the window, pixels.
    pub visible_px: f64,
}

impl Window {
    fn full_px(&self) -> f64 {
        self.total as f64 * self.row_px
    }

    /// The height of the element that is scrolled, pixels.
    #[must_use]
    pub fn height_px(&self) -> f64 {
        self.full_px().min(TALLEST_PX)
    }

    /// How far into the list one sees at a scroll position, pixels of rows.
    #[must_use]
    pub fn top_px(&self, scroll_px: f64) -> f64 {
        let (way, full_way) = (self.height_px() - self.visible_px, self.full_px() - self.visible_px);
        if way > 0.0 { (scroll_px / way).clamp(0.0, 1.0) * full_way } else { 0.0 }
    }

    /// The scroll position at which one sees that far into the list.
    #[must_use]
    pub fn scroll_px(&self, top_px: f64) -> f64 {
        let (way, full_way) = (self.height_px() - self.visible_px, self.full_px() - self.visible_px);
        if full_way > 0.0 { (top_px / full_way).clamp(0.0, 1.0) * way } else { 0.0 }
    }

    /// The rows to draw at a scroll position: what is seen and half a screen on each side.
    #[must_use]
    pub fn rows(&self, scroll_px: f64) -> Range<usize> {
        let (top, margin) = (self.top_px(scroll_px), self.visible_px / 2.0);
        let first = ((top - margin).max(0.0) / self.row_px).floor() as usize;
        let last = ((top + self.visible_px + margin) / self.row_px).ceil() as usize;
        first.min(self.total)..last.min(self.total)
    }

    /// Where a row stands inside the scrolled element, pixels from its top.
    #[must_use]
    pub fn place_px(&self, row: usize, scroll_px: f64) -> f64 {
        scroll_px + row as f64 * self.row_px - self.top_px(scroll_px)
    }

    /// The scroll position that shows a row, moving as little as possible.
    #[must_use]
    pub fn reveal_px(&self, row: usize, scroll_px: f64) -> f64 {
        let (top, start) = (self.top_px(scroll_px), row as f64 * self.row_px);
        if start < top {
            self.scroll_px(start)
        } else if start + self.row_px > top + self.visible_px {
            self.scroll_px(start + self.row_px - self.visible_px)
        } else {
            scroll_px
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(total: usize) -> Window {
        Window { total, row_px: 20.0, visible_px: 200.0 }
    }

    #[test]
    fn the_screen_and_a_margin_are_at_hand() {
        assert_eq!(window(1_000).rows(0.0), 0..15);
        assert_eq!(window(1_000).rows(1_000.0), 45..65);
        assert_eq!(window(1_000).rows(19_800.0), 985..1_000);
        assert_eq!(window(3).rows(0.0), 0..3);
        assert_eq!(window(0).rows(0.0), 0..0);
    }

    #[test]
    fn a_short_list_scrolls_as_usual() {
        let list = window(100);
        assert_eq!(list.place_px(7, 60.0), 140.0);
        assert_eq!(list.reveal_px(5, 0.0), 0.0);
        assert_eq!(list.reveal_px(10, 0.0), 20.0);
        assert_eq!(list.reveal_px(2, 100.0), 40.0);
    }

    #[test]
    fn a_long_list_reaches_its_end() {
        let list = window(10_000_000);
        let end = list.height_px() - list.visible_px;
        assert_eq!(list.height_px(), 4_000_000.0);
        assert_eq!(list.rows(end).end, 10_000_000);
        let scroll = list.reveal_px(5_000_000, 0.0);
        assert!(list.rows(scroll).contains(&5_000_000));
        let place = list.place_px(5_000_000, scroll);
        assert!(place >= scroll - 1.0 && place <= scroll + 181.0, "{place} at {scroll}");
    }
}
