//! `schedlab sweep merge`: the shards of one sweep as one file, in the order of the runs.
//! Not for running what is missing: the error says which shard to run again.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::rows::{self, Written};
use crate::args;
use crate::document::name;
use crate::error::CommandError;
use crate::output::Output;

/// `schedlab sweep merge`.
///
/// # Errors
/// When a file is no part of a sweep, of another one, twice there or missing; or the output cannot
/// be written.
pub fn merge(files: &[PathBuf], output: &args::Output) -> Result<(), CommandError> {
    let output = Output::open(output)?;
    let mut parts = Vec::with_capacity(files.len());
    for file in files {
        let text = fs::read_to_string(file).map_err(|source| CommandError::Read { file: name(file), source })?;
        let format = rows::format_of(&text);
        let written =
            rows::read(&text, format, true).map_err(|reason| CommandError::Rows { file: name(file), reason })?;
        if written.whole_bytes < text.len() {
            let reason = "its last line is cut off; run the shard again, which goes on where it ended".to_owned();
            return Err(CommandError::Rows { file: name(file), reason });
        }
        parts.push((name(file), format, written));
    }
    let Some((first_file, format, first)) = parts.first() else { return Ok(()) };
    for (file, other, written) in &parts {
        if other != format || written.columns != first.columns {
            let reason = format!("its format or columns are not those of {first_file}");
            return Err(CommandError::Rows { file: file.clone(), reason });
        }
    }
    let lines = in_order(&parts.iter().map(|(file, _, written)| (file.as_str(), written)).collect::<Vec<_>>())?;
    let text = rows::heading(&first.columns, *format) + &lines.concat();
    output.finish(text.as_bytes())
}

/// The lines of all files by the numbers of their runs.
fn in_order<'a>(parts: &[(&'a str, &'a Written)]) -> Result<Vec<&'a str>, CommandError> {
    let mut sweep: Option<(&str, &str, u64)> = None;
    let mut found: BTreeMap<u64, (&str, &str, &str)> = BTreeMap::new();
    for (file, written) in parts {
        let wrong = |reason: String| CommandError::Rows { file: (*file).to_owned(), reason };
        for (key, line) in written.keys.iter().zip(&written.lines) {
            let (first_file, known, of) = *sweep.get_or_insert((file, &key.sweep, key.of));
            if key.sweep != known || key.of != of {
                return Err(wrong(format!(
                    "sweep {} of {} runs, but {first_file} is of sweep {known}",
                    key.sweep, key.of
                )));
            }
            if key.run >= of {
                return Err(wrong(format!("run {} of a sweep of {of}", key.run)));
            }
            if let Some((other, shard, _)) = found.insert(key.run, (file, &key.shard, line)) {
                let both = if other == *file {
                    "is in it twice".to_owned()
                } else {
                    format!("is in {other} too (shard {shard})")
                };
                return Err(wrong(format!("overlap: run {} of shard {} {both}", key.run, key.shard)));
            }
        }
    }
    let of = sweep.map_or(0, |(_, _, of)| of);
    if (found.len() as u64) < of {
        return Err(CommandError::Missing(missing(&found, of)));
    }
    Ok(found.into_values().map(|(_, _, line)| line).collect())
}

/// Which shards lack which runs. A shard that is not there at all is known by the others' `I/N`.
fn missing(found: &BTreeMap<u64, (&str, &str, &str)>, of: u64) -> String {
    let mut shards: Vec<u64> =
        found.values().filter_map(|(_, shard, _)| shard.split_once('/')?.1.parse().ok()).collect();
    shards.sort_unstable();
    shards.dedup();
    let lacking: Vec<u64> = (0..of).filter(|run| !found.contains_key(run)).collect();
    let [shards] = shards[..] else {
        return format!("missing: {} of {of} runs, {}", lacking.len(), ranges(&lacking));
    };
    let mut by_shard: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for run in lacking {
        by_shard.entry(run % shards + 1).or_default().push(run);
    }
    let words = by_shard.into_iter().map(|(shard, runs)| {
        let whole = (of - shard) / shards + 1;
        match runs.len() as u64 == whole {
            true => format!("shard {shard}/{shards}"),
            false => format!("{} of the {whole} runs of shard {shard}/{shards} ({})", runs.len(), ranges(&runs)),
        }
    });
    format!("missing: {}", words.collect::<Vec<_>>().join(", "))
}

/// How many runs are named one by one.
const NAMED: usize = 10;

fn ranges(runs: &[u64]) -> String {
    let words: Vec<String> = runs.iter().take(NAMED).map(u64::to_string).collect();
    let more = if runs.len() > NAMED { ", …" } else { "" };
    format!("run {}{more}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::rows::Key;
    use super::*;

    fn part(shard: &str, runs: &[u64]) -> Written {
        let key = |run: &u64| Key { sweep: "f".to_owned(), shard: shard.to_owned(), run: *run, of: 7 };
        Written {
            keys: runs.iter().map(key).collect(),
            lines: runs.iter().map(|run| format!("{run};")).collect(),
            ..Written::default()
        }
    }

    fn merged(parts: &[(&str, &Written)]) -> Result<String, String> {
        in_order(parts).map(|lines| lines.concat()).map_err(|error| error.to_string())
    }

    #[test]
    fn shards_become_one_in_order() {
        let (first, second) = (part("1/2", &[0, 4, 2, 6]), part("2/2", &[1, 3, 5]));
        assert_eq!(merged(&[("b", &second), ("a", &first)]), Ok("0;1;2;3;4;5;6;".to_owned()));
    }

    #[test]
    fn overlaps_and_gaps_are_named() {
        let (first, second, third) = (part("1/3", &[0, 3, 6]), part("2/3", &[1, 4]), part("3/3", &[2]));
        let error = merged(&[("a", &first), ("b", &second), ("c", &third)]).unwrap_err();
        assert_eq!(error, "missing: 1 of the 2 runs of shard 3/3 (run 5)");
        assert_eq!(merged(&[("a", &first), ("b", &second)]).unwrap_err(), "missing: shard 3/3");
        let error = merged(&[("a", &first), ("b", &second), ("again", &second)]).unwrap_err();
        assert_eq!(error, "again: overlap: run 1 of shard 2/3 is in b too (shard 2/3)");
        let mut other = part("3/3", &[2, 5]);
        other.keys[1].sweep = "g".to_owned();
        let error = merged(&[("a", &first), ("c", &other)]).unwrap_err();
        assert_eq!(error, "c: sweep g of 7 runs, but a is of sweep f");
    }
}
