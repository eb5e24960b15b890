//! The versions of the tools that schedlab is built and tested with, in one place.
//! `Cargo.toml` and `Trunk.toml` name some of them too; a test holds them together.

use crate::version::Version;

/// The `wasm-bindgen` crate and its command line tools: both must be the same version.
pub const WASM_BINDGEN: &str = "0.2.130";
/// Trunk, when it has to be built. 0.22 needs a newer compiler than Debian has.
pub const TRUNK: &str = "0.21.14";
/// Binaryen, for wasm-opt.
pub const BINARYEN: &str = "132";
/// playwright-core. The last line that runs on Node 18, which Debian 12 has.
pub const PLAYWRIGHT: &str = "1.61.1";
/// axe-core.
pub const AXE: &str = "4.14.1";

/// Trunk versions that read our `Trunk.toml`: from the first to before the second.
pub const TRUNK_RANGE: (Version, Version) = (Version::new(0, 21, 0), Version::new(0, 23, 0));
/// The least Node that playwright-core runs on.
pub const NODE_LEAST: Version = Version::new(18, 0, 0);
/// The least compiler, as `rust-version` in `Cargo.toml`.
pub const RUST_LEAST: Version = Version::new(1, 90, 0);

/// Seconds within which the whole of one wasm test binary must be done.
pub const WASM_TEST_TIMEOUT: &str = "180";

/// What Chromium is started with besides its path: no first-run pages and no traffic of its own.
pub const BROWSER_FLAGS: &[&str] = &[
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    fn read(name: &str) -> String {
        std::fs::read_to_string(workspace::root().join(name)).unwrap()
    }

    #[test]
    fn cargo_and_trunk_name_the_same_versions() {
        let cargo = read("Cargo.toml");
        assert!(cargo.contains(&format!("wasm-bindgen = \"={WASM_BINDGEN}\"")), "Cargo.toml: wasm-bindgen");
        assert!(
            cargo.contains(&format!("rust-version = \"{}.{}\"", RUST_LEAST.major, RUST_LEAST.minor)),
            "Cargo.toml: rust-version"
        );
        let trunk = read("Trunk.toml");
        assert!(trunk.contains(&format!("wasm_bindgen = \"{WASM_BINDGEN}\"")), "Trunk.toml: wasm_bindgen");
        assert!(trunk.contains(&format!("wasm_opt = \"version_{BINARYEN}\"")), "Trunk.toml: wasm_opt");
        assert!(!trunk.contains("offline"), "Trunk fetches its tools on ordinary machines");
    }

    #[test]
    fn the_trunk_that_is_built_is_one_that_is_accepted() {
        let trunk = Version::find(TRUNK).unwrap();
        assert!(TRUNK_RANGE.0 <= trunk && trunk < TRUNK_RANGE.1);
    }
}
