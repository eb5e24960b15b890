//! Every example of rt-app opens, compiles and runs for each variant, survives writing and linking, and
//! comes back from an export as it was.
//! The files are rt-app's own and not part of this project: they are looked for in
//! `../shared/rt-app-examples` beside it, and this test is skipped where they are absent.

use std::path::Path;

use schedlab_scenario::{export_rt_app, link, open};
use schedlab_sim::Policy;

#[test]
fn rt_app_examples_open_and_compile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rt-app-examples");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no ../shared/rt-app-examples beside the project");
        return;
    };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(!files.is_empty(), "no examples in the folder");
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let opened = open(&text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        for notice in &opened.notices {
            println!("{name}: {notice}");
            assert!(notice.place.line > 0, "{name}: a notice without a place: {notice}");
        }
        let scenario = opened.scenario;
        assert_eq!(scenario.variant_count(), 2, "{name}");
        for index in 0..2 {
            let variant = scenario.variant(index).unwrap();
            let prepared = variant.scenario.prepare(0).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
            assert_eq!(prepared.input.tasks.len(), prepared.tasks.len());
            assert!(prepared.input.tasks.iter().all(|task| !task.program.steps.is_empty()), "{name}");
            let deadline = prepared.input.tasks.iter().any(|task| matches!(task.policy, Policy::Deadline { .. }));
            assert_eq!(deadline, text.contains("SCHED_DEADLINE"), "{name}");
            let mut simulation = schedlab_sim::Simulation::new(prepared.input).unwrap();
            simulation.run_until(schedlab_sim::Limit::end()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let run = simulation.finish();
            println!("{name}, {}: {} switches", variant.name, run.total_switches);
            assert!(run.tasks.iter().all(|task| task.wakeups > 0), "{name}: a task never started");
        }
        assert_eq!(open(&scenario.to_json()).unwrap().scenario, scenario, "{name}");
        let exported = export_rt_app(&scenario);
        let renamed =
            |problem: &schedlab_scenario::Problem| problem.message.starts_with("rt-app has one task of a name");
        assert!(exported.approximated.iter().all(renamed), "{name}: {:?}", exported.approximated);
        let mut unique = scenario.clone();
        unique.workload = scenario.workload.with_unique_keys();
        let back = open(&exported.text).unwrap_or_else(|problems| panic!("{name}: {problems:?}")).scenario;
        assert_eq!(back, unique, "{name}");
        assert_eq!(export_rt_app(&back).text, exported.text, "{name}");
        assert_eq!(link::decode(&link::encode(&scenario)).unwrap().scenario, scenario, "{name}");
    }
}
