//! The `schedlab` command. Not for scheduling logic or figures: it reads, runs, prints and says
//! what is wrong.

mod args;
mod command;
mod document;
mod error;
mod execute;
mod notice;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;

fn main() -> ExitCode {
    match command::dispatch(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            notice::say(&format!("error: {error}"));
            error.status()
        }
    }
}
