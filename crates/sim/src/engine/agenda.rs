//! When each CPU needs the engine next, and which CPU is first: a tournament, so that an event on
//! one of many CPUs costs the depth of the tree. Not for events that belong to no CPU.

/// What a CPU needs the engine for; among equal times they come in this order, and the events
/// that belong to no CPU after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// The running task's program goes on.
    Program = 0,
    /// The slice timer fires.
    SliceTimer = 3,
    /// A reschedule request arrives.
    Reschedule = 4,
    /// The tick.
    Tick = 5,
}

/// Where events that belong to no CPU stand among equal times.
pub(super) const EVENT: u64 = 1;
/// Where the groups' period timers stand.
pub(super) const PERIOD: u64 = 2;
/// Bits below the time in a key.
const KIND_BITS: u32 = 3;

/// Time and kind as one number that orders both.
pub(super) const fn key(at_ns: u64, kind: u64) -> u64 {
    if at_ns >= u64::MAX >> KIND_BITS { u64::MAX } else { at_ns << KIND_BITS | kind }
}

/// The time of a key; `u64::MAX`: never.
pub(super) const fn time_of(key: u64) -> u64 {
    if key == u64::MAX { u64::MAX } else { key >> KIND_BITS }
}

/// The next need of each CPU.
#[derive(Clone, Debug)]
pub(super) struct Agenda {
    /// A complete binary tree: node i has children 2i and 2i+1, leaves from `leaves` on; each node
    /// has the leaf that is first below it.
    first: Vec<u32>,
    keys: Vec<u64>,
    leaves: usize,
}

impl Agenda {
    /// An agenda on which no CPU has anything.
    pub fn new(cpus: usize) -> Self {
        let leaves = cpus.next_power_of_two();
        let mut first = vec![0; 2 * leaves];
        for (leaf, slot) in first[leaves..].iter_mut().enumerate() {
            *slot = leaf as u32;
        }
        for node in (1..leaves).rev() {
            first[node] = first[2 * node];
        }
        Self { first, keys: vec![u64::MAX; leaves], leaves }
    }

    /// Says when a CPU needs the engine next, and for what.
    pub fn set(&mut self, cpu: u32, key: u64) {
        let leaf = cpu as usize;
        if self.keys[leaf] == key {
            return;
        }
        self.keys[leaf] = key;
        let mut node = (self.leaves + leaf) / 2;
        while node > 0 {
            let (left, right) = (self.first[2 * node], self.first[2 * node + 1]);
            let winner = if self.keys[right as usize] < self.keys[left as usize] { right } else { left };
            self.first[node] = winner;
            node /= 2;
        }
    }

    /// The first need of all: its key and its CPU; among equals the lowest CPU.
    pub fn first(&self) -> (u64, u32) {
        let cpu = self.first[1];
        (self.keys[cpu as usize], cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_is_the_lowest_cpu() {
        let mut agenda = Agenda::new(5);
        assert_eq!(agenda.first(), (u64::MAX, 0));
        for (cpu, at) in [(4, 70), (1, 50), (3, 50), (0, 90)] {
            agenda.set(cpu, key(at, Due::Tick as u64));
        }
        assert_eq!(agenda.first(), (key(50, 5), 1));
        agenda.set(3, key(50, Due::Program as u64));
        assert_eq!(agenda.first(), (key(50, 0), 3));
        agenda.set(3, u64::MAX);
        agenda.set(1, u64::MAX);
        assert_eq!((time_of(agenda.first().0), agenda.first().1), (70, 4));
        let mut one = Agenda::new(1);
        one.set(0, key(7, 0));
        assert_eq!(one.first(), (key(7, 0), 0));
    }
}
