//! The rows of a sweep as CSV or NDJSON: writing them, and reading back what an earlier run wrote.
//! Not for what is in them.

use serde_json::{Map, Value};

use crate::args::RowFormat;

/// The columns of a row before the parameters.
pub const LEADING: [&str; 7] = ["sweep", "shard", "run", "of", "variant", "repeat", "seed"];
/// The one after the figures.
pub const LAST: &str = "hash";

/// A row: a value for each column.
pub type Row = Vec<Cell>;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// Nothing: the run has no such figure.
    Missing,
}

impl Cell {
    /// A whole number; as text where a number of JSON would not be exact.
    pub fn whole(number: u64) -> Self {
        if number < 1 << 53 { Self::Number(number as f64) } else { Self::Text(number.to_string()) }
    }

    /// The value as CSV has it.
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Missing => String::new(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.clone()),
            // Counts and times are whole as long as they are exact.
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => Value::from(*number as i64),
            Self::Number(number) => Value::from(*number),
            Self::Missing => Value::Null,
        }
    }
}

/// The heading, where the format has one.
pub fn heading(columns: &[String], format: RowFormat) -> String {
    match format {
        RowFormat::Csv => csv_line(columns.iter().map(String::as_str)),
        RowFormat::Ndjson => String::new(),
    }
}

/// One row with its line end.
pub fn line(columns: &[String], row: &Row, format: RowFormat) -> String {
    match format {
        RowFormat::Csv => {
            let cells: Vec<String> = row.iter().map(Cell::text).collect();
            csv_line(cells.iter().map(String::as_str))
        }
        RowFormat::Ndjson => {
            // In the order of the columns, which a map would not keep.
            let fields = columns.iter().zip(row);
            let fields = fields.map(|(column, cell)| format!("{}:{}", Value::from(column.as_str()), cell.json()));
            format!("{{{}}}\n", fields.collect::<Vec<_>>().join(","))
        }
    }
}

fn csv_line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(cells);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// What a file of rows has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The columns.
    pub columns: Vec<String>,
    /// Of each row, its first cells by name: `sweep`, `shard`, `run` and `of`.
    pub keys: Vec<Key>,
    /// How many bytes are whole lines: what follows was cut off.
    pub whole_bytes: usize,
    /// The lines themselves, without the heading, where they were asked for.
    pub lines: Vec<String>,
}

/// Which run of which sweep a row is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The sweep's fingerprint.
    pub sweep: String,
    /// The shard, `I/N`.
    pub shard: String,
    /// The number of the run.
    pub run: u64,
    /// How many runs the sweep has.
    pub of: u64,
}

/// Whether a text is NDJSON; anything else is read as CSV.
pub fn format_of(text: &str) -> RowFormat {
    if text.trim_start().starts_with('{') { RowFormat::Ndjson } else { RowFormat::Csv }
}

/// Reads rows; a last line without its end is left out.
///
/// # Errors
/// The line, and what was expected there.
pub fn read(text: &str, format: RowFormat, keep_lines: bool) -> Result<Written, String> {
    let whole_bytes = text.rfind('\n').map_or(0, |end| end + 1);
    let mut written = Written { whole_bytes, ..Written::default() };
    let expected = |number: usize, what: &str| format!("line {}: expected {what}", number + 1);
    for (number, line) in text[..whole_bytes].lines().enumerate() {
        let (columns, cells): (Vec<String>, Vec<String>) = match format {
            RowFormat::Csv => {
                let cells = csv_cells(line).ok_or_else(|| expected(number, "comma-separated values"))?;
                if number == 0 {
                    written.columns = cells;
                    continue;
                }
                (written.columns.clone(), cells)
            }
            RowFormat::Ndjson => {
                let object: Map<String, Value> =
                    serde_json::from_str(line).map_err(|_| expected(number, "a JSON object"))?;
                let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                object.iter().map(|(column, value)| (column.clone(), text(value))).unzip()
            }
        };
        if number == 0 {
            written.columns.clone_from(&columns);
        }
        if columns != written.columns || cells.len() != columns.len() {
            return Err(expected(number, &format!("{} columns as in the lines before", written.columns.len())));
        }
        let cell = |name: &str| columns.iter().position(|column| column == name).and_then(|place| cells.get(place));
        let whole = |name: &str| cell(name).and_then(|text| text.parse::<u64>().ok());
        let key = cell("sweep").zip(cell("shard")).zip(whole("run").zip(whole("of")));
        let Some(((sweep, shard), (run, of))) = key else {
            return Err(expected(number, "a row of a sweep, with sweep, shard, run and of"));
        };
        written.keys.push(Key { sweep: sweep.clone(), shard: shard.clone(), run, of });
        if keep_lines {
            written.lines.push(format!("{line}\n"));
        }
    }
    Ok(written)
}

fn csv_cells(line: &str) -> Option<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<String> {
        ["sweep", "shard", "run", "of", "a,b", "tasks.x.switches", "hash"].map(str::to_owned).to_vec()
    }

    fn row(run: f64) -> Row {
        let text = |text: &str| Cell::Text(text.to_owned());
        vec![
            text("f00"),
            text("1/2"),
            Cell::Number(run),
            Cell::Number(8.0),
            text("v\"1"),
            Cell::Number(2.5),
            Cell::Missing,
        ]
    }

    #[test]
    fn rows_read_back_in_both_formats() {
        for format in [RowFormat::Csv, RowFormat::Ndjson] {
            let text = heading(&columns(), format)
                + &line(&columns(), &row(3.0), format)
                + &line(&columns(), &row(5.0), format);
            // A line that was cut off is not counted.
            let cut = format!("{text}f00,1/2,7");
            assert_eq!(format_of(&text), format);
            let written = read(&cut, format, true).unwrap();
            let (mut there, mut expected) = (written.columns.clone(), columns());
            there.sort();
            expected.sort();
            assert_eq!((written.whole_bytes, there), (text.len(), expected));
            assert_eq!(written.keys.iter().map(|key| key.run).collect::<Vec<_>>(), [3, 5]);
            assert_eq!(
                (written.keys[0].sweep.as_str(), written.keys[0].shard.as_str(), written.keys[0].of),
                ("f00", "1/2", 8)
            );
            assert_eq!(written.lines.concat(), text[text.len() - written.lines.concat().len()..]);
        }
    }

    #[test]
    fn lines_are_what_tools_read() {
        assert_eq!(line(&columns(), &row(3.0), RowFormat::Csv), "f00,1/2,3,8,\"v\"\"1\",2.5,\n");
        assert_eq!(
            line(&columns(), &row(3.0), RowFormat::Ndjson),
            "{\"sweep\":\"f00\",\"shard\":\"1/2\",\"run\":3,\"of\":8,\"a,b\":\"v\\\"1\",\"tasks.x.switches\":2.5,\"hash\":null}\n"
        );
    }

    #[test]
    fn what_are_no_rows_is_refused_with_its_line() {
        assert!(read("a,b\n1,2\n", RowFormat::Csv, false).is_err_and(|error| error.starts_with("line 2: ")));
        assert!(read("{\"sweep\":1}\n", RowFormat::Ndjson, false).is_err());
        assert!(read("{}\nx\n", RowFormat::Ndjson, false).is_err());
        assert_eq!(read("", RowFormat::Csv, false), Ok(Written::default()));
    }
}
