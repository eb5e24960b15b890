//! Columns of text in line with each other. Not for formats whose widths are fixed elsewhere.

/// Rows of cells; the first column is flush left, the others flush right.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        (0..columns)
            .map(|column| {
                self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect()
    }

    /// The rows with two blanks between columns and `indent` before them; `left` columns are flush
    /// left.
    pub(super) fn text(&self, indent: &str, left: usize) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(
                    |(column, (cell, width))| {
                        if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                    },
                )
                .collect();
            text.push_str(indent);
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// The rows as a Markdown table with its columns in line, the first row being the heading.
    pub(super) fn markdown(&self, left: usize) -> String {
        let escaped: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| cell.replace('|', "\\|")).collect()).collect();
        let escaped = Self { rows: escaped };
        // A rule is no shorter than `---:`.
        let widths: Vec<usize> = escaped.widths().into_iter().map(|width| width.max(4)).collect();
        let mut text = String::new();
        for (index, row) in escaped.rows.iter().enumerate() {
            let cell = |(column, (cell, width)): (usize, (&String, &usize))| {
                if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            };
            let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
            if index == 0 {
                let rule = |(column, width): (usize, &usize)| {
                    let dashes = "-".repeat(width - 1);
                    if column < left { format!(":{dashes}") } else { format!("{dashes}:") }
                };
                let rules: Vec<String> = widths.iter().enumerate().map(rule).collect();
                text.push_str(&format!("| {} |\n", rules.join(" | ")));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_line() {
        let mut table = Table::default();
        table.row(["task", "n"]);
        table.row(["é", "100"]);
        assert_eq!(table.text(" ", 1), " task    n\n é     100\n");
        assert_eq!(table.markdown(1), "| task |    n |\n| :--- | ---: |\n| é    |  100 |\n");
    }
}
