//! The event queue: by time, first in first out among equal times.
//! Not for ticks, completions and scheduler timers: the engine asks for those directly.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A task begins by a fork.
    Fork(u32),
    /// A task is woken.
    Wake(u32),
    /// The next period of a DEADLINE task begins.
    Replenish(u32),
    /// A change from outside, by its index.
    Outside(u32),
    /// A wake-up that was queued to another CPU arrives there.
    Activate(u32),
    /// An idle CPU balances for others without ticks.
    NohzBalance(u32),
    /// A CPU's running task is to be pushed away.
    ActiveBalance(u32),
    /// A forced-idle CPU looks for a task of its core's cookie.
    CookieSteal(u32),
}

/// Events in order. The order among equal times is the order in which they were put in.
#[derive(Clone, Debug, Default)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
}

impl EventQueue {
    /// Lets an event happen at an instant, after those of it that are there already.
    pub fn push(&mut self, at_ns: u64, event: Event) {
        self.heap.push(Reverse((at_ns, self.sequence, event)));
        self.sequence += 1;
    }

    /// The time of the next event, `u64::MAX` when there is none.
    pub fn next_ns(&self) -> u64 {
        self.heap.peek().map_or(u64::MAX, |Reverse((at_ns, ..))| *at_ns)
    }

    /// Takes the next event.
    pub fn pop(&mut self) -> Option<Event> {
        self.heap.pop().map(|Reverse((.., event))| event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_are_first_in_first_out() {
        let mut queue = EventQueue::default();
        for (at, event) in [(5, Event::Wake(9)), (3, Event::Wake(7)), (5, Event::Fork(1)), (3, Event::Wake(2))] {
            queue.push(at, event);
        }
        assert_eq!(queue.next_ns(), 3);
        let order: Vec<Event> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [Event::Wake(7), Event::Wake(2), Event::Wake(9), Event::Fork(1)]);
        assert_eq!(queue.next_ns(), u64::MAX);
    }
}
