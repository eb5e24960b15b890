//! Doing what the plan says: each action brings one tool, into the cache, and leaves a stamp when it is complete.
//! Not for deciding what is needed: that is `plan`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cache::{self, Cache};
use crate::error::Error;
use crate::pins;
use crate::plan::{Action, CargoTool, NpmTool};
use crate::probe::{DEBIAN_CARGO, DEBIAN_RUSTC, DebianRust, Probe, WASM_STD};
use crate::process::{run, run_logged};

/// Does one thing of a plan.
///
/// # Errors
/// When it fails; the error says what to do by hand.
pub fn perform(action: &Action, cache: &Cache, registries_only: bool) -> Result<(), Error> {
    let outcome = match action {
        Action::AddWasmTarget => {
            run("rustup target add", Command::new("rustup").args(["target", "add", "wasm32-unknown-unknown"]))
        }
        Action::Debian(packages) => debian(cache, packages),
        Action::BuildWasmStd => build_wasm_std(cache, registries_only),
        Action::Cargo(tool) => cargo(cache, *tool),
        Action::Npm(tool) => npm(cache, *tool),
        Action::ByHand { missing, .. } => {
            Err(Error::failed(format!("bringing {missing}"), "it has to be done by hand"))
        }
    };
    outcome.map_err(|error| error.or_by_hand(&action.by_hand()))
}

fn debian(cache: &Cache, packages: &[&str]) -> Result<(), Error> {
    let _lock = cache.lock("apt")?;
    let log = cache.log("apt");
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(["-o", "DPkg::Lock::Timeout=300"]).args(args);
        command
    };
    run_logged("apt-get update", &mut apt(&["update"]), &log)?;
    let mut install = apt(&["install", "--yes", "--no-install-recommends"]);
    run_logged("apt-get install", install.args(packages), &log)
}

fn cargo(cache: &Cache, tool: CargoTool) -> Result<(), Error> {
    let (name, package, version, args): (_, _, _, &[&str]) = match tool {
        // Without the check for newer versions of itself.
        CargoTool::Trunk => {
            ("trunk", "trunk", pins::TRUNK, &["--locked", "--no-default-features", "--features", "rustls"])
        }
        // Without --locked: its lock file names a version of another crate that mirrors may lack.
        CargoTool::WasmBindgen => ("wasm-bindgen", "wasm-bindgen-cli", pins::WASM_BINDGEN, &[]),
    };
    let _lock = cache.lock(name)?;
    let dir = cache.tool(name, version);
    if cache::stamp(&dir).is_some() && dir.join("bin").join(name).is_file() {
        // Another run made it while we waited.
        return Ok(());
    }
    cache::fresh(&dir)?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        // Outside the project, whose settings are not meant for it.
        .current_dir(cache.root())
        .args(["install", package, "--version", version, "--root"])
        .arg(&dir)
        .args(args)
        .env("CARGO_TARGET_DIR", dir.join("build"))
        // A tool that runs for a second need not be optimised to the last bit: this halves the time to build it.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    run_logged(&format!("cargo install {package}"), &mut command, &cache.log(name))?;
    remove(&dir.join("build"))?;
    cache::finish(&dir, version)
}

fn npm(cache: &Cache, tool: NpmTool) -> Result<(), Error> {
    let (name, version) = tool.package();
    let _lock = cache.lock(name)?;
    let dir = cache.tool(name, version);
    if cache::stamp(&dir).is_some() && dir.join("node_modules").join(name).is_dir() {
        return Ok(());
    }
    cache::fresh(&dir)?;
    let mut command = Command::new("npm");
    command
        .current_dir(&dir)
        .args(["install", "--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts", "--prefix"])
        .arg(&dir)
        .arg(format!("{name}@{version}"));
    run_logged(&format!("npm install {name}"), &mut command, &cache.log(name))?;
    cache::finish(&dir, version)
}

/// Builds the standard library from Debian's source with Debian's compiler, and puts it into a sysroot of its own in
/// the cache: the distribution's folders stay as they are, and nobody needs to be root.
fn build_wasm_std(cache: &Cache, registries_only: bool) -> Result<(), Error> {
    let _lock = cache.lock(WASM_STD)?;
    let probe = Probe::of_machine(cache, registries_only);
    if probe.wasm_std.is_some() {
        return Ok(());
    }
    let Some(rust) = probe.debian_rust else {
        return Err(Error::failed(
            "building the wasm standard library",
            "there is no Debian compiler with its library source and LLVM's linker (rustc-web cargo-web rust-web-src lld-19)",
        ));
    };
    let dir = cache.tool(WASM_STD, &rust.version.to_string());
    cache::fresh(&dir)?;
    let build = dir.join("build");
    let libraries = compile_std(&build, &cache.log(WASM_STD))?;
    // A new name each time: a rebuilt library must not be mixed with artefacts that were built for the last one.
    let sysroot = format!("sysroot-{}", SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()));
    make_sysroot(&dir.join(&sysroot), &libraries)?;
    link_compiler(&dir.join("bin"))?;
    remove(&build)?;
    cache::finish(&dir, &stamp(&sysroot, &rust))
}

/// What `probe` compares: where the library is and which compiler it was built for.
fn stamp(sysroot: &str, rust: &DebianRust) -> String {
    format!("{sysroot}\n{}", rust.identity)
}

/// Compiles the library by way of an empty crate; returns the `.rlib` files.
fn compile_std(build: &Path, log: &Path) -> Result<Vec<PathBuf>, Error> {
    const EMPTY: &str = "empty";
    write(&build.join("src/lib.rs"), "#![no_std]\n")?;
    let manifest = format!("[package]\nname = \"{EMPTY}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n");
    write(&build.join("Cargo.toml"), &manifest)?;
    let mut command = Command::new(DEBIAN_CARGO);
    for variable in ["LD_LIBRARY_PATH", "RUSTUP_TOOLCHAIN", "CARGO", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(variable);
    }
    command
        .current_dir(build)
        .args(["build", "-Z", "build-std=std,panic_abort,panic_unwind,test,proc_macro"])
        .args(["--target", "wasm32-unknown-unknown", "--release"])
        .env("CARGO_TARGET_DIR", build.join("target"))
        .env("RUSTC", DEBIAN_RUSTC)
        // What lets a released compiler build its own library.
        .env("RUSTC_BOOTSTRAP", "1")
        // Without bitcode, link-time optimisation of the page fails.
        .env("RUSTFLAGS", "-Cembed-bitcode=yes");
    run_logged("building the wasm standard library", &mut command, log)?;
    let deps = build.join("target/wasm32-unknown-unknown/release/deps");
    let entries = std::fs::read_dir(&deps).map_err(Error::io(&deps))?;
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".rlib") && !name.starts_with(&format!("lib{EMPTY}-"))
    };
    Ok(entries.flatten().map(|entry| entry.path()).filter(is_library).collect())
}

fn make_sysroot(sysroot: &Path, libraries: &[PathBuf]) -> Result<(), Error> {
    let dir = sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib");
    std::fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
    for library in libraries {
        let Some(name) = library.file_name() else { continue };
        std::fs::copy(library, dir.join(name)).map_err(Error::io(library))?;
    }
    Ok(())
}

/// A folder that, put first on `PATH`, makes Trunk call Debian's compiler whatever rustup would choose.
fn link_compiler(bin: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(bin).map_err(Error::io(bin))?;
    for target in [DEBIAN_CARGO, DEBIAN_RUSTC, "/usr/bin/rustdoc"] {
        let target = Path::new(target);
        let Some(name) = target.file_name() else { continue };
        link(target, &bin.join(name))?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(target: &Path, name: &Path) -> Result<(), Error> {
    std::os::unix::fs::symlink(target, name).map_err(Error::io(name))
}

#[cfg(not(unix))]
fn link(_target: &Path, name: &Path) -> Result<(), Error> {
    Err(Error::failed(format!("linking {}", name.display()), "only Debian has this compiler"))
}

fn write(path: &Path, content: &str) -> Result<(), Error> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(Error::io(dir))?;
    }
    std::fs::write(path, content).map_err(Error::io(path))
}

fn remove(dir: &Path) -> Result<(), Error> {
    if dir.exists() { std::fs::remove_dir_all(dir).map_err(Error::io(dir)) } else { Ok(()) }
}
