//! Words for numbers: durations, instants, counts, changes.
//! Not for tables of `perf`: their formats are fixed and live in `schedlab-report`.

/// Stands between groups of three digits; it never breaks a line.
const GROUP: char = '\u{a0}';

/// A duration in the unit that suits it, with three significant digits: `41 µs`, `12.0 ms`,
/// `1.20 s`. Whole nanoseconds below one microsecond.
#[must_use]
pub fn duration(ns: f64) -> String {
    let size = ns.abs();
    let (value, unit) = if size < 999.5 {
        return format!("{}\u{a0}ns", signed(ns, 0));
    } else if size < 999.5e3 {
        (ns / 1e3, "µs")
    } else if size < 999.5e6 {
        (ns / 1e6, "ms")
    } else {
        (ns / 1e9, "s")
    };
    let digits = match value.abs() {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{}\u{a0}{unit}", signed(value, digits))
}

/// A duration exactly, in the largest unit that needs no fraction: `100 µs`, `1500 µs`, `3 ms`.
#[must_use]
pub fn exact(ns: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    match units.into_iter().find(|(size, _)| ns != 0 && ns.is_multiple_of(*size)) {
        Some((size, unit)) => format!("{}\u{a0}{unit}", ns / size),
        None => format!("{ns}\u{a0}ns"),
    }
}

/// Milliseconds with three decimals and grouped digits, as the tables have them: `2 886.204`.
#[must_use]
pub fn milliseconds(ns: f64) -> String {
    let thousandths = (ns / 1e3).round();
    let whole = (thousandths / 1e3).trunc();
    format!("{}.{:03}", count(whole as u64), (thousandths - whole * 1e3) as u64)
}

/// An instant of a run in seconds, to the nanosecond, in groups of three: `1.204 000 000 s`.
#[must_use]
pub fn instant(ns: u64) -> String {
    let below = ns % 1_000_000_000;
    let (milli, micro, nano) = (below / 1_000_000, below / 1_000 % 1_000, below % 1_000);
    format!("{}.{milli:03}{GROUP}{micro:03}{GROUP}{nano:03}\u{a0}s", count(ns / 1_000_000_000))
}

/// A count with grouped digits: `1 204`.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(GROUP);
        }
        text.push(digit);
    }
    text
}

/// A number that may be a mean: whole numbers grouped, others with one decimal.
#[must_use]
pub fn number(value: f64) -> String {
    if (value - value.round()).abs() < 1e-9 || value.abs() >= 1e4 {
        let text = count(value.abs().round() as u64);
        if value < 0.0 { format!("−{text}") } else { text }
    } else {
        signed(value, if value.abs() < 10.0 { 2 } else { 1 })
    }
}

/// A unit in which differences of virtual time are told, so that a column has one for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
}

impl Unit {
    /// The unit that gives the largest of `values`, nanoseconds, at most six digits, as far as milliseconds do.
    #[must_use]
    pub fn for_all(values: impl IntoIterator<Item = i64>) -> Self {
        match values.into_iter().map(i64::unsigned_abs).max().unwrap_or(0) {
            0..10_000 => Self::Nanoseconds,
            10_000..1_000_000_000 => Self::Microseconds,
            _ => Self::Milliseconds,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
        }
    }

    /// A difference with its sign, rounded to whole units and without their name: `+412`, `−1 251`, `0`.
    #[must_use]
    pub fn signed(self, ns: i64) -> String {
        let rounded = self.whole(ns.unsigned_abs());
        match ns {
            1.. if rounded != "0" => format!("+{rounded}"),
            ..=-1 if rounded != "0" => format!("−{rounded}"),
            _ => rounded,
        }
    }

    /// A length, rounded to whole units and without their name: `3 000`.
    #[must_use]
    pub fn whole(self, ns: u64) -> String {
        let size: u64 = match self {
            Self::Nanoseconds => 1,
            Self::Microseconds => 1_000,
            Self::Milliseconds => 1_000_000,
        };
        count(ns / size + u64::from(ns % size * 2 >= size && size > 1))
    }
}

/// A share of one, in per cent: `96.2 %`.
#[must_use]
pub fn share(part: f64) -> String {
    let percent = part * 100.0;
    let digits = if percent > 0.0 && percent < 0.995 { 2 } else { usize::from(percent < 99.95) };
    format!("{}\u{a0}%", signed(percent, digits))
}

/// A relative change: `+211 %`, `−67 %`, `× 12` from tenfold on, `±0` when nothing shows.
#[must_use]
pub fn change(relative: f64) -> String {
    let percent = relative * 100.0;
    if !relative.is_finite() {
        "new".to_owned()
    } else if percent.abs() < 0.05 {
        "±0".to_owned()
    } else if relative >= 9.0 {
        format!("×\u{a0}{}", number((relative + 1.0).round()))
    } else {
        let digits = usize::from(percent.abs() < 9.95);
        let sign = if percent > 0.0 { "+" } else { "−" };
        format!("{sign}{:.digits$}\u{a0}%", percent.abs())
    }
}

/// The label of a log2 bucket in microseconds: bucket 0 is `<1`, bucket n from 1 on begins at
/// 2^(n-1): `1`, `64`, `1K`, `16K`, `1M`.
#[must_use]
pub fn log2_label(bucket: usize) -> String {
    match bucket {
        0 => "<1".to_owned(),
        1..=10 => (1u64 << (bucket - 1)).to_string(),
        11..=20 => format!("{}K", 1u64 << (bucket - 11)),
        21..=30 => format!("{}M", 1u64 << (bucket - 21)),
        _ => format!("{}G", 1u64 << (bucket.min(60) - 31)),
    }
}

fn signed(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let zero = text.bytes().all(|b| b == b'0' || b == b'.');
    if value < 0.0 && !zero { format!("−{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        let cases = [
            (0.0, "0 ns"),
            (999.0, "999 ns"),
            (999.6, "1.00 µs"),
            (41_000.0, "41.0 µs"),
            (268_400.0, "268 µs"),
            (999_600.0, "1.00 ms"),
            (12_000_000.0, "12.0 ms"),
            (1.2e9, "1.20 s"),
            (3.6e12, "3600 s"),
            (-2_500.0, "−2.50 µs"),
        ];
        for (ns, text) in cases {
            assert_eq!(plain(&duration(ns)), text);
        }
    }

    #[test]
    fn exact_durations_lose_nothing() {
        let texts = [0, 1, 1_000, 1_500_000, 3_000_000, 2_000_000_000].map(|ns| plain(&exact(ns)));
        assert_eq!(texts, ["0 ns", "1 ns", "1 µs", "1500 µs", "3 ms", "2 s"]);
    }

    #[test]
    fn tables_and_instants() {
        assert_eq!(plain(&milliseconds(2_886_204_400.0)), "2 886.204");
        assert_eq!(plain(&milliseconds(999_999.9)), "1.000");
        assert_eq!(plain(&instant(1_204_000_123)), "1.204 000 123 s");
        assert_eq!(plain(&count(1_234_567)), "1 234 567");
        assert_eq!(count(999), "999");
    }

    #[test]
    fn changes_say_their_direction() {
        let texts = [2.11, -0.67, 0.0, 0.0004, 0.012, 11.0, f64::INFINITY, f64::NAN].map(|c| plain(&change(c)));
        assert_eq!(texts, ["+211 %", "−67 %", "±0", "±0", "+1.2 %", "× 12", "new", "new"]);
    }

    #[test]
    fn differences_have_one_unit_and_a_sign() {
        let unit = Unit::for_all([-1_251_400, 412_000, 0]);
        assert_eq!(unit, Unit::Microseconds);
        let texts = [-1_251_400, 412_600, 0, 499, -499, i64::MIN].map(|ns| plain(&unit.signed(ns)));
        assert_eq!(texts, ["−1 251", "+413", "0", "0", "0", "−9 223 372 036 854 776"]);
        assert_eq!(Unit::for_all([]), Unit::Nanoseconds);
        assert_eq!(plain(&Unit::for_all([i64::MIN]).whole(2_500_000)), "3");
        assert_eq!(Unit::Nanoseconds.signed(7), "+7");
    }

    #[test]
    fn shares_numbers_and_buckets() {
        assert_eq!(
            ["96.2 %", "0.07 %", "100 %", "0.0 %"],
            [0.962, 0.0007, 1.0, 0.0].map(|s| plain(&share(s))).each_ref().map(|s| s.as_str())
        );
        assert_eq!(
            ["3", "2.50", "12.3", "12 346"],
            [3.0, 2.5, 12.34, 12_345.6].map(|n| plain(&number(n))).each_ref().map(|s| s.as_str())
        );
        assert_eq!(
            ["<1", "1", "512", "1K", "16K", "1M"],
            [0, 1, 10, 11, 15, 21].map(log2_label).each_ref().map(|s| s.as_str())
        );
    }
}
