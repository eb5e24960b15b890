//! Programs that send messages to each other.

use super::super::build::*;
use super::super::parameter::{Parameter, ParameterKind};
use super::super::recipe::Recipe;

pub(super) const HACKBENCH: Recipe = Recipe {
    name: "hackbench",
    title: "hackbench",
    text: "Each group has as many senders as receivers. A sender writes its messages, 100 bytes each, to every \
           receiver of its group in turn; a receiver reads what comes. A message is an operation.",
    own: &[
        Parameter {
            name: "groups",
            text: "groups",
            kind: ParameterKind::Number { least: 1, most: 64, unit: "" },
            default: "1",
        },
        Parameter {
            name: "fds",
            text: "senders, and receivers, of a group",
            kind: ParameterKind::Number { least: 1, most: 40, unit: "" },
            default: "10",
        },
    ],
    tasks: |values, _| {
        let (groups, fds) = (values.count("groups"), values.count("fds"));
        let mut tasks = Vec::new();
        for group in 0..groups {
            let pipe = |receiver| format!("group{group}-{receiver}");
            let writes = (0..fds).flat_map(|receiver| [run_ns(1_500), write(&pipe(receiver), 655)]);
            tasks.push(task(&format!("sender{group}"), fds, writes.collect()));
            for receiver in 0..fds {
                tasks.push(task(
                    &format!("receiver{group}-{receiver}"),
                    1,
                    operation("message", [read(&pipe(receiver)), run_ns(1_500)]),
                ));
            }
        }
        tasks
    },
};
