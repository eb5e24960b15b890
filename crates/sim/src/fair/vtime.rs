//! Virtual time: unsigned, wrapping, compared by signed difference (§1.1).
//! Not for wall time, which is plain `u64` nanoseconds.

/// A point in virtual time: a vruntime, a deadline or a queue's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vtime(pub u64);

impl Vtime {
    /// Where a new queue starts (§1.1): 2^64 − 2^20, so that early vruntimes straddle the wrap.
    pub const QUEUE_START: Self = Self(0u64.wrapping_sub(1 << 20));

    /// The signed distance from `earlier` to this.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.wrapping_sub(earlier.0) as i64
    }

    /// Whether this is strictly before `other`.
    pub const fn before(self, other: Self) -> bool {
        self.since(other) < 0
    }

    /// This plus an unsigned length.
    pub const fn plus(self, length: u64) -> Self {
        Self(self.0.wrapping_add(length))
    }

    /// This moved by a signed distance.
    pub const fn moved(self, distance: i64) -> Self {
        Self(self.0.wrapping_add_signed(distance))
    }

    /// The earlier of the two.
    pub const fn earlier(self, other: Self) -> Self {
        if other.before(self) { other } else { self }
    }

    /// The later of the two.
    pub const fn later(self, other: Self) -> Self {
        if self.before(other) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_the_wrap() {
        let start = Vtime::QUEUE_START;
        let wrapped = start.plus(1 << 21);
        assert!(start.before(wrapped) && !wrapped.before(start) && !start.before(start));
        assert_eq!(wrapped.since(start), 1 << 21);
        assert_eq!((start.earlier(wrapped), start.later(wrapped)), (start, wrapped));
        assert_eq!(wrapped.moved(-(1 << 21)), start);
    }
}
