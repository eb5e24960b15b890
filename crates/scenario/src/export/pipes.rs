//! Pipes as semaphores: one counts the messages in a pipe, one the room that is left.
//! What is lost: a pipe's wake-ups are synchronous, those of a semaphore are not.

use std::collections::{BTreeMap, HashSet};

use crate::workload::{Action, Event, Loops, Phase, Task, Workload};

use super::keys::free_name;

/// The semaphores of a pipe.
#[derive(Clone, Debug)]
pub(super) struct Semaphores {
    messages: String,
    room: String,
}

impl Semaphores {
    /// Those of each pipe of a workload, under names that no semaphore of it has.
    pub fn of(workload: &Workload) -> BTreeMap<String, Self> {
        let events = || workload.tasks.iter().flat_map(|task| &task.phases).flat_map(|phase| &phase.events);
        let mut used: HashSet<&str> = HashSet::new();
        let mut pipes: BTreeMap<String, Self> = BTreeMap::new();
        for event in events() {
            match &event.action {
                Action::SemaphorePost(name) | Action::SemaphoreWait(name) => _ = used.insert(name),
                Action::PipeWrite { pipe, .. } | Action::PipeRead { pipe, .. } => {
                    let none = Self { messages: String::new(), room: String::new() };
                    pipes.insert(pipe.clone(), none);
                }
                _ => {}
            }
        }
        let mut taken: Vec<String> = Vec::new();
        for (pipe, semaphores) in &mut pipes {
            for (name, wanted) in
                [(&mut semaphores.messages, pipe.clone()), (&mut semaphores.room, format!("{pipe}.room"))]
            {
                let all = used.iter().copied().chain(taken.iter().map(String::as_str)).collect();
                *name = free_name(&wanted, &all);
                taken.push(name.clone());
            }
        }
        pipes
    }

    /// Putting a message into the pipe.
    pub fn write(&self) -> [Action; 2] {
        [Action::SemaphoreWait(self.room.clone()), Action::SemaphorePost(self.messages.clone())]
    }

    /// Taking one out.
    pub fn read(&self) -> [Action; 2] {
        [Action::SemaphoreWait(self.messages.clone()), Action::SemaphorePost(self.room.clone())]
    }
}

/// A task that makes the room of each pipe at the start: semaphores begin at 0.
pub(super) fn filler(
    pipes: &BTreeMap<String, Semaphores>,
    capacity: impl Fn(&str) -> u32,
    tasks: &[Task],
) -> Option<Task> {
    if pipes.is_empty() {
        return None;
    }
    let names: HashSet<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    let phase = |(pipe, semaphores): (&String, &Semaphores)| Phase {
        name: pipe.clone(),
        loops: Loops::Times(u64::from(capacity(pipe))),
        ..Phase::unnamed(vec![Event::new(Action::SemaphorePost(semaphores.room.clone()))])
    };
    let mut task = Task::new(&free_name("pipes", &names), Vec::new());
    task.loops = Loops::Times(1);
    task.phases = pipes.iter().map(phase).collect();
    Some(task)
}
