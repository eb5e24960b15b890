//! Finds the tick in a trace: tasks that leave a CPU runnable, with no wake-up to explain it, leave at
//! ticks, and so their times lie close together within the tick's length.
//! Not for wake-up preemption.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schedlab_sim::Machine;

use super::report::TickFinding;

/// So many tasks must have left at the tick.
const LEAST: usize = 10;
/// And this part of all that no wake-up explains.
const LEAST_PART: f64 = 0.4;
/// With this part they are clear.
const CLEAR_PART: f64 = 0.9;
/// A tick's switch comes within this part of the tick's length.
const WIDTH: f64 = 0.04;
/// The frequencies, the most believable first where several fit: ticks of 4 ms lie close together
/// within 1 ms too.
const CANDIDATES: [u32; 4] = [250, 100, 300, 1000];

/// The tick: its frequency and where it lies on each CPU.
#[derive(Clone, Debug)]
pub(super) struct Ticks {
    pub hz: u32,
    tick_ns: u64,
    /// By CPU: the phase in the trace's clock; none: too little was seen there.
    phases: Vec<Option<u64>>,
    hits: usize,
    of: usize,
}

/// When a task left a CPU runnable without a wake-up that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Departure {
    pub at_ns: u64,
    pub cpu: u32,
    pub task: u32,
}

impl Ticks {
    /// The tick that explains the departures best, of the given frequency or of any; none where too
    /// little was seen.
    ///
    /// A task that yields leaves at any time; where all together do not show a tick clearly, each task is
    /// looked at on its own, and the one that shows it most clearly decides. (Tasks in turn leave at every
    /// third or fourth tick each: they would show a lower frequency than there is.)
    pub fn find(departures: &[Departure], hz: Option<u32>) -> Option<Self> {
        let mut of_task: BTreeMap<u32, Vec<Departure>> = BTreeMap::new();
        for departure in departures {
            of_task.entry(departure.task).or_default().push(*departure);
        }
        let together = Self::of_group(departures, hz);
        let clearest = |together: &Option<Self>| {
            let alone =
                of_task.values().filter(|group| group.len() >= LEAST).filter_map(|group| Self::of_group(group, hz));
            alone
                .chain(together.clone())
                .max_by_key(|ticks| ((ticks.part() * 20.0).round() as u32, Reverse(ticks.hz), ticks.hits))
        };
        let mut found = match together {
            Some(ticks) if ticks.part() >= CLEAR_PART => ticks,
            together => clearest(&together)?,
        };
        // Where the clearest task did not run, all tell together.
        let all = Self::of(departures, found.hz);
        found.phases.resize(all.phases.len(), None);
        for (phase, other) in found.phases.iter_mut().zip(all.phases) {
            *phase = phase.or(other);
        }
        found.of = departures.len();
        found.hits = departures.iter().filter(|departure| found.explains(departure.at_ns, departure.cpu)).count();
        Some(found)
    }

    fn of_group(group: &[Departure], hz: Option<u32>) -> Option<Self> {
        let all: Vec<Self> =
            CANDIDATES.into_iter().filter(|one| hz.is_none_or(|hz| hz == *one)).map(|hz| Self::of(group, hz)).collect();
        let best = all.iter().map(|ticks| ticks.hits).max()?;
        let found = all.into_iter().find(|ticks| ticks.hits as f64 >= 0.85 * best as f64)?;
        (found.hits >= LEAST && found.part() >= LEAST_PART).then_some(found)
    }

    fn of(departures: &[Departure], hz: u32) -> Self {
        let tick_ns = Machine::ideal(hz).tick_ns();
        let cpus = departures.iter().map(|departure| departure.cpu + 1).max().unwrap_or(0);
        let mut ticks = Self { hz, tick_ns, phases: Vec::new(), hits: 0, of: departures.len() };
        let mut places: Vec<Vec<u64>> = vec![Vec::new(); cpus as usize];
        for Departure { at_ns, cpu, .. } in departures {
            places[*cpu as usize].push(at_ns % tick_ns);
        }
        for mut places in places {
            places.sort_unstable();
            let (phase, hits) = densest(&places, tick_ns, ticks.width());
            ticks.phases.push((hits >= LEAST).then_some(phase));
            ticks.hits += hits;
        }
        ticks
    }

    fn part(&self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }

    fn width(&self) -> u64 {
        (self.tick_ns as f64 * WIDTH) as u64
    }

    /// Whether a time lies just after a tick of the CPU.
    pub fn explains(&self, at_ns: u64, cpu: u32) -> bool {
        let phase = self.phases.get(cpu as usize).copied().flatten().or_else(|| self.any_phase());
        phase.is_some_and(|phase| (at_ns % self.tick_ns + self.tick_ns - phase) % self.tick_ns <= self.width())
    }

    fn any_phase(&self) -> Option<u64> {
        self.phases.iter().copied().flatten().next()
    }

    /// The phases of `cpus`, counted from the time `first_ns`; those of which too little was seen are
    /// as another one's.
    pub fn phases_from(&self, first_ns: u64, cpus: &[u32]) -> Vec<u64> {
        let first = first_ns % self.tick_ns;
        let any = self.any_phase().unwrap_or(first);
        cpus.iter()
            .map(|cpu| self.phases.get(*cpu as usize).copied().flatten().unwrap_or(any))
            .map(|phase| (phase + self.tick_ns - first) % self.tick_ns)
            .collect()
    }

    /// The HZ, and how much of the evidence agrees with it.
    pub const fn finding(&self) -> TickFinding {
        TickFinding { hz: self.hz, hits: self.hits as u64, of: self.of as u64 }
    }
}

/// Where the most of the sorted places lie within a width, on a circle: the least of them and how
/// many they are.
fn densest(places: &[u64], around: u64, width: u64) -> (u64, usize) {
    let (mut best, mut end) = ((0, 0), 0);
    for start in 0..places.len() {
        end = end.max(start);
        let within = |end: usize| {
            let turned = places[end % places.len()] + if end >= places.len() { around } else { 0 };
            end < start + places.len() && turned - places[start] <= width
        };
        while within(end) {
            end += 1;
        }
        if end - start > best.1 {
            best = (places[start], end - start);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn departures(tick_ns: u64, every: u64, late: impl Fn(u64) -> u64) -> Vec<Departure> {
        let at = |n: u64| 7_000_000_000 + 1_300_000 + n * every * tick_ns + late(n);
        (0..200).map(|n| Departure { at_ns: at(n), cpu: (n / 100) as u32, task: (n % 3) as u32 }).collect()
    }

    #[test]
    fn the_frequency_is_found() {
        for (hz, every) in [(100, 1), (250, 1), (250, 3), (250, 5), (300, 1), (1000, 3), (1000, 1)] {
            let tick_ns = Machine::ideal(hz).tick_ns();
            let ticks = Ticks::find(&departures(tick_ns, every, |n| n % 5 * 1000), None).unwrap();
            assert_eq!(ticks.hz, hz, "{every} ticks");
            let phases = ticks.phases_from(7_000_000_000, &[0, 1, 5]);
            assert_eq!(phases, [1_300_000 % tick_ns; 3].map(|phase| phase % tick_ns), "{hz}");
            assert!(ticks.explains(7_000_000_000 + 1_300_000 + 40 * tick_ns + 20_000, 1));
            assert!(!ticks.explains(7_000_000_000 + 1_300_000 + 40 * tick_ns + tick_ns / 2, 1));
        }
    }

    #[test]
    fn chance_is_no_tick() {
        let random = |n: u64| n.wrapping_mul(6_364_136_223_846_793_005) >> 40;
        assert!(Ticks::find(&departures(4_000_000, 1, random), None).is_none());
        assert!(Ticks::find(&departures(4_000_000, 1, |_| 0)[..9], None).is_none());
        assert!(Ticks::find(&[], None).is_none());
    }

    #[test]
    fn who_yields_does_not_hide_the_tick() {
        // Every other one is a yield, often close to a whole millisecond.
        let mut all = departures(4_000_000, 1, |_| 0);
        for departure in all.iter_mut().step_by(2) {
            *departure =
                Departure { at_ns: departure.at_ns + departure.at_ns / 1_000_000 % 7 * 505_000, task: 9, ..*departure };
        }
        let ticks = Ticks::find(&all, None).unwrap();
        assert_eq!(ticks.hz, 250);
        assert!(ticks.hits >= 100 && ticks.of == 200);
    }

    #[test]
    fn the_circle_has_no_end() {
        assert_eq!(densest(&[1, 2, 50, 98, 99], 100, 4), (98, 4));
        assert_eq!(densest(&[], 100, 4), (0, 0));
        assert_eq!(densest(&[5, 5, 5], 100, 4), (5, 3));
    }
}
