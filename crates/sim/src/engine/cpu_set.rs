//! Sets of CPUs.

/// The most CPUs a machine may have.
pub const MAX_CPUS: u32 = 1024;

const WORDS: usize = MAX_CPUS as usize / 64;

/// A set of CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CpuSet([u64; WORDS]);

impl CpuSet {
    /// No CPU.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// These CPUs.
    pub fn of(cpus: &[u32]) -> Self {
        let mut set = Self::EMPTY;
        for cpu in cpus {
            set.insert(*cpu);
        }
        set
    }

    /// Adds a CPU.
    pub const fn insert(&mut self, cpu: u32) {
        self.0[cpu as usize / 64] |= 1 << (cpu % 64);
    }

    /// Takes a CPU out.
    pub const fn remove(&mut self, cpu: u32) {
        self.0[cpu as usize / 64] &= !(1 << (cpu % 64));
    }

    /// Whether a CPU is in it.
    pub const fn has(&self, cpu: u32) -> bool {
        self.0[cpu as usize / 64] >> (cpu % 64) & 1 == 1
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            std::iter::successors(Some(*word), |word| Some(word & word.wrapping_sub(1)))
                .take_while(|word| *word != 0)
                .map(move |word| index as u32 * 64 + word.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order() {
        let mut set = CpuSet::of(&[700, 3, 64, 0]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3, 64, 700]);
        set.remove(64);
        assert!(set.has(700) && !set.has(64));
        assert_eq!(CpuSet::EMPTY.iter().next(), None);
    }
}
