//! Groups on every release: weights and limits hold in the long run. Not for exactness: up to 6.14
//! the golden traces in `groups` and `bandwidth` check that.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use schedlab_sim::kernel::{Kernel, Release};
use schedlab_sim::{
    Bandwidth, GroupId, GroupSpec, Input, Length, Limit, Machine, Program, Run, Simulation, Step, TaskSpec,
};

const MS: u64 = 1_000_000;

fn group(path: &str, parent: Option<u32>, weight: u32) -> GroupSpec {
    GroupSpec { path: path.to_owned(), parent: parent.map(GroupId), weight, idle: false, latency_nice: 0, max: None }
}

fn hog(name: &str, group: Option<u32>) -> TaskSpec {
    let program = Program { steps: vec![Step::Run(Length::Fixed(1 << 45))], ..Program::default() };
    TaskSpec { group: group.map(GroupId), ..TaskSpec::new(name, Arc::new(program)) }
}

fn run(release: Release, groups: Vec<GroupSpec>, tasks: Vec<TaskSpec>) -> Run {
    let mut input = Input::new(Kernel::new(release, 8), Machine::ideal(1000), 20_000 * MS);
    input.groups = groups;
    input.tasks = tasks;
    let mut simulation = Simulation::new(input).unwrap();
    simulation.run_until(Limit::end()).unwrap();
    simulation.finish()
}

fn shares(run: &Run) -> Vec<f64> {
    run.tasks.iter().map(|task| task.runtime_ns as f64 / run.until_ns as f64).collect()
}

fn assert_near(release: Release, got: &[f64], expected: &[f64]) {
    for (got, expected) in got.iter().zip(expected) {
        assert!((got - expected).abs() < 0.006, "{}: {got} of {expected}", release.name());
    }
}

#[test]
fn groups_share_by_weight_whatever_is_in_them() {
    for release in Release::MODELLED {
        let groups = vec![group("/a", None, 100), group("/b", None, 300)];
        let tasks = vec![hog("a0", Some(0)), hog("b0", Some(1)), hog("b1", Some(1)), hog("b2", Some(1))];
        assert_near(*release, &shares(&run(*release, groups, tasks)), &[0.25, 0.25, 0.25, 0.25]);
    }
}

#[test]
fn nested_groups_share_what_their_parent_gets() {
    for release in Release::MODELLED {
        let groups = vec![group("/a", None, 100), group("/a/x", Some(0), 100), group("/a/y", Some(0), 300)];
        let tasks = vec![hog("root", None), hog("x", Some(1)), hog("y", Some(2))];
        assert_near(*release, &shares(&run(*release, groups, tasks)), &[0.5, 0.125, 0.375]);
    }
}

#[test]
fn a_limited_group_gets_its_quota() {
    for release in Release::MODELLED {
        let max = Bandwidth { quota_ns: 20 * MS, period_ns: 100 * MS, burst_ns: 0, phase_ns: 0 };
        let limited = GroupSpec { max: Some(max), ..group("/a", None, 100) };
        let tasks = vec![hog("root", None), hog("a0", Some(0)), hog("a1", Some(0))];
        let shares = shares(&run(*release, vec![limited], tasks));
        assert_near(*release, &[shares[0], shares[1] + shares[2]], &[0.8, 0.2]);
    }
}

#[test]
fn a_lone_limited_group_leaves_the_cpu_idle() {
    for release in Release::MODELLED {
        let max = Bandwidth { quota_ns: 30 * MS, period_ns: 100 * MS, burst_ns: 0, phase_ns: 0 };
        let limited = GroupSpec { max: Some(max), ..group("/a", None, 100) };
        let run = run(*release, vec![limited], vec![hog("a0", Some(0))]);
        assert_near(*release, &shares(&run), &[0.3]);
        assert_eq!(run.cpus[0].idle_ns + run.cpus[0].busy_ns, run.until_ns);
    }
}
