//! ftrace text, which Perfetto, Trace Compass, KernelShark's readers and scripts import.

use std::fmt::Write;

use schedlab_sim::{Run, TaskId};

use super::event::{Event, Kind, events, prev_state};
use super::{Thread, Traced};

/// The record as the `trace` file of tracefs would show it.
#[must_use]
pub fn ftrace(run: &Run, traced: &Traced) -> String {
    print(&events(run.record.iter(), traced.tasks.len()), traced, run.cpus.len())
}

fn print(events: &[Event], traced: &Traced, cpus: usize) -> String {
    let lines: Vec<String> = events.iter().flat_map(|event| lines(event, traced)).collect();
    let count = lines.len();
    let mut text = format!(
        "# tracer: nop\n#\n# entries-in-buffer/entries-written: {count}/{count}   #P:{cpus}\n#\n\
         #                                _-----=> irqs-off/BH-disabled\n\
         #                               / _----=> need-resched\n\
         #                              | / _---=> hardirq/softirq\n\
         #                              || / _--=> preempt-depth\n\
         #                              ||| / _-=> migrate-disable\n\
         #                              |||| /     delay\n\
         #           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n\
         #              | |         |   |||||     |         |\n"
    );
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The idle thread has a name a CPU, and no number.
fn of(traced: &Traced, task: TaskId, cpu: u16) -> Thread {
    let idle = || Thread { comm: format!("swapper/{cpu}"), tid: 0, prio: 120 };
    traced.get(task).cloned().unwrap_or_else(idle)
}

fn lines(event: &Event, traced: &Traced) -> Vec<String> {
    let Event { at_ns, cpu, running, kind } = *event;
    let context = of(traced, running, cpu);
    let comm = if context.tid == 0 { "<idle>" } else { &context.comm };
    let (seconds, micros) = (at_ns / 1_000_000_000, at_ns % 1_000_000_000 / 1_000);
    // Wake-ups come in an interrupt as often as not; switches with preemption off.
    let flags = match kind {
        Kind::Switch { .. } | Kind::Fork(_) | Kind::WakeupNew(_) => "d..2.",
        _ => "dNh2.",
    };
    let line =
        |what: String| format!("{comm:>16}-{:<5} [{cpu:03}] {flags} {seconds:>5}.{micros:06}: {what}", context.tid);
    let woken = |name: &str, task| {
        let Thread { comm, tid, prio } = of(traced, task, cpu);
        line(format!("{name}: comm={comm} pid={tid} prio={prio} target_cpu={cpu:03}"))
    };
    match kind {
        Kind::Waking(task) => vec![woken("sched_waking", task)],
        Kind::Wakeup(task) => vec![woken("sched_wakeup", task)],
        Kind::WakeupNew(task) => vec![woken("sched_wakeup_new", task)],
        Kind::Fork(task) => {
            let child = of(traced, task, cpu);
            let Thread { comm, tid, .. } = &context;
            let (child_comm, child_pid) = (child.comm, child.tid);
            vec![line(format!(
                "sched_process_fork: comm={comm} pid={tid} child_comm={child_comm} child_pid={child_pid}"
            ))]
        }
        Kind::Migrate { task, from } => {
            let Thread { comm, tid, prio } = of(traced, task, cpu);
            vec![line(format!("sched_migrate_task: comm={comm} pid={tid} prio={prio} orig_cpu={from} dest_cpu={cpu}"))]
        }
        Kind::Switch { prev, next, reason } => {
            let state = prev_state(prev, reason);
            let (prev, next) = (of(traced, prev, cpu), of(traced, next, cpu));
            let mut switch = String::new();
            // Writing to a string cannot fail.
            let _ = write!(
                switch,
                "sched_switch: prev_comm={} prev_pid={} prev_prio={} prev_state={state} ==> next_comm={} next_pid={} next_prio={}",
                prev.comm, prev.tid, prev.prio, next.comm, next.tid, next.prio
            );
            let exit = (state == "X")
                .then(|| line(format!("sched_process_exit: comm={} pid={} prio={}", prev.comm, prev.tid, prev.prio)));
            exit.into_iter().chain([line(switch)]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entries, traced};
    use super::*;

    #[test]
    fn lines_are_those_of_a_kernel() {
        let text = print(&events(entries(), 2), &traced(), 1);
        assert!(text.starts_with("# tracer: nop\n#\n# entries-in-buffer/entries-written: 9/9   #P:1\n"));
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            lines,
            [
                "          <idle>-0     [000] d..2.     0.001000: sched_process_fork: comm=swapper/0 pid=0 child_comm=gcc child_pid=1000",
                "          <idle>-0     [000] d..2.     0.001000: sched_wakeup_new: comm=gcc pid=1000 prio=120 target_cpu=000",
                "          <idle>-0     [000] d..2.     0.001000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=gcc next_pid=1000 next_prio=120",
                "             gcc-1000  [000] dNh2.     0.002000: sched_waking: comm=make pid=1001 prio=115 target_cpu=000",
                "             gcc-1000  [000] dNh2.     0.002000: sched_wakeup: comm=make pid=1001 prio=115 target_cpu=000",
                "             gcc-1000  [000] d..2.     0.002148: sched_switch: prev_comm=gcc prev_pid=1000 prev_prio=120 prev_state=R+ ==> next_comm=make next_pid=1001 next_prio=115",
                "            make-1001  [000] d..2.     0.002500: sched_switch: prev_comm=make prev_pid=1001 prev_prio=115 prev_state=S ==> next_comm=gcc next_pid=1000 next_prio=120",
                "             gcc-1000  [000] d..2.     0.003999: sched_process_exit: comm=gcc pid=1000 prio=120",
                "             gcc-1000  [000] d..2.     0.003999: sched_switch: prev_comm=gcc prev_pid=1000 prev_prio=120 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120",
            ]
        );
    }
}
