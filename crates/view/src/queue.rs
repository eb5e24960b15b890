//! A run queue on the virtual-time axis: where dots, bars and end marks stand, which rows are
//! shown and which are cut off. Not for the figures beside it, and not for drawing.

use crate::Scale;

/// This many rows are drawn; the others are counted.
pub const MOST_ROWS: usize = 14;

/// A value farther from the origin than this many times the median distance is cut off, so that
/// one entity with a tiny weight does not press all others into one point.
const REACH: f64 = 4.0;

/// Room left and right of the outermost marks, as a part of the width.
const MARGIN: f64 = 0.03;

/// What is known of an entity. Virtual times are nanoseconds relative to the axis' origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entity {
    /// Its vruntime.
    pub vruntime: i64,
    /// Its deadline; CFS has none.
    pub deadline: Option<i64>,
    /// Whether it is eligible; CFS does not ask.
    pub eligible: Option<bool>,
    /// The end of its protection.
    pub protected_until: Option<i64>,
    /// It was picked.
    pub picked: bool,
    /// It ran.
    pub running: bool,
}

/// A point on the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Where, 0 to 1.
    pub at: f64,
    /// The value lies farther out than the axis goes.
    pub clipped: bool,
}

/// One row of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The entity's place in what was given.
    pub entity: usize,
    /// Its vruntime.
    pub dot: Mark,
    /// The end of the bar that begins at the dot: its deadline.
    pub deadline: Option<Mark>,
    /// The end of its protection.
    pub protection: Option<Mark>,
    /// Whether the dot is filled.
    pub filled: bool,
}

/// The drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The rows: who was picked, then by vruntime.
    pub rows: Vec<Row>,
    /// Where the origin (V, or min_vruntime) stands, 0 to 1.
    pub origin: f64,
    /// Whether the side up to the origin is the eligible one.
    pub has_eligible_side: bool,
    /// How many entities are not drawn.
    pub more: usize,
}

/// Lays a queue out.
#[must_use]
pub fn lay_out(entities: &[Entity]) -> Drawing {
    let shown = choose(entities);
    let values = |entity: &Entity| [Some(entity.vruntime), entity.deadline, entity.protected_until];
    let all: Vec<i64> = shown.iter().flat_map(|index| values(&entities[*index])).flatten().collect();
    let reach = reach(&all);
    let inside = || all.iter().map(|value| (*value as f64).clamp(-reach, reach));
    let (least, most) = (inside().fold(0.0, f64::min), inside().fold(0.0, f64::max));
    // A queue without any extent gets a microsecond on both sides.
    let room = if most > least { (most - least) * MARGIN } else { 1_000.0 };
    let scale = Scale::linear(least - room, most + room);
    let mark = |value: i64| {
        let value = value as f64;
        Mark { at: scale.position(value), clipped: value.abs() > reach }
    };
    let rows = shown.iter().map(|index| {
        let entity = &entities[*index];
        Row {
            entity: *index,
            dot: mark(entity.vruntime),
            deadline: entity.deadline.map(mark),
            protection: entity.protected_until.map(mark),
            filled: entity.eligible.unwrap_or(true),
        }
    });
    Drawing {
        rows: rows.collect(),
        origin: scale.position(0.0),
        has_eligible_side: entities.iter().any(|entity| entity.eligible.is_some()),
        more: entities.len() - shown.len(),
    }
}

/// Who is shown, in order: of many the picked and the running one and those that come first by
/// deadline (CFS: by vruntime) among the eligible.
fn choose(entities: &[Entity]) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..entities.len()).collect();
    if chosen.len() > MOST_ROWS {
        chosen.sort_by_key(|index| {
            let entity = &entities[*index];
            let first = entity.picked || entity.running;
            (!first, entity.eligible == Some(false), entity.deadline.unwrap_or(entity.vruntime))
        });
        chosen.truncate(MOST_ROWS);
    }
    chosen.sort_by_key(|index| (!entities[*index].picked, entities[*index].vruntime, *index));
    chosen
}

/// How far from the origin the axis goes at most.
fn reach(values: &[i64]) -> f64 {
    let mut distances: Vec<u64> = values.iter().map(|value| value.unsigned_abs()).filter(|far| *far > 0).collect();
    distances.sort_unstable();
    distances.get(distances.len() / 2).map_or(f64::INFINITY, |median| *median as f64 * REACH)
}

/// A name that fits into `most` characters: the middle of a longer one is left out, because
/// instances differ in their ends.
#[must_use]
pub fn shortened(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most || most < 3 {
        return name.to_owned();
    }
    let tail = (most - 1) / 2;
    let head = most - 1 - tail;
    let (begin, end) = (&letters[..head], &letters[letters.len() - tail..]);
    begin.iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eevdf(vruntime: i64, deadline: i64) -> Entity {
        Entity { vruntime, deadline: Some(deadline), eligible: Some(vruntime <= 0), ..Entity::default() }
    }

    #[test]
    fn marks_keep_the_order_of_their_values() {
        let queue = [eevdf(-400_000, 2_400_000), eevdf(0, 2_800_000), eevdf(350_000, 3_200_000)];
        let drawing = lay_out(&queue);
        let dots: Vec<f64> = drawing.rows.iter().map(|row| row.dot.at).collect();
        assert!(0.0 < dots[0] && dots[0] < dots[1] && dots[1] < dots[2]);
        assert!((dots[1] - drawing.origin).abs() < 1e-12);
        for row in &drawing.rows {
            let deadline = row.deadline.expect("EEVDF has deadlines");
            assert!(row.dot.at < deadline.at && deadline.at < 1.0 && !deadline.clipped);
        }
        assert_eq!(drawing.rows.iter().map(|row| row.filled).collect::<Vec<_>>(), [true, true, false]);
        assert!(drawing.has_eligible_side && drawing.more == 0);
    }

    #[test]
    fn distances_are_to_scale() {
        let drawing = lay_out(&[eevdf(-1_000, 1_000), eevdf(-500, 2_000)]);
        let [first, second] = drawing.rows.as_slice() else { panic!("two rows") };
        let nanosecond = (second.dot.at - first.dot.at) / 500.0;
        assert!((drawing.origin - second.dot.at - 500.0 * nanosecond).abs() < 1e-9);
        let deadline = second.deadline.expect("a deadline").at;
        assert!((deadline - drawing.origin - 2_000.0 * nanosecond).abs() < 1e-9);
    }

    #[test]
    fn one_far_deadline_is_cut_off_and_the_others_keep_their_room() {
        let mut queue: Vec<Entity> = (0..6).map(|n| eevdf(-n * 10_000, 3_000_000 - n * 10_000)).collect();
        queue.push(eevdf(5_000, 190_000_000));
        let drawing = lay_out(&queue);
        let far: Vec<&Row> = drawing.rows.iter().filter(|row| row.deadline.is_some_and(|mark| mark.clipped)).collect();
        assert_eq!(far.iter().map(|row| row.entity).collect::<Vec<_>>(), [6]);
        assert!(far[0].deadline.is_some_and(|mark| mark.at > 0.9 && mark.at <= 1.0));
        let near = drawing.rows.iter().find(|row| row.entity == 0).and_then(|row| row.deadline);
        assert!(near.is_some_and(|mark| mark.at > 0.2), "{near:?}");
    }

    #[test]
    fn of_a_long_queue_the_picked_and_the_running_one_are_always_shown() {
        let mut queue: Vec<Entity> = (0..100).map(|n| eevdf(n - 50, 1_000 + n)).collect();
        queue[98].running = true;
        queue[97].picked = true;
        let drawing = lay_out(&queue);
        assert_eq!((drawing.rows.len(), drawing.more), (MOST_ROWS, 86));
        assert_eq!(drawing.rows[0].entity, 97);
        assert!(drawing.rows.iter().any(|row| row.entity == 98));
        // The others are the eligible ones with the earliest deadlines.
        assert!((0..MOST_ROWS - 2).all(|entity| drawing.rows.iter().any(|row| row.entity == entity)));
    }

    #[test]
    fn cfs_has_dots_only() {
        let queue = [Entity { vruntime: 0, ..Entity::default() }, Entity { vruntime: 9_000, ..Entity::default() }];
        let drawing = lay_out(&queue);
        assert!(!drawing.has_eligible_side && drawing.rows.iter().all(|row| row.deadline.is_none() && row.filled));
    }

    #[test]
    fn queues_without_extent_are_drawn_too() {
        assert_eq!(lay_out(&[]).rows.len(), 0);
        let one = lay_out(&[Entity::default()]);
        assert!((one.rows[0].dot.at - 0.5).abs() < 1e-9 && (one.origin - 0.5).abs() < 1e-9);
        let most = lay_out(&[eevdf(i64::MIN, i64::MAX)]);
        assert!(most.rows[0].dot.at < most.rows[0].deadline.expect("a deadline").at);
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("hog-2", 12), "hog-2");
        assert_eq!(shortened("BrowserMain-12", 11), "Brows…in-12");
        assert_eq!(shortened("ééééééééé", 5), "éé…éé");
    }
}
