//! What is judged where a trace has no flags column: whether tasks or timers woke.

use super::*;
use crate::workload::Action;

/// A trace in the making: what runs on each CPU is kept, so that a test says only what happens.
struct Trace {
    text: String,
    running: [u32; 2],
}

fn name(pid: u32, cpu: usize) -> String {
    if pid == 0 { format!("swapper/{cpu}") } else { format!("t{pid}") }
}

impl Trace {
    fn new() -> Self {
        Self { text: String::new(), running: [0; 2] }
    }

    fn line(&mut self, us: u64, cpu: usize, event: &str) {
        let (seconds, part, pid) = (us / 1_000_000, us % 1_000_000, self.running[cpu]);
        let comm = if pid == 0 { "<idle>".to_owned() } else { name(pid, cpu) };
        self.text.push_str(&format!("  {comm}-{pid} [00{cpu}] {seconds}.{part:06}: {event}\n"));
    }

    /// Another task (0: the idle thread) comes; who leaves is in that state.
    fn switch(&mut self, us: u64, cpu: usize, state: &str, next: u32) {
        let prev = self.running[cpu];
        let (from, to) = (name(prev, cpu), name(next, cpu));
        let event = format!(
            "sched_switch: prev_comm={from} prev_pid={prev} prev_prio=120 prev_state={state} ==> next_comm={to} \
             next_pid={next} next_prio=120"
        );
        self.line(us, cpu, &event);
        self.running[cpu] = next;
    }

    fn wake(&mut self, us: u64, cpu: usize, event: &str, pid: u32) {
        self.line(us, cpu, &format!("{event}: comm=t{pid} pid={pid} prio=120 target_cpu=00{cpu}"));
    }

    fn import(&self, wakers: Wakers) -> ImportedTrace {
        let mut import = TraceImport::new(TraceOptions { wakers, ..TraceOptions::default() });
        import.feed(self.text.as_bytes()).unwrap();
        import.finish().unwrap()
    }

    /// How often tasks and timers woke a task.
    fn woken(&self, pid: u32) -> (u64, u64) {
        let report = self.import(Wakers::Judged).report;
        let task = report.tasks.iter().find(|task| task.pid == pid).unwrap();
        (task.woken_by_tasks, task.woken_by_timers)
    }
}

#[test]
fn a_hog_that_is_interrupted_wakes_nobody() {
    let mut trace = Trace::new();
    trace.switch(0, 0, "R", 1);
    for round in 0..40 {
        let at = 1_000 + round * 10_000 + round * round * 7 % 4_000;
        trace.wake(at, 0, "sched_wakeup", 2);
        trace.switch(at + 1, 0, "R", 2);
        trace.switch(at + 500, 0, "S", 1);
    }
    assert_eq!(trace.woken(2), (0, 40));
    // The caller may know better.
    let report = trace.import(Wakers::Tasks).report;
    assert_eq!(report.tasks.iter().find(|task| task.pid == 2).unwrap().woken_by_tasks, 40);
}

/// Pairs on one CPU that wake each other in turn.
fn pairs(pairs: u32) -> Trace {
    let mut trace = Trace::new();
    let mut at = 0;
    trace.switch(at, 0, "R", 10);
    for round in 0..u64::from(40 * pairs) {
        // The next pair, if there are several, has its turn when this one sleeps.
        let pair = u32::try_from(round / 2).unwrap() % pairs * 2;
        let (waker, wakee) = (10 + pair + u32::from(round % 2 == 1), 10 + pair + u32::from(round % 2 == 0));
        if trace.running[0] != waker {
            trace.switch(at, 0, "S", waker);
        }
        at += 100 + round * 13 % 60;
        trace.wake(at, 0, "sched_wakeup", wakee);
        at += 10;
        trace.switch(at, 0, "S", wakee);
    }
    trace
}

#[test]
fn pairs_wake_each_other() {
    let (tasks, timers) = pairs(2).woken(11);
    assert!(tasks >= 18 && timers <= 1, "{tasks} {timers}");
    // Two alone that never leave the CPU idle.
    let (tasks, timers) = pairs(1).woken(11);
    assert!(tasks >= 18 && timers <= 1, "{tasks} {timers}");
    let scenario = pairs(1).import(Wakers::Judged).scenario;
    let events = || scenario.workload.tasks.iter().flat_map(|task| &task.phases).flat_map(|phase| &phase.events);
    assert!(events().any(|event| event.action == Action::SemaphorePost("t11".to_owned())));
}

#[test]
fn what_strikes_an_idle_cpu_tells_of_timers() {
    // Task 2 sleeps on a timer, and task 1 runs half of the time; task 3 is woken by task 1 as well.
    let mut trace = Trace::new();
    for round in 0..60_u64 {
        let at = round * 10_000;
        trace.switch(at, 0, "R", 1);
        trace.wake(at + 100, 0, "sched_waking", 3);
        trace.switch(at + 2_000, 0, "S", 3);
        trace.switch(at + 2_100, 0, "S", 0);
        // The timers of 2 and 3 strike the idle thread or, every third time, task 1.
        if round % 3 == 0 {
            trace.switch(at + 5_000, 0, "R", 1);
            trace.wake(at + 6_000, 0, "sched_waking", 2);
            trace.switch(at + 7_000, 0, "S", 2);
        } else {
            trace.wake(at + 6_000, 0, "sched_waking", 2);
            trace.wake(at + 6_001, 0, "sched_waking", 3);
            trace.switch(at + 6_002, 0, "R", 2);
            trace.switch(at + 6_500, 0, "S", 3);
            trace.switch(at + 6_600, 0, "S", 0);
            continue;
        }
        trace.switch(at + 7_300, 0, "S", 0);
    }
    let (tasks, timers) = trace.woken(2);
    assert!(tasks == 0 && timers >= 55, "{tasks} {timers}");
    let (tasks, timers) = trace.woken(3);
    assert!(tasks >= 55 && timers >= 35, "{tasks} {timers}");
}

#[test]
fn a_wake_up_before_the_sleep_is_the_sleeps_end() {
    // Task 1 on CPU 0 wakes task 2 while that is still on CPU 1, on its way to sleep.
    let mut trace = Trace::new();
    trace.switch(0, 0, "R", 1);
    trace.switch(10, 1, "R", 2);
    trace.wake(500, 0, "sched_waking", 2);
    trace.switch(503, 1, "S", 0);
    trace.wake(505, 1, "sched_wakeup", 2);
    trace.switch(507, 1, "R", 2);
    // And once while it stays on the CPU: that is nobody's demand.
    trace.wake(600, 0, "sched_waking", 2);
    trace.wake(601, 0, "sched_wakeup", 2);
    trace.switch(900, 1, "S", 0);
    trace.switch(1000, 0, "S", 0);
    let imported = trace.import(Wakers::Tasks);
    let actions = |place: usize| -> Vec<&Action> {
        imported.scenario.workload.tasks[place].phases.iter().flat_map(|p| &p.events).map(|e| &e.action).collect()
    };
    let posts = actions(0).into_iter().filter(|action| matches!(action, Action::SemaphorePost(_))).count();
    let waits = actions(1).into_iter().filter(|action| matches!(action, Action::SemaphoreWait(_))).count();
    assert_eq!((posts, waits), (1, 1), "{:#?}", imported.scenario.workload);
}

#[test]
fn a_demand_that_cannot_be_folded_says_how_much_fits() {
    // Task 1 wakes the others in an order that does not repeat.
    let (mut trace, mut at, mut draw) = (Trace::new(), 0, 1_u64);
    trace.switch(at, 0, "R", 1);
    for _ in 0..90_000 {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        at += 20;
        let other = 2 + u32::try_from(draw >> 60).unwrap();
        trace.wake(at, 0, "sched_wakeup", other);
        trace.switch(at + 5, 0, "R", other);
        trace.switch(at + 9, 0, "S", 1);
    }
    let import = |to_ns: Option<u64>| {
        let mut import = TraceImport::new(TraceOptions { wakers: Wakers::Tasks, to_ns, ..TraceOptions::default() });
        import.feed(trace.text.as_bytes()).unwrap();
        import.finish()
    };
    let Err(TraceError::TooLarge { bytes, limit, fits_to_ns }) = import(None) else { panic!("it fits") };
    assert!(bytes > limit);
    assert!(import(Some(fits_to_ns)).is_ok());
}
