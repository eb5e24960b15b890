//! What is on this machine. Looks only; changes nothing and decides nothing (that is `plan`).

use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cache::{self, Cache};
use crate::pins;
use crate::process::{is_executable, output, which};
use crate::version::Version;

/// A program that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Where it is.
    pub path: PathBuf,
    /// Its version.
    pub version: Version,
}

/// What was found, and what was tried before. The plan is a function of this.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Only package registries are to be used (the `--registries-only` option).
    pub registries_only: bool,
    /// Whether packages may be installed.
    pub root: bool,
    /// Debian's package manager.
    pub apt: bool,
    /// The compiler that builds native code.
    pub rustc: Option<Tool>,
    /// rustup, which can add the wasm target.
    pub rustup: bool,
    /// rustup was asked for the wasm target and could not bring it.
    pub target_refused: bool,
    /// The native compiler has the wasm target.
    pub wasm_target: bool,
    /// Debian's compiler with what is needed to build the wasm library for it.
    pub debian_rust: Option<DebianRust>,
    /// The wasm library that was built for Debian's compiler.
    pub wasm_std: Option<WasmStd>,
    /// Trunk.
    pub trunk: Option<Tool>,
    /// Whether Trunk can fetch the tools that it needs.
    pub trunk_fetches: bool,
    /// wasm-bindgen of the pinned version.
    pub wasm_bindgen: Option<Tool>,
    /// The test runner beside that wasm-bindgen.
    pub wasm_bindgen_runner: Option<PathBuf>,
    /// wasm-opt of the pinned version.
    pub wasm_opt: Option<Tool>,
    /// Node.
    pub node: Option<Tool>,
    /// npm.
    pub npm: bool,
    /// playwright-core: the folder that holds `node_modules`.
    pub playwright: Option<PathBuf>,
    /// axe-core: the folder that holds `node_modules`.
    pub axe: Option<PathBuf>,
    /// A Chromium or Chrome.
    pub browser: Option<Tool>,
    /// The driver of that browser, of the same major version.
    pub driver: Option<Tool>,
    /// Python 3, for the comparison with the golden traces.
    pub python: Option<Tool>,
    /// cargo-nextest.
    pub nextest: Option<Tool>,
}

/// Debian's Rust packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebianRust {
    /// The compiler's version.
    pub version: Version,
    /// What `rustc -vV` prints: tells two builds of one version apart.
    pub identity: String,
    /// LLVM's linker for wasm.
    pub wasm_ld: PathBuf,
}

/// A wasm standard library in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WasmStd {
    /// A folder to be put first on `PATH`: cargo and rustc of the matching compiler.
    pub bin: PathBuf,
    /// What to give as `--sysroot` for the wasm target.
    pub sysroot: PathBuf,
    /// The linker.
    pub wasm_ld: PathBuf,
}

/// The name of the folder of the wasm standard library in the cache.
pub const WASM_STD: &str = "wasm-std";
/// Where Debian's compiler and cargo are.
pub const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
/// Debian's cargo.
pub const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";

impl Probe {
    /// Looks at this machine.
    pub fn of_machine(cache: &Cache, registries_only: bool) -> Self {
        let debian_rust = debian_rust();
        let wasm_std = debian_rust.as_ref().and_then(|rust| wasm_std(cache, rust));
        let wasm_bindgen = exact("wasm-bindgen", cache.tool("wasm-bindgen", pins::WASM_BINDGEN).join("bin"), {
            |version| Version::find(pins::WASM_BINDGEN) == Some(version)
        });
        let wasm_opt = exact("wasm-opt", cache.tool("binaryen", pins::BINARYEN).join("node_modules/.bin"), |version| {
            Version::find(pins::BINARYEN) == Some(version)
        });
        let (browser, driver) = pair(&browsers(), &drivers());
        Self {
            registries_only,
            root: output("id", &["-u"]).is_some_and(|id| id.trim() == "0"),
            apt: which("apt-get").is_some(),
            rustc: tool("rustc"),
            rustup: which("rustup").is_some(),
            target_refused: false,
            wasm_target: !registries_only && has_wasm_target(),
            debian_rust,
            wasm_std,
            trunk: exact("trunk", cache.tool("trunk", pins::TRUNK).join("bin"), |version| {
                pins::TRUNK_RANGE.0 <= version && version < pins::TRUNK_RANGE.1
            }),
            // Asked only where the answer matters: it can take seconds.
            trunk_fetches: !registries_only
                && (wasm_bindgen.is_none() || wasm_opt.is_none())
                && reachable("github.com:443"),
            wasm_bindgen_runner: wasm_bindgen
                .as_ref()
                .map(|tool: &Tool| tool.path.with_file_name("wasm-bindgen-test-runner"))
                .filter(|runner| is_executable(runner)),
            wasm_bindgen,
            wasm_opt,
            node: tool("node"),
            npm: which("npm").is_some(),
            playwright: npm_package(cache, "playwright-core", pins::PLAYWRIGHT),
            axe: npm_package(cache, "axe-core", pins::AXE),
            browser,
            driver,
            python: tool("python3"),
            nextest: which("cargo-nextest").and_then(|path| {
                let version = Version::find(&output(&path, &["nextest", "--version"])?)?;
                Some(Tool { path, version })
            }),
        }
    }
}

fn tool(name: &str) -> Option<Tool> {
    tool_at(&which(name)?)
}

fn tool_at(path: &Path) -> Option<Tool> {
    let version = Version::find(&output(path, &["--version"])?)?;
    Some(Tool { path: path.to_path_buf(), version })
}

/// The user's own tool if its version will do, else the one in our cache if it runs and is of such a version. So a
/// half-done installation counts as none.
fn exact(name: &str, cached: PathBuf, accept: impl Fn(Version) -> bool) -> Option<Tool> {
    let fits = |path: PathBuf| tool_at(&path).filter(|tool| accept(tool.version));
    which(name).and_then(fits).or_else(|| Some(cached.join(name)).filter(|path| is_executable(path)).and_then(fits))
}

fn has_wasm_target() -> bool {
    output("rustc", &["--print", "target-libdir", "--target", "wasm32-unknown-unknown"])
        .is_some_and(|dir| contains_std(Path::new(dir.trim())))
}

fn contains_std(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        })
    })
}

fn debian_rust() -> Option<DebianRust> {
    let identity = output(DEBIAN_RUSTC, &["-vV"])?;
    let version = Version::find(&identity)?;
    let complete = is_executable(Path::new(DEBIAN_CARGO)) && Path::new(DEBIAN_LIBRARY).is_file();
    let wasm_ld = which("wasm-ld-19").or_else(|| which("wasm-ld"))?;
    (complete && version >= pins::RUST_LEAST).then_some(DebianRust { version, identity, wasm_ld })
}

fn wasm_std(cache: &Cache, rust: &DebianRust) -> Option<WasmStd> {
    let dir = cache.tool(WASM_STD, &rust.version.to_string());
    let stamp = cache::stamp(&dir)?;
    let (sysroot, identity) = stamp.split_once('\n')?;
    let sysroot = dir.join(sysroot);
    let usable = identity == rust.identity && contains_std(&sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib"));
    usable.then(|| WasmStd { bin: dir.join("bin"), sysroot, wasm_ld: rust.wasm_ld.clone() })
}

fn npm_package(cache: &Cache, name: &str, version: &str) -> Option<PathBuf> {
    let dir = cache.tool(name, version);
    let package = std::fs::read_to_string(dir.join("node_modules").join(name).join("package.json")).ok()?;
    let package: serde_json::Value = serde_json::from_str(&package).ok()?;
    (cache::stamp(&dir).is_some() && package.get("version")?.as_str()? == version).then_some(dir)
}

fn candidates(variable: &str, names: &[&str], paths: &[&str]) -> Vec<Tool> {
    let chosen = std::env::var_os(variable).map(PathBuf::from);
    let named = names.iter().filter_map(|name| which(name));
    let placed = paths.iter().map(PathBuf::from).filter(|path| is_executable(path));
    chosen.into_iter().chain(named).chain(placed).filter_map(|path| tool_at(&path)).collect()
}

fn browsers() -> Vec<Tool> {
    candidates(
        "CHROME",
        &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
        &["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
    )
}

fn drivers() -> Vec<Tool> {
    candidates(
        "CHROMEDRIVER",
        &["chromedriver"],
        &["/usr/lib/chromium-browser/chromedriver", "/usr/lib/chromium/chromedriver"],
    )
}

/// The first browser that has a driver of its own major version; else the first browser alone.
fn pair(browsers: &[Tool], drivers: &[Tool]) -> (Option<Tool>, Option<Tool>) {
    let matching = |browser: &Tool| drivers.iter().find(|driver| driver.version.major == browser.version.major);
    match browsers.iter().find_map(|browser| Some((browser, matching(browser)?))) {
        Some((browser, driver)) => (Some(browser.clone()), Some(driver.clone())),
        None => (browsers.first().cloned(), None),
    }
}

/// Whether a TCP connection can be made within two seconds.
fn reachable(host: &str) -> bool {
    host.to_socket_addrs().is_ok_and(|mut addresses| {
        addresses.next().is_some_and(|address| TcpStream::connect_timeout(&address, Duration::from_secs(2)).is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, major: u32) -> Tool {
        Tool { path: path.into(), version: Version::new(major, 0, 0) }
    }

    #[test]
    fn a_driver_goes_with_its_own_browser() {
        let chrome = at("chrome", 150);
        let chromium = at("chromium", 156);
        let driver = at("driver", 156);
        let found = pair(&[chrome.clone(), chromium.clone()], std::slice::from_ref(&driver));
        assert_eq!(found, (Some(chromium), Some(driver.clone())));
        assert_eq!(pair(std::slice::from_ref(&chrome), std::slice::from_ref(&driver)), (Some(chrome), None));
        assert_eq!(pair(&[], &[driver]), (None, None));
    }

    #[test]
    fn a_half_done_library_is_not_taken() {
        let dir = std::env::temp_dir().join(format!("xtask-std-{}", std::process::id()));
        cache::fresh(&dir).unwrap();
        assert!(!contains_std(&dir));
        std::fs::write(dir.join("libcore-1.rlib"), "").unwrap();
        assert!(!contains_std(&dir));
        std::fs::write(dir.join("libstd-1.rlib"), "").unwrap();
        assert!(contains_std(&dir));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
