//! The CPU that a new task starts on (§5.2): the idlest group, and the idlest CPU in it, from the
//! highest domain down. Not for wake-ups.

use super::Core;
use crate::engine::balance::{GroupKind, GroupLoad, numa_imbalance};
use crate::engine::topology::Domain;
use crate::fair::FairClass;
use crate::output::DomainLevel;

/// The load of a nice 0 task.
const NICE_0: u64 = 1024;

impl<C: FairClass> Core<C> {
    /// Where a new task starts; its parent runs on `this`.
    pub(in crate::engine) fn choose_fork_cpu(&mut self, task: u32, this: u32) -> u32 {
        if !self.many {
            return this;
        }
        if let Some(only) = self.only_cpu(task) {
            return only;
        }
        if self.is_higher(task) {
            let cpu = self.choose_higher_cpu(task, this);
            return self.allowed_or_another(task, cpu);
        }
        let mut cpu = this;
        let mut level = self.topology.levels(this).checked_sub(1);
        while let Some(at) = level {
            level = at.checked_sub(1);
            let topology = self.topology.clone();
            let domain = topology.domain(cpu, at);
            let Some(group) = self.idlest_group(domain, task, cpu) else { continue };
            let chosen = self.idlest_cpu(&domain.groups[group].cpus, task, cpu);
            if chosen != cpu {
                cpu = chosen;
                // The domains of the new CPU below this one.
                let size = domain.cpus.len();
                level = (0..topology.levels(cpu)).rev().find(|at| topology.domain(cpu, *at).cpus.len() < size);
            }
        }
        self.allowed_or_another(task, cpu)
    }

    /// `find_idlest_group`; none: stay in the local one.
    fn idlest_group(&mut self, domain: &Domain, task: u32, cpu: u32) -> Option<usize> {
        let local_at = domain.local_group(cpu);
        let mut local = None;
        let mut idlest: Option<(usize, GroupLoad)> = None;
        let count = domain.groups.len();
        for index in (local_at..count).chain(0..local_at) {
            let group = &domain.groups[index];
            let usable = group.cpus.iter().any(|cpu| self.tasks[task as usize].may_run_on(*cpu));
            if !usable || !self.group_matches_cookie(&group.cpus, task) {
                continue;
            }
            let load = self.group_load_for_fork(domain, index, task);
            if index == local_at {
                local = Some(load);
            } else if idlest.as_ref().is_none_or(|(_, best)| is_idler(&load, best)) {
                idlest = Some((index, load));
            }
        }
        let (index, idlest) = idlest?;
        let Some(local) = local else { return Some(index) };
        if local.kind != idlest.kind {
            return (local.kind > idlest.kind).then_some(index);
        }
        let numa = domain.level == DomainLevel::Numa;
        let stays = match local.kind {
            GroupKind::Overloaded | GroupKind::FullyBusy => {
                let imbalance = NICE_0 * (domain.imbalance_pct - 100) / 100;
                (numa && idlest.avg_load + imbalance >= local.avg_load)
                    || idlest.avg_load >= local.avg_load + imbalance
                    || 100 * local.avg_load <= domain.imbalance_pct * idlest.avg_load
            }
            GroupKind::HasSpare => {
                let difference = local.idle_cpus.abs_diff(idlest.idle_cpus);
                let slack = numa && numa_imbalance(difference.into(), local.running + 1, domain.numa_slack) == 0;
                slack || local.idle_cpus >= idlest.idle_cpus
            }
            _ => true,
        };
        (!stays).then_some(index)
    }

    /// `find_idlest_group_cpu`.
    fn idlest_cpu(&self, group: &[u32], task: u32, this: u32) -> u32 {
        if group.len() == 1 {
            return group[0];
        }
        let mut idle: Option<(u32, u64)> = None;
        let mut least: Option<(u32, u64)> = None;
        for cpu in group.iter().copied().filter(|cpu| self.tasks[task as usize].may_run_on(*cpu)) {
            if !self.core_matches_cookie(cpu, task) {
                continue;
            }
            if self.runs_only_idle_policy(cpu) {
                return cpu;
            }
            if self.is_idle(cpu) {
                let since = self.cpus[cpu as usize].idle_since.unwrap_or(0);
                if idle.is_none_or(|(_, latest)| since > latest) {
                    idle = Some((cpu, since));
                }
            } else if idle.is_none() {
                let load = self.fair.average_load_of(cpu).load;
                if least.is_none_or(|(_, smallest)| load < smallest) {
                    least = Some((cpu, load));
                }
            }
        }
        idle.or(least).map_or(this, |(cpu, _)| cpu)
    }
}

/// `update_pick_idlest`: whether a group is idler than the best so far.
fn is_idler(load: &GroupLoad, best: &GroupLoad) -> bool {
    if load.kind != best.kind {
        return load.kind < best.kind;
    }
    match load.kind {
        GroupKind::Overloaded | GroupKind::FullyBusy => best.avg_load > load.avg_load,
        GroupKind::HasSpare => {
            best.idle_cpus < load.idle_cpus || (best.idle_cpus == load.idle_cpus && best.util > load.util)
        }
        _ => false,
    }
}
