//! Time, events and `schedule()` (§1.3): the loop that drives the fair class.
//! Not for scheduling rules: those are in [`crate::fair`].

mod end;
mod events;
mod higher;
mod objects;
mod observe;
mod program;
mod random;
mod schedule;
mod simulation;
mod statistics;
mod task;
mod validate;

use std::sync::Arc;

use crate::error::RunError;
use crate::explain::Moment;
use crate::fair::{Entity, Fair, FairClass, QueueId, Vtime};
use crate::input::{Birth, Change, GroupId, Input, TaskId, TaskSpec};
use crate::kernel::rules::Rules;
use crate::output::{Counters, Run, TaskState};
use events::{Event, EventQueue};
use higher::{HigherClasses, is_higher};
use objects::ObjectStates;
use random::Random;
use schedule::Leave;
pub use simulation::{Limit, Progress, Simulation};
use statistics::Statistics;
use task::{Doing, Task};

/// The most tasks a run may have, forked ones included.
pub const MAX_TASKS: usize = 20_000;

/// Steps at one instant after which a scenario is said to spin.
const MAX_STEPS_AT_ONE_INSTANT: u32 = 1_000_000;

/// A run in progress, with the rules of one class.
#[derive(Clone, Debug)]
struct Core<C> {
    input: Arc<Input>,
    fair: Fair<C>,
    tasks: Vec<Task>,
    events: EventQueue,
    objects: ObjectStates,
    statistics: Statistics,
    higher: HigherClasses,
    /// Since when the running task of a higher class has not been charged.
    higher_charged: u64,
    now: u64,
    /// The running task; none: the idle thread.
    running: Option<u32>,
    /// Since when its `doing` has not been brought up to date.
    run_from: u64,
    /// When it needs the scheduler next.
    completes_at: u64,
    tick_ns: u64,
    next_tick: u64,
    /// Period timers exist.
    has_periods: bool,
    steps_at_now: u32,
    warm: bool,
    /// The counters when the warm-up ended.
    counters_before: Counters,
    /// By template: the number of the next one forked.
    forked: Vec<u32>,
    total_events: u64,
    last_decision: Option<u64>,
    /// What happened, while somebody looks.
    observed: Option<Vec<Moment>>,
}

impl<C: FairClass> Core<C> {
    fn new(input: Input) -> Self {
        let tick_ns = input.machine.tick_ns();
        let rules = Rules::new(&input.kernel, tick_ns);
        let mut core = Self {
            fair: Fair::new(rules),
            tasks: Vec::with_capacity(input.tasks.len()),
            events: EventQueue::default(),
            objects: ObjectStates::new(&input.objects),
            statistics: Statistics::new(input.objects.operations, input.record_budget),
            higher: HigherClasses::default(),
            higher_charged: 0,
            now: 0,
            running: None,
            run_from: 0,
            completes_at: u64::MAX,
            tick_ns,
            next_tick: tick_ns + input.machine.tick_phase_ns(0),
            has_periods: false,
            steps_at_now: 0,
            warm: input.warmup_ns == 0,
            counters_before: Counters::default(),
            forked: input.templates.iter().map(|template| template.first_number).collect(),
            total_events: 0,
            last_decision: None,
            observed: None,
            input: Arc::new(input),
        };
        core.make_groups();
        for index in 0..core.input.tasks.len() {
            let spec = core.input.tasks[index].clone();
            let task = core.add_task(&spec);
            let event = match spec.birth {
                Birth::Fork => Event::Fork(task),
                Birth::Wake => Event::Wake(task),
            };
            core.events.push(spec.start_ns, event);
        }
        for (index, event) in core.input.events.iter().enumerate() {
            core.events.push(event.at_ns, Event::Outside(index as u32));
        }
        core
    }

    /// A copy that makes the same decisions and keeps no books.
    fn bare_copy(&self) -> Self {
        Self {
            input: self.input.clone(),
            fair: self.fair.clone(),
            tasks: self.tasks.clone(),
            events: self.events.clone(),
            objects: self.objects.clone(),
            statistics: Statistics::muted(),
            higher: self.higher.clone(),
            forked: self.forked.clone(),
            observed: None,
            ..*self
        }
    }

    fn make_groups(&mut self) {
        for index in 0..self.input.groups.len() {
            let group = self.input.groups[index].clone();
            let q = self.fair.add_group(queue_of(group.parent));
            self.fair.set_group_latency_nice(q, group.latency_nice);
            if group.idle {
                self.fair.write_idle(q, true);
            } else {
                self.fair.write_weight(q, group.weight);
            }
            if let Some(max) = group.max {
                self.fair.prepare_bandwidth(q, max.phase_ns);
                self.fair.write_max(q, Some(max.quota_ns), max.period_ns, max.burst_ns);
                self.has_periods = true;
            }
        }
    }

    fn add_task(&mut self, spec: &TaskSpec) -> u32 {
        let index = self.tasks.len() as u32;
        let entity = Entity::task(index, spec.policy, spec.nice, queue_of(spec.group));
        let e = self.fair.add_task(entity, spec.slice_ns, spec.latency_nice);
        if spec.birth == Birth::Wake {
            // It ran long before the start: any credit for sleeping is what it starts with.
            self.fair.node[e].vruntime = Vtime::QUEUE_START.moved(-1_000_000_000);
        }
        let random = Random::new(self.input.seed, spec.identity);
        self.tasks.push(Task::new(spec, e, random, self.input.objects.operations));
        self.statistics.add_task(spec.name.clone());
        index
    }

    fn run_until(&mut self, limit: Limit) -> Result<Progress, RunError> {
        let mut left = limit.events;
        loop {
            let next = self.next_time();
            if next > self.input.until_ns {
                self.now = self.input.until_ns;
                return Ok(Progress::Done);
            }
            if next > limit.time_ns || left == 0 {
                return Ok(Progress::Running);
            }
            left -= 1;
            self.total_events += 1;
            if next > self.now {
                self.now = next;
                self.fair.now = next;
                self.steps_at_now = 0;
            }
            self.step()?;
        }
    }

    /// When something happens next.
    fn next_time(&self) -> u64 {
        let mut next = self.completes_at.min(self.events.next_ns());
        if self.running.is_some() {
            next = next.min(self.next_tick);
        }
        if let Some(expiry) = self.fair.timer.expiry() {
            next = next.min(expiry);
        }
        if self.has_periods
            && let Some((expiry, _)) = self.fair.next_period()
        {
            next = next.min(expiry);
        }
        if !self.warm {
            next = next.min(self.input.warmup_ns);
        }
        next.max(self.now)
    }

    /// One step at the present instant; the order is that of equal times: the running task's
    /// program, one fork or wake-up, group timers, the slice timer, the tick.
    fn step(&mut self) -> Result<(), RunError> {
        if !self.warm && self.input.warmup_ns <= self.now {
            self.end_warmup();
        } else if let Some(task) = self.running.filter(|_| self.completes_at <= self.now) {
            self.run_program(task)?;
        } else if self.events.next_ns() <= self.now {
            if let Some(event) = self.events.pop() {
                self.handle(event);
            }
        } else if let Some(q) = self.due_period() {
            self.fair.period_timer(q);
            self.observe_period(q);
        } else if self.fair.timer.expiry().is_some_and(|expiry| expiry <= self.now) {
            self.observe_slice_timer();
            self.fair.slice_timer_fires();
        } else if self.running.is_some() && self.next_tick <= self.now {
            self.next_tick += self.tick_ns;
            let before = self.fair.request;
            self.tick();
            self.observe_tick(before);
        }
        if self.fair.request.is_some() {
            self.schedule(Leave::Preempt);
        }
        Ok(())
    }

    fn due_period(&self) -> Option<QueueId> {
        if !self.has_periods {
            return None;
        }
        self.fair.next_period().filter(|(expiry, _)| *expiry <= self.now).map(|(_, q)| q)
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Fork(task) => self.start_fork(task),
            Event::Wake(task) => {
                let since = self.now - self.input.machine.wakeup_ns.min(self.now);
                let since = if self.tasks[task as usize].waking { self.tasks[task as usize].woken_at } else { since };
                self.wake(task, since);
            }
            Event::Replenish(task) => {
                let runnable = self.tasks[task as usize].state == TaskState::Queued;
                self.higher.replenish(task, runnable);
                if runnable {
                    self.check_higher(task);
                }
            }
            Event::Outside(index) => {
                let change = self.input.events[index as usize].change.clone();
                self.change(&change);
            }
        }
    }

    fn start_fork(&mut self, task: u32) {
        self.tasks[task as usize].state = TaskState::Queued;
        self.statistics.runnable(self.now, self.now, task, true);
        let before = self.fair.request;
        if self.is_higher(task) {
            self.start_higher(task);
        } else {
            self.fair.fork(self.tasks[task as usize].entity);
        }
        self.observe_wakeup(task, true, before);
    }

    /// A task is woken; `since`: when it was asked to be.
    fn wake(&mut self, task: u32, since: u64) {
        let state = &mut self.tasks[task as usize];
        state.waking = false;
        state.state = TaskState::Queued;
        let entity = state.entity;
        self.fair.counters.ttwu_count += 1;
        self.fair.counters.ttwu_local += 1;
        self.statistics.runnable(self.now, since, task, false);
        let before = self.fair.request;
        if self.is_higher(task) {
            self.start_higher(task);
        } else {
            self.fair.wake(entity);
        }
        self.observe_wakeup(task, false, before);
    }

    fn change(&mut self, change: &Change) {
        match *change {
            Change::Weight(group, weight) => self.fair.write_weight(queue_of(Some(group)), weight),
            Change::Idle(group, idle) => self.fair.write_idle(queue_of(Some(group)), idle),
            Change::Max { group, quota_ns, period_ns, burst_ns } => {
                self.has_periods = true;
                self.fair.write_max(queue_of(Some(group)), quota_ns, period_ns, burst_ns);
            }
            Change::Move(TaskId(task), group) => {
                let task = &self.tasks[task as usize];
                if task.state != TaskState::Exited {
                    let started = task.state != TaskState::New;
                    self.fair.move_task(task.entity, queue_of(group), started);
                }
            }
        }
    }

    fn end_warmup(&mut self) {
        self.warm = true;
        self.statistics.restart(self.now, &self.fair.counters);
        self.counters_before = self.fair.counters;
    }

    fn finish(mut self) -> Run {
        let hash = self.statistics.close(self.now, self.running, &self.fair.counters);
        let counters = self.fair.counters.since(&self.counters_before);
        self.statistics.cpu.counters = counters;
        for (result, task) in self.statistics.results.iter_mut().zip(&self.tasks) {
            result.nice = task.nice;
        }
        Run {
            until_ns: self.input.until_ns,
            warmup_ns: self.input.warmup_ns,
            tasks: self.statistics.results,
            cpus: vec![self.statistics.cpu],
            counters,
            domains: Vec::new(),
            placement: crate::output::Placement::default(),
            work_conservation: crate::output::WorkConservation::default(),
            shared_cores: Vec::new(),
            cookie_mix_ns: 0,
            operations: self.statistics.operations,
            record: self.statistics.record,
            hash,
            total_switches: self.statistics.total_switches,
        }
    }
}

/// The queue of a group; none: the root's.
fn queue_of(group: Option<GroupId>) -> QueueId {
    group.map_or(QueueId::ROOT, |group| QueueId(group.0 + 1))
}
