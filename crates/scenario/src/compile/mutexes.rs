//! Which mutexes a task holds where, as far as its own program tells.
//! Not for waiting: who waits for whom is seen in the run.

use std::collections::HashSet;

use crate::problem::{Problem, enough};
use crate::workload::{Action, Loops, Task};

use super::names::PhasePath;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// The `sync` events, by phase and event, at which the task holds the mutex.
    pub at_sync: HashSet<(usize, usize)>,
}

/// Follows a task through its phases. A second round shows what a loop leaves locked; later ones
/// show nothing new.
pub(super) fn follow(task: &Task, paths: &[PhasePath<'_>], found: &mut Vec<Problem>) -> Held {
    let mut walk = Walk { task, paths, held: HashSet::new(), told: HashSet::new(), result: Held::default(), found };
    for _ in 0..rounds(task.loops) {
        for index in 0..task.phases.len() {
            for _ in 0..rounds(task.phases[index].loops) {
                if walk.phase(index).is_none() {
                    return walk.result;
                }
            }
            if task.phases[index].loops == Loops::Forever {
                return walk.result;
            }
        }
    }
    walk.result
}

fn rounds(loops: Loops) -> u64 {
    match loops {
        Loops::Forever => 2,
        Loops::Times(times) => times.min(2),
    }
}

struct Walk<'w> {
    task: &'w Task,
    paths: &'w [PhasePath<'w>],
    held: HashSet<&'w str>,
    told: HashSet<(usize, usize)>,
    result: Held,
    found: &'w mut Vec<Problem>,
}

impl<'w> Walk<'w> {
    /// One round of a phase; none when the task blocks for ever.
    fn phase(&mut self, index: usize) -> Option<()> {
        let task = self.task;
        for (position, event) in task.phases[index].events.iter().enumerate() {
            let at = (index, position);
            let misused = match &event.action {
                Action::Lock(mutex) => {
                    if self.held.insert(mutex) {
                        continue;
                    }
                    let message = format!("the task holds `{mutex}` already: it waits for itself for ever");
                    self.tell(at, |path| Problem::notice(path, message));
                    return None;
                }
                Action::Unlock(mutex) => (!self.held.remove(mutex.as_str())).then_some((mutex, "unlock it")),
                Action::Wait { mutex, .. } => (!self.held.contains(mutex.as_str())).then_some((mutex, "wait with it")),
                Action::Sync { mutex, .. } => {
                    if self.held.contains(mutex.as_str()) {
                        self.result.at_sync.insert(at);
                    }
                    None
                }
                _ => None,
            };
            if let Some((mutex, what)) = misused {
                let message = format!("the task does not hold `{mutex}` here, so it cannot {what}");
                self.tell(at, |path| Problem::error(path, message));
            }
        }
        Some(())
    }

    fn tell(&mut self, at: (usize, usize), problem: impl FnOnce(String) -> Problem) {
        if !enough(self.found) && self.told.insert(at) {
            let (index, position) = at;
            self.found.push(problem(self.paths[index].event(position)));
        }
    }
}
