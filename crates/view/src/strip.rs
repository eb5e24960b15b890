//! A task drawn as a strip: its runs and sleeps to scale.
//! Not for what really happens in a run: the strip shows what the task asks for.

/// What a piece of a strip is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It wants the CPU: solid.
    Run,
    /// It sleeps for a known time: hatched.
    Sleep,
    /// It waits for somebody else, for an unknown time: dotted, with a nominal width.
    Wait,
}

/// A piece of what a task asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// How long, nanoseconds; ignored for waits.
    pub ns: f64,
}

/// A piece as it is drawn: from `start` to `end`, parts of the strip's width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// What it is.
    pub kind: Kind,
    /// The left edge.
    pub start: f64,
    /// The right edge.
    pub end: f64,
}

/// The part of the width that a wait gets.
const WAIT: f64 = 0.04;

/// Lays the pieces out to scale. Neighbours of one kind are one piece; a piece narrower than
/// `thinnest` gets that width at the cost of the others; more than `most` pieces are merged pair
/// by pair, a run hiding the sleep beside it.
#[must_use]
pub fn lay_out(pieces: &[Piece], thinnest: f64, most: usize) -> Vec<Drawn> {
    let total: f64 = pieces.iter().filter(|p| p.kind != Kind::Wait).map(|p| p.ns).sum();
    let mut merged: Vec<(Kind, f64)> = Vec::new();
    for piece in pieces {
        let width = match piece.kind {
            Kind::Wait => WAIT,
            _ if total > 0.0 => piece.ns / total,
            _ => 0.0,
        };
        if width <= 0.0 {
            continue;
        }
        match merged.last_mut() {
            Some((kind, sum)) if *kind == piece.kind => *sum += width,
            _ => merged.push((piece.kind, width)),
        }
    }
    while merged.len() > most.max(1) {
        merged = merged
            .chunks(2)
            .map(|pair| {
                let run = pair.iter().any(|(kind, _)| *kind == Kind::Run);
                (if run { Kind::Run } else { pair[0].0 }, pair.iter().map(|(_, width)| width).sum())
            })
            .collect();
    }
    let widened: Vec<(Kind, f64)> = merged.iter().map(|(kind, width)| (*kind, width.max(thinnest))).collect();
    let sum: f64 = widened.iter().map(|(_, width)| width).sum();
    let mut start = 0.0;
    widened
        .into_iter()
        .map(|(kind, width)| {
            let end = start + width / sum;
            let drawn = Drawn { kind, start, end };
            start = end;
            drawn
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(ns: f64) -> Piece {
        Piece { kind: Kind::Run, ns }
    }

    fn sleep(ns: f64) -> Piece {
        Piece { kind: Kind::Sleep, ns }
    }

    #[test]
    fn widths_are_to_scale_and_neighbours_merge() {
        let drawn = lay_out(&[run(1.0), run(1.0), sleep(6.0)], 0.0, 100);
        assert_eq!(drawn.len(), 2);
        assert!((drawn[0].end - 0.25).abs() < 1e-12 && (drawn[1].end - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_short_run_can_still_be_seen() {
        let drawn = lay_out(&[run(50.0), sleep(1e9)], 0.02, 100);
        assert!(drawn[0].end > 0.019);
        assert!((drawn[1].end - 1.0).abs() < 1e-12);
    }

    #[test]
    fn waits_have_a_width_of_their_own() {
        let drawn = lay_out(&[Piece { kind: Kind::Wait, ns: 0.0 }, run(5.0)], 0.0, 100);
        assert_eq!(drawn[0].kind, Kind::Wait);
        assert!(drawn[0].end > 0.0 && drawn[0].end < 0.1);
    }

    #[test]
    fn many_pieces_become_few() {
        let pieces: Vec<Piece> = (0..10_000).map(|n| if n % 2 == 0 { run(1.0) } else { sleep(3.0) }).collect();
        let drawn = lay_out(&pieces, 0.0, 170);
        assert!(drawn.len() <= 170);
        assert!((drawn.last().map_or(0.0, |d| d.end) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(lay_out(&[], 0.1, 10).is_empty());
        assert!(lay_out(&[run(0.0)], 0.1, 10).is_empty());
    }
}
