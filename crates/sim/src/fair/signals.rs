//! When load averages and the utilisation estimate are brought up to date, on machines of several
//! CPUs (§5.0). Not for what is decided by them: placement and balancing read them.

use super::load_average::LoadAverage;
use super::weight::LOAD_SHIFT;
use super::{EntityId, Fair, FairClass};

/// A change of the estimate below this is none.
const MARGIN: u64 = 10;
/// The estimate moves by a quarter of the distance.
const SHIFT: u32 = 2;
/// The capacity of a CPU.
pub(crate) const CAPACITY: u64 = 1024;

/// The signals of a task.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signals {
    pub average: LoadAverage,
    /// The estimate: one value from 6.8 on, before it the moving average.
    estimate: u64,
    /// Up to 6.6: the utilisation at the last sleep.
    enqueued: u64,
    /// A period has ended since the estimate was last stored.
    changed: bool,
}

/// The signals of a CPU.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RqSignals {
    pub average: LoadAverage,
    /// Σ unscaled weight of the fair tasks that are queued.
    pub weight: u64,
    /// Σ estimates of the tasks that are queued and awake.
    estimate: u64,
    removed_load: u64,
    removed_util: u64,
    removed_runnable: u64,
}

impl<C: FairClass> Fair<C> {
    fn weight_of(&self, e: EntityId) -> u64 {
        self.entity[e].own_load.weight >> LOAD_SHIFT
    }

    /// Brings the present CPU's signal up to date.
    pub fn update_queue_average(&mut self) {
        let runnable = u64::from(if self.rules.delayed_are_runnable { self.task_count() } else { self.awake_count() });
        let (now, cpu) = (self.now, self.cpu as usize);
        let rq = &mut self.rqs[cpu];
        let running = rq.curr.is_some();
        let signals = &mut rq.signals;
        if signals.removed_load | signals.removed_util | signals.removed_runnable != 0 {
            signals.average.remove(signals.removed_load, signals.removed_util, signals.removed_runnable);
            (signals.removed_load, signals.removed_util, signals.removed_runnable) = (0, 0, 0);
        }
        signals.average.update_queue(now, signals.weight, runnable, running);
    }

    /// Brings a task of the present CPU up to date, and the CPU (`update_load_avg`).
    pub(in crate::fair) fn update_average(&mut self, e: EntityId) {
        if self.is_single() {
            return;
        }
        let weight = self.weight_of(e);
        let entity = &self.entity[e];
        let (queued, runnable, running) = (entity.on_rq, entity.on_rq && !entity.delayed, self.rq().curr == Some(e));
        let now = self.now;
        let signals = &mut self.signals[e.index()];
        if signals.average.last != 0 {
            signals.changed |= signals.average.update_task(now, weight, queued, runnable, running);
        }
        self.update_queue_average();
    }

    /// A task comes to the present CPU's queue: one that counts nowhere begins to count here.
    pub(in crate::fair) fn attach_average(&mut self, e: EntityId) {
        let weight = self.weight_of(e);
        let cpu = self.cpu as usize;
        let queue = &mut self.rqs[cpu].signals;
        queue.weight += weight;
        let task = &mut self.signals[e.index()].average;
        if task.last == 0 {
            // A clock of 0 would mean "counts nowhere".
            queue.average.last = queue.average.last.max(1);
            queue.average.attach(task, weight);
        }
    }

    /// A queued task leaves the present CPU for another: its part of the signal goes at once.
    pub(in crate::fair) fn detach_average(&mut self, e: EntityId) {
        let weight = self.weight_of(e);
        let cpu = self.cpu as usize;
        let task = &mut self.signals[e.index()].average;
        self.rqs[cpu].signals.average.detach(task, weight);
        task.last = 0;
    }

    /// A sleeping task leaves the present CPU: its part goes at the CPU's next update
    /// (`remove_entity_load_avg`).
    pub(in crate::fair) fn remove_average(&mut self, e: EntityId) {
        let weight = self.weight_of(e);
        let (now, idle, cpu) = (self.now, self.is_cpu_idle(), self.cpu as usize);
        let task = &mut self.signals[e.index()].average;
        if task.last == 0 {
            return;
        }
        let signals = &mut self.rqs[cpu].signals;
        task.update_task(signals.average.last, weight, false, false, false);
        signals.removed_load += task.load;
        signals.removed_util += task.util;
        signals.removed_runnable += task.runnable;
        if idle {
            // An idle CPU's clock stands still; the task is brought up to the present all the same.
            task.update_task(now, weight, false, false, false);
        }
        task.last = 0;
    }

    /// A new task's first averages, before it is queued on the present CPU
    /// (`post_init_entity_util_avg`).
    pub fn start_averages(&mut self, e: EntityId) {
        let weight = self.weight_of(e);
        let queue = &self.rq().signals.average;
        let cap = CAPACITY.saturating_sub(queue.util) / 2;
        let factor = if self.rules.new_util_scaled_up { weight << LOAD_SHIFT } else { weight };
        let util = if queue.util == 0 { cap } else { (queue.util * factor / (queue.load + 1)).min(cap) };
        self.signals[e.index()] =
            Signals { average: LoadAverage::new_task(weight, util), changed: true, ..Signals::default() };
    }

    /// The estimated utilisation of a task.
    fn estimate_of(&self, e: EntityId) -> u64 {
        let signals = &self.signals[e.index()];
        if self.rules.two_estimates { signals.estimate.max(signals.enqueued) } else { signals.estimate }
    }

    /// The queue's estimate counts a task that comes or wakes (`util_est_enqueue`).
    pub(in crate::fair) fn estimate_enqueue(&mut self, e: EntityId) {
        if self.rules.util_est && !self.is_single() {
            let estimate = self.estimate_of(e);
            self.rq_mut().signals.estimate += estimate;
        }
    }

    /// A task leaves or goes to sleep (`util_est_dequeue`).
    pub(in crate::fair) fn estimate_dequeue(&mut self, e: EntityId) {
        if self.rules.util_est && !self.is_single() {
            let estimate = self.estimate_of(e);
            let queue = &mut self.rq_mut().signals.estimate;
            *queue = queue.saturating_sub(estimate);
        }
    }

    /// A task that goes to sleep stores its utilisation (`util_est_update`).
    pub(in crate::fair) fn estimate_update(&mut self, e: EntityId) {
        if !self.rules.util_est || self.is_single() {
            return;
        }
        let (fast_up, two) = (self.rules.util_est_fastup, self.rules.two_estimates);
        let keeps_above_capacity = self.rules.estimate_within_capacity;
        let signals = &mut self.signals[e.index()];
        if !std::mem::take(&mut signals.changed) {
            return;
        }
        let (util, runnable) = (signals.average.util, signals.average.runnable);
        let toward = |from: u64| (from * 3 + util) >> SHIFT;
        if two {
            let old = std::mem::replace(&mut signals.enqueued, util);
            if signals.estimate < util && fast_up {
                signals.estimate = util;
            } else if util.abs_diff(signals.estimate) < MARGIN {
                if old.abs_diff(util) < MARGIN {
                    signals.enqueued = old;
                    signals.changed = true;
                }
            } else if util > CAPACITY {
                signals.enqueued = old;
            } else {
                signals.estimate = toward(signals.estimate);
            }
        } else if util >= signals.estimate {
            signals.estimate = util;
        } else {
            let waited = util + MARGIN < runnable;
            let above = keeps_above_capacity && util > CAPACITY;
            if signals.estimate - util >= MARGIN && !above && !waited {
                signals.estimate = toward(signals.estimate);
            }
        }
    }

    fn estimate_on(&self, cpu: u32) -> u64 {
        if self.rules.util_est { self.rqs[cpu as usize].signals.estimate } else { 0 }
    }

    /// A CPU's utilisation (`cpu_util_cfs`), of 1024, as of its last update.
    pub fn util_of(&self, cpu: u32) -> u64 {
        let average = &self.rqs[cpu as usize].signals.average;
        average.util.max(self.estimate_on(cpu)).min(CAPACITY)
    }

    /// The same, where the release has it not below the part of time in which a task was runnable.
    pub fn boosted_util_of(&self, cpu: u32) -> u64 {
        if !self.rules.util_boost {
            return self.util_of(cpu);
        }
        let average = &self.rqs[cpu as usize].signals.average;
        average.util.max(average.runnable).max(self.estimate_on(cpu)).min(CAPACITY)
    }

    /// A task's utilisation for balancing: the estimate where it is larger.
    pub fn task_util(&self, e: EntityId) -> u64 {
        let util = self.signals[e.index()].average.util;
        if self.rules.util_est { util.max(self.estimate_of(e)) } else { util }
    }

    /// A task's load average.
    pub fn task_load(&self, e: EntityId) -> u64 {
        self.signals[e.index()].average.load
    }
}
