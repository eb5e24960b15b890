//! The command lines of `schedlab import` and `schedlab schedstat`. Their comments are the help.
//! Not for doing anything.

use std::path::PathBuf;

use clap::ValueEnum;
use schedlab_scenario::import::trace;

use super::{Output, Set, TextFormat};

#[derive(Debug, clap::Args)]
pub struct Import {
    /// A trace or an rt-app file; - is standard input.
    #[arg(required_unless_present = "machine")]
    pub file: Option<PathBuf>,
    /// A folder of what was copied from a machine: its CPUs, kernel, flags and tunables.
    ///
    /// Known are `lscpu -J` (with -e or without), the files of the scheduler's debugfs folder
    /// (base_slice_ns, features, preempt, domains …), `sysctl kernel.sched_*`, /proc/schedstat, `uname -r`,
    /// the kernel's configuration and command line, under any names. With a trace, the trace's scenario
    /// gets this machine.
    #[arg(long, value_name = "DIR")]
    pub machine: Option<PathBuf>,
    /// The kernel release of the scenario; none: 6.12, or the nearest to the machine's.
    #[arg(long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// Ticks a second (100, 250, 300, 1000); none: as the trace shows them.
    #[arg(long, value_name = "N", value_parser = hz)]
    pub hz: Option<u32>,
    /// A trace without the flags column: what to believe of wake-ups while a task runs.
    #[arg(long, value_enum, default_value_t = Wakers::Judged)]
    pub wakers: Wakers,
    /// Use the trace from this time on: seconds of its own clock, such as 5075.9.
    #[arg(long = "from", value_name = "SECONDS", value_parser = seconds)]
    pub from_ns: Option<u64>,
    /// Use the trace up to this time.
    #[arg(long = "to", value_name = "SECONDS", value_parser = seconds)]
    pub to_ns: Option<u64>,
    /// Do not run the scenario to compare it with the trace.
    #[arg(long)]
    pub no_replay: bool,
    #[command(flatten)]
    pub set: Set,
    /// How to print the report.
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, clap::Args)]
pub struct Schedstat {
    /// The earlier snapshot; - is standard input.
    pub first: PathBuf,
    /// The later snapshot; - is standard input.
    pub second: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wakers {
    /// Judge by who ran when: timers strike whoever runs.
    Judged,
    /// They are timers that interrupted the task.
    Timers,
    /// The task made them.
    Tasks,
}

impl From<Wakers> for trace::Wakers {
    fn from(wakers: Wakers) -> Self {
        match wakers {
            Wakers::Judged => Self::Judged,
            Wakers::Timers => Self::Timers,
            Wakers::Tasks => Self::Tasks,
        }
    }
}

/// A tick frequency that Linux offers.
fn hz(text: &str) -> Result<u32, String> {
    let hz = text.parse().ok().filter(|hz| schedlab_scenario::HZ.contains(hz));
    hz.ok_or_else(|| "expected 100, 250, 300 or 1000".to_owned())
}

/// Seconds of a trace's clock as nanoseconds.
fn seconds(text: &str) -> Result<u64, String> {
    super::time(&format!("{text}s")).map_err(|_| "expected seconds such as 5075.958079".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_frequencies() {
        assert_eq!(seconds("5075.958079"), Ok(5_075_958_079_000));
        assert_eq!(seconds("3"), Ok(3_000_000_000));
        assert!(seconds("3ms").is_err() && seconds("").is_err() && seconds("-1").is_err());
        assert_eq!(hz("250"), Ok(250));
        assert!(hz("123").is_err() && hz("x").is_err());
    }
}
