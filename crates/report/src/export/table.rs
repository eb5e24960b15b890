//! The events of a record as CSV and as JSON, for scripts. Times are nanoseconds.

use schedlab_sim::{Run, TaskId};
use serde::Serialize;

use super::Traced;
use super::event::{Event, Kind, events};

/// One event.
#[derive(Serialize)]
struct Row<'a> {
    at_ns: u64,
    cpu: u16,
    event: &'static str,
    /// The task that is forked, woken or moved; of a switch, who comes. Empty: the idle thread.
    task: &'a str,
    tid: u32,
    /// Of a switch: who leaves.
    prev: &'a str,
    prev_tid: u32,
    /// Of a switch: why.
    reason: &'static str,
    /// Of a migration: from which CPU.
    from_cpu: Option<u16>,
}

fn row<'a>(event: &Event, traced: &'a Traced) -> Row<'a> {
    let name = |task: TaskId| traced.get(task).map_or(("", 0), |thread| (thread.comm.as_str(), thread.tid));
    let (what, task) = match event.kind {
        Kind::Fork(task) => ("fork", task),
        Kind::WakeupNew(task) => ("wakeup_new", task),
        Kind::Waking(task) => ("waking", task),
        Kind::Wakeup(task) => ("wakeup", task),
        Kind::Migrate { task, .. } => ("migrate", task),
        Kind::Switch { next, .. } => ("switch", next),
    };
    let ((task, tid), mut row_prev, mut reason, mut from_cpu) = (name(task), ("", 0), "", None);
    match event.kind {
        Kind::Switch { prev, reason: why, .. } => (row_prev, reason) = (name(prev), why.name()),
        Kind::Migrate { from, .. } => from_cpu = Some(from),
        _ => {}
    }
    let (prev, prev_tid) = row_prev;
    Row { at_ns: event.at_ns, cpu: event.cpu, event: what, task, tid, prev, prev_tid, reason, from_cpu }
}

/// CSV with a heading (RFC 4180).
#[must_use]
pub fn events_csv(run: &Run, traced: &Traced) -> String {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for event in events(run.record.iter(), traced.tasks.len()) {
        // Writing to memory cannot fail, and every line has the same number of cells.
        let _ = writer.serialize(row(&event, traced));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A JSON list of the same rows as objects.
#[must_use]
pub fn events_json(run: &Run, traced: &Traced) -> String {
    let rows = events(run.record.iter(), traced.tasks.len());
    // Rows of numbers and names can always be written.
    let lines: Vec<String> = rows.iter().filter_map(|event| serde_json::to_string(&row(event, traced)).ok()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entries, traced};
    use super::*;

    #[test]
    fn a_row_an_event() {
        let traced = traced();
        let events = events(entries(), 2);
        let rows: Vec<_> =
            events.iter().map(|event| serde_json::to_value(row(event, &traced)).expect("JSON")).collect();
        assert_eq!(
            rows[1],
            serde_json::json!({"at_ns": 1_000_000, "cpu": 0, "event": "wakeup_new", "task": "gcc", "tid": 1000, "prev": "",
                               "prev_tid": 0, "reason": "", "from_cpu": null})
        );
        assert_eq!(
            rows[5],
            serde_json::json!({"at_ns": 2_148_000, "cpu": 0, "event": "switch", "task": "make", "tid": 1001, "prev": "gcc",
                               "prev_tid": 1000, "reason": "wakeup-deadline", "from_cpu": null})
        );
        assert_eq!(rows.len(), 8);
    }
}
