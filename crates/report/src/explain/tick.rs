//! Why the running task may lose the CPU without anybody waking: what a charge or a tick finds.
//! Not for who comes instead.

use schedlab_sim::kernel::{Feature, Release, Tunable};
use schedlab_sim::{EntityView, QueueView, Reason, TaskId};

use super::{MomentWords, Names, Rule};
use crate::text::duration;

/// A tick while `running` had the CPU.
pub(super) fn words(running: TaskId, request: Option<Reason>, queues: &[QueueView], names: &Names) -> MomentWords {
    let mut words = MomentWords::new("tick", request);
    words.prev = Some(names.task(running).to_owned());
    match request {
        Some(reason) => found(&mut words, "The tick", running, reason, queues, names),
        None => {
            words.say(format!("The tick found no reason to take the CPU from {}.", names.task(running)));
        }
    }
    words
}

/// Says what `who` (the tick, a charge) found about the running task.
pub(super) fn found(
    words: &mut MomentWords,
    who: &str,
    running: TaskId,
    reason: Reason,
    queues: &[QueueView],
    names: &Names,
) {
    let task = names.task(running);
    let release = names.release();
    words.rule(Rule::of_reason(reason, release));
    match reason {
        Reason::TickSlice => {
            let slice = ideal(queues, names).map_or(String::new(), |slice| format!(" of {}", duration(slice as f64)));
            words.say(format!("{who} found that {task} had run longer than its slice{slice}."));
        }
        Reason::TickVruntime => {
            words.say(format!(
                "{who} found the vruntime of {task} ahead of the leftmost task's by more than its slice, though it had \
                 not run that long yet."
            ));
        }
        Reason::TickSearch => words.say(format!("{who} found that a pick would not choose {task} any more.")),
        Reason::Deadline => {
            let owner = renewed(queues).filter(|(_, depth)| depth + 1 < queues.len()).map(|(entity, _)| entity);
            match owner {
                Some(group) => words.say(format!(
                    "{who} found that {}, the group of {task}, had used its slice: its vruntime had passed its \
                     deadline, so the deadline was renewed and a reschedule requested.",
                    names.who(group.who)
                )),
                None => words.say(format!(
                    "{who} found that {task} had used its slice: its vruntime had passed its deadline, so the deadline \
                     was renewed and a reschedule requested."
                )),
            }
            if names.has(Feature::RunToParity) {
                words.say("Its protection (RUN_TO_PARITY) ended with the slice.");
                words.rule(Rule::of_protection("the protection ends with the slice", release));
            }
        }
        Reason::Ineligible => {
            words.say(format!(
                "{who} found that {task} was no longer protected, because it had kept the CPU across the end of a \
                 slice, and that it was not eligible any more{}.",
                ahead_of_v(queues)
            ));
            words.rule(Rule::of_protection("a repick does not protect anew", release));
        }
        Reason::ProtectionEnded => {
            words.say(format!("{who} found that the protection of {task} had ended before its slice."));
            words.rule(Rule::of_protection("the protection lasts for the smallest queued slice", release));
        }
        Reason::Throttle => {
            let groups: Vec<&str> =
                queues.iter().filter_map(|queue| queue.group.map(|group| names.group(group))).collect();
            let group = match groups.as_slice() {
                [one] => format!("{one}, the group of {task},"),
                _ => format!("a group of {task}"),
            };
            words.say(format!("{who} found that {group} had no run time left in this period."));
        }
        _ => words.say(reason.sentence()),
    }
}

/// CFS: how long the running task of the last queue may run at a stretch.
fn ideal(queues: &[QueueView], names: &Names) -> Option<u64> {
    let running = queues.last()?.entities.iter().find(|entity| entity.running)?;
    let capped = names.release() == Release::V6_5;
    Some(if capped { running.slice_ns.min(names.kernel.tunable(Tunable::Latency)) } else { running.slice_ns })
}

/// The running entity whose deadline was renewed just now (it is a whole slice away), lowest level
/// first, with its depth.
fn renewed(queues: &[QueueView]) -> Option<(&EntityView, usize)> {
    let whole = |entity: &EntityView| {
        let left = (entity.deadline_rel_ns? - entity.vruntime_rel_ns) as f64;
        let slice = entity.slice_ns as f64 * 1024.0 / entity.weight.max(1) as f64;
        // Fixed-point division loses a few nanoseconds.
        ((left - slice).abs() <= 8.0 + slice * 1e-6).then_some(())
    };
    queues.iter().enumerate().rev().find_map(|(depth, queue)| {
        let running = queue.entities.iter().find(|entity| entity.running)?;
        whole(running).map(|()| (running, depth))
    })
}

/// How far the running entity is ahead of V, if one is in the last queue.
fn ahead_of_v(queues: &[QueueView]) -> String {
    let running = queues.iter().rev().find_map(|queue| queue.entities.iter().find(|entity| entity.running));
    match running {
        Some(entity) if entity.vruntime_rel_ns > 0 => {
            format!(" (its vruntime was {} ahead of V)", duration(entity.vruntime_rel_ns as f64))
        }
        _ => String::new(),
    }
}
