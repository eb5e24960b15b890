//! Short words for tasks and events, so that a workload reads like the program it stands for.

use schedlab_sim::Cache;

use crate::document::Scenario;
use crate::workload::{Action, Amount, Event, Loops, Phase, Task};

/// So much work, microseconds.
pub(super) fn run(us: u64) -> Event {
    Event::new(Action::Run(Amount::Fixed(us)))
}

/// So much work, nanoseconds.
pub(super) fn run_ns(ns: u64) -> Event {
    Event::new(Action::RunNs(Amount::Fixed(ns)))
}

/// The work of a system call: median in nanoseconds. Measured on writes of 100 bytes to a Unix socket
/// that nobody waits for, the logarithm of the time has a standard deviation of 0.2.
pub(super) fn call_ns(median_ns: u64) -> Event {
    Event::new(Action::RunNs(Amount::LogNormal(median_ns, 0.2)))
}

/// Work of a random amount: median in microseconds and spread of the logarithm.
pub(super) fn run_about(median_us: u64, sigma: f64) -> Event {
    Event::new(Action::Run(Amount::LogNormal(median_us, sigma)))
}

/// A sleep, microseconds.
pub(super) fn sleep(us: u64) -> Event {
    Event::new(Action::Sleep(Amount::Fixed(us)))
}

/// A sleep of random length around a mean, microseconds.
pub(super) fn sleep_about(mean_us: u64) -> Event {
    Event::new(Action::Sleep(Amount::Exponential(mean_us)))
}

/// Sleep to the next point of the instance's own timer, microseconds.
pub(super) fn timer(period_us: u64) -> Event {
    Event::new(Action::Timer { name: "unique".to_owned(), period_us, mode: crate::workload::TimerMode::Relative })
}

/// Put a message into a pipe that holds so many.
pub(super) fn write(pipe: &str, capacity: u32) -> Event {
    Event::new(Action::PipeWrite { pipe: pipe.to_owned(), capacity: Some(capacity) })
}

/// Take a message out of a pipe.
pub(super) fn read(pipe: &str) -> Event {
    Event::new(Action::PipeRead { pipe: pipe.to_owned(), capacity: None })
}

/// Post a semaphore.
pub(super) fn post(semaphore: &str) -> Event {
    Event::new(Action::SemaphorePost(semaphore.to_owned()))
}

/// Wait for a semaphore.
pub(super) fn wait(semaphore: &str) -> Event {
    Event::new(Action::SemaphoreWait(semaphore.to_owned()))
}

/// Take a mutex.
pub(super) fn lock(mutex: &str) -> Event {
    Event::new(Action::Lock(mutex.to_owned()))
}

/// Let a mutex go.
pub(super) fn unlock(mutex: &str) -> Event {
    Event::new(Action::Unlock(mutex.to_owned()))
}

/// Start one more instance of a task.
pub(super) fn fork(task: &str) -> Event {
    Event::new(Action::Fork(task.to_owned()))
}

/// How many CPUs a scenario's machine has.
pub(super) fn cpus(scenario: &Scenario) -> u32 {
    u32::try_from(scenario.machine.cpus()).unwrap_or(u32::MAX)
}

/// Caches of a usual server: 1 MiB a core, 32 MiB shared, filled at about 30 GB/s and 10 GB/s.
pub(super) const fn caches() -> Cache {
    Cache { core_kib: 1024, llc_kib: 32 << 10, llc_ns_per_kib: 33, memory_ns_per_kib: 100 }
}

/// For ever.
pub(super) const fn forever() -> Loops {
    Loops::Forever
}

/// So often.
pub(super) const fn times(count: u64) -> Loops {
    Loops::Times(count)
}

/// These events as one operation, whose rate and latency are reported.
pub(super) fn operation(name: &str, events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let mut all = vec![Event::new(Action::OperationBegin(name.to_owned()))];
    all.extend(events);
    all.push(Event::new(Action::OperationEnd(name.to_owned())));
    all
}

/// A task that does these events for ever.
pub(super) fn task(name: &str, instances: u32, events: Vec<Event>) -> Task {
    Task { instances, ..Task::new(name, numbered(events)) }
}

/// A task that does these phases, each so often, for ever.
pub(super) fn phased(name: &str, instances: u32, phases: Vec<(&str, u64, Vec<Event>)>) -> Task {
    let phase = |(name, times, events): (&str, u64, Vec<Event>)| Phase {
        name: name.to_owned(),
        loops: Loops::Times(times),
        ..Phase::unnamed(numbered(events))
    };
    Task { instances, phases: phases.into_iter().map(phase).collect(), ..Task::new(name, Vec::new()) }
}

/// Makes keys that occur more than once unique: `run`, `run1`, …
fn numbered(mut events: Vec<Event>) -> Vec<Event> {
    for place in 0..events.len() {
        let name = events[place].action.event();
        let earlier = events[..place].iter().filter(|event| event.action.event() == name).count();
        if earlier > 0 {
            events[place].key = format!("{name}{earlier}");
        }
    }
    events
}
