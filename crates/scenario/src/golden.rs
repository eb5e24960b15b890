//! Golden traces: a case as real kernel functions ran it, and the engine's answer to it.
//! Not for scenario documents: a case's times are nanoseconds and its events finer.

use std::collections::HashMap;
use std::sync::Arc;

use schedlab_sim::kernel::{Class, Feature, Kernel, Release, Tunable};
use schedlab_sim::{
    Bandwidth, Birth, Change, Entry, GroupEnd, GroupId, GroupSpec, IDLE, Input, Length, Limit, Machine, OutsideEvent,
    Policy, Program, QueueEnd, Simulation, Step, TaskEnd, TaskId, TaskSpec, TaskState, VirtualPlace,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Why a case cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// The line is no case.
    #[error("not a golden case: {0}")]
    Format(#[from] serde_json::Error),
    /// The case asks for something that is not there.
    #[error("{id}: {reason}")]
    Case {
        /// The case.
        id: String,
        /// What is not there.
        reason: String,
    },
}

/// A case, as the traces' README describes it.
#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    release: String,
    hz: u32,
    features: HashMap<String, bool>,
    tunables: HashMap<String, u64>,
    #[serde(default)]
    groups: Vec<CaseGroup>,
    tasks: Vec<CaseTask>,
    #[serde(default)]
    events: Vec<Vec<Value>>,
    until_ns: u64,
}

#[derive(Debug, Deserialize)]
struct CaseGroup {
    path: String,
    weight: Option<u32>,
    #[serde(default)]
    idle: bool,
    quota_us: Option<u64>,
    period_us: Option<u64>,
    #[serde(default)]
    burst_us: u64,
    #[serde(default)]
    phase_ns: u64,
}

#[derive(Debug, Deserialize)]
struct CaseTask {
    name: String,
    policy: String,
    nice: i8,
    slice_ns: Option<u64>,
    group: Option<String>,
    start_ns: u64,
    program: Vec<Vec<Value>>,
    #[serde(rename = "loop")]
    repeats: bool,
}

/// A case of a golden file, ready to run.
#[derive(Debug)]
pub struct GoldenCase {
    /// Its name.
    pub id: String,
    /// What the engine runs.
    pub input: Input,
}

/// The engine's answer to a case, and what it was made from.
#[derive(Debug)]
pub struct Answer {
    /// The answer as `check.py` reads it.
    pub json: Value,
    /// The hash of the run.
    pub hash: u64,
    /// Context switches.
    pub switches: u64,
}

/// Answers one line of a golden file, as one line of JSON.
///
/// # Errors
/// [`GoldenError`] when the line is no case, or its release or a feature is not there.
pub fn answer(line: &str) -> Result<String, GoldenError> {
    Ok(GoldenCase::read(line)?.run()?.json.to_string())
}

impl GoldenCase {
    /// Reads one line of a golden file.
    ///
    /// # Errors
    /// [`GoldenError`] when the line is no case, or its release or a feature is not there.
    pub fn read(line: &str) -> Result<Self, GoldenError> {
        let case: Case = serde_json::from_str(line)?;
        let fail = |reason: String| GoldenError::Case { id: case.id.clone(), reason };
        let input = Builder::new(&case).and_then(|builder| builder.build()).map_err(fail)?;
        Ok(Self { id: case.id, input })
    }

    /// Runs the case to its end.
    ///
    /// # Errors
    /// [`GoldenError::Case`] when the engine refuses it.
    pub fn run(self) -> Result<Answer, GoldenError> {
        let id = self.id.clone();
        let fail = |reason: String| GoldenError::Case { id: id.clone(), reason };
        let mut simulation = Simulation::new(self.input.clone()).map_err(|error| fail(error.to_string()))?;
        simulation.run_until(Limit::end()).map_err(|error| fail(error.to_string()))?;
        Ok(self.describe(simulation))
    }

    fn describe(&self, simulation: Simulation) -> Answer {
        let class = self.input.kernel.release().class();
        let custom_slices = Feature::PreemptShort.default_in(self.input.kernel.release()).is_some();
        let end = simulation.end_state();
        let run = simulation.finish();
        let name = |task: TaskId| match task {
            IDLE => "idle",
            TaskId(index) => run.tasks[index as usize].name.as_str(),
        };
        let switches: Vec<Value> = run
            .record
            .iter()
            .filter_map(|entry| match entry {
                Entry::Switch { at_ns, prev, next, reason, .. } => {
                    Some(json!([at_ns, name(prev), name(next), reason.why()]))
                }
                _ => None,
            })
            .collect();
        let counters = &run.counters;
        let mut answered = match class {
            Class::Cfs => json!({
                "tick_check_preempts": counters.tick_check_preempts,
                "tick_preempts": counters.tick_preempts,
            }),
            Class::Eevdf => json!({
                "check_deadline": counters.check_deadline,
                "update_deadline": counters.update_deadline,
                "preempt_deadline": counters.preempt_deadline,
            }),
        };
        if custom_slices {
            answered["short_resched"] = json!(counters.short_resched);
        }
        if self.input.kernel.has(Feature::Hrtick) {
            answered["hrtick"] = json!(counters.hrtick);
        }
        let grouped = !self.input.groups.is_empty();
        let tasks: Map<String, Value> = end
            .tasks
            .iter()
            .zip(&run.tasks)
            .map(|(task, result)| (result.name.clone(), self.task_end(task, grouped)))
            .collect();
        let mut json = json!({
            "id": self.id,
            "switches": switches,
            "counters": answered,
            "sched_count": counters.sched_count,
            "end": tasks,
            "end_rq": queue_end(&end.root, grouped),
        });
        if grouped {
            let limited = self.input.groups.iter().any(|group| group.max.is_some())
                || self.input.events.iter().any(|event| matches!(event.change, Change::Max { .. }));
            let groups: Map<String, Value> = end
                .groups
                .iter()
                .zip(&self.input.groups)
                .map(|(end, group)| (group.path.clone(), group_end(end, custom_slices, limited)))
                .collect();
            json["end_groups"] = Value::Object(groups);
        }
        Answer { json, hash: run.hash, switches: run.total_switches }
    }

    fn task_end(&self, task: &TaskEnd, grouped: bool) -> Value {
        let state = match task.state {
            TaskState::New => "new",
            TaskState::Running => "running",
            TaskState::Queued => "queued",
            TaskState::Delayed => "delayed",
            TaskState::Blocked => "blocked",
            TaskState::Exited => "exited",
        };
        let mut end = json!({ "state": state });
        if task.state == TaskState::New {
            return end;
        }
        end["sum_exec_ns"] = json!(task.sum_exec_ns);
        if grouped {
            let group = task.group.map_or("/", |group| self.input.groups[group.0 as usize].path.as_str());
            end["group"] = json!(group);
        }
        if task.state != TaskState::Exited {
            put_virtual_place(&mut end, task.virtual_time);
        }
        end
    }
}

fn put_virtual_place(end: &mut Value, place: VirtualPlace) {
    match place {
        VirtualPlace::Cfs { vruntime_rel_ns } => end["vruntime_rel_ns"] = json!(vruntime_rel_ns),
        VirtualPlace::Queued { vruntime_rel_ns, deadline_rel_ns } => {
            end["vruntime_rel_ns"] = json!(vruntime_rel_ns);
            end["deadline_rel_ns"] = json!(deadline_rel_ns);
        }
        VirtualPlace::Off { vlag_ns } => end["vlag_ns"] = json!(vlag_ns),
    }
}

fn queue_end(queue: &QueueEnd, grouped: bool) -> Value {
    let mut end = json!({ "nr_running": queue.nr_running });
    if grouped {
        end["h_nr_running"] = json!(queue.h_nr_running);
    }
    if let Some(progress) = queue.min_vruntime_ns {
        end["min_vruntime_ns"] = json!(progress);
    }
    end
}

fn group_end(group: &GroupEnd, custom_slices: bool, limited: bool) -> Value {
    let state = match (group.on_queue, group.is_curr, group.delayed) {
        (false, ..) => "off",
        (true, false, false) => "queued",
        (true, true, false) => "curr",
        (true, false, true) => "delayed",
        (true, true, true) => "delayed-curr",
    };
    let mut end = json!({
        "state": state,
        "shares": group.shares,
        "sum_exec_ns": group.sum_exec_ns,
        "nr_running": group.queue.nr_running,
        "h_nr_running": group.queue.h_nr_running,
    });
    put_virtual_place(&mut end, group.virtual_time);
    if custom_slices {
        end["slice_ns"] = json!(group.slice_ns);
    }
    if let Some(progress) = group.queue.min_vruntime_ns {
        end["min_vruntime_ns"] = json!(progress);
    }
    if limited {
        end["throttled"] = json!(group.throttled);
        end["throttle_count"] = json!(group.throttle_count);
        end["runtime_remaining_ns"] = json!(group.runtime_remaining_ns);
        end["pool_ns"] = json!(group.pool_ns);
        end["nr_periods"] = json!(group.nr_periods);
        end["nr_throttled"] = json!(group.nr_throttled);
    }
    end
}

/// Makes the engine's input from a case. Errors are in words.
struct Builder<'a> {
    case: &'a Case,
    groups: HashMap<&'a str, GroupId>,
}

impl<'a> Builder<'a> {
    fn new(case: &'a Case) -> Result<Self, String> {
        let paths = case.groups.iter().enumerate();
        let groups = paths.map(|(index, group)| (group.path.as_str(), GroupId(index as u32))).collect();
        Ok(Self { case, groups })
    }

    fn build(&self) -> Result<Input, String> {
        let case = self.case;
        let mut input = Input::new(self.kernel()?, Machine::ideal(case.hz), case.until_ns);
        input.record_budget = usize::MAX;
        input.groups = case.groups.iter().map(|group| self.group_spec(group)).collect::<Result<_, _>>()?;
        input.tasks = case.tasks.iter().map(|task| self.task(task)).collect::<Result<_, _>>()?;
        input.events = case.events.iter().map(|event| self.event(event)).collect::<Result<_, _>>()?;
        Ok(input)
    }

    fn kernel(&self) -> Result<Kernel, String> {
        let case = self.case;
        let release = Release::parse(&case.release)
            .filter(|release| release.is_modelled())
            .ok_or_else(|| format!("release {} is not modelled", case.release))?;
        let mut kernel = Kernel::new(release, 8);
        for (name, on) in &case.features {
            let feature = Feature::parse(name).ok_or_else(|| format!("feature {name} is unknown"))?;
            kernel.set_feature(feature, *on).map_err(|error| error.to_string())?;
        }
        for (name, value) in &case.tunables {
            let tunable = Tunable::parse(name).ok_or_else(|| format!("tunable {name} is unknown"))?;
            kernel.set_tunable(tunable, *value).map_err(|error| error.to_string())?;
        }
        Ok(kernel)
    }

    fn group(&self, path: &str) -> Result<Option<GroupId>, String> {
        if path == "/" {
            return Ok(None);
        }
        self.groups.get(path).copied().map(Some).ok_or_else(|| format!("group {path} is not listed"))
    }

    fn listed_group(&self, path: &str) -> Result<GroupId, String> {
        self.group(path)?.ok_or_else(|| "the root group cannot be changed".to_owned())
    }

    fn group_spec(&self, group: &CaseGroup) -> Result<GroupSpec, String> {
        let parent = match group.path.rsplit_once('/') {
            Some((parent, _)) if !parent.is_empty() => self.group(parent)?,
            _ => None,
        };
        let max = group.quota_us.map(|quota| Bandwidth {
            quota_ns: quota * 1000,
            period_ns: group.period_us.unwrap_or(100_000) * 1000,
            burst_ns: group.burst_us * 1000,
            phase_ns: group.phase_ns,
        });
        let (path, weight) = (group.path.clone(), group.weight.unwrap_or(100));
        Ok(GroupSpec { path, parent, weight, idle: group.idle, latency_nice: 0, max })
    }

    fn task(&self, task: &CaseTask) -> Result<TaskSpec, String> {
        let policy = match task.policy.as_str() {
            "normal" => Policy::Normal,
            "batch" => Policy::Batch,
            "idle" => Policy::Idle,
            other => return Err(format!("policy {other} is unknown")),
        };
        let mut steps = task.program.iter().map(|step| self.step(step)).collect::<Result<Vec<_>, _>>()?;
        if task.repeats {
            let end = steps.len() as u32 + 1;
            steps.insert(0, Step::LoopStart { counter: 0, times: None, end });
            steps.push(Step::LoopEnd { start: 0 });
        }
        let program = Program { steps, loops: 1, ..Program::default() };
        Ok(TaskSpec {
            start_ns: task.start_ns,
            birth: Birth::Fork,
            policy,
            nice: task.nice,
            slice_ns: task.slice_ns,
            group: self.group(task.group.as_deref().unwrap_or("/"))?,
            ..TaskSpec::new(&task.name, Arc::new(program))
        })
    }

    fn step(&self, step: &[Value]) -> Result<Step, String> {
        let word = step.first().and_then(Value::as_str).unwrap_or_default();
        let number = |at: usize| step.get(at).and_then(Value::as_u64).ok_or_else(|| format!("{word}: no number"));
        let path = || step.get(1).and_then(Value::as_str).ok_or_else(|| format!("{word}: no path"));
        Ok(match word {
            "run" => Step::Run(Length::Fixed(number(1)?)),
            "sleep" => Step::Sleep(Length::Fixed(number(1)?)),
            "yield" => Step::Yield,
            "nice" => {
                let nice = step.get(1).and_then(Value::as_i64).and_then(|nice| i8::try_from(nice).ok());
                Step::Nice(nice.ok_or_else(|| "nice: no nice value".to_owned())?)
            }
            "move" => Step::Move(self.group(path()?)?),
            "weight" => Step::Weight(self.listed_group(path()?)?, number(2)? as u32),
            other => return Err(format!("step {other} is unknown")),
        })
    }

    fn event(&self, event: &[Value]) -> Result<OutsideEvent, String> {
        let text = |at: usize| event.get(at).and_then(Value::as_str).ok_or_else(|| format!("event {event:?}: no text"));
        let number =
            |at: usize| event.get(at).and_then(Value::as_u64).ok_or_else(|| format!("event {event:?}: no number"));
        let change = match text(1)? {
            "weight" => Change::Weight(self.listed_group(text(2)?)?, number(3)? as u32),
            "idle" => {
                let idle = event.get(3).and_then(Value::as_bool).ok_or_else(|| "idle: no truth value".to_owned())?;
                Change::Idle(self.listed_group(text(2)?)?, idle)
            }
            "max" => {
                let quota_ns = Some(number(3)?).filter(|quota| *quota > 0).map(|quota| quota * 1000);
                let group = self.listed_group(text(2)?)?;
                Change::Max { group, quota_ns, period_ns: number(4)? * 1000, burst_ns: 0 }
            }
            "move" => {
                let name = text(3)?;
                let task = self.case.tasks.iter().position(|task| task.name == name);
                let task = task.ok_or_else(|| format!("task {name} is not listed"))?;
                Change::Move(TaskId(task as u32), self.group(text(2)?)?)
            }
            other => return Err(format!("event {other} is unknown")),
        };
        Ok(OutsideEvent { at_ns: number(0)?, change })
    }
}
