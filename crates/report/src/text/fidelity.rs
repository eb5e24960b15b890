//! The table of `schedlab conformance --kernel-runs`. Not for judging: the rows say what is inside.

use super::table::Table;
use crate::fidelity::Fidelity;

/// A row a figure, those outside marked, and how many are inside.
#[must_use]
pub fn fidelity(fidelity: &Fidelity) -> String {
    let mut table = Table::default();
    table.row(["scenario", "kernel", "figure", "unit", "real", "model", "deviation", "aim", "noise", ""]);
    for row in &fidelity.rows {
        let of = if row.unit == "%" { " points" } else { " %" };
        table.row([
            row.scenario.clone(),
            row.kernel.clone(),
            row.figure.clone(),
            row.unit.clone(),
            format!("{:.2}", row.real),
            format!("{:.2}", row.model),
            row.deviation.map_or_else(|| "from 0".to_owned(), |deviation| format!("{deviation:+.2}{of}")),
            format!("±{}", row.aim),
            format!("{:.2}", row.noise),
            if row.inside { String::new() } else { "outside".to_owned() },
        ]);
    }
    let mut text = table.text("", 4);
    let Fidelity { inside, of, .. } = fidelity;
    text.push_str(&format!("\n{inside} of {of} figures inside\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fidelity::FidelityRow;

    #[test]
    fn a_row_a_figure() {
        let row = FidelityRow {
            scenario: "P2".to_owned(),
            kernel: "6.12".to_owned(),
            figure: "switches".to_owned(),
            unit: "1/s".to_owned(),
            real: 2500.0,
            model: 2650.0,
            deviation: Some(6.0),
            noise: 20.0,
            aim: 5.0,
            inside: false,
        };
        let share = FidelityRow { figure: "share t0".to_owned(), unit: "%".to_owned(), inside: true, ..row.clone() };
        assert_eq!(
            fidelity(&Fidelity::new(vec![row, share])),
            "scenario  kernel  figure    unit     real    model     deviation  aim  noise
P2        6.12    switches  1/s   2500.00  2650.00       +6.00 %   ±5  20.00  outside
P2        6.12    share t0  %     2500.00  2650.00  +6.00 points   ±5  20.00

1 of 2 figures inside
"
        );
    }
}
