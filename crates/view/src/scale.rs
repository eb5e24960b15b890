//! Mappings between values and positions, linear and logarithmic, with their inverses.
//! Not for ticks: those are in [`crate::ticks`].

/// How values are laid out on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Equal differences are equal distances.
    Linear,
    /// Equal ratios are equal distances; values are above 0.
    Log10,
}

/// A mapping of values `least..=most` to positions `0.0..=1.0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    kind: Kind,
    least: f64,
    most: f64,
}

impl Scale {
    /// A linear scale; an empty range becomes one unit wide.
    #[must_use]
    pub fn linear(least: f64, most: f64) -> Self {
        Self { kind: Kind::Linear, least, most: if most > least { most } else { least + 1.0 } }
    }

    /// A logarithmic scale; bounds below 1 become 1, an empty range one decade.
    #[must_use]
    pub fn log10(least: f64, most: f64) -> Self {
        let least = least.max(1.0);
        Self { kind: Kind::Log10, least, most: if most > least { most } else { least * 10.0 } }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The smallest and the largest value.
    #[must_use]
    pub const fn range(&self) -> (f64, f64) {
        (self.least, self.most)
    }

    /// Where a value lies: 0 at the least, 1 at the most; values outside are clamped.
    #[must_use]
    pub fn position(&self, value: f64) -> f64 {
        let part = match self.kind {
            Kind::Linear => (value - self.least) / (self.most - self.least),
            Kind::Log10 => (value.max(self.least) / self.least).log10() / (self.most / self.least).log10(),
        };
        part.clamp(0.0, 1.0)
    }

    /// The value at a position.
    #[must_use]
    pub fn value(&self, position: f64) -> f64 {
        match self.kind {
            Kind::Linear => self.least + position * (self.most - self.least),
            Kind::Log10 => self.least * (self.most / self.least).powf(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_undoes_position() {
        for scale in [Scale::linear(-5.0, 20.0), Scale::log10(1e2, 1e8)] {
            for step in 0..=10 {
                let position = f64::from(step) / 10.0;
                assert!((scale.position(scale.value(position)) - position).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn decades_are_equally_far_apart() {
        let scale = Scale::log10(1.0, 1e4);
        assert!((scale.position(10.0) - 0.25).abs() < 1e-12);
        assert!((scale.position(1e3) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn odd_bounds_give_a_usable_scale() {
        assert_eq!(Scale::linear(3.0, 3.0).range(), (3.0, 4.0));
        assert_eq!(Scale::log10(0.0, 0.0).range(), (1.0, 10.0));
        assert!(Scale::log10(10.0, 100.0).position(0.0).abs() < 1e-12);
    }
}
