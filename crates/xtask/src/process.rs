//! Running other programs: quietly, into a log, or shown and read at the same time.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::error::Error;

/// How often a long quiet step says that it is still at work.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// How many lines of a log are shown when a step fails.
const LOG_TAIL: usize = 25;

/// What a program prints for `ARGS`, if it can be run and succeeds.
pub fn output(program: impl AsRef<OsStr>, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first executable file of this name in the folders of a `PATH`.
pub fn which_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|dir| dir.join(name)).find(|file| is_executable(file))
}

/// The first executable file of this name in the `PATH` of this process.
pub fn which(name: &str) -> Option<PathBuf> {
    which_in(name, &std::env::var_os("PATH")?)
}

/// Whether there is a file that can be run.
#[cfg(unix)]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether there is a file that can be run.
#[cfg(not(unix))]
pub fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// Runs a program whose output people may watch.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(what: &str, command: &mut Command) -> Result<(), Error> {
    let status = command.status().map_err(start_error(command))?;
    check(what, status)
}

/// Becomes another program, so that whoever ends xtask ends that program.
///
/// # Errors
/// When it cannot be started. Otherwise this does not return.
#[cfg(unix)]
pub fn become_it(_what: &str, command: &mut Command) -> Result<(), Error> {
    use std::os::unix::process::CommandExt;
    Err(start_error(command)(command.exec()))
}

/// Runs another program to its end, where a process cannot become another one.
///
/// # Errors
/// When it cannot be started or fails.
#[cfg(not(unix))]
pub fn become_it(what: &str, command: &mut Command) -> Result<(), Error> {
    run(what, command)
}

/// Runs a program for a long quiet step: its output goes to a log, whose end is shown when it fails.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run_logged(what: &str, command: &mut Command, log: &Path) -> Result<(), Error> {
    if let Some(dir) = log.parent() {
        fs::create_dir_all(dir).map_err(Error::io(dir))?;
    }
    let file = File::options().create(true).append(true).open(log).map_err(Error::io(log))?;
    let both = file.try_clone().map_err(Error::io(log))?;
    let mut child = command.stdin(Stdio::null()).stdout(file).stderr(both).spawn().map_err(start_error(command))?;
    let begin = Instant::now();
    let mut next = HEARTBEAT;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(start_error(command))? {
            break status;
        }
        if begin.elapsed() >= next {
            println!("  ... {} s", next.as_secs());
            next += HEARTBEAT;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    check(what, status).inspect_err(|_| show_tail(log))
}

/// Runs a program, shows its output as it comes, and returns it as well (without colours).
///
/// # Errors
/// When it cannot be started. A failure is the caller's to judge, by the status.
pub fn run_read(command: &mut Command) -> Result<(ExitStatus, String), Error> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start_error(command))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let text = std::thread::scope(|scope| {
        let out = scope.spawn(|| stdout.map(|pipe| copy(pipe, &mut std::io::stdout())).unwrap_or_default());
        let err = scope.spawn(|| stderr.map(|pipe| copy(pipe, &mut std::io::stderr())).unwrap_or_default());
        out.join().unwrap_or_default() + &err.join().unwrap_or_default()
    });
    let status = child.wait().map_err(start_error(command))?;
    Ok((status, without_colours(&text)))
}

fn copy(from: impl Read, to: &mut impl Write) -> String {
    let mut text = String::new();
    let mut lines = BufReader::new(from);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // Nobody listening is no reason to stop reading.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        text.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    text
}

/// Text without the escape sequences that set colours.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..start]);
        let after = &rest[start + 2..];
        rest = after.find(|c: char| c.is_ascii_alphabetic()).map_or("", |end| &after[end + 1..]);
    }
    plain + rest
}

/// An error unless the status is a success.
///
/// # Errors
/// When it is not.
pub fn check(what: &str, status: ExitStatus) -> Result<(), Error> {
    if status.success() { Ok(()) } else { Err(Error::failed(what, status.to_string())) }
}

fn start_error(command: &Command) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let program = command.get_program().to_string_lossy().into_owned();
    move |source| Error::Start { program, source }
}

fn show_tail(log: &Path) {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    eprintln!("  the end of {}:", log.display());
    for line in &lines[lines.len().saturating_sub(LOG_TAIL)..] {
        eprintln!("  | {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed() {
        assert_eq!(without_colours("\u{1b}[1m\u{1b}[32mok\u{1b}[0m. 3 passed"), "ok. 3 passed");
        assert_eq!(without_colours("plain"), "plain");
        assert_eq!(without_colours("cut \u{1b}[3"), "cut ");
    }

    #[test]
    fn output_is_shown_and_returned_and_a_failure_is_told() {
        let (status, text) = run_read(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).unwrap();
        assert!(text.contains("out\n") && text.contains("err\n"));
        assert!(check("it", status).is_err());
        assert!(run("it", &mut Command::new("no-such-program-here")).is_err());
    }

    #[test]
    fn a_name_is_found_in_a_path() {
        let sh = which("sh").unwrap();
        assert_eq!(which_in("sh", sh.parent().unwrap().as_os_str()), Some(sh));
        assert_eq!(which_in("no-such-program-here", "/usr/bin:/bin".as_ref()), None);
    }
}
