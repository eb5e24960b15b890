//! What is said on standard error beside the result: notices, each once, and progress.
//! Not for results.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use schedlab_scenario::Problem;

/// Prints a line on standard error; when nobody reads it, that is no failure.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Notices that were already given.
#[derive(Default)]
pub struct Notices {
    texts: HashSet<String>,
    problems: Vec<Problem>,
}

impl Notices {
    /// Gives a notice unless it was given before.
    pub fn give(&mut self, text: String) {
        if !self.texts.contains(&text) {
            say(&format!("notice: {text}"));
            self.texts.insert(text);
        }
    }

    /// Gives notices about a file. What opening the file said with line and column is not said
    /// again for each variant that is made of it.
    pub fn give_all(&mut self, file: &str, problems: &[Problem]) {
        for problem in problems {
            let same = |given: &Problem| {
                problem.place.path.ends_with(&given.place.path) && given.message.starts_with(&problem.message)
            };
            if !self.problems.iter().any(same) {
                self.give(format!("{file}: {problem}"));
                self.problems.push(problem.clone());
            }
        }
    }
}

/// How long a run may take before progress is shown.
const QUIET: Duration = Duration::from_millis(500);
/// How often it is shown anew.
const INTERVAL: Duration = Duration::from_millis(100);

/// A line of progress on a terminal, rewritten in place and wiped at the end.
pub struct Progress {
    terminal: bool,
    next: Instant,
    shown: bool,
    done: usize,
    of: usize,
}

impl Progress {
    /// The progress of so many runs.
    pub fn of(runs: usize) -> Self {
        Self { terminal: io::stderr().is_terminal(), next: Instant::now() + QUIET, shown: false, done: 0, of: runs }
    }

    /// Counts one run more as done.
    pub fn one_done(&mut self) {
        self.done += 1;
    }

    /// Shows how far a run has come, when it is time to; of several, how many are done.
    pub fn at(&mut self, what: &str, now_ns: u64, until_ns: u64) {
        if !self.terminal || Instant::now() < self.next {
            return;
        }
        let percent = u128::from(now_ns) * 100 / u128::from(until_ns.max(1));
        let _ = match self.of {
            1 => write!(io::stderr(), "\r\x1b[K{what}: {percent} %"),
            of => write!(io::stderr(), "\r\x1b[K{} of {of} runs; {what}: {percent} %", self.done),
        };
        let _ = io::stderr().flush();
        self.next = Instant::now() + INTERVAL;
        self.shown = true;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
