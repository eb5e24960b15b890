//! Runs the command as a user would. Not a test of its own.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `schedlab` with these arguments and this standard input.
pub fn schedlab(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_schedlab"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // What reads no more than it must may be gone before all is written.
    let _ = child.stdin.take().expect("it is piped").write_all(stdin);
    child.wait_with_output().expect("the command ends")
}
