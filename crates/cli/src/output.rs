//! Where the result goes: standard output, or a file that appears only when it is complete.
//! Not for what is said on standard error (`notice`).

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::args;
use crate::error::CommandError;

/// An output that is ready to be written to, opened before the work begins.
pub enum Output {
    /// Standard output.
    Standard,
    /// A file to be replaced: what is written goes to a temporary file beside it.
    Replaced { temporary: NamedTempFile, target: PathBuf },
    /// Something that cannot be replaced, such as a terminal or a pipe.
    Special(PathBuf),
}

impl Output {
    /// Opens what the command line names.
    ///
    /// # Errors
    /// [`CommandError::NoOutput`] when nothing can be written there.
    pub fn open(output: &args::Output) -> Result<Self, CommandError> {
        match output.to.as_deref() {
            None => Ok(Self::Standard),
            Some(path) if path == Path::new("-") => Ok(Self::Standard),
            Some(path) => Self::open_file(path)
                .map_err(|source| CommandError::NoOutput { file: path.display().to_string(), source }),
        }
    }

    fn open_file(path: &Path) -> io::Result<Self> {
        // What a symbolic link leads to is replaced, not the link.
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        match fs::metadata(&target) {
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() => return Ok(Self::Special(target)),
            _ => {}
        }
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}", folder.display())));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".schedlab-").suffix(".tmp");
        // As any new file: readable as far as the user's mask allows.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self::Replaced { temporary: builder.tempfile_in(folder)?, target })
    }

    /// Writes the whole result. A reader of standard output that has gone away is no failure.
    ///
    /// # Errors
    /// [`CommandError::Write`] when writing fails; a file to be replaced is as before then.
    pub fn finish(self, bytes: &[u8]) -> Result<(), CommandError> {
        let failed = |file: &Path, source| CommandError::Write { file: file.display().to_string(), source };
        match self {
            Self::Standard => {
                let mut standard = io::stdout().lock();
                match standard.write_all(bytes).and_then(|()| standard.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    result => result.map_err(|source| failed(Path::new("standard output"), source)),
                }
            }
            Self::Replaced { mut temporary, target } => {
                temporary.write_all(bytes).map_err(|source| failed(&target, source))?;
                temporary.persist(&target).map_err(|error| failed(&target, error.error))?;
                Ok(())
            }
            Self::Special(path) => fs::write(&path, bytes).map_err(|source| failed(&path, source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> Result<Output, CommandError> {
        Output::open(&args::Output { to: Some(path.to_owned()) })
    }

    #[test]
    fn a_file_appears_only_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.json");
        fs::write(&target, "before").unwrap();
        let output = open(&target).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "before");
        output.finish(b"after").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "after");
        // Given up, it leaves nothing behind.
        drop(open(&target).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_said_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("missing/out")] {
            assert!(matches!(open(&path), Err(CommandError::NoOutput { .. })), "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_written_to_and_not_replaced() {
        let null = Path::new("/dev/null");
        open(null).unwrap().finish(b"gone").unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        open(&link).unwrap().finish(b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    }
}
