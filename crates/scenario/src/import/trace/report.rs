//! What an import says of a trace: what was used, what was found, what could not be used.
//! Not for the comparison with a replay: that is `realism`.

use serde::{Deserialize, Serialize};

/// How often something odd was met, and where first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met {
    /// How often.
    pub count: u64,
    /// The line of the first, from 1; 0: never.
    pub first_line: u64,
}

impl Met {
    pub(super) fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first_line == 0 {
            self.first_line = line;
        }
    }
}

/// What was odd in a trace, or could not be used. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Oddities {
    /// Scheduler events whose fields could not be read: cut or mixed up lines.
    pub unreadable: Met,
    /// Lines that are no events and no heading.
    pub strange: Met,
    /// The last line has no end and is no whole event.
    pub cut_line: Option<u64>,
    /// At which byte the gzip data breaks off or is damaged.
    pub gzip_broken_at: Option<u64>,
    /// Events earlier than one before: put in order.
    pub swapped: Met,
    /// Of them: too late by far, and left out.
    pub late: Met,
    /// The clock went back by more than a second.
    pub clock_jumps: Met,
    /// Places where the tracer says that it lost events.
    pub losses: Met,
    /// How many it says it lost there.
    pub lost_events: u64,
    /// Events that had been overwritten before the trace was read.
    pub overwritten: u64,
    /// Switches whose task was not the one that had come before: events are missing.
    pub gaps: Met,
    /// Tasks seen on another CPU without having left the first.
    pub missing_switches: u64,
    /// Time of tasks after a loss of which nothing is known: taken as sleep.
    pub lost_ns: u64,
    /// Sleeps whose end is not in the trace: they end at the next run.
    pub unseen_wakeups: u64,
    /// Pids that came up again without an exit: taken as new tasks.
    pub reused_pids: u64,
    /// Tasks that ran already when the trace began: what they did before is missing.
    pub running_at_start: u64,
    /// Tasks that waited for a CPU when the trace began.
    pub waiting_at_start: u64,
    /// Tasks cut by the end of the trace while they ran.
    pub running_at_end: u64,
    /// And while they waited.
    pub waiting_at_end: u64,
    /// Wake-ups that the flags column gives to interrupts.
    pub woken_by_interrupts: u64,
    /// Events on CPUs beyond those that a document may have.
    pub cpus_beyond: Met,
}

/// How many events of a name there were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCount {
    /// The event.
    pub name: String,
    /// How many.
    pub count: u64,
}

/// The tick as found in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickFinding {
    /// Ticks a second.
    pub hz: u32,
    /// How many departures it explains …
    pub hits: u64,
    /// … of those that no wake-up explains.
    pub of: u64,
}

/// A task of the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedTask {
    /// Its name in the scenario.
    pub name: String,
    /// Its pid in the trace.
    pub pid: u32,
    /// CPU time, nanoseconds.
    pub runtime_ns: u64,
    /// Wake-ups by other tasks: they are semaphores.
    pub woken_by_tasks: u64,
    /// Wake-ups by timers and devices: they are sleeps.
    pub woken_by_timers: u64,
    /// Yields.
    pub yields: u64,
    /// The CPUs it ran on.
    pub cpus: Vec<u32>,
}

/// A task that the scenario does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedTask {
    /// Its name.
    pub name: String,
    /// Its pid.
    pub pid: u32,
    /// Why.
    pub why: String,
}

/// What an import says of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceReport {
    /// Bytes of the file.
    pub bytes_read: u64,
    /// Lines of text.
    pub lines: u64,
    /// The first event used, nanoseconds of the trace's clock.
    pub from_ns: u64,
    /// The last one.
    pub to_ns: u64,
    /// The end of the trace, where no more was recovered because the scenario had become as long as a
    /// document may be; none: all was recovered.
    pub cut_at_ns: Option<u64>,
    /// Events used.
    pub events: Vec<EventCount>,
    /// Events passed over: they say nothing of demand.
    pub other_events: Vec<EventCount>,
    /// Events outside the times asked for.
    pub outside: u64,
    /// The CPUs of the scenario, by their numbers in the trace.
    pub cpus: Vec<u32>,
    /// Whether there is a flags column, which tells interrupts from tasks.
    pub flags: bool,
    /// Wake-ups given to timers because of who ran when (or because the caller said so).
    pub judged_timers: u64,
    /// Wake-ups given to the running tasks so.
    pub judged_tasks: u64,
    /// The tick, where it can be seen.
    pub tick: Option<TickFinding>,
    /// From a wake-up to the switch on an idle CPU, the median, nanoseconds; none: never seen.
    pub wakeup_ns: Option<u64>,
    /// The tasks of the scenario, the largest CPU time first.
    pub tasks: Vec<TracedTask>,
    /// Tasks left out.
    pub dropped: Vec<DroppedTask>,
    /// What was odd.
    pub oddities: Oddities,
}

impl TraceReport {
    /// What was odd or could not be used, in sentences, each with its count and first place.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        let odd = &self.oddities;
        let mut out = Vec::new();
        let has = |name: &str| self.events.iter().any(|event| event.name == name);
        if self.cpus.len() > 1 && has("sched_wakeup") && !has("sched_waking") {
            out.push(
                "there is no sched_waking: a wake-up that a task sent to an idle CPU looks as a timer's there, and is \
                 taken as one"
                    .to_owned(),
            );
        }
        let mut met = |met: Met, one: &str, many: &str, then: &str| {
            if met.count > 0 {
                let what = if met.count == 1 { one } else { many };
                let first = if met.count == 1 { "" } else { "the first " };
                out.push(format!("{} {what} ({first}at line {}){then}", met.count, met.first_line));
            }
        };
        met(
            odd.losses,
            "loss of events",
            "losses of events",
            &match odd.lost_events {
                0 => String::new(),
                lost => format!(": {lost} events are missing"),
            },
        );
        met(
            odd.gaps,
            "switch does not fit the one before",
            "switches do not fit the ones before",
            ": events are missing",
        );
        met(odd.swapped, "event is earlier than one before", "events are earlier than one before", ": put in order");
        met(odd.late, "event is too late for that", "events are too late for that", ": left out");
        met(odd.clock_jumps, "jump back of the clock", "jumps back of the clock", ": what went on across it is cut");
        met(odd.unreadable, "scheduler event cannot be read", "scheduler events cannot be read", ": left out");
        met(odd.strange, "line is no event", "lines are no events", ": left out");
        met(
            odd.cpus_beyond,
            "event on a CPU number of 1024 or more",
            "events on CPU numbers of 1024 or more",
            ": left out",
        );
        let mut count = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => out.push(format!("1 {one}")),
            _ => out.push(format!("{count} {many}")),
        };
        count(
            odd.overwritten,
            "event had been overwritten before the trace was read",
            "events had been overwritten before the trace was read",
        );
        count(odd.missing_switches, "switch to another CPU is missing", "switches to another CPU are missing");
        count(
            odd.unseen_wakeups,
            "sleep has no wake-up in the trace: it ends at the next run",
            "sleeps have no wake-up in the trace: they end at the next run",
        );
        count(
            odd.reused_pids,
            "pid came up again without an exit: taken as a new task",
            "pids came up again without an exit: taken as new tasks",
        );
        count(
            odd.running_at_start,
            "task ran already at the start: its demand begins there",
            "tasks ran already at the start: their demand begins there",
        );
        count(
            odd.waiting_at_start,
            "task waited for a CPU at the start: its demand begins there",
            "tasks waited for a CPU at the start: their demand begins there",
        );
        count(
            odd.running_at_end,
            "task ran at the end: its last run is cut",
            "tasks ran at the end: their last runs are cut",
        );
        count(odd.waiting_at_end, "task waited for a CPU at the end", "tasks waited for a CPU at the end");
        if odd.lost_ns > 0 {
            out.push(format!("{:.3} ms of tasks after losses are unknown: taken as sleep", odd.lost_ns as f64 / 1e6));
        }
        if let Some(line) = odd.cut_line {
            out.push(format!("the last line, {line}, is cut: left out"));
        }
        if let Some(byte) = odd.gzip_broken_at {
            out.push(format!("the gzip data breaks off or is damaged at byte {byte}: what came before was used"));
        }
        if let Some(end) = self.cut_at_ns {
            out.push(format!(
                "the demand from {:.6} s to {:.6} s is not in the scenario: a document has no room for more; import a \
                 later part on its own",
                self.to_ns as f64 / 1e9,
                end as f64 / 1e9
            ));
        }
        out
    }
}
