//! The steady state allocates nothing: once every task has run and slept, events cost no memory.
//! Not for speed: benches measure that.
//!
//! The one thing that still grows then is a histogram of delays, when a task waits longer than it
//! ever did ([`schedlab_sim::TaskResult::run_delay`] and `wake_delay`): its buckets reach up to
//! the largest delay. So what is allocated is held against the delays that exceed all before them.

#![allow(clippy::unwrap_used)] // A test may fail by it.

use allocation_counter::measure;
use schedlab_sim::kernel::Release;
use schedlab_sim::load::Load;
use schedlab_sim::{Limit, Simulation};

/// The largest delays so far: two histograms a task.
fn largest_delays(simulation: &Simulation) -> Vec<u64> {
    let run = simulation.clone().finish();
    run.tasks.iter().flat_map(|task| [task.run_delay.max_ns(), task.wake_delay.max_ns()]).collect()
}

/// Runs a load beyond its warm-up; answers the allocations of the next 50,000 events and how many
/// delays exceeded all before them.
fn steady(load: Load, release: Release, tasks: usize) -> (u64, u64) {
    let mut simulation = Simulation::new(load.input(release, tasks)).unwrap();
    simulation.run_until(Limit::events(100 * tasks as u64 + 50_000)).unwrap();
    let before = largest_delays(&simulation);
    let allocated = measure(|| {
        simulation.run_until(Limit::events(50_000)).unwrap();
    });
    let after = largest_delays(&simulation);
    let grown = before.iter().zip(&after).filter(|(before, after)| after > before).count();
    (allocated.count_total, grown as u64)
}

#[test]
fn the_counter_counts() {
    assert!(measure(|| drop(std::hint::black_box(vec![1_u8]))).count_total > 0);
    assert_eq!(measure(|| ()).count_total, 0);
}

#[test]
fn the_steady_state_allocates_nothing_but_for_delays_never_seen_before() {
    let mut quiet = 0;
    for load in Load::ALL {
        for release in [Release::V6_5, Release::V6_12, Release::V7_3] {
            for tasks in [2, 10, 100, 1_000] {
                let (allocated, grown) = steady(load, release, tasks);
                let name = format!("{} on {} with {tasks} tasks", load.name(), release.name());
                assert!(allocated <= grown, "{name}: {allocated} allocations for {grown} larger delays");
                quiet += u32::from(allocated == 0);
            }
        }
    }
    assert!(quiet >= 20, "only {quiet} of 36 loads allocated nothing");
}
