//! The switches of one finished run, kept where they were made; the page gets the few it shows.
//! Not for statistics.

use std::ops::Range;

use schedlab_scenario::library::Sought;
use schedlab_sim::{Entry, IDLE, Reason, Record, TaskId};
use schedlab_view::timeline::{Doing, Span};

use crate::protocol::{Filter, Switch, Who};

/// Stands for no CPU.
const NOWHERE: u16 = u16::MAX;

/// One switch, as compactly as it can be answered quickly.
struct Kept {
    at_ns: u64,
    waited_ns: u64,
    prev: TaskId,
    next: TaskId,
    cpu: u16,
    /// Where `next` ran before, if that is another CPU.
    came_from: u16,
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
    /// The places of each CPU's switches in `kept`.
    by_cpu: Vec<Vec<u32>>,
    /// When each CPU was forced idle.
    forced: Vec<Vec<(u64, u64)>>,
    until_ns: u64,
    preemptions: Vec<u32>,
    names: Vec<Who>,
    cut: bool,
}

impl Trace {
    /// Reads the record of a run that ended at `until_ns`; `names` are the tasks by their id.
    pub(super) fn new(record: &Record, names: Vec<Who>, until_ns: u64) -> Self {
        let mut trace = Self { names, cut: record.is_full(), until_ns, ..Self::default() };
        let mut waiting = vec![Waiting::default(); trace.names.len()];
        let mut last_cpu = vec![NOWHERE; trace.names.len()];
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
                    let came_from = match last_cpu.get_mut(next.0 as usize) {
                        Some(last) => Some(std::mem::replace(last, cpu)).filter(|last| *last != cpu).unwrap_or(NOWHERE),
                        None => NOWHERE,
                    };
                    if trace.by_cpu.len() <= usize::from(cpu) {
                        trace.by_cpu.resize_with(usize::from(cpu) + 1, Vec::new);
                    }
                    trace.by_cpu[usize::from(cpu)].push(trace.kept.len() as u32);
                    let waited_ns = at_ns.saturating_sub(waited.since_ns);
                    trace.kept.push(Kept { at_ns, waited_ns, prev, next, cpu, came_from, reason, woken: waited.woken });
                }
            }
        }
        // Of a cut record nobody knows how it went on.
        if let Some(last) = trace.kept.last().filter(|_| trace.cut) {
            trace.until_ns = last.at_ns;
        }
        for forced in record.forced_idle() {
            let cpu = usize::from(forced.cpu);
            if trace.forced.len() <= cpu {
                trace.forced.resize_with(cpu + 1, Vec::new);
            }
            let of_cpu = &mut trace.forced[cpu];
            match of_cpu.last_mut() {
                // A new pick that forces it idle again.
                Some((_, end_ns)) if *end_ns == forced.from_ns => *end_ns = forced.to_ns,
                _ => of_cpu.push((forced.from_ns, forced.to_ns)),
            }
        }
        trace
    }

    /// The end of what is known, nanoseconds.
    pub(super) const fn until_ns(&self) -> u64 {
        self.until_ns
    }

    /// What a CPU did from the last switch up to `from_ns` on, as far as `to_ns`.
    pub(super) fn spans(&self, cpu: u16, from_ns: u64, to_ns: u64) -> impl Iterator<Item = Span> + '_ {
        let none: &[u32] = &[];
        let switches = self.by_cpu.get(usize::from(cpu)).map_or(none, Vec::as_slice);
        let first = switches.partition_point(|index| self.kept[*index as usize].at_ns <= from_ns);
        let forced = self.forced.get(usize::from(cpu)).map(Vec::as_slice).unwrap_or_default();
        // Before its first switch a CPU is idle.
        let start = (first == 0).then_some((0, IDLE, NOWHERE));
        let switched = switches[first.saturating_sub(1)..].iter().map(|index| {
            let kept = &self.kept[*index as usize];
            (kept.at_ns, kept.next, kept.came_from)
        });
        let mut changes = start.into_iter().chain(switched).peekable();
        std::iter::from_fn(move || {
            let (at_ns, task, came_from) = changes.next()?;
            let end_ns = changes.peek().map_or(self.until_ns, |next| next.0);
            Some((at_ns, end_ns, task, came_from))
        })
        .take_while(move |(at_ns, ..)| *at_ns < to_ns)
        .flat_map(move |(at_ns, end_ns, task, came_from)| {
            if task == IDLE {
                return idle_spans(forced, at_ns, end_ns);
            }
            let came_from = Some(came_from).filter(|cpu| *cpu != NOWHERE);
            vec![Span { from_ns: at_ns, to_ns: end_ns, doing: Doing::Task(task.0), came_from }]
        })
    }

    /// A task of the run.
    pub(super) fn task(&self, task: u32) -> Option<Who> {
        self.who(TaskId(task))
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
        let of_cpu = self.by_cpu.get(usize::from(cpu))?;
        let end = of_cpu.partition_point(|place| self.kept[*place as usize].at_ns <= at_ns);
        let index = of_cpu[end.checked_sub(1)?] as usize;
        match filter {
            Filter::All => Some(index),
            Filter::Preemptions => self.preemptions.partition_point(|p| *p as usize <= index).checked_sub(1),
        }
    }

    /// The place of the first switch that is what is sought.
    pub(super) fn seek(&self, sought: &Sought) -> Option<usize> {
        let name = |task: TaskId| self.names.get(task.0 as usize).map(|who| who.name.as_str());
        self.kept.iter().position(|kept| sought.is(kept.at_ns, kept.reason.name(), name(kept.prev), name(kept.next)))
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
        let of_cpu = self.by_cpu.get(usize::from(kept.cpu)).map(Vec::as_slice).unwrap_or_default();
        let before = of_cpu.partition_point(|place| (*place as usize) < index).checked_sub(1);
        let earlier = before.map(|place| &self.kept[of_cpu[place] as usize]);
        Switch {
            at_ns: kept.at_ns,
            cpu: kept.cpu,
            came_from: Some(kept.came_from).filter(|cpu| *cpu != NOWHERE),
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

/// An idle stretch, cut where it is forced.
fn idle_spans(forced: &[(u64, u64)], from_ns: u64, to_ns: u64) -> Vec<Span> {
    let span = |from_ns, to_ns, doing| Span { from_ns, to_ns, doing, came_from: None };
    let (mut spans, mut at_ns) = (Vec::new(), from_ns);
    let first = forced.partition_point(|(_, end)| *end <= from_ns);
    for &(begin, end) in forced[first..].iter().take_while(|(begin, _)| *begin < to_ns) {
        let (begin, end) = (begin.max(from_ns), end.min(to_ns));
        if at_ns < begin {
            spans.push(span(at_ns, begin, Doing::Idle));
        }
        spans.push(span(begin, end, Doing::ForcedIdle));
        at_ns = end;
    }
    if at_ns < to_ns {
        spans.push(span(at_ns, to_ns, Doing::Idle));
    }
    spans
}
