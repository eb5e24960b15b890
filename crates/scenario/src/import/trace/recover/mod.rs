//! Follows the tasks of a trace from event to event: runs, sleeps, who woke whom.
//! Not for reading lines, and not for judging unsure wake-ups: that needs the whole trace.

mod wake;

use std::collections::HashMap;

use schedlab_sim::Histogram;

use super::line::{Context, Event, Left, Thread, What};
use super::report::Oddities;
use super::task::{Index, Pending, State, Step, Task, Waker, Why};
use super::ticks::Departure;

/// After a wake-up on a CPU, a switch within this time may be its preemption.
const PREEMPTS_WITHIN_NS: u64 = 100_000;

/// What runs on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    /// Nothing was seen there yet, or events were lost.
    Unknown {
        lost: bool,
    },
    Idle,
    Task(Index),
}

/// A CPU.
#[derive(Clone, Debug)]
pub(super) struct Cpu {
    current: Current,
    since: u64,
    last_wakeup_ns: Option<u64>,
    pub seen: bool,
    pub idle_ns: u64,
}

/// What was recovered so far.
pub(super) struct Recovery {
    pub tasks: Vec<Task>,
    pub cpus: Vec<Cpu>,
    by_pid: HashMap<u32, Index>,
    /// The first event, nanoseconds of the trace's clock.
    pub first_ns: Option<u64>,
    /// The last event.
    pub now_ns: u64,
    /// What is added to the trace's clock because it went back.
    clock_offset_ns: u64,
    pub switches: u64,
    /// From a wake-up to the switch, where the CPU was idle.
    pub idle_wake_delay: Histogram,
    /// When tasks left runnable without a wake-up that explains it.
    pub unexplained: Vec<Departure>,
    pub oddities: Oddities,
    /// What the steps will take in a document, bytes.
    bytes: usize,
}

/// What an act without a length takes in a document, where rounds are folded.
const BYTES_AN_ACT: usize = 4;

impl Recovery {
    /// Before the first event.
    pub fn new() -> Self {
        Self {
            tasks: Vec::new(),
            cpus: Vec::new(),
            by_pid: HashMap::new(),
            first_ns: None,
            now_ns: 0,
            clock_offset_ns: 0,
            switches: 0,
            idle_wake_delay: Histogram::default(),
            unexplained: Vec::new(),
            oddities: Oddities::default(),
            bytes: 0,
        }
    }

    /// About how many bytes of a document the steps will take.
    pub const fn document_bytes(&self) -> usize {
        self.bytes
    }

    /// Takes an event, from the line of that number.
    pub fn event(&mut self, event: &Event<'_>, line: u64) {
        let at = self.clock(event.at_ns);
        self.cpu(event.cpu).seen = true;
        self.observe(at, event, line);
        match &event.what {
            // What left is what ran: a line that says otherwise is mixed up.
            What::Switch { prev, .. } if prev.pid != event.pid => {
                self.oddities.unreadable.add(line);
                self.give_up(event.cpu, at);
            }
            What::Switch { prev, left, next } => self.switch(at, event.cpu, (prev, *left), next),
            What::Waking(thread) => self.wake(at, event, thread, Why::Waking),
            What::Wakeup(thread) => self.wake(at, event, thread, Why::Woken),
            What::WakeupNew(thread) => {
                self.born(at, event, thread.pid, thread.comm, thread.prio);
                self.cpu(event.cpu).last_wakeup_ns = Some(at);
            }
            What::Fork { parent, child, comm } => {
                if *parent == event.pid || event.context != Context::Interrupt {
                    self.end_of_pid(*child);
                    self.born(at, event, *child, comm, None);
                }
            }
            What::Migrate { pid, from } => {
                if let Some(task) = self.by_pid.get(pid).copied().map(|index| self.task_mut(index))
                    && task.counts.switches == 0
                {
                    task.previous_cpu.get_or_insert(*from);
                }
            }
            What::Exit { pid } => {
                if let Some(&index) = self.by_pid.get(pid) {
                    self.task_mut(index).exited = true;
                }
            }
        }
    }

    /// From here on the trace's clock is behind: what went on is cut, time goes on.
    pub fn clock_went_back(&mut self, at_ns: u64, line: u64) {
        self.oddities.clock_jumps.add(line);
        self.clock_offset_ns = self.now_ns.saturating_sub(at_ns);
        self.lost(None);
    }

    /// The time of an event, never before the last one.
    fn clock(&mut self, at_ns: u64) -> u64 {
        self.now_ns = at_ns.saturating_add(self.clock_offset_ns).max(self.now_ns);
        self.first_ns.get_or_insert(self.now_ns);
        self.now_ns
    }

    fn cpu(&mut self, number: u32) -> &mut Cpu {
        let place = number as usize;
        if self.cpus.len() <= place {
            let current = Current::Unknown { lost: false };
            let cpu = Cpu { current, since: 0, last_wakeup_ns: None, seen: false, idle_ns: 0 };
            self.cpus.resize(place + 1, cpu);
        }
        &mut self.cpus[place]
    }

    fn task_mut(&mut self, index: Index) -> &mut Task {
        &mut self.tasks[index as usize]
    }

    fn push(&mut self, index: Index, step: Step) {
        let task = &mut self.tasks[index as usize];
        let before = task.steps.len();
        task.end_run();
        task.steps.push(step);
        let written = |step: &Step| match step {
            Step::Run(ns) | Step::Block { ns, .. } => {
                let length = if ns % 1000 == 0 { ns / 1000 } else { *ns };
                length.checked_ilog10().map_or(1, |digits| digits as usize + 1) + ", ".len()
            }
            Step::Left { .. } | Step::Nothing => 0,
            _ => BYTES_AN_ACT,
        };
        self.bytes += task.steps[before..].iter().map(written).sum::<usize>();
    }

    /// The task that has the pid now.
    fn of_pid(&mut self, thread: &Thread<'_>) -> Index {
        if let Some(&index) = self.by_pid.get(&thread.pid) {
            self.task_mut(index).rename(thread.comm);
            self.prio(index, thread.prio);
            return index;
        }
        self.add(Task::new(thread.pid, thread.comm, thread.prio))
    }

    fn add(&mut self, task: Task) -> Index {
        let index = Index::try_from(self.tasks.len()).unwrap_or(Index::MAX);
        self.by_pid.insert(task.pid, index);
        self.tasks.push(task);
        index
    }

    /// Notes a change of nice value. Changes to and from real-time priorities are those of
    /// inheritance and are passed over.
    fn prio(&mut self, index: Index, prio: Option<i32>) {
        let Some(prio) = prio else { return };
        let task = self.task_mut(index);
        let before = task.prio.replace(prio);
        task.first_prio.get_or_insert(prio);
        let is_fair = |prio: i32| (100..140).contains(&prio);
        if before != Some(prio)
            && before.is_some_and(is_fair)
            && is_fair(prio)
            && task.counts.switches > 0
            && let Ok(nice) = i8::try_from(prio - 120)
        {
            self.push(index, Step::Nice(nice));
        }
    }

    /// Every event tells what runs on its CPU.
    fn observe(&mut self, at: u64, event: &Event<'_>, line: u64) {
        let cpu = event.cpu;
        let fits = match self.cpu(cpu).current {
            Current::Unknown { .. } => true,
            Current::Idle => event.pid == 0,
            Current::Task(index) => self.tasks[index as usize].pid == event.pid,
        };
        if !fits {
            self.oddities.gaps.add(line);
            self.give_up(cpu, at);
        }
        let Current::Unknown { lost } = self.cpu(cpu).current else { return };
        let first = self.first_ns.unwrap_or(at);
        if event.pid == 0 {
            let state = self.cpu(cpu);
            (state.current, state.since) = (Current::Idle, if lost { at } else { first });
            return;
        }
        let index = match self.by_pid.get(&event.pid) {
            Some(&index) => index,
            None => self.add(Task::new(event.pid, event.comm, None)),
        };
        if !lost && self.tasks[index as usize].state == State::Unseen {
            // It was there from the start.
            self.oddities.running_at_start += 1;
            let task = self.task_mut(index);
            task.state = State::Running { since: first, cpu };
            task.counts.switches += 1;
            task.previous_cpu.get_or_insert(cpu);
        } else {
            self.enter(index, at, cpu, false);
        }
        self.cpu(cpu).current = Current::Task(index);
    }

    /// What was known to be on a CPU is not.
    fn give_up(&mut self, cpu: u32, at: u64) {
        match self.cpu(cpu).current {
            Current::Task(index) => self.lose(index, at),
            Current::Idle => {
                let state = self.cpu(cpu);
                state.idle_ns += at - state.since;
            }
            Current::Unknown { .. } => {}
        }
        self.cpu(cpu).current = Current::Unknown { lost: true };
    }

    fn switch(&mut self, at: u64, cpu: u32, (prev, left): (&Thread<'_>, Left), next: &Thread<'_>) {
        self.switches += 1;
        let was_idle = prev.pid == 0;
        if was_idle {
            let state = self.cpu(cpu);
            state.idle_ns += at - state.since;
        } else {
            let index = self.of_pid(prev);
            self.leave(index, at, cpu, left);
        }
        let state = self.cpu(cpu);
        (state.current, state.since) = (Current::Idle, at);
        if next.pid != 0 {
            let index = self.of_pid(next);
            self.enter(index, at, cpu, was_idle);
            self.cpu(cpu).current = Current::Task(index);
        }
    }

    fn leave(&mut self, index: Index, at: u64, cpu: u32, left: Left) {
        let woken = self.cpu(cpu).last_wakeup_ns.is_some_and(|woken| at - woken < PREEMPTS_WITHIN_NS);
        let task = self.task_mut(index);
        if let State::Running { since, .. } = task.state {
            task.ran(cpu, at - since);
        }
        match left {
            Left::Preempted | Left::Runnable => {
                task.counts.preempted += 1;
                task.state = State::Runnable { since: at, why: Why::Left };
                self.forget_pending(index);
                if left == Left::Runnable && !woken {
                    self.push(index, Step::Left { at_ns: at, cpu });
                    self.unexplained.push(Departure { at_ns: at, cpu, task: index });
                }
            }
            Left::Blocked => {
                task.blocks += 1;
                task.state = State::Sleeping { since: at };
                if let Some(Pending { by, .. }) = task.pending.take() {
                    // Woken between its decision to sleep and the switch.
                    self.awake(index, at, by, Why::Waking);
                }
            }
            Left::Exited => {
                task.end_run();
                (task.exited, task.state) = (true, State::Gone);
                let pid = task.pid;
                self.by_pid.remove(&pid);
            }
        }
    }

    fn enter(&mut self, index: Index, at: u64, cpu: u32, was_idle: bool) {
        match self.tasks[index as usize].state {
            State::Unseen => self.oddities.waiting_at_start += 1,
            State::Runnable { since, why } if why != Why::Left => {
                self.task_mut(index).counts.wake_delay.add(at - since);
                if was_idle {
                    self.idle_wake_delay.add(at - since);
                }
            }
            State::Runnable { .. } => {}
            State::Sleeping { since } => {
                self.oddities.unseen_wakeups += 1;
                self.push(index, Step::Block { ns: at - since, by: Waker::Unseen });
            }
            State::Lost { since } => {
                self.oddities.lost_ns += at - since;
                self.push(index, Step::Block { ns: at - since, by: Waker::Unseen });
            }
            State::Running { since, cpu: on } => {
                // It was seen on two CPUs: the switch between is missing.
                self.task_mut(index).ran(on, at - since);
                self.oddities.missing_switches += 1;
            }
            State::Gone => {}
        }
        let task = self.task_mut(index);
        task.previous_cpu.get_or_insert(cpu);
        task.state = State::Running { since: at, cpu };
        task.counts.switches += 1;
    }

    /// Events were lost on a CPU, or on all.
    pub fn lost(&mut self, cpu: Option<u32>) {
        let at = self.now_ns;
        for place in 0..u32::try_from(self.cpus.len()).unwrap_or(u32::MAX) {
            if cpu.is_none_or(|cpu| cpu == place) {
                self.give_up(place, at);
            }
        }
    }

    fn lose(&mut self, index: Index, at: u64) {
        let task = self.task_mut(index);
        task.end_run();
        task.pending = None;
        task.state = State::Lost { since: at };
    }

    /// The end of the trace: what goes on is cut there.
    pub fn finish(&mut self) {
        let end = self.now_ns;
        for cpu in &mut self.cpus {
            if cpu.current == Current::Idle {
                cpu.idle_ns += end - cpu.since;
            }
        }
        for index in 0..self.tasks.len() {
            let index = Index::try_from(index).unwrap_or(Index::MAX);
            match self.tasks[index as usize].state {
                State::Running { since, cpu } => {
                    self.oddities.running_at_end += 1;
                    self.task_mut(index).ran(cpu, end - since);
                }
                State::Runnable { .. } => self.oddities.waiting_at_end += 1,
                State::Sleeping { since } => {
                    self.push(index, Step::Block { ns: end - since, by: Waker::Unseen });
                }
                State::Lost { since } => {
                    self.oddities.lost_ns += end - since;
                    self.push(index, Step::Block { ns: end - since, by: Waker::Unseen });
                }
                State::Unseen | State::Gone => {}
            }
            self.task_mut(index).end_run();
        }
    }
}
