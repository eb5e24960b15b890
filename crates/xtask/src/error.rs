//! What can go wrong in xtask, each with what a person can do about it.

use std::path::{Path, PathBuf};

/// Why xtask stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line cannot be understood.
    #[error("{0}\n\n`cargo xtask help` lists what there is.")]
    Usage(String),
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// Its name or path.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program ended with a failure, or did not do what it was run for.
    #[error("{what} failed: {why}")]
    Failed {
        /// What was being done.
        what: String,
        /// How it ended.
        why: String,
        /// What to do by hand.
        by_hand: Option<String>,
    },
}

impl Error {
    /// Wraps an I/O error together with the place.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { path, source }
    }

    /// A failure of a step.
    pub fn failed(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Failed { what: what.into(), why: why.into(), by_hand: None }
    }

    /// The same failure, with advice unless it has some already.
    pub fn or_by_hand(self, advice: &str) -> Self {
        match self {
            Self::Failed { what, why, by_hand: None } => Self::Failed { what, why, by_hand: Some(advice.to_owned()) },
            Self::Start { program, source } => Self::Failed {
                what: format!("starting {program}"),
                why: source.to_string(),
                by_hand: Some(advice.to_owned()),
            },
            other => other,
        }
    }

    /// What to do by hand, if that is known.
    pub fn by_hand(&self) -> Option<&str> {
        match self {
            Self::Failed { by_hand, .. } => by_hand.as_deref(),
            _ => None,
        }
    }
}
