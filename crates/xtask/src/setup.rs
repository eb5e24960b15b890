//! Bringing everything that a goal needs: plan, do, look again.

use std::time::Instant;

use crate::cache::Cache;
use crate::error::Error;
use crate::install;
use crate::plan::{Action, Goal, plan};
use crate::probe::Probe;

/// Brings what is missing for a goal and returns what is there then. Costs a second when all is there.
///
/// # Errors
/// When something cannot be brought; the error says what to do by hand.
pub fn bring(goal: Goal, registries_only: bool) -> Result<Probe, Error> {
    let cache = Cache::of_user()?;
    let mut target_refused = false;
    let mut attempted: Vec<Action> = Vec::new();
    loop {
        let probe = Probe { target_refused, ..Probe::of_machine(&cache, registries_only) };
        let actions = plan(&probe, goal);
        let Some(first) = actions.first() else { return Ok(probe) };
        if attempted.is_empty() {
            announce(&actions);
        }
        if attempted.contains(first) {
            return Err(Error::failed(first.title(), "it was done, but what it brings still cannot be used")
                .or_by_hand(&first.by_hand()));
        }
        // Whoever has to do something by hand shall know before an hour of compiling.
        let next = actions.iter().find(|action| matches!(action, Action::ByHand { .. })).unwrap_or(first);
        println!("- {} (usually {})", next.title(), duration(next.usual_seconds()));
        let begin = Instant::now();
        match install::perform(next, &cache, registries_only) {
            Ok(()) => println!("  done in {:.0} s", begin.elapsed().as_secs_f64()),
            Err(error) if *next == Action::AddWasmTarget => {
                println!("  {error}; going on with Debian's compiler instead");
                target_refused = true;
            }
            Err(error) => return Err(error),
        }
        attempted.push(next.clone());
    }
}

fn announce(actions: &[Action]) {
    let seconds = actions.iter().map(Action::usual_seconds).sum();
    println!(
        "Set-up, once: {} step{}, usually {} on two cores. Tools go into a cache of schedlab's own.",
        actions.len(),
        if actions.len() == 1 { "" } else { "s" },
        duration(seconds)
    );
}

/// A number of seconds for people.
pub fn duration(seconds: u32) -> String {
    if seconds < 90 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(
            (duration(5), duration(89), duration(90), duration(240)),
            ("5 s".into(), "89 s".into(), "2 min".into(), "4 min".into())
        );
    }
}
