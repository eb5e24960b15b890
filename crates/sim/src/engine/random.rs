//! Random lengths: one generator a task, the same bits on every platform.
//! Not for decisions: draws are inputs of the scheduler. `libm` is used because the platform's
//! logarithm may differ in the last bit.

use crate::input::Length;

/// SplitMix64 (Steele, Lea and Flood 2014): a counter and a mixing function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(u64);

const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

impl Random {
    /// The generator of the task `identity` in a run of `seed`.
    pub const fn new(seed: u64, identity: u64) -> Self {
        Self(mix(mix(seed).wrapping_add(identity)))
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A whole number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u32
    }

    /// In (0, 1], so that its logarithm is finite.
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Draws a length, nanoseconds. `positions` are the task's places in its traces.
    pub fn draw(&mut self, length: &Length, positions: &mut [u32]) -> u64 {
        match *length {
            Length::Fixed(length) => length,
            Length::Exponential { mean_ns } => (-libm::log(self.unit()) * mean_ns as f64) as u64,
            Length::Uniform { least_ns, most_ns } => {
                let span = u128::from(most_ns.saturating_sub(least_ns)) + 1;
                least_ns + ((u128::from(self.next()) * span) >> 64) as u64
            }
            Length::LogNormal { median_ns, sigma } => {
                let radius = libm::sqrt(-2.0 * libm::log(self.unit()));
                let normal = radius * libm::cos(std::f64::consts::TAU * self.unit());
                (median_ns as f64 * libm::exp(sigma * normal)).min(1e15) as u64
            }
            Length::Trace { ref lengths_ns, position } => {
                let Some(at) = positions.get_mut(position as usize) else { return 0 };
                let length = lengths_ns.get(*at as usize).copied().unwrap_or(0);
                *at = if *at as usize + 1 >= lengths_ns.len() { 0 } else { *at + 1 };
                length
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(length: &Length) -> f64 {
        let mut random = Random::new(1, 2);
        let draws = 20_000;
        (0..draws).map(|_| random.draw(length, &mut []) as f64).sum::<f64>() / f64::from(draws)
    }

    #[test]
    fn draws_have_the_means_they_should() {
        assert!((mean(&Length::Exponential { mean_ns: 1_000_000 }) / 1e6 - 1.0).abs() < 0.03);
        assert!((mean(&Length::Uniform { least_ns: 500, most_ns: 1500 }) / 1e3 - 1.0).abs() < 0.03);
        // The mean of a log-normal is median · exp(σ²/2).
        let expected = 1e6 * (0.5f64 * 0.25).exp();
        assert!((mean(&Length::LogNormal { median_ns: 1_000_000, sigma: 0.5 }) / expected - 1.0).abs() < 0.03);
    }

    #[test]
    fn uniform_reaches_both_ends_and_nothing_beyond() {
        let mut random = Random::new(7, 7);
        let length = Length::Uniform { least_ns: 3, most_ns: 5 };
        let mut seen = [0; 9];
        for _ in 0..200 {
            seen[random.draw(&length, &mut []) as usize] += 1;
        }
        assert!(seen[3] > 0 && seen[4] > 0 && seen[5] > 0);
        assert_eq!(seen[3] + seen[4] + seen[5], 200);
    }

    #[test]
    fn a_trace_repeats() {
        let mut random = Random::new(0, 0);
        let length = Length::Trace { lengths_ns: [4, 5].into(), position: 0 };
        let mut positions = [0];
        let drawn: Vec<u64> = (0..5).map(|_| random.draw(&length, &mut positions)).collect();
        assert_eq!(drawn, [4, 5, 4, 5, 4]);
    }
}
