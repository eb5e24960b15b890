//! The books between CPUs: idle CPUs beside waiting tasks, who shared a core, where wake-ups went,
//! and what `/proc/schedstat` counts of domains. Not for decisions.

use std::collections::BTreeMap;

use super::Core;
use super::topology::Topology;
use crate::fair::FairClass;
use crate::input::TaskId;
use crate::output::{BalanceCounts, DomainResult, Placement, SharedCore, WorkConservation};
use crate::record::{ForcedIdle, IDLE};

/// Pairs of tasks kept at most; later ones are not counted.
const MOST_PAIRS: usize = 100_000;

/// What is counted of a CPU's domain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DomainCounts {
    /// By [`crate::output::IdleType`].
    pub balance: [BalanceCounts; 3],
    pub alb_count: u64,
    pub alb_failed: u64,
    pub alb_pushed: u64,
    pub ttwu_wake_remote: u64,
    pub ttwu_move_affine: u64,
}

/// The books of a run in progress.
#[derive(Clone, Debug)]
pub(super) struct Books {
    pub placement: Placement,
    pub gap: WorkConservation,
    pub cookie_mix_ns: u64,
    /// By CPU and level.
    pub domain: Vec<Vec<DomainCounts>>,
    pairs: BTreeMap<(u32, u32), u64>,
    /// By CPU: since when its core has run what it runs.
    shared_since: Vec<u64>,
    /// By CPU: idle with nothing queued, and waiting tasks.
    idle_free: Vec<bool>,
    waiting: Vec<u32>,
    idle_count: u32,
    waiting_count: u32,
    in_gap: bool,
    /// By CPU: since when it is forced idle.
    pub forced_since: Vec<Option<u64>>,
    from: u64,
    muted: bool,
}

impl Books {
    /// Books in which nothing is written yet.
    pub fn new(topology: &Topology) -> Self {
        let cpus = topology.cpus();
        let counts = |cpu: u32| vec![DomainCounts::default(); topology.levels(cpu)];
        Self {
            placement: Placement::default(),
            gap: WorkConservation::default(),
            cookie_mix_ns: 0,
            domain: (0..cpus as u32).map(counts).collect(),
            pairs: BTreeMap::new(),
            shared_since: vec![0; cpus],
            idle_free: vec![false; cpus],
            waiting: vec![0; cpus],
            idle_count: 0,
            waiting_count: 0,
            in_gap: false,
            forced_since: vec![None; cpus],
            from: 0,
            muted: false,
        }
    }

    /// From now on nothing is counted.
    pub fn mute(&mut self) {
        self.muted = true;
        self.pairs.clear();
    }

    /// Counting begins anew.
    pub fn restart(&mut self, now: u64) {
        self.placement = Placement::default();
        self.gap = WorkConservation::default();
        self.cookie_mix_ns = 0;
        for counts in self.domain.iter_mut().flatten() {
            *counts = DomainCounts::default();
        }
        self.pairs.clear();
        self.in_gap = false;
        self.from = now;
    }

    /// Whether any CPU is idle with nothing queued.
    pub const fn any_idle(&self) -> bool {
        self.idle_count > 0
    }

    /// What was counted of each CPU's domains, from the lowest up.
    pub fn domains(&self, topology: &Topology) -> Vec<Vec<DomainResult>> {
        let of = |(cpu, counts): (usize, &Vec<DomainCounts>)| {
            counts.iter().enumerate().map(|(level, counts)| result(topology, cpu as u32, level, counts)).collect()
        };
        self.domain.iter().enumerate().map(of).filter(|list: &Vec<DomainResult>| !list.is_empty()).collect()
    }

    /// Who shared a core with whom, and how long.
    pub fn shared_cores(&self) -> Vec<SharedCore> {
        let shared = |(&(first, second), &ns): (&(u32, u32), &u64)| SharedCore {
            first: TaskId(first),
            second: TaskId(second),
            ns,
        };
        self.pairs.iter().map(shared).collect()
    }
}

fn result(topology: &Topology, cpu: u32, level: usize, counts: &DomainCounts) -> DomainResult {
    let domain = topology.domain(cpu, level);
    DomainResult {
        level: domain.level,
        cpus: domain.cpus.clone(),
        balance: counts.balance,
        alb_count: counts.alb_count,
        alb_failed: counts.alb_failed,
        alb_pushed: counts.alb_pushed,
        ttwu_wake_remote: counts.ttwu_wake_remote,
        ttwu_move_affine: counts.ttwu_move_affine,
    }
}

impl<C: FairClass> Core<C> {
    /// What a CPU adds to the count of idle CPUs and waiting tasks.
    pub(super) fn book_cpu(&mut self, cpu: u32) {
        let index = cpu as usize;
        let running = self.cpus[index].running.is_some();
        self.fair.at(cpu);
        let awake = self.fair.awake_count() + self.cpus[index].higher.len();
        // A running task whose group has just been throttled is not counted any more.
        let waiting = awake.saturating_sub(u32::from(running));
        let idle = !running && awake == 0 && self.cpus[index].wakeups_pending == 0;
        let books = &mut self.books;
        books.idle_count = books.idle_count + u32::from(idle) - u32::from(books.idle_free[index]);
        books.waiting_count = books.waiting_count + waiting - books.waiting[index];
        books.idle_free[index] = idle;
        books.waiting[index] = waiting;
    }

    /// Counts the time up to `time`, in which nothing changes.
    pub(super) fn keep_books_until(&mut self, time: u64) {
        if self.books.muted || time == self.now {
            return;
        }
        let gap = self.books.idle_count > 0 && self.books.waiting_count > 0 && self.may_a_waiter_use_an_idle_cpu();
        let books = &mut self.books;
        if gap {
            let length = time - self.now;
            books.gap.gap_ns += length;
            books.gap.cpu_ns += length * u64::from(books.idle_count.min(books.waiting_count));
            books.gap.count += u64::from(!books.in_gap);
        }
        books.in_gap = gap;
    }

    /// Whether a waiting task may run on an idle CPU: asked task by task only when there are
    /// tasks that may not run everywhere.
    fn may_a_waiter_use_an_idle_cpu(&self) -> bool {
        if !self.placing.any_affinity {
            return true;
        }
        let idle = |task: u32| {
            let task = &self.tasks[task as usize];
            self.books.idle_free.iter().enumerate().any(|(cpu, idle)| *idle && task.may_run_on(cpu as u32))
        };
        self.books.waiting.iter().enumerate().filter(|(_, waiting)| **waiting > 0).any(|(cpu, _)| {
            let running = self.cpus[cpu].running;
            let tasks = self.fair.tasks_of(cpu as u32).filter(|e| !self.fair.is_delayed(*e));
            tasks.filter_map(|e| self.fair.task_index(e)).any(|task| Some(task) != running && idle(task))
        })
    }

    /// A CPU of a core of several threads has changed what it runs; `prev` ran there before.
    pub(super) fn book_shared_core(&mut self, cpu: u32, prev: Option<u32>) {
        let siblings = &self.topology.siblings[cpu as usize];
        let since = self.books.shared_since[siblings[0] as usize].max(self.books.from);
        let length = self.now.saturating_sub(since);
        self.books.shared_since[siblings[0] as usize] = self.now;
        if length == 0 || self.books.muted || !self.warm {
            return;
        }
        let ran = |other: u32| if other == cpu { prev } else { self.cpus[other as usize].running };
        for (index, first) in siblings.iter().enumerate() {
            for second in &siblings[index + 1..] {
                let (a, b) = (ran(*first), ran(*second));
                if let (Some(a), Some(b)) = (a, b)
                    && self.tasks[a as usize].cookie != self.tasks[b as usize].cookie
                {
                    self.books.cookie_mix_ns += length;
                }
                let (a, b) = (a.unwrap_or(IDLE.0), b.unwrap_or(IDLE.0));
                if a == b {
                    continue;
                }
                let pair = (a.min(b), a.max(b));
                if self.books.pairs.len() < MOST_PAIRS || self.books.pairs.contains_key(&pair) {
                    *self.books.pairs.entry(pair).or_default() += length;
                }
            }
        }
    }

    /// A CPU begins or ends to be forced idle.
    pub(super) fn book_forced_idle(&mut self, cpu: u32, forced: bool) {
        let index = cpu as usize;
        let since = self.books.forced_since[index];
        if forced == since.is_some() {
            return;
        }
        self.books.forced_since[index] = forced.then_some(self.now);
        if let Some(from_ns) = since.filter(|since| *since < self.now) {
            self.statistics.record.forced_idle_was(ForcedIdle { cpu: cpu as u16, from_ns, to_ns: self.now });
        }
        if let Some(since) = since
            && self.warm
            && let Some(result) = self.statistics.cpus.get_mut(index)
        {
            result.forced_idle_ns += self.now.saturating_sub(since.max(self.books.from));
        }
    }

    /// The end of the run: closes what is open.
    pub(super) fn close_books(&mut self) {
        for cpu in 0..self.cpus.len() as u32 {
            self.book_forced_idle(cpu, false);
            if self.topology.has_smt && self.topology.siblings[cpu as usize][0] == cpu {
                let running = self.cpus[cpu as usize].running;
                self.book_shared_core(cpu, running);
            }
        }
    }
}
