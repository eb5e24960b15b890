//! The last net under an [`Input`]: ranges and references.
//! Not for good messages with places: documents are checked before.

use super::{MAX_CPUS, MAX_TASKS};
use crate::error::InputError;
use crate::input::{GroupId, Input, Length, Objects, Policy, Program, Step, TaskSpec, TimerRef};

/// About 11 days: sums of it stay far from the end of 64 bits, in virtual time of weight 3 too.
const MOST_NS: u64 = 1_000_000_000_000_000;

fn range(what: impl Into<String>, ok: bool, expected: &'static str, value: impl ToString) -> Result<(), InputError> {
    if ok { Ok(()) } else { Err(InputError::OutOfRange { what: what.into(), expected, value: value.to_string() }) }
}

fn exists(what: &str, index: u32, count: usize) -> Result<(), InputError> {
    if (index as usize) < count { Ok(()) } else { Err(InputError::Missing { what: format!("{what} {index}") }) }
}

fn group(input: &Input, id: Option<GroupId>) -> Result<(), InputError> {
    id.map_or(Ok(()), |id| exists("group", id.0, input.groups.len()))
}

/// Checks a whole input.
pub(super) fn check(input: &Input) -> Result<(), InputError> {
    let machine = &input.machine;
    range("hz", matches!(machine.hz, 100 | 250 | 300 | 1000), "100, 250, 300 or 1000", machine.hz)?;
    let counts = [machine.nodes, machine.llcs_per_node, machine.cores_per_llc, machine.threads_per_core];
    let cpus = counts.iter().try_fold(1u32, |product, count| product.checked_mul(*count)).unwrap_or(u32::MAX);
    range("CPUs", (1..=MAX_CPUS).contains(&cpus), "1 to 1024", cpus)?;
    range("SMT speed", (1..=1000).contains(&machine.smt_speed_per_mille), "1 to 1000", machine.smt_speed_per_mille)?;
    for capacity in &machine.capacities {
        range("capacity", (1..=1024).contains(capacity), "1 to 1024", capacity)?;
    }
    for capacity in &input.objects.pipes {
        range("pipe capacity", *capacity > 0, "at least 1", capacity)?;
    }
    for phase in &machine.tick_phases_ns {
        range("tick phase", *phase < machine.tick_ns(), "less than a tick", phase)?;
    }
    range("tasks", input.tasks.len() <= MAX_TASKS, "at most 20000", input.tasks.len())?;
    range("until", input.until_ns <= MOST_NS, "at most 10^15 ns", input.until_ns)?;
    for (cost, name) in [
        (machine.context_switch_ns, "context switch"),
        (machine.wakeup_ns, "wake-up"),
        (machine.run_step_ns, "run step"),
        (machine.sleep_ns, "sleep"),
        (machine.migration_ns, "migration"),
        (machine.core_pick_ns, "core-wide pick"),
        (machine.reschedule_ns, "reschedule"),
        (machine.jitter_ns, "jitter"),
        (machine.newidle_cost_per_cpu_ns, "newly-idle balance"),
        (machine.cache.llc_ns_per_kib, "cache refill"),
        (machine.cache.memory_ns_per_kib, "memory refill"),
    ] {
        range(name, cost <= 1_000_000_000, "at most 1 s", cost)?;
    }
    for (index, spec) in input.groups.iter().enumerate() {
        if let Some(parent) = spec.parent {
            exists("group", parent.0, index)?;
        }
        range("cpu.weight", (1..=10_000).contains(&spec.weight), "1 to 10000", spec.weight)?;
        range("cpu.max", spec.max.is_none_or(|max| max.period_ns > 0), "a period above 0", 0)?;
    }
    let templates = input.templates.iter().map(|template| &template.spec);
    for task in input.tasks.iter().chain(templates) {
        check_task(input, task)?;
    }
    for event in &input.events {
        use crate::input::Change;
        match &event.change {
            Change::Weight(id, _) | Change::Idle(id, _) | Change::Max { group: id, .. } => group(input, Some(*id))?,
            Change::Move(task, to) => {
                exists("task", task.0, input.tasks.len())?;
                group(input, *to)?;
            }
        }
    }
    Ok(())
}

fn check_task(input: &Input, task: &TaskSpec) -> Result<(), InputError> {
    let name = &task.name;
    range(format!("nice of {name}"), (-20..=19).contains(&task.nice), "-20 to 19", task.nice)?;
    range(format!("start of {name}"), task.start_ns <= MOST_NS, "at most 10^15 ns", task.start_ns)?;
    check_policy(name, task.policy)?;
    group(input, task.group)?;
    exists("CPU", task.previous_cpu, input.machine.cpus() as usize)?;
    cpu_list(input, task.cpus.as_deref())?;
    for step in &task.program.steps {
        check_step(input, &task.program, step)?;
    }
    Ok(())
}

fn cpu_list(input: &Input, cpus: Option<&[u32]>) -> Result<(), InputError> {
    let Some(cpus) = cpus else { return Ok(()) };
    range("CPUs of a task", !cpus.is_empty(), "at least one", 0)?;
    cpus.iter().try_for_each(|cpu| exists("CPU", *cpu, input.machine.cpus() as usize))
}

fn check_policy(name: &str, policy: Policy) -> Result<(), InputError> {
    match policy {
        Policy::Fifo { priority } | Policy::RoundRobin { priority } => {
            range(format!("priority of {name}"), (1..=99).contains(&priority), "1 to 99", priority)
        }
        Policy::Deadline { runtime_ns, deadline_ns, period_ns } => {
            let ok = 0 < runtime_ns && runtime_ns <= deadline_ns && deadline_ns <= period_ns && period_ns <= MOST_NS;
            range(format!("budget of {name}"), ok, "above 0, at most its deadline, that at most its period", runtime_ns)
        }
        Policy::Normal | Policy::Batch | Policy::Idle => Ok(()),
    }
}

fn check_step(input: &Input, program: &Program, step: &Step) -> Result<(), InputError> {
    let objects: &Objects = &input.objects;
    match step {
        Step::Run(length) | Step::Runtime(length) | Step::Sleep(length) => check_length(program, length),
        Step::Timer { timer: TimerRef::Shared(id), .. } => exists("timer", id.0, objects.timers),
        Step::Timer { timer: TimerRef::Own(index), .. } => exists("timer", *index, program.own_timers),
        Step::Lock(id) | Step::Unlock(id) => exists("mutex", id.0, objects.mutexes),
        Step::Wait { condition, mutex } => {
            exists("condition", condition.0, objects.conditions)?;
            exists("mutex", mutex.0, objects.mutexes)
        }
        Step::Signal(id) | Step::Broadcast(id) => exists("condition", id.0, objects.conditions),
        Step::Suspend(id) | Step::Resume(id) => exists("suspension point", id.0, objects.suspensions),
        Step::SemaphorePost(id) | Step::SemaphoreWait(id) => exists("semaphore", id.0, objects.semaphores),
        Step::Barrier(id) => exists("barrier", id.0, objects.barriers.len()),
        Step::Fork(id) => exists("template", id.0, input.templates.len()),
        Step::Attributes { policy, .. } if check_policy("a step", *policy).is_err() => check_policy("a step", *policy),
        Step::Nice(nice) | Step::Attributes { nice, .. } => range("nice", (-20..=19).contains(nice), "-20 to 19", nice),
        Step::Move(to) => group(input, *to),
        Step::Weight(id, weight) => {
            range("cpu.weight", (1..=10_000).contains(weight), "1 to 10000", weight)?;
            group(input, Some(*id))
        }
        Step::OperationBegin(id) | Step::OperationEnd(id) => exists("operation", id.0, objects.operations),
        Step::LoopStart { counter, end, .. } => {
            exists("loop counter", *counter, program.loops)?;
            exists("loop end", *end, program.steps.len())
        }
        Step::LoopEnd { start } => {
            let matches = matches!(program.steps.get(*start as usize), Some(Step::LoopStart { .. }));
            if matches { Ok(()) } else { Err(InputError::Missing { what: format!("loop start {start}") }) }
        }
        Step::PipeWrite(id) | Step::PipeRead(id) => exists("pipe", id.0, objects.pipes.len()),
        Step::Affinity(cpus) => cpu_list(input, cpus.as_deref()),
        Step::Yield | Step::Mark(_) | Step::Cookie(_) => Ok(()),
    }
}

fn check_length(program: &Program, length: &Length) -> Result<(), InputError> {
    let ok = |value: u64| range("length", value <= MOST_NS, "at most 10^15 ns", value);
    match length {
        Length::Fixed(value) => ok(*value),
        Length::Exponential { mean_ns } => ok(*mean_ns),
        Length::Uniform { least_ns, most_ns } => {
            range("uniform length", least_ns <= most_ns, "least not above most", least_ns)?;
            ok(*most_ns)
        }
        Length::LogNormal { median_ns, sigma } => {
            range("sigma", (0.0..=10.0).contains(sigma), "0 to 10", sigma)?;
            ok(*median_ns)
        }
        Length::Trace { lengths_ns, position } => {
            range("trace", !lengths_ns.is_empty(), "not empty", 0)?;
            lengths_ns.iter().try_for_each(|value| ok(*value))?;
            exists("trace position", *position, program.traces)
        }
    }
}
