//! One module a command. Not for what they share: reading, running and writing are beside.

mod bench;
mod bisect;
mod compare;
mod conformance;
mod experiments;
mod explain;
mod export;
mod help;
mod import;
mod kernel_runs;
mod kernels;
mod link;
mod run;
mod schedstat;
pub mod sweep;
mod workload;

use crate::args::{Args, Command};
use crate::error::CommandError;

/// Does what the command line asks.
///
/// # Errors
/// [`CommandError`]: what is wrong, with the exit status that goes with it.
pub fn dispatch(args: Args) -> Result<(), CommandError> {
    match args.command {
        Command::Run(run) => run::run(&run),
        Command::Compare(compare) => compare::compare(&compare),
        Command::Sweep(sweep) => sweep::sweep(&sweep),
        Command::Bisect(bisect) => bisect::bisect(&bisect),
        Command::Explain(explain) => explain::explain(&explain),
        Command::Workload(args) => workload::workload(&args),
        Command::Experiments(args) => experiments::experiments(&args),
        Command::Export(export) => export::export(&export),
        Command::Kernels { release, cpus, format, output } => {
            kernels::kernels(release.as_deref(), cpus, format, &output)
        }
        Command::Bench(bench) => bench::bench(&bench),
        Command::Link { file, output } => link::link(&file, &output),
        Command::Unlink { link, output } => link::unlink(&link, &output),
        Command::Conformance(args) if !args.kernel_runs.is_empty() => kernel_runs::kernel_runs(&args),
        Command::Conformance(args) => conformance::conformance(&args.files, &args.output),
        Command::Import(import) => import::import(&import),
        Command::Schedstat(schedstat) => schedstat::schedstat(&schedstat),
        Command::Completions { shell } => help::completions(shell),
        Command::Man { command } => help::man(command.as_deref()),
    }
}

/// A value as one line of JSON.
fn to_json(value: &impl serde::Serialize) -> Result<String, CommandError> {
    let mut text = serde_json::to_string(value)
        .map_err(|error| CommandError::Write { file: "JSON".to_owned(), source: error.into() })?;
    text.push('\n');
    Ok(text)
}

/// Names with what they stand for, a line each.
fn named_lines<'a>(lines: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let width = lines.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    lines.map(|(name, title)| format!("{name:<width$}  {title}\n")).collect()
}
