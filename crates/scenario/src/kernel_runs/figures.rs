//! What was measured of a kernel in one run, as far as it can be compared with the engine.
//! Not for the comparison.

use std::collections::BTreeMap;

use schedlab_sim::Placement;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The figures of one run. Times in microseconds unless a name says more; all but the `first_`
/// ones are of the window.
#[derive(Clone, Debug, Deserialize)]
pub struct Figures {
    /// Begin and end of the window, seconds from the start of the first task.
    pub window_s: [f64; 2],
    /// From the last tick to the start of the first task.
    pub tick_phase_us: u64,
    /// Switches a second that involve a task of the workload.
    pub switches_per_s: f64,
    /// Switches to tasks outside the workload.
    pub other_switches_in: u64,
    /// The part of the CPUs' time without any task, of 1.
    pub idle_time_share: f64,
    /// By task; a child's name (`c0`) stands for all children of that number.
    pub tasks: BTreeMap<String, TaskFigures>,
    /// By kind of task (`t0..t7`); only in newer files.
    #[serde(default)]
    pub groups: BTreeMap<String, GroupFigures>,
    /// Where wake-ups went; only in newer files.
    pub wakeups: Option<Wakeups>,
    /// Changes of CPU; only in newer files.
    pub migrations: Option<Migrations>,
    /// An idle CPU beside a waiting task; only in newer files.
    pub work_conservation_gap: Option<Gap>,
    /// The same, idle CPUs that core scheduling forbids to the task left out.
    pub work_conservation_gap_usable: Option<Gap>,
    /// Idle time of each CPU; only in newer files.
    #[serde(default)]
    pub idle_us_per_cpu: Vec<u64>,
    /// Where new children were put; only where there are some.
    #[serde(default)]
    pub forks: BTreeMap<String, u64>,
    /// The first wake-ups: columns of `first_wakeups_columns`. Only in the first run.
    #[serde(default)]
    first_wakeups: Vec<Vec<Value>>,
    #[serde(default)]
    first_wakeups_columns: Vec<String>,
}

/// The figures of one task.
#[derive(Clone, Debug, Deserialize)]
pub struct TaskFigures {
    /// Whether it stands for forked children.
    #[serde(default)]
    pub child: bool,
    /// CPU time.
    pub runtime_us: u64,
    /// The same, of one CPU, of 1.
    pub share_of_cpu: f64,
    /// Times scheduled in.
    pub switches_in: u64,
    /// Times scheduled out while runnable.
    pub preempted: u64,
    /// Of them: for a task outside the workload, or because core scheduling forced the CPU idle.
    pub preempted_by_other_tasks: u64,
    /// Times scheduled out to sleep.
    pub voluntary: u64,
    /// Changes of CPU.
    pub migrations: u64,
    /// From wake-up to run.
    pub wake_delay_us: Delay,
    /// Every wait on a run queue; newer files have it by kind of task instead, beyond the first run.
    pub wait_us: Option<Delay>,
    /// Its run steps by CPU time; only in newer files.
    pub run_steps: Option<RunSteps>,
    core_forceidle_sum: Option<f64>,
    #[serde(default)]
    proc_sched_at_end: BTreeMap<String, f64>,
}

/// The run steps of a task that are measured by its CPU time, in the whole run.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct RunSteps {
    /// How many were done.
    pub n: u64,
    /// The sum of the lengths that were asked for.
    pub asked_us: u64,
    /// What they took beyond that: a step that starts more than its length late makes up for nothing.
    pub forgiven_us: u64,
}

/// The figures of all tasks of one kind.
#[derive(Clone, Debug, Deserialize)]
pub struct GroupFigures {
    /// How many tasks there are.
    pub tasks: u64,
    /// The mean of their shares of a CPU, of 1.
    pub share_of_cpu_mean: f64,
    /// From wake-up to run.
    pub wake_delay_us: Delay,
    /// Every wait on a run queue.
    pub wait_us: Delay,
}

/// A distribution of delays, microseconds; 0 where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Delay {
    /// How many.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// The median, nearest rank.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// Where wake-ups put their tasks.
#[derive(Clone, Debug, Deserialize)]
pub struct Wakeups {
    /// How many.
    pub n: u64,
    /// By place.
    #[serde(deserialize_with = "placement")]
    pub placement: Placement,
}

/// Changes of CPU.
#[derive(Clone, Debug, Deserialize)]
pub struct Migrations {
    /// All, a second.
    pub per_s: f64,
    /// By the choice of a CPU for a wake-up.
    pub at_wakeup: u64,
    /// All others.
    pub by_balance: u64,
    /// Those others, by who moved the task and in what state.
    #[serde(default)]
    pub balance_kinds: BTreeMap<String, u64>,
}

/// Intervals in which a CPU was idle while a task that may run there waited elsewhere.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Gap {
    /// How many.
    pub n: u64,
    /// Their sum.
    pub total_us: u64,
    /// The sum of min(idle CPUs, waiting tasks) over time.
    pub cpu_us: u64,
}

impl Figures {
    /// The length of the window, seconds.
    #[must_use]
    pub fn window_length_s(&self) -> f64 {
        self.window_s[1] - self.window_s[0]
    }

    /// Preemptions by tasks outside the workload. The files count a CPU that core scheduling forces
    /// idle there too; those are not more than the switches to such tasks.
    #[must_use]
    pub fn preempted_by_other_tasks(&self) -> u64 {
        self.tasks.values().map(|task| task.preempted_by_other_tasks).sum::<u64>().min(self.other_switches_in)
    }

    /// Switches a second without what tasks outside the workload add.
    #[must_use]
    pub fn own_switches_per_s(&self) -> f64 {
        self.switches_per_s - self.preempted_by_other_tasks() as f64 / self.window_length_s()
    }

    /// The CPU on which each task ran before its first wake-up, as far as the file says it. Older files
    /// name the waker's CPU only: of a task that its own timer wakes it is that on which it slept.
    pub(super) fn previous_cpus(&self) -> BTreeMap<String, u32> {
        let column = |name: &str| self.first_wakeups_columns.iter().position(|column| column == name);
        let (Some(cpu), Some(task)) = (column("previous cpu").or_else(|| column("cpu of the waker")), column("task"))
        else {
            return BTreeMap::new();
        };
        let mut previous = BTreeMap::new();
        for wakeup in &self.first_wakeups {
            let cpu = wakeup.get(cpu).and_then(Value::as_u64).and_then(|cpu| u32::try_from(cpu).ok());
            if let (Some(cpu), Some(task)) = (cpu, wakeup.get(task).and_then(Value::as_str)) {
                previous.entry(task.to_owned()).or_insert(cpu);
            }
        }
        previous
    }
}

impl TaskFigures {
    /// How much longer each run step really was than asked, nanoseconds.
    pub(super) fn step_excess_ns(&self) -> u64 {
        let steps = self.run_steps.filter(|steps| steps.n > 0);
        steps.map_or(0, |steps| steps.forgiven_us.saturating_mul(1000) / steps.n)
    }

    /// Time in which a sibling hardware thread was forced idle for it, its part, from its start to
    /// the end of the run, milliseconds; none where the kernel does not count it.
    #[must_use]
    pub fn forced_idle_ms(&self) -> Option<f64> {
        self.core_forceidle_sum.or_else(|| self.proc_sched_at_end.get("core_forceidle_sum").copied())
    }
}

/// The counts by place: `prev=waker`, `prev`, `waker`, `other`, each busy or idle, and two more.
fn placement<'d, D: Deserializer<'d>>(from: D) -> Result<Placement, D::Error> {
    let counts = BTreeMap::<String, u64>::deserialize(from)?;
    let count = |name: &str| counts.get(name).copied().unwrap_or(0);
    let states = |place: &str| [count(&format!("{place} busy")), count(&format!("{place} idle"))];
    let places = [states("prev=waker"), states("prev"), states("waker"), states("other")];
    Ok(Placement {
        wakeups: places.iter().flatten().sum(),
        previous_is_waker: places[0],
        previous: places[1],
        waker: places[2],
        other: places[3],
        busy_while_idle: count("busy chosen while an idle CPU existed"),
        previous_idle_not_chosen: count("previous CPU idle but not chosen"),
    })
}
