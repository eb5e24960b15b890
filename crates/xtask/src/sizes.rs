//! How large the built page is, as it is and compressed as a host would send it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::probe::Probe;

/// Compresses standard input at Brotli's highest level and prints the length.
const BROTLI: &str = "
const { brotliCompressSync, constants } = require('node:zlib');
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
console.log(brotliCompressSync(require('node:fs').readFileSync(0), { params }).length);";

/// A table of the files in a folder: bytes, gzip, and Brotli where Node is there to tell.
///
/// # Errors
/// When a file cannot be read.
pub fn report(dist: &Path, probe: &Probe) -> Result<String, Error> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dist).map_err(Error::io(dist))? {
        let path = entry.map_err(Error::io(dist))?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let mut text = format!("{:>10} {:>10} {:>10}  file\n", "bytes", "gzip", "brotli");
    let mut sums = [0_usize; 3];
    for file in files {
        let content = fs::read(&file).map_err(Error::io(&file))?;
        let sizes = [Some(content.len()), Some(gzip(&content)), brotli(&file, probe)];
        for (sum, size) in sums.iter_mut().zip(sizes) {
            *sum += size.unwrap_or(0);
        }
        text += &row(sizes, &file.file_name().unwrap_or_default().to_string_lossy());
    }
    let [bytes, gzip, brotli] = sums;
    Ok(text + &row([Some(bytes), Some(gzip), probe.node.as_ref().map(|_| brotli)], "all"))
}

fn row(sizes: [Option<usize>; 3], name: &str) -> String {
    let [bytes, gzip, brotli] = sizes.map(|size| size.map_or_else(|| "-".to_owned(), |size| size.to_string()));
    format!("{bytes:>10} {gzip:>10} {brotli:>10}  {name}\n")
}

/// The length of a gzip file at level 9: the deflated bytes, a header of 10 bytes and a trailer of 8.
fn gzip(content: &[u8]) -> usize {
    miniz_oxide::deflate::compress_to_vec(content, 9).len() + 18
}

fn brotli(file: &Path, probe: &Probe) -> Option<usize> {
    let node = probe.node.as_ref()?;
    let input = fs::File::open(file).ok()?;
    let output =
        Command::new(&node.path).args(["-e", BROTLI]).stdin(Stdio::from(input)).stderr(Stdio::null()).output().ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_adds_up() {
        let dir = std::env::temp_dir().join(format!("xtask-sizes-{}", std::process::id()));
        crate::cache::fresh(&dir).unwrap();
        fs::write(dir.join("a.js"), "a".repeat(1000)).unwrap();
        fs::write(dir.join("b.wasm"), "b".repeat(500)).unwrap();
        let text = report(&dir, &Probe::default()).unwrap();
        fs::remove_dir_all(&dir).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!((rows[0][0], rows[0][3]), ("1000", "a.js"));
        assert_eq!((rows[2][0], rows[2][2], rows[2][3]), ("1500", "-", "all"));
        assert!(rows[0][1].parse::<usize>().unwrap() < 60, "{text}");
    }
}
