//! Why a trace cannot be imported. Not for what is merely odd in one: the report tells of that.

/// Why a trace cannot be imported at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// There is nothing.
    #[error("the file is empty; expected a trace as text: ftrace, `trace-cmd report` or `perf sched script`")]
    Empty,
    /// It is a file of another kind.
    #[error("this is {what}; a trace is imported as text")]
    Binary {
        /// What it is, and what to do instead.
        what: &'static str,
    },
    /// Nothing of a gzip file could be read.
    #[error("the gzip data is damaged at byte {at_byte}, before the first line of text")]
    Gzip {
        /// Where.
        at_byte: u64,
    },
    /// There are no events of the scheduler.
    #[error(
        "none of the {lines} lines is a scheduler event{seen}; expected sched_switch and sched_waking or \
         sched_wakeup, as `perf sched record` and `trace-cmd record -e sched` record them"
    )]
    NoEvents {
        /// Lines read.
        lines: u64,
        /// What was seen instead, in words; may be empty.
        seen: String,
    },
    /// Nothing lies between the times asked for.
    #[error("no scheduler event lies between {from} s and {to} s; the trace has {first} s to {last} s")]
    Window {
        /// The time asked for.
        from: String,
        /// The time asked for.
        to: String,
        /// The first event.
        first: String,
        /// The last event.
        last: String,
    },
    /// No task ran.
    #[error("no task ran in the {events} scheduler events: without sched_switch there is no demand to recover")]
    NoTasks {
        /// Events used.
        events: u64,
    },
    /// The document would be larger than one may be.
    #[error(
        "the scenario would have {} KiB and a document at most {}; import a part of the trace, such as up to {:.3} s",
        .bytes.div_ceil(1024), .limit >> 10, *.fits_to_ns as f64 / 1e9
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
        /// A time up to which it would most likely fit, nanoseconds of the trace's clock.
        fits_to_ns: u64,
    },
}
