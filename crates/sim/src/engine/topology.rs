//! The machine's CPUs and their scheduling domains (§5.3, §5.5).
//! Not for what is balanced in them: that is `balance`.

use super::cpu_set::CpuSet;
use crate::input::{Machine, SiblingNumbering};
use crate::output::DomainLevel;

/// A group of a domain: the span of one of the domains below it, or one CPU.
#[derive(Clone, Debug)]
pub(super) struct SchedGroup {
    /// Its CPUs, ascending.
    pub cpus: Vec<u32>,
    /// Its cores.
    pub cores: u32,
    /// It is a core with several hardware threads.
    pub smt: bool,
    /// It has more than one CPU and prefers that tasks are spread over its siblings
    /// (PREFER_SIBLING of the domain below).
    pub prefer_sibling: bool,
}

/// A scheduling domain: it is shared by its CPUs, what balancing keeps of it is each CPU's own.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub level: DomainLevel,
    /// Its CPUs, ascending.
    pub cpus: Vec<u32>,
    pub set: CpuSet,
    pub groups: Vec<SchedGroup>,
    /// Above this many per cent of difference there is an imbalance.
    pub imbalance_pct: u64,
    /// Failures after which cache-hot tasks move too.
    pub cache_nice_tries: u32,
    /// All its CPUs share an LLC.
    pub shares_llc: bool,
    /// NUMA: how many tasks a node may have before they are spread (§5.5).
    pub numa_slack: u32,
}

impl Domain {
    /// The least interval between balances, ms (jiffies at 1000 Hz).
    pub const fn min_interval_ms(&self) -> u64 {
        self.cpus.len() as u64
    }

    /// The place of the group that a CPU is in.
    pub fn local_group(&self, cpu: u32) -> usize {
        self.groups.iter().position(|group| group.cpus.contains(&cpu)).unwrap_or(0)
    }
}

/// The CPUs and their domains.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    domains: Vec<Domain>,
    /// By CPU: its domains from the lowest up, by their places in `domains`.
    of_cpu: Vec<Vec<u32>>,
    /// By CPU: the CPUs of its core, itself included, ascending.
    pub siblings: Vec<Vec<u32>>,
    /// By CPU: the number of its core.
    pub core: Vec<u32>,
    /// By CPU: the number of its LLC.
    pub llc: Vec<u32>,
    /// By LLC: its CPUs, ascending.
    pub llc_cpus: Vec<Vec<u32>>,
    pub has_smt: bool,
}

impl Topology {
    /// The domains of a machine (§5.3).
    pub fn new(machine: &Machine) -> Self {
        let cpus = machine.cpus();
        let threads = machine.threads_per_core;
        let cores = cpus / threads;
        let core_of = |cpu: u32| match machine.sibling_numbering {
            SiblingNumbering::Adjacent => cpu / threads,
            SiblingNumbering::Split => cpu % cores,
        };
        let core: Vec<u32> = (0..cpus).map(core_of).collect();
        let llc: Vec<u32> = core.iter().map(|core| core / machine.cores_per_llc).collect();
        let node: Vec<u32> = llc.iter().map(|llc| llc / machine.llcs_per_node).collect();
        let span = |numbers: &[u32], number: u32| -> Vec<u32> {
            (0..cpus).filter(|cpu| numbers[*cpu as usize] == number).collect()
        };
        let spans = |numbers: &[u32], count: u32| -> Vec<Vec<u32>> { (0..count).map(|n| span(numbers, n)).collect() };
        let by_core = spans(&core, cores);
        let llc_cpus = spans(&llc, cores / machine.cores_per_llc);
        let mut topology = Self {
            domains: Vec::new(),
            of_cpu: vec![Vec::new(); cpus as usize],
            siblings: core.iter().map(|core| by_core[*core as usize].clone()).collect(),
            core,
            llc,
            llc_cpus,
            has_smt: threads > 1,
        };
        let all = vec![(0..cpus).collect::<Vec<u32>>()];
        let mut below: Vec<Vec<u32>> = (0..cpus).map(|cpu| vec![cpu]).collect();
        for (level, above) in [
            (DomainLevel::Smt, by_core),
            (DomainLevel::Mc, topology.llc_cpus.clone()),
            (DomainLevel::Pkg, spans(&node, machine.nodes)),
            (DomainLevel::Numa, all),
        ] {
            // A level whose domains have one group each is dropped.
            if above.len() == below.len() {
                continue;
            }
            topology.add_level(level, &above, &below, machine);
            below = above;
        }
        topology
    }

    fn add_level(&mut self, level: DomainLevel, above: &[Vec<u32>], below: &[Vec<u32>], machine: &Machine) {
        let node_cpus = machine.llcs_per_node * machine.cores_per_llc * machine.threads_per_core;
        let numa_slack = if machine.llcs_per_node == 1 { node_cpus / 8 } else { machine.llcs_per_node };
        for cpus in above {
            let place = self.domains.len() as u32;
            let groups = below.iter().filter(|group| cpus.contains(&group[0])).map(|group| SchedGroup {
                cores: (group.len() as u32).div_ceil(machine.threads_per_core),
                smt: group.len() > 1
                    && group.len() == machine.threads_per_core as usize
                    && self.has_smt
                    && self.siblings[group[0] as usize] == *group,
                prefer_sibling: group.len() > 1,
                cpus: group.clone(),
            });
            let domain = Domain {
                level,
                set: CpuSet::of(cpus),
                groups: groups.collect(),
                imbalance_pct: if level == DomainLevel::Smt { 110 } else { 117 },
                cache_nice_tries: match level {
                    DomainLevel::Smt => 0,
                    DomainLevel::Mc | DomainLevel::Pkg => 1,
                    DomainLevel::Numa => 2,
                },
                shares_llc: matches!(level, DomainLevel::Smt | DomainLevel::Mc),
                numa_slack: if level == DomainLevel::Numa { numa_slack.max(1) } else { 0 },
                cpus: cpus.clone(),
            };
            for cpu in cpus {
                self.of_cpu[*cpu as usize].push(place);
            }
            self.domains.push(domain);
        }
    }

    /// How many CPUs there are.
    pub const fn cpus(&self) -> usize {
        self.of_cpu.len()
    }

    /// How many domains a CPU has.
    pub fn levels(&self, cpu: u32) -> usize {
        self.of_cpu[cpu as usize].len()
    }

    /// A CPU's domain, counted from the lowest.
    pub fn domain(&self, cpu: u32, level: usize) -> &Domain {
        &self.domains[self.of_cpu[cpu as usize][level] as usize]
    }

    /// Whether two CPUs share an LLC.
    pub fn shares_llc(&self, a: u32, b: u32) -> bool {
        self.llc[a as usize] == self.llc[b as usize]
    }

    /// The CPUs of a CPU's LLC, ascending.
    pub fn llc_of(&self, cpu: u32) -> &[u32] {
        &self.llc_cpus[self.llc[cpu as usize] as usize]
    }

    /// The CPU's highest domain whose CPUs share an LLC, if there is one.
    pub fn llc_level(&self, cpu: u32) -> Option<usize> {
        (0..self.levels(cpu)).rev().find(|level| self.domain(cpu, *level).shares_llc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(nodes: u32, llcs: u32, cores: u32, threads: u32) -> Machine {
        Machine { nodes, llcs_per_node: llcs, cores_per_llc: cores, threads_per_core: threads, ..Machine::ideal(250) }
    }

    fn levels(topology: &Topology) -> Vec<(DomainLevel, usize, usize)> {
        let of = |level| {
            let domain = topology.domain(0, level);
            (domain.level, domain.cpus.len(), domain.groups.len())
        };
        (0..topology.levels(0)).map(of).collect()
    }

    #[test]
    fn levels_with_one_group_are_dropped() {
        use DomainLevel::{Mc, Numa, Pkg, Smt};
        assert_eq!(levels(&Topology::new(&machine(1, 1, 4, 1))), [(Mc, 4, 4)]);
        assert_eq!(levels(&Topology::new(&machine(1, 1, 1, 2))), [(Smt, 2, 2)]);
        assert_eq!(levels(&Topology::new(&machine(1, 2, 2, 1))), [(Mc, 2, 2), (Pkg, 4, 2)]);
        assert_eq!(
            levels(&Topology::new(&machine(2, 2, 13, 2))),
            [(Smt, 2, 2), (Mc, 26, 13), (Pkg, 52, 2), (Numa, 104, 2)]
        );
        assert_eq!(levels(&Topology::new(&machine(1, 1, 1, 1))), []);
    }

    #[test]
    fn siblings_are_split_or_adjacent() {
        let split = Topology::new(&machine(1, 2, 2, 2));
        assert_eq!(split.siblings[1], [1, 5]);
        assert_eq!(split.llc_of(6), [2, 3, 6, 7]);
        let adjacent = Machine { sibling_numbering: SiblingNumbering::Adjacent, ..machine(1, 2, 2, 2) };
        let adjacent = Topology::new(&adjacent);
        assert_eq!(adjacent.siblings[1], [0, 1]);
        assert_eq!(adjacent.llc_of(6), [4, 5, 6, 7]);
    }
}
