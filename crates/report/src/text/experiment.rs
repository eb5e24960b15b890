//! An experiment's table in words: reported beside simulated, then what must come out.
//! Not for working anything out.

use super::table::Table;
use crate::experiment::{ExperimentReport, ExperimentRow, MustRow};

/// As an aligned table.
#[must_use]
pub fn experiment_table(report: &ExperimentReport) -> String {
    let mut text = rows(report).text("", 1);
    text.push_str("\nMust come out:\n");
    for must in &report.must {
        text.push_str(&format!("  {}  {}\n", if must.holds { "yes" } else { "NO " }, line(must)));
    }
    text
}

/// As Markdown.
#[must_use]
pub fn experiment_markdown(report: &ExperimentReport) -> String {
    let mut text = rows(report).markdown(1);
    text.push_str("\nMust come out:\n\n");
    for must in &report.must {
        text.push_str(&format!("- {}: {}\n", if must.holds { "yes" } else { "**no**" }, line(must)));
    }
    text
}

fn line(must: &MustRow) -> String {
    let repeats = match must.repeats {
        1 => String::new(),
        several => format!(", in {} of {several} repeats", must.held_in),
    };
    format!("{} ({} and {}{repeats})", must.text, figure(must.left), figure(must.right))
}

fn rows(report: &ExperimentReport) -> Table {
    let mut table = Table::default();
    table.row(["", "reported", "simulated", "std", "± sem", ""]);
    for row in &report.rows {
        let ExperimentRow { label, unit, reported, simulated, std, sem } = row;
        let shown = |value: &Option<f64>| value.map(figure).unwrap_or_default();
        table.row([label.clone(), shown(reported), shown(simulated), shown(std), shown(sem), unit.clone()]);
    }
    table
}

/// A figure of an experiment: three or more digits that mean something.
#[must_use]
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_hold_stands_out() {
        let row = ExperimentRow {
            label: "throughput".to_owned(),
            unit: "%".to_owned(),
            reported: Some(-91.0),
            simulated: Some(-88.25),
            sem: Some(0.5),
            std: Some(1.0),
        };
        let must = MustRow {
            text: "it falls".to_owned(),
            claim: "[a/b] x < 1".to_owned(),
            left: 1234.5,
            right: 1.0,
            held_in: 1,
            repeats: 3,
            holds: false,
        };
        let report = ExperimentReport { rows: vec![row], must: vec![must] };
        let table = experiment_table(&report);
        assert!(table.contains("throughput     -91.0      -88.2  1.00   0.50  %"), "{table}");
        assert!(table.contains("  NO   it falls (1234 and 1.00, in 1 of 3 repeats)"), "{table}");
        assert!(experiment_markdown(&report).contains("- **no**: it falls"));
    }
}
