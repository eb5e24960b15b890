//! The switches of one finished run, kept where they were made; the page gets the few it shows.
//! Not for statistics.

use std::ops::Range;

use schedlab_sim::{Entry, IDLE, Reason, Record, TaskId};

use crate::protocol::{Filter, Switch, Who};

/// One switch, as compactly as it can be answered quickly.
struct Kept {
    at_ns: u64,
    waited_ns: u64,
    prev: TaskId,
    next: TaskId,
    cpu: u16,
    reason: Reason,
    woken: bool,
}

/// Since when a task waits on the run queue.
#[derive(Clone, Copy, Default)]
struct Waiting {
    since_ns: u64,
    woken: bool,
}

/// The switches of a run.
#[derive(Default)]
pub(super) struct Trace {
    kept: Vec<Kept>,
    preemptions: Vec<u32>,
    names: Vec<Who>,
    cut: bool,
}

impl Trace {
    /// Reads a record; `names` are the tasks by their id.
    pub(super) fn new(record: &Record, names: Vec<Who>) -> Self {
        let mut trace = Self { names, cut: record.is_full(), ..Self::default() };
        let mut waiting = vec![Waiting::default(); trace.names.len()];
        for entry in record.iter() {
            match entry {
                Entry::Wakeup { at_ns, task, .. } | Entry::Fork { at_ns, task, .. } => {
                    if let Some(waiting) = waiting.get_mut(task.0 as usize) {
                        *waiting = Waiting { since_ns: at_ns, woken: true };
                    }
                }
                Entry::Switch { at_ns, cpu, prev, next, reason } => {
                    let waited =
                        waiting.get(next.0 as usize).copied().unwrap_or(Waiting { since_ns: at_ns, woken: false });
                    if let Some(waiting) = waiting.get_mut(prev.0 as usize) {
                        *waiting = Waiting { since_ns: at_ns, woken: false };
                    }
                    if prev != IDLE && reason.why() == "preempt" {
                        trace.preemptions.push(trace.kept.len() as u32);
                    }
                    let waited_ns = at_ns.saturating_sub(waited.since_ns);
                    trace.kept.push(Kept { at_ns, waited_ns, prev, next, cpu, reason, woken: waited.woken });
                }
            }
        }
        trace
    }

    /// How many switches pass the filter.
    pub(super) fn total(&self, filter: Filter) -> usize {
        match filter {
            Filter::All => self.kept.len(),
            Filter::Preemptions => self.preemptions.len(),
        }
    }

    /// Whether later switches are missing.
    pub(super) const fn is_cut(&self) -> bool {
        self.cut
    }

    /// Some of the switches that pass the filter.
    pub(super) fn switches(&self, filter: Filter, from: usize, count: usize) -> Vec<Switch> {
        let total = self.total(filter);
        let range: Range<usize> = from.min(total)..from.saturating_add(count).min(total);
        range.map(|place| self.switch(self.index(filter, place))).collect()
    }

    /// The place of the next or the last preemption beside `from`.
    pub(super) fn find(&self, filter: Filter, from: Option<usize>, forward: bool) -> Option<usize> {
        let here = from.map(|place| self.index(filter, place) as u32);
        let after = |index: u32| self.preemptions.partition_point(|p| *p <= index);
        let rank = match (here, forward) {
            (None, true) => 0,
            (None, false) => self.preemptions.len().checked_sub(1)?,
            (Some(index), true) => after(index),
            (Some(index), false) => self.preemptions.partition_point(|p| *p < index).checked_sub(1)?,
        };
        let index = *self.preemptions.get(rank)?;
        Some(match filter {
            Filter::All => index as usize,
            Filter::Preemptions => rank,
        })
    }

    /// The place of the last switch of a CPU up to an instant, or of one that passes the filter
    /// before it.
    pub(super) fn locate(&self, filter: Filter, cpu: u16, at_ns: u64) -> Option<usize> {
        let end = self.kept.partition_point(|kept| kept.at_ns <= at_ns);
        let index = self.kept[..end].iter().rposition(|kept| kept.cpu == cpu)?;
        match filter {
            Filter::All => Some(index),
            Filter::Preemptions => self.preemptions.partition_point(|p| *p as usize <= index).checked_sub(1),
        }
    }

    /// The tasks of some names.
    pub(super) fn tasks(&self, named: impl Fn(&str) -> bool) -> Vec<Who> {
        self.names.iter().filter(|who| named(&who.name)).cloned().collect()
    }

    fn index(&self, filter: Filter, place: usize) -> usize {
        match filter {
            Filter::All => place,
            Filter::Preemptions => self.preemptions.get(place).map_or(self.kept.len(), |index| *index as usize),
        }
    }

    fn switch(&self, index: usize) -> Switch {
        let kept = &self.kept[index];
        let earlier = self.kept[..index].iter().rfind(|other| other.cpu == kept.cpu);
        Switch {
            at_ns: kept.at_ns,
            cpu: kept.cpu,
            prev: self.who(kept.prev),
            next: self.who(kept.next),
            reason: kept.reason.name().to_owned(),
            ran_ns: kept.at_ns - earlier.map_or(0, |other| other.at_ns),
            waited_ns: kept.waited_ns,
            woken: kept.woken,
        }
    }

    fn who(&self, task: TaskId) -> Option<Who> {
        if task == IDLE {
            return None;
        }
        let unknown = || Who { name: format!("task {}", task.0), kind: None };
        Some(self.names.get(task.0 as usize).cloned().unwrap_or_else(unknown))
    }
}
