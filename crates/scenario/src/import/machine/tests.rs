//! Settings of small machines, by hand.

use schedlab_sim::SiblingNumbering;

use super::*;

fn files(list: &[(&str, &str)]) -> MachineFiles {
    let mut files = MachineFiles::default();
    for (name, text) in list {
        files.add(name, text);
    }
    files
}

fn counts(machine: &Machine) -> (u32, u32, u32, u32) {
    (machine.nodes, machine.llcs_per_node, machine.cores_per_llc, machine.threads_per_core)
}

const LSCPU: &str = r#"{ "lscpu": [
    {"field": "Architecture:", "data": "x86_64"},
    {"field": "CPU(s):", "data": "16", "children": [{"field": "On-line CPU(s) list:", "data": "0-15"}]},
    {"field": "Vendor ID:", "data": "X", "children": [
        {"field": "Model name:", "data": "X", "children": [
            {"field": "Thread(s) per core:", "data": "2"},
            {"field": "Core(s) per socket:", "data": "4"},
            {"field": "Socket(s):", "data": "2"}]}]},
    {"field": "Caches (sum of all):", "data": null, "children": [
        {"field": "L2:", "data": "4 MiB (8 instances)"}, {"field": "L3:", "data": "32 MiB (4 instances)"}]},
    {"field": "NUMA:", "data": null, "children": [{"field": "NUMA node(s):", "data": "2"}]} ] }"#;

#[test]
fn lscpu_gives_the_machine() {
    let imported = import(&files(&[("lscpu.json", LSCPU)]), None).unwrap();
    assert_eq!(counts(&imported.scenario.machine), (2, 2, 2, 2));
    assert!(imported.report.used.iter().any(|setting| setting.what.contains("16 CPUs, 8 cores, 4 last-level caches")));
    let off = LSCPU.replace("0-15", "0-7");
    let imported = import(&files(&[("lscpu.json", &off)]), None).unwrap();
    assert_eq!(imported.scenario.machine.cpus(), 8);
    let table = r#"{"cpus": [
        {"cpu": 0, "node": 0, "socket": 0, "core": 0, "l1d:l1i:l2:l3": "0:0:0:0", "online": true},
        {"cpu": 1, "node": 0, "socket": 0, "core": 0, "l1d:l1i:l2:l3": "0:0:0:0", "online": true},
        {"cpu": 2, "node": 0, "socket": 0, "core": 1, "l1d:l1i:l2:l3": "1:1:1:1", "online": true},
        {"cpu": 3, "node": 0, "socket": 0, "core": 1, "l1d:l1i:l2:l3": "1:1:1:1", "online": true},
        {"cpu": 4, "node": "-", "socket": "-", "core": "-", "l1d:l1i:l2:l3": "-", "online": "no"}]}"#;
    let machine = import(&files(&[("cpus", table)]), None).unwrap().scenario.machine;
    assert_eq!(counts(&machine), (1, 2, 1, 2));
    assert_eq!(machine.sibling_numbering, SiblingNumbering::Adjacent);
}

#[test]
fn domains_give_the_machine_too() {
    let counters = " 0".repeat(36);
    let cpu = |cpu: u32, core: &str, node: &str| {
        format!(
            "cpu{cpu} 0 0 0 0 0 0 0 0 0\ndomain0 {core}{counters}\ndomain1 {node}{counters}\ndomain2 ff{counters}\n"
        )
    };
    let mut text = "version 15\ntimestamp 1\n".to_owned();
    for (number, core, node) in [
        (0, "03", "0f"),
        (1, "03", "0f"),
        (2, "0c", "0f"),
        (3, "0c", "0f"),
        (4, "30", "f0"),
        (5, "30", "f0"),
        (6, "c0", "f0"),
        (7, "c0", "f0"),
    ] {
        text.push_str(&cpu(number, core, node));
    }
    let guessed = import(&files(&[("schedstat", &text)]), None).unwrap();
    assert_eq!(counts(&guessed.scenario.machine), (1, 2, 2, 2));
    // debugfs's names go before what the sizes suggest.
    let named = files(&[
        ("schedstat", &text),
        ("sched/domains/cpu0/domain0/name", "SMT\n"),
        ("sched/domains/cpu0/domain1/name", "MC\n"),
        ("sched/domains/cpu0/domain2/name", "NUMA\n"),
    ]);
    assert_eq!(counts(&import(&named, None).unwrap().scenario.machine), (2, 1, 2, 2));
}

#[test]
fn settings_become_flags_and_tunables() {
    let imported = import(
        &files(&[
            ("version", "6.5.11-8-generic"),
            ("lscpu", LSCPU),
            ("debug/sched/latency_ns", "24000000\n"),
            ("debug/sched/min_granularity_ns", "10000000\n"),
            ("debug/sched/base_slice_ns", "3000000\n"),
            ("debug/sched/nr_migrate", "32\n"),
            ("debug/sched/features", "START_DEBIT NO_WAKEUP_PREEMPTION PLACE_LAG SOMETHING_NEW\n"),
            ("debug/sched/preempt", "none voluntary (full)\n"),
            (
                "sysctl.txt",
                "kernel.sched_autogroup_enabled = 1\nkernel.sched_wakeup_granularity_ns = 5000000\nvm.swappiness = 1\n",
            ),
            ("config-6.5", "# CONFIG_X is not set\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n"),
            ("notes.txt", "my machine\nin the corner"),
        ]),
        None,
    )
    .unwrap();
    let kernel = &imported.scenario.kernel;
    let tunables: Vec<_> = kernel.tunables.iter().map(|(tunable, value)| (tunable.info().name, *value)).collect();
    assert_eq!(tunables, [("min_granularity_ns", 10_000_000), ("wakeup_granularity_ns", 5_000_000)]);
    let features: Vec<_> = kernel.features.iter().map(|(feature, on)| (feature.name(), *on)).collect();
    assert_eq!(features, [("WAKEUP_PREEMPTION", false)]);
    assert_eq!((kernel.release, kernel.preempt.map(|model| model.name())), (Release::V6_5, Some("full")));
    assert_eq!(imported.scenario.machine.hz, 250);
    let text = imported.report.to_string();
    for part in [
        "release 6.5: the machine has 6.5.11",
        "latency_ns = 24000000 (the release's own)",
        "base_slice_ns = 3000000: 6.5 has no tunable base_slice_ns",
        "nr_migrate = 32: how many tasks",
        "6.5 has no PLACE_LAG",
        "not known: SOMETHING_NEW",
        "sched_autogroup_enabled = 1: sessions' groups",
        "notes.txt: not known",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    // What came out is a document that opens.
    assert!(crate::open(&imported.scenario.to_json()).is_ok());
}

#[test]
fn the_debug_file_and_the_command_line_help_out() {
    let imported = import(
        &files(&[
            ("sched_debug", "Sched Debug Version: v0.11, 6.8.0 #1\n  .sysctl_sched_base_slice   : 2.250000\n"),
            ("cmdline", "BOOT_IMAGE=/x ro quiet nosmt preempt=none"),
        ]),
        None,
    )
    .unwrap();
    let kernel = &imported.scenario.kernel;
    assert_eq!(kernel.tunables.values().copied().collect::<Vec<_>>(), [2_250_000]);
    assert!(kernel.nosmt && kernel.release == Release::V6_8);
}

#[test]
fn nothing_known_is_said() {
    assert_eq!(import(&files(&[]), None).unwrap_err(), MachineError::Empty);
    let error = import(&files(&[("a", "x"), ("b", "")]), None).unwrap_err().to_string();
    assert!(error.contains("none of the 2 files") && error.contains("a, b"), "{error}");
    let imported =
        import(&files(&[("lscpu", "{\"lscpu\": 1}"), ("schedstat", "version 15\ntimestamp 1\n")]), None).unwrap();
    assert!(imported.report.to_string().contains("there is no field \"CPU(s):\""));
    assert!(imported.report.to_string().contains("there is no line of a CPU"));
    assert_eq!(imported.report.release_because, "no file tells of the machine's release: the usual one");
}
