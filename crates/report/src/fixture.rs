//! A small record for tests of the text formats.

use schedlab_sim::{Entry, IDLE, Reason, TaskId};

/// gcc (task 0) runs, is preempted by make (task 1), which blocks; gcc exits.
pub(crate) fn entries() -> Vec<Entry> {
    let (gcc, make) = (TaskId(0), TaskId(1));
    let switch = |at_ns, prev, next, reason| Entry::Switch { at_ns, cpu: 0, prev, next, reason };
    vec![
        Entry::Fork { at_ns: 1_000_000, cpu: 0, task: gcc },
        switch(1_000_000, IDLE, gcc, Reason::IdleCpu),
        Entry::Wakeup { at_ns: 2_000_000, cpu: 0, task: make },
        switch(2_148_000, gcc, make, Reason::WakeupDeadline),
        switch(2_500_000, make, gcc, Reason::Block),
        switch(3_999_999, gcc, IDLE, Reason::Exit),
    ]
}
