//! Finds the switch that explains something in the record of a run. Not for what it explains.

use schedlab_scenario::library::Sought;
use schedlab_sim::{Entry, Record, TaskId};

/// Where and when the first switch of a run is that is all that is sought: its CPU and its instant,
/// nanoseconds. `name` gives the names of tasks; the idle thread has none.
#[must_use]
pub fn first_switch<'a>(
    record: &Record,
    sought: &Sought,
    name: impl Fn(TaskId) -> Option<&'a str>,
) -> Option<(u16, u64)> {
    record.iter().find_map(|entry| match entry {
        Entry::Switch { at_ns, cpu, prev, next, reason } => {
            sought.is(at_ns, reason.name(), name(prev), name(next)).then_some((cpu, at_ns))
        }
        Entry::Wakeup { .. } | Entry::Fork { .. } => None,
    })
}
