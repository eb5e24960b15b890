//! The log as text, as rt-app writes it.

use std::fmt;

use super::{LogLine, TaskLog};

/// The names of the columns, in order, and how wide they are.
const COLUMNS: [(&str, usize); 11] = [
    ("#idx", 4),
    ("perf", 8),
    ("run", 8),
    ("period", 8),
    ("start", 15),
    ("end", 15),
    ("rel_st", 15),
    ("slack", 10),
    ("c_duration", 10),
    ("c_period", 10),
    ("wu_lat", 10),
];

/// As in rt-app's files; rt-app writes one for each thread, whose name stands in the first line here.
impl fmt::Display for TaskLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Task : {}", self.name)?;
        writeln!(f, "# Policy : {} priority : {}", self.policy.name(), self.priority)?;
        let names = COLUMNS.map(|(name, width)| format!("{name:>width$}"));
        writeln!(f, "{}", names.join(" "))?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slack = self.slack.to_string();
        let numbers = [
            self.idx.to_string(),
            self.perf.to_string(),
            self.run.to_string(),
            self.period.to_string(),
            self.start.to_string(),
            self.end.to_string(),
            self.rel_st.to_string(),
            slack,
            self.c_duration.to_string(),
            self.c_period.to_string(),
            self.wu_lat.to_string(),
        ];
        let mut columns = numbers.iter().zip(COLUMNS).map(|(number, (_, width))| format!("{number:>width$}"));
        f.write_str(&columns.by_ref().take(1).collect::<String>())?;
        columns.try_for_each(|column| write!(f, " {column}"))
    }
}
