//! What memory and I/O events cost: CPU work by the machine's speeds and its caches.
//! Not for what a task loads again when it comes in: the engine does that by its working set.

use std::collections::HashSet;

use schedlab_sim::Cache;

use crate::document::{Machine, Scenario};
use crate::problem::Problem;
use crate::workload::{Action, Global, MemoryAccess, MemoryRun, Task};

use super::names::Paths;

/// A cache line, bytes.
const LINE: u64 = 64;
/// The longest step of the engine, nanoseconds.
const MOST_NS: u128 = 1_000_000_000_000_000;

/// The time of `bytes` at a speed, nanoseconds, rounded up.
fn time_ns(bytes: u128, ns_per_kib: u64) -> u64 {
    let ns = (bytes * u128::from(ns_per_kib)).div_ceil(1024).min(MOST_NS);
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// The CPU work of an event, if it is one of memory or I/O.
pub(super) fn work_ns(action: &Action, machine: &Machine, global: &Global) -> Option<u64> {
    match action {
        Action::Memory(bytes) => Some(time_ns(u128::from(*bytes), machine.mem_ns_per_kib)),
        Action::Io(bytes) => Some(time_ns(u128::from(*bytes), machine.io_ns_per_kib)),
        Action::MemoryRun(run) => Some(run_ns(run, machine, global)),
        _ => None,
    }
}

/// Each access moves what it touches of a cache line: at the speed of `mem` work, and from the
/// nearest cache that holds all that the walk touches.
fn run_ns(run: &MemoryRun, machine: &Machine, global: &Global) -> u64 {
    let size = run.size.unwrap_or_else(|| global.mem_buffer_bytes());
    let (stride, touched) = (run.stride.max(1), run.stride.clamp(1, LINE));
    let places = size.div_ceil(stride);
    let count = run.count.unwrap_or(places);
    let from = u128::from(places.min(count)) * u128::from(touched);
    let ns_per_kib = machine.mem_ns_per_kib.saturating_add(loading_ns_per_kib(from.div_ceil(1024), &machine.cache));
    time_ns(u128::from(count) * u128::from(touched), ns_per_kib)
}

/// What loading costs from the nearest cache of that size.
fn loading_ns_per_kib(kib: u128, cache: &Cache) -> u64 {
    if kib <= u128::from(cache.core_kib) {
        0
    } else if kib <= u128::from(cache.llc_kib) {
        cache.llc_ns_per_kib
    } else {
        cache.memory_ns_per_kib
    }
}

/// What a task keeps in the caches, KiB: what it says, otherwise the largest buffer of its events.
pub(super) fn working_set_kib(task: &Task, global: &Global) -> u32 {
    let buffer = |action: &Action| match action {
        Action::Memory(bytes) if *bytes > 0 => global.mem_buffer_bytes(),
        Action::MemoryRun(run) => run.size.unwrap_or_else(|| global.mem_buffer_bytes()),
        _ => 0,
    };
    let events = task.phases.iter().flat_map(|phase| &phase.events);
    let largest = events.map(|event| buffer(&event.action)).max().unwrap_or(0);
    let kib = u32::try_from(largest.div_ceil(1024)).unwrap_or(u32::MAX);
    task.attributes.working_set_kib.unwrap_or(kib)
}

/// Says once of each kind of event what of it is not modelled, and of the first working set when
/// loading it costs nothing.
pub(super) fn check(scenario: &Scenario, paths: &Paths, found: &mut Vec<Problem>) {
    let workload = &scenario.workload;
    let cache = &scenario.machine.cache;
    let named = workload.tasks.iter().position(|task| task.attributes.working_set_kib.is_some_and(|kib| kib > 0));
    if let Some(path) = named.and_then(|first| paths.tasks.get(first))
        && cache.llc_ns_per_kib == 0
        && cache.memory_ns_per_kib == 0
    {
        let message = "it costs nothing: `machine.cache` has no `llc_ns_per_kib` and no `memory_ns_per_kib`";
        found.push(Problem::notice(format!("{path}.working_set_kib"), message));
    }
    let mut told = HashSet::new();
    for (index, task) in workload.tasks.iter().enumerate() {
        paths.each_event(index, task, |event, path| {
            let message = match &event.action {
                Action::Io(_) => "`iorun` is CPU work here; it never blocks",
                Action::MemoryRun(run) if run.kind == MemoryAccess::Chase => {
                    "a `chase` costs what a read costs: the cache model has no latencies"
                }
                Action::MemoryRun(run) if run.pattern.is_some() || run.buffer.is_some() => {
                    "`pattern` and `ref` of a `memrun` have no effect: every task has its own buffer"
                }
                _ => return,
            };
            if told.insert(message) {
                found.push(Problem::notice(path(), message));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        let cache = Cache { core_kib: 1024, llc_kib: 8192, llc_ns_per_kib: 50, memory_ns_per_kib: 200 };
        Machine { mem_ns_per_kib: 100, io_ns_per_kib: 500, cache, ..Machine::default() }
    }

    fn ns(action: &Action) -> u64 {
        work_ns(action, &machine(), &Global::default()).unwrap()
    }

    #[test]
    fn bytes_take_time_by_the_speed() {
        assert_eq!(ns(&Action::Memory(4096)), 400);
        assert_eq!(ns(&Action::Io(1)), 1, "rounded up");
        assert_eq!(ns(&Action::Io(0)), 0);
        assert_eq!(work_ns(&Action::Yield, &machine(), &Global::default()), None);
    }

    #[test]
    fn a_walk_costs_by_the_cache_that_holds_it() {
        let walk = |kib: u64, count, stride| {
            let run = MemoryRun { size: Some(kib * 1024), count: Some(count), stride, ..MemoryRun::default() };
            ns(&Action::MemoryRun(run))
        };
        // 16 lines are a KiB.
        assert_eq!(walk(512, 16_000, 64), 100_000, "in the core's cache");
        assert_eq!(walk(4096, 160_000, 64), 1_500_000, "in the LLC");
        assert_eq!(walk(16_384, 1_600_000, 64), 30_000_000, "in memory");
        // Few accesses to a large buffer touch little of it, and so does a long stride.
        assert_eq!(walk(16_384, 160, 64), 1000);
        assert_eq!(walk(16_384, 160_000, 4096), 1_000_000);
        // A short stride touches parts of lines.
        assert_eq!(walk(512, 16_000, 8), 12_500);
    }

    #[test]
    fn a_walk_goes_once_through_the_buffer_where_nothing_is_said() {
        let global = Global { mem_buffer_size: Some(512 * 1024), ..Global::default() };
        let run = Action::MemoryRun(MemoryRun::default());
        assert_eq!(work_ns(&run, &machine(), &global), Some(51_200));
        // 4 MiB, which only the LLC holds.
        assert_eq!(ns(&run), 4096 * 150);
    }
}
