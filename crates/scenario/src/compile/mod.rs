//! From a scenario to the input of a run.
//! Not for reading documents: [`crate::document`] and [`crate::workload`] have done that.

mod affinity;
mod attributes;
mod checks;
mod groups;
mod memory;
mod mutexes;
mod names;
mod pipes;
mod platform;
mod policies;
mod program;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use schedlab_sim::{Birth, Input, TaskSpec, Template};

use crate::document::{RecordKind, Scenario};
use crate::problem::{Problem, nearest_name, verdict};
use crate::rt_app_log::LogPlan;
use crate::workload::{Action, Start, Task};

use attributes::Scheduling;
use groups::Groups;
pub(crate) use names::{Paths, PhasePath};
pub(crate) use pipes::Pipes;
use program::Compiler;

/// How many switches and wake-ups a full record may hold: 16 MiB or so.
pub const RECORD_BUDGET: usize = 1 << 20;

/// A run, ready to be simulated.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The input of the engine.
    pub input: Input,
    /// What has no effect, or not the usual one.
    pub notices: Vec<Problem>,
    /// Which task and instance each of `input.tasks` is. Forked tasks follow at run time, as
    /// further instances of their templates.
    pub tasks: Vec<TaskOrigin>,
    /// The kinds of operation that `op_begin` and `op_end` mark, of each task by itself, by
    /// `OperationId`.
    pub operations: Vec<OperationOrigin>,
}

/// A kind of operation of one task of the document; its instances are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperationOrigin {
    /// What `op_begin` and `op_end` call it.
    pub name: String,
    /// The name of the task.
    pub task: String,
}

/// Where a task of the engine comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskOrigin {
    /// The name of the task in the document.
    pub name: String,
    /// Which of its instances, from 0.
    pub instance: u32,
}

impl Scenario {
    /// Makes the input of repeat `repeat` (its seed is `run.seed + repeat`) of the scenario itself;
    /// variants are not looked at.
    ///
    /// # Errors
    /// What cannot be run: flags that the release lacks, tasks without end or time, barriers that
    /// cannot be met, CPUs that the machine lacks, more than is modelled yet.
    pub fn prepare(&self, repeat: u32) -> Result<Prepared, Vec<Problem>> {
        self.prepare_with(repeat, None)
    }

    /// The same, with programs that note when their events begin and end, and a record that has room
    /// for it: for rt-app's log. The run is the same otherwise.
    ///
    /// # Errors
    /// As [`Scenario::prepare`].
    pub fn prepare_logged(&self, repeat: u32) -> Result<(Prepared, LogPlan), Vec<Problem>> {
        let plan = LogPlan::of(&self.workload);
        let mut prepared = self.prepare_with(repeat, Some(&plan))?;
        prepared.input.record_budget = RECORD_BUDGET;
        Ok((prepared, plan))
    }

    fn prepare_with(&self, repeat: u32, log: Option<&LogPlan>) -> Result<Prepared, Vec<Problem>> {
        let mut found = Vec::new();
        let machine = platform::machine(self, &mut found);
        let kernel = platform::kernel(self, &mut found);
        checks::scenario(self, &mut found);
        let mut input = Input::new(kernel, machine, self.duration_ms().saturating_mul(1_000_000));
        input.warmup_ns = self.run.warmup_ms.saturating_mul(1_000_000);
        input.seed = self.run.seed.wrapping_add(u64::from(repeat));
        input.record_budget = match self.run.record {
            RecordKind::Full => RECORD_BUDGET,
            RecordKind::Summary => 0,
        };
        let (mut tasks, mut operations) = (Vec::new(), Vec::new());
        if checks::instances(&self.workload, &mut found) {
            let paths = Paths::of(&self.workload);
            checks::workload(self, &paths, &mut found);
            let groups = Groups::of(self, &paths, input.seed, &mut found);
            (tasks, operations) = compile_tasks(self, log, &paths, &groups, &mut input, &mut found);
            input.groups = groups.specs;
        }
        let notices = verdict(found)?;
        Ok(Prepared { input, notices, tasks, operations })
    }
}

/// Fills in tasks, templates and objects.
fn compile_tasks<'s>(
    scenario: &'s Scenario,
    log: Option<&'s LogPlan>,
    paths: &Paths,
    groups: &Groups<'s>,
    input: &mut Input,
    found: &mut Vec<Problem>,
) -> (Vec<TaskOrigin>, Vec<OperationOrigin>) {
    let workload = &scenario.workload;
    let templates = forked_tasks(&workload.tasks, paths, found);
    let pipes = Pipes::of(workload, paths, found);
    let mut compiler = Compiler::new(scenario, &templates, groups, &pipes);
    compiler.log = log;
    let mut instances: HashMap<&str, u32> = HashMap::new();
    for task in &workload.tasks {
        *instances.entry(&task.name).or_default() += task.instances;
    }
    let mut next: HashMap<&str, u32> = HashMap::new();
    let mut places = Places { order: input.machine.fork_order(), placed: 0 };
    let mut origins = Vec::new();
    let mut forked: Vec<Option<Template>> = vec![None; templates.len()];
    for (index, task) in workload.tasks.iter().enumerate() {
        let spec = compiler.task(index, task, &paths.tasks[index], found);
        let template = templates.get(task.name.as_str()).copied();
        for _ in 0..task.instances {
            let instance = next.entry(&task.name).or_default();
            let several = template.is_some() || instances[task.name.as_str()] > 1;
            let name = if several { format!("{}-{instance}", task.name) } else { task.name.clone() };
            let previous_cpu = task.previous_cpu.unwrap_or_else(|| places.next(spec.cpus.as_deref(), *instance));
            let identity = identity(&task.name, *instance);
            input.tasks.push(TaskSpec { name, identity, previous_cpu, ..spec.clone() });
            origins.push(TaskOrigin { name: task.name.clone(), instance: *instance });
            *instance += 1;
        }
        if let Some(slot) = template.and_then(|template| forked.get_mut(template as usize)) {
            // A forked task begins at its fork; a delay is that of the instances from the start.
            let spec = TaskSpec { start_ns: 0, birth: Birth::Fork, ..spec };
            slot.get_or_insert(Template { spec, first_number: instances[task.name.as_str()] });
        }
    }
    input.templates = forked.into_iter().flatten().collect();
    input.objects = compiler.objects(workload);
    (origins, compiler.operations)
}

/// Where tasks ran before, when the document does not say: as forks on an idle machine would have
/// spread them.
struct Places {
    order: Vec<u32>,
    placed: usize,
}

impl Places {
    /// The place of one more task; one that is pinned goes by its instance among its own CPUs.
    fn next(&mut self, cpus: Option<&[u32]>, instance: u32) -> u32 {
        let Some(cpus) = cpus else {
            self.placed += 1;
            return nth(&self.order, self.placed - 1);
        };
        let own: Vec<u32> = self.order.iter().copied().filter(|cpu| cpus.contains(cpu)).collect();
        nth(&own, instance as usize)
    }
}

/// The n-th of a list that begins again at its end; 0 when it is empty.
fn nth(list: &[u32], n: usize) -> u32 {
    list.get(n % list.len().max(1)).copied().unwrap_or(0)
}

/// The tasks that some `fork` names, numbered in the order of the tasks.
fn forked_tasks<'w>(tasks: &'w [Task], paths: &Paths, found: &mut Vec<Problem>) -> HashMap<&'w str, u32> {
    let names: HashSet<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    let (mut named, mut unknown) = (HashSet::new(), HashSet::new());
    for (index, task) in tasks.iter().enumerate() {
        paths.each_event(index, task, |event, path| {
            let Action::Fork(name) = &event.action else { return };
            if names.contains(name.as_str()) {
                named.insert(name.as_str());
            } else if unknown.insert(name) {
                let problem = Problem::error(path(), format!("there is no task `{name}` to fork"));
                let near = if unknown.len() < 50 { nearest_name(name, names.iter().copied()) } else { None };
                found.push(problem.suggest(near));
            }
        });
    }
    let mut templates = HashMap::new();
    for task in tasks.iter().filter(|task| named.contains(task.name.as_str())) {
        let number = u32::try_from(templates.len()).unwrap_or(u32::MAX);
        templates.entry(task.name.as_str()).or_insert(number);
    }
    templates
}

/// What a task's random draws are seeded with: its name and instance, nothing else, so that adding
/// a task leaves the draws of the others alone.
fn identity(name: &str, instance: u32) -> u64 {
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(0xff);
    bytes.extend(instance.to_le_bytes());
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

impl<'s> Compiler<'s> {
    /// A task as the engine takes it; name and identity are those of its first instance.
    fn task(&mut self, index: usize, task: &'s Task, path: &str, found: &mut Vec<Problem>) -> TaskSpec {
        let initial = self.initial(task, path, found);
        let program = Arc::new(self.program(index, task, path, initial, found));
        let Scheduling { policy, nice, slice_ns } = initial.scheduling();
        let cpus = self.context().groups.allowed(initial.group, initial.cpus);
        TaskSpec {
            name: task.name.clone(),
            identity: identity(&task.name, 0),
            start_ns: task.delay_us.saturating_mul(1000),
            birth: match task.start {
                Start::Wake => Birth::Wake,
                Start::Fork => Birth::Fork,
            },
            policy,
            nice,
            slice_ns,
            latency_nice: task.attributes.latency_nice.unwrap_or(0),
            group: initial.group,
            cookie: task.cookie,
            cpus,
            previous_cpu: task.previous_cpu.unwrap_or(0),
            working_set_kib: memory::working_set_kib(task, &self.scenario.workload.global),
            program,
        }
    }
}
