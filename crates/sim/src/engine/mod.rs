//! Time, events and `schedule()` (§1.3): the loop that drives the fair class on all CPUs.
//! Not for scheduling rules: those of one run queue are in [`crate::fair`]; `placement` chooses
//! CPUs, `balance` moves tasks between them, `core_scheduling` decides who may share a core.

mod agenda;
mod arrivals;
mod balance;
mod books;
mod core_scheduling;
mod cpu;
mod cpu_set;
mod end;
mod events;
mod higher;
mod objects;
mod observe;
mod placement;
mod program;
mod random;
mod schedule;
mod setup;
mod simulation;
mod smt;
mod statistics;
mod task;
mod topology;
mod validate;

use std::sync::Arc;

use crate::error::RunError;
use crate::explain::Moment;
use crate::fair::{Fair, FairClass};
use crate::input::{Change, Input, TaskId};
use crate::output::{Counters, Run, TaskState};
use agenda::{Agenda, Due};
use balance::Balancing;
use books::Books;
use core_scheduling::CoreState;
use cpu::Cpu;
pub use cpu_set::MAX_CPUS;
use events::{Event, EventQueue};
use higher::is_higher;
use objects::ObjectStates;
use placement::Placing;
use random::Random;
use schedule::Leave;
pub use simulation::{Limit, Progress, Simulation};
use statistics::Statistics;
use task::{Doing, Task};
use topology::Topology;

/// The most tasks a run may have at a time. Of more that are forked, each takes the place of a child
/// of the same template that has exited, and the two are one in the results.
pub const MAX_TASKS: usize = 20_000;

/// Steps at one instant after which a scenario is said to spin.
const MAX_STEPS_AT_ONE_INSTANT: u32 = 1_000_000;

/// How a request comes to the CPU that it asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RequestPath {
    /// The running task has made it itself.
    #[default]
    Direct,
    /// By a wake-up, or from another CPU.
    Wakeup,
    /// By a timer's interrupt on this CPU.
    Timer,
}

/// A run in progress, with the rules of one class.
#[derive(Clone, Debug)]
struct Core<C> {
    input: Arc<Input>,
    topology: Arc<Topology>,
    fair: Fair<C>,
    cpus: Vec<Cpu>,
    tasks: Vec<Task>,
    agenda: Agenda,
    events: EventQueue,
    objects: ObjectStates,
    placing: Placing,
    balancing: Balancing,
    core: CoreState,
    statistics: Statistics,
    books: Books,
    now: u64,
    tick_ns: u64,
    /// There is more than one CPU.
    many: bool,
    /// Period timers exist.
    has_periods: bool,
    steps_at_now: u32,
    warm: bool,
    /// The counters when the warm-up ended, by CPU.
    counters_before: Vec<Counters>,
    /// By template: the number of the next one forked.
    forked: Vec<u32>,
    /// By template: its children that have exited and whose places are free, the first to be taken last.
    exited: Vec<Vec<u32>>,
    /// CPUs whose next need may have changed.
    touched: Vec<u32>,
    /// What the requests made in this step wait for.
    request_path: RequestPath,
    /// The draws of latencies.
    latency: Random,
    total_events: u64,
    last_decision: Option<u64>,
    /// What happened, while somebody looks.
    observed: Option<Vec<Moment>>,
}

impl<C: FairClass> Core<C> {
    fn run_until(&mut self, limit: Limit) -> Result<Progress, RunError> {
        let mut left = limit.events;
        loop {
            let key = self.next_key();
            let next = self.time_of(key);
            if next > self.input.until_ns {
                self.pass_to(self.input.until_ns);
                return Ok(Progress::Done);
            }
            if next > limit.time_ns || left == 0 {
                return Ok(Progress::Running);
            }
            left -= 1;
            self.total_events += 1;
            if next > self.now {
                self.pass_to(next);
                self.steps_at_now = 0;
            }
            self.step(key)?;
        }
    }

    fn pass_to(&mut self, time: u64) {
        if self.many && self.warm {
            self.keep_books_until(time);
        }
        self.now = time;
        self.fair.now = time;
    }

    /// The first need of all, as a key of the agenda; events and timers of no CPU included.
    fn next_key(&self) -> u64 {
        let mut next = self.agenda.first().0.min(agenda::key(self.events.next_ns(), agenda::EVENT));
        if self.has_periods
            && let Some((expiry, _)) = self.fair.next_period()
        {
            next = next.min(agenda::key(expiry, agenda::PERIOD));
        }
        next
    }

    /// When something happens next, by the first need of all.
    fn time_of(&self, key: u64) -> u64 {
        let mut next = agenda::time_of(key);
        if !self.warm {
            next = next.min(self.input.warmup_ns);
        }
        next.max(self.now)
    }

    /// One step at the present instant; the order is that of equal times: the running tasks'
    /// programs, one fork or wake-up, group timers, slice timers, requests, ticks.
    fn step(&mut self, key: u64) -> Result<(), RunError> {
        if !self.warm && self.input.warmup_ns <= self.now {
            self.end_warmup();
            return Ok(());
        }
        let (first, cpu) = self.agenda.first();
        if key == first {
            self.touch(cpu);
            self.fair.at(cpu);
            self.step_on(cpu, key)?;
        } else if key & 7 == agenda::EVENT {
            if let Some(event) = self.events.pop() {
                self.handle(event);
            }
        } else if let Some((_, group)) = self.fair.next_period() {
            self.fair.at(0).period_timer(group);
            self.observe_period(group);
        }
        if self.fair.asked.is_empty() {
            self.request_path = RequestPath::Direct;
        } else {
            self.answer_requests();
        }
        if !self.many {
            self.refresh(0);
            return Ok(());
        }
        while let Some(cpu) = self.touched.pop() {
            self.cpus[cpu as usize].touched = false;
            self.refresh(cpu);
        }
        Ok(())
    }

    /// What a CPU needs next may change in this step.
    fn touch(&mut self, cpu: u32) {
        if !self.many {
            return;
        }
        let touched = &mut self.cpus[cpu as usize].touched;
        if !*touched {
            *touched = true;
            self.touched.push(cpu);
        }
    }

    /// What a CPU is due for.
    fn step_on(&mut self, cpu: u32, key: u64) -> Result<(), RunError> {
        const PROGRAM: u64 = Due::Program as u64;
        const SLICE_TIMER: u64 = Due::SliceTimer as u64;
        const RESCHEDULE: u64 = Due::Reschedule as u64;
        match key & 7 {
            PROGRAM => {
                if let Some(task) = self.cpus[cpu as usize].running {
                    self.run_program(cpu, task)?;
                }
            }
            SLICE_TIMER => {
                self.request_path = RequestPath::Timer;
                self.observe_slice_timer(cpu);
                self.fair.slice_timer_fires();
            }
            RESCHEDULE => self.schedule(cpu, Leave::Preempt),
            _ => {
                self.request_path = RequestPath::Timer;
                self.tick(cpu);
            }
        }
        Ok(())
    }

    /// Requests that this step has made: they act at once, or are on their way.
    fn answer_requests(&mut self) {
        let delay = match std::mem::take(&mut self.request_path) {
            RequestPath::Direct => 0,
            RequestPath::Wakeup => self.with_jitter(self.input.machine.wakeup_ns),
            RequestPath::Timer => self.with_jitter(self.input.machine.reschedule_ns),
        };
        self.answer_core_wide();
        let mut index = 0;
        while index < self.fair.asked.len() {
            let cpu = self.fair.asked[index];
            index += 1;
            if self.fair.at(cpu).rq().request.is_none() {
                continue;
            }
            self.touch(cpu);
            if delay == 0 {
                self.schedule(cpu, Leave::Preempt);
                self.answer_core_wide();
            } else {
                let arrival = &mut self.cpus[cpu as usize].reschedule_at;
                *arrival = (*arrival).min(self.now + delay);
            }
        }
        self.fair.asked.clear();
    }

    /// A latency as it is this time.
    fn with_jitter(&mut self, latency: u64) -> u64 {
        let most = self.input.machine.jitter_ns;
        if most == 0 { latency } else { latency + u64::from(self.latency.below(most as u32)) }
    }

    /// What one CPU has decided for its siblings acts at once: two cookies never share a core.
    fn answer_core_wide(&mut self) {
        while let Some(cpu) = self.core.asked.pop() {
            if self.fair.at(cpu).rq().request.is_some() {
                self.schedule(cpu, Leave::Preempt);
            }
        }
    }

    /// Brings the agenda up to date with what a CPU needs next.
    #[inline]
    fn refresh(&mut self, cpu: u32) {
        let state = &self.cpus[cpu as usize];
        let mut key = agenda::key(state.completes_at, Due::Program as u64);
        if let Some(expiry) = self.fair.rqs[cpu as usize].timer.expiry() {
            key = key.min(agenda::key(expiry, Due::SliceTimer as u64));
        }
        key = key.min(agenda::key(state.reschedule_at, Due::Reschedule as u64));
        if state.running.is_some() || (self.many && !state.tick_stopped) {
            key = key.min(agenda::key(state.next_tick, Due::Tick as u64));
        }
        self.agenda.set(cpu, key);
        if self.many {
            self.book_cpu(cpu);
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Fork(task) => {
                let cpu = self.tasks[task as usize].cpu;
                self.start_fork(task, cpu);
            }
            Event::Wake(task) => {
                let cpu = self.tasks[task as usize].timer_cpu;
                self.wake(task, cpu, false);
            }
            Event::Activate(task) => self.activate(task),
            Event::Replenish(task) => {
                let runnable = self.tasks[task as usize].state == TaskState::Queued;
                let cpu = self.tasks[task as usize].cpu;
                self.fair.at(cpu);
                self.cpus[cpu as usize].higher.replenish(task, runnable);
                if runnable {
                    self.check_higher(cpu, task);
                }
            }
            Event::Outside(index) => {
                let change = self.input.events[index as usize].change.clone();
                self.change(&change);
            }
            Event::NohzBalance(cpu) => self.nohz_balance(cpu),
            Event::ActiveBalance(cpu) => self.active_balance(cpu),
            Event::CookieSteal(cpu) => self.steal_cookie(cpu),
        }
    }

    fn change(&mut self, change: &Change) {
        self.fair.at(0);
        match *change {
            Change::Weight(group, weight) => self.fair.write_weight(group, weight),
            Change::Idle(group, idle) => self.fair.write_idle(group, idle),
            Change::Max { group, quota_ns, period_ns, burst_ns } => {
                self.has_periods = true;
                self.fair.write_max(group, quota_ns, period_ns, burst_ns);
            }
            Change::Move(TaskId(task), group) => {
                let task = &self.tasks[task as usize];
                if task.state != TaskState::Exited {
                    let started = task.state != TaskState::New;
                    let (cpu, entity) = (task.cpu, task.entity);
                    let to = self.fair.at(cpu).queue_of(group);
                    self.fair.move_task(entity, to, started);
                    self.touch(cpu);
                }
            }
        }
    }

    /// Books the work of all running tasks up to now.
    fn bring_all_up_to_date(&mut self) {
        for cpu in 0..self.cpus.len() as u32 {
            if let Some(task) = self.cpus[cpu as usize].running {
                self.bring_up_to_date(cpu, task);
            }
        }
    }

    fn end_warmup(&mut self) {
        self.bring_all_up_to_date();
        self.warm = true;
        self.statistics.restart(self.now, self.fair.rqs.iter().map(|rq| &rq.counters));
        self.books.restart(self.now);
        self.counters_before = self.fair.rqs.iter().map(|rq| rq.counters).collect();
    }

    /// The counters of all CPUs from the start of the run.
    fn counters(&self) -> Counters {
        let mut all = Counters::default();
        for rq in &self.fair.rqs {
            all.add(&rq.counters);
        }
        all
    }

    fn finish(mut self) -> Run {
        self.bring_all_up_to_date();
        let mut counters = Counters::default();
        for cpu in 0..self.cpus.len() {
            let now = self.fair.rqs[cpu].counters;
            self.statistics.close_cpu(self.now, cpu as u32, self.cpus[cpu].running, &now);
            let since = now.since(&self.counters_before[cpu]);
            counters.add(&since);
            self.statistics.cpus[cpu].counters = since;
        }
        self.close_books();
        self.statistics.spread_over_cpus();
        let all = self.counters();
        let hash = self.statistics.close(&all);
        for (result, task) in self.statistics.results.iter_mut().zip(&self.tasks) {
            result.nice = task.nice;
        }
        Run {
            until_ns: self.input.until_ns,
            warmup_ns: self.input.warmup_ns,
            tasks: self.statistics.results,
            cpus: self.statistics.cpus,
            counters,
            domains: self.books.domains(&self.topology),
            placement: self.books.placement,
            work_conservation: self.books.gap,
            shared_cores: self.books.shared_cores(),
            cookie_mix_ns: self.books.cookie_mix_ns,
            operations: self.statistics.operations,
            record: self.statistics.record,
            hash,
            total_switches: self.statistics.total_switches,
        }
    }
}
