//! Names to numbers, and the paths of tasks, phases and events in the document.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::path::{key_text, numbers};
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

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The names, by their numbers.
    pub fn list(&self) -> &[String] {
        &self.list
    }
}

/// The paths of the tasks.
pub(crate) struct Paths {
    pub tasks: Vec<String>,
}

impl Paths {
    /// The path of each task of a workload, in order.
    pub fn of(workload: &Workload) -> Self {
        Self { tasks: members("workload.tasks", workload.tasks.iter().map(|task| task.name.as_str())) }
    }

    /// Calls `visit` for every event of a task, with a function that gives its path.
    pub fn each_event<'w>(&self, index: usize, task: &'w Task, mut visit: impl FnMut(&'w Event, &dyn Fn() -> String)) {
        for (phase, path) in task.phases.iter().zip(PhasePath::all(&self.tasks[index], task)) {
            for (position, event) in phase.events.iter().enumerate() {
                visit(event, &|| path.event(position));
            }
        }
    }
}

/// The path of a phase and those of its events.
pub(crate) struct PhasePath<'w> {
    pub path: String,
    phase: &'w Phase,
    /// The number of each event among those of the same key, where there are several.
    numbers: OnceCell<Vec<Option<usize>>>,
}

impl<'w> PhasePath<'w> {
    /// The phases of the task at `path`.
    pub fn all(path: &str, task: &'w Task) -> Vec<Self> {
        let paths = if task.is_inline() {
            vec![path.to_owned()]
        } else {
            members(&format!("{path}.phases"), task.phases.iter().map(|phase| phase.name.as_str()))
        };
        let phases = paths.into_iter().zip(&task.phases);
        phases.map(|(path, phase)| Self { path, phase, numbers: OnceCell::new() }).collect()
    }

    /// The path of an event.
    pub fn event(&self, position: usize) -> String {
        let keys = self.phase.events.iter().map(Event::written_key);
        let numbers = self.numbers.get_or_init(|| numbers(keys));
        let key = self.phase.events.get(position).map_or("", Event::written_key);
        member(&self.path, key, numbers.get(position).copied().flatten())
    }
}

/// The paths of members with these keys; repeated keys are numbered.
fn members<'k>(parent: &str, keys: impl Iterator<Item = &'k str> + Clone) -> Vec<String> {
    keys.clone().zip(numbers(keys)).map(|(key, number)| member(parent, key, number)).collect()
}

fn member(parent: &str, key: &str, number: Option<usize>) -> String {
    let number = number.map_or_else(String::new, |number| format!("[{number}]"));
    format!("{parent}.{}{number}", key_text(key))
}
