//! Core scheduling in 2019: sysbench beside AVX threads, with a cookie each.

use super::{Content, Experiment, Sought, change, document};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "core-scheduling",
    title: "Core scheduling under load, and matching cookies",
    text: "As many sysbench connections as AVX threads, each side in a group of its own with its own cookie, on \
           52 cores of two threads. A connection is a client and a server thread: 20 statements a transaction, \
           900 µs of work, and at the end 2 µs under a mutex that all share and that is not handed over, as \
           InnoDB's are. The report says nothing of these.\n\nsmt_speed 390, from its vanilla column: at 48/48 \
           every thread has a CPU and 44 cores have both threads busy, so 21708 tps = (44 s + 4) x 1018. HZ \
           1000 and the length of the mutex are those of a few tried (250, 1000; 2 to 40 µs) that come nearest \
           to the vanilla rows from 64/64 up. That sysbench starts first, and when 256/256 is measured, are \
           choices made after others had been seen. A core-wide pick costs 2 µs, the middle of what is said of \
           it (1 to 3 µs, not measured).\n\nLight load: each statement has two picks that leave a task running, \
           so that coresched loses 7.7 % at 1/1.\n\nOverload: the collapse comes of a vruntime that both queues \
           of a core share. Patch 18 of the series places a task of either queue by the min_vruntime of the \
           first one and compares root entities of the two as they are. Small shares of a group (weight 12 is \
           usual here) let vruntimes go 85 times as fast as time, and the queues drift apart: `schedlab explain \
           --cpu 70 --at 899ms` on rfc-v4 at 256/256 shows the AVX group of CPU 70 34.6 s behind what \
           sysbench's was placed at, so AVX runs on both threads of the core until it has caught up, 0.4 s \
           later. Who has the mutex then keeps all others waiting, with hardly any CPU idle. It takes seconds \
           to build up; with core scheduling 256/256 is measured from 9 to 12 s.\n\nMatching cookies put the \
           sides on cores of their own, where nothing is compared, and with time win much of it back. Without \
           the mutex there is no collapse, with flat tasks a smaller one; started after the AVX threads, \
           sysbench loses less than half and matching wins nothing. The repeats differ much: in three the gain \
           of matching is above half as much again, with more repeats or other spans it is also just \
           below.\n\nAt 32/32 and 48/48 coresched comes out ahead: cookies keep AVX off the cores that are half \
           idle, so sysbench has them. The report's machine has that gain only for a sysbench that never \
           sleeps, and loses with MySQL; why is not explained here. Contention for the lock of a core is not \
           modelled. nosmt comes out too well; the lower clock of AVX-512 is not modelled but for smt_speed.",
    reported: include_str!("core-scheduling.json"),
    make,
};

const LOADS: [u32; 10] = [1, 2, 4, 8, 16, 32, 48, 64, 128, 256];
const SCHEDULERS: [(&str, &str); 3] =
    [("rfc-v4", "rfc-v4"), ("rfc-v4-cookie-match", "rfc-v4-cookie-match"), ("nosmt", "rfc-v4")];

fn make(reported: &serde_json::Value) -> Result<Content, Vec<crate::Problem>> {
    let mut content = Content::default();
    for load in LOADS {
        content.part(format!("{load}"), document(&text(load))?);
        let row_of = |table: &str| {
            reported[table]
                .as_array()
                .into_iter()
                .flatten()
                .find(|row| row["na"].as_u64() == Some(u64::from(load)))
                .cloned()
        };
        let vanilla = row_of("rfc-v4").map(|row| row["vanilla"].clone()).unwrap_or_default();
        content.row(
            format!("{load}/{load} vanilla"),
            "tps",
            vanilla["tps"].as_f64(),
            format!("[{load}/vanilla] ops.per_second"),
        );
        content.row(
            format!("{load}/{load} vanilla, cpu"),
            "%",
            vanilla["cpu"].as_f64(),
            format!("[{load}/vanilla] cpus.busy"),
        );
        content.row(
            format!("{load}/{load} vanilla, latency"),
            "ms",
            vanilla["latency"].as_f64(),
            format!("[{load}/vanilla] ops.latency.p95 / 1000000"),
        );
        for (name, table) in SCHEDULERS {
            let side = if name == "nosmt" { "nosmt" } else { "coresched" };
            let row = row_of(table).map(|row| row[side].clone()).unwrap_or_default();
            content.row(
                format!("{load}/{load} {name}"),
                "%",
                row["change"].as_f64(),
                change(&format!("{load}/vanilla"), &format!("{load}/{name}"), "ops.per_second"),
            );
            content.row(
                format!("{load}/{load} {name}, cpu"),
                "%",
                row["cpu"].as_f64(),
                format!("[{load}/{name}] cpus.busy"),
            );
            content.row(
                format!("{load}/{load} {name}, latency"),
                "ms",
                row["latency"].as_f64(),
                format!("[{load}/{name}] ops.latency.p95 / 1000000"),
            );
        }
    }
    let rate = |load: u32, name: &str| format!("[{load}/{name}] ops.per_second");
    for load in LOADS {
        content.must(
            format!("{load}/{load}: coresched is below vanilla"),
            format!("{} < {}", rate(load, "rfc-v4"), rate(load, "vanilla")),
        );
    }
    content.must(
        "it collapses in overload: less than half at 256/256",
        format!("{} < 0.5 * {}", rate(256, "rfc-v4"), rate(256, "vanilla")),
    );
    content.must(
        "cookie matching wins much of it back there: half as much again",
        format!("{} > 1.5 * {}", rate(256, "rfc-v4-cookie-match"), rate(256, "rfc-v4")),
    );
    for load in [1, 2, 4, 8] {
        for (words, factor) in [("not 5 % more", "< 1.05"), ("not 5 % less", "> 0.95")] {
            content.must(
                format!("{load}/{load}: it wins nearly nothing at light load: {words}"),
                format!("{} {factor} * {}", rate(load, "rfc-v4-cookie-match"), rate(load, "rfc-v4")),
            );
        }
    }
    for load in [64, 128, 256] {
        for name in ["rfc-v4", "rfc-v4-cookie-match"] {
            content.must(
                format!("{load}/{load}: nosmt is ahead of {name}"),
                format!("{} > {}", rate(load, "nosmt"), rate(load, name)),
            );
        }
    }
    for (part, variant, sought, text) in [
        (
            "1",
            "rfc-v4",
            Sought::new("idle-cpu", "", "server").from_ms(300),
            "Light load: a statement wakes the server on an idle CPU. With core scheduling that is a pick for the whole core, and costs 2 µs.",
        ),
        (
            "256",
            "rfc-v4",
            Sought::new("core-wide-pick", "avx", "avx252").from_ms(899),
            "Overload: the root entities of the core's two queues are compared as they are. `/avx` is so far behind what `/sysbench` was \
             placed at that AVX threads run on both hardware threads of the core, and whoever of sysbench waits here goes on waiting.",
        ),
    ] {
        content.look(part, variant, sought, text);
    }
    Ok(content)
}

/// From when to when a load is measured, ms: without core scheduling nothing changes after some
/// tenths of a second; with it the queues of a core drift apart for seconds in overload (see the text).
const fn measured(load: u32, core_scheduling: bool) -> (u32, u32) {
    match load {
        0..=16 => (200, 600),
        128 if core_scheduling => (3000, 5000),
        256 if core_scheduling => (9000, 12_000),
        _ => (500, 1300),
    }
}

fn text(load: u32) -> String {
    // A transaction of oltp_read_write: 20 statements, each a round trip; the last one commits. 900 us
    // of work, a fifth of it the client's, make the reported 1018 a second with the costs below.
    let mut tasks = Vec::new();
    for connection in 0..load {
        let statements: Vec<String> = (0..20)
            .map(|statement| format!(r#""run{statement}": {{ "exp": 9 }}, "pipe_write{statement}": "query{connection}", "pipe_read{statement}": "answer{connection}""#))
            .collect();
        tasks.push(format!(
            r#""client{connection}": {{ "taskgroup": "/sysbench", "cookie": 1, "start": "fork", "op_begin": "transaction", {}, "op_end": "transaction" }}"#,
            statements.join(", ")
        ));
        tasks.push(format!(
            r#""server{connection}": {{ "taskgroup": "/sysbench", "cookie": 1, "start": "fork", "phases": {{
      "statement": {{ "loop": 19, "pipe_read": "query{connection}", "run": {{ "exp": 36 }}, "pipe_write": "answer{connection}" }},
      "commit": {{ "pipe_read": "query{connection}", "run": {{ "exp": 34 }}, "lock": "log", "run1": 2, "unlock": "log", "pipe_write": "answer{connection}" }} }} }}"#
        ));
    }
    for thread in 0..load {
        let avx = r#"{ "taskgroup": "/avx", "cookie": 2, "start": "fork", "run": 10000 }"#;
        tasks.push(format!(r#""avx{thread}": {avx}"#));
    }
    let span = |core_scheduling| {
        let (from, to) = measured(load, core_scheduling);
        format!(r#""warmup_ms": {from}, "duration_ms": {to}"#)
    };
    let (without, with) = (span(false), span(true));
    format!(
        r#"{{
  "schema": 1,
  "machine": {{ "nodes": 2, "cores_per_llc": 26, "threads_per_core": 2, "hz": 1000, "smt_speed": 390, "context_switch_ns": 1000, "wakeup_ns": 1000, "migration_ns": 2000, "core_pick_ns": 2000 }},
  "kernel": {{ "release": "6.1" }},
  "workload": {{ "global": {{ "lock_handoff": false }}, "tasks": {{ {} }} }},
  "run": {{ {without}, "repeats": 3, "record": "summary" }},
  "variants": [
    {{ "name": "vanilla", "kernel": {{ "core_sched": "off" }} }},
    {{ "name": "rfc-v4", "kernel": {{ "core_sched": "rfc-v4" }}, "run": {{ {with} }} }},
    {{ "name": "rfc-v4-cookie-match", "kernel": {{ "core_sched": "rfc-v4-cookie-match" }}, "run": {{ {with} }} }},
    {{ "name": "nosmt", "kernel": {{ "nosmt": true }} }}
  ]
}}"#,
        tasks.join(",\n    ")
    )
}
