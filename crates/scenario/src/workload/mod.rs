//! The workload: an rt-app document as typed values that a form can change.
//! Not for what it means to the engine: [`crate::compile`] turns it into programs.

mod amount;
mod attributes;
mod event;
mod global;
mod memory;
mod task;

pub use amount::{Amount, MOST_US};
pub use attributes::{Attributes, Policy};
pub use event::{Action, EVENTS, Event, TimerMode};
pub use global::Global;
pub use memory::{MemoryAccess, MemoryRun};
pub use task::{Loops, Phase, Start, Task};

use crate::json::Value;
use crate::problem::{Problem, enough};
use crate::read::{Fields, Node};

/// An rt-app document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// The settings for all tasks.
    pub global: Global,
    /// The relic `resources`, kept as written.
    pub resources: Option<Value>,
    /// The tasks, in order. Two of one name count as instances of one task.
    pub tasks: Vec<Task>,
}

impl Workload {
    pub(crate) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut workload = Self::default();
        let Some(mut fields) = Fields::of(node, "an rt-app document", out) else { return workload };
        if let Some(node) = fields.take("global", out) {
            workload.global = Global::read(&node, out);
        }
        workload.resources = fields.take("resources", out).map(|node| node.value.clone().without_places());
        match fields.take("tasks", out) {
            Some(node) => {
                let tasks = node.members("an object of tasks", out).unwrap_or_default();
                for task in tasks.iter().filter(|task| !task.is_null()) {
                    if enough(out) {
                        break;
                    }
                    workload.tasks.push(Task::read(task, out));
                }
            }
            None => out.push(node.error("there are no `tasks`")),
        }
        fields.finish(out);
        workload
    }

    pub(crate) fn write(&self) -> Value {
        let mut object = Value::object();
        let global = self.global.write();
        if !global.members().is_empty() {
            object.push("global", global);
        }
        if let Some(resources) = &self.resources {
            object.push("resources", resources.clone());
        }
        let mut tasks = Value::object();
        for task in &self.tasks {
            tasks.push(&task.name, task.write());
        }
        object.push("tasks", tasks);
        object
    }
}
