//! What CPUs ran over a stretch of time, as the page draws it.
//! Not for drawing, nor for what can be seen: `schedlab_view::timeline` decides that.

use std::collections::BTreeSet;

use schedlab_view::timeline::{Doing, Stretch, pieces};

use super::trace::Trace;
use crate::protocol::{Timeline, TimelinePiece, TimelineRow};

/// The answer to a question for a timeline; job and variant are the asker's.
pub(super) fn timeline(trace: &Trace, stretch: Stretch, width_px: u32, cpus: &[u16]) -> Timeline {
    let mut named = BTreeSet::new();
    let rows = cpus.iter().map(|&cpu| {
        let spans = trace.spans(cpu, stretch.from_ns, stretch.to_ns);
        let (pieces, sums) = pieces(spans, stretch, f64::from(width_px));
        let pieces = pieces.into_iter().map(|piece| {
            let task = match piece.doing {
                Doing::Task(task) => Some(task),
                Doing::Idle | Doing::ForcedIdle => None,
            };
            named.extend(task);
            TimelinePiece {
                left: tenths(piece.left),
                right: tenths(piece.right),
                task,
                part: (piece.part * 100.0).round() as u8,
                arrivals: piece.arrivals,
                came_from: piece.came_from,
            }
        });
        let pieces = pieces.collect();
        let (busy_ns, forced_idle_ns) = (sums.busy_ns, sums.forced_idle_ns);
        TimelineRow { cpu, pieces, busy_ns, forced_idle_ns, runs: sums.runs, arrivals: sums.arrivals }
    });
    Timeline {
        job: 0,
        variant: 0,
        from_ns: stretch.from_ns,
        to_ns: stretch.to_ns,
        width_px,
        until_ns: trace.until_ns(),
        cut: trace.is_cut(),
        rows: rows.collect(),
        tasks: named.into_iter().filter_map(|task| Some((task, trace.task(task)?))).collect(),
    }
}

/// Tenths of pixels are fine enough, and short as text.
fn tenths(px: f64) -> f32 {
    ((px * 10.0).round() / 10.0) as f32
}
