//! `schedlab kernels`: the releases, or one with its flags and tunables, as tables.
//! Not for what the table says: `kernels` has that.

use super::number::duration;
use super::table::Table;
use crate::kernels::{ReleaseDetail, ReleaseRow};

const UNCHECKED: &str = "not checked against a kernel";

/// The list of releases.
#[must_use]
pub fn kernels(rows: &[ReleaseRow]) -> String {
    let mut table = Table::default();
    table.row(["release", "class", "preemption", "checked against"]);
    for row in rows {
        table.row([row.release, row.class, &preemption(row), &checked(row)]);
    }
    let lazy = "The first preemption model is the default. On one CPU all of them give the same switches; lazy is \
                not checked against a kernel.";
    format!("{}\n{lazy}\nschedlab kernels RELEASE lists its flags and tunables.\n", table.text("", 4))
}

/// One release.
#[must_use]
pub fn kernel(detail: &ReleaseDetail) -> String {
    let row = &detail.row;
    let mut text = format!("Linux {}, {}: {}\n", row.release, row.class, checked(row));
    text.push_str(&format!("preemption models: {} (the first is the default)\n\n", preemption(row)));
    let mut features = Table::default();
    features.row(["feature", "default", "acts on", "section", "meaning"]);
    for feature in &detail.features {
        let merged = if feature.proposed { " Proposed, never merged." } else { "" };
        let meaning = feature.meaning.trim_end_matches(" (proposed, never merged).").trim_end_matches('.');
        features.row([
            feature.name,
            if feature.default { "on" } else { "off" },
            feature.acts_on,
            feature.section,
            &format!("{meaning}.{merged}"),
        ]);
    }
    text.push_str(&features.text("", 5));
    text.push('\n');
    let mut tunables = Table::default();
    let cpus = detail.cpus.iter().map(|cpus| if *cpus == 1 { "1 CPU".to_owned() } else { format!("{cpus} CPUs") });
    tunables.row(
        std::iter::once("tunable".to_owned()).chain(cpus).chain(["range", "section", "meaning"].map(str::to_owned)),
    );
    for tunable in &detail.tunables {
        let value = |value: u64| match tunable.name.ends_with("_ns") {
            true => duration(value as f64),
            false => value.to_string(),
        };
        let defaults = tunable.defaults.iter().map(|default| value(*default));
        let range = format!("{} to {}", value(tunable.least), value(tunable.most));
        tunables.row(std::iter::once(tunable.name.to_owned()).chain(defaults).chain([
            range,
            tunable.section.to_owned(),
            tunable.meaning.to_owned(),
        ]));
    }
    text.push_str(&tunables.text("", 4 + detail.cpus.len()));
    text.push_str("\nSections are those of docs/model.md. Tunables are final values, as debugfs shows them.\n");
    text
}

/// The models, the default first.
fn preemption(row: &ReleaseRow) -> String {
    let others = row.preemption_models.iter().filter(|model| **model != row.preemption_default);
    std::iter::once(&row.preemption_default).chain(others).copied().collect::<Vec<_>>().join(", ")
}

fn checked(row: &ReleaseRow) -> String {
    match row.checked_against {
        None => UNCHECKED.to_owned(),
        Some(what) if row.groups_checked => what.to_owned(),
        Some(what) => format!("{what}; groups {UNCHECKED}"),
    }
}
