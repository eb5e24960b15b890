//! Whom a pick considered, who was eligible, and who was chosen by which rule.
//! Not for why schedule() was entered.

use schedlab_sim::kernel::Feature;
use schedlab_sim::{EntityView, PickRule, QueueView, Who};

use super::{MomentWords, Names, Rule};
use crate::text::duration;

/// Up to this many names are listed.
const MOST_LISTED: usize = 4;

/// One sentence or two a level, from the root's queue down.
pub(super) fn say(words: &mut MomentWords, queues: &[QueueView], names: &Names) {
    for (depth, queue) in queues.iter().enumerate() {
        let Some((who, rule)) = queue.picked else { continue };
        let Some(picked) = queue.entities.iter().find(|entity| entity.who == who) else { continue };
        let inside = match queue.group {
            Some(group) if depth > 0 => format!("In {}: ", names.group(group)),
            _ => String::new(),
        };
        for (index, sentence) in level(queue, picked, rule, names).into_iter().enumerate() {
            words.say(if index == 0 { format!("{inside}{sentence}") } else { sentence });
        }
        words.rule(Rule::of_pick(rule, names.release()));
    }
}

fn level(queue: &QueueView, picked: &EntityView, rule: PickRule, names: &Names) -> Vec<String> {
    let name = names.who(picked.who);
    match rule {
        PickRule::Lone => vec![format!("{name} is the only one queued.")],
        PickRule::NextBuddy => {
            let why = if names.is_cfs() { "not too far ahead of the smallest vruntime" } else { "eligible" };
            vec![format!("{name} is marked as the next buddy and {why}, so it is picked before the search.")]
        }
        PickRule::LastBuddy => {
            vec![format!("{name} was preempted last and is not too far ahead, so it gets its warm caches back.")]
        }
        PickRule::Protected => vec![
            eligible_ones(queue, names),
            format!("{name} ran, is eligible and is protected{}, so it is picked again.", protection(picked, names)),
        ],
        PickRule::SliceRespected => {
            vec![format!("{name} ran and its slice is not used up, so RESPECT_SLICE keeps it on the CPU.")]
        }
        PickRule::SmallestVruntime => {
            let count = queue.entities.len();
            vec![format!(
                "Of {} queued, {name} has the smallest vruntime ({}){}.",
                number(count),
                match picked.vruntime_rel_ns {
                    0 => "equal to min_vruntime".to_owned(),
                    ahead => relative(ahead, names),
                },
                after(queue, picked, names)
            )]
        }
        PickRule::SecondAfterYield => {
            vec![format!("Who yielded has the smallest vruntime and is passed over: {name} is the next one.")]
        }
        PickRule::Fallback => vec![
            format!("Of {} queued, nobody is eligible.", number(queue.entities.len())),
            format!("{name} is the first of the tree and taken instead."),
        ],
        PickRule::EarliestDeadline => {
            let mut sentences = vec![eligible_ones(queue, names)];
            if let Some(running) = queue.entities.iter().find(|entity| entity.running) {
                sentences.extend(unprotected(running, names));
            }
            let deadline = picked.deadline_rel_ns.unwrap_or(0);
            let only = queue.entities.iter().filter(|entity| entity.eligible == Some(true)).count() == 1;
            sentences.push(if only {
                format!("{name} is picked, with its deadline at {}.", relative(deadline, names))
            } else {
                format!("{name} has the earliest deadline of them, {}.", relative(deadline, names))
            });
            sentences.extend(passed_over(queue, picked, names));
            sentences
        }
    }
}

/// `Of three queued, two are eligible: a and b.`
fn eligible_ones(queue: &QueueView, names: &Names) -> String {
    let eligible: Vec<&str> = queue
        .entities
        .iter()
        .filter(|entity| entity.eligible == Some(true))
        .map(|entity| names.who(entity.who))
        .collect();
    let queued = number(queue.entities.len());
    match eligible.len() {
        1 => format!("Of {queued} queued, only {} is eligible.", eligible[0]),
        2 if queue.entities.len() == 2 => format!("Both queued are eligible: {}.", list(&eligible)),
        all if all == queue.entities.len() => format!("All {queued} queued are eligible: {}.", list(&eligible)),
        some => format!("Of {queued} queued, {} are eligible: {}.", number(some), list(&eligible)),
    }
}

/// Who has an earlier deadline and was not picked, being ahead of V.
fn passed_over(queue: &QueueView, picked: &EntityView, names: &Names) -> Option<String> {
    let earlier = |entity: &&EntityView| {
        entity.eligible == Some(false)
            && entity.deadline_rel_ns.is_some()
            && entity.deadline_rel_ns < picked.deadline_rel_ns
    };
    let first = queue.entities.iter().filter(earlier).min_by_key(|entity| entity.deadline_rel_ns)?;
    Some(format!(
        "{} has an earlier deadline, but is not eligible: its vruntime is {} ahead of V.",
        names.who(first.who),
        duration(first.vruntime_rel_ns as f64)
    ))
}

/// Why the running one, being eligible, had to stand the comparison.
fn unprotected(running: &EntityView, names: &Names) -> Option<String> {
    let ran = names.who(running.who);
    if running.eligible == Some(false) {
        return Some(format!("{ran}, which ran, is not eligible, so nothing protects it."));
    }
    (running.protected == Some(false) && !names.has(Feature::RunToParity))
        .then(|| format!("{ran}, which ran, is not protected: RUN_TO_PARITY is off."))
}

/// Until when, in brackets.
pub(super) fn protection(running: &EntityView, names: &Names) -> String {
    match running.protected_until_rel_ns {
        Some(until) => format!(" until vruntime {}", relative(until, names)),
        None => " (RUN_TO_PARITY) until its deadline".to_owned(),
    }
}

/// CFS: who comes next in order.
fn after(queue: &QueueView, picked: &EntityView, names: &Names) -> String {
    let others = queue.entities.iter().filter(|entity| entity.who != picked.who);
    match others.min_by_key(|entity| entity.vruntime_rel_ns) {
        Some(second) if second.vruntime_rel_ns == picked.vruntime_rel_ns => {
            format!(" and stands before {}, which has the same", names.who(second.who))
        }
        Some(second) => {
            format!(", {} less than {}", length(second.vruntime_rel_ns - picked.vruntime_rel_ns), names.who(second.who))
        }
        None => String::new(),
    }
}

fn length(ns: i64) -> String {
    duration(ns as f64)
}

/// `V + 1.200 ms`, `V - 3.000 µs`, `V`.
pub(super) fn relative(ns: i64, names: &Names) -> String {
    let origin = names.origin();
    match ns {
        0 => origin.to_owned(),
        1.. => format!("{origin} + {}", length(ns)),
        _ => format!("{origin} - {}", duration(ns.unsigned_abs() as f64)),
    }
}

/// Small counts in words.
pub(super) fn number(count: usize) -> String {
    const WORDS: [&str; 11] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    WORDS.get(count).map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

/// `a, b and c`; of many only the first.
pub(super) fn list(names: &[&str]) -> String {
    if names.len() > MOST_LISTED {
        let rest = names.len() - (MOST_LISTED - 1);
        return format!("{} and {} more", names[..MOST_LISTED - 1].join(", "), number(rest));
    }
    match names {
        [] => "nobody".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The entity of that name in a queue.
pub(super) fn find(queue: &QueueView, who: Who) -> Option<&EntityView> {
    queue.entities.iter().find(|entity| entity.who == who)
}
