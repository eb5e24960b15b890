//! The engine's input of one variant of a kernel run.
//! Not for reading files.

use std::collections::BTreeMap;
use std::sync::Arc;

use schedlab_sim::kernel::Kernel;
use schedlab_sim::{
    Birth, Input, Length, Machine, Objects, PipeId, Program, SemaphoreId, Step, TaskSpec, Template, TemplateId,
};

use super::spec::{Clock, Spec, Task, Word};
use super::{Figures, KernelRunError, TaskFigures, draw};

/// How long the tasks have slept when the first one starts, nanoseconds.
const SLEPT_NS: u64 = 200_000_000;
/// What a run step that counts instructions costs beyond them, microseconds: the system call that
/// ends it and the switch.
const INSTRUCTION_STEP_COST_US: u64 = 6;
/// What a message costs its writer or reader beyond that and beside the wake-up, nanoseconds. Where
/// run steps are CPU time it counts towards them. On one CPU a round of K_r50 takes 58.8 µs for a run
/// step of 50 and two messages; on several the six writes of P9, each of which wakes a task elsewhere,
/// take 49 to 51 µs.
const MESSAGE_COST_NS: u64 = 150;
const MESSAGE_COST_BETWEEN_CPUS_NS: u64 = 5700;
/// What a fork costs the parent, microseconds.
const FORK_COST_US: u64 = 150;
/// How many one-byte messages a pipe of Linux holds.
const PIPE_BYTES: u32 = 65_536;
/// Longer than any run, nanoseconds.
const FOR_EVER_NS: u64 = 1_000_000_000_000_000;

/// The input, and when the first task starts in it.
pub(super) fn input(
    spec: &Spec,
    kernel: &Kernel,
    machine: &Machine,
    previous: &BTreeMap<String, u32>,
    measured: &Figures,
    variant: usize,
) -> Result<(Input, u64), KernelRunError> {
    let [from_s, to_s] = measured.window_s;
    if !(0.0 <= from_s && from_s < to_s && to_s * 1000.0 <= spec.duration_ms as f64) {
        let expected = format!("a window within the {} ms of the run", spec.duration_ms);
        let place = format!("runs[{variant}].window_s");
        return Err(KernelRunError::unexpected(place, expected, format!("[{from_s}, {to_s}]")));
    }
    // A tick lies at each multiple of its length, and the start a phase after one.
    let start_ns = SLEPT_NS.next_multiple_of(machine.tick_ns()) + spec.phase_us * 1000;
    let mut input = Input::new(kernel.clone(), machine.clone(), start_ns + nanoseconds(to_s));
    input.warmup_ns = start_ns + nanoseconds(from_s);
    input.seed = variant as u64;
    let slots = spec.pipe_slots.unwrap_or(PIPE_BYTES);
    input.objects = Objects { pipes: vec![slots; spec.pipes as usize], ..Objects::default() };
    let hogs = spec.tasks.iter().filter(|task| task.program.contains(&Word::Hog)).count();
    let mut builder = Builder { spec, measured, busy: busy_while_running(hogs, machine.cpus()), input: &mut input };
    for task in &spec.tasks {
        let program = builder.program(task).ok_or_else(|| {
            let (most, name) = (draw::MOST_LENGTHS, &task.name);
            let expected = format!("at most {most} random lengths");
            KernelRunError::unexpected(format!("spec[{variant}], task {name}"), expected, "more")
        })?;
        let previous_cpu = previous.get(&task.name).copied().filter(|cpu| *cpu < machine.cpus()).unwrap_or(0);
        builder.input.tasks.push(TaskSpec {
            start_ns: start_ns + task.start_us * 1000,
            birth: Birth::Wake,
            policy: task.policy,
            nice: task.nice,
            slice_ns: task.slice_us.map(|us| us * 1000),
            cookie: task.cookie,
            previous_cpu,
            ..TaskSpec::new(&task.name, Arc::new(program))
        });
    }
    Ok((input, start_ns))
}

/// How many CPUs are busy while a task runs that is no hog: its own and those of the hogs. The
/// virtual CPUs of these kernels took turns, so that instructions took that many times as long; a
/// sleeper elsewhere counts for nothing here.
fn busy_while_running(hogs: usize, cpus: u32) -> u64 {
    (hogs as u64 + 1).min(u64::from(cpus))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window of seconds, not negative")]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

struct Builder<'b> {
    spec: &'b Spec,
    measured: &'b Figures,
    busy: u64,
    input: &'b mut Input,
}

impl Builder<'_> {
    /// The program; none when it would draw too many lengths.
    fn program(&mut self, task: &Task) -> Option<Program> {
        let left_us = (self.spec.duration_ms * 1000).saturating_sub(task.start_us);
        let drawn = draw::lengths_us(&task.program, task.seed, left_us)?;
        let mut program = Program { loops: 1, ..Program::default() };
        program.steps.push(Step::LoopStart { counter: 0, times: None, end: 0 });
        let any = |wanted: fn(&Word) -> bool| task.program.iter().any(wanted);
        if !any(|word| matches!(word, Word::Hog | Word::Run { .. } | Word::Sleep { .. } | Word::Fork(_))) {
            // Messages or yields only: a round costs what a run step of length 0 would.
            program.steps.push(Step::Run(Length::Fixed(INSTRUCTION_STEP_COST_US * 1000)));
        }
        let costs_messages = !any(|word| matches!(word, Word::Run { by: Clock::CpuTime, .. }));
        let excess_ns = self.measured.tasks.get(&task.name).map_or(0, TaskFigures::step_excess_ns);
        for (word, drawn) in task.program.iter().zip(drawn) {
            if costs_messages && matches!(word, Word::Write(_) | Word::Read(_)) {
                let several = self.input.machine.cpus() > 1;
                let ns = if several { MESSAGE_COST_BETWEEN_CPUS_NS } else { MESSAGE_COST_NS };
                program.steps.push(Step::Run(Length::Fixed(ns)));
            }
            self.word(*word, &drawn, excess_ns, &mut program);
        }
        let position = u32::try_from(program.steps.len()).unwrap_or(u32::MAX);
        program.steps.push(Step::LoopEnd { start: 0 });
        if let Some(Step::LoopStart { end, .. }) = program.steps.first_mut() {
            *end = position;
        }
        Some(program)
    }

    /// A word as steps; a run step by CPU time is longer by what it really took beyond its length.
    fn word(&mut self, word: Word, drawn: &[u64], excess_ns: u64, program: &mut Program) {
        let mut length = |us: u64, ns: &dyn Fn(u64) -> u64| {
            if drawn.is_empty() {
                return Length::Fixed(ns(us));
            }
            let position = u32::try_from(program.traces).unwrap_or(u32::MAX);
            program.traces += 1;
            Length::Trace { lengths_ns: drawn.iter().map(|&us| ns(us)).collect(), position }
        };
        let step = match word {
            Word::Hog => Step::Run(Length::Fixed(FOR_EVER_NS)),
            Word::Run { us, by: Clock::CpuTime, .. } => Step::Run(length(us, &|us| us * 1000 + excess_ns)),
            Word::Run { us, by: Clock::Instructions, .. } => {
                let busy = self.busy;
                Step::Run(length(us, &|us| (us * busy + INSTRUCTION_STEP_COST_US) * 1000))
            }
            Word::Sleep { us, .. } => Step::Sleep(length(us, &|us| us * 1000)),
            Word::Write(pipe) => Step::PipeWrite(PipeId(pipe)),
            Word::Read(pipe) => Step::PipeRead(PipeId(pipe)),
            Word::Yield => Step::Yield,
            Word::Fork(children) => return self.fork(children, program),
        };
        program.steps.push(step);
    }

    /// Children one after the other, each with a template of its own; each says when it is done, and
    /// the parent waits for all.
    fn fork(&mut self, children: u32, program: &mut Program) {
        let done = SemaphoreId(u32::try_from(self.input.objects.semaphores).unwrap_or(u32::MAX));
        self.input.objects.semaphores += 1;
        let steps = vec![Step::Run(Length::Fixed(self.spec.child_us * 1000)), Step::SemaphorePost(done)];
        let child = Arc::new(Program { steps, ..Program::default() });
        for number in 0..children {
            let template = TemplateId(u32::try_from(self.input.templates.len()).unwrap_or(u32::MAX));
            let spec = TaskSpec::new(&format!("c{number}"), Arc::clone(&child));
            self.input.templates.push(Template { spec, first_number: 0 });
            program.steps.push(Step::Run(Length::Fixed(FORK_COST_US * 1000)));
            program.steps.push(Step::Fork(template));
        }
        program.steps.extend((0..children).map(|_| Step::SemaphoreWait(done)));
    }
}
