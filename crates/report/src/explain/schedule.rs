//! schedule(): why it was entered, whom it picked, and who has the CPU after it.
//! Not for wake-ups and ticks, which only ask for it.

use schedlab_sim::kernel::CoreScheduling;
use schedlab_sim::{EntityView, GroupId, Moment, MomentKind, QueueView, Reason, TaskId, Who};

use super::rule::forfeits_at_yield;
use super::{Before, MomentWords, Names, Rule, pick, tick};
use crate::text::duration;

pub(super) fn words(moment: &Moment, before: &Before, names: &Names) -> MomentWords {
    let MomentKind::Schedule { prev, next, reason, delayed, ref finished, ref throttled } = moment.kind else {
        return MomentWords::default();
    };
    let mut words = MomentWords::new("schedule", Some(reason));
    words.prev = prev.map(|task| names.task(task).to_owned());
    words.next = next.map(|task| names.task(task).to_owned());
    match (prev, reason) {
        (Some(task), Reason::Block) => block(&mut words, task, delayed, &moment.queues, names),
        (Some(task), Reason::Exit) => {
            words.say(format!("{} ended.", names.task(task)));
            words.rule(Rule::of_reason(reason, names.release()));
        }
        (Some(task), Reason::Yield) => yielded(&mut words, task, &moment.queues, names),
        // A tick or a wake-up at this instant has told it already.
        _ if before.request == Some(reason) => {}
        (Some(_), reason) if is_of_several_cpus(reason) => {
            words.say(reason.sentence());
            words.rule(Rule::of_reason(reason, names.release()));
        }
        (Some(task), _) => tick::found(&mut words, "The charge", task, reason, &moment.queues, names),
        (None, _) => {
            words.say(reason.sentence());
            words.rule(Rule::of_reason(reason, names.release()));
        }
    }
    if let (Some(task), Reason::Nice | Reason::GroupMove) = (prev, reason) {
        words.sentences.clear();
        let what = if reason == Reason::Nice { "made its nice value worse" } else { "moved to another group" };
        words.say(format!("{} {what}, which requests a reschedule.", names.task(task)));
    }
    throttle(&mut words, throttled, names);
    finish(&mut words, finished, names);
    let chosen = moment.queues.last().and_then(|queue| queue.picked).map(|(who, _)| who);
    if chosen == next.map(Who::Task) {
        pick::say(&mut words, &moment.queues, names);
    } else if let Some(next) = next.filter(|next| of_the_core(reason, *next, &moment.queues, names)) {
        words.say(format!("The pick for the whole core chose {} for this thread.", names.task(next)));
        words.rule(Rule::of_reason(Reason::CoreWidePick, names.release()));
    } else if let Some(next) = next {
        words.say(format!("{} is of a higher class, which comes before every fair task.", names.task(next)));
        words.rule(Rule::new("higher classes come before the fair class", "§1.3", "__pick_next_task"));
    }
    let waiting = waiting(&moment.queues);
    let sentence = match (prev, next) {
        (Some(prev), Some(next)) if prev == next => format!("{} keeps the CPU.", names.task(next)),
        (_, Some(next)) => format!("{} takes the CPU.", names.task(next)),
        (_, None) if waiting.is_empty() => "Nobody is left: the CPU goes idle.".to_owned(),
        (_, None) => {
            words.rule(Rule::of_reason(Reason::ForcedIdle, names.release()));
            let waiting: Vec<&str> = waiting.into_iter().map(|who| names.who(who)).collect();
            let waits = if waiting.len() == 1 { "waits" } else { "wait" };
            format!("{} {waits} here, but the core runs another cookie: the CPU is forced idle.", pick::list(&waiting))
        }
    };
    words.say(sentence);
    words
}

/// Reasons that one CPU alone does not have.
const fn is_of_several_cpus(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Migration
            | Reason::CoreWidePick
            | Reason::ForcedIdle
            | Reason::CookieSteal
            | Reason::ForcedIdleTick
            | Reason::CookieChange
            | Reason::Affinity
    )
}

/// Whether a fair task got the CPU that the queue alone would not have chosen: core scheduling
/// picks for all threads of a core.
fn of_the_core(reason: Reason, next: TaskId, queues: &[QueueView], names: &Names) -> bool {
    if matches!(reason, Reason::CoreWidePick | Reason::CookieSteal) || entity(queues, next).is_some() {
        return true;
    }
    // In a group that the queue would not have chosen: its tasks are not among those looked at.
    let is_group = |view: &&EntityView| matches!(view.who, Who::Group(_));
    let groups = queues.first().map_or(0, |root| root.entities.iter().filter(is_group).count());
    let higher = matches!(reason, Reason::HigherClass | Reason::RoundRobin | Reason::Budget);
    groups > 1 && !higher && names.kernel.core_scheduling() != CoreScheduling::Off
}

/// Who is queued and would run: those whose dequeue is delayed sleep.
fn waiting(queues: &[QueueView]) -> Vec<Who> {
    let root = queues.first().map_or(&[][..], |queue| &queue.entities);
    root.iter().filter(|view| !view.delayed && !view.running).map(|view| view.who).collect()
}

fn block(words: &mut MomentWords, task: TaskId, delayed: bool, queues: &[QueueView], names: &Names) {
    let name = names.task(task);
    if !delayed {
        words.say(format!("{name} went to sleep and left the queue."));
        words.rule(Rule::of_reason(Reason::Block, names.release()));
        return;
    }
    let ahead = match entity(queues, task) {
        Some(view) if view.vruntime_rel_ns > 0 => {
            format!(", its vruntime {} ahead of V", duration(view.vruntime_rel_ns as f64))
        }
        _ => String::new(),
    };
    words.say(format!(
        "{name} went to sleep while it was not eligible{ahead}: its dequeue is delayed. It stays queued and counts in V \
         until a pick meets it or it wakes."
    ));
    words.rule(Rule::of_delayed_block(names.release()));
}

fn yielded(words: &mut MomentWords, task: TaskId, queues: &[QueueView], names: &Names) {
    let name = names.task(task);
    words.rule(Rule::of_yield(names.release()));
    let alone = queues.iter().all(|queue| queue.entities.len() <= 1);
    words.say(if alone {
        format!("{name} gave the CPU up by sched_yield, but nobody else is queued: nothing changes.")
    } else if names.is_cfs() {
        format!(
            "{name} gave the CPU up by sched_yield: its vruntime stays, and the next pick passes it over if it can."
        )
    } else if forfeits_at_yield(names.release()) {
        format!(
            "{name} gave the CPU up by sched_yield: if it was eligible, its vruntime went to its deadline, and a new \
             request began."
        )
    } else {
        format!("{name} gave the CPU up by sched_yield: its deadline moved on by a slice, its vruntime stays.")
    });
}

fn throttle(words: &mut MomentWords, throttled: &[GroupId], names: &Names) {
    for group in throttled {
        words.say(format!(
            "{} has no run time left and is throttled: its tasks wait until a new period gives it some.",
            names.group(*group)
        ));
        words.rule(Rule::new("a group without run time leaves the queue", "§4.18", "throttle_cfs_rq"));
    }
}

fn finish(words: &mut MomentWords, finished: &[Who], names: &Names) {
    if finished.is_empty() {
        return;
    }
    let sleepers: Vec<&str> = finished.iter().map(|who| names.who(*who)).collect();
    let (had, it) = if sleepers.len() == 1 { ("it had", "it is") } else { ("they had", "they are") };
    words.say(format!(
        "The pick met {}: {had} gone to sleep before, and now that {it} eligible the dequeue is finished.",
        pick::list(&sleepers)
    ));
    words.rule(Rule::of_finished(names.release()));
}

fn entity(queues: &[QueueView], task: TaskId) -> Option<&EntityView> {
    queues.iter().rev().find_map(|queue| pick::find(queue, Who::Task(task)))
}
