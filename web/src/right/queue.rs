//! A queue as a decision saw it: drawn on the virtual-time axis, and the same as a table.
//! Not for geometry: `schedlab_view::queue` has that.

use schedlab_report::{EntityRow, QueueTable};
use schedlab_view::format::Unit;
use schedlab_view::palette;
use schedlab_view::queue::{Drawing, Entity, Mark, Row, lay_out, shortened};
use yew::prelude::*;

use crate::protocol::Explained;

/// The drawing's width in its own units, about CSS pixels; where the axis begins and how long it is.
const WIDTH: f64 = 330.0;
const AXIS: f64 = 92.0;
const LENGTH: f64 = WIDTH - AXIS - 2.0;
/// A row's height, and the room above and below the rows.
const ROW: f64 = 22.0;
const TOP: f64 = 17.0;
const BOTTOM: f64 = 17.0;
/// The longest name that fits beside the axis.
const LONGEST: usize = 13;

/// One level of the queue.
pub(super) fn queue(level: &QueueTable, named: bool, explained: &Explained) -> Html {
    if level.entities.is_empty() {
        return Html::default();
    }
    let entities: Vec<Entity> = level.entities.iter().map(entity).collect();
    let drawing = lay_out(&entities);
    html! {
        <section class="level">
            if named { <h3>{ "Queue of " }<b>{ &level.group }</b></h3> }
            { draw(level, &drawing, explained) }
            { table(level, &drawing) }
        </section>
    }
}

fn entity(row: &EntityRow) -> Entity {
    Entity {
        vruntime: row.vruntime_rel_ns,
        deadline: row.deadline_rel_ns,
        eligible: row.eligible,
        protected_until: row.protected_until_rel_ns,
        picked: row.picked,
        running: row.running,
    }
}

fn x(at: f64) -> f64 {
    AXIS + at * LENGTH
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

/// The table below says the same in figures, so this is not read out.
fn draw(level: &QueueTable, drawing: &Drawing, explained: &Explained) -> Html {
    let height = TOP + drawing.rows.len() as f64 * ROW + BOTTOM;
    let bottom = height - BOTTOM;
    let origin = x(drawing.origin);
    let rows = drawing.rows.iter().enumerate().filter_map(|(place, row)| {
        let entity = level.entities.get(row.entity)?;
        Some(bar(entity, row, TOP + (place as f64 + 0.5) * ROW, explained))
    });
    // The origin's name stays inside the picture.
    let anchor = match drawing.origin {
        ..0.2 => "start",
        ..0.8 => "middle",
        _ => "end",
    };
    // The axis is named on the side where the origin is not.
    let left = drawing.origin > 0.5;
    html! {
        <svg class="queue" viewBox={format!("0 0 {WIDTH} {height}")} aria-hidden="true">
            if drawing.has_eligible_side {
                <rect x={number(AXIS)} y={number(TOP - 3.0)} width={number(origin - AXIS)} height={number(bottom - TOP + 3.0)}
                    fill="var(--accent-soft)" />
                <text x={number(AXIS)} y="10" class="axis">{ "eligible" }</text>
            }
            <line x1={number(origin)} y1={number(TOP - 5.0)} x2={number(origin)} y2={number(bottom + 3.0)} stroke="var(--accent)" stroke-width="1.4" />
            { for rows }
            <text x={number(origin)} y={number(height - 4.0)} class="axis origin" text-anchor={anchor}>{ &level.relative_to }</text>
            <text x={number(if left { AXIS } else { WIDTH - 2.0 })} y={number(height - 4.0)} class="axis"
                text-anchor={if left { "start" } else { "end" }}>{ "virtual time →" }</text>
        </svg>
    }
}

fn bar(entity: &EntityRow, row: &Row, y: f64, explained: &Explained) -> Html {
    let kind = explained.tasks.iter().find(|task| !entity.group && task.name == entity.name).and_then(|task| task.kind);
    let colour = match kind {
        Some(kind) => format!("var(--task-{})", kind % palette::TASK_COLOURS),
        None => "var(--mute)".to_owned(),
    };
    let dot = x(row.dot.at);
    let opacity = if row.filled { "1" } else { ".55" };
    let fill = if row.filled { colour.clone() } else { "var(--panel)".to_owned() };
    html! {
        <g>
            <text x="0" y={number(y + 4.0)} class={classes!("name", entity.picked.then_some("picked"))}>{ shortened(&entity.name, LONGEST) }</text>
            if let Some(deadline) = row.deadline {
                <line x1={number(dot)} y1={number(y)} x2={number(x(deadline.at))} y2={number(y)} stroke={colour.clone()} {opacity}
                    stroke-width="2.4" />
            }
            if let Some(protection) = row.protection {
                <line x1={number(x(protection.at))} y1={number(y - 7.0)} x2={number(x(protection.at))} y2={number(y + 7.0)}
                    stroke="var(--ink)" stroke-width="1.2" stroke-dasharray="2 2" />
            }
            if row.dot.clipped {
                <path d={end(row.dot, y)} stroke={colour.clone()} stroke-width="2" fill="none" />
            } else {
                <circle cx={number(dot)} cy={number(y)} r="4.6" {fill} stroke={colour.clone()} stroke-width="1.6" />
            }
            if let Some(deadline) = row.deadline {
                <path d={end(deadline, y)} stroke={colour} {opacity} stroke-width="2" fill="none" />
            }
        </g>
    }
}

/// The end of a bar: a short stroke across, or an arrow where it goes on outside the picture.
fn end(mark: Mark, y: f64) -> String {
    let at = x(mark.at);
    if !mark.clipped {
        return format!("M{at:.1} {:.1}V{:.1}", y - 4.5, y + 4.5);
    }
    let back = if mark.at < 0.5 { at + 5.0 } else { at - 5.0 };
    format!("M{back:.1} {:.1}L{at:.1} {y:.1}L{back:.1} {:.1}", y - 4.5, y + 4.5)
}

fn table(level: &QueueTable, drawing: &Drawing) -> Html {
    let shown: Vec<&EntityRow> = drawing.rows.iter().filter_map(|row| level.entities.get(row.entity)).collect();
    let eevdf = shown.iter().any(|row| row.deadline_rel_ns.is_some());
    let values = |row: &&EntityRow| {
        [row.vruntime_rel_ns, row.deadline_rel_ns.unwrap_or(0), i64::try_from(row.slice_ns).unwrap_or(i64::MAX)]
    };
    let unit = Unit::for_all(shown.iter().flat_map(values));
    let lines = shown.iter().map(|row| {
        let (shift, sign) = match row.lag_ns {
            Some(lag) if eevdf => (lag, true),
            _ => (row.vruntime_rel_ns, false),
        };
        let tone = sign.then_some(if shift < 0 { "up" } else { "down" });
        html! {
            <tr class={classes!(row.picked.then_some("picked"))}>
                <th scope="row" title={row.name.clone()}>{ &row.name }</th>
                <td class={classes!("num", tone)}>{ unit.signed(shift) }</td>
                if eevdf { <td class="num">{ row.deadline_rel_ns.map_or_else(|| "–".to_owned(), |ns| unit.signed(ns)) }</td> }
                <td class="num">{ unit.whole(row.slice_ns) }</td>
                <td class="num">{ row.weight }</td>
                <td class="state">{ state(row) }</td>
            </tr>
        }
    });
    let unit = unit.name();
    html! {
        <div class="scroll">
            <table class="entities">
                <caption class="hidden">{ format!("The queue as the decision saw it; virtual times in {unit}, relative to {}", level.relative_to) }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "Queue, " }{ unit }</th>
                        if eevdf {
                            <th scope="col">{ "lag" }</th><th scope="col">{ "dl\u{a0}−\u{a0}V" }</th>
                        } else {
                            <th scope="col">{ "vruntime\u{a0}−\u{a0}min" }</th>
                        }
                        <th scope="col">{ "slice" }</th><th scope="col">{ "weight" }</th>
                        <th scope="col"><span class="hidden">{ "state" }</span></th>
                    </tr>
                </thead>
                <tbody>{ for lines }</tbody>
            </table>
            if drawing.more > 0 { <p class="mute">{ format!("and {} more", drawing.more) }</p> }
        </div>
    }
}

/// What an entity was, in a word or two.
fn state(row: &EntityRow) -> &'static str {
    match (row.picked, row.running, row.delayed, row.eligible) {
        (true, true, ..) => "picked again",
        (true, ..) => "picked",
        (_, true, ..) => "was running",
        (_, _, true, _) => "asleep",
        (.., Some(true)) => "eligible",
        (.., Some(false)) => "ineligible",
        (.., None) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_stay_in_the_picture() {
        for at in [0.0, 0.5, 1.0] {
            assert!(x(at) >= AXIS && x(at) <= WIDTH);
            assert!(end(Mark { at, clipped: true }, 10.0).starts_with('M'));
        }
    }

    #[test]
    fn states_are_told_by_what_matters_most() {
        let row = |picked, running, delayed, eligible| EntityRow {
            picked,
            running,
            delayed,
            eligible,
            ..EntityRow::default()
        };
        assert_eq!(state(&row(true, false, false, Some(true))), "picked");
        assert_eq!(state(&row(true, true, false, Some(true))), "picked again");
        assert_eq!(state(&row(false, true, false, Some(false))), "was running");
        assert_eq!(state(&row(false, false, true, Some(false))), "asleep");
        assert_eq!(state(&row(false, false, false, Some(false))), "ineligible");
        assert_eq!(state(&row(false, false, false, None)), "");
    }
}
