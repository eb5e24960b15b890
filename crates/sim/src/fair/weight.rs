//! Weights and the kernel's fixed-point arithmetic (§2).
//! Not for which weight an entity has when: that is the task's nice value or its group's share.

/// The stored weight of nice 0 (§2.2).
pub(crate) const NICE_0_LOAD: u64 = 1 << 20;
/// Stored weights are the table's, shifted by this (§2.2).
pub(crate) const LOAD_SHIFT: u32 = 10;

/// Weight by nice value from -20 to 19 (§2.1).
const WEIGHTS: [u64; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904, 3906, 3121, 2501,
    1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
];

/// 2^32 over the weight, rounded to nearest, by nice value (§2.1).
const INVERSES: [u32; 40] = [
    48388,
    59856,
    76040,
    92818,
    118_348,
    147_320,
    184_698,
    229_616,
    287_308,
    360_437,
    449_829,
    563_644,
    704_093,
    875_809,
    1_099_582,
    1_376_151,
    1_717_300,
    2_157_191,
    2_708_050,
    3_363_326,
    4_194_304,
    5_237_765,
    6_557_202,
    8_165_337,
    10_153_587,
    12_820_798,
    15_790_321,
    19_976_592,
    24_970_740,
    31_350_126,
    39_045_157,
    49_367_440,
    61_356_676,
    76_695_844,
    95_443_717,
    119_304_647,
    148_102_320,
    186_737_708,
    238_609_294,
    286_331_153,
];

const IDLE_WEIGHT: u64 = 3;
const IDLE_INVERSE: u32 = 1_431_655_765;

/// A weight with its inverse, as `struct load_weight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    /// The stored (shifted) weight, or the sum of those of a queue.
    pub weight: u64,
    /// 2^32 over the unshifted weight; 0: to be computed.
    inverse: u32,
}

/// The unshifted weight (§2.2): at least 2 unless it is 0.
pub(crate) const fn scale_load_down(weight: u64) -> u64 {
    if weight == 0 {
        return 0;
    }
    let down = weight >> LOAD_SHIFT;
    if down < 2 { 2 } else { down }
}

/// The floor inverse that queues and groups use (§2.3).
const fn floor_inverse(weight: u64) -> u32 {
    let down = scale_load_down(weight);
    if down >= u32::MAX as u64 {
        return 1;
    }
    match (u32::MAX as u64).checked_div(down) {
        Some(inverse) => inverse as u32,
        None => u32::MAX,
    }
}

impl Load {
    /// The load of a task: the table's weight and inverse (§2.1).
    pub fn of_task(nice: i8, idle_policy: bool) -> Self {
        if idle_policy {
            return Self { weight: IDLE_WEIGHT << LOAD_SHIFT, inverse: IDLE_INVERSE };
        }
        let index = (i16::from(nice) + 20).clamp(0, 39) as usize;
        Self { weight: WEIGHTS[index] << LOAD_SHIFT, inverse: INVERSES[index] }
    }

    /// The load of a group entity or a queue: the inverse is the floor form.
    pub const fn of_weight(weight: u64) -> Self {
        Self { weight, inverse: floor_inverse(weight) }
    }

    /// Adds to a queue's load; the inverse is computed when it is next needed.
    pub const fn add(&mut self, weight: u64) {
        self.weight += weight;
        self.inverse = 0;
    }

    /// Takes from a queue's load.
    pub const fn remove(&mut self, weight: u64) {
        self.weight -= weight;
        self.inverse = 0;
    }

    const fn inverse(&self) -> u32 {
        if self.inverse == 0 { floor_inverse(self.weight) } else { self.inverse }
    }
}

const fn bit_length(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// `delta · weight / load.weight` in the kernel's fixed point (§2.3, `__calc_delta`), with its
/// two truncations.
pub(crate) const fn scale(delta: u64, weight: u64, load: &Load) -> u64 {
    let mut factor = scale_load_down(weight);
    let mut shift = 32u32;
    let high = factor >> 32;
    if high != 0 {
        let bits = bit_length(high);
        shift = shift.wrapping_sub(bits);
        factor >>= bits;
    }
    factor = (factor as u32 as u64).wrapping_mul(load.inverse() as u64);
    let high = factor >> 32;
    if high != 0 {
        let bits = bit_length(high);
        shift = shift.wrapping_sub(bits);
        factor >>= bits;
    }
    ((delta as u128 * factor as u32 as u128) >> shift) as u64
}

/// Wall time to virtual time (§2.3 `calc_delta_fair`; from 7.1 plain division, current-kernels
/// §2.1).
pub(crate) const fn virtual_length(delta: u64, load: &Load, exact: bool) -> u64 {
    if load.weight == NICE_0_LOAD {
        delta
    } else if exact {
        delta.wrapping_mul(NICE_0_LOAD) / load.weight
    } else {
        scale(delta, NICE_0_LOAD, load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// §8.1: vt(1 ms) for nice -20 to 19.
    const MILLISECOND: [u64; 40] = [
        11536, 14270, 18129, 22129, 28216, 35123, 44035, 54744, 68499, 85934, 107_247, 134_383, 167_868, 208_809,
        262_160, 328_099, 409_436, 514_314, 645_649, 801_879, 1_000_000, 1_248_780, 1_563_358, 1_946_768, 2_420_803,
        3_056_716, 3_764_705, 4_762_790, 5_953_488, 7_474_452, 9_309_090, 11_770_114, 14_628_571, 18_285_714,
        22_755_555, 28_444_444, 35_310_344, 44_521_739, 56_888_888, 68_266_666,
    ];

    #[test]
    fn virtual_lengths_are_the_kernels() {
        for (index, expected) in MILLISECOND.into_iter().enumerate() {
            let load = Load::of_task(index as i8 - 20, false);
            assert_eq!(virtual_length(1_000_000, &load, false), expected);
            assert_eq!(virtual_length(1_000_000, &load, true), expected);
        }
        let idle = Load::of_task(0, true);
        assert_eq!(virtual_length(1_000_000, &idle, false), 341_333_333);
        assert_eq!(virtual_length(2_800_000, &idle, true), 955_733_333);
        for (nice, fixed, exact) in [
            (9, 29_897_809, 29_897_810),
            (12, 58_514_286, 58_514_285),
            (13, 73_142_856, 73_142_857),
            (14, 91_022_221, 91_022_222),
            (16, 141_241_378, 141_241_379),
            (-20, 46146, 46146),
            (19, 273_066_666, 273_066_666),
        ] {
            let load = Load::of_task(nice, false);
            assert_eq!(virtual_length(4_000_000, &load, false), fixed);
            assert_eq!(virtual_length(4_000_000, &load, true), exact);
        }
    }

    /// §8.2: scale() with computed inverses.
    #[test]
    fn scaling_truncates_as_the_kernel_does() {
        let weights = [1024, 820, 15, 88761, 3, 2048u64];
        let expected: [(u64, [u64; 6]); 5] = [
            (1, [0, 1, 68, 0, 341, 0]),
            (999, [998, 1247, 68198, 11, 340_991, 499]),
            (3_000_000, [2_999_999, 3_746_340, 204_799_999, 34609, 1_023_999_999, 1_499_999]),
            (24_000_000, [23_999_994, 29_970_726, 1_638_399_999, 276_878, 8_191_999_998, 11_999_994]),
            (
                123_456_789_012_345,
                [
                    123_456_759_577_952,
                    154_170_399_914_850,
                    8_427_983_461_280_459,
                    1_424_271_370_584,
                    42_139_917_306_402_295,
                    61_728_365_071_780,
                ],
            ),
        ];
        for (delta, results) in expected {
            for (weight, result) in weights.into_iter().zip(results) {
                let load = Load::of_weight(weight << LOAD_SHIFT);
                assert_eq!(scale(delta, NICE_0_LOAD, &load), result, "{delta} over {weight}");
            }
        }
    }
}
