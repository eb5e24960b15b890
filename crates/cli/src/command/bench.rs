//! `schedlab bench`: the engine's speed beside the floor's. Not for the figures made of the times:
//! `schedlab-report` has those.

use std::time::{Duration, Instant};

use schedlab_report::speed::{CoreScheduled, Measured, MeasuredCpus, SpeedReport};
use schedlab_report::text;
use schedlab_sim::kernel::Release;
use schedlab_sim::load::{self, Floor, Load};
use schedlab_sim::{Limit, Simulation};

use super::kernels::release;
use crate::args::{self, TextFormat};
use crate::error::CommandError;
use crate::notice;
use crate::output::Output;

/// How many tasks stand on the queue.
const SIZES: [usize; 5] = [2, 10, 100, 1_000, 10_000];
/// Slices of the engine, and as many of the floor, that a point is measured in.
const SLICES: u32 = 25;
/// The shortest of them.
const SHORTEST: Duration = Duration::from_millis(1);
/// The numbers of CPUs that are compared.
const CPUS: [u32; 4] = [1, 8, 64, 512];
/// How long a slice of them is.
const CPU_SLICE: Duration = Duration::from_millis(20);
/// Events between two looks at the clock.
const BATCH: u64 = 1_000;
/// Events a task until all have run and slept a few times and their statistics have their size.
const WARM_UP: u64 = 30;

/// `schedlab bench`.
///
/// # Errors
/// When the input is wrong, a run fails, or the output cannot be written.
pub fn bench(args: &args::Bench) -> Result<(), CommandError> {
    let releases = args.releases.iter().map(|name| release(name)).collect::<Result<Vec<_>, _>>()?;
    let output = Output::open(&args.output)?;
    let points = (Load::ALL.len() * SIZES.len() * releases.len()).max(1) as u32;
    let time = Duration::from_secs(u64::from(args.seconds));
    let begun = Instant::now();
    // First, so that its memory is not that of the other loads.
    let core_scheduled = releases.last().map(|release| core_scheduled(*release)).transpose()?.flatten();
    let mut progress = notice::Progress::of(1);
    let mut measured = Vec::new();
    for load in Load::ALL {
        for release in &releases {
            for tasks in SIZES {
                progress.at("bench", measured.len() as u64, u64::from(points));
                // What one point does not use, or uses too much, the others share.
                let each = time.saturating_sub(begun.elapsed()) / (points - measured.len() as u32).max(1);
                measured.push(measure(load, *release, tasks, each)?);
            }
        }
    }
    drop(progress);
    let mut report = SpeedReport::of(&measured, begun.elapsed().as_secs_f64());
    if let Some(release) = releases.last() {
        report.add_cpus(&by_cpus(*release)?);
    }
    report.core_scheduled = core_scheduled;
    report.seconds = begun.elapsed().as_secs_f64();
    output.finish(
        match args.format {
            TextFormat::Text => text::speed(&report).into_bytes(),
            TextFormat::Json => super::to_json(&report)?.into_bytes(),
        }
        .as_slice(),
    )
}

/// Measures a point for `time`: first both get warm, then slices of the engine and of the floor
/// take turns, so that what disturbs one disturbs the other.
fn measure(load: Load, release: Release, tasks: usize, time: Duration) -> Result<Measured, CommandError> {
    let name = format!("{} on {} with {tasks} tasks", load.name(), release.name());
    let failed = |source| CommandError::Run { variant: name.clone(), source };
    let begun = Instant::now();
    let mut simulation = Simulation::new(load.input(release, tasks))
        .map_err(|source| CommandError::Input { variant: name.clone(), source })?;
    let mut floor = Floor::new(tasks);
    while simulation.total_events() < WARM_UP * tasks as u64 + BATCH {
        simulation.run_until(Limit::events(BATCH)).map_err(failed)?;
        std::hint::black_box(floor.run(BATCH));
    }
    let slice = (time.saturating_sub(begun.elapsed()) / (2 * SLICES)).max(SHORTEST);
    let (events, switches) = (simulation.total_events(), simulation.total_switches());
    let mut measured = Measured {
        load: load.name(),
        tasks,
        release: release.name(),
        engine_ns: Vec::new(),
        floor_ns: Vec::new(),
        switches_per_event: 0.0,
    };
    for _ in 0..SLICES {
        measured.floor_ns.push(per_event(slice, || {
            std::hint::black_box(floor.run(BATCH));
            Ok(())
        })?);
        measured
            .engine_ns
            .push(per_event(slice, || simulation.run_until(Limit::events(BATCH)).map(|_| ()).map_err(failed))?);
    }
    let events = (simulation.total_events() - events).max(1);
    measured.switches_per_event = (simulation.total_switches() - switches) as f64 / events as f64;
    Ok(measured)
}

/// The engine on 1, 8, 64 and 512 CPUs, beside a floor of as many tasks, in slices that take turns.
fn by_cpus(release: Release) -> Result<Vec<MeasuredCpus>, CommandError> {
    let mut runs = Vec::new();
    for cpus in CPUS {
        let name = format!("{} with {cpus} CPUs", release.name());
        let input = load::spread(release, cpus);
        let tasks = input.tasks.len();
        let mut simulation =
            Simulation::new(input).map_err(|source| CommandError::Input { variant: name.clone(), source })?;
        let warm = Limit { time_ns: 200_000_000, events: u64::MAX };
        simulation.run_until(warm).map_err(|source| CommandError::Run { variant: name.clone(), source })?;
        let mut floor = Floor::new(tasks);
        let measured = MeasuredCpus { cpus, tasks, engine_ns: Vec::new(), floor_ns: Vec::new() };
        std::hint::black_box(floor.run(BATCH * tasks as u64 / 10));
        runs.push((name, simulation, floor, measured));
    }
    for _ in 0..SLICES {
        for (name, simulation, floor, measured) in &mut runs {
            let failed = |source| CommandError::Run { variant: name.clone(), source };
            measured.floor_ns.push(per_event(CPU_SLICE, || {
                std::hint::black_box(floor.run(BATCH));
                Ok(())
            })?);
            let limit = Limit::events(BATCH);
            measured.engine_ns.push(per_event(CPU_SLICE, || simulation.run_until(limit).map(|_| ()).map_err(failed))?);
        }
    }
    Ok(runs.into_iter().map(|(.., measured)| measured).collect())
}

/// Ten simulated seconds of 104 hardware threads with core scheduling; none where the release has
/// none.
fn core_scheduled(release: Release) -> Result<Option<CoreScheduled>, CommandError> {
    let Ok(input) = load::core_scheduled(release) else { return Ok(None) };
    let name = format!("{} with core scheduling", release.name());
    let mut simulation =
        Simulation::new(input).map_err(|source| CommandError::Input { variant: name.clone(), source })?;
    let stopwatch = Stopwatch::start();
    let limit = Limit { time_ns: 10_000_000_000, events: u64::MAX };
    simulation.run_until(limit).map_err(|source| CommandError::Run { variant: name, source })?;
    Ok(Some(CoreScheduled {
        simulated_s: 10.0,
        seconds: stopwatch.passed().as_secs_f64(),
        events: simulation.total_events(),
        peak_kib: peak_kib(),
    }))
}

/// The most memory this process has had, where `/proc` tells it.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Nanoseconds of processor time an event of `batch`, which does [`BATCH`] of them, repeated for
/// `time`.
fn per_event(time: Duration, mut batch: impl FnMut() -> Result<(), CommandError>) -> Result<f64, CommandError> {
    let begun = Instant::now();
    let stopwatch = Stopwatch::start();
    let mut events = 0;
    while events == 0 || begun.elapsed() < time {
        batch()?;
        events += BATCH;
    }
    Ok(stopwatch.passed().as_nanos() as f64 / events as f64)
}

/// Measures this thread's processor time, where the system tells it: what other processes take of
/// the processor does not count then. Elsewhere the time that passes.
struct Stopwatch(Duration);

impl Stopwatch {
    fn start() -> Self {
        Self(now())
    }

    fn passed(&self) -> Duration {
        now().saturating_sub(self.0)
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn now() -> Duration {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed()
}
