//! What must hold between the outputs of a run on several CPUs, whatever the scenario. Not for what
//! one CPU has too: `properties.rs` checks that.

#![allow(clippy::expect_used)] // A test may fail by it.

mod support;

use std::collections::HashMap;

use serde_json::Value;

/// Four cores of two threads, two cookies and none, a pinned task, pipes of costs: everything moves.
const BUSY: &str = r#"{
    "schema": 1,
    "machine": { "cores_per_llc": 4, "threads_per_core": 2, "hz": 250, "context_switch_ns": 1500, "wakeup_ns": 2500,
                 "smt_speed": 650, "migration_ns": 2000 },
    "workload": {
        "global": { "duration": 1 },
        "tasks": {
            "a": { "instance": 5, "cookie": 1, "loop": -1, "run": {"exp": 1500}, "sleep": {"exp": 1000} },
            "b": { "instance": 4, "cookie": 2, "loop": -1, "run": {"exp": 1500}, "sleep": {"exp": 1000} },
            "c": { "instance": 2, "loop": -1, "run": 3000, "sleep": 500 },
            "pinned": { "cpus": [5], "loop": -1, "run": {"exp": 700}, "sleep": {"exp": 3000} }
        }
    },
    "variants": [ {"name": "old", "kernel": {"release": "6.1", "core_sched": "mainline"}},
                  {"name": "new", "kernel": {"release": "6.12", "core_sched": "mainline"}},
                  {"name": "off", "kernel": {"release": "7.3"}} ]
}"#;

fn text(args: &[&str]) -> String {
    let output = support::schedlab(args, BUSY.as_bytes());
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

fn reports() -> Vec<Value> {
    let reports: Value = serde_json::from_str(&text(&["run", "-", "--format", "json"])).expect("it is JSON");
    reports.as_array().expect("a list").clone()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is a whole number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is a list"))
}

fn sum<'a>(values: impl IntoIterator<Item = &'a Value>) -> u64 {
    values.into_iter().map(number).sum()
}

fn as_object(value: &Value) -> &serde_json::Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("{value} is an object"))
}

#[test]
fn time_is_accounted_for_on_every_cpu() {
    for report in reports() {
        let name = &report["name"];
        let (tasks, cpus) = (list(&report["tasks"]), list(&report["cpus"]));
        assert_eq!(cpus.len(), 8, "{name}");
        for (place, cpu) in cpus.iter().enumerate() {
            let of = |field: &str| number(&cpu[field]);
            assert_eq!(of("busy_ns") + of("idle_ns"), 1_000_000_000, "{name} cpu {place}");
            assert!(of("forced_idle_ns") <= of("idle_ns"), "{name} cpu {place}");
            assert!(sum(as_object(&cpu["lost_ns"]).values()) <= of("busy_ns"), "{name} cpu {place}");
            let there = sum(tasks.iter().map(|task| &list(&task["runtime_by_cpu_ns"])[place]));
            assert_eq!(there, of("busy_ns"), "{name} cpu {place}");
        }
        for task in tasks {
            assert_eq!(sum(list(&task["runtime_by_cpu_ns"])), number(&task["runtime_ns"]), "{name} {}", task["name"]);
            assert!(number(&task["migrations_at_wakeup"]) <= number(&task["migrations"]), "{name} {}", task["name"]);
        }
        let pinned = tasks.iter().find(|task| task["name"] == "pinned").expect("it is there");
        assert_eq!(list(&pinned["runtime_by_cpu_ns"])[5], pinned["runtime_ns"], "{name}");
        assert_eq!(number(&pinned["migrations"]), 0, "{name}");
        // What tasks are told of forced idle is what CPUs had of it, to the rounding of its parts.
        let (of_tasks, of_cpus) =
            (sum(tasks.iter().map(|task| &task["forced_idle_ns"])), sum(cpus.iter().map(|cpu| &cpu["forced_idle_ns"])));
        assert!(of_tasks.abs_diff(of_cpus) <= of_cpus / 100, "{name}: {of_tasks} {of_cpus}");
        assert_eq!(of_cpus > 0, name != "off", "{name}");
    }
}

#[test]
fn every_wake_up_is_placed_and_cookies_never_mix() {
    for report in reports() {
        let name = &report["name"];
        let placement = &report["placement"];
        let places = ["previous_is_waker", "previous", "waker", "other"];
        let placed = sum(places.iter().flat_map(|place| as_object(&placement[*place]).values()));
        assert_eq!(placed, number(&placement["wakeups"]), "{name}");
        assert!(placed > 500, "{name}: {placed}");
        let shared = list(&report["shared_cores"]);
        assert!(shared.is_sorted_by_key(|pair| std::cmp::Reverse(number(&pair["ns"]))), "{name}");
        // Four cores, a second each: what is left is idle on both threads.
        assert!(sum(shared.iter().map(|pair| &pair["ns"])) <= 4_000_000_000, "{name}");
        let mixed = shared.iter().any(|pair| pair["first"] == "a" && pair["second"] == "b");
        assert_eq!(mixed, name == "off", "{name}");
        assert_eq!(report.get("cookie_mix_ns").is_some_and(|ns| number(ns) > 0), name == "off", "{name}");
        let levels: Vec<&str> = list(&report["domains"]).iter().filter_map(|domain| domain["level"].as_str()).collect();
        assert_eq!(levels, ["SMT", "MC"], "{name}");
    }
}

#[test]
fn schedstat_lines_parse_and_add_up() {
    for report in reports() {
        let name = report["name"].as_str().expect("a name");
        let text = text(&["run", "-", "--variant", name, "--format", "schedstat", "--counters"]);
        let mut lines = text.lines();
        let version = lines.next().and_then(|line| line.strip_prefix("version ")).expect("a version");
        assert_eq!(lines.next(), Some("timestamp 250"));
        let (counters, numbers) = match version {
            "15" => (2, 36),
            "16" => (3, 36),
            _ => (3, 45),
        };
        assert_eq!(
            version,
            match name {
                "old" => "15",
                "new" => "16",
                _ => "17",
            }
        );
        let (mut cpus, mut domains, mut gained) = (Vec::new(), 0, 0);
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            if let Some(cpu) = words[0].strip_prefix("cpu") {
                assert_eq!(cpu.parse(), Ok(cpus.len()));
                let values: Vec<u64> = words[1..].iter().map(|word| word.parse().expect("a number")).collect();
                assert_eq!(values.len(), 9 + counters, "{line}");
                assert!(values[1] == 0 && values[2] >= values[3] && values[4] >= values[5], "{line}");
                cpus.push(values);
                domains = 0;
                continue;
            }
            assert_eq!(words[0], format!("domain{domains}"), "{line}");
            domains += 1;
            let named = usize::from(version == "17");
            if named == 1 {
                assert_eq!(words[1], ["SMT", "MC"][domains - 1], "{line}");
            }
            let mask = u64::from_str_radix(words[1 + named], 16).expect("a mask");
            let cpu = cpus.len() - 1;
            // The other thread of the core is four CPUs on; all share the cache.
            assert_eq!(mask, if domains == 1 { 0b1_0001 << (cpu % 4) } else { 0xff }, "{line}");
            let values: Vec<u64> = words[2 + named..].iter().map(|word| word.parse().expect("a number")).collect();
            assert_eq!(values.len(), numbers, "{line}");
            let width = (numbers - 12) / 3;
            for kind in values[..3 * width].chunks(width) {
                assert!(kind[0] >= kind[1], "{line}");
                gained += kind[width - 4];
            }
        }
        assert_eq!(cpus.len(), 8);
        let tasks = list(&report["tasks"]);
        let column = |place: usize| cpus.iter().map(|values| values[place]).sum::<u64>();
        assert_eq!(column(6), sum(tasks.iter().map(|task| &task["runtime_ns"])), "{name}");
        assert_eq!(column(7), sum(tasks.iter().map(|task| &task["run_delay"]["sum"])), "{name}");
        assert_eq!(column(8), sum(tasks.iter().map(|task| &task["switches"])), "{name}");
        let counter = |name: &str| number(&report["counters"][name]);
        assert_eq!(
            (column(2), column(3), column(4)),
            (counter("sched_count"), counter("sched_goidle"), counter("ttwu_count"))
        );
        let pulled = ["pull_task_idle", "pull_task_busy", "pull_task_newly_idle"].map(counter).iter().sum::<u64>();
        assert_eq!(gained, pulled, "{name}");
    }
}

#[test]
fn switches_map_and_timehist_tell_the_same_of_every_cpu() {
    let of = |format| text(&["run", "-", "--variant", "new", "--format", format]);
    let (switches, map, timehist) = (of("switches"), of("map"), of("timehist"));
    let timehist: Vec<&str> = timehist.lines().skip(3).collect();
    assert!(switches.lines().count() > 2000);
    assert_eq!((map.lines().count(), timehist.len()), (switches.lines().count(), switches.lines().count()));
    let mut running: HashMap<usize, String> = HashMap::new();
    let mut codes: HashMap<String, String> = HashMap::new();
    for ((switch, map), timehist) in switches.lines().zip(map.lines()).zip(timehist) {
        let words: Vec<&str> = switch.split(' ').collect();
        let cpu: usize = words[1].parse().expect("a CPU");
        let (prev, next) = words[2].split_once("->").expect("prev->next");
        assert_eq!(running.insert(cpu, next.to_owned()).unwrap_or_else(|| "idle".to_owned()), prev, "{switch}");
        assert_eq!(&timehist[17..23], format!("[{cpu:04}]"), "{timehist}");
        assert!(timehist[25..].trim_start_matches('<').starts_with(prev), "{timehist}: {switch}");
        // Two blanks, then four columns a CPU: the star, the code, a blank.
        let column = |cpu: usize| &map[2 + 4 * cpu..6 + 4 * cpu];
        assert_eq!(map[2..34].matches('*').count(), 1, "{map}");
        assert!(column(cpu).starts_with('*'), "{map}: {switch}");
        if let Some((code, name)) = map.split_once(" => ") {
            let name = name.rsplit_once(':').expect("comm:tid").0.replace("swapper", "idle");
            codes.insert(code[code.len() - 2..].trim().to_owned(), name);
        }
        for (cpu, name) in &running {
            assert_eq!(&codes[column(*cpu)[1..].trim()], name, "{map}");
        }
    }
    assert_eq!(running.len(), 8);
}

#[test]
fn any_cpu_can_be_explained() {
    let mut told = Vec::new();
    for cpu in 0..8_u64 {
        let cpu_text = cpu.to_string();
        let args = ["explain", "-", "--variant", "new", "--cpu", &cpu_text, "--at", "500ms", "--format", "json"];
        let explanations: Value = serde_json::from_str(&text(&args)).expect("it is JSON");
        let explanation = &explanations[0];
        assert_eq!(number(&explanation["cpu"]), cpu);
        assert!(number(&explanation["at_ns"]) <= 500_000_000 && !list(&explanation["moments"]).is_empty());
        told.push(explanation["at_ns"].clone());
    }
    told.dedup();
    assert!(told.len() > 2, "{told:?}");
}

#[test]
fn the_summary_shows_what_several_cpus_have() {
    let summary = text(&["run", "-", "--variant", "new"]);
    for part in [
        "mean of 8",
        "forced idle",
        "to siblings",
        "wake-ups placed on",
        "a CPU idle while a task waited",
        "newly idle",
        "shared a core",
    ] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
}
