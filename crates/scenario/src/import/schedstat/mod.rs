//! Snapshots of `/proc/schedstat`, versions 15, 16 and 17: reading them, and the difference of two.
//! Not for printing the statistics of a simulated run in that form.

mod text;

use serde::{Deserialize, Serialize};

/// What is wrong with a snapshot, or with two together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchedstatError {
    /// It is something else.
    #[error("line 1: expected `version N`, as /proc/schedstat begins; this begins with {found:?}")]
    NotSchedstat {
        /// How it begins.
        found: String,
    },
    /// The version is not one of those that are read.
    #[error(
        "version {version} of /proc/schedstat is not read; 15 (kernels to 6.9), 16 (6.10 to 6.13) and 17 (6.14 and later) are"
    )]
    Version {
        /// The version.
        version: u64,
    },
    /// A line is not as its version has it.
    #[error("line {line}: {expected}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What was expected and what there is.
        expected: String,
    },
    /// There are no CPUs.
    #[error("there is no line of a CPU: statistics need CONFIG_SCHEDSTATS, and kernel.sched_schedstats=1")]
    NoCpus,
    /// The versions of two snapshots differ.
    #[error("the first is of version {first} and the second of version {second}: both must be of one kernel")]
    Versions {
        /// Of the first.
        first: u32,
        /// Of the second.
        second: u32,
    },
    /// The second is older than the first.
    #[error("the second was taken before the first: timestamp {second} is below {first}")]
    Order {
        /// Of the first.
        first: u64,
        /// Of the second.
        second: u64,
    },
    /// The CPUs or domains of two snapshots differ.
    #[error("{what}: CPUs or domains changed between the two, so they cannot be compared")]
    Shape {
        /// Where.
        what: String,
    },
    /// A counter went back.
    #[error(
        "{what} went back from {first} to {second}: the machine was started anew between the two, or they are of different machines"
    )]
    Back {
        /// The counter.
        what: String,
        /// In the first.
        first: u64,
        /// In the second.
        second: u64,
    },
}

/// A snapshot of `/proc/schedstat`, or the difference of two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// 15, 16 or 17.
    pub version: u32,
    /// Jiffies: when it was taken, or between the two.
    pub timestamp: u64,
    /// The CPUs.
    pub cpus: Vec<Cpu>,
}

/// A CPU's counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// Its number.
    pub cpu: u32,
    /// yld_count, a relic, sched_count, sched_goidle, ttwu_count, ttwu_local, rq_cpu_time (ns),
    /// run_delay (ns), pcount.
    pub counters: [u64; 9],
    /// Its domains, the lowest first.
    pub domains: Vec<Domain>,
}

/// A domain's counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Domain {
    /// Its level, counted from 0.
    pub level: u32,
    /// Its name, such as `MC` (version 17).
    pub name: Option<String>,
    /// Its CPUs, ascending.
    pub cpus: Vec<u32>,
    /// The counters, in the order of the version.
    pub counters: Vec<u64>,
}

/// The counters of a CPU, in order.
pub(super) const CPU_COUNTERS: [&str; 9] = [
    "yld_count",
    "array_exp",
    "sched_count",
    "sched_goidle",
    "ttwu_count",
    "ttwu_local",
    "rq_cpu_time",
    "run_delay",
    "pcount",
];

/// How many counters a domain has.
const fn domain_counters(version: u32) -> usize {
    if version >= 17 { 45 } else { 36 }
}

impl Snapshot {
    /// Reads a snapshot.
    ///
    /// # Errors
    /// [`SchedstatError`] with the line and what was expected there.
    pub fn parse(text: &str) -> Result<Self, SchedstatError> {
        let mut lines = (1..).zip(text.lines());
        let first = lines.next().map_or("", |(_, line)| line);
        let version = first
            .strip_prefix("version ")
            .and_then(|number| number.trim().parse::<u64>().ok())
            .ok_or_else(|| SchedstatError::NotSchedstat { found: first.chars().take(40).collect() })?;
        let version = u32::try_from(version)
            .ok()
            .filter(|known| (15..=17).contains(known))
            .ok_or(SchedstatError::Version { version })?;
        let mut snapshot = Self { version, timestamp: 0, cpus: Vec::new() };
        for (line, content) in lines {
            snapshot.line(line, content)?;
        }
        if snapshot.cpus.is_empty() {
            return Err(SchedstatError::NoCpus);
        }
        Ok(snapshot)
    }

    fn line(&mut self, line: usize, content: &str) -> Result<(), SchedstatError> {
        let wrong = |expected: String| SchedstatError::Line { line, expected };
        let mut words = content.split_ascii_whitespace();
        let Some(key) = words.next() else { return Ok(()) };
        if key == "timestamp" {
            let number = words.next().and_then(|word| word.parse().ok());
            self.timestamp = number.ok_or_else(|| wrong("expected `timestamp N`".to_owned()))?;
        } else if let Some(number) = key.strip_prefix("cpu") {
            let cpu = number.parse().map_err(|_| wrong(format!("expected `cpuN`, not {key:?}")))?;
            if self.cpus.iter().any(|known| known.cpu == cpu) {
                return Err(wrong(format!("cpu{cpu} is there twice")));
            }
            let counters = counters(words, line, 9)?;
            let counters = counters.try_into().map_err(|_| wrong("expected 9 counters".to_owned()))?;
            self.cpus.push(Cpu { cpu, counters, domains: Vec::new() });
        } else if let Some(number) = key.strip_prefix("domain") {
            let level = number.parse().map_err(|_| wrong(format!("expected `domainN`, not {key:?}")))?;
            let name = (self.version >= 17).then(|| words.next().unwrap_or_default().to_owned());
            let mask = words.next().unwrap_or_default();
            let cpus = cpus_of_mask(mask)
                .ok_or_else(|| wrong(format!("expected a mask of CPUs such as 000000ff, not {mask:?}")))?;
            let counters = counters(words, line, domain_counters(self.version))?;
            let Some(cpu) = self.cpus.last_mut() else {
                return Err(wrong("expected `cpuN …` before its domains".to_owned()));
            };
            cpu.domains.push(Domain { level, name, cpus, counters });
        } else {
            return Err(wrong(format!("expected `timestamp`, `cpuN` or `domainN`, not {key:?}")));
        }
        Ok(())
    }

    /// What was counted from `self` to `later`.
    ///
    /// # Errors
    /// [`SchedstatError`] when the two are not of one kernel, one boot and one set of domains.
    pub fn until(&self, later: &Self) -> Result<Self, SchedstatError> {
        if self.version != later.version {
            return Err(SchedstatError::Versions { first: self.version, second: later.version });
        }
        if later.timestamp < self.timestamp {
            return Err(SchedstatError::Order { first: self.timestamp, second: later.timestamp });
        }
        let shape = |what: String| SchedstatError::Shape { what };
        if self.cpus.len() != later.cpus.len() {
            return Err(shape(format!("{} CPUs and {} CPUs", self.cpus.len(), later.cpus.len())));
        }
        let mut cpus = Vec::new();
        for (first, second) in self.cpus.iter().zip(&later.cpus) {
            if first.cpu != second.cpu {
                return Err(shape(format!("cpu{} and cpu{}", first.cpu, second.cpu)));
            }
            let mut counters = [0; 9];
            for (place, name) in CPU_COUNTERS.iter().enumerate() {
                let what = || format!("cpu{} {name}", first.cpu);
                // Times and pcount have 64 bits, the others 32.
                counters[place] = grown(first.counters[place], second.counters[place], place < 6, what)?;
            }
            let same = |a: &Domain, b: &Domain| (a.level, &a.name, &a.cpus) == (b.level, &b.name, &b.cpus);
            if first.domains.len() != second.domains.len()
                || !first.domains.iter().zip(&second.domains).all(|(a, b)| same(a, b))
            {
                return Err(shape(format!("the domains of cpu{}", first.cpu)));
            }
            let mut domains = Vec::new();
            for (before, after) in first.domains.iter().zip(&second.domains) {
                let counters = before.counters.iter().zip(&after.counters).enumerate().map(|(place, (a, b))| {
                    grown(*a, *b, true, || format!("cpu{} domain{} counter {}", first.cpu, before.level, place + 1))
                });
                domains.push(Domain { counters: counters.collect::<Result<_, _>>()?, ..before.clone() });
            }
            cpus.push(Cpu { cpu: first.cpu, counters, domains });
        }
        Ok(Self { version: self.version, timestamp: later.timestamp - self.timestamp, cpus })
    }

    /// The difference of two snapshots in the form of `perf sched stats report`: the sum of all CPUs,
    /// then each.
    #[must_use]
    pub fn to_text(&self) -> String {
        text::report(self)
    }

    /// All CPUs as one: sums of counters, domain by domain.
    #[must_use]
    pub fn sum(&self) -> Option<Cpu> {
        let mut sum = self.cpus.first()?.clone();
        for cpu in &self.cpus[1..] {
            for (total, counter) in sum.counters.iter_mut().zip(cpu.counters) {
                *total += counter;
            }
            for domain in &cpu.domains {
                match sum.domains.iter_mut().find(|known| known.level == domain.level) {
                    Some(total) => {
                        for (total, counter) in total.counters.iter_mut().zip(&domain.counters) {
                            *total += counter;
                        }
                        total.cpus.extend(&domain.cpus);
                    }
                    None => sum.domains.push(domain.clone()),
                }
            }
        }
        for domain in &mut sum.domains {
            domain.cpus.sort_unstable();
            domain.cpus.dedup();
        }
        Some(sum)
    }
}

fn counters<'w>(words: impl Iterator<Item = &'w str>, line: usize, count: usize) -> Result<Vec<u64>, SchedstatError> {
    let wrong = |expected: String| SchedstatError::Line { line, expected };
    let counters: Vec<u64> = words
        .map(|word| word.parse().map_err(|_| wrong(format!("expected {count} numbers, one is {word:?}"))))
        .collect::<Result<_, _>>()?;
    if counters.len() != count {
        return Err(wrong(format!("expected {count} numbers, there are {}", counters.len())));
    }
    Ok(counters)
}

/// How much a counter has grown; one of 32 bits may have gone round once.
fn grown(first: u64, second: u64, wraps: bool, what: impl FnOnce() -> String) -> Result<u64, SchedstatError> {
    match second.checked_sub(first) {
        Some(grown) => Ok(grown),
        None if wraps && first <= u64::from(u32::MAX) => Ok(second + (1 << 32) - first),
        None => Err(SchedstatError::Back { what: what(), first, second }),
    }
}

/// The CPUs of a mask in hexadecimal, with commas between groups of 32.
fn cpus_of_mask(mask: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    let mut bit = 0;
    for digit in mask.chars().rev().filter(|sign| *sign != ',') {
        let value = digit.to_digit(16)?;
        cpus.extend((0..4).filter(|place| value & (1 << place) != 0).map(|place| bit + place));
        bit += 4;
    }
    (!cpus.is_empty() && bit <= 1 << 16).then_some(cpus)
}

#[cfg(test)]
mod tests;
