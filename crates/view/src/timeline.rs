//! What a CPU ran over a stretch of time, as pieces that can be seen: what is shorter than a pixel
//! or so is drawn together with its neighbours. Also the stretch itself: zooming, panning, rows.
//! Not for finding out what ran: the worker reads that off the record.

/// What a CPU does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Nothing.
    Idle,
    /// Nothing, although a task waits: the core runs another cookie.
    ForcedIdle,
    /// A task, by its number.
    Task(u32),
}

/// What a CPU does from one instant to another, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The beginning.
    pub from_ns: u64,
    /// The end.
    pub to_ns: u64,
    /// What it does.
    pub doing: Doing,
    /// The CPU where the task ran before, where that is another.
    pub came_from: Option<u16>,
}

/// One piece of a CPU's row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The left edge, pixels from the row's.
    pub left: f64,
    /// The right edge.
    pub right: f64,
    /// What is done there, or most of it.
    pub doing: Doing,
    /// How much of the piece that is: 1 unless several spans were put together.
    pub part: f64,
    /// How many tasks came from another CPU in it.
    pub arrivals: u32,
    /// Where the task came from, where the piece is one span.
    pub came_from: Option<u16>,
}

/// A row's figures over the stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Time in tasks, nanoseconds.
    pub busy_ns: u64,
    /// Time forced idle, nanoseconds.
    pub forced_idle_ns: u64,
    /// Times a task came in.
    pub runs: u32,
    /// Of them: from another CPU.
    pub arrivals: u32,
}

/// What is narrower is put together with its neighbours, pixels.
const NARROW_PX: f64 = 1.5;

/// A stretch of time that is seen, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The beginning.
    pub from_ns: u64,
    /// The end, after the beginning.
    pub to_ns: u64,
}

/// The shortest stretch, nanoseconds.
const SHORTEST_NS: u64 = 1_000;

impl Stretch {
    /// `length_ns` around an instant, inside a run of `whole_ns`.
    #[must_use]
    pub fn around(at_ns: u64, length_ns: u64, whole_ns: u64) -> Self {
        let whole_ns = whole_ns.max(SHORTEST_NS);
        let length = length_ns.clamp(SHORTEST_NS, whole_ns);
        let from_ns = at_ns.saturating_sub(length / 2).min(whole_ns - length);
        Self { from_ns, to_ns: from_ns + length }
    }

    /// The length, nanoseconds.
    #[must_use]
    pub const fn length_ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }

    /// The instant at a part of the stretch.
    #[must_use]
    pub fn at(&self, part: f64) -> u64 {
        self.from_ns + (part.clamp(0.0, 1.0) * self.length_ns() as f64) as u64
    }

    /// The part of the stretch at an instant; below 0 or above 1 outside.
    #[must_use]
    pub fn part(&self, at_ns: u64) -> f64 {
        (at_ns as f64 - self.from_ns as f64) / self.length_ns().max(1) as f64
    }

    /// Shows `factor` times as much, so that the instant at `part` stays where it is.
    #[must_use]
    pub fn zoomed(&self, factor: f64, part: f64, whole_ns: u64) -> Self {
        let whole_ns = whole_ns.max(SHORTEST_NS);
        let length = ((self.length_ns() as f64 * factor) as u64).clamp(SHORTEST_NS, whole_ns);
        let before = (length as f64 * part.clamp(0.0, 1.0)) as u64;
        let from_ns = self.at(part).saturating_sub(before).min(whole_ns - length);
        Self { from_ns, to_ns: from_ns + length }
    }

    /// Moves by a part of the stretch, later for more than 0.
    #[must_use]
    pub fn moved(&self, part: f64, whole_ns: u64) -> Self {
        let length = self.length_ns();
        let way = (part.abs() * length as f64) as u64;
        let from = if part < 0.0 { self.from_ns.saturating_sub(way) } else { self.from_ns.saturating_add(way) };
        let from_ns = from.min(whole_ns.saturating_sub(length));
        Self { from_ns, to_ns: from_ns + length }
    }
}

/// What several narrow spans come to.
#[derive(Default)]
struct Heap {
    left: f64,
    right: f64,
    busy_ns: u64,
    forced_ns: u64,
    whole_ns: u64,
    most: Option<(u32, u64)>,
    arrivals: u32,
}

impl Heap {
    fn add(&mut self, span: &Span, left: f64, right: f64) {
        if self.whole_ns == 0 {
            self.left = left;
        }
        self.right = right;
        let length = span.to_ns - span.from_ns;
        self.whole_ns += length;
        match span.doing {
            Doing::Idle => {}
            Doing::ForcedIdle => self.forced_ns += length,
            Doing::Task(task) => {
                self.busy_ns += length;
                if self.most.is_none_or(|(_, most)| length > most) {
                    self.most = Some((task, length));
                }
            }
        }
        self.arrivals += u32::from(span.came_from.is_some());
    }

    fn take(&mut self) -> Option<Piece> {
        let heap = std::mem::take(self);
        let whole = heap.whole_ns.max(1) as f64;
        let (doing, part) = match heap.most {
            Some((task, _)) if heap.busy_ns >= heap.forced_ns => (Doing::Task(task), heap.busy_ns as f64 / whole),
            _ if heap.forced_ns > 0 => (Doing::ForcedIdle, heap.forced_ns as f64 / whole),
            _ => return None,
        };
        let Heap { left, right, arrivals, .. } = heap;
        // What happened can be seen, however short it was.
        Some(Piece { left, right: right.max(left + 1.0), doing, part, arrivals, came_from: None })
    }
}

/// The pieces of a row `width_px` wide, in order, and what the row comes to. `spans` are in order
/// and do not overlap; what of them lies outside the stretch is cut off. Idle time has no pieces.
#[must_use]
pub fn pieces(spans: impl Iterator<Item = Span>, stretch: Stretch, width_px: f64) -> (Vec<Piece>, Sums) {
    let (mut found, mut sums, mut heap) = (Vec::new(), Sums::default(), Heap::default());
    for span in spans {
        let cut = Span {
            from_ns: span.from_ns.max(stretch.from_ns),
            to_ns: span.to_ns.min(stretch.to_ns),
            // What began before the stretch did not arrive in it.
            came_from: span.came_from.filter(|_| span.from_ns >= stretch.from_ns),
            ..span
        };
        if cut.from_ns >= cut.to_ns {
            continue;
        }
        let length = cut.to_ns - cut.from_ns;
        match cut.doing {
            Doing::Idle => {}
            Doing::ForcedIdle => sums.forced_idle_ns += length,
            Doing::Task(_) => {
                sums.busy_ns += length;
                sums.runs += u32::from(span.from_ns >= stretch.from_ns);
                sums.arrivals += u32::from(cut.came_from.is_some());
            }
        }
        let (left, right) = (stretch.part(cut.from_ns) * width_px, stretch.part(cut.to_ns) * width_px);
        if right - left < NARROW_PX {
            heap.add(&cut, left, right);
            if heap.right - heap.left >= NARROW_PX {
                found.extend(heap.take());
            }
            continue;
        }
        found.extend(heap.take());
        if cut.doing != Doing::Idle {
            let arrivals = u32::from(cut.came_from.is_some());
            found.push(Piece { left, right, doing: cut.doing, part: 1.0, arrivals, came_from: cut.came_from });
        }
    }
    found.extend(heap.take());
    (found, sums)
}

/// The height of a CPU's row where there are so many, pixels.
#[must_use]
pub const fn row_px(rows: usize) -> f64 {
    match rows {
        0..=8 => 26.0,
        9..=32 => 20.0,
        _ => 15.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn span(from_ns: u64, to_ns: u64, doing: Doing) -> Span {
        Span { from_ns, to_ns, doing, came_from: None }
    }

    #[test]
    fn what_can_be_seen_stays_as_it_is() {
        let spans = [
            span(0, 40, Doing::Task(1)),
            span(40, 60, Doing::Idle),
            Span { came_from: Some(3), ..span(60, 90, Doing::Task(2)) },
            span(90, 200, Doing::ForcedIdle),
        ];
        let (pieces, sums) = pieces(spans.into_iter(), Stretch { from_ns: 20, to_ns: 120 }, 100.0);
        let told: Vec<_> = pieces.iter().map(|p| (p.left, p.right, p.doing, p.came_from)).collect();
        assert_eq!(
            told,
            [
                (0.0, 20.0, Doing::Task(1), None),
                (40.0, 70.0, Doing::Task(2), Some(3)),
                (70.0, 100.0, Doing::ForcedIdle, None)
            ]
        );
        assert_eq!(sums, Sums { busy_ns: 50, forced_idle_ns: 30, runs: 1, arrivals: 1 });
    }

    #[test]
    fn a_million_spans_are_a_screen_of_pieces() {
        let spans = (0..1_000_000_u64).map(|n| {
            let doing = if n % 4 == 3 { Doing::Idle } else { Doing::Task((n % 3) as u32) };
            span(n * 10, n * 10 + 10, doing)
        });
        let (pieces, sums) = pieces(spans, Stretch { from_ns: 0, to_ns: 10_000_000 }, 800.0);
        assert!((300..=540).contains(&pieces.len()), "{}", pieces.len());
        assert!(pieces.windows(2).all(|pair| pair[0].right <= pair[1].left + 1e-6));
        assert!(pieces.iter().all(|piece| (piece.part - 0.75).abs() < 0.01));
        assert_eq!((sums.busy_ns, sums.runs), (7_500_000, 750_000));
    }

    #[test]
    fn a_short_run_in_a_long_idleness_is_seen() {
        let spans = [
            span(0, 500_000, Doing::Idle),
            span(500_000, 500_001, Doing::Task(7)),
            span(500_001, 1_000_000, Doing::Idle),
        ];
        let (pieces, _) = pieces(spans.into_iter(), Stretch { from_ns: 0, to_ns: 1_000_000 }, 100.0);
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].right - pieces[0].left >= 1.0 && pieces[0].doing == Doing::Task(7));
    }

    #[test]
    fn zooming_keeps_the_instant_under_the_pointer_and_stays_inside_the_run() {
        let stretch = Stretch { from_ns: 1_000_000, to_ns: 3_000_000 };
        let closer = stretch.zoomed(0.5, 0.25, 10_000_000);
        assert_eq!((closer.length_ns(), closer.at(0.25)), (1_000_000, stretch.at(0.25)));
        assert_eq!(stretch.zoomed(1e9, 0.5, 10_000_000), Stretch { from_ns: 0, to_ns: 10_000_000 });
        assert_eq!(stretch.zoomed(1e-9, 0.5, 10_000_000).length_ns(), 1_000);
        assert_eq!(stretch.moved(-9.0, 10_000_000).from_ns, 0);
        assert_eq!(stretch.moved(9.0, 10_000_000).to_ns, 10_000_000);
        assert_eq!(Stretch::around(50, 80_000, 10_000_000), Stretch { from_ns: 0, to_ns: 80_000 });
        assert_eq!(Stretch::around(0, 80_000, 10).to_ns, 1_000);
    }
}
