//! From what a task did to what it asks for: the events of an rt-app task, with repetitions folded
//! into loops and the lengths of their rounds into traces.
//! Not for judging what the trace leaves open: that has been done.

use std::collections::HashMap;

use crate::workload::{Action, Amount, Event, Loops, Phase};

/// What a task asks for. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Act {
    Run(u64),
    Sleep(u64),
    /// Wait until another task posts.
    Wait,
    /// Wake the task of that place among the scenario's names.
    Post(u32),
    Yield,
    Fork(u32),
    Nice(i8),
}

/// Repetitions of more rounds than this are not looked for.
const LONGEST_ROUND: usize = 12;

/// The unit of the lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Micro,
    Nano,
}

impl Unit {
    const fn of(self, ns: u64) -> u64 {
        match self {
            Self::Micro => ns / 1000,
            Self::Nano => ns,
        }
    }
}

/// The phases of a task and how often they are done.
pub(super) struct Program {
    pub phases: Vec<Phase>,
    pub loops: Loops,
}

/// A step between yields is this regular: so far from a whole number of steps, of a step, at the most.
const OFF_STEP: f64 = 0.1;
/// And so many runs show it.
const LEAST_RUNS: usize = 8;
/// A run has at most so many steps.
const MOST_STEPS: u64 = 16;

/// A yield after which the task went on at once is in no trace. Where all runs up to a yield are whole
/// multiples of one step, it yielded at each step.
pub(super) fn with_hidden_yields(acts: Vec<Act>) -> Vec<Act> {
    let mut runs: Vec<u64> = acts
        .windows(3)
        .filter_map(|acts| match acts {
            [Act::Yield, Act::Run(ns), Act::Yield] => Some(*ns),
            _ => None,
        })
        .collect();
    runs.sort_unstable();
    let Some(shortest) = runs.first().copied().filter(|_| runs.len() >= LEAST_RUNS) else { return acts };
    let steps = |ns: u64, step: f64| (ns as f64 / step).round().max(1.0);
    let fits = |step: f64| {
        let fitting = runs.iter().filter(|&&ns| (ns as f64 / step - steps(ns, step)).abs() < OFF_STEP);
        fitting.count() as f64 >= 0.9 * runs.len() as f64
    };
    // One shorter run by chance must not decide: it stands among the first tenth.
    let base = runs.get(runs.len() / 10).copied().unwrap_or(shortest);
    let Some(step) = (1..=MOST_STEPS).map(|times| base as f64 / times as f64).find(|step| fits(*step)) else {
        return acts;
    };
    let mut out = Vec::new();
    for (place, act) in acts.iter().enumerate() {
        match (act, acts.get(place + 1)) {
            (Act::Run(ns), Some(Act::Yield)) => {
                let times = steps(*ns, step).min(1024.0) as u64;
                for number in 1..=times {
                    out.push(Act::Run(ns / times));
                    if number < times {
                        out.push(Act::Yield);
                    }
                }
            }
            _ => out.push(*act),
        }
    }
    out
}

/// Writes a task's acts as phases. A task that does not exit begins anew after the last act.
pub(super) fn program(acts: &[Act], exits: bool, own_semaphore: &str, names: &[String], unit: Unit) -> Program {
    let writer = Writer { own_semaphore, names, unit };
    let cycles = cycles(acts);
    let shapes = shapes(&cycles);
    let mut phases = Vec::new();
    let (mut at, mut single) = (0, 0);
    while at < cycles.len() {
        let (length, times) = repetition(&shapes[at..]);
        if times > 1 {
            if single < at {
                phases.push(writer.phase(&cycles[single..at], at - single, 1));
            }
            phases.push(writer.phase(&cycles[at..at + length * times], length, times));
            at += length * times;
            single = at;
        } else {
            at += 1;
        }
    }
    if single < cycles.len() {
        phases.push(writer.phase(&cycles[single..], cycles.len() - single, 1));
    }
    for (number, phase) in phases.iter_mut().enumerate() {
        phase.name = format!("phase{}", number + 1);
    }
    // One phase needs no name: its loop becomes the task's.
    if let [phase] = phases.as_mut_slice() {
        phase.name.clear();
        let rounds = std::mem::replace(&mut phase.loops, Loops::Times(1));
        return Program { phases, loops: if exits { rounds } else { Loops::Forever } };
    }
    Program { phases, loops: if exits { Loops::Times(1) } else { Loops::Forever } }
}

/// The acts in cycles: each ends where the task leaves the CPU by itself.
fn cycles(acts: &[Act]) -> Vec<&[Act]> {
    acts.split_inclusive(|act| matches!(act, Act::Sleep(_) | Act::Wait | Act::Yield)).collect()
}

/// For each cycle a number that says what it is but for its lengths.
fn shapes(cycles: &[&[Act]]) -> Vec<u32> {
    let mut known: HashMap<Vec<Act>, u32> = HashMap::new();
    cycles
        .iter()
        .map(|cycle| {
            let shape = cycle.iter().map(|act| match act {
                Act::Run(_) => Act::Run(0),
                Act::Sleep(_) => Act::Sleep(0),
                other => *other,
            });
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(shape.collect()).or_insert(next)
        })
        .collect()
}

/// The round that repeats from here on and covers the most: its length and how often it comes.
fn repetition(shapes: &[u32]) -> (usize, usize) {
    let mut best = (1, 1);
    for length in 1..=LONGEST_ROUND.min(shapes.len() / 2) {
        let round = &shapes[..length];
        let times = shapes.chunks_exact(length).take_while(|chunk| *chunk == round).count();
        if times > 1 && length * times > best.0 * best.1 {
            best = (length, times);
        }
    }
    best
}

struct Writer<'w> {
    own_semaphore: &'w str,
    names: &'w [String],
    unit: Unit,
}

impl Writer<'_> {
    /// `times` rounds of `length` cycles each as one phase.
    fn phase(&self, cycles: &[&[Act]], length: usize, times: usize) -> Phase {
        let rounds: Vec<Vec<Act>> = cycles.chunks(length).map(|round| round.concat()).collect();
        let events = (0..rounds[0].len()).map(|place| {
            let lengths = || {
                let all: Vec<u64> = rounds
                    .iter()
                    .map(|round| match round[place] {
                        Act::Run(ns) | Act::Sleep(ns) => self.unit.of(ns),
                        _ => 0,
                    })
                    .collect();
                if all.iter().all(|one| *one == all[0]) { Amount::Fixed(all[0]) } else { Amount::Trace(all) }
            };
            self.event(rounds[0][place], lengths)
        });
        Phase { loops: Loops::Times(times as u64), ..Phase::unnamed(events.collect()) }
    }

    fn event(&self, act: Act, lengths: impl FnOnce() -> Amount) -> Event {
        let name = |place: u32| self.names.get(place as usize).cloned().unwrap_or_default();
        let (key, action) = match (act, self.unit) {
            (Act::Run(_), Unit::Micro) => ("run", Action::Run(lengths())),
            (Act::Run(_), Unit::Nano) => ("ns_run", Action::RunNs(lengths())),
            (Act::Sleep(_), Unit::Micro) => ("sleep", Action::Sleep(lengths())),
            (Act::Sleep(_), Unit::Nano) => ("ns_sleep", Action::SleepNs(lengths())),
            (Act::Wait, _) => ("sem_wait", Action::SemaphoreWait(self.own_semaphore.to_owned())),
            (Act::Post(place), _) => ("sem_post", Action::SemaphorePost(name(place))),
            (Act::Yield, _) => ("yield", Action::Yield),
            (Act::Fork(place), _) => ("fork", Action::Fork(name(place))),
            (Act::Nice(nice), _) => ("nice", Action::Nice(nice)),
        };
        Event { key: key.to_owned(), action }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(acts: &[Act], exits: bool) -> (Vec<(String, Loops, Vec<Action>)>, Loops) {
        let names = ["a".to_owned(), "b".to_owned()];
        let program = program(acts, exits, "a", &names, Unit::Micro);
        let phase = |phase: Phase| (phase.name, phase.loops, phase.events.into_iter().map(|e| e.action).collect());
        (program.phases.into_iter().map(phase).collect(), program.loops)
    }

    fn sem(name: &str) -> String {
        name.to_owned()
    }

    #[test]
    fn rounds_alike_become_one_with_traces() {
        let acts = [Act::Run(5_000), Act::Sleep(9_000), Act::Run(6_000), Act::Sleep(9_000)];
        let events = vec![Action::Run(Amount::Trace(vec![5, 6])), Action::Sleep(Amount::Fixed(9))];
        assert_eq!(written(&acts, false), (vec![(String::new(), Loops::Times(1), events.clone())], Loops::Forever));
        // One that exits does just these rounds.
        assert_eq!(written(&acts, true).1, Loops::Times(2));
    }

    #[test]
    fn a_round_may_have_several_cycles() {
        let round = [Act::Run(1_000), Act::Sleep(2_000), Act::Run(3_000), Act::Post(1), Act::Wait];
        let acts = [&[Act::Run(7_000), Act::Wait], round.as_slice(), &round, &round, &[Act::Run(4_000)]].concat();
        let (phases, loops) = written(&acts, false);
        assert_eq!(loops, Loops::Forever);
        let run = |us| Action::Run(Amount::Fixed(us));
        assert_eq!(
            phases,
            [
                ("phase1".to_owned(), Loops::Times(1), vec![run(7), Action::SemaphoreWait(sem("a"))]),
                (
                    "phase2".to_owned(),
                    Loops::Times(3),
                    vec![
                        run(1),
                        Action::Sleep(Amount::Fixed(2)),
                        run(3),
                        Action::SemaphorePost(sem("b")),
                        Action::SemaphoreWait(sem("a"))
                    ]
                ),
                ("phase3".to_owned(), Loops::Times(1), vec![run(4)]),
            ]
        );
    }

    #[test]
    fn yields_that_change_nothing_are_found_by_their_step() {
        let runs = |lengths: &[u64]| lengths.iter().flat_map(|ns| [Act::Yield, Act::Run(*ns)]).collect::<Vec<_>>();
        let acts = runs(&[808_000, 1_009_000, 808_000, 1_210_000, 808_000, 606_000, 808_000, 1_009_000, 808_000, 5]);
        let found = with_hidden_yields(acts);
        assert_eq!(found[..4], [Act::Yield, Act::Run(202_000), Act::Yield, Act::Run(202_000)]);
        assert_eq!(found.iter().filter(|act| **act == Act::Yield).count(), 4 + 5 + 4 + 6 + 4 + 3 + 4 + 5 + 4 + 1);
        // Lengths without a common step stay.
        let acts = runs(&[100_000, 141_000, 173_000, 223_000, 264_000, 331_000, 367_000, 412_000, 519_000]);
        assert_eq!(with_hidden_yields(acts.clone()), acts);
    }

    #[test]
    fn a_hog_is_one_run() {
        assert_eq!(
            written(&[Act::Run(3_000_000)], false),
            (vec![(String::new(), Loops::Times(1), vec![Action::Run(Amount::Fixed(3_000))])], Loops::Forever)
        );
    }
}
