//! What a first visit shows: five tasks that want the CPU for ever and one that sleeps a
//! millisecond at a time, under 6.5 beside 6.12. Small, and it shows what changed between them.

use schedlab_scenario::{Action, Amount, Event, Task, Workload};
use schedlab_scenario::{Scenario, Variant};
use schedlab_sim::kernel::Release;

/// The example.
#[must_use]
pub fn scenario() -> Scenario {
    let event = |action| Event::new(action);
    let mut hog = Task::new("hog", vec![event(Action::Run(Amount::Fixed(10_000)))]);
    hog.instances = 5;
    let sleeper = Task::new(
        "sleeper",
        vec![event(Action::Run(Amount::Fixed(50))), event(Action::Sleep(Amount::Exponential(1_000)))],
    );
    let mut scenario = Scenario {
        title: "Five hogs and a 1 ms sleeper".to_owned(),
        workload: Workload { tasks: vec![hog, sleeper], ..Workload::default() },
        variants: vec![Variant::of_release(Release::V6_5), Variant::of_release(Release::V6_12)],
        ..Scenario::default()
    };
    scenario.run.duration_ms = Some(3_000);
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_sound_and_fits_a_short_link() {
        let scenario = scenario();
        assert!(scenario.prepare(0).is_ok());
        assert!(schedlab_scenario::link::encode(&scenario).len() < 700);
    }
}
