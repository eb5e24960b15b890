//! A sweep's workers. Not for what is known of it.

use std::rc::Rc;

use schedlab_scenario::Scenario;
use yew::prelude::*;

use super::{Event, Sweep};
use crate::pool::Pool;
use crate::protocol::ToWorker;

/// A sweep's workers; answers what events of the sweep do: to begin one takes the scenario.
#[hook]
pub(crate) fn use_sweep(sweep: &UseReducerHandle<Sweep>) -> Callback<(Event, Option<Rc<Scenario>>)> {
    let dispatcher = sweep.dispatcher();
    let pool = use_memo((), move |()| {
        Pool::plain(Callback::from(move |heard| match heard {
            Ok(message) => dispatcher.dispatch(Event::Heard(message)),
            Err(reason) => dispatcher.dispatch(Event::Broken(reason)),
        }))
    });
    // Workers that have nothing left to do are let go.
    {
        let pool = pool.clone();
        use_effect_with(sweep.running, move |running| {
            if !running {
                pool.give_up();
            }
        });
    }
    let (dispatcher, job) = (sweep.dispatcher(), sweep.job);
    Callback::from(move |(event, scenario): (Event, Option<Rc<Scenario>>)| {
        if let (Event::Begin(plan), Some(scenario)) = (&event, scenario) {
            let document = scenario.to_json();
            let order = |point| ToWorker::Measure {
                job: job + 1,
                point,
                document: document.clone(),
                variant: plan.variant,
                settings: plan.settings(point),
                repeats: plan.repeats,
            };
            pool.spread(&(0..plan.points()).map(order).collect::<Vec<_>>());
        }
        dispatcher.dispatch(event);
    })
}
