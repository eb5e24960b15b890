//! The per-user folder of tools that xtask brings, and how a complete one is told from a half-done one.
//! Not for finding tools that the user has: see `probe`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The file that is written last into a tool's folder. It holds what the folder was made for.
const STAMP: &str = ".complete";

/// The cache: `$XDG_CACHE_HOME/schedlab`, by default `~/.cache/schedlab`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

/// Held while a tool is being installed, so that two runs at once do not collide. Released when dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Cache {
    /// The cache of this user.
    ///
    /// # Errors
    /// When neither `XDG_CACHE_HOME` nor the home folder is known.
    pub fn of_user() -> Result<Self, Error> {
        let home = std::env::home_dir().map(PathBuf::into_os_string);
        Self::from_environment(std::env::var_os("XDG_CACHE_HOME"), home)
            .ok_or_else(|| Error::failed("finding the cache folder", "neither XDG_CACHE_HOME nor HOME is set"))
    }

    /// The cache for given values of `XDG_CACHE_HOME` and `HOME`. A relative `XDG_CACHE_HOME` is ignored, as the XDG
    /// specification asks.
    fn from_environment(xdg: Option<OsString>, home: Option<OsString>) -> Option<Self> {
        let xdg = xdg.map(PathBuf::from).filter(|path| path.is_absolute());
        let home = home.filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join(".cache"));
        Some(Self { root: xdg.or(home)?.join("schedlab") })
    }

    /// The folder of all tools.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of one tool: `NAME-VERSION`.
    pub fn tool(&self, name: &str, version: &str) -> PathBuf {
        self.root.join(format!("{name}-{version}"))
    }

    /// Where the output of an installation is kept.
    pub fn log(&self, name: &str) -> PathBuf {
        self.root.join("logs").join(format!("{name}.log"))
    }

    /// Waits until no other run installs this tool, and keeps others out until the lock is dropped.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub fn lock(&self, name: &str) -> Result<Lock, Error> {
        fs::create_dir_all(&self.root).map_err(Error::io(&self.root))?;
        let path = self.root.join(format!(".lock-{name}"));
        let file = File::create(&path).map_err(Error::io(&path))?;
        if file.try_lock().is_err() {
            println!("  another run is installing {name}: waiting for it");
            file.lock().map_err(Error::io(&path))?;
        }
        Ok(Lock { _file: file })
    }
}

/// What a finished folder was stamped with; none if it was never finished.
pub fn stamp(dir: &Path) -> Option<String> {
    fs::read_to_string(dir.join(STAMP)).ok()
}

/// Marks a folder as finished.
///
/// # Errors
/// When the stamp cannot be written.
pub fn finish(dir: &Path, content: &str) -> Result<(), Error> {
    let path = dir.join(STAMP);
    let partial = dir.join(format!("{STAMP}.partial"));
    fs::write(&partial, content).map_err(Error::io(&partial))?;
    fs::rename(&partial, &path).map_err(Error::io(&path))
}

/// An empty folder in place of whatever was there.
///
/// # Errors
/// When the old one cannot be removed or the new one not be made.
pub fn fresh(dir: &Path) -> Result<(), Error> {
    if dir.exists() {
        fs::remove_dir_all(dir).map_err(Error::io(dir))?;
    }
    fs::create_dir_all(dir).map_err(Error::io(dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(xdg: Option<&str>, home: Option<&str>) -> Option<String> {
        Cache::from_environment(xdg.map(Into::into), home.map(Into::into))
            .map(|cache| cache.tool("trunk", "1.2.3").display().to_string())
    }

    #[test]
    fn xdg_comes_before_home() {
        assert_eq!(root(Some("/x"), Some("/h")).as_deref(), Some("/x/schedlab/trunk-1.2.3"));
        assert_eq!(root(None, Some("/h")).as_deref(), Some("/h/.cache/schedlab/trunk-1.2.3"));
        assert_eq!(root(Some(""), Some("/h")).as_deref(), Some("/h/.cache/schedlab/trunk-1.2.3"));
        assert_eq!(root(Some("relative"), Some("/h")).as_deref(), Some("/h/.cache/schedlab/trunk-1.2.3"));
        assert_eq!(root(None, Some("")), None);
        assert_eq!(root(None, None), None);
    }

    #[test]
    fn a_folder_is_finished_only_by_its_stamp() {
        let dir = std::env::temp_dir().join(format!("xtask-stamp-{}", std::process::id()));
        fresh(&dir).unwrap();
        assert_eq!(stamp(&dir), None);
        finish(&dir, "made for this").unwrap();
        assert_eq!(stamp(&dir).as_deref(), Some("made for this"));
        fresh(&dir).unwrap();
        assert_eq!(stamp(&dir), None);
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_second_run_waits_for_the_first() {
        let root = std::env::temp_dir().join(format!("xtask-lock-{}", std::process::id()));
        let cache = Cache { root: root.clone() };
        let first = cache.lock("tool").unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let second = std::thread::spawn({
            let cache = cache.clone();
            move || {
                let lock = cache.lock("tool").unwrap();
                sender.send(()).unwrap();
                drop(lock);
            }
        });
        assert!(receiver.recv_timeout(std::time::Duration::from_millis(100)).is_err());
        drop(first);
        receiver.recv_timeout(std::time::Duration::from_secs(10)).unwrap();
        second.join().unwrap();
        fs::remove_dir_all(&root).unwrap();
    }
}
