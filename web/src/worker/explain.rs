//! What is kept of a finished variant's first repeat: its switches, and copies of the run from
//! which any instant can be looked at again. Not for words: `schedlab-report` has those.

use std::collections::HashSet;

use schedlab_report::{Explanation, Names, explanation};
use schedlab_sim::Checkpoints;

use super::trace::Trace;
use crate::protocol::Who;

/// A finished variant that answers questions.
pub(super) struct Explainer {
    pub(super) trace: Trace,
    checkpoints: Checkpoints,
    names: Names,
}

impl Explainer {
    pub(super) const fn new(trace: Trace, checkpoints: Checkpoints, names: Names) -> Self {
        Self { trace, checkpoints, names }
    }

    /// What was decided at the last instant up to `at_ns`, and the tasks that it names. A run that
    /// went well once goes well again; if it does not, nothing is said.
    pub(super) fn explain(&self, cpu: u16, at_ns: u64) -> (Explanation, Vec<Who>) {
        let moments = self.checkpoints.explain(at_ns).unwrap_or_default();
        let words = explanation(&moments, &self.names, u32::from(cpu));
        let mut named = HashSet::new();
        for moment in &words.moments {
            named.extend(moment.queues.iter().flat_map(|queue| &queue.entities).map(|entity| entity.name.as_str()));
            named.extend([&moment.prev, &moment.next].into_iter().flatten().map(String::as_str));
        }
        let tasks = self.trace.tasks(|name| named.contains(name));
        (words, tasks)
    }
}
