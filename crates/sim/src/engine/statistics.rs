//! The books: who ran and waited how long, the record and the hash.
//! Not for decisions, and not for percentiles or tables.

use xxhash_rust::xxh3::Xxh3;

use crate::input::TaskId;
use crate::output::{Counters, CpuResult, OperationResult, RunLengths, TaskResult};
use crate::reason::Reason;
use crate::record::{IDLE, Record};

/// Since when a task runs or waits, and what has been counted of it.
#[derive(Clone, Debug, Default)]
struct Stamps {
    /// When it was switched in.
    run_since: u64,
    /// When its present wait on the run queue began.
    wait_since: u64,
    /// It has not run since its wake-up.
    woken: bool,
    /// Several CPUs only: run time by CPU, the last one first; most tasks see few of them.
    by_cpu: Vec<(u32, u64)>,
}

/// A CPU's last switch.
#[derive(Clone, Copy, Debug, Default)]
struct LastSwitch {
    at: u64,
    /// The CPU's counters then.
    counters: Counters,
}

/// The statistics of a run in progress. Times are nanoseconds.
#[derive(Clone)]
pub(super) struct Statistics {
    pub results: Vec<TaskResult>,
    stamps: Vec<Stamps>,
    pub cpus: Vec<CpuResult>,
    last: Vec<LastSwitch>,
    pub operations: Vec<OperationResult>,
    pub record: Record,
    hash: Xxh3,
    /// Where counting begins.
    from: u64,
    pub total_switches: u64,
    /// Nothing is counted any more: the run goes on for its decisions only.
    muted: bool,
}

impl std::fmt::Debug for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Statistics").field("total_switches", &self.total_switches).finish_non_exhaustive()
    }
}

impl Statistics {
    /// Books of a run that begins.
    pub fn new(cpus: usize, operations: usize, record_budget: usize) -> Self {
        Self {
            results: Vec::new(),
            stamps: Vec::new(),
            cpus: vec![CpuResult::default(); cpus],
            last: vec![LastSwitch::default(); cpus],
            operations: vec![OperationResult::default(); operations],
            record: Record::new(record_budget),
            hash: Xxh3::new(),
            from: 0,
            total_switches: 0,
            muted: false,
        }
    }

    /// Books in which nothing is counted.
    pub fn muted() -> Self {
        Self { muted: true, ..Self::new(0, 0, 0) }
    }

    /// Whether nothing is counted.
    pub const fn is_muted(&self) -> bool {
        self.muted
    }

    /// A task is there from now on.
    pub fn add_task(&mut self, name: String) {
        if self.muted {
            return;
        }
        self.results.push(TaskResult { name, lives: 1, ..TaskResult::default() });
        self.stamps.push(Stamps::default());
    }

    /// A new task in the place of one that has exited.
    pub fn replace_task(&mut self, place: u32) {
        if self.muted {
            return;
        }
        self.results[place as usize].lives += 1;
        self.stamps[place as usize] = Stamps::default();
    }

    fn hash_event(&mut self, kind: u8, at_ns: u64, cpu: u16, prev: TaskId, next: TaskId) {
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&at_ns.to_le_bytes());
        bytes[8..12].copy_from_slice(&prev.0.to_le_bytes());
        bytes[12..16].copy_from_slice(&next.0.to_le_bytes());
        bytes[16..18].copy_from_slice(&cpu.to_le_bytes());
        bytes[18] = kind;
        self.hash.update(&bytes);
    }

    /// A task becomes runnable on a CPU, by a wake-up or by a fork.
    pub fn runnable(&mut self, now: u64, cpu: u32, task: u32, fork: bool) {
        if self.muted {
            return;
        }
        let id = TaskId(task);
        let cpu = cpu as u16;
        self.hash_event(if fork { 254 } else { 255 }, now, cpu, id, id);
        if fork {
            self.record.fork(now, cpu, id);
        } else {
            self.record.wakeup(now, cpu, id);
        }
        self.results[task as usize].wakeups += 1;
        let stamps = &mut self.stamps[task as usize];
        stamps.wait_since = now;
        stamps.woken = true;
    }

    /// A task changes its CPU.
    pub fn migration(&mut self, task: u32, at_wakeup: bool) {
        if let Some(result) = self.results.get_mut(task as usize) {
            result.migrations += 1;
            result.migrations_at_wakeup += u64::from(at_wakeup);
        }
    }

    /// A context switch on a CPU; `counters`: that CPU's.
    pub fn switch(
        &mut self,
        now: u64,
        cpu: u32,
        prev: Option<u32>,
        next: Option<u32>,
        reason: Reason,
        counters: &Counters,
    ) {
        if self.muted {
            return;
        }
        let id = |task: Option<u32>| task.map_or(IDLE, TaskId);
        self.hash_event(reason as u8, now, cpu as u16, id(prev), id(next));
        self.record.switch(now, cpu as u16, id(next), reason);
        self.total_switches += 1;
        self.cpus[cpu as usize].switches += 1;
        self.cpus[cpu as usize].scheduled_in += u64::from(next.is_some());
        self.close_stretch(now, cpu, prev, counters);
        if let Some(prev) = prev {
            self.leave(now, prev, reason);
        }
        if let Some(next) = next {
            let wait = self.come(now, next);
            self.cpus[cpu as usize].run_delay_ns += wait;
        }
    }

    /// Books the CPU's time since the last switch.
    fn close_stretch(&mut self, now: u64, cpu: u32, running: Option<u32>, counters: &Counters) {
        let (cpus, cpu) = (self.cpus.len(), cpu as usize);
        let last = &mut self.last[cpu];
        let length = now.saturating_sub(last.at.max(self.from));
        let counted = counters.since(&last.counters);
        *last = LastSwitch { at: now, counters: *counters };
        match running {
            Some(task) => {
                self.cpus[cpu].busy_ns += length;
                let result = &mut self.results[task as usize];
                result.runtime_ns += length;
                result.counters.add(&counted);
                if cpus > 1 {
                    add_on_cpu(&mut self.stamps[task as usize].by_cpu, cpu as u32, length);
                }
            }
            None => self.cpus[cpu].idle_ns += length,
        }
    }

    /// A task came to a timer.
    pub(super) fn timer(&mut self, task: u32, late: bool) {
        if let Some(result) = self.results.get_mut(task as usize) {
            result.timer_periods += 1;
            result.missed_deadlines += u64::from(late);
        }
    }

    fn leave(&mut self, now: u64, task: u32, reason: Reason) {
        let stamps = &mut self.stamps[task as usize];
        let ran = now - stamps.run_since;
        let result = &mut self.results[task as usize];
        result.reasons[reason as usize] += 1;
        add_run(&mut result.run_lengths, ran);
        if matches!(reason, Reason::Block | Reason::Exit) {
            result.blocked += 1;
            return;
        }
        result.preempted += 1;
        result.yields += u64::from(reason == Reason::Yield);
        let bucket = (ran / 1000).checked_ilog2().map_or(0, |power| power + 1);
        result.ran_before_preempted[bucket.min(31) as usize] += 1;
        stamps.wait_since = now;
    }

    /// Answers how long it waited.
    fn come(&mut self, now: u64, task: u32) -> u64 {
        let stamps = &mut self.stamps[task as usize];
        let result = &mut self.results[task as usize];
        result.switches += 1;
        let wait = now - stamps.wait_since;
        if wait > result.run_delay.max_ns() || result.run_delay.count() == 0 {
            result.longest_wait_end_ns = now;
        }
        result.run_delay.add(wait);
        if std::mem::take(&mut stamps.woken) {
            result.wake_delay.add(wait);
        }
        stamps.run_since = now;
        wait
    }

    /// The warm-up ends: counting begins anew.
    pub fn restart<'a>(&mut self, now: u64, counters: impl Iterator<Item = &'a Counters>) {
        for (last, counters) in self.last.iter_mut().zip(counters) {
            last.counters = *counters;
        }
        for result in &mut self.results {
            let (name, lives) = (std::mem::take(&mut result.name), result.lives);
            *result = TaskResult { name, lives, ..TaskResult::default() };
        }
        for stamps in &mut self.stamps {
            stamps.by_cpu.clear();
        }
        self.cpus.fill_with(CpuResult::default);
        self.operations.fill_with(OperationResult::default);
        self.from = now;
    }

    /// The end of the run on a CPU: closes the running stretch.
    pub fn close_cpu(&mut self, now: u64, cpu: u32, running: Option<u32>, counters: &Counters) {
        self.close_stretch(now, cpu, running, counters);
    }

    /// Gives each task's result its run time by CPU.
    pub fn spread_over_cpus(&mut self) {
        let cpus = self.cpus.len();
        if cpus > 1 {
            for (result, stamps) in self.results.iter_mut().zip(&self.stamps) {
                result.runtime_by_cpu_ns = vec![0; cpus];
                for (cpu, length) in &stamps.by_cpu {
                    result.runtime_by_cpu_ns[*cpu as usize] += length;
                }
            }
        }
    }

    /// The hash over all that happened and the run's `counters`.
    pub fn close(&mut self, counters: &Counters) -> u64 {
        for (_, value) in counters.all() {
            self.hash.update(&value.to_le_bytes());
        }
        self.hash.digest()
    }
}

/// Adds run time on a CPU, which comes to the front.
fn add_on_cpu(by_cpu: &mut Vec<(u32, u64)>, cpu: u32, length: u64) {
    match by_cpu.iter().position(|(other, _)| *other == cpu) {
        Some(place) => {
            by_cpu[place].1 += length;
            by_cpu.swap(0, place);
        }
        None => {
            by_cpu.push((cpu, length));
            let last = by_cpu.len() - 1;
            by_cpu.swap(0, last);
        }
    }
}

fn add_run(lengths: &mut RunLengths, ran: u64) {
    lengths.least_ns = if lengths.count == 0 { ran } else { lengths.least_ns.min(ran) };
    lengths.most_ns = lengths.most_ns.max(ran);
    lengths.count += 1;
    lengths.sum_ns += ran;
    lengths.sum_of_squares += u128::from(ran) * u128::from(ran);
}
