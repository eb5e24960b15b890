//! Programs that need CPU time first of all: hogs, and periodic tasks beside them.

use super::super::build::*;
use super::super::parameter::{Parameter, ParameterKind};
use super::super::recipe::Recipe;

pub(super) const HOGS: Recipe = Recipe {
    name: "hogs",
    title: "CPU hogs",
    text: "SPECrate starts as many copies of one program as are asked for; each computes for minutes and never \
           sleeps. Modelled are the copies, which compute in pieces of 10 ms (an operation each), and the working \
           set that a copy finds displaced when it comes back; not modelled are its input, output and paging.",
    own: &[
        Parameter {
            name: "copies",
            text: "programs that compute",
            kind: ParameterKind::Load { most: 4096 },
            default: "200%",
        },
        Parameter {
            name: "working_set",
            text: "memory that a copy goes over all the time",
            kind: ParameterKind::Number { least: 0, most: 1 << 20, unit: "KiB" },
            default: "512",
        },
    ],
    tasks: |values, cpus| {
        let mut copies = task("copy", values.load("copies", cpus), operation("piece", [run(10_000)]));
        copies.attributes.working_set_kib = Some(values.count("working_set"));
        vec![copies]
    },
};
