//! From the bytes of a file, in pieces of any size, to lines: gzip is inflated, lines are put together
//! across pieces, nothing is kept but the line begun. Not for what lines say: that is `line`.

use std::io::Write;

use flate2::write::MultiGzDecoder;
use memchr::{memchr, memrchr};

use super::error::TraceError;

/// A longer line is no line of a trace.
const MOST_LINE: usize = 8192;
/// So much of a gzip file is inflated at a time: 4 MiB of output at the most.
const INFLATED_AT_ONCE: usize = 4096;
/// So much of the beginning is looked at to tell text from other files.
const LOOKED_AT: usize = 4096;

/// The lines of a file.
pub(super) struct Lines {
    source: Source,
    begun: Vec<u8>,
    /// The line begun is too long and passed over.
    skipping: bool,
    /// Lines so far.
    pub number: u64,
    /// Bytes of the file so far.
    pub bytes_read: u64,
    /// Bytes of text so far.
    pub text_bytes: u64,
    /// At which byte of the file the gzip data breaks off or is damaged.
    pub broken_at: Option<u64>,
    /// The last line had no end.
    pub unfinished: bool,
}

enum Source {
    /// Nothing has come yet but this.
    Unknown(Vec<u8>),
    Text,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

impl Lines {
    /// Before the first byte.
    pub fn new() -> Self {
        Self {
            source: Source::Unknown(Vec::new()),
            begun: Vec::new(),
            skipping: false,
            number: 0,
            bytes_read: 0,
            text_bytes: 0,
            broken_at: None,
            unfinished: false,
        }
    }

    /// Takes the next piece and hands out each line that is complete, with its number from 1.
    ///
    /// # Errors
    /// [`TraceError::Binary`] when it is a file of another kind.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(u64, &[u8])) -> Result<(), TraceError> {
        self.bytes_read += bytes.len() as u64;
        if let Source::Unknown(begun) = &mut self.source {
            begun.extend_from_slice(bytes);
            if begun.len() < 2 {
                return Ok(());
            }
            let begun = std::mem::take(begun);
            let gzip = begun.starts_with(&[0x1f, 0x8b]);
            self.source = if gzip { Source::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))) } else { Source::Text };
            return self.known(&begun, each);
        }
        self.known(bytes, each)
    }

    fn known(&mut self, bytes: &[u8], each: &mut impl FnMut(u64, &[u8])) -> Result<(), TraceError> {
        let Source::Gzip(mut decoder) = std::mem::replace(&mut self.source, Source::Text) else {
            return self.text(bytes, each);
        };
        let mut result = Ok(());
        for piece in bytes.chunks(INFLATED_AT_ONCE) {
            if self.broken_at.is_some() || result.is_err() {
                break;
            }
            if decoder.write_all(piece).is_err() {
                self.broken_at = Some(self.bytes_read);
            }
            let text = std::mem::take(decoder.get_mut());
            result = self.text(&text, each);
            *decoder.get_mut() = text;
            decoder.get_mut().clear();
        }
        self.source = Source::Gzip(decoder);
        result
    }

    fn text(&mut self, text: &[u8], each: &mut impl FnMut(u64, &[u8])) -> Result<(), TraceError> {
        if self.text_bytes < LOOKED_AT as u64 {
            let look = &text[..text.len().min(LOOKED_AT)];
            if let Some(what) = other_kind(look, self.text_bytes == 0) {
                return Err(TraceError::Binary { what });
            }
        }
        self.text_bytes += text.len() as u64;
        let Some(last) = memrchr(b'\n', text) else {
            self.keep(text);
            return Ok(());
        };
        let mut from = 0;
        while let Some(length) = memchr(b'\n', &text[from..=last]) {
            let line = &text[from..from + length];
            from += length + 1;
            self.number += 1;
            if self.skipping {
                self.skipping = false;
                self.begun.clear();
                each(self.number, b"(too long)");
            } else if self.begun.is_empty() {
                each(self.number, line);
            } else {
                self.begun.extend_from_slice(line);
                each(self.number, &self.begun);
                self.begun.clear();
            }
        }
        self.keep(&text[from..]);
        Ok(())
    }

    fn keep(&mut self, part: &[u8]) {
        if self.skipping || self.begun.len() + part.len() > MOST_LINE {
            self.skipping = true;
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(part);
        }
    }

    /// The end of the file: hands out what is left.
    ///
    /// # Errors
    /// As [`Lines::feed`].
    pub fn finish(&mut self, each: &mut impl FnMut(u64, &[u8])) -> Result<(), TraceError> {
        match std::mem::replace(&mut self.source, Source::Text) {
            Source::Unknown(begun) => self.text(&begun, each)?,
            Source::Text => {}
            Source::Gzip(mut decoder) => {
                if decoder.try_finish().is_err() && self.broken_at.is_none() {
                    self.broken_at = Some(self.bytes_read);
                }
                let text = std::mem::take(decoder.get_mut());
                self.text(&text, each)?;
            }
        }
        if !self.begun.is_empty() || self.skipping {
            self.number += 1;
            self.unfinished = true;
            let line = std::mem::take(&mut self.begun);
            each(self.number, &line);
        }
        Ok(())
    }
}

/// What a file is that is no text, by its beginning.
fn other_kind(beginning: &[u8], first: bool) -> Option<&'static str> {
    if first {
        for (magic, what) in [
            (&b"PERFILE2"[..], "a perf.data file; print it with `perf sched script` and import what that prints"),
            (b"\x17\x08\x44tracing", "a trace.dat file; print it with `trace-cmd report` and import what that prints"),
            (b"\x28\xb5\x2f\xfd", "a zstd file; unpack it first"),
            (b"\xfd7zXZ", "an xz file; unpack it first"),
            (b"BZh", "a bzip2 file; unpack it first"),
            (b"PK\x03\x04", "a zip file; unpack it first"),
        ] {
            if beginning.starts_with(magic) {
                return Some(what);
            }
        }
    }
    memchr(0, beginning).map(|_| "a binary file")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], piece: usize) -> (Vec<(u64, String)>, Lines) {
        let (mut lines, mut found) = (Lines::new(), Vec::new());
        let mut each = |number, line: &[u8]| found.push((number, String::from_utf8_lossy(line).into_owned()));
        for piece in bytes.chunks(piece) {
            lines.feed(piece, &mut each).unwrap();
        }
        lines.finish(&mut each).unwrap();
        (found, lines)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn lines_are_the_same_whatever_the_pieces() {
        let text = b"one\n\nthree\nfour";
        let expected: Vec<_> =
            [(1, "one"), (2, ""), (3, "three"), (4, "four")].map(|(n, line)| (n, line.to_owned())).to_vec();
        let twice = [gzip(&text[..6]), gzip(&text[6..])].concat();
        for bytes in [text.to_vec(), gzip(text), twice] {
            for piece in [1, 2, 3, 7, 1000] {
                let (found, lines) = lines(&bytes, piece);
                assert_eq!(found, expected);
                assert!(lines.unfinished && lines.broken_at.is_none());
                assert_eq!((lines.bytes_read, lines.text_bytes), (bytes.len() as u64, text.len() as u64));
            }
        }
    }

    #[test]
    fn a_cut_gzip_gives_what_was_there() {
        let text: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
        let whole = gzip(text.as_bytes());
        let (found, lines) = lines(&whole[..whole.len() / 2], 1000);
        assert!(found.len() > 5_000 && found.len() < 15_000, "{}", found.len());
        assert_eq!(found[4_000].1, "line 4000");
        assert_eq!(lines.broken_at, Some(whole.len() as u64 / 2));
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let mut text = vec![b'x'; 100_000];
        text.extend(b"\nnext\n");
        let (found, lines) = lines(&text, 512);
        assert_eq!(found, [(1, "(too long)".to_owned()), (2, "next".to_owned())]);
        assert!(lines.begun.capacity() <= 4 * MOST_LINE);
    }

    #[test]
    fn other_files_are_named() {
        for (bytes, name) in [
            (&b"PERFILE2\0\0"[..], "perf.data"),
            (b"\x17\x08\x44tracing6\0", "trace.dat"),
            (b"PK\x03\x04rest", "zip"),
            (b"text, then\0", "binary"),
        ] {
            let error = Lines::new().feed(bytes, &mut |_, _| {}).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
