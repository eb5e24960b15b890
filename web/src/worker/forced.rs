//! When CPUs were forced idle, read off the record: a hardware thread is idle, a task waits on its
//! run queue, and another thread of the core runs one. Not for the figures of the report, which the
//! engine counts: a task that the balancer moves while it waits is not in the record until it runs.

use schedlab_sim::{Entry, IDLE, TaskId};

/// Stands for no CPU.
const NOWHERE: u32 = u32::MAX;

/// What is known of a CPU.
#[derive(Clone)]
struct Cpu {
    core: usize,
    running: TaskId,
    waiting: u32,
    since_ns: Option<u64>,
}

/// Follows a record.
pub(super) struct Forced {
    cores: Vec<Vec<u32>>,
    cpus: Vec<Cpu>,
    /// On whose queue each task waits.
    queue_of: Vec<u32>,
    found: Vec<Vec<(u64, u64)>>,
}

impl Forced {
    /// `cores` has the CPUs of each core; without any nothing is forced idle.
    pub(super) fn new(cores: Vec<Vec<u32>>) -> Self {
        let count = cores.iter().map(Vec::len).sum();
        let mut cpus = vec![Cpu { core: 0, running: IDLE, waiting: 0, since_ns: None }; count];
        for (core, of_core) in cores.iter().enumerate() {
            for &number in of_core {
                if let Some(cpu) = cpus.get_mut(number as usize) {
                    cpu.core = core;
                }
            }
        }
        Self { cores, cpus, queue_of: Vec::new(), found: vec![Vec::new(); count] }
    }

    /// Takes the next entry.
    pub(super) fn entry(&mut self, entry: &Entry) {
        if self.cpus.is_empty() {
            return;
        }
        let (at_ns, cpu) = match *entry {
            Entry::Wakeup { at_ns, cpu, task } | Entry::Fork { at_ns, cpu, task } => {
                self.wait(task, u32::from(cpu));
                (at_ns, cpu)
            }
            Entry::Switch { at_ns, cpu, prev, next, reason } => {
                if prev != IDLE && matches!(reason.why(), "preempt" | "yield") {
                    self.wait(prev, u32::from(cpu));
                }
                self.wait(next, NOWHERE);
                if let Some(cpu) = self.cpus.get_mut(usize::from(cpu)) {
                    cpu.running = next;
                }
                (at_ns, cpu)
            }
        };
        if let Some(core) = self.cpus.get(usize::from(cpu)).map(|cpu| cpu.core) {
            self.look(core, at_ns);
        }
    }

    /// A task waits on a CPU's queue from now on, or on none.
    fn wait(&mut self, task: TaskId, cpu: u32) {
        if task == IDLE {
            return;
        }
        let task = task.0 as usize;
        if self.queue_of.len() <= task {
            self.queue_of.resize(task + 1, NOWHERE);
        }
        let before = std::mem::replace(&mut self.queue_of[task], cpu);
        if let Some(cpu) = self.cpus.get_mut(before as usize) {
            cpu.waiting = cpu.waiting.saturating_sub(1);
        }
        if let Some(cpu) = self.cpus.get_mut(cpu as usize) {
            cpu.waiting += 1;
        }
    }

    /// Begins and ends what has changed on a core.
    fn look(&mut self, core: usize, at_ns: u64) {
        let Some(of_core) = self.cores.get(core) else { return };
        let busy = of_core.iter().any(|cpu| self.cpus.get(*cpu as usize).is_some_and(|cpu| cpu.running != IDLE));
        for &number in of_core {
            let Some(cpu) = self.cpus.get_mut(number as usize) else { continue };
            let forced = busy && cpu.running == IDLE && cpu.waiting > 0;
            match (cpu.since_ns, forced) {
                (None, true) => cpu.since_ns = Some(at_ns),
                (Some(since_ns), false) => {
                    cpu.since_ns = None;
                    if since_ns < at_ns {
                        self.found[number as usize].push((since_ns, at_ns));
                    }
                }
                _ => {}
            }
        }
    }

    /// What was found, by CPU.
    pub(super) fn finish(mut self, until_ns: u64) -> Vec<Vec<(u64, u64)>> {
        for (cpu, found) in self.cpus.iter().zip(&mut self.found) {
            found.extend(cpu.since_ns.filter(|since_ns| *since_ns < until_ns).map(|since_ns| (since_ns, until_ns)));
        }
        self.found
    }
}
