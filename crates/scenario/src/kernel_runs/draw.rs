//! The random lengths of a kernel run, as its program drew them.
//! Not for the engine's own draws.

use super::spec::Word;

/// The most lengths of one task.
pub(super) const MOST_LENGTHS: usize = 10_000_000;

/// The generator of one task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Generator(u64);

impl Generator {
    /// The generator of the kernel runs' README, from its seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next length for a word of `us`, microseconds: from half of it to three halves.
    pub const fn length_us(&mut self, us: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match (self.0 >> 33).checked_rem(us) {
            Some(rest) => us / 2 + rest,
            None => 0,
        }
    }
}

/// The lengths of each word of a program that draws, microseconds, in as many rounds as a task can
/// do in `us`; empty for the other words. All words draw from one state, in the order of the program.
/// None when that would be more than [`MOST_LENGTHS`].
pub(super) fn lengths_us(program: &[Word], seed: u64, us: u64) -> Option<Vec<Vec<u64>>> {
    let mut lengths = vec![Vec::new(); program.len()];
    let mut generator = Generator::new(seed);
    let mut passed_us = 0_u64;
    let mut count = 0;
    while passed_us <= us {
        for (word, lengths) in program.iter().zip(&mut lengths) {
            if let Word::Run { us, drawn: true, .. } | Word::Sleep { us, drawn: true } = word {
                let length = generator.length_us(*us);
                lengths.push(length);
                passed_us += length;
                count += 1;
            }
        }
        if count > MOST_LENGTHS {
            return None;
        }
        // Where nothing is drawn, once round is enough.
        if count == 0 {
            break;
        }
    }
    Some(lengths)
}

#[cfg(test)]
mod tests {
    use super::super::spec::Clock;
    use super::*;

    /// The lengths that the README gives for seed 1001 and `u2000,s2000`.
    #[test]
    fn draws_are_those_of_the_program() {
        let run = Word::Run { us: 2000, drawn: true, by: Clock::CpuTime };
        let program = [run, Word::Yield, Word::Sleep { us: 2000, drawn: true }];
        let lengths = lengths_us(&program, 1001, 10_000).unwrap();
        assert_eq!(lengths[0][..3], [1863, 2805, 2227]);
        assert_eq!(lengths[2][..3], [1772, 1320, 1709]);
        assert!(lengths[1].is_empty());
        assert!(lengths[0].iter().chain(&lengths[2]).sum::<u64>() > 10_000);
    }

    #[test]
    fn a_program_without_draws_has_no_lengths() {
        let lengths = lengths_us(&[Word::Hog, Word::Sleep { us: 5, drawn: false }], 1, 1000).unwrap();
        assert_eq!(lengths, vec![Vec::<u64>::new(), Vec::new()]);
    }

    #[test]
    fn too_many_lengths_are_refused() {
        assert_eq!(lengths_us(&[Word::Sleep { us: 1, drawn: true }], 1, u64::MAX), None);
    }
}
