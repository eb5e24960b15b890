//! The command line. Its comments are the help, the man page and the completions.
//! Not for doing anything.

mod import;
mod library;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::command::sweep::{Parameter, shard};
pub use import::{Import, Schedstat};
pub use library::{ExperimentFormat, ExperimentsArgs, ExperimentsCommand, WorkloadArgs, WorkloadCommand};

/// A laboratory for the Linux fair scheduler.
///
/// Runs a scenario document or an rt-app workload on an exact model of the kernel's fair class and
/// tells who ran when, who was preempted and why, and how long each task waited.
///
/// Exit status: 0 done; 1 the run failed; 2 the input or the command line is wrong.
#[derive(Debug, Parser)]
#[command(name = "schedlab", version, arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario and print what happened.
    ///
    /// A document with variants runs every one of them, unless --variant names one; an rt-app file
    /// has two, 6.5 and 6.12. Formats of other tools (perf-latency, timehist, map, hist, schedstat, switches, rt-app-log) show
    /// the first repeat; with several variants each begins with a line `# NAME`.
    Run(Run),
    /// Run every variant and compare each with the first.
    Compare(Compare),
    /// Run a scenario at every value of one or two parameters and print a row a run.
    ///
    /// Runs go to as many threads as there are processors. Rows are in the order of their numbers
    /// and have the figures of one run each; with -o, a sweep that was interrupted goes on where it
    /// ended, and shards of one sweep can run on different machines.
    Sweep(Sweep),
    /// Find which of the differences between two variants carry the change of a figure.
    ///
    /// All that differs (flags, tunables, the rules of a release as one, machine, workload) is switched
    /// one by one, or in groups where there is much, from the first variant and from the second, over
    /// repeats on the same seeds.
    Bisect(Bisect),
    /// Say what was decided at an instant, and why, with the run queue it was decided on.
    ///
    /// Tells of the last instant up to TIME at which the scheduler was entered or a task woke. A
    /// document with variants is explained for each, unless --variant names one.
    Explain(Explain),
    /// Print the scenario of a known benchmark or program, or list them.
    ///
    /// A workload is a function of its parameters; what comes out is a document to read, change and run.
    Workload(WorkloadArgs),
    /// Run published experiments: what was reported beside what the model gives.
    Experiments(ExperimentsArgs),
    /// Write a run's trace, or the workload, in the format of another tool.
    ///
    /// The trace is that of the first repeat, as far as 4 million switches and wake-ups go.
    Export(Export),
    /// List the kernel releases, or the flags and tunables of one.
    Kernels {
        /// The release, such as 6.12; none: the list of all.
        release: Option<String>,
        /// Give the defaults of tunables for a machine of so many CPUs; none: for 1, 2, 4 and 8.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8192), requires = "release")]
        cpus: Option<u32>,
        /// What to print.
        #[arg(long, value_enum, default_value_t = TextFormat::Text)]
        format: TextFormat,
        #[command(flatten)]
        output: Output,
    },
    /// Measure the engine's speed beside a floor: a heap and an ordered set of the same size.
    ///
    /// Times are those of the processor, so that other processes disturb them little.
    Bench(Bench),
    /// Print a link that holds the whole scenario.
    Link {
        /// A scenario document or an rt-app file; - is standard input.
        file: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Print the scenario document that a link holds.
    Unlink {
        /// The link, or its part from the # on; - reads it from standard input.
        link: String,
        #[command(flatten)]
        output: Output,
    },
    /// Make a scenario of a trace, an rt-app file or a machine's own settings.
    ///
    /// A trace is text, plain or gzip: `perf sched script`, `perf script`, `trace-cmd report` or ftrace's
    /// own, with sched_switch and sched_waking or sched_wakeup. The scenario asks for what its tasks asked
    /// for: runs, sleeps, wake-ups of each other. The report says what was used, and how near a replay on
    /// the scenario's release comes to the trace. It goes to standard output, or to standard error where
    /// the scenario goes there.
    Import(Import),
    /// Print the difference of two snapshots of /proc/schedstat as `perf sched stats report` does.
    ///
    /// Both are of one kernel: version 15, 16 or 17.
    Schedstat(Schedstat),
    /// Answer golden cases, or compare the engine with what real kernels did.
    ///
    /// Golden cases: one JSON object a line in, one out, in order; a case that cannot be run ends the
    /// command with exit status 2 and its name. Kernel runs: each is run with the same draws, and a
    /// row a figure says what the kernel had, what the engine gives, and whether that lies within the
    /// aim or the noise; the last line counts them.
    Conformance(Conformance),
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print a manual page.
    Man {
        /// The command the page is about; none: schedlab itself.
        command: Option<String>,
    },
}

/// Which variants are run, and what is changed in the document first.
#[derive(Debug, clap::Args)]
pub struct Chosen {
    /// This variant only; export needs it where a document has several.
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// The seed of the first repeat, in place of the document's.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub set: Set,
}

impl Chosen {
    /// The changes in order, the seed among them.
    pub fn assignments(&self) -> Vec<Assignment> {
        let seed = self.seed.map(|seed| Assignment { path: "run.seed".to_owned(), value: seed.to_string() });
        self.set.assignments.iter().cloned().chain(seed).collect()
    }
}

#[derive(Debug, clap::Args)]
pub struct Run {
    /// A scenario document or an rt-app file; - is standard input.
    pub file: PathBuf,
    #[command(flatten)]
    pub chosen: Chosen,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Summary)]
    pub format: Format,
    /// perf-latency: the sum of delays in place of the times of the longest one.
    #[arg(long)]
    pub sum: bool,
    /// perf-latency: what to sort by, largest first; avg when not given.
    #[arg(long, value_enum, value_name = "KEY")]
    pub sort: Option<Sort>,
    /// timehist: add a table per task.
    #[arg(long)]
    pub summary: bool,
    /// schedstat: append the preemption counters of the class to each CPU's line.
    #[arg(long)]
    pub counters: bool,
    /// hist: a histogram for each.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<By>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, clap::Args)]
pub struct Compare {
    /// A scenario document or an rt-app file; - is standard input.
    pub file: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    pub format: TableFormat,
    /// Show the N rows that changed most only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
    #[command(flatten)]
    pub set: Set,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Sweep {
    #[command(subcommand)]
    pub command: Option<SweepCommand>,
    /// A scenario document or an rt-app file; - is standard input.
    #[arg(required = true)]
    pub file: Option<PathBuf>,
    /// A path as --set takes it and its values: PATH=V1,V2,… or PATH=A..B..STEP; once or twice.
    #[arg(long = "param", value_name = "PATH=VALUES", value_parser = Parameter::parse, required = true)]
    pub parameters: Vec<Parameter>,
    /// Repeats of each point and variant, in place of the document's; repeat r uses seed + r.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: Option<u32>,
    /// Run this variant only.
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// A figure to list, such as tasks.hog.run_delay.p99; may be given several times; none: all.
    #[arg(long = "metric", value_name = "NAME")]
    pub metrics: Vec<String>,
    /// Run the I-th of N equal parts of the sweep only, counted from 1.
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1")]
    pub shard: (u64, u64),
    /// The most runs that are begun.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub limit: u64,
    /// What to print.
    #[arg(long, value_enum, default_value_t = RowFormat::Csv)]
    pub format: RowFormat,
    #[command(flatten)]
    pub set: Set,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Subcommand)]
pub enum SweepCommand {
    /// Put the shards of a sweep together, in the order of the runs.
    ///
    /// Shards that overlap or are missing end the command with exit status 2 and their names.
    Merge {
        /// What the shards wrote, CSV or NDJSON.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Comma-separated values with a heading.
    Csv,
    /// One JSON object a line.
    Ndjson,
}

#[derive(Debug, clap::Args)]
pub struct Bisect {
    /// A scenario document or an rt-app file; - is standard input.
    pub file: PathBuf,
    /// The variant to begin with.
    #[arg(long = "from", value_name = "NAME")]
    pub first: String,
    /// The variant to end with.
    #[arg(long = "to", value_name = "NAME")]
    pub second: String,
    /// The figure, such as total.preempted or tasks.web.run_delay.p99.
    #[arg(long, value_name = "NAME")]
    pub metric: String,
    /// Repeats of each mixture; repeat r uses seed + r.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
    /// What to print.
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
    #[command(flatten)]
    pub set: Set,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, clap::Args)]
pub struct Conformance {
    /// Files of golden cases, one a line; - is standard input.
    #[arg(required_unless_present = "kernel_runs")]
    pub files: Vec<PathBuf>,
    /// Kernel runs to compare with, SCENARIO@KERNEL.json: files, or folders of them.
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "files")]
    pub kernel_runs: Vec<PathBuf>,
    /// How to print the comparison with kernel runs; table when not given.
    #[arg(long, value_enum, conflicts_with = "files")]
    pub format: Option<FidelityFormat>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FidelityFormat {
    /// An aligned table.
    Table,
    /// JSON: rows, and how many are inside.
    Json,
}

#[derive(Debug, clap::Args)]
pub struct Explain {
    /// A scenario document or an rt-app file; - is standard input.
    pub file: PathBuf,
    /// The CPU, from 0.
    #[arg(long, value_name = "C", default_value_t = 0)]
    pub cpu: u32,
    /// The time in the run, such as 1204ms, 1.204s, 27500us; without a unit nanoseconds.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub at: u64,
    #[command(flatten)]
    pub chosen: Chosen,
    /// What to print.
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, clap::Args)]
pub struct Export {
    /// A scenario document or an rt-app file; - is standard input.
    pub file: PathBuf,
    /// The format.
    #[arg(long = "to", value_enum, value_name = "FORMAT")]
    pub format: ExportFormat,
    #[command(flatten)]
    pub chosen: Chosen,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Text as in tracefs, for Perfetto, Trace Compass, KernelShark and scripts.
    Ftrace,
    /// Perfetto's own format.
    Perfetto,
    /// JSON for chrome://tracing and Perfetto, with lags and nr_running as counters.
    Chrome,
    /// A row an event.
    Csv,
    /// A list with an object an event.
    Json,
    /// The workload as rt-app runs it; what it cannot say is named on standard error.
    RtApp,
}

#[derive(Debug, clap::Args)]
pub struct Bench {
    /// A release to measure; may be given several times.
    #[arg(long = "release", value_name = "RELEASE", default_values = ["6.5", "6.6", "6.12", "7.3"])]
    pub releases: Vec<String>,
    /// How long to measure, seconds in all.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub seconds: u32,
    /// What to print.
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TextFormat {
    /// Words and tables to read.
    Text,
    /// JSON, times in ns.
    Json,
}

#[derive(Debug, clap::Args)]
pub struct Set {
    /// Set a value of the document, such as kernel.features.RUN_TO_PARITY=false.
    ///
    /// Dots between keys, quotes round a key with a dot, `[n]` for the n-th of a list or of repeated
    /// keys. The value is JSON or a bare string. In a document with variants it is set in each one
    /// that runs, after the variant's own changes; a path that begins with `variants` is set first.
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = assignment)]
    pub assignments: Vec<Assignment>,
}

/// One `--set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub path: String,
    pub value: String,
}

#[derive(Debug, clap::Args)]
pub struct Output {
    /// Write to this file, which appears only when it is complete; - is standard output.
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub to: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables to read.
    Summary,
    /// A list with a report per variant, times in ns.
    Json,
    /// As `perf sched latency` prints it.
    PerfLatency,
    /// As `perf sched timehist` prints it.
    Timehist,
    /// As `perf sched map` prints it.
    Map,
    /// Log2 histograms as bpftrace prints them.
    Hist,
    /// /proc/schedstat in the version of the release.
    Schedstat,
    /// One line a context switch: t_ns cpu prev->next reason.
    Switches,
    /// The logs of rt-app, one thread after the other.
    RtAppLog,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The average delay.
    Avg,
    /// The largest delay.
    Max,
    /// Times scheduled in.
    Switch,
    /// CPU time.
    Runtime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Each kind of task.
    Task,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// An aligned table.
    Table,
    /// JSON.
    Json,
    /// Comma-separated values with a heading.
    Csv,
    /// A Markdown table.
    Markdown,
}

/// Splits `PATH=VALUE` at the first `=` outside quotes.
pub fn assignment(text: &str) -> Result<Assignment, String> {
    let mut quoted = false;
    let mut escaped = false;
    for (place, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '=' if !quoted && place > 0 => {
                return Ok(Assignment { path: text[..place].to_owned(), value: text[place + 1..].to_owned() });
            }
            _ => {}
        }
    }
    Err("expected PATH=VALUE, such as kernel.release=6.12".to_owned())
}

/// A time in nanoseconds: a decimal number with a unit, or whole nanoseconds without.
fn time(text: &str) -> Result<u64, String> {
    let expected = || "expected a time such as 1204ms, 1.204s, 27500us or 1204000000 (ns)".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale: u32 = match unit.trim_start() {
        "" | "ns" => 0,
        "us" | "µs" => 3,
        "ms" => 6,
        "s" => 9,
        _ => return Err(expected()),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && part.is_empty()) || part.contains('.') {
        return Err(expected());
    }
    if part.trim_end_matches('0').len() > scale as usize {
        return Err("a time is a whole number of nanoseconds".to_owned());
    }
    let part = format!("{:0<width$.width$}", part, width = scale as usize);
    let digits = format!("{whole}{part}");
    digits.parse().map_err(|_| "the time is longer than any run".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn an_assignment_is_split_outside_quotes() {
        let split = |text| assignment(text).map(|Assignment { path, value }| (path, value));
        let pair = |path: &str, value: &str| Ok((path.to_owned(), value.to_owned()));
        assert_eq!(split("kernel.release=6.12"), pair("kernel.release", "6.12"));
        assert_eq!(split(r#"tasks."a=b".run=1"#), pair(r#"tasks."a=b".run"#, "1"));
        assert_eq!(split(r#"tasks."a\"=b".run=x=y"#), pair(r#"tasks."a\"=b".run"#, "x=y"));
        assert_eq!(split("title="), pair("title", ""));
        assert!(split("kernel.release").is_err() && split("=1").is_err() && split("").is_err());
    }

    #[test]
    fn a_time_has_a_unit_or_is_in_nanoseconds() {
        for (text, ns) in [
            ("1204ms", 1_204_000_000),
            ("1.204s", 1_204_000_000),
            ("27500us", 27_500_000),
            ("27500 µs", 27_500_000),
            ("7000000", 7_000_000),
            ("7000000ns", 7_000_000),
            (".5ms", 500_000),
            ("3.ms", 3_000_000),
            ("0", 0),
            ("0.000000001s", 1),
            ("0.0010000000s", 1_000_000),
        ] {
            assert_eq!(time(text), Ok(ns), "{text}");
        }
        for text in ["", "ms", ".", "1.5", "1.5ns", "-1ms", "1e3", "5m", "1.2.3ms", "99999999999s", "0.0000000001s"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
