//! `schedlab explain`: an explanation as text. Not for the words themselves: `explain` makes them.

use std::fmt::Write;

use super::table::Table;
use crate::explain::{EntityRow, Explanation, MomentWords, QueueTable};

/// Columns to which sentences are wrapped.
const WIDTH: usize = 100;

/// The instant, then each moment: its sentences, the queues it saw and the rules behind it.
#[must_use]
pub fn explanation(explanation: &Explanation) -> String {
    let Explanation { at_ns, cpu, class, release, .. } = explanation;
    let mut text = format!("{}.{:06} ms · CPU {cpu} · {release} {class}\n", at_ns / 1_000_000, at_ns % 1_000_000);
    for (index, moment) in explanation.moments.iter().enumerate() {
        text.push('\n');
        text.push_str(&wrapped(&moment.sentences.join(" ")));
        // What a request led to shows the same queue right after.
        let led = explanation.moments.get(index + 1).is_some_and(|next| next.what == "schedule");
        if !(led && moment.reason.is_some() && moment.what != "schedule") {
            for queue in &moment.queues {
                text.push('\n');
                text.push_str(&table(queue, moment));
            }
        }
        if !moment.rules.is_empty() {
            text.push('\n');
        }
        for rule in &moment.rules {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  Rule: {} · {} · {}", rule.rule, rule.function, rule.section);
        }
    }
    text
}

fn table(queue: &QueueTable, moment: &MomentWords) -> String {
    if queue.entities.is_empty() {
        return format!("  Queue {}: empty\n", queue.group);
    }
    let eevdf = queue.entities.iter().any(|entity| entity.deadline_rel_ns.is_some());
    let origin = &queue.relative_to;
    let mut text = format!("  Queue {}: {origin} = {} µs, times in µs\n", queue.group, micros(queue.average_ns, false));
    let mut table = Table::default();
    let mut heading = vec!["who".to_owned(), format!("vruntime - {origin}")];
    if eevdf {
        heading.extend(["deadline - V".to_owned(), "lag".to_owned()]);
    }
    heading.extend(["slice", "weight"].map(str::to_owned));
    table.row(heading);
    for entity in &queue.entities {
        let mut cells = vec![entity.name.clone(), micros(entity.vruntime_rel_ns, true)];
        if eevdf {
            for value in [entity.deadline_rel_ns, entity.lag_ns] {
                cells.push(value.map_or_else(|| "-".to_owned(), |ns| micros(ns, true)));
            }
        }
        cells.push(micros(i64::try_from(entity.slice_ns).unwrap_or(i64::MAX), false));
        cells.push(entity.weight.to_string());
        table.row(cells);
    }
    let lines = table.text("  ", 1);
    let notes = std::iter::once(String::new()).chain(queue.entities.iter().map(|entity| notes(entity, moment)));
    for (line, notes) in lines.lines().zip(notes) {
        text.push_str(line);
        if !notes.is_empty() {
            text.push_str("  ");
            text.push_str(&notes);
        }
        text.push('\n');
    }
    text
}

/// What no column says.
fn notes(entity: &EntityRow, moment: &MomentWords) -> String {
    let mut notes = Vec::new();
    let schedule = moment.what == "schedule";
    if entity.picked && schedule {
        notes.push("picked".to_owned());
    }
    match entity.eligible {
        Some(true) => notes.push("eligible".to_owned()),
        Some(false) => notes.push("not eligible".to_owned()),
        None => {}
    }
    if entity.running {
        notes.push(if schedule { "ran" } else { "runs" }.to_owned());
    }
    // Nothing protects who is not eligible.
    if entity.protected == Some(true) && entity.eligible == Some(true) {
        notes.push(match entity.protected_until_rel_ns {
            Some(until) => format!("protected until {}", micros(until, true)),
            None => "protected".to_owned(),
        });
    }
    if entity.delayed {
        notes.push("sleeps, dequeue delayed".to_owned());
    }
    if entity.next_buddy {
        notes.push("next buddy".to_owned());
    }
    notes.join(", ")
}

/// Nanoseconds as microseconds to the last digit: `-578.262`; `signed`: with a plus.
fn micros(ns: i64, signed: bool) -> String {
    let sign = if ns < 0 {
        "-"
    } else if signed {
        "+"
    } else {
        ""
    };
    let ns = ns.unsigned_abs();
    format!("{sign}{}.{:03}", ns / 1000, ns % 1000)
}

/// Words in lines of at most [`WIDTH`] columns.
fn wrapped(words: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
    text
}
