//! `cargo xtask test`: the steps in order, until one fails, and the table of how they went.

use std::time::{Duration, Instant};

use crate::args::{Options, Test};
use crate::browser;
use crate::error::Error;
use crate::golden;
use crate::kernel_runs;
use crate::native;
use crate::plan::Goal;
use crate::probe::Probe;
use crate::setup;
use crate::tally::Tally;
use crate::trunk;

/// A step of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// rustfmt would change nothing.
    Fmt,
    /// clippy has nothing to say.
    Clippy,
    /// Tests of the native code.
    Native,
    /// Examples in the documentation.
    DocTest,
    /// The documentation builds without warnings.
    Docs,
    /// The golden traces beside the project.
    Golden,
    /// The kernel runs beside the project.
    KernelRuns,
    /// wasm-bindgen tests in a headless browser.
    Wasm,
    /// The page builds in release.
    PageBuild,
    /// The built page in a headless browser.
    Page,
}

impl Step {
    /// All steps, in the order in which they run.
    pub const ALL: &'static [Self] = &[
        Self::Fmt,
        Self::Clippy,
        Self::Native,
        Self::DocTest,
        Self::Docs,
        Self::Golden,
        Self::KernelRuns,
        Self::Wasm,
        Self::PageBuild,
        Self::Page,
    ];

    /// The name on the command line and in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Native => "native",
            Self::DocTest => "doctest",
            Self::Docs => "docs",
            Self::Golden => "golden",
            Self::KernelRuns => "kernel-runs",
            Self::Wasm => "wasm",
            Self::PageBuild => "page-build",
            Self::Page => "page",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Fmt => "the code is formatted",
            Self::Clippy => "clippy, warnings are errors",
            Self::Native => "native tests",
            Self::DocTest => "examples in the documentation",
            Self::Docs => "the documentation, warnings are errors",
            Self::Golden => "golden traces of the kernels",
            Self::KernelRuns => "workloads as real kernels ran them",
            Self::Wasm => "wasm tests in a headless browser",
            Self::PageBuild => "the page in release",
            Self::Page => "the built page in a headless browser",
        }
    }

    /// How long it took on two cores from nothing, in seconds.
    const fn usual_seconds(self) -> u32 {
        match self {
            Self::Fmt | Self::DocTest => 5,
            Self::Golden => 15,
            Self::Docs => 30,
            Self::Page => 60,
            Self::Clippy | Self::Wasm | Self::KernelRuns => 90,
            Self::Native | Self::PageBuild => 120,
        }
    }

    /// Whether it needs the tools that set-up brings.
    const fn needs_tools(self) -> bool {
        matches!(self, Self::Wasm | Self::PageBuild | Self::Page)
    }

    fn run(self, probe: &Probe, test: &Test) -> Result<Outcome, Error> {
        match self {
            Self::Fmt => native::fmt(),
            Self::Clippy => native::clippy(),
            Self::Native => native::tests(),
            Self::DocTest => native::doc_tests(),
            Self::Docs => native::docs(),
            Self::Golden => golden::run(),
            Self::KernelRuns => kernel_runs::run(),
            Self::Wasm => browser::wasm_tests(probe),
            Self::PageBuild => trunk::build_for_tests(probe),
            Self::Page => browser::page_tests(probe, test.update_screenshot),
        }
    }
}

/// How a step went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Checks passed and failed.
    pub tally: Tally,
    /// Anything to be said in the table.
    pub note: String,
}

impl From<Tally> for Outcome {
    fn from(tally: Tally) -> Self {
        Self { tally, note: String::new() }
    }
}

struct Row {
    name: &'static str,
    took: Option<Duration>,
    outcome: Outcome,
}

/// Runs the steps that are wanted; true if none failed.
///
/// # Errors
/// When no step is wanted. A step that fails is in the table and in the answer.
pub fn run(options: &Options, test: &Test) -> Result<bool, Error> {
    let steps: Vec<Step> = Step::ALL.iter().copied().filter(|step| test.wants(*step)).collect();
    if steps.is_empty() {
        return Err(Error::Usage("no step is left to run".into()));
    }
    let mut rows = Vec::new();
    let mut probe = Probe::default();
    let mut failed = None;
    if steps.iter().any(|step| step.needs_tools()) {
        let mut brought = Outcome::default();
        let took = timed(|| match setup::bring(Goal::Test, options.registries_only) {
            Ok(found) => probe = found,
            Err(error) => failed = Some(explain("set-up", &error, &mut brought)),
        });
        rows.push(Row { name: "set-up", took: Some(took), outcome: brought });
    }
    for step in steps {
        let name = step.name();
        if failed.is_some() {
            rows.push(Row { name, took: None, outcome: Outcome::default() });
            continue;
        }
        println!("\n== {name}: {} (usually {} at first)", step.title(), setup::duration(step.usual_seconds()));
        let mut outcome = Outcome::default();
        let took = timed(|| match step.run(&probe, test) {
            Ok(done) if done.tally.failed == 0 => outcome = done,
            Ok(done) => {
                failed = Some(name);
                outcome = done;
            }
            Err(error) => failed = Some(explain(name, &error, &mut outcome)),
        });
        rows.push(Row { name, took: Some(took), outcome });
    }
    print!("{}", table(&rows, failed));
    Ok(failed.is_none())
}

fn timed(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn explain(name: &'static str, error: &Error, outcome: &mut Outcome) -> &'static str {
    eprintln!("{name}: {error}");
    if let Some(advice) = error.by_hand() {
        eprintln!("  by hand: {advice}");
    }
    outcome.tally.failed += 1;
    name
}

fn table(rows: &[Row], failed: Option<&str>) -> String {
    let mut text = format!("\n{:<12}{:>9}  result\n", "step", "seconds");
    let mut total = Tally::default();
    let mut seconds = 0.0;
    for Row { name, took, outcome } in rows {
        let Tally { passed, failed } = outcome.tally;
        total += outcome.tally;
        let result = match took {
            None => "not run".to_owned(),
            Some(_) if failed > 0 => format!("FAILED: {passed} passed, {failed} failed"),
            Some(_) if passed > 0 => format!("{passed} passed"),
            Some(_) => "done".to_owned(),
        };
        let took = took.map_or_else(
            || "-".to_owned(),
            |took| {
                seconds += took.as_secs_f64();
                format!("{:.1}", took.as_secs_f64())
            },
        );
        let note = if outcome.note.is_empty() { String::new() } else { format!(" ({})", outcome.note) };
        text += &format!("{name:<12}{took:>9}  {result}{note}\n");
    }
    text += &format!("{:<12}{seconds:>9.1}\n", "all");
    if let Some(name) = failed {
        text += &format!("\nfailed at {name}; `cargo xtask test --only {name}` runs it alone\n");
    }
    text + &format!("\n{} passed, {} failed\n", total.passed, total.failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, took: Option<u64>, passed: u64, failed: u64) -> Row {
        Row { name, took: took.map(Duration::from_secs), outcome: Tally { passed, failed }.into() }
    }

    #[test]
    fn the_table_ends_with_the_sum() {
        let text =
            table(&[row("set-up", Some(1), 0, 0), row("fmt", Some(2), 1, 0), row("native", Some(61), 40, 0)], None);
        assert!(text.ends_with("\n41 passed, 0 failed\n"), "{text}");
        assert!(text.contains("fmt               2.0  1 passed\n"), "{text}");
        assert!(text.contains("set-up            1.0  done\n"), "{text}");
    }

    #[test]
    fn a_failure_is_named_and_what_did_not_run_is_shown() {
        let text = table(&[row("fmt", Some(1), 0, 1), row("clippy", None, 0, 0)], Some("fmt"));
        assert!(text.contains("failed at fmt;"), "{text}");
        assert!(text.contains("clippy              -  not run\n"), "{text}");
        assert!(text.ends_with("\n0 passed, 1 failed\n"), "{text}");
    }

    #[test]
    fn names_are_unique() {
        for step in Step::ALL {
            assert_eq!(Step::ALL.iter().filter(|other| other.name() == step.name()).count(), 1);
        }
    }
}
