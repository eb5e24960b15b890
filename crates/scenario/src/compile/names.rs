//! Names to numbers, and the paths of tasks, phases and events in the document.

use std::collections::HashMap;

use crate::path::key_text;
use crate::workload::{Event, Phase, Task, Workload};

/// Numbers names in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<String, u32>,
    list: Vec<String>,
}

impl Names {
    /// The number of a name; a new name gets the next.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.to_owned(), number);
        self.list.push(name.to_owned());
        number
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn list(&self) -> &[String] {
        &self.list
    }

    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// The paths of the tasks.
pub(super) struct Paths {
    pub tasks: Vec<String>,
}

impl Paths {
    pub fn of(workload: &Workload) -> Self {
        Self { tasks: members("workload.tasks", workload.tasks.iter().map(|task| task.name.as_str())) }
    }

    /// Calls `visit` for every event of a task, with a function that gives its path.
    pub fn each_event<'w>(&self, index: usize, task: &'w Task, mut visit: impl FnMut(&'w Event, &dyn Fn() -> String)) {
        let phases = phase_paths(&self.tasks[index], task);
        for (phase, path) in task.phases.iter().zip(&phases) {
            for (position, event) in phase.events.iter().enumerate() {
                visit(event, &|| event_path(path, phase, position));
            }
        }
    }
}

/// The paths of the phases of the task at `path`.
pub(super) fn phase_paths(path: &str, task: &Task) -> Vec<String> {
    if task.is_inline() {
        return vec![path.to_owned()];
    }
    members(&format!("{path}.phases"), task.phases.iter().map(|phase| phase.name.as_str()))
}

/// The path of an event of the phase at `path`.
pub(super) fn event_path(path: &str, phase: &Phase, position: usize) -> String {
    let key = phase.events[position].written_key();
    let same = |events: &[Event]| events.iter().filter(|event| event.written_key() == key).count();
    let number = if same(&phase.events) > 1 { format!("[{}]", same(&phase.events[..position])) } else { String::new() };
    format!("{path}.{}{number}", key_text(key))
}

/// The paths of members with these keys; repeated keys are numbered.
fn members<'k>(parent: &str, keys: impl Iterator<Item = &'k str> + Clone) -> Vec<String> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for key in keys.clone() {
        counts.entry(key).or_default().0 += 1;
    }
    let path = |key: &str| {
        let (total, seen) = counts.get_mut(key).map_or((1, 0), |count| {
            count.1 += 1;
            (count.0, count.1 - 1)
        });
        let number = if total > 1 { format!("[{seen}]") } else { String::new() };
        format!("{parent}.{}{number}", key_text(key))
    };
    keys.map(path).collect()
}
