//! Standard loads for measuring the engine, and the floor they are measured against.
//! Not for timing: benches and `schedlab bench` hold the clock.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;

use crate::input::{Birth, Input, Length, Machine, Program, Step, TaskSpec};
use crate::kernel::{Kernel, Release};

/// What the tasks of a load do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// All run for ever.
    Hogs,
    /// A fifth runs for ever, the rest runs 0.2 ms and sleeps, together about half of the CPU.
    Mixed,
    /// All run 20 µs and sleep, together more than the CPU has.
    Wakeups,
}

impl Load {
    /// Every load.
    pub const ALL: [Self; 3] = [Self::Hogs, Self::Mixed, Self::Wakeups];

    /// Its name in figures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hogs => "hogs",
            Self::Mixed => "mixed",
            Self::Wakeups => "wakeups",
        }
    }

    /// The load with `tasks` tasks on `release`, HZ 1000, long enough never to end while measured.
    #[must_use]
    pub fn input(self, release: Release, tasks: usize) -> Input {
        let mut input = Input::new(Kernel::new(release, 8), Machine::ideal(1000), 1_000_000_000_000_000);
        let hog = endless(vec![Step::Run(Length::Fixed(1_000_000_000))]);
        let count = tasks as u64;
        for index in 0..tasks {
            let name = format!("t{index}");
            let around = |mean: u64| Length::Uniform { least_ns: mean / 2, most_ns: mean + mean / 2 };
            let program = match self {
                Self::Hogs => hog.clone(),
                Self::Mixed if index % 5 == 0 => hog.clone(),
                Self::Mixed => endless(vec![
                    Step::Run(around(200_000)),
                    Step::Sleep(around((400_000 * count * 4 / 5).max(200_000))),
                ]),
                Self::Wakeups => {
                    endless(vec![Step::Run(around(20_000)), Step::Sleep(around((16_000 * count).max(20_000)))])
                }
            };
            input.tasks.push(TaskSpec {
                start_ns: index as u64 * 1_000,
                birth: Birth::Wake,
                nice: (index % 7) as i8 - 3,
                ..TaskSpec::new(&name, program)
            });
        }
        input
    }
}

/// A load for many CPUs, HZ 250: on each CPU five tasks, one of which runs for ever while the others
/// run about 1 ms and sleep about 3 ms. Up to 16 cores share an LLC, up to 4 LLCs a node.
#[must_use]
pub fn spread(release: Release, cpus: u32) -> Input {
    let cores = cpus.min(16);
    let llcs = (cpus / cores).clamp(1, 4);
    let machine = Machine {
        nodes: (cpus / cores / llcs).max(1),
        llcs_per_node: llcs,
        cores_per_llc: cores,
        ..Machine::ideal(250)
    };
    mixed_tasks(release, machine, 5 * cpus, 4)
}

/// 104 hardware threads with 512 tasks of four cookies under the mainline core scheduler, HZ 250: a
/// quarter of them run for ever, the others run about 1 ms and sleep about 3 ms.
///
/// # Errors
/// When the release cannot have that scheduler.
pub fn core_scheduled(release: Release) -> Result<Input, crate::kernel::KernelError> {
    let machine = Machine { nodes: 2, cores_per_llc: 26, threads_per_core: 2, ..Machine::ideal(250) };
    let mut input = mixed_tasks(release, machine, 512, 4);
    input.kernel.set_core_scheduling(crate::kernel::CoreScheduling::Mainline)?;
    for (index, task) in input.tasks.iter_mut().enumerate() {
        task.cookie = 1 + index as u64 / 4 % 4;
    }
    Ok(input)
}

/// Tasks spread over the CPUs; one of `hog_every` runs for ever.
fn mixed_tasks(release: Release, machine: Machine, tasks: u32, hog_every: u32) -> Input {
    let cpus = machine.cpus();
    let mut input = Input::new(Kernel::new(release, cpus), machine, 1_000_000_000_000_000);
    let hog = endless(vec![Step::Run(Length::Fixed(1_000_000_000))]);
    let around = |mean: u64| Length::Uniform { least_ns: mean / 2, most_ns: mean + mean / 2 };
    let sleeper = endless(vec![Step::Run(around(1_000_000)), Step::Sleep(around(3_000_000))]);
    for index in 0..tasks {
        let program = if index % hog_every == 0 { hog.clone() } else { sleeper.clone() };
        input.tasks.push(TaskSpec {
            start_ns: u64::from(index) * 1_000,
            birth: Birth::Wake,
            previous_cpu: index % cpus,
            ..TaskSpec::new(&format!("t{index}"), program)
        });
    }
    input
}

fn endless(steps: Vec<Step>) -> Arc<Program> {
    let end = steps.len() as u32 + 1;
    let mut all = vec![Step::LoopStart { counter: 0, times: None, end }];
    all.extend(steps);
    all.push(Step::LoopEnd { start: 0 });
    Arc::new(Program { steps: all, loops: 1, ..Program::default() })
}

/// The least that any engine of this shape does for an event: one binary-heap pop and push, and
/// one ordered-set remove and insert, with as many elements as there are tasks.
#[derive(Clone, Debug)]
pub struct Floor {
    heap: BinaryHeap<Reverse<(u64, u64, u32)>>,
    set: BTreeSet<(u64, u32)>,
    keys: Vec<u64>,
    sequence: u64,
    state: u64,
}

impl Floor {
    /// A floor of `tasks` elements.
    #[must_use]
    pub fn new(tasks: usize) -> Self {
        let mut floor =
            Self { heap: BinaryHeap::new(), set: BTreeSet::new(), keys: vec![0; tasks], sequence: 0, state: 1 };
        for index in 0..tasks as u32 {
            let key = floor.draw();
            floor.keys[index as usize] = key;
            floor.set.insert((key, index));
            floor.heap.push(Reverse((key, u64::from(index), index)));
        }
        floor
    }

    /// A step of a linear congruential generator: the cheapest source of unpredictable keys.
    const fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.state >> 40
    }

    /// Does the work of `events` events; the result depends on all of it.
    pub fn run(&mut self, events: u64) -> u64 {
        for _ in 0..events {
            let Some(Reverse((at, _, index))) = self.heap.pop() else { return 0 };
            self.sequence += 1;
            let next = at + self.draw();
            self.heap.push(Reverse((next, self.sequence, index)));
            let old = self.keys[index as usize];
            self.set.remove(&(old, index));
            let key = old.wrapping_add(next & 0xffff);
            self.keys[index as usize] = key;
            self.set.insert((key, index));
        }
        self.sequence ^ self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limit, Progress, Simulation};

    #[test]
    fn every_load_runs_on_every_release() {
        for release in Release::ALL {
            for load in Load::ALL {
                let mut simulation = Simulation::new(load.input(release, 10)).unwrap();
                assert_eq!(simulation.run_until(Limit::events(20_000)).unwrap(), Progress::Running);
                assert!(simulation.total_switches() > 1_000, "{} {}", release.name(), load.name());
            }
        }
    }

    #[test]
    fn loads_for_many_cpus_keep_them_busy() {
        let inputs = [1, 8, 64, 512].map(|cpus| spread(Release::V6_12Stable, cpus));
        for input in inputs.into_iter().chain([core_scheduled(Release::V6_12Stable).unwrap()]) {
            let cpus = input.machine.cpus() as usize;
            let mut simulation = Simulation::new(input).unwrap();
            simulation.run_until(Limit { time_ns: 100_000_000, events: u64::MAX }).unwrap();
            let run = simulation.finish();
            assert_eq!(run.cpus.len(), cpus);
            let busy: u64 = run.cpus.iter().map(|cpu| cpu.busy_ns).sum();
            assert!(busy > cpus as u64 * 60_000_000, "{cpus} CPUs: {busy}");
            assert_eq!(run.cookie_mix_ns, 0);
        }
    }

    #[test]
    fn the_floor_keeps_its_size() {
        let mut floor = Floor::new(10);
        floor.run(1_000);
        assert_eq!((floor.heap.len(), floor.set.len()), (10, 10));
    }
}
