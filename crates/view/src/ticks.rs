//! Where an axis has its ticks and what they say.
//! Not for placing them on a screen: positions come from [`crate::Scale`].

/// One tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value it stands at.
    pub value: f64,
    /// What it says; empty for a line without a label.
    pub label: String,
}

/// Ticks at round numbers (1, 2 or 5 times a power of ten), about `wanted` of them, labelled
/// as counts.
#[must_use]
pub fn linear(least: f64, most: f64, wanted: usize) -> Vec<Tick> {
    let proper = least.is_finite() && most.is_finite() && most > least;
    if !proper {
        return vec![Tick { value: least, label: crate::format::number(least) }];
    }
    let step = round_step((most - least) / wanted.max(1) as f64);
    let first = (least / step).ceil() as i64;
    let last = ((most / step) * (1.0 + 1e-12)).floor() as i64;
    (first..=last)
        .map(|index| {
            let value = index as f64 * step;
            Tick { value, label: short(value, step) }
        })
        .collect()
}

/// Ticks at each power of ten of a logarithmic time axis in nanoseconds. The unit is said once,
/// where it changes: `1 µs`, `10`, `100`, `1 ms`, `10`.
#[must_use]
pub fn decades(least_ns: f64, most_ns: f64) -> Vec<Tick> {
    let first = least_ns.max(1.0).log10().ceil() as i32;
    let last = (most_ns.max(1.0).log10() + 1e-9).floor() as i32;
    let mut said = "";
    (first..=last)
        .map(|power| {
            let (unit, within) = match power {
                ..=2 => ("ns", power),
                3..=5 => ("µs", power - 3),
                6..=8 => ("ms", power - 6),
                _ => ("s", power - 9),
            };
            let number = 10u64.pow(within.clamp(0, 18) as u32);
            let label = if unit == said { number.to_string() } else { format!("{number}\u{a0}{unit}") };
            said = unit;
            Tick { value: 10f64.powi(power), label }
        })
        .collect()
}

/// Ticks of a stretch of a run's time, nanoseconds, about `wanted` of them, labelled in seconds with
/// as many decimals as tell them apart.
#[must_use]
pub fn instants(from_ns: u64, to_ns: u64, wanted: usize) -> Vec<Tick> {
    let step = round_step(to_ns.saturating_sub(from_ns).max(1) as f64 / wanted.max(1) as f64).max(1.0) as u64;
    let decimals = 9_usize.saturating_sub(step.ilog10() as usize);
    let first = from_ns.div_ceil(step);
    (first..=to_ns / step)
        .map(|number| {
            let ns = number * step;
            Tick { value: ns as f64, label: format!("{:.decimals$}\u{a0}s", ns as f64 / 1e9) }
        })
        .collect()
}

/// The whole decades that hold `least_ns..=most_ns`: bounds for a logarithmic time axis.
/// Nothing below 1 ns; at least one decade.
#[must_use]
pub fn decade_bounds(least_ns: f64, most_ns: f64) -> (f64, f64) {
    let first = least_ns.max(1.0).log10().floor();
    let last = most_ns.max(1.0).log10().ceil().max(first + 1.0);
    (10f64.powf(first), 10f64.powf(last))
}

/// The smallest round number not below `rough`.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let part = rough / power;
    let factor = if part <= 1.0 + 1e-9 {
        1.0
    } else if part <= 2.0 + 1e-9 {
        2.0
    } else if part <= 5.0 + 1e-9 {
        5.0
    } else {
        10.0
    };
    factor * power
}

/// A tick's number, short enough for an axis: `1200`, `12k`, `1.5M`.
fn short(value: f64, step: f64) -> String {
    let (size, suffix) = match value.abs() {
        v if v >= 1e6 => (1e6, "M"),
        v if v >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let smallest = step / size;
    let digits = if smallest >= 1.0 { 0 } else { (-smallest.log10() - 1e-9).ceil().clamp(0.0, 6.0) as usize };
    let text = format!("{:.digits$}", value.abs() / size);
    if value < 0.0 { format!("−{text}{suffix}") } else { format!("{text}{suffix}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_have_the_decimals_that_tell_them_apart() {
        let labels = |from, to| {
            instants(from, to, 4).into_iter().map(|tick| tick.label.replace('\u{a0}', " ")).collect::<Vec<_>>()
        };
        assert_eq!(labels(1_180_000_000, 1_260_000_000), ["1.18 s", "1.20 s", "1.22 s", "1.24 s", "1.26 s"]);
        assert_eq!(labels(0, 4_000_000_000), ["0 s", "1 s", "2 s", "3 s", "4 s"]);
        assert!(labels(999, 1_001).len() >= 2);
        assert!(instants(5, 5, 4).len() <= 1);
    }

    fn labels(ticks: &[Tick]) -> Vec<String> {
        ticks.iter().map(|tick| tick.label.replace('\u{a0}', " ")).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&linear(0.0, 10.0, 5)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&linear(0.0, 1.0, 2)), ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(&linear(0.0, 37_000.0, 4)), ["0", "10k", "20k", "30k"]);
        assert_eq!(labels(&linear(0.0, 3e6, 6)), ["0", "500k", "1.0M", "1.5M", "2.0M", "2.5M", "3.0M"]);
        assert_eq!(labels(&linear(-1.0, 1.0, 2)), ["−1", "0", "1"]);
    }

    #[test]
    fn an_empty_range_has_one_tick() {
        assert_eq!(linear(4.0, 4.0, 5).len(), 1);
        assert_eq!(linear(0.0, f64::INFINITY, 5).len(), 1);
    }

    #[test]
    fn decades_say_the_unit_once() {
        assert_eq!(labels(&decades(1e3, 1e7)), ["1 µs", "10", "100", "1 ms", "10"]);
        assert_eq!(labels(&decades(0.0, 1e3)), ["1 ns", "10", "100", "1 µs"]);
        assert_eq!(labels(&decades(1e8, 1e10)), ["100 ms", "1 s", "10"]);
    }

    #[test]
    fn bounds_hold_what_they_bound() {
        for (least, most) in [(0.0, 0.0), (5.0, 5.0), (1_000.0, 32_000_000.0), (999.0, 1_001.0)] {
            let (low, high) = decade_bounds(least, most);
            assert!(low <= least.max(1.0) && most <= high && low < high, "{least} {most}: {low} {high}");
        }
    }
}
