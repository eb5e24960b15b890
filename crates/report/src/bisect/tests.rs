//! Bisections of made-up figures: what each difference carries is known.

use super::*;

/// Two scenarios with so many differences, all of the machine.
fn differences(count: usize) -> Differences {
    let costs = ["context_switch_ns", "wakeup_ns", "run_step_ns", "sleep_ns", "migration_ns"];
    let mut tasks: Vec<String> = Vec::new();
    let mut changed: Vec<String> = Vec::new();
    for task in 0..count.saturating_sub(costs.len()) {
        tasks.push(format!(r#""t{task}": {{ "run": 100 }}"#));
        changed.push(format!(r#""t{task}": {{ "run": 200 }}"#));
    }
    tasks.push(r#""last": { "run": 1 }"#.to_owned());
    let machine: Vec<String> = costs.iter().take(count).map(|cost| format!(r#""{cost}": 10"#)).collect();
    let text = format!(
        r#"{{ "schema": 1, "workload": {{ "tasks": {{ {} }} }}, "variants": [ {{ "name": "A" }}, {{ "name": "B",
             "machine": {{ {} }}, "workload": {{ "tasks": {{ {} }} }} }} ] }}"#,
        tasks.join(","),
        machine.join(","),
        changed.join(",")
    );
    let scenario = schedlab_scenario::open(&text).expect("it opens").scenario;
    let variant = |index| scenario.variant(index).expect("it is there").scenario;
    let found = Differences::between(&variant(0), &variant(1)).expect("both can be run");
    assert_eq!(found.all.len(), count);
    found
}

/// Bisects with a figure of four repeats that differ by the noise.
fn found(count: usize, noise: f64, figure: impl Fn(&[bool]) -> Option<f64>) -> Findings {
    let measure = |mixtures: &[Mixture]| {
        let values = |mixture: &Mixture| {
            let value = figure(mixture)?;
            // Reproducible, without pattern from mixture to mixture.
            let seed = mixture.iter().fold(7_u64, |seed, bit| seed.wrapping_mul(31).wrapping_add(u64::from(*bit)));
            let draw = |repeat: u64| {
                let mixed = (seed ^ repeat.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40
            };
            Some((0..4).map(|repeat| value + noise * (draw(repeat) as f64 / f64::from(1 << 23) - 1.0)).collect())
        };
        Ok::<_, ()>(mixtures.iter().map(values).collect())
    };
    bisect("figure", &differences(count), measure).expect("nothing fails")
}

#[test]
fn what_carries_the_change_comes_first() {
    let findings = found(5, 0.0, |chosen| Some(100.0 + 80.0 * f64::from(chosen[3]) + 20.0 * f64::from(chosen[1])));
    let carriers: Vec<(String, f64)> = findings.carriers.iter().map(|of| (of.name(), of.percent)).collect();
    assert_eq!(carriers[..2], [("machine.sleep_ns".to_owned(), 80.0), ("machine.wakeup_ns".to_owned(), 20.0)]);
    assert!(findings.carriers[2..].iter().all(|of| !of.matters && of.percent == 0.0));
    assert_eq!((findings.change.mean, findings.interactions.len()), (100.0, 0));
}

#[test]
fn what_two_do_only_together_is_told_and_shared() {
    let findings = found(5, 0.0, |chosen| Some(60.0 * f64::from(chosen[0] && chosen[2]) + 40.0 * f64::from(chosen[0])));
    let carriers: Vec<(String, f64)> = findings.carriers.iter().map(|of| (of.name(), of.percent)).collect();
    assert_eq!(
        carriers[..2],
        [("machine.context_switch_ns".to_owned(), 70.0), ("machine.run_step_ns".to_owned(), 30.0)]
    );
    assert_eq!(findings.interactions.len(), 1);
    let interaction = &findings.interactions[0];
    assert_eq!((interaction.effect.mean, interaction.percent), (60.0, 60.0));
}

#[test]
fn noise_carries_nothing() {
    let findings = found(5, 1.0, |chosen| Some(100.0 + 50.0 * f64::from(chosen[4])));
    assert!(findings.carriers[0].matters && findings.carriers[0].name() == "machine.migration_ns");
    assert!((findings.carriers[0].percent - 100.0).abs() < 5.0);
    assert!(findings.carriers[1..].iter().filter(|of| of.matters).count() <= 1, "{:?}", findings.carriers);
    let none = found(5, 1.0, |_| Some(100.0));
    assert!(none.noise && none.carriers.is_empty() && none.runs == 8);
}

#[test]
fn many_differences_are_switched_in_groups_first() {
    let findings = found(60, 0.0, |chosen| Some(10.0 * f64::from(chosen[41]) + 5.0 * f64::from(chosen[7])));
    let first = &findings.carriers[0];
    assert_eq!((first.differences.len(), first.percent.round()), (1, 67.0));
    assert_eq!(findings.carriers[1].differences.len(), 1);
    // Fewer than one by one from both ends.
    assert!(findings.runs < 4 * 2 * 60, "{}", findings.runs);
}

#[test]
fn what_cannot_be_switched_alone_goes_with_another() {
    // The second difference needs the first.
    let findings = found(3, 0.0, |chosen| (chosen[0] == chosen[1]).then(|| 30.0 * f64::from(chosen[0])));
    assert_eq!(findings.carriers[0].differences.len(), 2);
    assert_eq!((findings.carriers[0].percent, findings.carriers[1].percent), (100.0, 0.0));
}
