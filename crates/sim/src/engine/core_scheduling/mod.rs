//! Core scheduling (§6): tasks of different cookies never share a core. Here: what is kept, the
//! order of tasks across the CPUs of a core, and cookies in placement and balancing.
//! `mainline` and `rfc` have the two picks, `steal` the search for a task of the core's cookie.

mod mainline;
mod rfc;
mod steal;

use super::Core;
use super::topology::Topology;
use crate::fair::{EntityId, FairClass};
use crate::input::{Input, Policy, Step};
use crate::kernel::CoreScheduling;
use crate::reason::Reason;

/// What a CPU's siblings have decided for it: a task, or (inner none) the idle thread.
type CorePick = Option<Option<u32>>;

/// The state that the CPUs of a core share.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SharedState {
    pub cookie: u64,
    task_seq: u64,
    pick_seq: u64,
    forced_count: u32,
    forced_seq: u64,
    /// Since when forced idle has not been accounted; none: there is none.
    forced_start: Option<u64>,
    occupation: u32,
}

/// A CPU's part.
#[derive(Clone, Debug, Default)]
pub(super) struct CpuState {
    sched_seq: u64,
    pick: CorePick,
    /// The CPU is idle because of cookies.
    forced: bool,
    /// Queued tasks with a cookie, by cookie, then more important first, as it was when each came.
    tree: Vec<u32>,
    /// What the idle thread was told of the core's occupation.
    idle_occupation: u32,
}

/// Core scheduling in a run.
#[derive(Clone, Debug)]
pub(super) struct CoreState {
    pub kind: CoreScheduling,
    /// Some task has a cookie; before that core scheduling does nothing.
    enabled: bool,
    /// By core.
    shared: Vec<SharedState>,
    /// By CPU.
    cpus: Vec<CpuState>,
    /// CPUs whose sibling has decided for them.
    pub asked: Vec<u32>,
}

impl CoreState {
    /// The cores of a machine, none with a cookie.
    pub fn new(topology: &Topology, kind: CoreScheduling) -> Self {
        let cores = topology.core.iter().max().map_or(0, |last| *last as usize + 1);
        Self {
            kind,
            enabled: false,
            shared: vec![SharedState::default(); cores],
            cpus: vec![CpuState::default(); topology.cpus()],
            asked: Vec::new(),
        }
    }

    /// Begins to act when some task has a cookie or takes one.
    pub fn enable_for(&mut self, input: &Input) {
        let templates = input.templates.iter().map(|template| &template.spec);
        let has_cookie = input
            .tasks
            .iter()
            .chain(templates)
            .any(|spec| spec.cookie != 0 || spec.program.steps.iter().any(|step| matches!(step, Step::Cookie(_))));
        self.enabled = self.kind != CoreScheduling::Off && has_cookie;
    }

    /// Whether core scheduling acts.
    pub const fn is_on(&self) -> bool {
        self.enabled
    }

    /// Whether a CPU is idle because of cookies.
    pub fn is_forced_idle(&self, cpu: u32) -> bool {
        self.enabled && self.cpus[cpu as usize].forced
    }
}

/// The rank of a class and its priority: smaller is more important (§6.2).
fn rank(policy: Policy) -> i32 {
    match policy {
        Policy::Deadline { .. } => -1,
        Policy::Fifo { priority } | Policy::RoundRobin { priority } => 99 - i32::from(priority),
        Policy::Normal | Policy::Batch | Policy::Idle => 120,
    }
}

/// The rank of the idle thread.
const IDLE_RANK: i32 = 140;

impl<C: FairClass> Core<C> {
    fn shared(&mut self, cpu: u32) -> &mut SharedState {
        &mut self.core.shared[self.topology.core[cpu as usize] as usize]
    }

    fn cookie_of_core(&self, cpu: u32) -> u64 {
        self.core.shared[self.topology.core[cpu as usize] as usize].cookie
    }

    fn cookie(&self, task: u32) -> u64 {
        self.tasks[task as usize].cookie
    }

    fn rank_of(&self, task: Option<u32>) -> i32 {
        task.map_or(IDLE_RANK, |task| rank(self.tasks[task as usize].policy))
    }

    /// §6.2 `prio_less`: whether `a` is less important than `b`; none: the idle thread.
    /// `forced`: the core was forced idle, so that snapshots stay as they are.
    fn is_less_important(&mut self, a: Option<u32>, b: Option<u32>, forced: bool) -> bool {
        let (rank_a, rank_b) = (self.rank_of(a), self.rank_of(b));
        if rank_a != rank_b {
            return rank_a > rank_b;
        }
        let (Some(a), Some(b)) = (a, b) else { return false };
        let (a, b) = (&self.tasks[a as usize], &self.tasks[b as usize]);
        match rank_a {
            -1 => {
                let deadline = |task: &super::Task, index: u32| self.cpus[task.cpu as usize].higher.deadline_of(index);
                let (index_a, index_b) = (self.index_of(a.entity), self.index_of(b.entity));
                deadline(a, index_a) >= deadline(b, index_b)
            }
            120 => {
                let (e, f, cpu_a, cpu_b) = (a.entity, b.entity, a.cpu, b.cpu);
                if matches!(self.core.kind, CoreScheduling::RfcV4 | CoreScheduling::RfcV4CookieMatch) {
                    return self.fair.is_behind_by_shared_origin(e, f);
                }
                let (seq_a, seq_b) = (self.shared(cpu_a).forced_seq, self.shared(cpu_b).forced_seq);
                self.fair.is_behind_across_cpus((e, seq_a), (f, seq_b), forced)
            }
            _ => false,
        }
    }

    fn index_of(&self, e: EntityId) -> u32 {
        self.fair.task_index(e).unwrap_or(u32::MAX)
    }

    /// A task came to a run queue (`sched_core_enqueue`).
    pub(super) fn core_enqueued(&mut self, task: u32) {
        if !self.core.is_on() || self.fair.is_delayed(self.tasks[task as usize].entity) {
            return;
        }
        let cpu = self.tasks[task as usize].cpu;
        self.shared(cpu).task_seq += 1;
        let cookie = self.cookie(task);
        if cookie == 0 {
            return;
        }
        let forced = self.shared(cpu).forced_count > 0;
        let (mut from, mut to) = (0, self.core.cpus[cpu as usize].tree.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            let other = self.core.cpus[cpu as usize].tree[middle];
            let theirs = self.cookie(other);
            let before = if cookie == theirs {
                self.is_less_important(Some(other), Some(task), forced)
            } else {
                cookie < theirs
            };
            if before {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        self.core.cpus[cpu as usize].tree.insert(from, task);
    }

    /// A task leaves a run queue or goes to sleep (`sched_core_dequeue`).
    pub(super) fn core_dequeued(&mut self, task: u32) {
        if !self.core.is_on() {
            return;
        }
        let state = &self.tasks[task as usize];
        let (cpu, entity) = (state.cpu, state.entity);
        let tree = &mut self.core.cpus[cpu as usize].tree;
        let was_queued = tree.iter().position(|other| *other == task);
        if let Some(place) = was_queued {
            tree.remove(place);
        } else if self.fair.is_delayed(entity) {
            return;
        }
        self.shared(cpu).task_seq += 1;
        let forced = self.shared(cpu).forced_count > 0;
        if forced && self.cpus[cpu as usize].running.is_none() && self.nr_running(cpu) == 1 {
            self.fair.at(cpu).request(Reason::CoreWidePick);
        }
    }

    /// The most important queued task of a cookie on a CPU (`sched_core_find`).
    fn find_by_cookie(&self, cpu: u32, cookie: u64) -> Option<u32> {
        self.tasks_with_cookie(cpu, cookie).next()
    }

    /// The queued tasks of a cookie on a CPU, the most important first; throttled ones are passed
    /// over where the release does so.
    fn tasks_with_cookie(&self, cpu: u32, cookie: u64) -> impl Iterator<Item = u32> + '_ {
        let skips = self.fair.rules.cookie_search_skips_throttled;
        let usable = move |task: &u32| {
            let e = self.tasks[*task as usize].entity;
            let queued = self.is_higher(*task) || self.fair.entity[e].on_rq;
            queued && (!skips || !self.fair.is_throttled(e))
        };
        let tree = &self.core.cpus[cpu as usize].tree;
        tree.iter().copied().filter(move |task| self.cookie(*task) == cookie).filter(usable)
    }

    /// The pick of a CPU's own classes, which changes nothing that runs; none: the idle thread.
    fn own_pick(&mut self, cpu: u32) -> Option<u32> {
        if let Some(task) = self.cpus[cpu as usize].higher.pick() {
            return Some(task);
        }
        self.fair.at(cpu);
        let e = self.fair.pick_task()?;
        self.fair.task_index(e)
    }

    /// A CPU's newly-idle balance before a core-wide pick.
    fn balance_before_pick(&mut self, cpu: u32, prev: Option<u32>) {
        self.pull_higher(cpu);
        if prev.is_some() && self.nr_running(cpu) == 0 {
            self.newly_idle_balance(cpu);
        }
        self.fair.at(cpu);
    }

    /// Up to 6.8 the running task is put back before anybody is picked (§6.3).
    fn put_before_pick(&mut self, cpu: u32) {
        if !self.fair.rules.restarting_pick && !self.fair.rq().higher_runs {
            self.fair.at(cpu).give_way();
        }
    }

    /// Makes a CPU's choice the one that runs. `put_and_set`: it is set anew even when it ran.
    fn set_core_choice(&mut self, cpu: u32, next: Option<u32>, put_and_set: bool) {
        self.fair.at(cpu);
        if let Some(task) = next
            && self.is_higher(task)
        {
            self.run_higher(cpu);
            return;
        }
        self.fair.rq_mut().higher_runs = false;
        let e = next.map(|task| self.tasks[task as usize].entity);
        self.fair.switch_to(e, put_and_set);
    }

    /// Whether each CPU of the core is forced idle, for the books.
    fn note_forced(&mut self, cpu: u32, forced: bool) {
        self.core.cpus[cpu as usize].forced = forced;
        self.book_forced_idle(cpu, forced);
    }

    /// The pick of a core scheduler.
    pub(super) fn pick_core_wide(&mut self, cpu: u32, prev: Option<u32>) -> Option<u32> {
        match self.core.kind {
            CoreScheduling::RfcV4 | CoreScheduling::RfcV4CookieMatch => self.pick_rfc(cpu, prev),
            CoreScheduling::Off | CoreScheduling::Mainline => self.pick_mainline(cpu, prev),
        }
    }

    /// §6.4: what the tick adds.
    pub(super) fn tick_core(&mut self, cpu: u32) {
        if !self.core.is_on() {
            return;
        }
        match self.core.kind {
            CoreScheduling::RfcV4 | CoreScheduling::RfcV4CookieMatch => self.tick_rfc(cpu),
            CoreScheduling::Off | CoreScheduling::Mainline => self.tick_mainline(cpu),
        }
    }

    /// §6.6 `sched_cpu_cookie_match`: whether a wake-up's scan may take a CPU.
    pub(super) fn matches_cookie(&self, cpu: u32, task: u32) -> bool {
        !self.core.is_on() || self.core.kind == CoreScheduling::RfcV4 || self.cookie_of_core(cpu) == self.cookie(task)
    }

    /// §6.6 `sched_core_cookie_match`: the same, or the whole core is idle.
    pub(super) fn core_matches_cookie(&self, cpu: u32, task: u32) -> bool {
        self.matches_cookie(cpu, task)
            || self.topology.siblings[cpu as usize].iter().all(|sibling| self.is_idle(*sibling))
    }

    /// §6.6 `sched_group_cookie_match`.
    pub(super) fn group_matches_cookie(&self, cpus: &[u32], task: u32) -> bool {
        let matches = |cpu: &u32| self.tasks[task as usize].may_run_on(*cpu) && self.core_matches_cookie(*cpu, task);
        !self.core.is_on() || self.core.kind == CoreScheduling::RfcV4 || cpus.iter().any(matches)
    }

    /// The first of the three rules of `rfc-v4-cookie-match`: no move to a core of another cookie.
    pub(super) fn may_move_to_core(&self, cpu: u32, task: u32) -> bool {
        self.core.kind != CoreScheduling::RfcV4CookieMatch || self.core_matches_cookie(cpu, task)
    }

    /// §6.1: a running task takes another cookie.
    pub(super) fn change_cookie(&mut self, cpu: u32, task: u32, cookie: u64) {
        if self.cookie(task) == cookie {
            return;
        }
        let topology = self.topology.clone();
        if topology.has_smt {
            self.book_shared_core(cpu, Some(task));
        }
        self.core_dequeued(task);
        self.tasks[task as usize].cookie = cookie;
        self.core_enqueued(task);
        if self.core.is_on() {
            self.fair.at(cpu).request(Reason::CookieChange);
        }
    }
}
