//! What carries the difference between two variants, worked out in the worker: mixtures of both are
//! run one after the other. Not for choosing or judging them: `schedlab-report` does. To stop it the
//! page ends the worker.

use schedlab_report::bisect::{Differences, Findings, bisect};
use schedlab_report::{Subject, metrics, summarize, text};
use schedlab_scenario::Problem;
use schedlab_sim::{Limit, Simulation};

use crate::protocol::{Bisection, FromWorker};

/// Looks for what carries the change of a figure; what becomes of it is told.
pub(super) fn run(order: &Bisection, tell: impl Fn(&FromWorker)) {
    let answer = match find(order, &tell) {
        Ok((findings, sentence)) => FromWorker::Bisected { job: order.job, findings: Box::new(findings), sentence },
        Err(problems) => FromWorker::Failed { job: order.job, variant: order.second, problems },
    };
    tell(&answer);
}

fn find(order: &Bisection, tell: &impl Fn(&FromWorker)) -> Result<(Findings, String), Vec<Problem>> {
    let scenario = schedlab_scenario::open(&order.document)?.scenario;
    let (first, second) = (scenario.variant(order.first)?, scenario.variant(order.second)?);
    let differences = Differences::between(&first.scenario, &second.scenario)?;
    if differences.all.is_empty() {
        return Err(vec![Problem::error("", "nothing that can be run differs between these two")]);
    }
    let mut runs = 0;
    let findings = bisect(&order.metric, &differences, |mixtures| {
        let mut values = Vec::with_capacity(mixtures.len());
        for mixture in mixtures {
            let Ok(scenario) = differences.mixed(mixture) else {
                values.push(None);
                continue;
            };
            let repeats = (0..order.repeats).map(|repeat| {
                let Ok(mut prepared) = scenario.prepare(repeat) else { return Ok(None) };
                prepared.input.record_budget = 0;
                runs += 1;
                tell(&FromWorker::Bisecting { job: order.job, runs });
                let subject = Subject::of("mixture", &prepared);
                let failed = |error: &dyn std::fmt::Display| vec![Problem::error("", error.to_string())];
                let mut simulation = Simulation::new(prepared.input).map_err(|error| failed(&error))?;
                simulation.run_until(Limit::end()).map_err(|error| failed(&error))?;
                let report = summarize(&subject, &[simulation.finish()]);
                // A counter that the release lacks has counted nothing.
                let value = metrics(&report).into_iter().find(|of| of.name == order.metric);
                Ok(Some(value.map_or(0.0, |of| of.value)))
            });
            values.push(repeats.collect::<Result<Option<Vec<f64>>, Vec<Problem>>>()?);
        }
        Ok::<_, Vec<Problem>>(values)
    })?;
    let sentence = text::sentence(&findings, &first.name, &second.name);
    Ok((findings, sentence))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_planted_cause_is_found() {
        let document = r#"{
            "schema": 1,
            "workload": {"tasks": {"hog": {"instance": 4, "run": 10000}}},
            "run": {"duration_ms": 300},
            "variants": [
                {"name": "usual"},
                {"name": "short", "kernel": {"tunables": {"base_slice_ns": 3000000}, "features": {"NEXT_BUDDY": true}}}
            ]
        }"#;
        let order = Bisection {
            job: 4,
            document: document.to_owned(),
            first: 0,
            second: 1,
            metric: "tasks.hog.preempted".to_owned(),
            repeats: 2,
        };
        let told = RefCell::new(Vec::new());
        run(&order, |answer| told.borrow_mut().push(answer.clone()));
        let told = told.into_inner();
        let Some(FromWorker::Bisected { job: 4, findings, sentence }) = told.last() else {
            panic!("it did not end well: {:?}", told.last())
        };
        assert!(findings.carriers[0].percent > 90.0 && findings.carriers[0].matters);
        assert!(sentence.contains("base_slice_ns"), "{sentence}");
        assert!(told.iter().any(|answer| matches!(answer, FromWorker::Bisecting { runs: 2, .. })));
    }
}
