//! A comparison as an aligned table, as Markdown and as CSV. Not for deciding what changed.

use super::number::{count, duration};
use super::table::Table;
use crate::compare::{Change, Comparison, Group, Row, Unit};

/// An aligned table: a row a measure, the first variant and each other one with its change.
#[must_use]
pub fn comparison_table(comparison: &Comparison) -> String {
    let mut text = table(comparison).text("", 2);
    text.push_str(&footnote(comparison));
    text
}

/// The same as a Markdown table, its columns in line so that it reads as plain text in a mail.
#[must_use]
pub fn comparison_markdown(comparison: &Comparison) -> String {
    let mut text = table(comparison).markdown(2);
    let footnote = footnote(comparison);
    if !footnote.is_empty() {
        text.push_str(&format!("\n{}", footnote.trim_start()));
    }
    text
}

/// CSV with a heading (RFC 4180): group, name, measure, unit, then for each variant its value and
/// standard error, and for each but the first the change, the change in per cent, and whether it
/// is noise. What does not exist is empty.
#[must_use]
pub fn comparison_csv(comparison: &Comparison) -> String {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let mut heading: Vec<String> = ["group", "name", "measure", "unit"].map(str::to_owned).to_vec();
    for (place, name) in comparison.variants.iter().enumerate() {
        heading.extend([name.clone(), format!("{name} sem")]);
        if place > 0 {
            heading.extend([format!("{name} change"), format!("{name} change %"), format!("{name} noise")]);
        }
    }
    // Writing to memory cannot fail, and every line has the same number of cells.
    let _ = writer.write_record(&heading);
    for row in &comparison.rows {
        let (group, name) = match &row.group {
            Group::Task(name) => ("task", name.clone()),
            Group::Operation(name) => ("operation", name.clone()),
            Group::Cpu(number) => ("cpu", number.to_string()),
            Group::Machine => ("machine", String::new()),
            Group::Counters => ("counters", String::new()),
        };
        let unit = match row.unit {
            Unit::Ns => "ns",
            Unit::Count => "count",
            Unit::PerSecond => "1/s",
            Unit::Percent => "%",
        };
        let mut cells = vec![group.to_owned(), name, row.measure.clone(), unit.to_owned()];
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for place in 0..comparison.variants.len() {
            let of = |list: &[Option<f64>]| list.get(place).copied().flatten();
            cells.extend([number(of(&row.values)), number(of(&row.sem))]);
            if place > 0 {
                let change = row.changes.get(place).copied().flatten();
                cells.push(number(change.map(|change| change.absolute)));
                cells.push(number(change.and_then(|change| change.percent)));
                cells.push(change.and_then(|change| change.noise).map_or_else(String::new, |noise| noise.to_string()));
            }
        }
        let _ = writer.write_record(&cells);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn table(comparison: &Comparison) -> Table {
    let mut table = Table::default();
    let mut heading = vec!["of".to_owned(), "measure".to_owned()];
    for (place, name) in comparison.variants.iter().enumerate() {
        heading.push(name.clone());
        if place > 0 {
            heading.push("change".to_owned());
        }
    }
    table.row(heading);
    for row in &comparison.rows {
        let mut cells = vec![group(&row.group), row.measure.trim_end_matches("_ns").to_owned()];
        for (place, value) in row.values.iter().enumerate() {
            cells.push(cell(*value, row.sem.get(place).copied().flatten(), row.unit));
            if place > 0 {
                let change = row.changes.get(place).copied().flatten();
                cells.push(change.map_or_else(String::new, |of| self::change(&of, row, place)));
            }
        }
        table.row(cells);
    }
    table
}

fn group(group: &Group) -> String {
    match group {
        Group::Task(name) => name.clone(),
        Group::Operation(name) if name.is_empty() => "operations".to_owned(),
        Group::Operation(name) => format!("operation {name}"),
        Group::Cpu(number) => format!("cpu {number}"),
        Group::Machine => "all CPUs".to_owned(),
        Group::Counters => "counters".to_owned(),
    }
}

fn value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => duration(value),
        Unit::Count => count(value),
        Unit::PerSecond => format!("{value:.1} /s"),
        Unit::Percent => format!("{value:.2} %"),
    }
}

fn cell(of: Option<f64>, sem: Option<f64>, unit: Unit) -> String {
    match (of, sem) {
        (None, _) => "-".to_owned(),
        (Some(of), Some(sem)) if sem > 0.0 => format!("{} ±{}", value(of, unit), value(sem, unit)),
        (Some(of), _) => value(of, unit),
    }
}

/// The change of a variant with its standard error, `~` after what may be chance.
fn change(change: &Change, row: &Row, variant: usize) -> String {
    let sem = row.change_sem(variant).filter(|sem| *sem > 0.0);
    let first = row.values.first().copied().flatten().unwrap_or(0.0);
    let text = match change.percent {
        _ if change.absolute == 0.0 => "=".to_owned(),
        Some(percent) => {
            let sem = sem.map_or_else(String::new, |sem| format!(" ±{:.1}", (sem / first * 100.0).abs()));
            format!("{percent:+.1}{sem} %")
        }
        None if row.unit == Unit::Percent => {
            let sem = sem.map_or_else(String::new, |sem| format!(" ±{sem:.2}"));
            format!("{:+.2}{sem} points", change.absolute)
        }
        None => "from 0".to_owned(),
    };
    if change.noise == Some(true) && change.absolute != 0.0 { format!("{text} ~") } else { text }
}

fn footnote(comparison: &Comparison) -> String {
    let noise =
        |row: &Row| row.changes.iter().flatten().any(|change| change.noise == Some(true) && change.absolute != 0.0);
    if comparison.rows.iter().any(noise) {
        "\n~ within two standard errors: may be chance\n".to_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison() -> Comparison {
        let row = |group, measure: &str, unit, values: [f64; 2], sem, change| Row {
            group,
            measure: measure.to_owned(),
            unit,
            values: values.map(Some).to_vec(),
            sem: vec![sem, sem],
            changes: vec![None, Some(change)],
        };
        Comparison {
            variants: vec!["6.5".to_owned(), "a,b".to_owned()],
            rows: vec![
                row(
                    Group::Task("web".to_owned()),
                    "run_delay.p99",
                    Unit::Ns,
                    [2_000.0, 3_000.0],
                    Some(500.0),
                    Change { absolute: 1000.0, percent: Some(50.0), noise: Some(true) },
                ),
                row(
                    Group::Cpu(0),
                    "busy",
                    Unit::Percent,
                    [90.0, 91.5],
                    None,
                    Change { absolute: 1.5, percent: None, noise: None },
                ),
            ],
        }
    }

    #[test]
    fn an_aligned_table() {
        assert_eq!(
            comparison_table(&comparison()),
            "of     measure                     6.5               a,b           change
web    run_delay.p99  2.000 µs ±500 ns  3.000 µs ±500 ns  +50.0 ±35.4 % ~
cpu 0  busy                    90.00 %           91.50 %     +1.50 points

~ within two standard errors: may be chance
"
        );
    }

    #[test]
    fn markdown() {
        let text = comparison_markdown(&comparison());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "| of    | measure       |              6.5 |              a,b |          change |",
                "| :---- | :------------ | ---------------: | ---------------: | --------------: |",
                "| web   | run_delay.p99 | 2.000 µs ±500 ns | 3.000 µs ±500 ns | +50.0 ±35.4 % ~ |",
            ]
        );
        assert_eq!(lines[4..], ["", "~ within two standard errors: may be chance"]);
    }

    #[test]
    fn csv_quotes_what_it_must() {
        assert_eq!(
            comparison_csv(&comparison()),
            "group,name,measure,unit,6.5,6.5 sem,\"a,b\",\"a,b sem\",\"a,b change\",\"a,b change %\",\"a,b noise\"\r\n\
             task,web,run_delay.p99,ns,2000,500,3000,500,1000,50,true\r\n\
             cpu,0,busy,%,90,,91.5,,1.5,,\r\n"
        );
    }
}
