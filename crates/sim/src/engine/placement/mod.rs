//! The CPU that a woken task goes to (§5.1, current-kernels §3 from 6.18 on).
//! Not for forks (`fork`), and not for whether the task preempts there: that is [`crate::fair`]'s.

mod fork;
mod higher;
mod idle;

use super::Core;
use super::higher::is_higher;
use super::topology::Topology;
use crate::fair::{CAPACITY, FairClass};
use crate::input::Policy;

/// What placement keeps of the LLCs.
#[derive(Clone, Debug)]
pub(super) struct Placing {
    /// By LLC: a core of it is idle, as far as is known.
    pub idle_cores: Vec<bool>,
    /// By LLC: how many CPUs a search may look at (§5.1 `nr_idle_scan`).
    pub nr_idle_scan: Vec<u64>,
    /// There are tasks that may not run everywhere.
    pub any_affinity: bool,
    /// There are tasks of higher classes.
    pub any_higher: bool,
}

impl Placing {
    /// What placement keeps, before the first wake-up.
    pub fn new(topology: &Topology) -> Self {
        let llcs = topology.llc_cpus.len();
        Self { idle_cores: vec![false; llcs], nr_idle_scan: vec![0; llcs], any_affinity: false, any_higher: false }
    }
}

impl<C: FairClass> Core<C> {
    /// Ticks since the start.
    pub(super) fn jiffies(&self) -> u64 {
        let phase = self.input.machine.tick_phase_ns(0);
        (self.now + self.tick_ns - phase.min(self.now + self.tick_ns)) / self.tick_ns
    }

    /// Tasks on a CPU's run queue: of all classes, running and delayed ones included.
    pub(super) fn nr_running(&self, cpu: u32) -> u32 {
        self.fair.task_count_of(cpu) + self.cpus[cpu as usize].higher.len()
    }

    /// Whether a CPU runs the idle thread, with nothing queued and nothing on its way.
    pub(super) fn is_idle(&self, cpu: u32) -> bool {
        let state = &self.cpus[cpu as usize];
        state.running.is_none() && state.wakeups_pending == 0 && self.nr_running(cpu) == 0
    }

    /// Whether a CPU has only SCHED_IDLE tasks.
    pub(super) fn runs_only_idle_policy(&self, cpu: u32) -> bool {
        let nr = self.nr_running(cpu);
        nr > 0 && nr == self.fair.idle_policy_count_of(cpu)
    }

    /// Whether a CPU is as good as idle for a task that wakes; from 7.1 on a SCHED_IDLE task does
    /// not find one that runs others of its kind so.
    pub(super) fn is_idle_for(&self, cpu: u32, task: u32) -> bool {
        let counts = !self.fair.rules.idle_policy_is_no_match || self.tasks[task as usize].policy != Policy::Idle;
        self.is_idle(cpu) || (counts && self.runs_only_idle_policy(cpu))
    }

    /// §5.1 `select_task_rq`, `select_task_rq_fair`: where a sleeping task wakes.
    pub(super) fn choose_wakeup_cpu(&mut self, task: u32, this: u32, sync: bool) -> u32 {
        let previous = self.tasks[task as usize].cpu;
        if let Some(only) = self.only_cpu(task) {
            return only;
        }
        let cpu = if is_higher(self.tasks[task as usize].policy) {
            self.choose_higher_cpu(task, previous)
        } else {
            self.choose_fair_cpu(task, this, previous, sync)
        };
        let cpu = self.allowed_or_another(task, cpu);
        self.book_placement(task, this, previous, cpu);
        cpu
    }

    /// The CPU of a pinned task, or of one that lost all but one.
    fn only_cpu(&self, task: u32) -> Option<u32> {
        let allowed = self.tasks[task as usize].allowed.as_ref()?;
        let mut cpus = allowed.iter();
        let only = cpus.next();
        if cpus.next().is_some() { None } else { only }
    }

    /// A CPU that may not be used gives way to one of its LLC, or to any.
    pub(super) fn allowed_or_another(&self, task: u32, cpu: u32) -> u32 {
        let state = &self.tasks[task as usize];
        if state.may_run_on(cpu) {
            return cpu;
        }
        let near = self.topology.llc_of(cpu).iter().copied();
        near.chain(0..self.cpus.len() as u32).find(|other| state.may_run_on(*other)).unwrap_or(cpu)
    }

    fn choose_fair_cpu(&mut self, task: u32, this: u32, previous: u32, sync: bool) -> u32 {
        self.record_wakee(task, this);
        let mut target = previous;
        let affine = !self.wakes_wide(task, this) && self.tasks[task as usize].may_run_on(this);
        if affine && this != previous {
            let levels = self.topology.levels(this);
            let common = (0..levels).find(|level| self.topology.domain(this, *level).set.has(previous));
            if let Some(level) = common {
                target = self.wake_affine(task, this, previous, sync, level);
            }
        }
        self.select_idle_sibling(task, previous, target)
    }

    /// §5.1 step 1 `record_wakee`: the waker is what runs on the CPU, the idle thread too.
    fn record_wakee(&mut self, task: u32, this: u32) {
        let (jiffies, hz) = (self.jiffies(), u64::from(self.input.machine.hz));
        let waker = match self.cpus[this as usize].running {
            Some(running) => &mut self.tasks[running as usize].waker,
            None => &mut self.cpus[this as usize].idle_waker,
        };
        if jiffies > waker.decayed_at + hz {
            waker.flips >>= 1;
            waker.decayed_at = jiffies;
        }
        if waker.last_wakee != Some(task) {
            waker.last_wakee = Some(task);
            waker.flips += 1;
        }
    }

    /// §5.1 step 2 `wake_wide`: a waker of many tasks does not pull them to its side.
    fn wakes_wide(&self, task: u32, this: u32) -> bool {
        let waker = match self.cpus[this as usize].running {
            Some(running) => self.tasks[running as usize].waker.flips,
            None => self.cpus[this as usize].idle_waker.flips,
        };
        let wakee = self.tasks[task as usize].waker.flips;
        let factor = self.topology.llc_of(this).len() as u32;
        let (most, least) = (waker.max(wakee), waker.min(wakee));
        !(least < factor || most < least.saturating_mul(factor))
    }

    /// §5.1 step 3 `wake_affine`: the waker's CPU or the previous one.
    fn wake_affine(&mut self, task: u32, this: u32, previous: u32, sync: bool, level: usize) -> u32 {
        let mut target = None;
        if self.fair.rules.wa_idle {
            target = self.wake_affine_idle(this, previous, sync);
        }
        if target.is_none() && self.fair.rules.wa_weight && self.is_lighter_here(task, this, previous, sync, level) {
            target = Some(this);
        }
        if target != Some(this) {
            return previous;
        }
        self.books.domain[this as usize][level].ttwu_move_affine += 1;
        this
    }

    fn wake_affine_idle(&self, this: u32, previous: u32, sync: bool) -> Option<u32> {
        if self.is_idle(this) && self.topology.shares_llc(this, previous) {
            return Some(if self.is_idle(previous) { previous } else { this });
        }
        let delayed = if self.fair.rules.sync_ignores_delayed { self.fair.delayed_count_of(this) } else { 0 };
        if sync && self.nr_running(this) - delayed == 1 {
            return Some(this);
        }
        self.is_idle(previous).then_some(previous)
    }

    /// `wake_affine_weight`: the load that the waker's CPU would have against the previous one's.
    fn is_lighter_here(&self, task: u32, this: u32, previous: u32, sync: bool, level: usize) -> bool {
        let load_of = |cpu: u32| self.fair.average_load_of(cpu).load as i64;
        let task_load = self.fair.task_load(self.tasks[task as usize].entity) as i64;
        let mut here = load_of(this);
        if sync {
            let running = self.cpus[this as usize].running;
            let current = running.map_or(0, |task| self.fair.task_load(self.tasks[task as usize].entity) as i64);
            if current > here {
                return true;
            }
            here -= current;
        }
        here += task_load;
        let mut there = load_of(previous) - task_load;
        if self.fair.rules.wa_bias {
            here *= 100;
            there *= 100 + (self.topology.domain(this, level).imbalance_pct as i64 - 100) / 2;
        }
        // Capacities are equal in the model's eyes.
        here *= CAPACITY as i64;
        there *= CAPACITY as i64;
        if sync {
            there += 1;
        }
        here < there
    }

    /// Whether a wake-up is queued to its CPU by an interrupt (`ttwu_queue_cond`): another LLC, or
    /// an idle CPU that is not the waker's.
    pub(super) fn wakes_by_interrupt(&self, cpu: u32, this: u32) -> bool {
        self.many
            && self.fair.rules.ttwu_queue
            && (!self.topology.shares_llc(cpu, this) || (cpu != this && self.nr_running(cpu) == 0))
    }

    /// Counts a wake-up that comes from another CPU, in the lowest domain that holds both.
    pub(super) fn count_remote_wakeup(&mut self, this: u32, cpu: u32) {
        let level = (0..self.topology.levels(this)).find(|level| self.topology.domain(this, *level).set.has(cpu));
        if let Some(level) = level {
            self.books.domain[this as usize][level].ttwu_wake_remote += 1;
        }
    }

    fn book_placement(&mut self, task: u32, this: u32, previous: u32, cpu: u32) {
        if !self.warm {
            return;
        }
        let idle = usize::from(self.is_idle(cpu));
        let other_idle = idle == 0
            && self.books.any_idle()
            && (0..self.cpus.len() as u32)
                .any(|other| self.tasks[task as usize].may_run_on(other) && self.is_idle(other));
        let passed_over = cpu != previous && self.is_idle(previous);
        let placement = &mut self.books.placement;
        placement.wakeups += 1;
        let kind = match (cpu == previous, cpu == this) {
            (true, true) => &mut placement.previous_is_waker,
            (true, false) => &mut placement.previous,
            (false, true) => &mut placement.waker,
            (false, false) => &mut placement.other,
        };
        kind[idle] += 1;
        placement.busy_while_idle += u64::from(other_idle);
        placement.previous_idle_not_chosen += u64::from(passed_over);
    }
}
