//! Wake-ups and forks: whether they preempt, and what protected or did not protect who ran.
//! Not for the pick that may follow.

use schedlab_sim::kernel::{Feature, Release, Tunable};
use schedlab_sim::{EntityView, Moment, MomentKind, Policy, QueueView, Reason, TaskId, Who};

use super::pick::{find, protection, relative};
use super::rule::{forks_wait, refusal_cuts};
use super::{Before, MomentWords, Names, Rule, tick};
use crate::text::duration;

/// The running and the woken entity where they stand in one queue (§4.16).
struct Pair<'a> {
    queue: &'a QueueView,
    running: &'a EntityView,
    woken: &'a EntityView,
}

impl<'a> Pair<'a> {
    fn of(queues: &'a [QueueView], task: TaskId) -> Option<Self> {
        (0..queues.len()).rev().find_map(|level| {
            let queue = &queues[level];
            let running = queue.entities.iter().find(|entity| entity.running)?;
            let below = queues.get(level + 1).and_then(|below| below.group);
            let woken = find(queue, below.map_or(Who::Task(task), Who::Group))?;
            Some(Self { queue, running, woken })
        })
    }

    fn is_short(&self, names: &Names) -> bool {
        names.has(Feature::PreemptShort) && self.woken.slice_ns < self.running.slice_ns
    }
}

pub(super) fn words(moment: &Moment, before: &Before, names: &Names) -> MomentWords {
    let MomentKind::Wakeup { task, running, fork, request } = moment.kind else { return MomentWords::default() };
    let mut words = MomentWords::new(if fork { "fork" } else { "wake-up" }, request);
    words.prev = running.map(|task| names.task(task).to_owned());
    let came = format!("{} {}", names.task(task), if fork { "was forked" } else { "woke" });
    let Some(running) = running else {
        words.say(match request {
            Some(_) => format!("{came} on an idle CPU, which asks for it at once."),
            None => format!("{came} on an idle CPU, for which a reschedule was already requested."),
        });
        words.rule(Rule::of_reason(Reason::IdleCpu, names.release()));
        return words;
    };
    words.say(format!("{came} while {} ran.", names.task(running)));
    words.rule(Rule::of_wakeup_check(names.release()));
    let pair = Pair::of(&moment.queues, task);
    match (request, &pair) {
        (Some(Reason::WakeupVruntime), Some(pair)) => by_vruntime(&mut words, pair, names),
        (Some(Reason::WakeupIdlePolicy), Some(pair)) => words.say(format!(
            "{} gives way to everybody (SCHED_IDLE) and {} does not, so it is preempted.",
            names.who(pair.running.who),
            names.who(pair.woken.who)
        )),
        (Some(Reason::WakeupDeadline), Some(pair)) => by_deadline(&mut words, pair, names),
        (Some(Reason::WakeupShort), Some(pair)) => by_short_slice(&mut words, pair, names),
        (Some(Reason::HigherClass), _) => words.say(format!(
            "{} is of a higher class than {}, so it preempts.",
            names.task(task),
            names.task(running)
        )),
        (Some(reason), _) => {
            words.say(format!("That alone does not preempt, but {} was charged with it.", names.task(running)));
            tick::found(&mut words, "The charge", running, reason, &moment.queues, names);
        }
        (None, _) => refusal(&mut words, task, running, fork, before, pair.as_ref(), &moment.queues, names),
    }
    words
}

fn by_vruntime(words: &mut MomentWords, pair: &Pair<'_>, names: &Names) {
    let (running, woken) = (names.who(pair.running.who), names.who(pair.woken.who));
    words.say(format!(
        "The vruntime of {running} is {} ahead of that of {woken}, more than the wake-up granularity of {}, so {woken} \
         preempts it and is marked as the next buddy.",
        duration(ahead(pair) as f64),
        duration(granularity(pair, names))
    ));
}

fn ahead(pair: &Pair<'_>) -> i64 {
    pair.running.vruntime_rel_ns - pair.woken.vruntime_rel_ns
}

/// CFS: the wake-up granularity in the woken one's virtual time, nanoseconds.
fn granularity(pair: &Pair<'_>, names: &Names) -> f64 {
    names.kernel.tunable(Tunable::WakeupGranularity) as f64 * 1024.0 / pair.woken.weight.max(1) as f64
}

fn by_deadline(words: &mut MomentWords, pair: &Pair<'_>, names: &Names) {
    let (running, woken) = (names.who(pair.running.who), names.who(pair.woken.who));
    let deadline = relative(pair.woken.deadline_rel_ns.unwrap_or(0), names);
    words.say(format!(
        "{woken} is eligible and has the earliest deadline, {deadline}, and {}, so {woken} preempts.",
        bare(pair.running, running, names)
    ));
    words.rule(Rule::of_protection("only an eligible running task is protected", names.release()));
}

/// Why nothing protects the running one.
fn bare(entity: &EntityView, name: &str, names: &Names) -> String {
    if entity.eligible == Some(false) {
        let ahead = duration(entity.vruntime_rel_ns.max(0) as f64);
        format!("{name} is not protected, being {ahead} ahead of V and not eligible")
    } else if names.release() == Release::EevdfRfc {
        format!("nothing protects {name} in this series")
    } else if !names.has(Feature::RunToParity) && names.release() < Release::V6_18 {
        format!("{name} is not protected, as RUN_TO_PARITY is off")
    } else if names.release() >= Release::V6_18 {
        format!("the protection of {name} had ended")
    } else {
        format!("{name} is not protected, having kept the CPU since its deadline was renewed")
    }
}

fn by_short_slice(words: &mut MomentWords, pair: &Pair<'_>, names: &Names) {
    let (running, woken) = (names.who(pair.running.who), names.who(pair.woken.who));
    words.say(format!(
        "The slice of {woken}, {}, is shorter than that of {running}, {}, so its protection does not hold \
         (PREEMPT_SHORT).",
        duration(pair.woken.slice_ns as f64),
        duration(pair.running.slice_ns as f64)
    ));
    let earliest = first_eligible(pair).is_some_and(|first| first.who == pair.woken.who);
    words.say(if earliest {
        format!("{woken} is eligible and has the earliest deadline, so it preempts.")
    } else {
        format!("{woken} is eligible, so it preempts.")
    });
    words.rule(Rule::of_short(names.release()));
}

/// The eligible entity with the earliest deadline.
fn first_eligible<'a>(pair: &Pair<'a>) -> Option<&'a EntityView> {
    let eligible = pair.queue.entities.iter().filter(|entity| entity.eligible == Some(true));
    eligible.min_by_key(|entity| entity.deadline_rel_ns)
}

#[allow(clippy::too_many_arguments, reason = "all that a refusal may come from")]
fn refusal(
    words: &mut MomentWords,
    task: TaskId,
    running: TaskId,
    fork: bool,
    before: &Before,
    pair: Option<&Pair<'_>>,
    queues: &[QueueView],
    names: &Names,
) {
    let name = names.task(task);
    if before.request.is_some() {
        words.say("A reschedule was already requested, so it need not preempt.");
        return;
    }
    let view = queues.last().and_then(|queue| find(queue, Who::Task(task)));
    let Some(view) = view else {
        words.say(format!("{name} waits: {} has at least its priority.", names.task(running)));
        return;
    };
    let Some(pair) = pair else {
        let held = queues
            .windows(2)
            .find(|levels| levels[1].group.is_some_and(|group| find(&levels[0], Who::Group(group)).is_none()));
        words.say(match held.and_then(|levels| levels[1].group) {
            Some(group) => format!("{name} stands in {}, which is throttled, and preempts nobody.", names.group(group)),
            None => format!("{} is of a higher class, so {name} waits.", names.task(running)),
        });
        return;
    };
    if !names.has(Feature::WakeupPreemption) {
        words.say("WAKEUP_PREEMPTION is off: nobody is preempted by a wake-up.");
    } else if pair.woken.idle && !pair.running.idle {
        words.say(format!("{} gives way to everybody (SCHED_IDLE), so it preempts nobody.", names.who(pair.woken.who)));
    } else if matches!(view.policy, Some(Policy::Batch | Policy::Idle)) {
        let policy = if view.policy == Some(Policy::Batch) { "SCHED_BATCH" } else { "SCHED_IDLE" };
        words.say(format!("{name} is {policy}: its wake-ups preempt nobody."));
    } else if names.is_cfs() {
        not_far_enough(words, pair, names);
    } else if fork && forks_wait(names.release()) && !pair.is_short(names) {
        words.say("A fork does not preempt in this release unless its slice is shorter.");
    } else {
        not_found(words, pair, names);
    }
    cut(words, pair, fork, names);
}

fn not_far_enough(words: &mut MomentWords, pair: &Pair<'_>, names: &Names) {
    let (running, woken) = (names.who(pair.running.who), names.who(pair.woken.who));
    let ahead = ahead(pair);
    words.say(if ahead > 0 {
        format!(
            "The vruntime of {running} is {} ahead of that of {woken}, no more than the wake-up granularity of {}, so \
             {woken} waits.",
            duration(ahead as f64),
            duration(granularity(pair, names))
        )
    } else {
        format!("The vruntime of {running} is not ahead of that of {woken}, so {woken} waits.")
    });
}

/// EEVDF: why the search did not answer the woken one.
fn not_found(words: &mut MomentWords, pair: &Pair<'_>, names: &Names) {
    let (running, woken) = (names.who(pair.running.who), names.who(pair.woken.who));
    let (ran, came) = (pair.running, pair.woken);
    if came.eligible == Some(false) {
        words.say(format!(
            "{woken} is not eligible (its vruntime is {} ahead of V), so it waits.",
            duration(came.vruntime_rel_ns as f64)
        ));
        return;
    }
    let short = pair.is_short(names);
    if ran.eligible == Some(true) && ran.protected == Some(true) && !(short && names.release() >= Release::V6_18) {
        words.say(format!("{running} is eligible and protected{}, so {woken} waits.", protection(ran, names)));
        words.rule(Rule::of_protection("the running one, while it is eligible and protected", names.release()));
        if short {
            words.say(format!(
                "The slice of {woken} is shorter, but its deadline is not earlier than that of {running}, so \
                 PREEMPT_SHORT does not act."
            ));
            words.rule(Rule::of_short(names.release()));
        }
        return;
    }
    match first_eligible(pair) {
        Some(first) if first.who != came.who => words.say(format!(
            "{} is eligible and has an earlier deadline, {} against {}, so {woken} waits.",
            names.who(first.who),
            relative(first.deadline_rel_ns.unwrap_or(0), names),
            relative(came.deadline_rel_ns.unwrap_or(0), names)
        )),
        _ => words.say(format!("A pick would not choose {woken} now, so it waits.")),
    }
}

/// From 6.18 a refused wake-up may cut the protection.
fn cut(words: &mut MomentWords, pair: &Pair<'_>, fork: bool, names: &Names) {
    let short = pair.is_short(names);
    let stopped = fork && !short && forks_wait(names.release()) && names.release() < Release::V7_3;
    if names.is_cfs()
        || stopped
        || !refusal_cuts(names.release(), short)
        || !names.has(Feature::RunToParity)
        || !names.has(Feature::WakeupPreemption)
    {
        return;
    }
    if let Some(until) = pair.running.protected_until_rel_ns {
        let running = names.who(pair.running.who);
        words.say(format!(
            "The protection of {running} is cut to one smallest slice from now, vruntime {}, if it was longer.",
            relative(until, names)
        ));
        words.rule(Rule::of_cut());
    }
}
