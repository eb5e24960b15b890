//! One line of a trace as text: the forms of ftrace, `trace-cmd report`, `perf script` and
//! `perf sched script`, with or without the flags column, of old and new kernels.
//! Not for what events mean together: `recover` follows the tasks.

use memchr::{memchr, memmem, memrchr};

/// What a line is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line<'l> {
    /// A scheduler event.
    Event(Event<'l>),
    /// An event that says nothing of demand; its name.
    OtherEvent(&'l [u8]),
    /// A scheduler event whose fields could not be read; its name.
    Unreadable(&'l [u8]),
    /// The tracer lost events here: on which CPU, and how many, as far as it says.
    Lost { cpu: Option<u32>, events: Option<u64> },
    /// A head says how many CPUs the machine has, or that the buffer had wrapped round.
    Head { cpus: Option<u32>, overwritten: u64 },
    /// A heading, a blank line, part of a call chain.
    Nothing,
    /// None of these.
    Strange,
}

/// A scheduler event.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event<'l> {
    /// The trace's clock, nanoseconds.
    pub at_ns: u64,
    /// Where it was recorded.
    pub cpu: u32,
    /// What ran there.
    pub pid: u32,
    /// Its comm; `<...>` where ftrace did not know it.
    pub comm: &'l [u8],
    /// What context it was recorded in.
    pub context: Context,
    /// What happened.
    pub what: What<'l>,
}

/// In what context an event was recorded, by the flags column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The task itself.
    Task,
    /// An interrupt or a soft interrupt: the task had nothing to do with it.
    Interrupt,
    /// There is no flags column.
    Unsaid,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What<'l> {
    Switch { prev: Thread<'l>, left: Left, next: Thread<'l> },
    Waking(Thread<'l>),
    Wakeup(Thread<'l>),
    WakeupNew(Thread<'l>),
    Migrate { pid: u32, from: u32 },
    Fork { parent: u32, child: u32, comm: &'l [u8] },
    Exit { pid: u32 },
}

/// A thread as an event names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thread<'l> {
    pub comm: &'l [u8],
    pub pid: u32,
    /// The kernel's priority: 120 is nice 0, below 100 is real-time; none: not said.
    pub prio: Option<i32>,
    /// The CPU it is woken on, where an event says so.
    pub target: Option<u32>,
}

/// In what state a task left the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// `R+`: preempted inside the kernel.
    Preempted,
    /// `R`: preempted on the way to user mode, or it yielded; in old kernels any preemption.
    Runnable,
    /// Asleep: S, D, I, T and others.
    Blocked,
    /// Dead.
    Exited,
}

const NAMES: [&[u8]; 7] = [
    b"sched_switch",
    b"sched_waking",
    b"sched_wakeup",
    b"sched_wakeup_new",
    b"sched_migrate_task",
    b"sched_process_fork",
    b"sched_process_exit",
];

/// Reads a line, without its line end.
pub(super) fn read(line: &[u8]) -> Line<'_> {
    let trimmed = trim(line);
    if trimmed.is_empty() {
        return Line::Nothing;
    }
    if trimmed[0] == b'#' {
        return head(trimmed);
    }
    if let Some(lost) = lost(trimmed) {
        return lost;
    }
    let Some(header) = header(line) else { return without_header(trimmed) };
    let Some(colon) = memchr(b':', header.rest) else { return Line::Strange };
    let (mut name, mut fields) = (&header.rest[..colon], &header.rest[colon + 1..]);
    // perf writes the subsystem before the name.
    if name == b"sched" {
        let Some(colon) = memchr(b':', fields) else { return Line::Strange };
        (name, fields) = (&fields[..colon], &fields[colon + 1..]);
    }
    if !NAMES.contains(&name) {
        return if !name.is_empty() && name.iter().all(|byte| byte.is_ascii_graphic()) {
            Line::OtherEvent(name)
        } else {
            Line::Strange
        };
    }
    match what(name, trim(fields)) {
        Some(what) => {
            let Header { at_ns, cpu, pid, comm, context, .. } = header;
            Line::Event(Event { at_ns, cpu, pid, comm, context, what })
        }
        None => Line::Unreadable(name),
    }
}

/// What stands before an event's name.
struct Header<'l> {
    pid: u32,
    comm: &'l [u8],
    cpu: u32,
    context: Context,
    at_ns: u64,
    rest: &'l [u8],
}

/// `comm-pid [cpu] flags time: …` of ftrace and trace-cmd, `comm pid [cpu] time: …` of perf. A
/// comm may contain all these signs, so every bracket is tried.
fn header(line: &[u8]) -> Option<Header<'_>> {
    let mut from = 0;
    while let Some(open) = memchr(b'[', &line[from..]) {
        let open = from + open;
        from = open + 1;
        let Some((cpu, after)) = leading_number(&line[from..]) else { continue };
        let Some(after) = after.strip_prefix(b"]") else { continue };
        let Some((context, at_ns, rest)) = flags_and_time(after) else { continue };
        let Some((comm, pid)) = comm_and_pid(&line[..open]) else { continue };
        return Some(Header { pid, comm, cpu: u32::try_from(cpu).ok()?, context, at_ns, rest });
    }
    None
}

fn flags_and_time(text: &[u8]) -> Option<(Context, u64, &[u8])> {
    let text = trim_start(text);
    if let Some((at_ns, rest)) = time(text) {
        return Some((Context::Unsaid, at_ns, rest));
    }
    let end = memchr(b' ', text)?;
    let flags = &text[..end];
    if !(4..=8).contains(&flags.len()) {
        return None;
    }
    let (at_ns, rest) = time(trim_start(&text[end..]))?;
    // Interrupts off, need-resched, then what kind of interrupt it is in.
    let context = match flags[2] {
        b'h' | b'H' | b's' | b'z' | b'Z' => Context::Interrupt,
        _ => Context::Task,
    };
    Some((context, at_ns, rest))
}

/// `5075.958079:` or with nine digits; what follows the colon.
fn time(text: &[u8]) -> Option<(u64, &[u8])> {
    let (seconds, rest) = leading_number(text)?;
    let rest = rest.strip_prefix(b".")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 9 || rest.get(digits) != Some(&b':') {
        return None;
    }
    let (fraction, _) = leading_number(&rest[..digits])?;
    let ns = fraction * 10_u64.pow(9 - u32::try_from(digits).ok()?);
    let at_ns = seconds.checked_mul(1_000_000_000)?.checked_add(ns)?;
    Some((at_ns, trim_start(&rest[digits + 1..])))
}

/// `bash-1234`, `bash-1234  (1230)`, `bash  1234`, `bash  1230/1234`.
fn comm_and_pid(text: &[u8]) -> Option<(&[u8], u32)> {
    let mut text = trim(text);
    if text.ends_with(b")") {
        text = trim_end(&text[..memrchr(b'(', text)?]);
    }
    let (mut before, pid) = trailing_number(text)?;
    if let Some(process) = before.strip_suffix(b"/") {
        (before, _) = trailing_number(process)?;
    }
    let sign = before.last().copied()?;
    matches!(sign, b'-' | b' ' | b'\t').then(|| (trim(&before[..before.len() - 1]), pid))
}

/// A number at the end, and what stands before it.
fn trailing_number(text: &[u8]) -> Option<(&[u8], u32)> {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, digits) = text.split_at(text.len() - digits);
    Some((before, number(digits)?))
}

fn what<'l>(name: &[u8], fields: &'l [u8]) -> Option<What<'l>> {
    Some(match name {
        b"sched_switch" => switch(fields)?,
        b"sched_waking" => What::Waking(woken(fields)?),
        b"sched_wakeup" => What::Wakeup(woken(fields)?),
        b"sched_wakeup_new" => What::WakeupNew(woken(fields)?),
        b"sched_migrate_task" => {
            What::Migrate { pid: unsigned_after(fields, b" pid=")?, from: unsigned_after(fields, b"orig_cpu=")? }
        }
        b"sched_process_fork" => {
            // comm=sh pid=10 child_comm=sh child_pid=11
            let child = memmem::rfind(fields, b"child_comm=")?;
            let end = memmem::rfind(fields, b" child_pid=")?;
            What::Fork {
                parent: unsigned_after(&fields[..child], b" pid=")?,
                child: unsigned_after(fields, b"child_pid=")?,
                comm: fields.get(child + b"child_comm=".len()..end)?,
            }
        }
        _ => What::Exit { pid: unsigned_after(fields, b"pid=")? },
    })
}

fn switch(fields: &[u8]) -> Option<What<'_>> {
    let arrow = memmem::rfind(fields, b" ==> ")?;
    let (prev, next) = (&fields[..arrow], &fields[arrow + 5..]);
    let (prev, left, next) = if prev.starts_with(PREV.comm) {
        let state = memmem::rfind(prev, b" prev_state=")?;
        let left = left(&prev[state + b" prev_state=".len()..])?;
        (named(&prev[..state], &PREV)?, left, named(next, &NEXT)?)
    } else {
        // libtraceevent's own form: bash:1234 [120] R ==> make:5678 [120]
        let (thread, rest) = bracketed(prev)?;
        (thread, left(trim(rest))?, bracketed(next)?.0)
    };
    Some(What::Switch { prev, left, next })
}

/// `comm=bash pid=1234 prio=120 target_cpu=002`, or `bash:1234 [120] CPU:002`.
fn woken(fields: &[u8]) -> Option<Thread<'_>> {
    if fields.starts_with(ONLY.comm) {
        let target = unsigned_after(fields, b" target_cpu=");
        return named(fields, &ONLY).map(|thread| Thread { target, ..thread });
    }
    let (thread, rest) = bracketed(fields)?;
    Some(Thread { target: unsigned_after(rest, b"CPU:"), ..thread })
}

/// The keys under which an event names a thread.
struct Keys {
    comm: &'static [u8],
    pid: &'static [u8],
    prio: &'static [u8],
}

const PREV: Keys = Keys { comm: b"prev_comm=", pid: b" prev_pid=", prio: b" prev_prio=" };
const NEXT: Keys = Keys { comm: b"next_comm=", pid: b" next_pid=", prio: b" next_prio=" };
const ONLY: Keys = Keys { comm: b"comm=", pid: b" pid=", prio: b" prio=" };

/// `prev_comm=bash prev_pid=1234 prev_prio=120`: the comm may contain blanks and equals signs.
fn named<'l>(fields: &'l [u8], keys: &Keys) -> Option<Thread<'l>> {
    let comm = fields.strip_prefix(keys.comm)?;
    let end = memmem::rfind(comm, keys.pid)?;
    let after = &comm[end + keys.pid.len()..];
    let (number, rest) = leading_number(after)?;
    let prio = rest.strip_prefix(keys.prio).and_then(integer);
    Some(Thread { comm: &comm[..end], pid: u32::try_from(number).ok()?, prio, target: None })
}

/// `bash:1234 [120]` and what follows.
fn bracketed(text: &[u8]) -> Option<(Thread<'_>, &[u8])> {
    let open = memmem::rfind(text, b" [")?;
    let (before, pid) = trailing_number(trim_end(&text[..open]))?;
    let comm = before.strip_suffix(b":")?;
    let close = open + memchr(b']', &text[open..])?;
    let thread = Thread { comm, pid, prio: integer(&text[open + 2..close]), target: None };
    Some((thread, &text[close + 1..]))
}

/// `R+`, `R`, `S`, `D|K`, `x` …, or a number where the names were not known.
fn left(text: &[u8]) -> Option<Left> {
    Some(match text.first()? {
        b'R' if text.get(1) == Some(&b'+') => Left::Preempted,
        b'R' => Left::Runnable,
        b'X' | b'Z' | b'x' => Left::Exited,
        b'0'..=b'9' => {
            let value = match text.strip_prefix(b"0x") {
                Some(hex) => u64::from_str_radix(std::str::from_utf8(hex).ok()?.trim(), 16).ok()?,
                None => leading_number(text)?.0,
            };
            // EXIT_DEAD, EXIT_ZOMBIE and TASK_DEAD; sleeping states are below.
            match value & 0xff {
                0 if value == 0 => Left::Runnable,
                0 => Left::Preempted,
                state if state & 0xb0 != 0 => Left::Exited,
                _ => Left::Blocked,
            }
        }
        byte if byte.is_ascii_alphabetic() => Left::Blocked,
        _ => return None,
    })
}

/// `# entries-in-buffer/entries-written: 4198/10000   #P:4`, or any other heading.
fn head(line: &[u8]) -> Line<'_> {
    let cpus = unsigned_after(line, b"#P:");
    let mut overwritten = 0;
    if let Some(place) = memmem::find(line, b"entries-written:")
        && let Some((kept, rest)) = leading_number(trim_start(&line[place + b"entries-written:".len()..]))
        && let Some((written, _)) = rest.strip_prefix(b"/").and_then(leading_number)
    {
        overwritten = written.saturating_sub(kept);
    }
    if cpus.is_none() && overwritten == 0 { Line::Nothing } else { Line::Head { cpus, overwritten } }
}

/// `CPU:2 [LOST 1234 EVENTS]`, `CPU:2 [12 EVENTS DROPPED]`, `CPU:2 [EVENTS DROPPED]`, and perf's `PERF_RECORD_LOST lost 12`.
fn lost(line: &[u8]) -> Option<Line<'_>> {
    if let Some(rest) = line.strip_prefix(b"CPU:") {
        let (cpu, rest) = leading_number(rest)?;
        let cpu = u32::try_from(cpu).ok();
        let rest = trim_start(rest).strip_prefix(b"[")?;
        let events = leading_number(rest.strip_prefix(b"LOST ").unwrap_or(rest)).map(|(events, _)| events);
        return (events.is_some() || memmem::find(rest, b"EVENTS DROPPED").is_some())
            .then_some(Line::Lost { cpu, events });
    }
    let place = memmem::find(line, b"PERF_RECORD_LOST")?;
    let events = memmem::find(&line[place..], b"lost ")
        .and_then(|at| leading_number(&line[place + at + b"lost ".len()..]))
        .map(|(events, _)| events);
    Some(Line::Lost { cpu: header(line).map(|header| header.cpu), events })
}

/// What can stand in a trace beside events.
fn without_header(line: &[u8]) -> Line<'_> {
    if let Some(rest) = line.strip_prefix(b"cpus=") {
        return Line::Head { cpus: number(trim(rest)), overwritten: 0 };
    }
    // A frame of a call chain begins with an address; ftrace marks its own with an arrow.
    let address = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let frame = address >= 6 && line.get(address).is_none_or(|byte| *byte == b' ');
    let starts = |beginning: &[u8]| line.starts_with(beginning);
    if frame || starts(b"=>") || starts(b"version = ") || starts(b"CPU ") || starts(b"trace.dat") {
        return Line::Nothing;
    }
    Line::Strange
}

fn unsigned_after(text: &[u8], key: &[u8]) -> Option<u32> {
    let place = memmem::rfind(text, key)?;
    leading_number(&text[place + key.len()..]).and_then(|(number, _)| u32::try_from(number).ok())
}

/// A number at the beginning, and what follows.
fn leading_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 18 {
        return None;
    }
    let value = text[..digits].iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
    Some((value, &text[digits..]))
}

fn number(text: &[u8]) -> Option<u32> {
    leading_number(text).filter(|(_, rest)| rest.is_empty()).and_then(|(number, _)| u32::try_from(number).ok())
}

fn integer(text: &[u8]) -> Option<i32> {
    let (sign, digits) = text.strip_prefix(b"-").map_or((1, text), |digits| (-1, digits));
    leading_number(digits).and_then(|(number, _)| i32::try_from(number).ok()).map(|number| sign * number)
}

fn trim_start(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

fn trim_end(text: &[u8]) -> &[u8] {
    text.trim_ascii_end()
}

fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
