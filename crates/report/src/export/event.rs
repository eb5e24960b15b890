//! The events that a kernel would trace, from the switches and wake-ups of a record.
//! Not for how a format writes them.

use schedlab_sim::{Entry, IDLE, Reason, TaskId};

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// When, nanoseconds.
    pub at_ns: u64,
    /// On which CPU.
    pub cpu: u16,
    /// Who runs there.
    pub running: TaskId,
    /// What.
    pub kind: Kind,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A task is forked by whoever runs there.
    Fork(TaskId),
    /// A forked task becomes runnable.
    WakeupNew(TaskId),
    /// A task is to be woken on this CPU.
    Waking(TaskId),
    /// It is runnable.
    Wakeup(TaskId),
    /// A task changes its CPU, at its wake-up or, by the balancer, at the latest when it runs again.
    Migrate {
        /// Who.
        task: TaskId,
        /// From where.
        from: u16,
    },
    /// A context switch.
    Switch {
        /// Who left.
        prev: TaskId,
        /// Who came.
        next: TaskId,
        /// Why.
        reason: Reason,
    },
}

/// How the task that leaves goes on, as `prev_state` has it.
pub(super) const fn prev_state(prev: TaskId, reason: Reason) -> &'static str {
    match reason {
        _ if prev.0 == IDLE.0 => "R",
        Reason::Block => "S",
        Reason::Exit => "X",
        Reason::Yield => "R",
        _ => "R+",
    }
}

/// The events of a record, in order. The record has no wakers: a wake-up is told on the CPU that the
/// task is put on, as a queued wake-up from another CPU is.
pub(super) fn events(entries: impl Iterator<Item = Entry>, tasks: usize) -> Vec<Event> {
    let mut events = Vec::new();
    let mut running: Vec<TaskId> = Vec::new();
    let mut last_cpu: Vec<Option<u16>> = vec![None; tasks];
    for entry in entries {
        let (Entry::Switch { at_ns, cpu, .. } | Entry::Wakeup { at_ns, cpu, .. } | Entry::Fork { at_ns, cpu, .. }) =
            entry;
        if running.len() <= usize::from(cpu) {
            running.resize(usize::from(cpu) + 1, IDLE);
        }
        let mut add = |running, kind| events.push(Event { at_ns, cpu, running, kind });
        let mut moved = |task: TaskId| {
            let last = last_cpu.get_mut(task.0 as usize)?;
            let from = last.replace(cpu).filter(|from| *from != cpu)?;
            Some(Kind::Migrate { task, from })
        };
        let here = running[usize::from(cpu)];
        match entry {
            Entry::Fork { task, .. } => {
                moved(task);
                add(here, Kind::Fork(task));
                add(here, Kind::WakeupNew(task));
            }
            Entry::Wakeup { task, .. } => {
                add(here, Kind::Waking(task));
                if let Some(migrate) = moved(task) {
                    add(here, migrate);
                }
                add(here, Kind::Wakeup(task));
            }
            Entry::Switch { prev, next, reason, .. } => {
                if let Some(migrate) = (next != IDLE).then(|| moved(next)).flatten() {
                    add(prev, migrate);
                }
                add(prev, Kind::Switch { prev, next, reason });
                running[usize::from(cpu)] = next;
            }
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_cpu_is_a_migration() {
        let a = TaskId(0);
        let switch = |at_ns, cpu, prev, next| Entry::Switch { at_ns, cpu, prev, next, reason: Reason::Block };
        let entries = [
            Entry::Wakeup { at_ns: 1, cpu: 0, task: a },
            switch(2, 0, IDLE, a),
            switch(3, 0, a, IDLE),
            Entry::Wakeup { at_ns: 4, cpu: 1, task: a },
            // The balancer took it back before it ran.
            switch(5, 0, IDLE, a),
        ];
        let kinds: Vec<Kind> = events(entries.into_iter(), 1).iter().map(|event| event.kind).collect();
        let switch = |prev, next| Kind::Switch { prev, next, reason: Reason::Block };
        assert_eq!(
            kinds,
            [
                Kind::Waking(a),
                Kind::Wakeup(a),
                switch(IDLE, a),
                switch(a, IDLE),
                Kind::Waking(a),
                Kind::Migrate { task: a, from: 0 },
                Kind::Wakeup(a),
                Kind::Migrate { task: a, from: 1 },
                switch(IDLE, a),
            ]
        );
    }
}
