//! A small record and hand-made runs for tests. Not from the engine: what they must give is known.

use schedlab_scenario::OperationOrigin;
use schedlab_sim::kernel::Release;
use schedlab_sim::{
    BalanceCounts, Counters, CpuResult, DomainLevel, DomainResult, Entry, IDLE, OperationResult, Placement, Reason,
    Record, Run, TaskId, TaskResult, WorkConservation,
};

use crate::Subject;

/// gcc (task 0) runs, is preempted by make (task 1), which blocks; gcc exits.
pub(crate) fn entries() -> Vec<Entry> {
    let (gcc, make) = (TaskId(0), TaskId(1));
    let switch = |at_ns, prev, next, reason| Entry::Switch { at_ns, cpu: 0, prev, next, reason };
    vec![
        Entry::Fork { at_ns: 1_000_000, cpu: 0, task: gcc },
        switch(1_000_000, IDLE, gcc, Reason::IdleCpu),
        Entry::Wakeup { at_ns: 2_000_000, cpu: 0, task: make },
        switch(2_148_000, gcc, make, Reason::WakeupDeadline),
        switch(2_500_000, make, gcc, Reason::Block),
        switch(3_999_999, gcc, IDLE, Reason::Exit),
    ]
}

/// What is known beside the runs of [`run`].
pub(crate) fn subject() -> Subject {
    Subject {
        name: "base".to_owned(),
        release: Release::V6_12,
        kinds: ["worker", "worker", "logger"].map(str::to_owned).to_vec(),
        templates: vec!["job".to_owned()],
        operations: vec![OperationOrigin { name: "request".to_owned(), task: "worker".to_owned() }],
    }
}

/// A run of 20 ms with a warm-up of 10 ms: two workers, a logger and one forked job. The second
/// worker waited longest, until 15 ms; `delay_ns` is how long.
pub(crate) fn run(delay_ns: u64) -> Run {
    let task = |name: &str, runtime_ns, delays: &[u64]| {
        let mut task = TaskResult { name: name.to_owned(), runtime_ns, ..TaskResult::default() };
        for delay in delays {
            task.run_delay.add(*delay);
            task.switches += 1;
            task.blocked += 1;
            task.reasons[Reason::Block as usize] += 1;
        }
        task
    };
    let mut slow = task("worker-1", 2_000_000, &[10, delay_ns]);
    slow.longest_wait_end_ns = 15_000_000;
    slow.wake_delay.add(delay_ns);
    slow.wakeups = 1;
    slow.preempted = 1;
    slow.blocked -= 1;
    slow.reasons[Reason::Block as usize] -= 1;
    slow.reasons[Reason::Deadline as usize] += 1;
    slow.ran_before_preempted[11] = 1;
    let mut quick = task("worker-0", 1_000_000, &[20]);
    quick.longest_wait_end_ns = 11_000_000;
    let mut operation = OperationResult::default();
    operation.latency.add(delay_ns);
    Run {
        until_ns: 20_000_000,
        warmup_ns: 10_000_000,
        tasks: vec![quick, slow, task("logger", 500_000, &[]), task("job-0", 500_000, &[30])],
        cpus: vec![CpuResult { busy_ns: 4_000_000, idle_ns: 6_000_000, switches: 5, ..CpuResult::default() }],
        counters: Counters { sched_count: 9, preempt_deadline: 1, ..Counters::default() },
        domains: Vec::new(),
        placement: Placement::default(),
        work_conservation: WorkConservation::default(),
        shared_cores: Vec::new(),
        cookie_mix_ns: 0,
        operations: vec![operation],
        record: Record::default(),
        hash: 0xabc,
        total_switches: 12,
    }
}

/// The domains of two hardware threads of one core, as `/proc/schedstat` would count them.
pub(crate) fn domains() -> Vec<Vec<DomainResult>> {
    let domain = |level, idle, busy, newly_idle| {
        let counts = |count| BalanceCounts {
            count,
            balanced: count - count / 5,
            imbalance: [4, 3, 2, 1],
            gained: count / 5,
            ..BalanceCounts::default()
        };
        DomainResult {
            level,
            cpus: vec![0, 1],
            balance: [counts(idle), counts(busy), counts(newly_idle)],
            alb_count: 1,
            alb_failed: 0,
            alb_pushed: 1,
            ttwu_wake_remote: 5,
            ttwu_move_affine: 2,
        }
    };
    vec![
        vec![domain(DomainLevel::Smt, 7, 2, 10), domain(DomainLevel::Mc, 3, 4, 1)],
        vec![domain(DomainLevel::Smt, 8, 2, 20), domain(DomainLevel::Mc, 3, 4, 1)],
    ]
}
