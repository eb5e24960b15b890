//! The engine's speed: `engine/LOAD/RELEASE/TASKS`, and the floor beside it, `floor/TASKS`.
//! Not for the ratio of the two: `schedlab bench` measures it in turns, so that noise meets both.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use schedlab_sim::kernel::Release;
use schedlab_sim::load::{Floor, Load};
use schedlab_sim::{Limit, Simulation};
use std::hint::black_box;
use std::time::Duration;

const SIZES: [usize; 5] = [2, 10, 100, 1_000, 10_000];
const RELEASES: [Release; 4] = [Release::V6_5, Release::V6_6, Release::V6_12, Release::V7_3];
/// Events an iteration.
const EVENTS: u64 = 10_000;

/// A run in which every task has run a few times.
fn warm(load: Load, release: Release, tasks: usize) -> Option<Simulation> {
    let mut simulation = Simulation::new(load.input(release, tasks)).ok()?;
    simulation.run_until(Limit::events(10_000 + 30 * tasks as u64)).ok()?;
    Some(simulation)
}

fn engine(criterion: &mut Criterion) {
    for load in Load::ALL {
        for release in RELEASES {
            let mut group = criterion.benchmark_group(format!("engine/{}/{}", load.name(), release.name()));
            group.throughput(Throughput::Elements(EVENTS));
            for tasks in SIZES {
                group.bench_function(BenchmarkId::from_parameter(tasks), |bencher| {
                    let Some(mut simulation) = warm(load, release, tasks) else { return };
                    bencher.iter(|| simulation.run_until(Limit::events(EVENTS)));
                });
            }
            group.finish();
        }
    }
}

fn floor(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("floor");
    group.throughput(Throughput::Elements(EVENTS));
    for tasks in SIZES {
        group.bench_function(BenchmarkId::from_parameter(tasks), |bencher| {
            let mut floor = Floor::new(tasks);
            bencher.iter(|| black_box(floor.run(EVENTS)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = engine, floor
}
criterion_main!(benches);
