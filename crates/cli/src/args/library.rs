//! The command line of the library: workloads and experiments. Not for doing anything.

use clap::{Subcommand, ValueEnum};

use super::{Assignment, Output, assignment};

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct WorkloadArgs {
    #[command(subcommand)]
    pub command: Option<WorkloadCommand>,
    /// The workload.
    #[arg(required = true)]
    pub name: Option<String>,
    /// A parameter: NAME=VALUE; may be given several times.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    pub parameters: Vec<Assignment>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Subcommand)]
pub enum WorkloadCommand {
    /// List the workloads.
    List {
        #[command(flatten)]
        output: Output,
    },
    /// Say what a workload stands for, and its parameters.
    Show {
        /// The workload.
        name: String,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Debug, clap::Args)]
pub struct ExperimentsArgs {
    #[command(subcommand)]
    pub command: ExperimentsCommand,
}

#[derive(Debug, Subcommand)]
pub enum ExperimentsCommand {
    /// List the experiments.
    List {
        #[command(flatten)]
        output: Output,
    },
    /// Say what an experiment models and where its figures come from; with a part, print that scenario.
    Show {
        /// The experiment.
        name: String,
        /// A part, whose scenario document is printed.
        #[arg(long, value_name = "NAME")]
        part: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Say why the scheduler does that, at real switches of the experiment's runs.
    ///
    /// Each is found anew in a run, and explained with its run queue.
    Why {
        /// The experiment.
        name: String,
        #[command(flatten)]
        output: Output,
    },
    /// Run an experiment and print what was reported beside what was simulated.
    ///
    /// Exit status 1 when a line that must come out does not.
    Run {
        /// The experiment.
        name: String,
        /// What to print.
        #[arg(long, value_enum, default_value_t = ExperimentFormat::Table)]
        format: ExperimentFormat,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExperimentFormat {
    /// An aligned table.
    Table,
    /// JSON: rows and what must come out.
    Json,
    /// A Markdown table.
    Markdown,
}
