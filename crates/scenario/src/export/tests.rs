//! Tests of the export: what rt-app can say comes back as it was, the rest is told.

use proptest::prelude::*;

use super::*;
use crate::document::{GroupPath, Scenario};
use crate::json;
use crate::read::Node;
use crate::workload::{
    Action, Amount, Attributes, Event, Global, Loops, MemoryAccess, MemoryRun, Phase, Policy, Task, TimerMode, Workload,
};

fn text(scenario: &str) -> String {
    export_rt_app(&crate::open(scenario).unwrap().scenario).text
}

fn told(scenario: &str) -> Vec<String> {
    let exported = export_rt_app(&crate::open(scenario).unwrap().scenario);
    crate::open(&exported.text).expect("what is exported opens");
    exported.approximated.iter().map(ToString::to_string).collect()
}

#[test]
fn extensions_are_replaced_or_left_out_and_told() {
    let scenario = r#"{ "schema": 1, "run": { "duration_ms": 1500 }, "groups": { "/g": { "weight": 200 }, "/plain": {} },
        "workload": { "tasks": {
            "a": { "cookie": 7, "start": "fork", "previous_cpu": 0, "slice_us": 500, "latency_nice": -5, "working_set_kib": 64,
                "op_begin": "x", "run": { "exp": 300 }, "ns_run": 1500, "ns_sleep": 2000, "nice": 5, "move": "/g",
                "weight": { "group": "/g", "weight": 50 }, "cookie1": 3, "op_end": "x", "taskgroup": "/g" },
            "d": { "policy": "SCHED_DEADLINE", "dl-runtime": 100, "dl-period": 1000, "slice_us": 300, "run": { "uniform": [5, 5] } }
        } } }"#;
    let expected = [
        "run.duration_ms: rt-app runs whole seconds: `global.duration` is 2",
        "workload.tasks.a.start: rt-app has no such thing; left out",
        "workload.tasks.a.cookie: rt-app has no such thing; left out",
        "workload.tasks.a.previous_cpu: rt-app has no such thing; left out",
        "workload.tasks.a.slice_us: written as `dl-runtime`, rt-app's own key for a slice",
        "workload.tasks.a.latency_nice: rt-app has no such thing; left out",
        "workload.tasks.a.working_set_kib: rt-app has no such thing; left out",
        "workload.tasks.a.op_begin: rt-app has no such thing; left out",
        "workload.tasks.a.run: rt-app has no distributions: the mean, 300 µs, is written",
        "workload.tasks.a.ns_run: rt-app has whole microseconds: 2 µs is written",
        "workload.tasks.a.nice: rt-app has no such thing; left out",
        "workload.tasks.a.move: rt-app has no such thing; left out",
        "workload.tasks.a.weight: rt-app has no such thing; left out",
        "workload.tasks.a.cookie1: rt-app has no such thing; left out",
        "workload.tasks.a.op_end: rt-app has no such thing; left out",
        "workload.tasks.d.slice_us: `dl-runtime` is the budget of this SCHED_DEADLINE task; the slice is left out",
        "groups./g: rt-app puts tasks into a group and sets nothing of it; left out",
    ];
    assert_eq!(told(scenario), expected);
    let expected = r#"{
  "global": {
    "duration": 2
  },
  "tasks": {
    "a": {
      "dl-runtime": 500,
      "taskgroup": "/g",
      "run": 300,
      "run1": 2,
      "sleep": 2
    },
    "d": {
      "policy": "SCHED_DEADLINE",
      "dl-runtime": 100,
      "dl-period": 1000,
      "run": 5
    }
  }
}
"#;
    assert_eq!(text(scenario), expected);
}

#[test]
fn pipes_become_semaphores_that_block_as_they_do() {
    let scenario = r#"{ "schema": 1, "workload": { "tasks": {
        "pipes": { "run": 5, "pipe_write": { "ref": "p", "capacity": 3 }, "sem_post": "p.room" },
        "b": { "pipe_read": "p", "run": 7 } } } }"#;
    let workload = crate::open(&text(scenario)).unwrap().scenario.workload;
    let actions = |task: usize| {
        workload.tasks[task].phases.iter().flat_map(|phase| &phase.events).map(|event| event.action.clone())
    };
    let (post, wait) =
        (|name: &str| Action::SemaphorePost(name.to_owned()), |name: &str| Action::SemaphoreWait(name.to_owned()));
    assert!(actions(0).eq([Action::Run(Amount::Fixed(5)), wait("p.room_1"), post("p"), post("p.room")]));
    assert!(actions(1).eq([wait("p"), post("p.room_1"), Action::Run(Amount::Fixed(7))]));
    let filler = &workload.tasks[2];
    assert_eq!(
        (filler.name.as_str(), filler.loops, filler.phases[0].loops),
        ("pipes_1", Loops::Times(1), Loops::Times(3))
    );
    assert!(actions(2).eq([post("p.room_1")]));
}

#[test]
fn keys_are_made_unique() {
    let scenario = r#"{ "tasks": {
        "a": { "run1": 1, "run": 2, "run": 3, "run1": 4, "run": 5 },
        "b": { "phases": { "p": { "run": 1 }, "p": { "run": 2 }, "p_1": { "run": 3 } } },
        "a": { "run": 6 } } }"#;
    let workload = crate::open(scenario).unwrap().scenario.workload.with_unique_keys();
    let keys = |task: usize, phase: usize| -> Vec<&str> {
        workload.tasks[task].phases[phase].events.iter().map(|event| event.key.as_str()).collect()
    };
    assert_eq!(keys(0, 0), ["run1", "run", "run2", "run3", "run4"]);
    let phases: Vec<&str> = workload.tasks[1].phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(phases, ["p", "p_2", "p_1"]);
    assert_eq!(workload.tasks[2].name, "a_1");
    assert_eq!(told(scenario), ["workload.tasks.a[1]: rt-app has one task of a name: this one is written as `a_1`"]);
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c.d", "unique1", "tick", ""]).prop_map(str::to_owned)
}

fn action() -> impl Strategy<Value = Action> {
    let fixed = || (0_u64..100_000).prop_map(Amount::Fixed);
    prop_oneof![
        fixed().prop_map(Action::Run),
        fixed().prop_map(Action::Runtime),
        fixed().prop_map(Action::Sleep),
        (name(), 0_u64..50_000, any::<bool>()).prop_map(|(name, period_us, absolute)| {
            let mode = if absolute { TimerMode::Absolute } else { TimerMode::Relative };
            Action::Timer { name, period_us, mode }
        }),
        name().prop_map(Action::Lock),
        name().prop_map(Action::Unlock),
        (name(), name()).prop_map(|(condition, mutex)| Action::Wait { condition, mutex }),
        name().prop_map(Action::Signal),
        name().prop_map(Action::Broadcast),
        (name(), name()).prop_map(|(condition, mutex)| Action::Sync { condition, mutex }),
        name().prop_map(Action::Suspend),
        name().prop_map(Action::Resume),
        name().prop_map(Action::SemaphorePost),
        name().prop_map(Action::SemaphoreWait),
        name().prop_map(Action::Barrier),
        Just(Action::Yield),
        name().prop_map(Action::Fork),
        (0_u64..100_000).prop_map(Action::Memory),
        (0_u64..100_000).prop_map(Action::Io),
        memory_run().prop_map(Action::MemoryRun),
    ]
}

fn memory_run() -> impl Strategy<Value = MemoryRun> {
    let kind = prop::sample::select(vec![MemoryAccess::Read, MemoryAccess::Write, MemoryAccess::Chase]);
    let number = || prop::option::of(1_u64..1 << 20);
    let text = || prop::option::of(name());
    (kind, number(), number(), 1_u64..200, text(), text()).prop_map(|(kind, size, count, stride, pattern, buffer)| {
        MemoryRun { kind, size, count, stride, pattern, buffer }
    })
}

fn attributes() -> impl Strategy<Value = Attributes> {
    let policy = prop::option::of(prop::sample::select(Policy::ALL.to_vec()));
    let cpus = prop::option::of(prop::collection::vec(0_u32..8, 1..4));
    let group = prop::option::of(prop::sample::select(vec!["/", "/a", "/a/b"]));
    let times = prop::collection::vec(prop::option::of(2_u64..100_000), 3);
    (policy, prop::option::of(-20_i32..=99), cpus, group, times).prop_map(|(policy, priority, cpus, group, times)| {
        Attributes {
            policy,
            priority,
            cpus,
            taskgroup: group.and_then(|path| GroupPath::parse(path).ok()),
            dl_runtime_us: times[0],
            dl_period_us: times[1],
            dl_deadline_us: times[2],
            ..Attributes::default()
        }
    })
}

fn loops() -> impl Strategy<Value = Loops> {
    prop_oneof![Just(Loops::Forever), (0_u64..5).prop_map(Loops::Times)]
}

fn phase() -> impl Strategy<Value = Phase> {
    let events = prop::collection::vec(action().prop_map(Event::new), 0..6);
    (name(), loops(), attributes(), events).prop_map(|(name, loops, attributes, events)| Phase {
        name,
        loops,
        attributes,
        events,
    })
}

fn task() -> impl Strategy<Value = Task> {
    let phases = prop::collection::vec(phase(), 1..4);
    (name(), 0_u32..5, 0_u64..1000, loops(), attributes(), phases).prop_map(
        |(name, instances, delay_us, loops, attributes, phases)| Task {
            instances,
            delay_us,
            loops,
            attributes,
            phases,
            ..Task::new(&name, Vec::new())
        },
    )
}

proptest! {
    /// Whatever rt-app can say is written so that it reads as the same, and nothing is told.
    #[test]
    fn what_rt_app_can_say_comes_back(
        tasks in prop::collection::vec(task(), 0..4),
        duration_s in prop::option::of(1_u64..100),
        pi_enabled in any::<bool>(),
    ) {
        let global = Global { duration_s, pi_enabled, ..Global::default() };
        let workload = Workload { global, tasks, ..Workload::default() }.with_unique_keys();
        let exported = export_rt_app(&Scenario { workload: workload.clone(), ..Scenario::default() });
        prop_assert!(exported.approximated.is_empty(), "{:?}", exported.approximated);
        let value = json::parse(&exported.text).unwrap();
        let mut found = Vec::new();
        prop_assert_eq!(Workload::read(&Node::root(&value), &mut found), workload, "{}", exported.text);
        prop_assert!(found.is_empty(), "{:?}", found);
        // Strict JSON without a key twice: serde_json keeps only the last of those.
        let strict: serde_json::Value = serde_json::from_str(&exported.text).unwrap();
        prop_assert_eq!(members(&strict), count(&value));
    }
}

fn members(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
        serde_json::Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}

fn count(value: &json::Value) -> usize {
    match &value.kind {
        json::Kind::Object(object) => object.len() + object.iter().map(|member| count(&member.value)).sum::<usize>(),
        json::Kind::List(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}
