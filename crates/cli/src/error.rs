//! What can go wrong in the command, and the exit status that goes with it.
//! Not for what is wrong inside documents: those problems come from `schedlab-scenario`.

use std::fmt;
use std::io;
use std::process::ExitCode;

use schedlab_scenario::Problem;
use schedlab_scenario::import::{machine::MachineError, schedstat::SchedstatError, trace::TraceError};
use schedlab_scenario::kernel_runs::KernelRunError;
use schedlab_sim::{InputError, RunError};

/// Why the command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// A file could not be read.
    #[error("{file}: {source}")]
    Read { file: String, source: io::Error },
    /// A file is larger than documents may be.
    #[error("{file}: larger than {} MiB, the most a document may have", .limit >> 20)]
    TooLarge { file: String, limit: usize },
    /// A document is wrong.
    #[error("{}", Listed(.file, .problems))]
    Document { file: String, problems: Vec<Problem> },
    /// There is no such variant.
    #[error("{file}: no variant {name:?}; expected {known}")]
    NoVariant { file: String, name: String, known: String },
    /// There is nothing to compare.
    #[error("{file}: one variant only; expected a document whose \"variants\" has two or more")]
    OneVariant { file: String },
    /// One of several variants must be chosen.
    #[error("{file}: several variants; expected --variant {known}")]
    WhichVariant { file: String, known: String },
    /// Options that do not go together.
    #[error("{0}")]
    Usage(String),
    /// The engine refused the input.
    #[error("{variant}: {source}")]
    Input { variant: String, source: InputError },
    /// Nothing had been decided yet.
    #[error("{file}: {variant}: {reason}")]
    Nothing { file: String, variant: String, reason: String },
    /// There is no such release.
    #[error("there is no release {name:?}; the nearest: {nearest} (known: {known})")]
    NoRelease { name: String, nearest: String, known: String },
    /// A golden case cannot be run.
    #[error("{file}: line {line}: {reason}")]
    Case { file: String, line: usize, reason: String },
    /// A kernel run cannot be compared.
    #[error("{file}: {source}")]
    KernelRun { file: String, source: KernelRunError },
    /// A folder has nothing that is wanted.
    #[error("{folder}: no kernel runs; expected files SCENARIO@KERNEL.json")]
    NoKernelRuns { folder: String },
    /// A file of rows is not as it must be.
    #[error("{file}: {reason}")]
    Rows { file: String, reason: String },
    /// Shards or runs of a sweep are missing.
    #[error("{0}")]
    Missing(String),
    /// A trace cannot be imported.
    #[error("{file}: {source}")]
    Trace { file: String, source: TraceError },
    /// The files of a machine tell nothing.
    #[error("{folder}: {source}")]
    MachineFiles { folder: String, source: MachineError },
    /// A snapshot of /proc/schedstat is wrong, or two do not go together.
    #[error("{file}: {source}")]
    Schedstat { file: String, source: SchedstatError },
    /// The library has nothing of that name.
    #[error("there is no {what} {name:?}; known: {known}")]
    NotInLibrary { what: &'static str, name: String, known: String },
    /// An experiment asks for what is not there.
    #[error("{name}: {source}")]
    Claim { name: String, source: schedlab_report::ClaimError },
    /// Lines of an experiment that must come out did not.
    #[error("{failed} of {of} lines that must come out did not")]
    DidNotComeOut { failed: usize, of: usize },
    /// The output's place cannot be written to.
    #[error("cannot write to {file}: {source}")]
    NoOutput { file: String, source: io::Error },
    /// The run failed.
    #[error("{variant}: {source}")]
    Run { variant: String, source: RunError },
    /// Writing failed.
    #[error("writing {file} failed: {source}")]
    Write { file: String, source: io::Error },
}

impl CommandError {
    /// 1 when the run or the writing failed, 2 when the input or the command line is wrong.
    pub fn status(&self) -> ExitCode {
        match self {
            Self::Run { .. } | Self::Write { .. } | Self::Claim { .. } | Self::DidNotComeOut { .. } => {
                ExitCode::from(1)
            }
            _ => ExitCode::from(2),
        }
    }
}

/// Problems one a line, each with the file before it.
struct Listed<'a>(&'a str, &'a [Problem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, problem) in self.1.iter().enumerate() {
            if place > 0 {
                f.write_str("\nerror: ")?;
            }
            write!(f, "{}: {problem}", self.0)?;
        }
        Ok(())
    }
}
