//! What running costs: hardware threads that slow each other down, switches, changes of CPU,
//! caches and core-wide picks (§7). Not for decisions: nothing here is read by the scheduler.

use super::Core;
use super::cpu::FULL_SPEED;
use crate::fair::FairClass;

impl<C: FairClass> Core<C> {
    /// A CPU's speed as its siblings are now, of [`FULL_SPEED`].
    fn speed_of(&self, cpu: u32) -> u64 {
        let siblings = &self.topology.siblings[cpu as usize];
        let shared = siblings.iter().any(|other| *other != cpu && self.cpus[*other as usize].running.is_some());
        let per_mille = if shared { u64::from(self.input.machine.smt_speed_per_mille) } else { 1000 };
        self.cpus[cpu as usize].capacity * per_mille
    }

    /// A CPU runs something else: its siblings' speed and the books of its core follow.
    pub(super) fn running_changed(&mut self, cpu: u32, prev: Option<u32>, next: Option<u32>) {
        if !self.topology.has_smt {
            return;
        }
        self.book_shared_core(cpu, prev);
        self.cpus[cpu as usize].speed = self.speed_of(cpu);
        if prev.is_some() == next.is_some() {
            return;
        }
        let topology = self.topology.clone();
        for other in topology.siblings[cpu as usize].iter().copied().filter(|other| *other != cpu) {
            let Some(task) = self.cpus[other as usize].running else { continue };
            self.bring_up_to_date(other, task);
            let speed = self.speed_of(other);
            let state = &mut self.cpus[other as usize];
            state.speed = speed;
            state.completes_at = self.tasks[task as usize].completes_at(self.now, speed);
            self.touch(other);
        }
    }

    /// Counts the work that a CPU did not do because a sibling was busy.
    pub(super) fn count_smt_loss(&mut self, cpu: u32, worked: u64) {
        let state = &self.cpus[cpu as usize];
        let full = state.capacity * 1000;
        if state.speed < full
            && self.warm
            && let Some(result) = self.statistics.cpus.get_mut(cpu as usize)
        {
            let lost = u128::from(worked) * u128::from(full - state.speed) / u128::from(full.min(FULL_SPEED));
            result.lost_smt_ns += lost as u64;
        }
    }

    /// A task that leaves a CPU remembers what had been loaded into the caches there.
    pub(super) fn leaves_cache(&mut self, cpu: u32, task: u32) {
        let loaded = self.cpus[self.cache_of(cpu)].loaded_kib;
        let state = &mut self.tasks[task as usize];
        if state.working_set_kib > 0 {
            state.cached_at = Some(loaded);
        }
    }

    /// The CPU that keeps the books of a core's cache.
    fn cache_of(&self, cpu: u32) -> usize {
        self.topology.siblings[cpu as usize][0] as usize
    }

    /// A CPU has picked for its core: the task that it chose for itself pays, though it may be the
    /// one that ran. An idle CPU loses no work by it, and what wakes there later is not kept waiting.
    pub(super) fn pay_for_core_pick(&mut self, cpu: u32, task: u32) {
        let cost = self.input.machine.core_pick_ns;
        self.tasks[task as usize].overhead += cost;
        if let Some(result) = self.statistics.cpus.get_mut(cpu as usize) {
            result.lost_core_pick_ns += cost;
        }
    }

    /// A task comes to a CPU: it pays for the switch, for a change of CPU, and for loading again
    /// what others have displaced of its working set, or what it left behind.
    pub(super) fn pay_for_switch(&mut self, cpu: u32, task: u32) {
        let machine = &self.input.machine;
        let cache = machine.cache;
        let switch = machine.context_switch_ns;
        let place = self.cache_of(cpu);
        let state = &self.tasks[task as usize];
        let came_from = state.ran_on.unwrap_or(cpu);
        let moved = state.ran_on.is_some_and(|other| other != cpu);
        let migration = if moved { machine.migration_ns } else { 0 };
        let set = state.working_set_kib;
        let mut loading = 0;
        if set > 0 {
            let own = set.min(cache.core_kib);
            let same_core = self.cache_of(came_from) == place;
            let missing = match state.cached_at {
                Some(then) if same_core => own.min(self.cpus[place].loaded_kib - then),
                _ => own,
            };
            loading = missing * cache.llc_ns_per_kib;
            if !self.topology.shares_llc(came_from, cpu) {
                loading += set.min(cache.llc_kib) * cache.memory_ns_per_kib;
            }
            self.cpus[place].loaded_kib += missing;
        }
        let state = &mut self.tasks[task as usize];
        state.overhead += switch + migration + loading;
        state.ran_on = Some(cpu);
        if let Some(result) = self.statistics.cpus.get_mut(cpu as usize) {
            result.lost_switch_ns += switch;
            result.lost_migration_ns += migration;
            result.lost_cache_ns += loading;
        }
    }
}
