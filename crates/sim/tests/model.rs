//! `docs/model.md` against the code: every section that is cited has a heading there, and every
//! flag, tunable, reason and release difference is mentioned. Not for whether the rules are right:
//! that is what the golden traces are for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use schedlab_sim::Reason;
use schedlab_sim::kernel::{FEATURES, Release, TUNABLES};

/// A section: whether it is in part 2 (`current-kernels §2.5`), and its number.
type Section = (bool, String);

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn document() -> String {
    read(&project().join("docs/model.md"))
}

/// Headings of the document: `#### <a id="s4.5"></a>§4.5 Pick`. Gives each section's anchor.
fn headings(text: &str) -> BTreeMap<Section, String> {
    let mut found = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim_start();
        let Some((anchor, title)) = title.strip_prefix("<a id=\"").and_then(|rest| rest.split_once("\"></a>")) else {
            continue;
        };
        let (later, title) = match title.strip_prefix("current-kernels ") {
            Some(rest) => (true, rest),
            None => (false, title),
        };
        let Some(number) = title.strip_prefix('§') else { continue };
        let section = (later, take_number(number).0.to_owned());
        assert!(found.insert(section, anchor.to_owned()).is_none(), "two headings: {line}");
    }
    found
}

/// The number such as `4.11` that a text begins with, and what follows.
fn take_number(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    (number, &text[number.len()..])
}

/// Every section that a text cites: `§4.5`, `§§4.3-4.11`, `current-kernels §2.5, §2.8`. What follows
/// `current-kernels` is in part 2 as long as only commas and "and" stand between.
fn references(text: &str) -> Vec<Section> {
    let mut found = Vec::new();
    let mut later = false;
    let mut before = "";
    for (index, part) in text.split('§').enumerate() {
        if index > 0 {
            let (number, rest) = take_number(part);
            let gap = before.trim_end_matches(|c: char| c.is_whitespace() || c == '`');
            let listed = index > 1 && matches!(before.trim(), "," | "and" | "to" | "or" | ", and" | "");
            later = gap.ends_with("current-kernels") || gap.ends_with("current-kernels.md") || (listed && later);
            before = rest;
            if number.is_empty() {
                // The first sign of `§§`, or a place in a format string.
                continue;
            }
            found.push((later, number.to_owned()));
            if let Some(end) = rest.strip_prefix(['-', '–']) {
                let (number, after) = take_number(end);
                if !number.is_empty() {
                    found.push((later, number.to_owned()));
                    before = after;
                }
            }
        } else {
            before = part;
        }
    }
    found
}

/// Source text with comments unwrapped, so that a reference may go on in the next line.
fn unwrapped(source: &str) -> String {
    let line = |line: &str| {
        let line = line.trim_start();
        line.trim_start_matches(['/', '!']).trim().to_owned()
    };
    source.lines().map(line).collect::<Vec<_>>().join(" ")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && name != "node_modules" {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_section_that_the_code_cites_is_there() {
    let headings = headings(&document());
    let mut files = Vec::new();
    for folder in ["crates", "web", "tests"] {
        rust_files(&project().join(folder), &mut files);
    }
    let mut lost = Vec::new();
    let mut count = 0;
    for file in &files {
        for section in references(&unwrapped(&read(file))) {
            count += 1;
            if !headings.contains_key(&section) {
                lost.push(format!("{}: {}", file.display(), written(&section)));
            }
        }
    }
    assert!(count > 100, "only {count} references were found");
    assert!(lost.is_empty(), "docs/model.md has no such section:\n{}", lost.join("\n"));
}

#[test]
fn every_section_in_the_tables_is_there() {
    let headings = headings(&document());
    let features = FEATURES.iter().map(|info| (info.name, info.section));
    let tunables = TUNABLES.iter().map(|info| (info.name, info.section));
    let of_release =
        |release| Reason::ALL.iter().map(move |reason: &Reason| (reason.name(), reason.section_in(release)));
    let reasons = Release::ALL.into_iter().flat_map(of_release);
    for (name, text) in features.chain(tunables).chain(reasons) {
        let cited = references(text);
        assert!(!cited.is_empty(), "{name}: {text:?} cites no section");
        for section in cited {
            assert_eq!(written(&section), text, "{name}: a section is written out in full");
            assert!(headings.contains_key(&section), "{name}: docs/model.md has no {text}");
        }
    }
}

#[test]
fn the_document_cites_only_what_it_has() {
    let text = document();
    let headings = headings(&text);
    for section in references(&unwrapped(&text)) {
        assert!(headings.contains_key(&section), "docs/model.md cites {} and has none", written(&section));
    }
    let anchors: Vec<&str> =
        text.split("<a id=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect();
    let unique: BTreeSet<&str> = anchors.iter().copied().collect();
    assert_eq!(anchors.len(), unique.len(), "an anchor stands twice");
    for link in text.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap_or_default()) {
        assert!(unique.contains(link) || link == "how-to-read-this", "docs/model.md has no anchor {link}");
    }
    // A link's words and its target are the same section.
    for (later, prefix) in [(false, "[§"), (true, "[current-kernels §")] {
        for rest in text.split(prefix).skip(1) {
            let (number, rest) = take_number(rest);
            let Some(target) = rest.strip_prefix("](#").and_then(|rest| rest.split(')').next()) else { continue };
            assert_eq!(target, anchor(&(later, number.to_owned())), "a link to another section");
        }
    }
}

#[test]
fn anchors_and_numbers_are_in_order() {
    let headings = headings(&document());
    for (section, found) in &headings {
        assert_eq!(*found, anchor(section));
    }
    // Both parts have every number of the two descriptions they re-tell: a section, and the first
    // and last of those below it.
    let part_1 = [(1, 1, 4), (2, 1, 4), (3, 1, 10), (4, 1, 18), (5, 0, 8), (6, 1, 8), (8, 1, 4)].as_slice();
    let part_2 = [(2, 1, 14)].as_slice();
    let mut expected = BTreeSet::new();
    for (later, last, below) in [(false, 10, part_1), (true, 7, part_2)] {
        expected.extend((usize::from(later)..=last).map(|major| (later, major.to_string())));
        for (major, first, last) in below {
            expected.extend((*first..=*last).map(|minor: u32| (later, format!("{major}.{minor}"))));
        }
    }
    assert_eq!(headings.keys().cloned().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn every_flag_tunable_reason_and_release_is_mentioned() {
    let text = document();
    let features = FEATURES.iter().map(|info| info.name);
    let tunables = TUNABLES.iter().map(|info| info.name);
    let reasons = Reason::ALL.iter().map(|reason| reason.name());
    let releases = Release::ALL.into_iter().map(Release::name);
    for name in features.chain(tunables).chain(reasons).chain(releases) {
        assert!(text.contains(&format!("`{name}`")), "docs/model.md does not mention `{name}`");
    }
}

/// The release differences are private, so their names are read from the source.
#[test]
fn every_release_difference_is_mentioned() {
    let text = document();
    let source = read(&project().join("crates/sim/src/kernel/rules.rs"));
    let (mut owner, mut count) = (None, 0);
    for line in source.lines() {
        if let Some(name) = line.strip_prefix("pub(crate) enum ").or(line.strip_prefix("pub(crate) struct ")) {
            owner = Some(name.trim_end_matches(" {").to_owned());
        } else if line == "}" {
            owner = None;
        } else if let Some(owner) = &owner {
            let item = line.trim();
            let name = match (item.strip_prefix("pub "), item.strip_suffix(',')) {
                (Some(field), _) => field.split(':').next().unwrap_or_default().to_owned(),
                (None, Some(variant)) if !item.starts_with('/') => format!("{owner}::{variant}"),
                _ => continue,
            };
            count += 1;
            assert!(text.contains(&format!("`{name}`")), "docs/model.md does not mention `{name}` of {owner}");
        }
    }
    assert!(count > 50, "only {count} release differences were found");
}

fn written((later, number): &Section) -> String {
    format!("{}§{number}", if *later { "current-kernels " } else { "" })
}

fn anchor((later, number): &Section) -> String {
    format!("{}{number}", if *later { "current-kernels-" } else { "s" })
}

#[test]
fn references_are_found_in_every_form() {
    let found = |text: &str| references(&unwrapped(text)).iter().map(written).collect::<Vec<_>>().join("; ");
    assert_eq!(found("/// As in §4.5 and scheduler-model §1.2."), "§4.5; §1.2");
    assert_eq!(
        found("//! (§4.5, §4.6,\n//! current-kernels §2.5, §2.8). §3"),
        "§4.5; §4.6; current-kernels §2.5; current-kernels §2.8; §3"
    );
    assert_eq!(found("from 7.1 current-kernels\n    /// §2.1)"), "current-kernels §2.1");
    assert_eq!(found("§§4.3-4.11 and (current-kernels §2.9; §4.11)"), "§4.3; §4.11; current-kernels §2.9; §4.11");
    assert_eq!(found("format!(\"· model §{}\")"), "");
    let heading =
        "#### <a id=\"s4.5\"></a>§4.5 Pick\n### <a id=\"current-kernels-2\"></a>current-kernels §2 Rules\n## Flags";
    let found: Vec<String> = headings(heading).keys().map(written).collect();
    assert_eq!(found, ["§4.5", "current-kernels §2"]);
}
