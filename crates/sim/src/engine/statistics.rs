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
}

/// The statistics of a run in progress. Times are nanoseconds.
#[derive(Clone)]
pub(super) struct Statistics {
    pub results: Vec<TaskResult>,
    stamps: Vec<Stamps>,
    pub cpu: CpuResult,
    pub operations: Vec<OperationResult>,
    pub record: Record,
    hash: Xxh3,
    /// Where counting begins.
    from: u64,
    /// When the last switch was.
    switched_at: u64,
    /// The counters then.
    counters_then: Counters,
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
    pub fn new(operations: usize, record_budget: usize) -> Self {
        Self {
            results: Vec::new(),
            stamps: Vec::new(),
            cpu: CpuResult::default(),
            operations: vec![OperationResult::default(); operations],
            record: Record::new(record_budget),
            hash: Xxh3::new(),
            from: 0,
            switched_at: 0,
            counters_then: Counters::default(),
            total_switches: 0,
            muted: false,
        }
    }

    /// Books in which nothing is counted.
    pub fn muted() -> Self {
        Self { muted: true, ..Self::new(0, 0) }
    }

    /// Whether nothing is counted.
    pub const fn is_muted(&self) -> bool {
        self.muted
    }

    pub fn add_task(&mut self, name: String) {
        if self.muted {
            return;
        }
        self.results.push(TaskResult { name, ..TaskResult::default() });
        self.stamps.push(Stamps::default());
    }

    fn hash_event(&mut self, kind: u8, at_ns: u64, prev: TaskId, next: TaskId) {
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&at_ns.to_le_bytes());
        bytes[8..12].copy_from_slice(&prev.0.to_le_bytes());
        bytes[12..16].copy_from_slice(&next.0.to_le_bytes());
        // Bytes 16 and 17 are the CPU, always 0 with one CPU.
        bytes[18] = kind;
        self.hash.update(&bytes);
    }

    /// A task becomes runnable, by a wake-up at `since` or by a fork.
    pub fn runnable(&mut self, now: u64, since: u64, task: u32, fork: bool) {
        if self.muted {
            return;
        }
        let id = TaskId(task);
        self.hash_event(if fork { 254 } else { 255 }, now, id, id);
        if fork {
            self.record.fork(now, 0, id);
        } else {
            self.record.wakeup(now, 0, id);
        }
        self.results[task as usize].wakeups += 1;
        let stamps = &mut self.stamps[task as usize];
        stamps.wait_since = since;
        stamps.woken = true;
    }

    /// A context switch at `now`; `runnable`: prev stays on the run queue.
    pub fn switch(&mut self, now: u64, prev: Option<u32>, next: Option<u32>, reason: Reason, counters: &Counters) {
        if self.muted {
            return;
        }
        let id = |task: Option<u32>| task.map_or(IDLE, TaskId);
        self.hash_event(reason as u8, now, id(prev), id(next));
        self.record.switch(now, 0, id(next), reason);
        self.total_switches += 1;
        self.cpu.switches += 1;
        self.close_stretch(now, prev, counters);
        if let Some(prev) = prev {
            self.leave(now, prev, reason);
        }
        if let Some(next) = next {
            self.come(now, next);
        }
    }

    /// Books the CPU's time since the last switch.
    fn close_stretch(&mut self, now: u64, running: Option<u32>, counters: &Counters) {
        let counted = counters.since(&self.counters_then);
        self.counters_then = *counters;
        let length = now.saturating_sub(self.switched_at.max(self.from));
        match running {
            Some(task) => {
                self.cpu.busy_ns += length;
                let result = &mut self.results[task as usize];
                result.runtime_ns += length;
                result.counters.add(&counted);
            }
            None => self.cpu.idle_ns += length,
        }
        self.switched_at = now;
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

    fn come(&mut self, now: u64, task: u32) {
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
    }

    /// The warm-up ends: counting begins anew.
    pub fn restart(&mut self, now: u64, counters: &Counters) {
        self.counters_then = *counters;
        for result in &mut self.results {
            let name = std::mem::take(&mut result.name);
            *result = TaskResult { name, ..TaskResult::default() };
        }
        self.cpu = CpuResult::default();
        self.operations.fill_with(OperationResult::default);
        self.from = now;
    }

    /// The end of the run: closes the running stretch. Answers the hash over all and `counters`.
    pub fn close(&mut self, now: u64, running: Option<u32>, counters: &Counters) -> u64 {
        self.close_stretch(now, running, counters);
        for (_, value) in counters.all() {
            self.hash.update(&value.to_le_bytes());
        }
        self.hash.digest()
    }
}

fn add_run(lengths: &mut RunLengths, ran: u64) {
    lengths.least_ns = if lengths.count == 0 { ran } else { lengths.least_ns.min(ran) };
    lengths.most_ns = lengths.most_ns.max(ran);
    lengths.count += 1;
    lengths.sum_ns += ran;
    lengths.sum_of_squares += u128::from(ran) * u128::from(ran);
}
