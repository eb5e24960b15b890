//! How the scheduling of a task changes from phase to phase: policy, nice value, slice, group, CPUs.
//! A phase changes only what it names, so what it leaves a task with depends on what was before.

use schedlab_sim::kernel::Release;
use schedlab_sim::{GroupId, Policy as SimPolicy, Step};

use crate::problem::Problem;
use crate::workload::{Action, Amount, Attributes, Loops, Phase, Policy, Task};

use super::affinity::{self, Cpus};
use super::groups::Groups;
use super::names::PhasePath;
use super::policies::{self, At};
use super::program::Compiler;

/// The shortest and the longest slice of its own that a task can have (scheduler-model §4.7).
pub(super) const SLICE_US: std::ops::RangeInclusive<u64> = 100..=100_000;
/// rt-app's real-time priority where none is named.
const DEFAULT_RT_PRIORITY: u8 = 10;

/// The scheduling of a task at one point of its program. What another policy would take is kept for
/// when it comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State<'w> {
    pub policy: Policy,
    pub nice: i8,
    rt_priority: u8,
    slice_us: Option<u64>,
    pub deadline: DeadlineTimes,
    pub group: Option<GroupId>,
    /// The CPUs it asked for; none: all.
    pub cpus: Option<&'w [u32]>,
}

/// The times of SCHED_DEADLINE as far as they were named, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeadlineTimes {
    pub runtime_us: Option<u64>,
    deadline_us: Option<u64>,
    period_us: Option<u64>,
}

/// What the engine knows of a task's scheduling, its group apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scheduling {
    pub policy: SimPolicy,
    pub nice: i8,
    pub slice_ns: Option<u64>,
}

/// What changes when a phase begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Change<'w> {
    scheduling: Option<Scheduling>,
    /// The new group; none within: the root.
    group: Option<Option<GroupId>>,
    /// The CPUs it may use from then on, if others.
    cpus: Option<Cpus>,
    /// The CPUs the task asked for, where `move` events of the phase go by them.
    pub asked: Option<&'w [u32]>,
}

/// A task's way through its phases.
pub(super) struct Flow<'w> {
    /// The state before each phase, round by round; the last is that of all later rounds.
    pub before: Vec<Vec<State<'w>>>,
    /// What each phase changes, round by round; the last goes for all later rounds.
    pub rounds: Vec<Vec<Change<'w>>>,
}

/// What the meaning of attributes depends on.
#[derive(Clone, Copy)]
pub(super) struct Context<'g> {
    pub release: Release,
    pub groups: &'g Groups<'g>,
}

impl DeadlineTimes {
    /// Budget, deadline and period, microseconds, with their defaults.
    pub fn all(self) -> (u64, u64, u64) {
        let runtime = self.runtime_us.unwrap_or(0);
        let period = self.period_us.unwrap_or(runtime);
        (runtime, self.deadline_us.unwrap_or(period), period)
    }
}

impl<'w> State<'w> {
    /// What a phase or task makes of it. Values out of range are left out: they were told.
    pub fn with(self, attributes: &'w Attributes, context: Context<'_>) -> Self {
        let mut state = Self { policy: attributes.policy.unwrap_or(self.policy), ..self };
        match state.policy {
            Policy::Other | Policy::Batch => {
                state.nice = attributes.priority.and_then(nice_value).unwrap_or(self.nice);
                state.slice_us = match attributes.slice_us().filter(|_| has_custom_slices(context.release)) {
                    Some(0) => None,
                    Some(slice) => Some(slice.clamp(*SLICE_US.start(), *SLICE_US.end())),
                    None => self.slice_us,
                };
            }
            Policy::Fifo | Policy::RoundRobin => {
                state.rt_priority = attributes.priority.and_then(rt_priority).unwrap_or(self.rt_priority);
            }
            Policy::Idle | Policy::Deadline => {}
        }
        state.deadline = DeadlineTimes {
            runtime_us: attributes.dl_runtime_us.or(self.deadline.runtime_us),
            deadline_us: attributes.dl_deadline_us.or(self.deadline.deadline_us),
            period_us: attributes.dl_period_us.or(self.deadline.period_us),
        };
        if let Some(path) = &attributes.taskgroup {
            state.group = context.groups.id(path);
        }
        state.cpus = attributes.cpus.as_deref().or(self.cpus);
        state
    }

    /// The state after a phase: its attributes, then its `nice` and `move` events.
    fn after(self, phase: &'w Phase, context: Context<'_>) -> Self {
        let mut state = self.with(&phase.attributes, context);
        for event in &phase.events {
            match &event.action {
                Action::Nice(nice) => state.nice = *nice,
                Action::Move(path) => state.group = context.groups.id(path),
                _ => {}
            }
        }
        state
    }

    /// The scheduling as the engine takes it.
    pub fn scheduling(self) -> Scheduling {
        let ns = |us: u64| us.saturating_mul(1000);
        let policy = match self.policy {
            Policy::Other => SimPolicy::Normal,
            Policy::Batch => SimPolicy::Batch,
            Policy::Idle => SimPolicy::Idle,
            Policy::Fifo => SimPolicy::Fifo { priority: self.rt_priority },
            Policy::RoundRobin => SimPolicy::RoundRobin { priority: self.rt_priority },
            Policy::Deadline => {
                let (runtime, deadline, period) = self.deadline.all();
                SimPolicy::Deadline { runtime_ns: ns(runtime), deadline_ns: ns(deadline), period_ns: ns(period) }
            }
        };
        let slice_ns = self.slice_us.filter(|_| matches!(self.policy, Policy::Other | Policy::Batch)).map(ns);
        Scheduling { policy, nice: self.nice, slice_ns }
    }
}

impl<'w> Change<'w> {
    /// What changes at the start of a phase.
    fn at(phase: &'w Phase, before: State<'w>, context: Context<'_>) -> Self {
        let after = before.with(&phase.attributes, context);
        let (old, new) = (before.scheduling(), after.scheduling());
        let allowed = |state: State<'_>| context.groups.allowed(state.group, state.cpus);
        let cpus = allowed(after);
        let moves = phase.events.iter().any(|event| matches!(event.action, Action::Move(_)));
        Self {
            scheduling: (old != new).then_some(new),
            group: (before.group != after.group).then_some(after.group),
            cpus: (allowed(before) != cpus).then_some(cpus),
            asked: after.cpus.filter(|_| moves && context.groups.limit_cpus()),
        }
    }

    /// The steps that make it.
    pub fn steps(&self) -> impl Iterator<Item = Step> + use<'_, 'w> {
        let attributes = self.scheduling.map(|new| {
            let Scheduling { policy, nice, slice_ns } = new;
            Step::Attributes { policy, nice, slice_ns }
        });
        attributes.into_iter().chain(self.group.map(Step::Move)).chain(self.cpus.clone().map(Step::Affinity))
    }
}

impl<'w> Flow<'w> {
    /// Follows the state through the phases, until a round begins as the one before did: a round
    /// names the same things each time, so that is soon.
    pub fn of(initial: State<'w>, task: &'w Task, context: Context<'_>) -> Self {
        let (mut before, mut rounds) = (Vec::new(), Vec::new());
        let mut state = initial;
        loop {
            let start = state;
            let mut states = Vec::with_capacity(task.phases.len());
            let mut changes = Vec::with_capacity(task.phases.len());
            for phase in &task.phases {
                states.push(state);
                if phase.loops == Loops::Times(0) {
                    changes.push(Change::default());
                } else {
                    changes.push(Change::at(phase, state, context));
                    state = state.after(phase, context);
                }
            }
            before.push(states);
            rounds.push(changes);
            if state == start {
                break;
            }
        }
        let endless = task.phases.iter().any(|phase| phase.loops == Loops::Forever);
        let most = match task.loops {
            _ if endless => 1,
            Loops::Times(times) => usize::try_from(times).unwrap_or(usize::MAX).max(1),
            Loops::Forever => usize::MAX,
        };
        before.truncate(most);
        rounds.truncate(most);
        while let [.., earlier, last] = rounds.as_slice()
            && earlier == last
        {
            rounds.pop();
        }
        Self { before, rounds }
    }
}

pub(super) fn nice_value(priority: i32) -> Option<i8> {
    i8::try_from(priority).ok().filter(|nice| (-20..=19).contains(nice))
}

pub(super) fn rt_priority(priority: i32) -> Option<u8> {
    u8::try_from(priority).ok().filter(|priority| (1..=99).contains(priority))
}

/// Custom slices came with 6.12 (scheduler-model §2).
pub(super) fn has_custom_slices(release: Release) -> bool {
    release >= Release::V6_12
}

impl<'s> Compiler<'s> {
    /// The scheduling a task starts with.
    pub(super) fn initial(&self, task: &'s Task, path: &str, found: &mut Vec<Problem>) -> State<'s> {
        let policy = self.scenario.workload.global.default_policy.unwrap_or_default();
        let default = State {
            policy,
            nice: 0,
            rt_priority: DEFAULT_RT_PRIORITY,
            slice_us: None,
            deadline: DeadlineTimes::default(),
            group: None,
            cpus: None,
        };
        let mut state = default.with(&task.attributes, self.context());
        if state.policy == Policy::Deadline && state.deadline.runtime_us.is_none() && task.is_inline() {
            state.deadline.runtime_us = self.old_budget(task, path, found);
        }
        let at = At { path, release: self.context().release, first: true };
        policies::check(&task.attributes, state, at, found);
        found.extend(affinity::check(&task.attributes, state, self.context().groups, path));
        state
    }

    /// Beside events, rt-app reads `runtime` twice: as the event and as the old spelling of
    /// `dl-runtime`.
    fn old_budget(&self, task: &Task, path: &str, found: &mut Vec<Problem>) -> Option<u64> {
        let runtime_us = task.phases.iter().flat_map(|phase| &phase.events).find_map(|event| match event.action {
            Action::Runtime(Amount::Fixed(us)) if event.key == "runtime" => Some(us),
            _ => None,
        })?;
        let message = "`runtime` is the event and the old spelling of `dl-runtime` here, as in rt-app";
        found.push(Problem::notice(format!("{path}.runtime"), message));
        Some(runtime_us)
    }

    /// Tells of what is wrong or odd in the attributes of a phase, in any round.
    pub(super) fn check_phase(
        &self,
        phase: &Phase,
        index: usize,
        flow: &Flow<'_>,
        path: &PhasePath<'_>,
        found: &mut Vec<Problem>,
    ) {
        let mut own = Vec::new();
        for before in flow.before.iter().filter_map(|round| round.get(index)) {
            let at = At { path: &path.path, release: self.context().release, first: false };
            let mut told = Vec::new();
            let state = before.with(&phase.attributes, self.context());
            policies::check(&phase.attributes, state, at, &mut told);
            if phase.attributes.cpus.is_some() || phase.attributes.taskgroup.is_some() {
                told.extend(affinity::check(&phase.attributes, state, self.context().groups, &path.path));
            }
            affinity::check_moves(phase, state.cpus, self.context().groups, path, &mut told);
            told.retain(|problem| !own.contains(problem));
            own.append(&mut told);
        }
        found.append(&mut own);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compile::names::Paths;
    use crate::document::{Group, GroupPath, Scenario};
    use crate::workload::Event;

    fn attributes() -> impl Strategy<Value = Attributes> {
        let policy = prop::option::of(prop::sample::select(Policy::ALL.to_vec()));
        let priority = prop::option::of(1..=3);
        let time = || prop::option::of(0_u64..400);
        let group = prop::option::of(prop::sample::select(vec!["/", "/a", "/b"]));
        let cpus = prop::option::of(prop::sample::subsequence(vec![0, 1, 2], 1..=3));
        (policy, priority, time(), time(), group, cpus).prop_map(
            |(policy, priority, slice_us, dl_runtime_us, group, cpus)| {
                let taskgroup = group.and_then(|path| GroupPath::parse(path).ok());
                Attributes { policy, priority, slice_us, dl_runtime_us, taskgroup, cpus, ..Attributes::default() }
            },
        )
    }

    fn phase() -> impl Strategy<Value = Phase> {
        let action = prop_oneof![
            Just(Action::Yield),
            (1_i8..4).prop_map(Action::Nice),
            Just(Action::Move(GroupPath::root())),
            Just(Action::Move(GroupPath::parse("/a").unwrap_or(GroupPath::root()))),
        ];
        (attributes(), 0_u64..3, action).prop_map(|(attributes, times, action)| Phase {
            attributes,
            loops: Loops::Times(times),
            ..Phase::unnamed(vec![Event::new(action)])
        })
    }

    proptest! {
        /// What the rounds say, the last for ever, leads to what the phases say, and no change is
        /// one to what is there already.
        #[test]
        fn rounds_follow_the_phases(start in attributes(), phases in prop::collection::vec(phase(), 1..5)) {
            let group = |path| Group::new(GroupPath::parse(path).unwrap_or(GroupPath::root()));
            let limited = Group { cpus: Some(vec![0, 1]), ..group("/a") };
            let mut scenario = Scenario { groups: vec![limited, group("/b")], ..Scenario::default() };
            scenario.machine.cores_per_llc = 3;
            let groups = Groups::of(&scenario, &Paths::of(&scenario.workload), 0, &mut Vec::new());
            let context = Context { release: Release::V6_12, groups: &groups };
            let mut task = Task::new("a", Vec::new());
            task.phases = phases;
            let default = State {
                policy: Policy::Other,
                nice: 0,
                rt_priority: DEFAULT_RT_PRIORITY,
                slice_us: None,
                deadline: DeadlineTimes::default(),
                group: None,
                cpus: None,
            };
            let allowed = |state: State<'_>| groups.allowed(state.group, state.cpus);
            let mut state = default.with(&start, context);
            let flow = Flow::of(state, &task, context);
            prop_assert!(flow.rounds.len() <= 4, "{} rounds", flow.rounds.len());
            for round in 0..8 {
                let changes = flow.rounds.get(round).or(flow.rounds.last()).cloned().unwrap_or_default();
                for (phase, change) in task.phases.iter().zip(changes) {
                    if phase.loops == Loops::Times(0) {
                        prop_assert_eq!(change, Change::default());
                        continue;
                    }
                    let before = (state.scheduling(), state.group, allowed(state));
                    let at_start = state.with(&phase.attributes, context);
                    prop_assert!(change.scheduling != Some(before.0) && change.group != Some(before.1));
                    prop_assert!(change.cpus.as_ref() != Some(&before.2));
                    let cpus = change.cpus.unwrap_or(before.2);
                    let led_to = (change.scheduling.unwrap_or(before.0), change.group.unwrap_or(before.1), cpus);
                    prop_assert_eq!(led_to, (at_start.scheduling(), at_start.group, allowed(at_start)), "round {}", round);
                    if phase.events.iter().any(|event| matches!(event.action, Action::Move(_))) {
                        prop_assert_eq!(change.asked, at_start.cpus);
                    }
                    state = state.after(phase, context);
                }
            }
        }
    }
}
