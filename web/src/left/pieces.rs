//! What a task asks for in one round, as pieces of a strip, and in words.
//! Not for drawing: `schedlab_view::strip` lays the pieces out.

use schedlab_scenario::{Action, Amount, Loops, Task};
use schedlab_view::format;
use schedlab_view::strip::{Kind, Piece};

/// More pieces than this are not told apart on a strip.
const MOST: usize = 4_000;

/// The mean of an amount.
fn mean(amount: &Amount) -> f64 {
    match amount {
        Amount::Fixed(value) | Amount::Exponential(value) => *value as f64,
        Amount::Uniform(least, most) => (*least as f64 + *most as f64) / 2.0,
        Amount::LogNormal(median, sigma) => *median as f64 * (sigma * sigma / 2.0).exp(),
        Amount::Trace(values) => values.iter().map(|value| *value as f64).sum::<f64>() / values.len().max(1) as f64,
    }
}

/// The pieces of one round through the phases. A phase is repeated as often as it says, as far as
/// that can be seen.
pub(super) fn pieces(task: &Task) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    // How long the task has been busy since its timer last fired.
    let mut busy_ns = 0.0;
    for phase in &task.phases {
        let rounds = match phase.loops {
            Loops::Forever => 1,
            Loops::Times(times) => times.min(MOST as u64),
        };
        for _ in 0..rounds {
            for event in &phase.events {
                let (kind, ns) = match &event.action {
                    Action::Run(amount) | Action::Runtime(amount) => (Kind::Run, mean(amount) * 1e3),
                    Action::RunNs(amount) => (Kind::Run, mean(amount)),
                    Action::Sleep(amount) => (Kind::Sleep, mean(amount) * 1e3),
                    Action::SleepNs(amount) => (Kind::Sleep, mean(amount)),
                    Action::Timer { period_us, .. } => {
                        let rest = (*period_us as f64 * 1e3 - busy_ns).max(0.0);
                        busy_ns = 0.0;
                        (Kind::Sleep, rest)
                    }
                    Action::Wait { .. }
                    | Action::Sync { .. }
                    | Action::Suspend(_)
                    | Action::SemaphoreWait(_)
                    | Action::Barrier(_) => (Kind::Wait, 0.0),
                    _ => continue,
                };
                if kind == Kind::Run || (kind == Kind::Sleep && !matches!(event.action, Action::Timer { .. })) {
                    busy_ns += ns;
                }
                if pieces.len() >= MOST {
                    return pieces;
                }
                pieces.push(Piece { kind, ns });
            }
        }
    }
    pieces
}

/// A round in words: `runs for ever`, `50 µs of 1.05 ms`.
pub(super) fn in_words(task: &Task, pieces: &[Piece]) -> String {
    let sum = |kind: Kind| pieces.iter().filter(|piece| piece.kind == kind).map(|piece| piece.ns).sum::<f64>();
    let (run, sleep) = (sum(Kind::Run), sum(Kind::Sleep));
    let waits = pieces.iter().any(|piece| piece.kind == Kind::Wait);
    match (run > 0.0, sleep > 0.0, waits) {
        (true, false, false) if task.loops == Loops::Forever => "runs for ever".to_owned(),
        (true, false, false) => format!("runs {}", format::duration(run)),
        (true, true, false) => format!("{} of {}", format::duration(run), format::duration(run + sleep)),
        (true, _, true) => format!("{} + waits", format::duration(run + sleep)),
        (false, true, _) => format!("sleeps {}", format::duration(sleep)),
        (false, false, true) => "waits".to_owned(),
        (false, false, false) => "does nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use schedlab_scenario::{Event, TimerMode};

    use super::*;

    fn task(actions: Vec<Action>) -> Task {
        Task::new("a", actions.into_iter().map(Event::new).collect())
    }

    fn words(actions: Vec<Action>) -> String {
        let task = task(actions);
        in_words(&task, &pieces(&task)).replace('\u{a0}', " ")
    }

    #[test]
    fn rounds_in_words() {
        let (run, sleep) = (Action::Run(Amount::Fixed(50)), Action::Sleep(Amount::Exponential(1_000)));
        assert_eq!(words(vec![run.clone()]), "runs for ever");
        assert_eq!(words(vec![run.clone(), sleep.clone()]), "50.0 µs of 1.05 ms");
        assert_eq!(words(vec![sleep]), "sleeps 1.00 ms");
        assert_eq!(words(vec![run, Action::Suspend("s".to_owned())]), "50.0 µs + waits");
        assert_eq!(words(vec![Action::Yield]), "does nothing");
    }

    #[test]
    fn a_timer_sleeps_for_the_rest_of_its_period() {
        let timer = Action::Timer { name: "unique".to_owned(), period_us: 16_000, mode: TimerMode::Relative };
        let pieces = pieces(&task(vec![Action::Run(Amount::Fixed(2_000)), timer]));
        assert_eq!(pieces.last().map(|piece| piece.ns), Some(14_000_000.0));
    }

    #[test]
    fn a_phase_of_many_rounds_ends() {
        let mut task = task(vec![Action::Run(Amount::Fixed(1))]);
        task.phases[0].loops = Loops::Times(1_000_000_000);
        assert_eq!(pieces(&task).len(), MOST);
    }
}
