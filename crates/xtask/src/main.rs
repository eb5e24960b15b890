//! `cargo xtask serve|test|build|bench|doctor`: brings the tools that are missing, then does the work.
//! Not a part of schedlab itself: nothing here knows about scheduling.

mod args;
mod bench;
mod browser;
mod cache;
mod doctor;
mod error;
mod golden;
mod install;
mod kernel_runs;
mod native;
mod pins;
mod plan;
mod probe;
mod process;
mod setup;
mod sizes;
mod steps;
mod tally;
mod toolbox;
mod trunk;
mod version;
mod workspace;

use std::process::ExitCode;

use args::Command;
use error::Error;

fn main() -> ExitCode {
    let outcome = args::parse(std::env::args().skip(1)).and_then(|(command, options)| match command {
        Command::Help => {
            print!("{}", args::HELP);
            Ok(true)
        }
        Command::Doctor => doctor::run(&options).map(|()| true),
        Command::Serve(serve) => trunk::serve(&options, &serve).map(|()| true),
        Command::Build(build) => trunk::build(&options, &build).map(|()| true),
        Command::Bench(extra) => bench::run_benches(&extra).map(|()| true),
        Command::Test(test) => steps::run(&options, &test),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error}");
            if let Some(advice) = error.by_hand() {
                eprintln!("  by hand: {advice}");
            }
            ExitCode::from(if matches!(error, Error::Usage(_)) { 2 } else { 1 })
        }
    }
}
