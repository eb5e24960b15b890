//! Points for charts: the cumulative share of delays, and histograms in bins that are equally
//! wide on a logarithmic axis. Not for scales, ticks or pixels.

use serde::{Deserialize, Serialize};

/// A distribution in logarithmic bins. Shares are of all values and add up to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogBins {
    /// The share of values that are exactly 0, which a logarithmic axis cannot show.
    pub zero: f64,
    /// From the first to the last bin with anything in it, without gaps.
    pub bins: Vec<Bin>,
}

/// One bin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Where it begins, nanoseconds.
    pub from_ns: f64,
    /// Where the next one begins, nanoseconds.
    pub to_ns: f64,
    /// The share of values in it.
    pub share: f64,
}

/// The cumulative distribution of a histogram of (least value, width, count): points of a time in
/// nanoseconds and the share of values that are at most that. Empty for an empty histogram; the
/// last share is 1.
#[must_use]
pub fn cdf(buckets: &[(u64, u64, u64)]) -> Vec<(u64, f64)> {
    let total = total(buckets);
    let mut below = 0;
    buckets
        .iter()
        .filter(|(_, _, count)| *count > 0)
        .map(|(least, width, count)| {
            below += count;
            (least + width.saturating_sub(1), below as f64 / total as f64)
        })
        .collect()
}

/// Re-bins a histogram of (least value, width, count) into `per_decade` bins for each factor of
/// ten, with an edge at each power of ten. A bucket over an edge is shared out by width.
#[must_use]
pub fn log_bins(buckets: &[(u64, u64, u64)], per_decade: u32) -> LogBins {
    let total = total(buckets) as f64;
    let per_decade = f64::from(per_decade.max(1));
    // `next_up` bridges the rounding of the logarithm, so that 1000 lies in the bin from 1000.
    let bin_of = |ns: f64| ((ns.log10() * per_decade).next_up().floor()) as i32;
    let edge = |bin: i32| {
        let decades = bin.div_euclid(per_decade as i32);
        let rest = bin.rem_euclid(per_decade as i32);
        10_f64.powi(decades) * if rest == 0 { 1.0 } else { 10_f64.powf(f64::from(rest) / per_decade) }
    };
    let mut result = LogBins::default();
    let mut first = None;
    let mut shares: Vec<f64> = Vec::new();
    for (least, width, count) in buckets.iter().copied().filter(|(_, _, count)| *count > 0) {
        let share = count as f64 / total;
        if least == 0 && width <= 1 {
            result.zero += share;
            continue;
        }
        let (from, to) = (least.max(1) as f64, (least + width.max(1)) as f64);
        let mut bin = bin_of(from);
        let first = *first.get_or_insert(bin);
        loop {
            let place = usize::try_from(bin - first).unwrap_or(0);
            if shares.len() <= place {
                shares.resize(place + 1, 0.0);
            }
            // A value of 1 ns width belongs where it begins.
            let end = if width <= 1 { to } else { edge(bin + 1).min(to) };
            shares[place] += share * (end - edge(bin).max(from)).max(0.0) / (to - from);
            if end >= to {
                break;
            }
            bin += 1;
        }
    }
    if let Some(first) = first {
        result.bins = shares
            .into_iter()
            .zip(first..)
            .map(|(share, bin)| Bin { from_ns: edge(bin), to_ns: edge(bin + 1), share })
            .collect();
    }
    result
}

/// Re-bins a histogram of nanoseconds as bpftrace's `hist()` bins microseconds: counts by the least
/// value in microseconds, 0, 1, 2, 4, 8 … Exact: the engine's buckets never cross such an edge.
#[must_use]
pub fn log2_microseconds(buckets: &[(u64, u64, u64)]) -> Vec<(u64, u64)> {
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for (least, _, count) in buckets.iter().filter(|(_, _, count)| *count > 0) {
        let microseconds = least / 1000;
        let bin = if microseconds == 0 { 0 } else { 1 << microseconds.ilog2() };
        match bins.last_mut() {
            Some((last, total)) if *last == bin => *total += count,
            _ => bins.push((bin, *count)),
        }
    }
    bins
}

fn total(buckets: &[(u64, u64, u64)]) -> u64 {
    buckets.iter().map(|(_, _, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_sim::Histogram;

    fn buckets(values: &[u64]) -> Vec<(u64, u64, u64)> {
        let mut histogram = Histogram::default();
        for value in values {
            histogram.add(*value);
        }
        histogram.buckets().collect()
    }

    #[test]
    fn the_cdf_ends_at_one_and_says_the_share_at_most() {
        assert_eq!(cdf(&[]), []);
        assert_eq!(cdf(&buckets(&[0, 5, 5, 200])), [(0, 0.25), (5, 0.75), (200, 1.0)]);
        // 1000 lies in a bucket of width 4: the share is reached at its last value.
        assert_eq!(cdf(&buckets(&[1000])), [(1003, 1.0)]);
    }

    #[test]
    fn powers_of_ten_begin_their_bins() {
        for power in 0..16 {
            let value = 10_u64.pow(power);
            for per_decade in [1, 3, 10, 20] {
                let bins = log_bins(&[(value, 1, 7)], per_decade).bins;
                assert_eq!(bins.len(), 1, "{value} in {per_decade}");
                assert_eq!((bins[0].from_ns, bins[0].share), (value as f64, 1.0));
            }
        }
    }

    #[test]
    fn shares_add_up_and_zero_stands_apart() {
        let of = log_bins(&buckets(&[0, 0, 3, 999, 1_000, 54_321, 9_876_543, 123_456_789]), 10);
        assert_eq!(of.zero, 0.25);
        let sum: f64 = of.bins.iter().map(|bin| bin.share).sum();
        assert!((of.zero + sum - 1.0).abs() < 1e-12);
        for pair in of.bins.windows(2) {
            assert_eq!(pair[0].to_ns, pair[1].from_ns);
        }
        assert!(of.bins[0].from_ns <= 3.0 && of.bins[0].to_ns > 3.0);
    }

    #[test]
    fn a_bucket_over_an_edge_is_shared_out() {
        let bins = log_bins(&[(90, 20, 4)], 1).bins;
        assert_eq!(bins.iter().map(|bin| bin.share).collect::<Vec<_>>(), [0.5, 0.5]);
    }

    #[test]
    fn log2_edges_are_exact() {
        let mut values = vec![0, 999];
        let mut expected = vec![(0, 2)];
        for power in 0..20 {
            // The first and the last nanosecond of [2^n, 2^(n+1)) microseconds.
            values.extend([1000 << power, (2000 << power) - 1]);
            expected.push((1 << power, 2));
        }
        assert_eq!(log2_microseconds(&buckets(&values)), expected);
    }
}
