//! What a balance sees: the load of each group, the busiest one, how much to move, and the busiest
//! CPU (§5.4, §5.5). Not for moving.

use super::Core;
use crate::engine::topology::{Domain, SchedGroup};
use crate::fair::{CAPACITY, FairClass};
use crate::output::{DomainLevel, IdleType};

/// How badly a group is off (§5.4), in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) enum GroupKind {
    /// It has idle capacity.
    HasSpare,
    /// All its CPUs are in use, none too much.
    FullyBusy,
    /// A core with several busy threads, seen by an idle CPU (6.6 and later).
    SmtBalance,
    /// Pinned tasks defeated a balance below.
    Imbalanced,
    /// More than its CPUs can do.
    Overloaded,
}

/// The load of a group.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct GroupLoad {
    pub kind: GroupKind,
    pub load: u64,
    pub util: u64,
    pub runnable: u64,
    pub capacity: u64,
    /// Tasks of all classes, delayed ones included.
    pub running: u32,
    /// Fair tasks, delayed ones as the release has it.
    pub fair: u32,
    pub idle_cpus: u32,
    pub cpus: u32,
    /// Load over capacity, of 1024; computed for some kinds only.
    pub avg_load: u64,
}

/// What is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveKind {
    Load,
    Util,
    Task,
}

/// A balance that found something to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Imbalance {
    pub group: usize,
    pub kind: MoveKind,
    pub amount: i64,
}

/// What all groups together have.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    load: u64,
    capacity: u64,
    util: u64,
}

/// §5.5 `adjust_numa_imbalance`: a small imbalance between nodes is left alone.
pub(in crate::engine) const fn numa_imbalance(imbalance: i64, running: u32, slack: u32) -> i64 {
    if running > slack || imbalance > 2 { imbalance } else { 0 }
}

impl<C: FairClass> Core<C> {
    /// Fair tasks of a CPU as balancing counts them.
    pub(super) fn fair_tasks(&self, cpu: u32) -> u32 {
        if self.fair.rules.balance_counts_delayed {
            self.fair.task_count_of(cpu)
        } else {
            self.fair.awake_count_of(cpu)
        }
    }

    fn add_up(&mut self, cpus: impl Iterator<Item = u32>, weight: u32, pct: u64) -> GroupLoad {
        let mut group = GroupLoad {
            kind: GroupKind::HasSpare,
            load: 0,
            util: 0,
            runnable: 0,
            capacity: u64::from(weight) * CAPACITY,
            running: 0,
            fair: 0,
            idle_cpus: 0,
            cpus: weight,
            avg_load: 0,
        };
        for cpu in cpus {
            let average = self.fair.average_load_of(cpu);
            group.load += average.load;
            group.runnable += average.runnable;
            group.util += self.fair.util_of(cpu);
            group.fair += self.fair_tasks(cpu);
            let running = self.nr_running(cpu);
            group.running += running;
            group.idle_cpus += u32::from(running == 0 && self.is_idle(cpu));
        }
        if group.is_overloaded(pct) {
            group.kind = GroupKind::Overloaded;
        } else if !group.has_capacity(pct) {
            group.kind = GroupKind::FullyBusy;
        }
        group
    }

    /// A group as a fork sees it (`update_sg_wakeup_stats`).
    pub(in crate::engine) fn group_load_for_fork(&mut self, domain: &Domain, index: usize, task: u32) -> GroupLoad {
        let group = &domain.groups[index];
        let all = !self.fair.rules.fork_counts_allowed_only;
        let cpus: Vec<u32> =
            group.cpus.iter().copied().filter(|cpu| all || self.tasks[task as usize].may_run_on(*cpu)).collect();
        let mut load = self.add_up(cpus.into_iter(), group.cpus.len() as u32, domain.imbalance_pct);
        if load.kind != GroupKind::HasSpare {
            load.avg_load = load.load * CAPACITY / load.capacity;
        }
        load
    }

    /// A group as a balance of `cpu` sees it (`update_sg_lb_stats`).
    fn group_load(&mut self, cpu: u32, level: usize, index: usize, local: bool, idle: IdleType) -> GroupLoad {
        let topology = self.topology.clone();
        let domain = topology.domain(cpu, level);
        let group = &domain.groups[index];
        let mut load = self.add_up(group.cpus.iter().copied(), group.cpus.len() as u32, domain.imbalance_pct);
        if load.kind != GroupKind::Overloaded {
            let smt = self.fair.rules.smt_balance && !local && idle != IdleType::Busy && group.smt && load.fair > 1;
            if self.balancing.pinned_groups.contains(&(group.cpus[0], level)) {
                load.kind = GroupKind::Imbalanced;
            } else if smt {
                load.kind = GroupKind::SmtBalance;
            }
        } else {
            load.avg_load = load.load * CAPACITY / load.capacity;
        }
        load
    }

    /// §5.4 `find_busiest_group`: the group to pull from, and how much; none: balanced.
    pub(super) fn find_busiest_group(&mut self, cpu: u32, level: usize, idle: IdleType) -> Option<Imbalance> {
        let topology = self.topology.clone();
        let domain = topology.domain(cpu, level);
        let local_at = domain.local_group(cpu);
        let mut totals = Totals::default();
        let mut busiest: Option<(usize, GroupLoad)> = None;
        let mut overloaded = false;
        let mut local = None;
        let count = domain.groups.len();
        for index in (local_at..count).chain(0..local_at) {
            let load = self.group_load(cpu, level, index, index == local_at, idle);
            overloaded |= domain.groups[index].cpus.iter().any(|cpu| self.nr_running(*cpu) > 1);
            totals.load += load.load;
            totals.capacity += load.capacity;
            totals.util += load.util;
            if index == local_at {
                local = Some(load);
            } else if self.is_busier(domain, index, &load, busiest.as_ref()) {
                busiest = Some((index, load));
            }
        }
        if level + 1 == topology.levels(cpu) {
            self.balancing.overloaded = overloaded;
        }
        self.update_idle_scan(cpu, domain, totals.util, idle);
        let ((index, busiest), local) = (busiest?, local?);
        let prefer_sibling = if self.fair.rules.prefer_sibling_of_busiest {
            domain.groups[index].prefer_sibling
        } else {
            domain.groups[local_at].prefer_sibling
        };
        let pair = Pair {
            domain,
            local: (&domain.groups[local_at], local),
            busiest: (&domain.groups[index], busiest),
            prefer_sibling,
            totals,
            idle,
            by_cores: self.fair.rules.smt_balance,
        };
        if !pair.must_move() {
            return None;
        }
        let (kind, amount) = pair.amount();
        (amount > 0).then_some(Imbalance { group: index, kind, amount })
    }

    /// `update_sd_pick_busiest`: whether a group is busier than the busiest so far.
    fn is_busier(&self, domain: &Domain, index: usize, load: &GroupLoad, best: Option<&(usize, GroupLoad)>) -> bool {
        if load.fair == 0 {
            return false;
        }
        let Some((best_index, best)) = best else { return true };
        if load.kind != best.kind {
            return load.kind > best.kind;
        }
        let (smt, best_smt) = (domain.groups[index].smt, domain.groups[*best_index].smt);
        let by_spare =
            || load.idle_cpus < best.idle_cpus || (load.idle_cpus == best.idle_cpus && load.running > best.running);
        match load.kind {
            GroupKind::Overloaded => load.avg_load > best.avg_load,
            GroupKind::Imbalanced => false,
            GroupKind::SmtBalance if load.idle_cpus != 0 || best.idle_cpus != 0 => by_spare(),
            GroupKind::SmtBalance | GroupKind::FullyBusy => self.fair.rules.later_fully_busy && !best_smt,
            GroupKind::HasSpare if self.fair.rules.smt_balance && smt != best_smt => !(smt && load.fair <= 1),
            GroupKind::HasSpare => by_spare(),
        }
    }

    /// §5.1 `nr_idle_scan`: a busy LLC is searched less for idle CPUs.
    fn update_idle_scan(&mut self, cpu: u32, domain: &Domain, util: u64, idle: IdleType) {
        let llc = self.topology.llc_of(cpu).len() as u64;
        if !self.fair.rules.sis_util || idle == IdleType::NewlyIdle || domain.cpus.len() as u64 != llc {
            return;
        }
        let mean = util / llc;
        let used = mean * mean * domain.imbalance_pct * domain.imbalance_pct / (10_000 * CAPACITY);
        let number = self.topology.llc[cpu as usize] as usize;
        self.placing.nr_idle_scan[number] = (CAPACITY - used.min(CAPACITY)) * llc / CAPACITY;
    }

    /// `find_busiest_queue`: the CPU to pull from, of those in `among`.
    pub(super) fn find_busiest_cpu(
        &self,
        group: &SchedGroup,
        imbalance: &Imbalance,
        among: &super::CpuSet,
    ) -> Option<u32> {
        let mut busiest: Option<(u32, u64)> = None;
        for cpu in group.cpus.iter().copied().filter(|cpu| among.has(*cpu)) {
            let tasks = self.fair_tasks(cpu);
            if tasks == 0 {
                continue;
            }
            let measure = match imbalance.kind {
                MoveKind::Load => {
                    let load = self.fair.average_load_of(cpu).load;
                    if tasks == 1 && load as i64 > imbalance.amount {
                        continue;
                    }
                    load
                }
                MoveKind::Util if tasks <= 1 => continue,
                MoveKind::Util => self.fair.boosted_util_of(cpu),
                MoveKind::Task => u64::from(tasks),
            };
            if measure > busiest.map_or(0, |(_, most)| most) {
                busiest = Some((cpu, measure));
            }
        }
        busiest.map(|(cpu, _)| cpu)
    }
}

impl GroupLoad {
    const fn is_overloaded(&self, pct: u64) -> bool {
        self.running > self.cpus && (self.capacity * 100 < self.util * pct || self.capacity * pct < self.runnable * 100)
    }

    const fn has_capacity(&self, pct: u64) -> bool {
        self.running < self.cpus
            || (self.capacity * pct >= self.runnable * 100 && self.capacity * 100 > self.util * pct)
    }
}

/// The local group against the busiest one.
struct Pair<'d> {
    domain: &'d Domain,
    local: (&'d SchedGroup, GroupLoad),
    busiest: (&'d SchedGroup, GroupLoad),
    prefer_sibling: bool,
    totals: Totals,
    idle: IdleType,
    by_cores: bool,
}

impl Pair<'_> {
    const fn average(&self) -> u64 {
        self.totals.load * CAPACITY / self.totals.capacity
    }

    const fn is_smt_against_not(&self) -> bool {
        self.local.0.smt != self.busiest.0.smt
    }

    /// How many tasks the busiest group has more (`sibling_imbalance`).
    fn sibling_difference(&self) -> i64 {
        let (local, busiest) = (i64::from(self.local.1.running), i64::from(self.busiest.1.running));
        if !self.by_cores {
            return (busiest - local).max(0);
        }
        if self.idle == IdleType::Busy || busiest == 0 {
            return 0;
        }
        let (own, other) = (i64::from(self.local.0.cores), i64::from(self.busiest.0.cores));
        if own == other {
            return (busiest - local).max(0);
        }
        let difference = (own * busiest - other * local).max(0);
        let normalized = (2 * difference + own + other) / (own + other);
        if normalized <= 1 && local == 0 && busiest > 1 { 2 } else { normalized }
    }

    /// The tests of `find_busiest_group`.
    fn must_move(&self) -> bool {
        let (local, busiest) = (&self.local.1, &self.busiest.1);
        if busiest.kind == GroupKind::Imbalanced {
            return true;
        }
        if local.kind > busiest.kind {
            return false;
        }
        if local.kind == GroupKind::Overloaded
            && (local.avg_load >= busiest.avg_load
                || local.avg_load >= self.average()
                || 100 * busiest.avg_load <= self.domain.imbalance_pct * local.avg_load)
        {
            return false;
        }
        if self.prefer_sibling && local.kind == GroupKind::HasSpare && self.sibling_difference() > 1 {
            return true;
        }
        if busiest.kind != GroupKind::Overloaded {
            if self.idle == IdleType::Busy {
                return false;
            }
            if busiest.kind == GroupKind::SmtBalance && self.is_smt_against_not() {
                return true;
            }
            if busiest.cpus > 1 && local.idle_cpus <= busiest.idle_cpus + 1 {
                return false;
            }
            if busiest.fair == 1 {
                return false;
            }
        }
        true
    }

    /// `calculate_imbalance`.
    fn amount(&self) -> (MoveKind, i64) {
        let (local, busiest) = (&self.local.1, &self.busiest.1);
        if matches!(busiest.kind, GroupKind::SmtBalance | GroupKind::Imbalanced) {
            return (MoveKind::Task, 1);
        }
        if local.kind == GroupKind::HasSpare {
            if busiest.kind > GroupKind::FullyBusy && !self.domain.shares_llc {
                let spare = local.capacity.max(local.util) - local.util;
                if spare == 0 && self.idle != IdleType::Busy {
                    return (MoveKind::Task, 1);
                }
                return (MoveKind::Util, spare as i64);
            }
            let mut tasks = if busiest.cpus == 1 || self.prefer_sibling {
                self.sibling_difference()
            } else {
                (i64::from(local.idle_cpus) - i64::from(busiest.idle_cpus)).max(0)
            };
            if self.domain.level == DomainLevel::Numa {
                tasks = numa_imbalance(tasks, local.running + 1, self.domain.numa_slack);
            }
            return (MoveKind::Task, tasks >> 1);
        }
        let average = self.average();
        let own =
            if local.kind < GroupKind::Overloaded { local.load * CAPACITY / local.capacity } else { local.avg_load };
        if own >= busiest.avg_load || own >= average {
            return (MoveKind::Load, 0);
        }
        // Unsigned as in the kernel: below the average it is no limit.
        let excess = busiest.avg_load.wrapping_sub(average).wrapping_mul(busiest.capacity);
        let room = (average - own) * local.capacity;
        (MoveKind::Load, (excess.min(room) / CAPACITY) as i64)
    }
}
