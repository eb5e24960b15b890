//! Numbers as people read them: durations with a fitting unit, counts. Not for perf's columns,
//! which have their own widths.

/// A duration with four significant digits and a fitting unit: `850 ns`, `12.30 µs`, `3.270 ms`,
/// `16.02 s`.
#[must_use]
pub fn duration(ns: f64) -> String {
    // Just below a unit, rounding would give 1000 of the smaller one.
    let (value, unit) = match ns.abs() {
        below if below < 999.95 => (ns, "ns"),
        below if below < 999.95e3 => (ns / 1e3, "µs"),
        below if below < 999.95e6 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    if unit == "ns" && value.fract() == 0.0 {
        return format!("{value:.0} ns");
    }
    let decimals = match value.abs() {
        below if below < 10.0 => 3,
        below if below < 100.0 => 2,
        _ => 1,
    };
    format!("{value:.decimals$} {unit}")
}

/// A count: whole as it is, a mean with two decimals.
#[must_use]
pub fn count(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_take_a_fitting_unit() {
        for (ns, text) in [
            (0.0, "0 ns"),
            (850.0, "850 ns"),
            (1_000.0, "1.000 µs"),
            (12_300.0, "12.30 µs"),
            (-3_270_000.0, "-3.270 ms"),
            (999_999_999.0, "1.000 s"),
            (999_998.0, "1.000 ms"),
            (999_900.0, "999.9 µs"),
            (16_020_000_000.0, "16.02 s"),
            (1.5, "1.500 ns"),
        ] {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn counts_show_a_fraction_only_when_they_have_one() {
        assert_eq!((count(1234.0), count(0.2)), ("1234".to_owned(), "0.20".to_owned()));
    }
}
