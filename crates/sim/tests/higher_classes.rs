//! Real-time and deadline tasks above the fair class: what they leave to it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use schedlab_sim::kernel::{Kernel, Release};
use schedlab_sim::{Entry, Input, Length, Limit, Machine, Policy, Program, Reason, Run, Simulation, Step, TaskSpec};

const MS: u64 = 1_000_000;

fn endless(steps: &[Step]) -> Arc<Program> {
    let end = steps.len() as u32 + 1;
    let mut all = vec![Step::LoopStart { counter: 0, times: None, end }];
    all.extend_from_slice(steps);
    all.push(Step::LoopEnd { start: 0 });
    Arc::new(Program { steps: all, loops: 1, ..Program::default() })
}

fn run_of(ns: u64) -> Step {
    Step::Run(Length::Fixed(ns))
}

fn sleep_of(ns: u64) -> Step {
    Step::Sleep(Length::Fixed(ns))
}

fn run(release: Release, tasks: Vec<TaskSpec>) -> Run {
    let mut input = Input::new(Kernel::new(release, 8), Machine::ideal(1000), 1_000 * MS);
    input.tasks = tasks;
    input.record_budget = usize::MAX;
    let mut simulation = Simulation::new(input).unwrap();
    simulation.run_until(Limit::end()).unwrap();
    simulation.finish()
}

fn hog(name: &str) -> TaskSpec {
    TaskSpec::new(name, endless(&[run_of(1_000 * MS)]))
}

#[test]
fn a_fifo_task_is_never_kept_waiting_by_fair_ones() {
    for release in Release::MODELLED {
        let policy = Policy::Fifo { priority: 10 };
        let fifo = TaskSpec { policy, ..TaskSpec::new("fifo", endless(&[run_of(3 * MS), sleep_of(7 * MS)])) };
        let run = run(*release, vec![hog("a"), hog("b"), fifo]);
        assert_eq!(run.tasks[2].run_delay.max_ns(), 0, "{}", release.name());
        assert_eq!(run.tasks[2].runtime_ns, 300 * MS);
        assert_eq!(run.tasks[2].preempted, 0);
        let (a, b) = (run.tasks[0].runtime_ns, run.tasks[1].runtime_ns);
        assert_eq!(a + b, 700 * MS);
        assert!(a.abs_diff(b) < 30 * MS, "{}: {a} and {b}", release.name());
        assert!(run.tasks[0].reasons[Reason::HigherClass as usize] > 20);
    }
}

#[test]
fn round_robin_takes_turns_of_100_ms_and_starves_the_fair_class() {
    let policy = Policy::RoundRobin { priority: 5 };
    let rr = |name| TaskSpec { policy, ..hog(name) };
    let run = run(Release::V6_12, vec![rr("a"), rr("b"), hog("fair")]);
    assert_eq!(run.tasks.iter().map(|task| task.runtime_ns).collect::<Vec<_>>(), [500 * MS, 500 * MS, 0]);
    let switches: Vec<u64> = run
        .record
        .iter()
        .filter_map(|entry| match entry {
            Entry::Switch { at_ns, .. } => Some(at_ns),
            _ => None,
        })
        .collect();
    assert_eq!(switches, (0..=10).map(|turn| turn * 100 * MS).collect::<Vec<_>>());
}

#[test]
fn a_deadline_task_gets_its_budget_each_period_and_no_more() {
    let policy = Policy::Deadline { runtime_ns: 20 * MS, deadline_ns: 100 * MS, period_ns: 100 * MS };
    let run = run(Release::V6_12, vec![hog("fair"), TaskSpec { policy, ..hog("deadline") }]);
    assert_eq!(run.tasks[1].runtime_ns, 200 * MS);
    assert_eq!(run.tasks[0].runtime_ns, 800 * MS);
    assert_eq!(run.tasks[1].reasons[Reason::Budget as usize], 10);
}

#[test]
fn a_task_may_change_its_class_while_it_runs() {
    for release in Release::MODELLED {
        let to = |policy| Step::Attributes { policy, nice: 0, slice_ns: None };
        let steps = [run_of(5 * MS), to(Policy::Fifo { priority: 1 }), run_of(20 * MS), to(Policy::Normal)];
        let run = run(*release, vec![hog("a"), TaskSpec::new("b", endless(&steps))]);
        let busy: u64 = run.tasks.iter().map(|task| task.runtime_ns).sum();
        assert_eq!(busy, 1_000 * MS);
        // For 20 of every 25 ms of its own it cannot be preempted, so it gets more than half.
        assert!(run.tasks[1].runtime_ns > 500 * MS, "{}: {}", release.name(), run.tasks[1].runtime_ns);
    }
}
