//! Lines of every form and their readings.

use super::*;

fn event(line: &str) -> Event<'_> {
    match read(line.as_bytes()) {
        Line::Event(event) => event,
        other => panic!("{line}: {other:?}"),
    }
}

fn thread(comm: &str, pid: u32, prio: i32) -> Thread<'_> {
    Thread { comm: comm.as_bytes(), pid, prio: Some(prio), target: None }
}

const SWITCH: &str = "sched_switch: prev_comm=bash prev_pid=1234 prev_prio=120 prev_state=R+ ==> \
                      next_comm=my app next_pid=5678 next_prio=49";

#[test]
fn a_switch_reads_the_same_in_every_form() {
    let what =
        What::Switch { prev: thread("bash", 1234, 120), left: Left::Preempted, next: thread("my app", 5678, 49) };
    for (before, context) in [
        ("            bash-1234  [002] d..2.  5075.958079: ", Context::Task),
        ("            bash-1234    (  1230) [002] d..2  5075.958079: ", Context::Task),
        ("            bash-1234    (-------) [002] d.h2.  5075.958079: ", Context::Interrupt),
        ("            bash-1234  [002]  5075.958079000: ", Context::Unsaid),
        ("bash  1234 [002]  5075.958079: sched:", Context::Unsaid),
        ("bash  1230/1234  [002]  5075.958079:       sched:", Context::Unsaid),
    ] {
        let line = format!("{before}{SWITCH}");
        let expected =
            Event { at_ns: 5_075_958_079_000, cpu: 2, pid: 1234, comm: b"bash", context, what: what.clone() };
        assert_eq!(event(&line), expected, "{line}");
    }
    let own = "  bash-1234  [002]  5075.958079: sched_switch:         bash:1234 [120] R+ ==> my app:5678 [49]";
    assert_eq!(event(own).what, what);
}

#[test]
fn a_comm_may_contain_what_separates() {
    let line = "kworker/0:1-m [7]-x-10  [001] dNs2. 3.1: sched_switch: prev_comm=a [3] prev_pid= b=1 prev_pid=10 \
                prev_prio=120 prev_state=D|K ==> next_comm=-1 ==> next_pid=0 next_prio=120";
    // The last arrow is the one that counts, so a comm with an arrow is cut there and the line given up.
    assert_eq!(read(line.as_bytes()), Line::Unreadable(b"sched_switch"));
    let line = line.replace("-1 ==>", "x next_pid=3");
    let event = event(&line);
    assert_eq!(event.comm, b"kworker/0:1-m [7]-x");
    assert_eq!((event.pid, event.cpu, event.at_ns, event.context), (10, 1, 3_100_000_000, Context::Interrupt));
    let What::Switch { prev, left, next } = event.what else { panic!() };
    assert_eq!((prev.comm, prev.pid, left), (&b"a [3] prev_pid= b=1"[..], 10, Left::Blocked));
    assert_eq!((next.comm, next.pid), (&b"x next_pid=3"[..], 0));
}

#[test]
fn states_of_all_kernels() {
    for (text, expected) in [
        ("R", Left::Runnable),
        ("R+", Left::Preempted),
        ("S", Left::Blocked),
        ("D", Left::Blocked),
        ("I", Left::Blocked),
        ("t", Left::Blocked),
        ("S|W", Left::Blocked),
        ("X", Left::Exited),
        ("Z", Left::Exited),
        ("x", Left::Exited),
        ("0", Left::Runnable),
        ("0x0", Left::Runnable),
        ("1", Left::Blocked),
        ("0x2", Left::Blocked),
        ("0x80", Left::Exited),
        ("0x100", Left::Preempted),
    ] {
        assert_eq!(left(text.as_bytes()), Some(expected), "{text}");
    }
    assert_eq!(left(b""), None);
    assert_eq!(left(b"?"), None);
}

#[test]
fn wake_ups_migrations_forks_and_exits() {
    let head = "  <idle>-0       [001] dNh4.  5075.958101: ";
    let woken = |comm, pid, prio| Thread { target: Some(1), ..thread(comm, pid, prio) };
    for (text, expected) in [
        ("sched_waking: comm=x y pid=7 prio=120 target_cpu=001", What::Waking(woken("x y", 7, 120))),
        ("sched_wakeup: comm=x pid=7 prio=98 success=1 target_cpu=001", What::Wakeup(woken("x", 7, 98))),
        ("sched_wakeup: x:7 [98] success=1 CPU:001", What::Wakeup(woken("x", 7, 98))),
        ("sched_wakeup: x:7 [98]<CANT FIND FIELD success> CPU:001", What::Wakeup(woken("x", 7, 98))),
        ("sched_wakeup_new: comm=x pid=7 prio=-1 target_cpu=001", What::WakeupNew(woken("x", 7, -1))),
        ("sched_migrate_task: comm=x pid=7 prio=120 orig_cpu=0 dest_cpu=1", What::Migrate { pid: 7, from: 0 }),
        ("sched_process_fork: comm=sh pid=5 child_comm=a child_pid=7", What::Fork { parent: 5, child: 7, comm: b"a" }),
        ("sched_process_exit: comm=a pid=7 prio=120", What::Exit { pid: 7 }),
    ] {
        assert_eq!(event(&format!("{head}{text}")).what, expected, "{text}");
    }
}

#[test]
fn what_is_no_event_is_told_apart() {
    for (line, expected) in [
        ("", Line::Nothing),
        ("# tracer: nop", Line::Nothing),
        ("# entries-in-buffer/entries-written: 10/10   #P:4", Line::Head { cpus: Some(4), overwritten: 0 }),
        ("# entries-in-buffer/entries-written: 10/35   #P:2", Line::Head { cpus: Some(2), overwritten: 25 }),
        ("cpus=8", Line::Head { cpus: Some(8), overwritten: 0 }),
        ("version = 7", Line::Nothing),
        ("\tffffffffa1b2c3d4 __schedule+0x4 ([kernel.kallsyms])", Line::Nothing),
        (" => schedule", Line::Nothing),
        ("CPU:2 [LOST 1234 EVENTS]", Line::Lost { cpu: Some(2), events: Some(1234) }),
        ("CPU:3 [12 EVENTS DROPPED]", Line::Lost { cpu: Some(3), events: Some(12) }),
        ("CPU:1 [EVENTS DROPPED]", Line::Lost { cpu: Some(1), events: None }),
        ("a 7 [001] 5.0: PERF_RECORD_LOST lost 12", Line::Lost { cpu: Some(1), events: Some(12) }),
        ("a-7 [001] d... 5.000001: timer_start: timer=00 function=x", Line::OtherEvent(b"timer_start")),
        ("a-7 [001] d... 5.000001: sched_switch: prev_comm=a prev_pi", Line::Unreadable(b"sched_switch")),
        ("a-7 [001] d... 5.000001: sched_wakeup: comm=", Line::Unreadable(b"sched_wakeup")),
        ("hello", Line::Strange),
        ("a-7 [001] d... 5.00", Line::Strange),
        ("a-7 [001] 99999999999999999.0: sched_switch: x", Line::Strange),
    ] {
        assert_eq!(read(line.as_bytes()), expected, "{line}");
    }
}
