//! A balance of one domain by one CPU: who may, and which tasks move (§5.4 `load_balance`,
//! `detach_tasks`, `can_migrate_task`). Not for finding the imbalance: that is `groups`.

use super::groups::{Imbalance, MoveKind};
use super::{Core, MOST_PINNED_MS};
use crate::engine::Leave;
use crate::engine::events::Event;
use crate::engine::topology::Domain;
use crate::fair::{EntityId, FairClass};
use crate::input::Policy;
use crate::kernel::CoreScheduling;
use crate::output::IdleType;

/// Tasks looked at in one balance, at most.
const NR_MIGRATE: u32 = 32;

/// A balance in progress.
struct Attempt {
    cpu: u32,
    level: usize,
    idle: IdleType,
    source: u32,
    kind: MoveKind,
    left: i64,
    all_pinned: bool,
    some_pinned: bool,
    /// Another CPU of the group that a task which may not come here could go to.
    other_cpu: Option<u32>,
    active: bool,
}

impl<C: FairClass> Core<C> {
    /// A balance of a CPU's domain; how many tasks came. `goes_on`: false when another CPU is the
    /// one to balance here.
    pub(super) fn load_balance(&mut self, cpu: u32, level: usize, idle: IdleType, goes_on: &mut bool) -> u32 {
        let topology = self.topology.clone();
        let domain = topology.domain(cpu, level);
        self.counts(cpu, level, idle).count += 1;
        let mut among = domain.set;
        loop {
            if !self.should_balance(cpu, domain, idle) {
                *goes_on = false;
                return self.balanced(cpu, level, idle, false);
            }
            let Some(imbalance) = self.find_busiest_group(cpu, level, idle) else {
                self.counts(cpu, level, idle).nobusyg += 1;
                return self.balanced(cpu, level, idle, false);
            };
            let group = &domain.groups[imbalance.group];
            let Some(source) = self.find_busiest_cpu(group, &imbalance, &among) else {
                self.counts(cpu, level, idle).nobusyq += 1;
                return self.balanced(cpu, level, idle, false);
            };
            let slot = imbalance.kind as usize;
            self.counts(cpu, level, idle).imbalance[slot] += imbalance.amount as u64;
            let mut attempt = Attempt {
                cpu,
                level,
                idle,
                source,
                kind: imbalance.kind,
                left: imbalance.amount,
                all_pinned: false,
                some_pinned: false,
                other_cpu: None,
                active: false,
            };
            let mut moved = 0;
            if self.nr_running(source) > 1 {
                attempt.all_pinned = true;
                moved = self.detach_tasks(&mut attempt);
                if let Some(other) = attempt.other_cpu.filter(|_| attempt.left > 0) {
                    // Tasks that may not come here may go to another CPU of the group.
                    attempt.cpu = other;
                    moved += self.detach_tasks(&mut attempt);
                    attempt.cpu = cpu;
                }
                if attempt.some_pinned && attempt.left > 0 {
                    self.note_pinned(cpu, level, true);
                }
                if attempt.all_pinned {
                    among.remove(source);
                    let local = &domain.groups[domain.local_group(cpu)].cpus;
                    if domain.cpus.iter().any(|other| among.has(*other) && !local.contains(other)) {
                        continue;
                    }
                    return self.balanced(cpu, level, idle, true);
                }
            }
            return self.finish_attempt(&attempt, &imbalance, moved);
        }
    }

    /// An attempt that found a busiest CPU ends.
    fn finish_attempt(&mut self, attempt: &Attempt, imbalance: &Imbalance, moved: u32) -> u32 {
        let (cpu, level, idle) = (attempt.cpu, attempt.level, attempt.idle);
        let tries = self.topology.domain(cpu, level).cache_nice_tries;
        let mut pushes = false;
        if moved == 0 {
            self.counts(cpu, level, idle).failed += 1;
            let state = &mut self.cpus[cpu as usize].domains[level];
            if idle != IdleType::NewlyIdle {
                state.failed += 1;
            }
            if imbalance.kind == MoveKind::Task && state.failed > tries + 2 {
                let source = attempt.source;
                let running = self.cpus[source as usize].running;
                if running.is_some_and(|task| !self.tasks[task as usize].may_run_on(cpu)) {
                    return self.balanced_kept_interval(cpu, level, idle);
                }
                let asked = &mut self.cpus[source as usize].active_balance_to;
                if asked.is_none() {
                    *asked = Some((cpu, level as u8));
                    pushes = true;
                    self.events.push(self.now, Event::ActiveBalance(source));
                }
            }
        } else {
            self.cpus[cpu as usize].domains[level].failed = 0;
        }
        let state = &mut self.cpus[cpu as usize].domains[level];
        if !pushes || (imbalance.kind == MoveKind::Task && state.failed > tries + 2) {
            state.interval_ms = self.topology.domain(cpu, level).min_interval_ms();
        }
        moved
    }

    /// Nothing to do: the next balance comes later.
    fn balanced(&mut self, cpu: u32, level: usize, idle: IdleType, all_pinned: bool) -> u32 {
        if !all_pinned {
            self.note_pinned(cpu, level, false);
        }
        self.counts(cpu, level, idle).balanced += 1;
        self.cpus[cpu as usize].domains[level].failed = 0;
        if idle == IdleType::NewlyIdle {
            return 0;
        }
        let most = 2 * self.topology.domain(cpu, level).min_interval_ms();
        let state = &mut self.cpus[cpu as usize].domains[level];
        if state.interval_ms < most || (all_pinned && state.interval_ms < MOST_PINNED_MS) {
            state.interval_ms *= 2;
        }
        0
    }

    /// The running task may not come: neither failed nor balanced.
    fn balanced_kept_interval(&mut self, cpu: u32, level: usize, idle: IdleType) -> u32 {
        let most = 2 * self.topology.domain(cpu, level).min_interval_ms();
        let state = &mut self.cpus[cpu as usize].domains[level];
        if idle != IdleType::NewlyIdle && state.interval_ms < most {
            state.interval_ms *= 2;
        }
        0
    }

    /// The level above sees whether pinned tasks were in the way here.
    fn note_pinned(&mut self, cpu: u32, level: usize, pinned: bool) {
        let above = level + 1;
        if !self.placing.any_affinity || above >= self.topology.levels(cpu) {
            return;
        }
        let domain = self.topology.domain(cpu, above);
        let key = (domain.groups[domain.local_group(cpu)].cpus[0], above);
        self.balancing.pinned_groups.retain(|other| *other != key);
        if pinned {
            self.balancing.pinned_groups.push(key);
        }
    }

    /// §5.4 `should_we_balance`: one CPU of the local group does it for all.
    fn should_balance(&self, cpu: u32, domain: &Domain, idle: IdleType) -> bool {
        if idle == IdleType::NewlyIdle {
            return self.nr_running(cpu) == 0 && self.cpus[cpu as usize].wakeups_pending == 0;
        }
        let group = &domain.groups[domain.local_group(cpu)];
        let by_core = self.fair.rules.smt_balance && domain.level != crate::output::DomainLevel::Smt;
        let mut on_busy_core = None;
        for other in group.cpus.iter().copied().filter(|other| self.is_idle(*other)) {
            let core_idle = || self.topology.siblings[other as usize].iter().all(|sibling| self.is_idle(*sibling));
            if by_core && !core_idle() {
                on_busy_core = on_busy_core.or(Some(other));
                continue;
            }
            return other == cpu;
        }
        on_busy_core.unwrap_or(group.cpus[0]) == cpu
    }

    /// `detach_tasks` and `attach_tasks`: from the least recently run on.
    fn detach_tasks(&mut self, attempt: &mut Attempt) -> u32 {
        let source = attempt.source;
        if attempt.left <= 0 {
            return 0;
        }
        let most = NR_MIGRATE.min(self.nr_running(source));
        let mut seen = 0;
        let mut taken: Vec<(u32, EntityId)> = Vec::new();
        let failed = self.cpus[attempt.cpu as usize].domains[attempt.level].failed;
        while let Some(e) = self.fair.last_task(source) {
            if attempt.idle != IdleType::Busy && self.nr_running(source) <= 1 {
                break;
            }
            seen += 1;
            let ignores_limit = self.fair.rules.pinned_ignore_loop_limit && attempt.all_pinned;
            if seen > most && !(ignores_limit && seen <= self.fair.task_count_of(source)) {
                break;
            }
            let Some(task) = self.fair.task_index(e) else { break };
            let hot = self.can_migrate(task, e, attempt);
            let fits = hot.is_some() && self.fits(e, attempt, failed);
            let Some(hot) = hot.filter(|_| fits) else {
                self.fair.at(source).move_front(e);
                continue;
            };
            if hot {
                self.counts(attempt.cpu, attempt.level, attempt.idle).hot_gained += 1;
            }
            self.detach(task, e, source, attempt.cpu);
            taken.push((task, e));
            if attempt.idle == IdleType::NewlyIdle || attempt.left <= 0 {
                break;
            }
        }
        let count = taken.len() as u32;
        self.counts(attempt.cpu, attempt.level, attempt.idle).gained += u64::from(count);
        for (task, e) in taken.into_iter().rev() {
            self.attach(task, e, attempt.cpu);
        }
        let counters = &mut self.fair.rqs[attempt.cpu as usize].counters;
        match attempt.idle {
            IdleType::Idle => counters.pull_task_idle += u64::from(count),
            IdleType::Busy => counters.pull_task_busy += u64::from(count),
            IdleType::NewlyIdle => counters.pull_task_newly_idle += u64::from(count),
        }
        count
    }

    /// Whether a task's share of the imbalance is small enough; takes it off what is left.
    fn fits(&self, e: EntityId, attempt: &mut Attempt, failed: u32) -> bool {
        let shift = failed.min(63);
        let (amount, shown) = match attempt.kind {
            MoveKind::Load => {
                let load = self.fair.task_load(e).max(1);
                if self.fair.rules.lb_min && load < 16 && failed == 0 {
                    return false;
                }
                (load, load >> shift)
            }
            MoveKind::Util => {
                let util = self.fair.task_util(e);
                (util, if self.fair.rules.util_not_shifted { util } else { util >> shift })
            }
            MoveKind::Task => (1, 0),
        };
        if shown as i64 > attempt.left {
            return false;
        }
        attempt.left -= amount as i64;
        true
    }

    /// §5.4 `can_migrate_task`: whether it may move, and if so whether although it is cache-hot.
    fn can_migrate(&mut self, task: u32, e: EntityId, attempt: &mut Attempt) -> Option<bool> {
        let rules = &self.fair.rules;
        if !rules.delayed_move_always && self.fair.is_delayed(e) && attempt.kind != MoveKind::Load {
            return None;
        }
        let cpu = attempt.cpu;
        if self.fair.is_throttled(e) || self.fair.is_throttled_on(e, cpu) {
            return None;
        }
        let first = self.cpus[cpu as usize].domains[attempt.level].failed == 0;
        if self.fair.rules.ineligible_stay && first && !attempt.active && self.fair.stays_as_ineligible(e, cpu) {
            return None;
        }
        if !self.tasks[task as usize].may_run_on(cpu) {
            attempt.some_pinned = true;
            if attempt.idle != IdleType::NewlyIdle && attempt.other_cpu.is_none() && !attempt.active {
                let domain = self.topology.domain(cpu, attempt.level);
                let group = &domain.groups[domain.local_group(cpu)].cpus;
                attempt.other_cpu = group.iter().copied().find(|other| self.tasks[task as usize].may_run_on(*other));
            }
            return None;
        }
        attempt.all_pinned = false;
        if self.cpus[attempt.source as usize].running == Some(task) && !attempt.active {
            return None;
        }
        if !self.may_move_to_core(cpu, task) {
            return None;
        }
        if attempt.active {
            return Some(false);
        }
        let failed = self.cpus[cpu as usize].domains[attempt.level].failed;
        let hot = self.is_cache_hot(task, e, attempt);
        if !hot {
            return Some(false);
        }
        (failed > self.topology.domain(cpu, attempt.level).cache_nice_tries).then_some(true)
    }

    /// §5.4 `task_hot`.
    fn is_cache_hot(&self, task: u32, e: EntityId, attempt: &Attempt) -> bool {
        let domain = self.topology.domain(attempt.cpu, attempt.level);
        if self.tasks[task as usize].policy == Policy::Idle || domain.level == crate::output::DomainLevel::Smt {
            return false;
        }
        if self.fair.rules.cache_hot_buddy && self.nr_running(attempt.cpu) > 0 && self.fair.is_buddy(e) {
            return true;
        }
        if self.core.kind == CoreScheduling::Mainline && !self.core_matches_cookie(attempt.cpu, task) {
            return true;
        }
        let ran = self.now.wrapping_sub(self.fair.entity[e].exec_start) as i64;
        ran < self.fair.rules.migration_cost as i64
    }

    /// A queued task leaves a CPU for another (`detach_task`).
    pub(in crate::engine) fn detach(&mut self, task: u32, e: EntityId, from: u32, to: u32) {
        self.core_dequeued(task);
        self.fair.at(from).detach_task(e, to);
        self.tasks[task as usize].cpu = to;
        self.statistics.migration(task, false);
        self.touch(from);
    }

    /// It comes there (`attach_task`).
    pub(in crate::engine) fn attach(&mut self, task: u32, e: EntityId, to: u32) {
        self.fair.at(to).attach_task(e);
        self.core_enqueued(task);
        self.touch(to);
        self.balancing.overloaded |= self.nr_running(to) >= 2;
    }

    /// §5.4 active balance: the stopper moves a task away from a CPU that only has running ones.
    pub(in crate::engine) fn active_balance(&mut self, source: u32) {
        if self.nr_running(source) == 0 {
            self.cpus[source as usize].active_balance_to = None;
            return;
        }
        self.schedule(source, Leave::Stopped);
    }

    /// A task that was put back goes to a CPU that it may use.
    pub(in crate::engine) fn push_away(&mut self, from: u32, task: u32, to: u32) {
        let state = &self.tasks[task as usize];
        let (e, policy) = (state.entity, state.policy);
        if self.is_higher(task) {
            let higher = &mut self.cpus[from as usize].higher;
            higher.dequeue(task, policy);
            let taken = higher.take_state(task);
            self.cpus[to as usize].higher.put_state(task, taken);
            self.fair.put_on_cpu(e, to);
            self.tasks[task as usize].cpu = to;
            self.statistics.migration(task, false);
            self.fair.at(to);
            self.start_higher(to, task);
        } else {
            self.detach(task, e, from, to);
            self.attach(task, e, to);
        }
        self.fair.at(from);
    }

    /// What the stopper does, once the running task has been put back.
    pub(in crate::engine) fn push_by_stopper(&mut self, source: u32) {
        let Some((cpu, level)) = self.cpus[source as usize].active_balance_to.take() else { return };
        let level = usize::from(level);
        let mut attempt = Attempt {
            cpu,
            level,
            idle: IdleType::Idle,
            source,
            kind: MoveKind::Task,
            left: 1,
            all_pinned: true,
            some_pinned: false,
            other_cpu: None,
            active: true,
        };
        self.books.domain[cpu as usize][level].alb_count += 1;
        let tasks: Vec<EntityId> = self.fair.tasks_of(source).collect();
        let found = tasks.into_iter().find_map(|e| {
            let task = self.fair.task_index(e)?;
            self.can_migrate(task, e, &mut attempt).map(|_| (task, e))
        });
        let counts = &mut self.books.domain[cpu as usize][level];
        let Some((task, e)) = found else {
            counts.alb_failed += 1;
            return;
        };
        counts.alb_pushed += 1;
        counts.balance[IdleType::Idle as usize].gained += 1;
        self.cpus[cpu as usize].domains[level].failed = 0;
        self.fair.rqs[source as usize].counters.active_balance += 1;
        self.detach(task, e, source, cpu);
        self.attach(task, e, cpu);
        self.fair.at(source);
    }
}
