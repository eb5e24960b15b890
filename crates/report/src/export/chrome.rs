//! The JSON that Chrome's tracing, Perfetto's page and speedscope read: slices by CPU and by task,
//! arrows from wake-ups to runs, and counters. Not for a record of many millions of events: it is text.

use schedlab_sim::{IDLE, Moment, MomentKind, Reason, Run, TaskId, Who};
use serde_json::{Value, json};

use super::Traced;
use super::event::{Event, Kind, events};

/// A task's lag at an instant, from a decision that looked at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagSample {
    /// When, nanoseconds.
    pub at_ns: u64,
    /// Whose.
    pub task: TaskId,
    /// V − vruntime, nanoseconds.
    pub lag_ns: i64,
}

/// The lags that decisions saw of the tasks that left and came; none under CFS, which has no lag.
#[must_use]
pub fn lag_samples(moments: &[Moment]) -> Vec<LagSample> {
    let mut samples = Vec::new();
    for moment in moments {
        let MomentKind::Schedule { prev, next, .. } = moment.kind else { continue };
        for view in moment.queues.iter().flat_map(|queue| &queue.entities) {
            let (Who::Task(task), Some(lag_ns)) = (view.who, view.lag_ns) else { continue };
            if [prev, next].contains(&Some(task)) {
                samples.push(LagSample { at_ns: moment.at_ns, task, lag_ns });
            }
        }
    }
    samples
}

/// The process whose threads are the CPUs, and the one whose threads are the tasks.
const CPUS: u32 = 1;
const TASKS: u32 = 2;

/// The record as `{"traceEvents": […]}`, with the lags that were sampled. Times are µs.
#[must_use]
pub fn chrome(run: &Run, traced: &Traced, lags: &[LagSample]) -> String {
    let events = events(run.record.iter(), traced.tasks.len());
    let mut all = names(traced, run.cpus.len());
    all.extend(slices(&events, traced, run.until_ns));
    all.extend(lags.iter().filter_map(|sample| {
        let thread = traced.get(sample.task)?;
        Some(json!({"ph": "C", "pid": TASKS, "tid": thread.tid, "ts": us(sample.at_ns), "name": format!("lag {}", thread.comm),
                    "args": {"lag_us": sample.lag_ns as f64 / 1e3}}))
    }));
    let lines: Vec<String> = all.iter().map(Value::to_string).collect();
    format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{}\n]}}\n", lines.join(",\n"))
}

fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

fn names(traced: &Traced, cpus: usize) -> Vec<Value> {
    let name = |kind: &str, pid: u32, tid: u32, name: &str| json!({"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}});
    let mut all = vec![name("process_name", CPUS, 0, "CPUs"), name("process_name", TASKS, 0, "Tasks")];
    all.extend((0..cpus as u32).map(|cpu| name("thread_name", CPUS, cpu, &format!("CPU {cpu}"))));
    all.extend(traced.tasks.iter().map(|task| name("thread_name", TASKS, task.tid, &task.comm)));
    all
}

/// What a task is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Runnable,
    Sleeping,
}

/// A task while the record is read.
#[derive(Clone, Copy, Default)]
struct Life {
    state: Option<(State, u64)>,
    /// The number of the wake-up whose arrow has not ended.
    arrow: Option<u64>,
    /// Where it is queued or runs.
    cpu: u16,
}

fn slices(events: &[Event], traced: &Traced, until_ns: u64) -> Vec<Value> {
    let mut writer = Writer {
        all: Vec::new(),
        lives: vec![Life::default(); traced.tasks.len()],
        since: Vec::new(),
        runnable: Vec::new(),
        arrows: 0,
        traced,
    };
    for event in events {
        writer.event(event);
    }
    writer.close(until_ns);
    writer.all
}

struct Writer<'a> {
    all: Vec<Value>,
    lives: Vec<Life>,
    /// For each CPU, who runs and since when.
    since: Vec<(TaskId, u64)>,
    /// For each CPU, how many are runnable or run there.
    runnable: Vec<i64>,
    arrows: u64,
    traced: &'a Traced,
}

impl Writer<'_> {
    fn event(&mut self, event: &Event) {
        let Event { at_ns, cpu, .. } = *event;
        match event.kind {
            Kind::Wakeup(task) | Kind::WakeupNew(task) => {
                self.count(cpu, at_ns, 1);
                self.state(task, Some(State::Runnable), at_ns);
                self.arrows += 1;
                let (arrow, tid) = (self.arrows, self.tid(task));
                self.all.push(
                    json!({"ph": "s", "id": arrow, "cat": "wake-up", "name": "wake-up", "pid": TASKS, "tid": tid,
                                     "ts": us(at_ns)}),
                );
                if let Some(life) = self.lives.get_mut(task.0 as usize) {
                    (life.arrow, life.cpu) = (Some(arrow), cpu);
                }
            }
            Kind::Migrate { task, from } => {
                // A wake-up counts on the new CPU by itself.
                let queued = self.lives.get(task.0 as usize).and_then(|life| life.state);
                if queued.is_some_and(|(state, _)| state == State::Runnable) {
                    self.count(from, at_ns, -1);
                    self.count(cpu, at_ns, 1);
                }
            }
            Kind::Switch { prev, next, reason } => {
                self.run_slice(cpu, at_ns, next, reason);
                if prev != IDLE {
                    let state = match reason {
                        Reason::Block => Some(State::Sleeping),
                        Reason::Exit => None,
                        _ => Some(State::Runnable),
                    };
                    if state != Some(State::Runnable) {
                        self.count(cpu, at_ns, -1);
                    }
                    self.state(prev, state, at_ns);
                }
                if next != IDLE {
                    self.state(next, Some(State::Running), at_ns);
                    let arrow = self.lives.get_mut(next.0 as usize).and_then(|life| life.arrow.take());
                    if let Some(arrow) = arrow {
                        self.all.push(json!({"ph": "f", "bp": "e", "id": arrow, "cat": "wake-up", "name": "wake-up",
                                             "pid": CPUS, "tid": cpu, "ts": us(at_ns)}));
                    }
                }
            }
            Kind::Fork(_) | Kind::Waking(_) => {}
        }
    }

    fn tid(&self, task: TaskId) -> u32 {
        self.traced.get(task).map_or(0, |thread| thread.tid)
    }

    /// Ends the slice of who ran on a CPU and begins the next.
    fn run_slice(&mut self, cpu: u16, at_ns: u64, next: TaskId, reason: Reason) {
        if self.since.len() <= usize::from(cpu) {
            self.since.resize(usize::from(cpu) + 1, (IDLE, 0));
        }
        let (prev, since) = std::mem::replace(&mut self.since[usize::from(cpu)], (next, at_ns));
        if let Some(thread) = self.traced.get(prev) {
            self.all.push(json!({"ph": "X", "pid": CPUS, "tid": cpu, "ts": us(since), "dur": us(at_ns - since),
                                 "name": thread.comm, "args": {"left by": reason.name()}}));
        }
    }

    /// Ends the slice of a task's state and begins the next; none: it is gone.
    fn state(&mut self, task: TaskId, state: Option<State>, at_ns: u64) {
        let tid = self.tid(task);
        let Some(life) = self.lives.get_mut(task.0 as usize) else { return };
        if let Some((old, since)) = std::mem::replace(&mut life.state, state.map(|state| (state, at_ns))) {
            self.all.push(slice(tid, old, since, at_ns));
        }
    }

    fn count(&mut self, cpu: u16, at_ns: u64, change: i64) {
        if self.runnable.len() <= usize::from(cpu) {
            self.runnable.resize(usize::from(cpu) + 1, 0);
        }
        let count = &mut self.runnable[usize::from(cpu)];
        *count += change;
        self.all
            .push(json!({"ph": "C", "pid": CPUS, "tid": cpu, "ts": us(at_ns), "name": format!("nr_running CPU {cpu}"),
                             "args": {"nr_running": *count}}));
    }

    /// What goes on at the end ends there.
    fn close(&mut self, until_ns: u64) {
        for cpu in 0..self.since.len() {
            let (task, since) = self.since[cpu];
            if let Some(thread) = self.traced.get(task) {
                self.all.push(json!({"ph": "X", "pid": CPUS, "tid": cpu, "ts": us(since), "dur": us(until_ns - since),
                                     "name": thread.comm, "args": {}}));
            }
        }
        for index in 0..self.lives.len() {
            if let Some((state, since)) = self.lives[index].state {
                let tid = self.tid(TaskId(index as u32));
                self.all.push(slice(tid, state, since, until_ns));
            }
        }
    }
}

fn slice(tid: u32, state: State, since: u64, until: u64) -> Value {
    let name = match state {
        State::Running => "running",
        State::Runnable => "runnable",
        State::Sleeping => "sleeping",
    };
    json!({"ph": "X", "pid": TASKS, "tid": tid, "ts": us(since), "dur": us(until - since), "name": name})
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entries, traced};
    use super::*;

    /// From, to and name.
    type Slice = (f64, f64, String);

    fn all() -> Vec<Value> {
        slices(&events(entries(), 2), &traced(), 5_000_000)
    }

    #[test]
    fn slices_of_a_track_follow_each_other() {
        let mut tracks: std::collections::BTreeMap<(u64, u64), Vec<Slice>> = Default::default();
        for event in all().iter().filter(|event| event["ph"] == "X") {
            let number = |field: &str| event[field].as_f64().expect("a number");
            let track = (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().expect("a thread"));
            let name = event["name"].as_str().expect("a name").to_owned();
            tracks.entry(track).or_default().push((number("ts"), number("ts") + number("dur"), name));
        }
        for slices in tracks.values_mut() {
            slices.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(slices.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{slices:?}");
        }
        let names = |track| tracks[&track].iter().map(|slice| slice.2.as_str()).collect::<Vec<_>>();
        assert_eq!(names((1, 0)), ["gcc", "make", "gcc"]);
        assert_eq!(names((2, 1000)), ["runnable", "running", "runnable", "running"]);
        assert_eq!(names((2, 1001)), ["runnable", "running", "sleeping"]);
        assert_eq!(tracks[&(2, 1001)].last().map(|slice| slice.1), Some(5000.0));
    }

    #[test]
    fn arrows_lead_from_wake_ups_to_runs_and_counters_return() {
        let all = all();
        let of = |ph: &str| all.iter().filter(|event| event["ph"] == ph).collect::<Vec<_>>();
        let (begins, ends) = (of("s"), of("f"));
        assert_eq!(begins.len(), 2);
        for (begin, end) in begins.iter().zip(&ends) {
            assert!(begin["id"] == end["id"] && begin["ts"].as_f64() <= end["ts"].as_f64());
        }
        let counts: Vec<i64> = of("C").iter().filter_map(|event| event["args"]["nr_running"].as_i64()).collect();
        // gcc is forked, make wakes, make sleeps, gcc exits.
        assert_eq!(counts, [1, 2, 1, 0]);
    }
}
