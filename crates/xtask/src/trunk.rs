//! Building and serving the page with Trunk.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::{Build, Options, Serve};
use crate::error::Error;
use crate::plan::Goal;
use crate::probe::Probe;
use crate::process::{self, run};
use crate::setup;
use crate::sizes;
use crate::steps::Outcome;
use crate::tally::Tally;
use crate::toolbox;
use crate::workspace;

/// Where the page goes that the browser tests open.
pub fn tested_page() -> PathBuf {
    workspace::wasm_target().join("page")
}

/// `trunk ARGS`, with all it needs.
fn trunk(probe: &Probe, args: &[&str]) -> Result<Command, Error> {
    if !probe.trunk_fetches {
        // Trunk passes `offline` on to cargo, which then must not miss a crate.
        let fetch = ["fetch", "--quiet", "--target", "wasm32-unknown-unknown"];
        run("fetching crates", toolbox::command("cargo", probe).args(fetch))?;
    }
    let mut command = toolbox::command("trunk", probe);
    command.args(args).env("TRUNK_SKIP_VERSION_CHECK", "true");
    if std::env::var_os("NO_COLOR").is_some() {
        // Trunk reads a boolean here, the rest of the world any value.
        command.env("NO_COLOR", "true");
    }
    if !probe.trunk_fetches {
        command.env("TRUNK_OFFLINE", "true");
    }
    Ok(command)
}

fn release(probe: &Probe, dist: &Path) -> Result<(), Error> {
    let mut command = trunk(probe, &["build", "--release", "--cargo-profile", "page", "--public-url", "./"])?;
    run("trunk build", command.arg("--dist").arg(dist)).map_err(|error| {
        error
            .or_by_hand("if Trunk could not fetch a tool, try again with --registries-only; else see its message above")
    })
}

/// `cargo xtask serve`.
///
/// # Errors
/// When a tool cannot be brought, the port is taken, or Trunk fails.
pub fn serve(options: &Options, serve: &Serve) -> Result<(), Error> {
    let probe = setup::bring(Goal::Page, options.registries_only)?;
    let at = format!("{}:{}", serve.address, serve.port);
    TcpListener::bind((serve.address.as_str(), serve.port)).map_err(|error| {
        Error::failed(format!("listening at {at}"), error.to_string())
            .or_by_hand("choose another port: cargo xtask serve --port 8081")
    })?;
    println!("The page will be at http://{at}/ once it is built (usually 2 min at first, seconds after a change).");
    let port = serve.port.to_string();
    let mut command = trunk(&probe, &["serve", "--address", &serve.address, "--port", &port])?;
    if !serve.dev {
        command.args(["--release", "--cargo-profile", "page"]);
    }
    process::become_it("trunk serve", command.args(&serve.extra))
}

/// `cargo xtask build`.
///
/// # Errors
/// When a tool cannot be brought or Trunk fails.
pub fn build(options: &Options, build: &Build) -> Result<(), Error> {
    let probe = setup::bring(Goal::Page, options.registries_only)?;
    let dist = workspace::root().join(build.dist.as_deref().unwrap_or("dist"));
    println!("Building the page in release (usually 2 min at first).");
    release(&probe, &dist)?;
    println!("{}: copy it to any static host, under any path.\n", dist.display());
    print!("{}", sizes::report(&dist, &probe)?);
    Ok(())
}

/// Builds the page that the browser tests open.
///
/// # Errors
/// When Trunk fails.
pub fn build_for_tests(probe: &Probe) -> Result<Outcome, Error> {
    release(probe, &tested_page())?;
    print!("{}", sizes::report(&tested_page(), probe)?);
    Ok(Tally::one(true).into())
}
