//! Programs: the phases and events of a task as the engine's steps.

use std::collections::HashMap;
use std::sync::Arc;

use schedlab_sim::{
    BarrierId, ConditionId, Length, MutexId, Objects, OperationId, PipeId, Program, SemaphoreId, Step, SuspensionId,
    TemplateId, TimerId, TimerMode as SimTimerMode, TimerRef,
};

use crate::document::Scenario;
use crate::problem::Problem;
use crate::rt_app_log::LogPlan;
use crate::workload::{Action, Amount, Loops, Phase, Task, TimerMode, Workload};

use super::OperationOrigin;
use super::attributes::{Change, Context, Flow, State};
use super::checks;
use super::groups::Groups;
use super::memory;
use super::mutexes::{self, Held};
use super::names::{Names, PhasePath};
use super::pipes::Pipes;

/// The counter of the loop over a task's phases; loops of phases use the next.
const TASK_COUNTER: u32 = 0;
const PHASE_COUNTER: u32 = 1;

/// Turns tasks into programs; numbers the objects that they share.
pub(super) struct Compiler<'s> {
    pub scenario: &'s Scenario,
    templates: &'s HashMap<&'s str, u32>,
    groups: &'s Groups<'s>,
    capacities: &'s Pipes<'s>,
    /// What programs note, where a log is asked for.
    pub log: Option<&'s LogPlan>,
    task_names: std::collections::HashSet<&'s str>,
    mutexes: Names,
    conditions: Names,
    semaphores: Names,
    barriers: Names,
    suspensions: Names,
    timers: Names,
    pipes: Names,
    /// By number; a task's own are found by their place in it.
    pub operations: Vec<OperationOrigin>,
}

/// The program of one task while it is written.
struct Writer<'c, 's> {
    compiler: &'c mut Compiler<'s>,
    /// Which of the workload's tasks it is.
    index: usize,
    task: &'c Task,
    held: Held,
    steps: Vec<Step>,
    own_timers: Names,
    /// The position of each trace, by phase and event: a first round that is written apart goes on
    /// with the same traces.
    traces: HashMap<(usize, usize), u32>,
}

impl<'s> Compiler<'s> {
    /// A compiler of the programs of a workload.
    pub fn new(
        scenario: &'s Scenario,
        templates: &'s HashMap<&'s str, u32>,
        groups: &'s Groups<'s>,
        capacities: &'s Pipes<'s>,
    ) -> Self {
        Self {
            scenario,
            templates,
            groups,
            capacities,
            log: None,
            task_names: scenario.workload.tasks.iter().map(|task| task.name.as_str()).collect(),
            mutexes: Names::default(),
            conditions: Names::default(),
            semaphores: Names::default(),
            barriers: Names::default(),
            suspensions: Names::default(),
            timers: Names::default(),
            pipes: Names::default(),
            operations: Vec::new(),
        }
    }

    /// What the meaning of attributes depends on.
    pub fn context(&self) -> Context<'s> {
        Context { release: self.scenario.kernel.release, groups: self.groups }
    }

    /// The program of a task that starts in the state `initial`.
    pub fn program(
        &mut self,
        index: usize,
        task: &'s Task,
        path: &str,
        initial: State<'s>,
        found: &mut Vec<Problem>,
    ) -> Program {
        let paths = PhasePath::all(path, task);
        let flow = Flow::of(initial, task, self.context());
        for (phase_index, phase) in task.phases.iter().enumerate() {
            self.check_phase(phase, phase_index, &flow, &paths[phase_index], found);
        }
        let held = mutexes::follow(task, &paths, found);
        let mut writer = Writer {
            compiler: self,
            index,
            task,
            held,
            steps: Vec::new(),
            own_timers: Names::default(),
            traces: HashMap::new(),
        };
        writer.rounds(task.loops, &flow.rounds);
        let loops = if writer.steps.iter().any(|step| matches!(step, Step::LoopStart { .. })) { 2 } else { 0 };
        let (own_timers, traces) = (writer.own_timers.len(), writer.traces.len());
        Program { steps: writer.steps, loops, own_timers, traces }
    }

    /// The objects of all programs written so far.
    pub fn objects(&self, workload: &Workload) -> Objects {
        let users = checks::barrier_users(workload);
        let met_by = |name: &String| users.get(name.as_str()).map_or(0, |users| users.references);
        let count = |name: &String| u32::try_from(met_by(name)).unwrap_or(u32::MAX);
        Objects {
            mutexes: self.mutexes.len(),
            locks_barge: workload.global.locks_barge,
            conditions: self.conditions.len(),
            semaphores: self.semaphores.len(),
            barriers: self.barriers.list().iter().map(count).collect(),
            suspensions: self.suspensions.len(),
            timers: self.timers.len(),
            operations: self.operations.len(),
            pipes: self.pipes.list().iter().map(|pipe| self.capacities.capacity(pipe)).collect(),
        }
    }
}

impl Writer<'_, '_> {
    /// The number of an operation of this task. Those of a task that is written twice are the same.
    fn operation(&mut self, name: &str) -> OperationId {
        let of = &mut self.compiler.operations;
        let known = of.iter().position(|origin| origin.task == self.task.name && origin.name == name);
        let place = known.unwrap_or_else(|| {
            of.push(OperationOrigin { name: name.to_owned(), task: self.task.name.clone() });
            of.len() - 1
        });
        OperationId(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// All rounds. The first ones that change other things than the later ones are written apart.
    fn rounds(&mut self, loops: Loops, rounds: &[Vec<Change<'_>>]) {
        let (Some((last, apart)), true) = (rounds.split_last(), loops != Loops::Times(0)) else { return };
        for changes in apart {
            self.round(changes);
        }
        let rest = match loops {
            Loops::Forever => Loops::Forever,
            Loops::Times(times) => Loops::Times(times.saturating_sub(apart.len() as u64)),
        };
        self.repeated(rest, TASK_COUNTER, |writer| writer.round(last));
    }

    /// The phases once, with what they change.
    fn round(&mut self, changes: &[Change<'_>]) {
        let task = self.task;
        for (index, (phase, change)) in task.phases.iter().zip(changes).enumerate() {
            if phase.loops == Loops::Times(0) {
                continue;
            }
            self.steps.extend(change.steps());
            self.repeated(phase.loops, PHASE_COUNTER, |writer| writer.events(index, phase, change.asked));
        }
    }

    /// Puts a loop round what `body` writes, unless it is done once.
    fn repeated(&mut self, loops: Loops, counter: u32, body: impl FnOnce(&mut Self)) {
        let times = match loops {
            Loops::Times(1) => return body(self),
            Loops::Times(times) => Some(times),
            Loops::Forever => None,
        };
        let start = self.position();
        self.steps.push(Step::LoopStart { counter, times, end: 0 });
        body(self);
        let position = self.position();
        self.steps.push(Step::LoopEnd { start });
        if let Some(Step::LoopStart { end, .. }) = self.steps.get_mut(start as usize) {
            *end = position;
        }
    }

    fn position(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// The events of a phase; `asked` are the CPUs that the task asked for, where moves go by them.
    fn events(&mut self, index: usize, phase: &Phase, asked: Option<&[u32]>) {
        for (position, event) in phase.events.iter().enumerate() {
            self.note(index, position);
            self.event(&event.action, (index, position));
            let groups = self.compiler.groups;
            if let Action::Move(path) = &event.action
                && groups.limit_cpus()
            {
                self.steps.push(Step::Affinity(groups.allowed(groups.id(path), asked)));
            }
        }
        self.note(index, phase.events.len());
    }

    /// Notes that an event begins, or after the last one that the phase ends.
    fn note(&mut self, phase: usize, event: usize) {
        if let Some(log) = self.compiler.log {
            self.steps.push(Step::Mark(log.number(self.index, phase, event)));
        }
    }

    fn event(&mut self, action: &Action, at: (usize, usize)) {
        let micro = |writer: &mut Self, amount: &Amount| writer.length(amount, 1000, at);
        let step = match action {
            Action::Run(amount) => Step::Run(micro(self, amount)),
            Action::Runtime(amount) => Step::Runtime(micro(self, amount)),
            Action::Sleep(amount) => Step::Sleep(micro(self, amount)),
            Action::RunNs(amount) => Step::Run(self.length(amount, 1, at)),
            Action::SleepNs(amount) => Step::Sleep(self.length(amount, 1, at)),
            Action::Timer { name, period_us, mode } => self.timer(name, *period_us, *mode),
            Action::Lock(name) => Step::Lock(self.mutex(name)),
            Action::Unlock(name) => Step::Unlock(self.mutex(name)),
            Action::Wait { condition, mutex } => self.wait(condition, mutex),
            Action::Signal(name) => Step::Signal(self.condition(name)),
            Action::Broadcast(name) => Step::Broadcast(self.condition(name)),
            Action::Sync { condition, mutex } => return self.sync(condition, mutex, at),
            Action::Suspend(name) => Step::Suspend(self.suspension(name)),
            Action::Resume(name) => Step::Resume(SuspensionId(self.compiler.suspensions.number(name))),
            Action::SemaphorePost(name) => Step::SemaphorePost(SemaphoreId(self.compiler.semaphores.number(name))),
            Action::SemaphoreWait(name) => Step::SemaphoreWait(SemaphoreId(self.compiler.semaphores.number(name))),
            Action::Barrier(name) => Step::Barrier(BarrierId(self.compiler.barriers.number(name))),
            Action::Yield => Step::Yield,
            Action::Fork(name) => match self.compiler.templates.get(name.as_str()) {
                Some(&template) => Step::Fork(TemplateId(template)),
                None => return,
            },
            Action::Nice(nice) => Step::Nice(*nice),
            Action::Move(path) => Step::Move(self.compiler.groups.id(path)),
            Action::Weight { group, weight } => match self.compiler.groups.id(group) {
                Some(group) => Step::Weight(group, *weight),
                None => return,
            },
            Action::Cookie(cookie) => Step::Cookie(*cookie),
            Action::PipeWrite { pipe, .. } => Step::PipeWrite(PipeId(self.compiler.pipes.number(pipe))),
            Action::PipeRead { pipe, .. } => Step::PipeRead(PipeId(self.compiler.pipes.number(pipe))),
            Action::OperationBegin(name) => Step::OperationBegin(self.operation(name)),
            Action::OperationEnd(name) => Step::OperationEnd(self.operation(name)),
            Action::Memory(_) | Action::Io(_) | Action::MemoryRun(_) => {
                let scenario = self.compiler.scenario;
                match memory::work_ns(action, &scenario.machine, &scenario.workload.global) {
                    Some(ns) => Step::Run(Length::Fixed(ns)),
                    None => return,
                }
            }
        };
        self.steps.push(step);
    }

    fn length(&mut self, amount: &Amount, unit_ns: u64, at: (usize, usize)) -> Length {
        let ns = |value: u64| value.saturating_mul(unit_ns);
        match amount {
            Amount::Fixed(value) => Length::Fixed(ns(*value)),
            Amount::Exponential(mean) => Length::Exponential { mean_ns: ns(*mean) },
            Amount::Uniform(least, most) => Length::Uniform { least_ns: ns(*least), most_ns: ns(*most) },
            Amount::LogNormal(median, sigma) => Length::LogNormal { median_ns: ns(*median), sigma: *sigma },
            Amount::Trace(values) => {
                let next = u32::try_from(self.traces.len()).unwrap_or(u32::MAX);
                let position = *self.traces.entry(at).or_insert(next);
                let lengths_ns: Arc<[u64]> = values.iter().map(|&value| ns(value)).collect();
                Length::Trace { lengths_ns, position }
            }
        }
    }

    fn timer(&mut self, name: &str, period_us: u64, mode: TimerMode) -> Step {
        let timer = if name.starts_with("unique") {
            TimerRef::Own(self.own_timers.number(name))
        } else {
            TimerRef::Shared(TimerId(self.compiler.timers.number(name)))
        };
        let mode = match mode {
            TimerMode::Relative => SimTimerMode::Relative,
            TimerMode::Absolute => SimTimerMode::Absolute,
        };
        Step::Timer { timer, period_ns: period_us.saturating_mul(1000), mode }
    }

    /// `sync` is lock, signal, wait, unlock; where the task holds the mutex already, signal and
    /// wait: taking it once more would block for ever.
    fn sync(&mut self, condition: &str, mutex: &str, at: (usize, usize)) {
        let held = self.held.at_sync.contains(&at);
        let id = self.mutex(mutex);
        let (signal, wait) = (Step::Signal(self.condition(condition)), self.wait(condition, mutex));
        if held {
            self.steps.extend([signal, wait]);
        } else {
            self.steps.extend([Step::Lock(id), signal, wait, Step::Unlock(id)]);
        }
    }

    fn wait(&mut self, condition: &str, mutex: &str) -> Step {
        Step::Wait { condition: self.condition(condition), mutex: self.mutex(mutex) }
    }

    fn mutex(&mut self, name: &str) -> MutexId {
        MutexId(self.compiler.mutexes.number(name))
    }

    fn condition(&mut self, name: &str) -> ConditionId {
        ConditionId(self.compiler.conditions.number(name))
    }

    /// A task suspends itself under its own name. Older files gave a shared name instead: one that
    /// no task has.
    fn suspension(&mut self, name: &str) -> SuspensionId {
        let own = name.is_empty() || self.compiler.task_names.contains(name);
        SuspensionId(self.compiler.suspensions.number(if own { &self.task.name } else { name }))
    }
}
