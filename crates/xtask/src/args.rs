//! The command line of xtask.

use crate::error::Error;
use crate::steps::Step;

/// What `cargo xtask help` prints.
pub const HELP: &str = "\
cargo xtask serve [--dev] [--address A] [--port N] [-- TRUNK-ARGS]   bring the tools, then serve the page and rebuild it on changes
cargo xtask test [--only STEP]... [--skip STEP]...        everything CI runs
                 [--update-screenshot]                    and write docs/screenshot.png from the page
cargo xtask build [--dist DIR]                            release files for any static host, under any path (default: dist)
cargo xtask bench [-- BENCH-ARGS]                         the engine's benchmarks
cargo xtask doctor                                        what is there, what is missing, what would be done; changes nothing

Steps of test: fmt clippy native doctest docs golden kernel-runs wasm page-build page
--registries-only   with any command: do as on a machine that reaches package registries only
Exit status: 0 done, 1 something failed, 2 the command line is wrong.
";

/// Options that go with every command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Do as on a machine that reaches package registries only.
    pub registries_only: bool,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Print [`HELP`].
    Help,
    /// Say what is there.
    Doctor,
    /// Serve the page.
    Serve(Serve),
    /// Build the page for a static host.
    Build(Build),
    /// Run the benchmarks with these arguments.
    Bench(Vec<String>),
    /// Run the tests.
    Test(Test),
}

/// Options of `serve`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serve {
    /// Without optimisation: builds faster, runs slower.
    pub dev: bool,
    /// The address to listen at.
    pub address: String,
    /// The port to listen at.
    pub port: u16,
    /// More arguments for Trunk.
    pub extra: Vec<String>,
}

impl Default for Serve {
    fn default() -> Self {
        Self { dev: false, address: "127.0.0.1".into(), port: 8080, extra: Vec::new() }
    }
}

/// Options of `build`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// Where the files go; none: `dist`.
    pub dist: Option<String>,
}

/// Options of `test`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// Only these steps; empty: all.
    pub only: Vec<Step>,
    /// Not these steps.
    pub skip: Vec<Step>,
    /// Write `docs/screenshot.png`.
    pub update_screenshot: bool,
}

impl Test {
    /// Whether a step is to be run.
    pub fn wants(&self, step: Step) -> bool {
        (self.only.is_empty() || self.only.contains(&step)) && !self.skip.contains(&step)
    }
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// [`Error::Usage`], with the argument and what was expected.
pub fn parse(args: impl Iterator<Item = String>) -> Result<(Command, Options), Error> {
    let mut options = Options::default();
    let mut words: Vec<String> = args.collect();
    let extra = match words.iter().position(|word| word == "--") {
        Some(at) => words.split_off(at).split_off(1),
        None => Vec::new(),
    };
    words.retain(|word| {
        let ours = word == "--registries-only";
        options.registries_only |= ours;
        !ours
    });
    let mut words = words.into_iter();
    let command = words.next().unwrap_or_else(|| "help".into());
    if !extra.is_empty() && !matches!(command.as_str(), "serve" | "bench") {
        return Err(Error::Usage(format!("{command} takes nothing after --")));
    }
    let command = match command.as_str() {
        "help" | "--help" | "-h" => return Ok((Command::Help, options)),
        "doctor" => Command::Doctor,
        "serve" => Command::Serve(serve(&mut words, extra)?),
        "build" => Command::Build(build(&mut words)?),
        "bench" => Command::Bench(extra),
        "test" => Command::Test(test(&mut words)?),
        other => return Err(Error::Usage(format!("there is no command {other:?}"))),
    };
    match words.next() {
        Some(word) => Err(unexpected(&word)),
        None => Ok((command, options)),
    }
}

type Words = std::vec::IntoIter<String>;

fn serve(words: &mut Words, extra: Vec<String>) -> Result<Serve, Error> {
    let mut serve = Serve { extra, ..Serve::default() };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--dev" => serve.dev = true,
            "--address" => serve.address = value(&word, words)?,
            "--port" => {
                let port = value(&word, words)?;
                serve.port = port
                    .parse()
                    .map_err(|_| Error::Usage(format!("--port needs a number up to 65535, not {port:?}")))?;
            }
            _ => return Err(unexpected(&word)),
        }
    }
    Ok(serve)
}

fn build(words: &mut Words) -> Result<Build, Error> {
    let mut build = Build::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--dist" => build.dist = Some(value(&word, words)?),
            _ => return Err(unexpected(&word)),
        }
    }
    Ok(build)
}

fn test(words: &mut Words) -> Result<Test, Error> {
    let mut test = Test::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--only" => test.only.push(step(&value(&word, words)?)?),
            "--skip" => test.skip.push(step(&value(&word, words)?)?),
            "--update-screenshot" => test.update_screenshot = true,
            _ => return Err(unexpected(&word)),
        }
    }
    Ok(test)
}

fn step(name: &str) -> Result<Step, Error> {
    let known = || Step::ALL.iter().map(|step| step.name()).collect::<Vec<_>>().join(" ");
    Step::ALL
        .iter()
        .copied()
        .find(|step| step.name() == name)
        .ok_or_else(|| Error::Usage(format!("there is no step {name:?}; there are: {}", known())))
}

fn value(option: &str, words: &mut Words) -> Result<String, Error> {
    words.next().ok_or_else(|| Error::Usage(format!("{option} needs a value")))
}

fn unexpected(word: &str) -> Error {
    Error::Usage(format!("{word:?} is not understood here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<(Command, Options), Error> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn commands_and_options_are_read() {
        assert_eq!(parse_line("").unwrap().0, Command::Help);
        assert_eq!(
            parse_line("--registries-only doctor").unwrap(),
            (Command::Doctor, Options { registries_only: true })
        );
        let Command::Serve(serve) = parse_line("serve --dev --port 9000 -- --no-autoreload").unwrap().0 else {
            panic!()
        };
        assert_eq!((serve.dev, serve.port, serve.extra), (true, 9000, vec!["--no-autoreload".to_owned()]));
        let Command::Test(test) = parse_line("test --only wasm --only page --skip page").unwrap().0 else { panic!() };
        assert!(test.wants(Step::Wasm) && !test.wants(Step::Page) && !test.wants(Step::Fmt));
        assert!(Test::default().wants(Step::Fmt));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, named) in [
            ("frobnicate", "frobnicate"),
            ("test --only sleep", "there are: fmt clippy"),
            ("test --only", "--only needs a value"),
            ("serve --port 70000", "70000"),
            ("doctor now", "now"),
            ("doctor -- x", "after --"),
        ] {
            let error = parse_line(line).unwrap_err().to_string();
            assert!(error.contains(named), "{line}: {error}");
        }
    }

    #[test]
    fn the_help_lists_every_step() {
        for step in Step::ALL {
            assert!(HELP.contains(step.name()), "{}", step.name());
        }
    }
}
