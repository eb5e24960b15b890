//! The pipes of a workload and how many messages each holds.
//! Not for who writes and reads when: that is seen in the run.

use std::collections::{HashMap, HashSet};

use crate::problem::Problem;
use crate::workload::{Action, Workload};

use super::names::Paths;

/// What a pipe holds where nobody says it: Linux gives a pipe 16 pages, and a write takes one.
const DEFAULT_CAPACITY: u32 = 16;

/// The capacities that the events of a workload name.
#[derive(Debug, Default)]
pub(crate) struct Pipes<'w> {
    named: HashMap<&'w str, u32>,
}

impl<'w> Pipes<'w> {
    /// Collects them. Two different ones of one pipe are an error.
    pub fn of(workload: &'w Workload, paths: &Paths, found: &mut Vec<Problem>) -> Self {
        let mut first: HashMap<&str, (u32, String)> = HashMap::new();
        let mut told = HashSet::new();
        for (index, task) in workload.tasks.iter().enumerate() {
            paths.each_event(index, task, |event, path| {
                let (Action::PipeWrite { pipe, capacity: Some(capacity) }
                | Action::PipeRead { pipe, capacity: Some(capacity) }) = &event.action
                else {
                    return;
                };
                let (known, place) = first.entry(pipe).or_insert_with(|| (*capacity, path()));
                if known != capacity && told.insert(pipe.as_str()) {
                    let message = format!("the pipe `{pipe}` holds {capacity} messages here and {known} at {place}");
                    found.push(Problem::error(path(), message));
                }
            });
        }
        Self { named: first.into_iter().map(|(pipe, (capacity, _))| (pipe, capacity)).collect() }
    }

    /// How many messages a pipe holds.
    pub fn capacity(&self, pipe: &str) -> u32 {
        self.named.get(pipe).copied().unwrap_or(DEFAULT_CAPACITY)
    }
}
