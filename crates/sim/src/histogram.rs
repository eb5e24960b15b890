//! A histogram of durations with bounded error: exact below 256 ns, within 1/256 above.
//! Not for drawing: reports re-bin it.

/// Counts of durations in nanoseconds. A bucket's width is at most 1/128 of its lower edge, and
/// [`Histogram::quantile_ns`] answers its middle, so that the error is below 0.4 %.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u32>,
    count: u64,
    sum: u64,
    max: u64,
}

const PRECISION: u32 = 7;

fn bucket_of(value: u64) -> usize {
    let octave = (u64::BITS - value.leading_zeros()).saturating_sub(PRECISION + 1);
    ((u64::from(octave) << PRECISION) + (value >> octave)) as usize
}

/// The least value of a bucket and its width.
fn bucket_range(bucket: usize) -> (u64, u64) {
    let bucket = bucket as u64;
    if bucket < 2 << PRECISION {
        return (bucket, 1);
    }
    let octave = (bucket >> PRECISION) - 1;
    ((bucket - (octave << PRECISION)) << octave, 1 << octave)
}

impl Histogram {
    /// Counts one duration.
    pub fn add(&mut self, value_ns: u64) {
        let bucket = bucket_of(value_ns);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] = self.counts[bucket].saturating_add(1);
        self.count += 1;
        self.sum = self.sum.saturating_add(value_ns);
        self.max = self.max.max(value_ns);
    }

    /// Adds all that another one counted.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.max = self.max.max(other.max);
    }

    /// How many were counted.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their exact sum, nanoseconds.
    #[must_use]
    pub const fn sum_ns(&self) -> u64 {
        self.sum
    }

    /// The exact largest, nanoseconds; 0 when empty.
    #[must_use]
    pub const fn max_ns(&self) -> u64 {
        self.max
    }

    /// The exact mean, rounded down, nanoseconds; 0 when empty.
    #[must_use]
    pub const fn mean_ns(&self) -> u64 {
        match self.sum.checked_div(self.count) {
            Some(mean) => mean,
            None => 0,
        }
    }

    /// The nearest-rank quantile in parts of 10 000 (9 900: p99), nanoseconds; 0 when empty.
    #[must_use]
    pub fn quantile_ns(&self, parts: u64) -> u64 {
        let rank = (u128::from(self.count) * u128::from(parts)).div_ceil(10_000).max(1) as u64;
        let mut seen = 0;
        for (least, width, count) in self.buckets() {
            seen += count;
            if seen >= rank {
                return (least + (width - 1) / 2).min(self.max);
            }
        }
        self.max
    }

    /// The non-empty buckets in order: least value, width (both nanoseconds) and count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bucket, count)| {
            let (least, width) = bucket_range(bucket);
            (least, width, u64::from(*count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket() {
        let powers = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for value in (0..5_000).chain(powers) {
            let (least, width) = bucket_range(bucket_of(value));
            assert!(least <= value && value - least < width, "{value} in {least}+{width}");
            assert!(width == 1 || width <= least / 128);
        }
        assert!((1..5_000).all(|value| bucket_of(value - 1) <= bucket_of(value)));
    }

    #[test]
    fn quantiles_are_nearest_rank() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile_ns(5_000), 0);
        for value in 1..=100 {
            histogram.add(value);
        }
        assert_eq!(histogram.quantile_ns(5_000), 50);
        assert_eq!(histogram.quantile_ns(9_900), 99);
        assert_eq!(histogram.quantile_ns(10_000), 100);
        assert_eq!((histogram.mean_ns(), histogram.max_ns(), histogram.count()), (50, 100, 100));
    }
}
