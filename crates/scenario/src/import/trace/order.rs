//! Puts the events of a trace in the order of time: lines that were swapped come from a window of the
//! last ones. Not for what events say: lines are kept as they are, and read again when it is their turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So many lines are looked at together.
const WINDOW: usize = 64;
/// A clock that goes back by more is another trace, or the clock was set.
const CLOCK_JUMP_NS: u64 = 1_000_000_000;

/// So few lines that are back by more are no new beginning.
const FEW_LINES: usize = WINDOW / 4;

/// A line whose turn has come.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Held {
    pub at_ns: u64,
    /// Its line, from 1: equal times keep the order of the lines.
    pub number: u64,
    pub line: Vec<u8>,
}

/// What to do with the line whose turn has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It follows the one before.
    Next(Held),
    /// It is the first after the clock went back.
    AfterJump(Held),
    /// It is much too late, on its own: what it tells of is past.
    TooLate(Held),
}

/// The window.
#[derive(Default)]
pub(super) struct Order {
    window: BinaryHeap<Reverse<Held>>,
    /// After the clock went back: what is left from before, the last first …
    before: Vec<Held>,
    /// … and the first from after.
    after: Option<Held>,
    last_ns: u64,
    highest_ns: u64,
    spare: Vec<Vec<u8>>,
}

impl Order {
    /// Takes a line; says whether it is earlier than one before.
    pub fn push(&mut self, at_ns: u64, number: u64, line: &[u8]) -> bool {
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.extend_from_slice(line);
        self.window.push(Reverse(Held { at_ns, number, line: kept }));
        let swapped = at_ns < self.highest_ns;
        self.highest_ns = self.highest_ns.max(at_ns);
        swapped
    }

    /// The line whose turn it is, while the window is full; at the end of the trace any.
    pub fn pop(&mut self, end: bool) -> Option<Turn> {
        if let Some(held) = self.before.pop() {
            return Some(Turn::Next(held));
        }
        if let Some(held) = self.after.take() {
            return Some(Turn::AfterJump(held));
        }
        if self.window.len() < WINDOW && !end {
            return None;
        }
        let last_ns = self.last_ns;
        let is_back = |held: &Held| held.at_ns.saturating_add(CLOCK_JUMP_NS) < last_ns;
        let Reverse(first) = self.window.peek()?;
        let is_first_back = is_back(first);
        if is_first_back && self.window.len() < 2 * WINDOW && !end {
            // Is it one line, or all that follow?
            return None;
        }
        let Reverse(held) = self.window.pop()?;
        if held.at_ns >= last_ns {
            self.last_ns = held.at_ns;
            return Some(Turn::Next(held));
        }
        let back = self.window.iter().filter(|Reverse(held)| is_back(held)).count();
        if !is_first_back || back < FEW_LINES {
            return Some(Turn::TooLate(held));
        }
        let (old, new): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.window).into_iter().partition(|Reverse(held)| held.at_ns >= last_ns);
        self.window = new.into();
        self.before = old.into_iter().map(|Reverse(held)| held).collect();
        self.before.sort_unstable_by(|a, b| b.cmp(a));
        self.last_ns = held.at_ns;
        self.highest_ns = self.window.iter().map(|Reverse(held)| held.at_ns).max().unwrap_or(held.at_ns);
        self.after = Some(held);
        self.pop(end)
    }

    /// Takes a line's memory back.
    pub fn done(&mut self, mut held: Held) {
        held.line.clear();
        self.spare.push(held.line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which lines of these times come out: the time, and what is said of it.
    fn ordered(times: &[u64]) -> Vec<(u64, char)> {
        let (mut order, mut out) = (Order::default(), Vec::new());
        let mut take = |turn: Turn| {
            let (held, sign) = match turn {
                Turn::Next(held) => (held, ' '),
                Turn::AfterJump(held) => (held, 'j'),
                Turn::TooLate(held) => (held, 'l'),
            };
            out.push((held.at_ns / 1_000_000, sign));
            held
        };
        for (number, time) in (1..).zip(times) {
            order.push(time * 1_000_000, number, b"line");
            while let Some(turn) = order.pop(false) {
                let held = take(turn);
                order.done(held);
            }
        }
        while let Some(turn) = order.pop(true) {
            let held = take(turn);
            order.done(held);
        }
        out
    }

    #[test]
    fn swapped_lines_come_in_order() {
        let mut times: Vec<u64> = (0..300).collect();
        let expected: Vec<(u64, char)> = times.iter().map(|time| (*time, ' ')).collect();
        times.swap(3, 4);
        times.swap(100, 130);
        times.swap(298, 299);
        assert_eq!(ordered(&times), expected);
        // One that comes hundreds of lines too early waits; one too late is told.
        times.swap(5, 250);
        let mut late = expected;
        late.retain(|(time, _)| *time != 5);
        let came = ordered(&times);
        assert_eq!(came.iter().filter(|(_, sign)| *sign == 'l').collect::<Vec<_>>(), [&(5, 'l')]);
        assert_eq!(came.into_iter().filter(|(_, sign)| *sign == ' ').collect::<Vec<_>>(), late);
    }

    #[test]
    fn a_clock_that_goes_back_begins_anew() {
        // One line that is back on its own changes nothing.
        let times: Vec<u64> = (5000..5100).chain([7]).chain(5100..5200).chain(100..300).collect();
        let mut came = ordered(&times);
        assert_eq!(came.iter().position(|one| *one == (7, 'l')).map(|place| came.remove(place)), Some((7, 'l')));
        assert_eq!(came[..200], (5000..5200).map(|time| (time, ' ')).collect::<Vec<_>>());
        assert_eq!(came[200], (100, 'j'));
        assert_eq!(came[201..], (101..300).map(|time| (time, ' ')).collect::<Vec<_>>());
    }
}
