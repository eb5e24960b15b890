//! Keys of a workload made unique, as strict JSON and rt-app's own parser need them.
//! Not for what the values are.

use std::collections::HashSet;

use crate::workload::{Event, Task, Workload};

impl Workload {
    /// The same workload with no key twice in one object: a later event `run` becomes `run1`, a later
    /// phase or task of one name gets a number behind it. rt-app's own workgen does the same.
    #[must_use]
    pub fn with_unique_keys(&self) -> Self {
        let mut workload = self.clone();
        let names: Vec<String> = unique(self.tasks.iter().map(|task| task.name.as_str()), "_");
        for (task, name) in workload.tasks.iter_mut().zip(names) {
            task.name = name;
            unique_in_task(task);
        }
        workload
    }
}

fn unique_in_task(task: &mut Task) {
    let names = unique(task.phases.iter().map(|phase| phase.name.as_str()), "_");
    for (phase, name) in task.phases.iter_mut().zip(names) {
        phase.name = name;
        let keys = unique_events(&phase.events);
        for (event, key) in phase.events.iter_mut().zip(keys) {
            event.key = key;
        }
    }
}

/// The keys of events; one that is there already becomes the event's name and a number.
fn unique_events(events: &[Event]) -> Vec<String> {
    let written: HashSet<&str> = events.iter().map(Event::written_key).collect();
    let mut used: HashSet<String> = HashSet::new();
    let mut keys = Vec::with_capacity(events.len());
    let mut next = std::collections::HashMap::new();
    for event in events {
        let mut key = event.written_key().to_owned();
        if used.contains(&key) {
            let name = event.action.event();
            let number: &mut usize = next.entry(name).or_insert(0);
            while written.contains(key.as_str()) || used.contains(&key) {
                *number += 1;
                key = format!("{name}{number}");
            }
        }
        used.insert(key.clone());
        keys.push(key);
    }
    keys
}

/// The names; one that is there already gets a number behind it.
fn unique<'n>(names: impl Iterator<Item = &'n str> + Clone, between: &str) -> Vec<String> {
    let written: HashSet<&str> = names.clone().collect();
    let mut used: HashSet<String> = HashSet::new();
    let unique_name = |name: &'n str| {
        let mut own = name.to_owned();
        let mut number = 0;
        while used.contains(&own) || (number > 0 && written.contains(own.as_str())) {
            number += 1;
            own = format!("{name}{between}{number}");
        }
        used.insert(own.clone());
        own
    };
    names.map(unique_name).collect()
}

/// A name that is not among those used.
pub(super) fn free_name(wanted: &str, used: &HashSet<&str>) -> String {
    let mut name = wanted.to_owned();
    let mut number = 0;
    while used.contains(name.as_str()) {
        number += 1;
        name = format!("{wanted}_{number}");
    }
    name
}
