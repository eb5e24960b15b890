//! Scenarios as values: `set`, variants, links, seeds, limits, and what must hold for any text.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use schedlab_scenario::{
    Action, Amount, Event, Loops, Phase, Policy, Problem, Scenario, Task, Variant, Workload, link, open, open_bytes,
};
use schedlab_sim::kernel::{Feature, Release, Tunable};

const TEXT: &str = r#"{
    "tasks": {
        "mp3.decoder": { "run": 100, "sleep": 900, "run": 300 },
        "build": { "instance": 3, "loop": 2, "phases": { "p": { "run": { "exp": 50 }, "yield": "" } } }
    },
    "global": { "duration": 2 }
}"#;

fn scenario() -> Scenario {
    open(TEXT).unwrap().scenario
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn set_changes_what_its_path_names() {
    let mut scenario = scenario();
    let set = |scenario: &mut Scenario, path: &str, value: &str| scenario.set(path, value).map_err(|p| told(&p));
    for (path, value) in [
        ("workload.tasks.\"mp3.decoder\".run[1]", "400"),
        ("workload.tasks.\"mp3.decoder\".priority", "-5"),
        ("workload.tasks.build.phases.p.run", "{\"exp\": 70}"),
        ("kernel.release", "6.5"),
        ("kernel.tunables.latency_ns", "12000000"),
        ("machine.hz", "250"),
        ("groups./web.weight", "200"),
        ("groups./web.max.quota_us", "5000"),
        ("workload.tasks.build.taskgroup", "web/api"),
        ("title", "bare words"),
        ("notes", "42"),
        ("run.duration_ms", "300"),
        ("variants[1].kernel.features.RUN_TO_PARITY", "false"),
        ("variants[1].name", "no parity"),
    ] {
        assert_eq!(set(&mut scenario, path, value), Ok(()), "{path}={value}");
    }
    let decoder = &scenario.workload.tasks[0];
    assert_eq!(decoder.phases[0].events[2].action, Action::Run(Amount::Fixed(400)));
    assert_eq!(decoder.attributes.priority, Some(-5));
    assert_eq!(scenario.workload.tasks[1].phases[0].events[0].action, Action::Run(Amount::Exponential(70)));
    assert_eq!((scenario.kernel.release, scenario.machine.hz), (Release::V6_5, 250));
    assert_eq!(scenario.kernel.tunables[&Tunable::Latency], 12_000_000);
    assert_eq!((scenario.title.as_str(), scenario.notes.as_str()), ("bare words", "42"));
    assert_eq!(scenario.duration_ms(), 300);
    let variant = scenario.variant(1).unwrap();
    assert_eq!(variant.name, "no parity");
    assert!(!variant.scenario.kernel.features[&Feature::RunToParity]);
    let groups = scenario.prepare(0).unwrap().input.groups;
    let paths: Vec<_> = groups.iter().map(|group| (group.path.as_str(), group.weight, group.max.is_some())).collect();
    assert_eq!(paths, [("/web", 200, true), ("/web/api", 100, false)]);
    set(&mut scenario, "run.duration_ms", "null").unwrap();
    assert_eq!(scenario.duration_ms(), 2000);
}

#[test]
fn set_says_what_is_wrong_and_changes_nothing() {
    let mut scenario = scenario();
    let before = scenario.clone();
    for (path, value, words) in [
        ("workload.tasks.buidl.priority", "3", "there is no task `buidl`; did you mean `build`?"),
        ("workload.tasks.build.prioriti", "3", "unknown event or key `prioriti`; did you mean `priority`?"),
        ("workload.tasks.\"mp3.decoder\".run", "3", "is there 2 times: say which"),
        ("workload.tasks.build.instance", "-1", "expected a whole number of instances from 0 to 20000, not -1"),
        ("kernel.release", "6.21", "there is no release \"6.21\""),
        ("variants[0].kernel.release", "6.21", "there is no release \"6.21\""),
        ("variants[2].name", "x", "there is no variants[2]: variants has 2 entries"),
        ("machine..hz", "100", "the path has an empty key"),
        ("tasks.build.priority", "3", "the document has no key `tasks`"),
        ("", "3", "the path is empty"),
    ] {
        let problems = told(&scenario.set(path, value).unwrap_err());
        assert!(problems.contains(words), "{path}={value}: {problems}");
        assert_eq!(scenario, before);
    }
}

#[test]
fn variants_have_names_of_their_own() {
    let mut scenario = scenario();
    scenario.variants.push(Variant::of_release(Release::V6_12));
    scenario.variants.push(Variant { name: Some("6.5".to_owned()), ..Variant::of_release(Release::V6_12) });
    let names: Vec<String> = (0..4).map(|index| scenario.variant(index).unwrap().name).collect();
    assert_eq!(names, ["6.5", "6.12", "6.12 (2)", "6.5 (2)"]);
    assert!(told(&scenario.variant(4).unwrap_err()).contains("no such variant"));
    scenario.variants.clear();
    assert_eq!(scenario.variant_count(), 1);
    let only = scenario.variant(0).unwrap();
    assert_eq!((only.name.as_str(), &only.scenario), ("6.12", &scenario));
}

#[test]
fn a_form_can_build_a_document() {
    let mut busy = Task::new("busy", vec![Event::new(Action::Run(Amount::Fixed(500)))]);
    busy.attributes.policy = Some(Policy::Batch);
    busy.phases[0].events.push(Event { key: "run7".to_owned(), action: Action::Sleep(Amount::Uniform(1, 2)) });
    busy.phases.push(Phase { name: "later".to_owned(), loops: Loops::Times(3), ..Phase::unnamed(Vec::new()) });
    let scenario = Scenario { workload: Workload { tasks: vec![busy], ..Workload::default() }, ..Scenario::default() };
    // A key that no longer fits the action gives way to the action's name.
    let text = scenario.to_json();
    assert!(text.contains("\"sleep\": {") && !text.contains("run7"), "{text}");
    let read = open(&text).unwrap().scenario;
    assert_eq!(read.to_json(), text);
    assert_eq!(read.workload.tasks[0].phases[1].loops, Loops::Times(3));
}

#[test]
fn repeats_differ_in_seed_only_and_draws_belong_to_tasks() {
    let mut scenario = scenario();
    scenario.set("run.seed", "40").unwrap();
    let (first, third) = (scenario.prepare(0).unwrap(), scenario.prepare(2).unwrap());
    assert_eq!((first.input.seed, third.input.seed), (40, 42));
    let identities = |scenario: &Scenario| {
        let tasks = scenario.prepare(0).unwrap().input.tasks;
        tasks.into_iter().map(|task| (task.name, task.identity)).collect::<Vec<_>>()
    };
    let before = identities(&scenario);
    assert_eq!(before.len(), 4);
    let mut distinct: Vec<u64> = before.iter().map(|(_, identity)| *identity).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 4);
    scenario.workload.tasks.insert(0, Task::new("new", vec![Event::new(Action::Run(Amount::Fixed(1)))]));
    assert_eq!(identities(&scenario)[1..], before);
}

#[test]
fn links_carry_a_scenario_and_refuse_others() {
    let scenario = scenario();
    let link = link::encode(&scenario);
    assert!(link.starts_with("#s=1.") && link.len() < 400, "{link}");
    assert!(link[5..].chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    for form in
        [link.clone(), format!("https://lab.example/a/b/?x=1{link}"), link[1..].to_owned(), format!(" {link}\n")]
    {
        assert_eq!(link::decode(&form).unwrap().scenario, scenario, "{form}");
    }
    let refused = |link: &str| told(&link::decode(link).unwrap_err());
    assert_eq!(refused(""), "this link holds no scenario: `#s=` was expected in it");
    assert_eq!(refused("https://lab.example/#t=1.abc"), refused(""));
    assert_eq!(refused("#s=abc"), "the link is not complete: a version and a dot were expected after `s=`");
    assert_eq!(refused("#s=2.abc"), "the link has version 2, from a newer schedlab; this one reads version 1");
    assert_eq!(refused("#s=x.abc"), "`x` is no version of a link; 1 was expected");
    assert!(refused("#s=1.a+b/").starts_with("the link is damaged or not complete: "));
    assert!(refused(&link[..link.len() / 2]).contains("not complete"), "{}", refused(&link[..link.len() / 2]));
    assert!(refused(&format!("#s=1.{}", "A".repeat(300 << 10))).starts_with("the link is too long: 300 KiB"));
    let no_document = Scenario { title: "x".repeat(20 << 20), ..Scenario::default() };
    let bomb = link::encode(&no_document);
    assert!(bomb.len() < 300 << 10, "{}", bomb.len());
    assert_eq!(refused(&bomb), "the document in the link is longer than 4 MiB");
}

/// Each is answered within a second by a build for use on an idle machine. The limit here leaves room
/// for a busy one: it catches costs that grow with the square of the length, which are minutes.
#[test]
fn huge_input_is_answered_at_once() {
    let many = |item: &str, times: usize| item.repeat(times);
    let cases: Vec<(&str, String, &str)> = vec![
        ("50 MB", many("{\"tasks\": {}}\n", 4_000_000), "too long"),
        ("nested", many("[", 4_000_000), "nested too deeply"),
        ("one string", format!("{{\"tasks\": \"{}\"}}", many("x", 4_000_000)), "expected an object of tasks"),
        ("a million instances", "{\"tasks\":{\"a\":{\"instance\":1000000,\"run\":5}}}".to_owned(), "from 0 to 20000"),
        (
            "unknown keys",
            format!("{{\"tasks\":{{\"a\":{{{}}}}}}}", many("\"zzz\":1,", 450_000)),
            "and many more errors",
        ),
        ("no event", format!("{{\"tasks\":{{\"a\":{{{}}}}}}}", many("\"mem\":0,", 450_000)), "without time passing"),
        (
            "unlocks",
            format!("{{\"tasks\":{{\"a\":{{\"run\":1,{}}}}}}}", many("\"unlock\":\"m\",", 260_000)),
            "does not hold",
        ),
        ("forks", format!("{{\"tasks\":{{\"a\":{{\"run\":1,{}}}}}}}", many("\"fork\":\"no\",", 300_000)), "to fork"),
        (
            "groups",
            format!("{{\"tasks\":{{\"a\":{{\"run\":1,{}}}}}}}", {
                let deep = "/x".repeat(31);
                (0..20_000).map(|number| format!("\"move\":\"{deep}/{number}\",")).collect::<String>()
            }),
            "more than 10000 groups",
        ),
        (
            "variants",
            format!("{{\"schema\":1,\"workload\":{{\"tasks\":{{}}}},\"variants\":[{}]}}", many("{},", 450_000)),
            "more than 64",
        ),
    ];
    for (name, text, words) in cases {
        let started = Instant::now();
        let problems = told(&open(&text).unwrap_err());
        let took = started.elapsed();
        println!("{name}: {took:?}");
        assert!(problems.contains(words), "{name}: {problems}");
        assert!(took < Duration::from_secs(20), "{name}: {took:?}");
    }
    let many_notices = format!("{{\"tasks\":{{\"a\":{{\"run\":1,{}}}}}}}", many("\"iorun\":1,", 300_000));
    let started = Instant::now();
    let opened = open(&many_notices).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(opened.notices.len(), 1);
    let binary: Vec<u8> = (0..=255).cycle().take(50 << 20).collect();
    assert!(told(&open_bytes(&binary).unwrap_err()).contains("too long"));
    assert!(told(&open_bytes(&binary[..1000]).unwrap_err()).contains("no text"));
}

/// Words that documents are made of; random mixtures of them come further than random letters.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"tasks\"",
        "\"a\"",
        "\"b\"",
        "\"run\"",
        "\"sleep\"",
        "\"phases\"",
        "\"loop\"",
        "\"timer\"",
        "\"ref\"",
        "\"period\"",
        "\"schema\"",
        "\"workload\"",
        "\"kernel\"",
        "\"variants\"",
        "\"fork\"",
        "\"barrier\"",
        "\"instance\"",
        "\"lock\"",
        "\"unlock\"",
        "-1",
        "0",
        "1",
        "100",
        "1e99",
        "null",
        "true",
        "//",
        "\n",
        "/*",
        "*/",
        "\"exp\"",
        "\"cpus\"",
        "\"groups\"",
        "\"/a\"",
        "\"weight\"",
        "\"taskgroup\"",
        "\"machine\"",
        "\"cores_per_llc\"",
        "\"threads_per_core\"",
        "\"nosmt\"",
        "\"cookie\"",
        "\"pipe_write\"",
        "\"capacity\"",
        "\"memrun\"",
        "2",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

/// A sound document with a few places overwritten, doubled or left out.
fn damaged() -> impl Strategy<Value = String> {
    let documents = vec![
        TEXT.to_owned(),
        include_str!("../../../tests/documents/rt-app-basics/input.json").to_owned(),
        include_str!("../../../tests/documents/rt-app-waiting/input.json").to_owned(),
        include_str!("../../../tests/documents/changes-between-phases/input.json").to_owned(),
        include_str!("../../../tests/documents/extensions/input.json").to_owned(),
        include_str!("../../../tests/documents/forks/input.json").to_owned(),
        include_str!("../../../tests/documents/variants-and-machine/input.json").to_owned(),
        include_str!("../../../tests/documents/groups/input.json").to_owned(),
        include_str!("../../../tests/documents/group-moves/input.json").to_owned(),
        include_str!("../../../tests/documents/deadline/input.json").to_owned(),
        include_str!("../../../tests/documents/classes-between-phases/input.json").to_owned(),
        include_str!("../../../tests/documents/many-cpus/input.json").to_owned(),
        include_str!("../../../tests/documents/no-smt/input.json").to_owned(),
        include_str!("../../../tests/documents/core-scheduling/input.json").to_owned(),
        include_str!("../../../tests/documents/cpus-of-groups/input.json").to_owned(),
        include_str!("../../../tests/documents/pipes/input.json").to_owned(),
    ];
    let pieces =
        vec!["", "0", "-1", "5", "null", "{}", "[]", "\"a\"", "\"run\": 7,", "1e300", "\"loop\": 0,", "}", "{"];
    let change = (any::<prop::sample::Index>(), 0_usize..12, prop::sample::select(pieces));
    let changes = prop::collection::vec(change, 0..4);
    (prop::sample::select(documents), changes).prop_map(|(mut text, changes)| {
        for (at, length, piece) in changes {
            let boundaries: Vec<usize> = text.char_indices().map(|(offset, _)| offset).collect();
            if boundaries.is_empty() {
                break;
            }
            let start = at.index(boundaries.len());
            let end = boundaries.get(start + length).copied().unwrap_or(text.len());
            text.replace_range(boundaries[start]..end, piece);
        }
        text
    })
}

/// What must hold for any text: it is refused with problems, or it opens, every variant can be
/// prepared, and writing and linking keep it.
fn holds(text: &str) -> Result<bool, TestCaseError> {
    let scenario = match open(text) {
        Ok(opened) => opened.scenario,
        Err(problems) => {
            prop_assert!(!problems.is_empty() && problems.iter().all(Problem::is_error));
            return Ok(false);
        }
    };
    let written = scenario.to_json();
    let read = open(&written).map_err(|problems| TestCaseError::fail(told(&problems)))?;
    prop_assert_eq!(&read.scenario, &scenario, "written: {}", written);
    prop_assert_eq!(read.scenario.to_json(), written);
    prop_assert_eq!(&link::decode(&link::encode(&scenario)).unwrap().scenario, &scenario);
    for index in 0..scenario.variant_count() {
        let mut prepared = scenario.variant(index).unwrap().scenario.prepare(0).unwrap();
        prepared.input.until_ns = prepared.input.until_ns.min(50_000_000);
        let simulation = schedlab_sim::Simulation::new(prepared.input);
        prop_assert!(simulation.is_ok());
        // A run may find what no check can, such as a loop in which no time passes; it always ends.
        let limit = schedlab_sim::Limit { time_ns: u64::MAX, events: 4_000 };
        let _ = simulation.map(|mut simulation| simulation.run_until(limit));
    }
    Ok(true)
}

#[test]
fn a_machine_of_1024_cpus_is_prepared() {
    let machine =
        r#"{ "nodes": 4, "llcs_per_node": 4, "cores_per_llc": 32, "threads_per_core": 2, "tick": "staggered" }"#;
    let text = format!(
        r#"{{ "schema": 1, "machine": {machine}, "workload": {{ "tasks": {{ "a": {{ "cpus": [1023], "run": 5 }} }} }} }}"#
    );
    let scenario = open(&text).unwrap().scenario;
    let input = scenario.prepare(0).unwrap().input;
    assert_eq!(input.machine.cpus(), 1024);
    assert_eq!((input.machine.tick_phase_ns(1023), input.tasks[0].cpus.as_deref()), (999_023, Some(&[1023][..])));
    let mut nosmt = scenario;
    nosmt.kernel.nosmt = true;
    assert_eq!(nosmt.online_cpus(), 512);
    let problems = nosmt.prepare(0).unwrap_err();
    assert!(told(&problems).contains("there is no CPU 1023: the machine has CPUs 0 to 511 with `nosmt`"));
}

#[test]
fn tunables_follow_the_cpus_in_use() {
    let text = r#"{ "schema": 1, "machine": { "cores_per_llc": 2, "threads_per_core": 2 }, "kernel": { "release": "6.12" },
        "workload": { "tasks": { "a": { "run": 5 } } } }"#;
    let mut scenario = open(text).unwrap().scenario;
    let slice = |scenario: &Scenario| scenario.prepare(0).unwrap().input.kernel.tunable(Tunable::BaseSlice);
    assert_eq!(slice(&scenario), 2_250_000);
    scenario.kernel.nosmt = true;
    assert_eq!(slice(&scenario), 1_500_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = open_bytes(&bytes);
        let _ = link::decode(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words_are_answered(text in words()) {
        holds(&text)?;
    }

    #[test]
    fn damaged_documents_are_answered(text in damaged()) {
        holds(&text)?;
    }

    #[test]
    fn damaged_links_are_answered(at in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_.=#-]") {
        let mut link = link::encode(&scenario());
        let start = at.index(link.len());
        link.replace_range(start..=start, &letter);
        if let Ok(opened) = link::decode(&link) {
            let _ = opened.scenario.to_json();
        }
    }

    #[test]
    fn set_answers_anything(path in "[a-z.\\[\\]0-9\"]{0,20}", value in any::<String>()) {
        let mut scenario = scenario();
        let before = scenario.clone();
        if scenario.set(&path, &value).is_err() {
            prop_assert_eq!(scenario, before);
        }
    }
}
