//! A long trace is streamed: what is kept is what was recovered, not the text. A file of its own,
//! because the counter sees all that happens in it.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use std::fmt::Write;

use schedlab_scenario::import::trace::{TraceImport, TraceOptions};

/// So much text is fed.
const TEXT: u64 = 50 << 20;
/// More than that is never held: the recovered steps are a few MiB.
const MOST_HELD: u64 = 12 << 20;

#[test]
fn fifty_mebibytes_are_streamed_in_bounded_memory() {
    let (mut fed, mut events, mut lines) = (0, 0, 0);
    let held = allocation_counter::measure(|| {
        let mut import = TraceImport::new(TraceOptions::default());
        let (mut round, mut piece) = (0_u64, String::new());
        while fed < TEXT {
            piece.clear();
            for _ in 0..100 {
                add_round(&mut piece, round);
                round += 1;
            }
            import.feed(piece.as_bytes()).unwrap();
            fed += piece.len() as u64;
        }
        (events, lines) = (import.events(), import.lines());
        assert_eq!(import.bytes_read(), fed);
    });
    println!(
        "{} MiB of text, {lines} lines, {events} events used: at most {} KiB held",
        fed >> 20,
        held.bytes_max >> 10
    );
    assert!(lines > 300_000);
    assert!(held.bytes_max < MOST_HELD, "{} KiB were held", held.bytes_max >> 10);
}

/// A task is woken, runs and sleeps, on one of four CPUs; other events come between.
fn add_round(text: &mut String, round: u64) {
    let (cpu, pid, at) = (round % 4, 100 + round % 7, round * 250);
    let time = |at: u64| format!("{}.{:06}", at / 1_000_000, at % 1_000_000);
    let (woken, came, left) = (time(at), time(at + 3), time(at + 100 + round % 90));
    writeln!(
        text,
        "  <idle>-0  [00{cpu}] dNh4. {woken}: sched_wakeup: comm=task pid={pid} prio=120 target_cpu=00{cpu}"
    )
    .unwrap();
    writeln!(
        text,
        "  <idle>-0  [00{cpu}] d..2. {came}: sched_switch: prev_comm=swapper/{cpu} prev_pid=0 prev_prio=120 prev_state=R ==> \
         next_comm=task next_pid={pid} next_prio=120"
    )
    .unwrap();
    writeln!(text, "  task-{pid}  [00{cpu}] ..... {came}: sys_enter: NR 1 (1, 7ffc, 8, 0, 0, 0)").unwrap();
    writeln!(
        text,
        "  task-{pid}  [00{cpu}] d..2. {left}: sched_switch: prev_comm=task prev_pid={pid} prev_prio=120 prev_state=S ==> \
         next_comm=swapper/{cpu} next_pid=0 next_prio=120"
    )
    .unwrap();
}
