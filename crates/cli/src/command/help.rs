//! `schedlab completions` and `schedlab man`: made from the command line's own definition.

use std::io;

use clap::CommandFactory;

use crate::args::{self, Args};
use crate::error::CommandError;
use crate::output::Output;

/// `schedlab completions`.
///
/// # Errors
/// When the input is wrong or the output cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result<(), CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "schedlab", &mut text);
    print(&text)
}

/// `schedlab man`.
///
/// # Errors
/// When the input is wrong or the output cannot be written.
pub fn man(command: Option<&str>) -> Result<(), CommandError> {
    let mut schedlab = Args::command();
    schedlab.build();
    let about = match command {
        None => schedlab,
        Some(name) => schedlab
            .get_subcommands()
            .find(|command| command.get_name() == name)
            .cloned()
            .map(|command| command.display_name(format!("schedlab-{name}")))
            .ok_or_else(|| CommandError::Usage(format!("schedlab has no command {name:?}; see schedlab --help")))?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(about).render(&mut page).map_err(failed)?;
    print(&page)
}

fn failed(source: io::Error) -> CommandError {
    CommandError::Write { file: "standard output".to_owned(), source }
}

fn print(bytes: &[u8]) -> Result<(), CommandError> {
    Output::open(&args::Output { to: None })?.finish(bytes)
}
