//! What was decided at an instant, in sentences and tables: the answer of `schedlab explain`, and
//! what the page's inspector shows. Not for printing it: [`crate::text::explanation`] does that.
//!
//! The engine gives the moments of an instant with the queues that each saw
//! ([`schedlab_sim::Moment`]); here they become words. Nothing is decided anew: where a sentence
//! says why, it reads that from the queue as it stood.

mod pick;
mod queue;
mod rule;
mod schedule;
#[cfg(test)]
mod tests;
mod tick;
mod wakeup;

use schedlab_sim::kernel::{Class, Feature, Kernel, Release};
use schedlab_sim::{GroupId, Input, Moment, MomentKind, Reason, Run, TaskId, Who};
use serde::{Deserialize, Serialize};

pub use queue::{EntityRow, QueueTable};
pub use rule::Rule;

/// What an explanation must know beside the moments.
#[derive(Clone, Debug)]
pub struct Names {
    /// The kernel, with its flags and tunables.
    pub kernel: Kernel,
    /// The names of the tasks, forked ones included.
    pub tasks: Vec<String>,
    /// The paths of the groups; the root is not among them.
    pub groups: Vec<String>,
}

impl Names {
    /// The kernel and the groups of an input; take them before it goes to the engine. Its tasks are
    /// known too, as far as no forked one is asked for ([`Names::with_tasks_of`]).
    #[must_use]
    pub fn of(input: &Input) -> Self {
        Self {
            kernel: input.kernel.clone(),
            tasks: input.tasks.iter().map(|task| task.name.clone()).collect(),
            groups: input.groups.iter().map(|group| group.path.clone()).collect(),
        }
    }

    /// The same with all tasks of a run, forked ones included.
    #[must_use]
    pub fn with_tasks_of(self, run: &Run) -> Self {
        Self { tasks: run.tasks.iter().map(|task| task.name.clone()).collect(), ..self }
    }

    fn task(&self, task: TaskId) -> &str {
        self.tasks.get(task.0 as usize).map_or("?", String::as_str)
    }

    fn group(&self, group: GroupId) -> &str {
        self.groups.get(group.0 as usize).map_or("?", String::as_str)
    }

    fn who(&self, who: Who) -> &str {
        match who {
            Who::Task(task) => self.task(task),
            Who::Group(group) => self.group(group),
        }
    }

    fn release(&self) -> Release {
        self.kernel.release()
    }

    fn is_cfs(&self) -> bool {
        self.release().class() == Class::Cfs
    }

    fn has(&self, feature: Feature) -> bool {
        self.kernel.has(feature)
    }

    /// What virtual times are told against.
    fn origin(&self) -> &'static str {
        if self.is_cfs() { "min_vruntime" } else { "V" }
    }
}

/// Everything that happened at an instant, in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The variant's name; empty where there is one only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The release.
    pub release: String,
    /// `CFS` or `EEVDF`.
    pub class: String,
    /// The CPU.
    pub cpu: u32,
    /// The instant, nanoseconds.
    pub at_ns: u64,
    /// What happened then, in order.
    pub moments: Vec<MomentWords>,
}

/// One step of an instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MomentWords {
    /// What it was: `schedule`, `wake-up`, `fork`, `tick`, `slice-timer` or `period`.
    pub what: String,
    /// The reason in outputs such as `deadline`: why schedule() was entered, or the request that
    /// came of a tick or a wake-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who ran before; none: the idle thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// schedule(): who runs from now on; none: the idle thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What happened and why.
    pub sentences: Vec<String>,
    /// The rules behind it.
    pub rules: Vec<Rule>,
    /// The queues that it saw, from the root's down.
    pub queues: Vec<QueueTable>,
}

impl MomentWords {
    fn new(what: &str, reason: Option<Reason>) -> Self {
        Self { what: what.to_owned(), reason: reason.map(|reason| reason.name().to_owned()), ..Self::default() }
    }

    fn say(&mut self, sentence: impl Into<String>) {
        self.sentences.push(sentence.into());
    }

    /// Adds a rule unless it is there already.
    fn rule(&mut self, rule: Rule) {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }
}

/// Puts the moments of one instant into words.
///
/// ```
/// use schedlab_report::{Names, explanation};
/// use schedlab_sim::{Checkpoints, Limit, Simulation};
///
/// let text = r#"{"tasks": {"a": {"instance": 2, "loop": -1, "run": 50000}}}"#;
/// let scenario = schedlab_scenario::open(text).map_err(|problems| problems[0].clone())?.scenario;
/// let variant = scenario.variant(1).map_err(|problems| problems[0].clone())?;
/// let prepared = variant.scenario.prepare(0).map_err(|problems| problems[0].clone())?;
/// let names = Names::of(&prepared.input);
/// let mut simulation = Simulation::new(prepared.input)?;
/// let mut checkpoints = Checkpoints::new(&simulation);
/// checkpoints.run_until(&mut simulation, Limit::end())?;
///
/// let words = explanation(&checkpoints.explain(500_000_000)?, &names, 0);
/// assert!(words.at_ns <= 500_000_000);
/// assert!(words.moments.iter().any(|moment| moment.what == "schedule"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn explanation(moments: &[Moment], names: &Names, cpu: u32) -> Explanation {
    let words = moments.iter().enumerate().map(|(index, moment)| {
        let before = Before::of(&moments[..index]);
        let mut words = one(moment, &before, names);
        words.queues = moment.queues.iter().map(|queue| QueueTable::of(queue, names)).collect();
        words
    });
    Explanation {
        name: String::new(),
        release: names.release().name().to_owned(),
        class: names.release().class().name().to_owned(),
        cpu,
        at_ns: moments.first().map_or(0, |moment| moment.at_ns),
        moments: words.collect(),
    }
}

/// What the same instant had seen before a moment, since schedule() was last entered.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    /// A request waits, which was told already.
    request: Option<Reason>,
}

impl Before {
    fn of(moments: &[Moment]) -> Self {
        let request = |moment: &Moment| match moment.kind {
            MomentKind::Wakeup { request, .. } | MomentKind::Tick { request, .. } => request,
            MomentKind::SliceTimer { running } => running.map(|_| Reason::SliceTimer),
            MomentKind::Schedule { .. } | MomentKind::Period { .. } => None,
        };
        let since = moments.iter().rev().take_while(|moment| !matches!(moment.kind, MomentKind::Schedule { .. }));
        Self { request: since.filter_map(request).last() }
    }
}

fn one(moment: &Moment, before: &Before, names: &Names) -> MomentWords {
    match &moment.kind {
        MomentKind::Schedule { .. } => schedule::words(moment, before, names),
        MomentKind::Wakeup { .. } => wakeup::words(moment, before, names),
        MomentKind::Tick { running, request } => tick::words(*running, *request, &moment.queues, names),
        MomentKind::SliceTimer { running } => slice_timer(*running, names),
        MomentKind::Period { group, throttled } => period(*group, *throttled, names),
    }
}

fn slice_timer(running: Option<TaskId>, names: &Names) -> MomentWords {
    let mut words = MomentWords::new("slice-timer", running.map(|_| Reason::SliceTimer));
    words.prev = running.map(|task| names.task(task).to_owned());
    words.say(match running {
        Some(task) => format!("The slice timer fired: the slice of {} ends here, not at a tick.", names.task(task)),
        None => "The slice timer fired on the idle CPU: nothing comes of it.".to_owned(),
    });
    words.rule(Rule::of_reason(Reason::SliceTimer, names.release()));
    words
}

fn period(group: GroupId, throttled: bool, names: &Names) -> MomentWords {
    let mut words = MomentWords::new("period", None);
    let group = names.group(group);
    words.say(if throttled {
        format!("A period of {group} ended: its new run time does not cover its debt, and it stays throttled.")
    } else {
        format!("A period of {group} ended: it has run time again.")
    });
    words.rule(Rule::new("each period refills a group's run time", "§4.18", "do_sched_cfs_period_timer"));
    words
}
