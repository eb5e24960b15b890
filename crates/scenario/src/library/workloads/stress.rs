//! Programs that stress one call: stress-ng's and UnixBench's.

use super::super::build::*;
use super::super::parameter::Parameter;
use super::super::recipe::Recipe;
use crate::workload::{Action, Amount, Event, Start, Task};

/// The parameter of all stressors.
const INSTANCES: Parameter = Parameter::load("instances", "instances of the stressor", 512, "100%");

pub(super) const SWITCH: Recipe = Recipe {
    name: "stress-switch",
    title: "stress-ng --switch",
    text: "A parent writes to its child through a pipe that holds one message, so that each message is a switch there \
           and back. Modelled is the pair of each instance; a message is an operation.",
    own: &[INSTANCES],
    make: |values, scenario| {
        for instance in 0..values.load("instances", cpus(scenario)) {
            let pipe = format!("pipe{instance}");
            let parent = vec![run_ns(700), write(&pipe, 1)];
            let mut child = vec![read(&pipe)];
            child.extend(operation("message", [run_ns(700)]));
            let tasks = [task(&format!("parent{instance}"), 1, parent), task(&format!("child{instance}"), 1, child)];
            scenario.workload.tasks.extend(tasks);
        }
    },
};

pub(super) const PIPE: Recipe = Recipe {
    name: "stress-pipe",
    title: "stress-ng --pipe",
    text: "A parent writes pages of 4 KiB into a pipe of 16 pages as fast as it can, its child reads and checks them. \
           The faster of the two waits for the other. A page is an operation.",
    own: &[INSTANCES],
    make: |values, scenario| {
        for instance in 0..values.load("instances", cpus(scenario)) {
            let pipe = format!("pipe{instance}");
            let parent = vec![run_ns(1_200), write(&pipe, 16)];
            let mut child = vec![read(&pipe)];
            child.extend(operation("page", [run_ns(1_500)]));
            let tasks = [task(&format!("parent{instance}"), 1, parent), task(&format!("child{instance}"), 1, child)];
            scenario.workload.tasks.extend(tasks);
        }
    },
};

pub(super) const FUTEX: Recipe = Recipe {
    name: "stress-futex",
    title: "stress-ng --futex",
    text: "A child waits on a futex; its parent calls futex_wake again and again until somebody was there to wake. The \
           parent is busy all the time, the child sleeps in between: the waker keeps its CPU and the wakee needs \
           another or waits. A wake-up of the child is an operation. Not modelled: the child's time-outs.",
    own: &[INSTANCES],
    make: |values, scenario| {
        for instance in 0..values.load("instances", cpus(scenario)) {
            let name = format!("futex{instance}");
            let mut child = vec![Event::new(Action::Suspend(name.clone()))];
            child.extend(operation("wake-up", [run_ns(800)]));
            let parent = vec![run_ns(500), Event::new(Action::Resume(name))];
            let tasks = [task(&format!("parent{instance}"), 1, parent), task(&format!("child{instance}"), 1, child)];
            scenario.workload.tasks.extend(tasks);
        }
    },
};

pub(super) const NANOSLEEP: Recipe = Recipe {
    name: "stress-nanosleep",
    title: "stress-ng --nanosleep",
    text: "Each instance has threads that sleep for a random time of up to 2^18 ns (0.26 ms), again and again. A sleep \
           is an operation. The timer slack of 50 µs that Linux adds is not modelled.",
    own: &[INSTANCES, Parameter::number("threads", "threads of an instance", (1, 256), "", "8")],
    make: |values, scenario| {
        let threads = values.load("instances", cpus(scenario)).saturating_mul(values.count("threads"));
        let nap = Event::new(Action::SleepNs(Amount::Uniform(1, 1 << 18)));
        scenario.workload.tasks = vec![task("sleeper", threads, operation("sleep", [nap, run_ns(1_500)]))];
    },
};

pub(super) const FORK: Recipe = Recipe {
    name: "stress-fork",
    title: "stress-ng --fork",
    text: "A parent forks a child that exits at once, and waits for it. A fork with its child is an operation; the work \
           of making and removing a process is 60 µs in the parent and 40 in the child.",
    own: &[INSTANCES],
    make: |values, scenario| {
        for instance in 0..values.load("instances", cpus(scenario)) {
            scenario.workload.tasks.extend(fork_and_wait(instance, [60_000, 40_000]));
        }
    },
};

pub(super) const SPAWN: Recipe = Recipe {
    name: "spawn",
    title: "UnixBench spawn",
    text: "UnixBench's process creation: fork, the child exits, wait. As stress-ng's fork, without anything else in the \
           loop.",
    own: &[Parameter::load("copies", "copies", 512, "100%")],
    make: |values, scenario| {
        for copy in 0..values.load("copies", cpus(scenario)) {
            scenario.workload.tasks.extend(fork_and_wait(copy, [50_000, 35_000]));
        }
    },
};

/// A parent that forks and waits, and its child, with the work of each in nanoseconds.
fn fork_and_wait(number: u32, work_ns: [u64; 2]) -> [Task; 2] {
    let (name, exited) = (format!("child{number}"), format!("exit{number}"));
    let parent = operation("fork", [run_ns(work_ns[0]), fork(&name), wait(&exited)]);
    let mut child = task(&name, 0, vec![run_ns(work_ns[1]), post(&exited)]);
    (child.loops, child.start) = (times(1), Start::Fork);
    [task(&format!("parent{number}"), 1, parent), child]
}
