//! What is asked of the fair class across CPUs: by balancing, by placement, and by core scheduling
//! (§5.4, §6). Not for the rules of one queue.

use super::load_average::LoadAverage;
use super::{EntityId, Fair, FairClass, QueueId, Vtime};

impl<C: FairClass> Fair<C> {
    /// Fair tasks of a CPU, delayed ones included.
    pub fn task_count_of(&self, cpu: u32) -> u32 {
        self.queues[QueueId(cpu * self.stride)].h
    }

    /// The same without delayed ones.
    pub fn awake_count_of(&self, cpu: u32) -> u32 {
        self.task_count_of(cpu) - self.delayed_count_of(cpu)
    }

    /// How many of a CPU's fair tasks sleep (delayed dequeue).
    pub fn delayed_count_of(&self, cpu: u32) -> u32 {
        self.queues[QueueId(cpu * self.stride)].delayed_tasks
    }

    /// How many of a CPU's fair tasks are SCHED_IDLE.
    pub fn idle_policy_count_of(&self, cpu: u32) -> u32 {
        self.queues[QueueId(cpu * self.stride)].idle_tasks
    }

    /// A CPU's load averages, as of their last update.
    pub fn average_load_of(&self, cpu: u32) -> &LoadAverage {
        &self.rqs[cpu as usize].signals.average
    }

    /// The least recently run task of a CPU.
    pub const fn last_task(&self, cpu: u32) -> Option<EntityId> {
        self.rqs.as_slice()[cpu as usize].tasks.last()
    }

    /// Whether a task's next or last mark stands.
    pub fn is_buddy(&self, e: EntityId) -> bool {
        let queue = &self.queues[self.entity[e].queue];
        queue.next == Some(e) || queue.last == Some(e)
    }

    /// EEVDF: whether a queued task is eligible where it is; in 7.3 and without groups that is the
    /// root queue.
    pub fn is_eligible(&self, e: EntityId) -> bool {
        C::is_eligible(self, e)
    }

    /// Whether a task's group or one above it is throttled.
    pub fn is_throttled(&self, e: EntityId) -> bool {
        self.is_throttled_on(e, self.queues[self.entity[e].queue].cpu)
    }

    /// The same of its group on another CPU.
    pub fn is_throttled_on(&self, e: EntityId, cpu: u32) -> bool {
        let group = self.queue_on(self.entity[e].group, cpu);
        if !self.rules.throttles_tasks {
            return self.queues[group].throttled_above > 0;
        }
        let mut level = Some(group);
        while let Some(q) = level {
            if self.queues[q].is_throttled() {
                return true;
            }
            level = self.queues[q].owner.map(|owner| self.entity[owner].queue);
        }
        false
    }

    /// §5.4: whether a task is ineligible at home while its group has tasks on another CPU.
    pub fn stays_as_ineligible(&self, e: EntityId, cpu: u32) -> bool {
        let there = self.queue_on(self.entity[e].queue, cpu);
        self.rules.place_lag && self.queues[there].nr > 0 && !self.is_eligible(e)
    }

    /// What the present CPU would run of its fair tasks (`pick_task_fair`): it is charged, delayed
    /// tasks are finished, and nothing is switched.
    pub fn pick_task(&mut self) -> Option<EntityId> {
        if self.rules.restarting_pick {
            return self.pick_restarting();
        }
        while self.queues[self.root()].nr > 0 {
            if let Some(e) = self.pick_once() {
                return Some(e);
            }
        }
        None
    }

    /// Makes a core-wide choice the running fair task of the present CPU. `put_and_set`: the one
    /// that runs is put back and set anew.
    pub fn switch_to(&mut self, next: Option<EntityId>, put_and_set: bool) {
        let prev = self.rq().curr;
        if next != prev || put_and_set {
            if let Some(prev) = prev {
                self.put_path(prev);
            }
            self.rq_mut().curr = None;
            if let Some(next) = next {
                self.set_path(next, true);
            }
        }
        self.end_of_pick(prev, next);
        let rq = self.rq_mut();
        rq.request = None;
        rq.curr = next;
        self.end_of_schedule();
    }

    /// Takes the snapshot of the origins above a task that comparisons across CPUs use (§6.2
    /// `se_fi_update`): while the core is forced idle only once for each `seq`.
    pub fn refresh_snapshot(&mut self, e: EntityId, seq: u64, forced: bool) {
        let mut level = Some(e);
        while let Some(e) = level {
            let queue = self.entity[e].queue;
            let queue = &mut self.queues[queue];
            if forced {
                if queue.snapshot_seq == seq {
                    return;
                }
                queue.snapshot_seq = seq;
            }
            queue.snapshot = queue.origin;
            level = queue.owner;
        }
    }

    /// §6.2 `cfs_prio_less`: whether `a` is further ahead of its queue's snapshot than `b` of its
    /// own. Each comes with its core's sequence.
    pub fn is_behind_across_cpus(&mut self, a: (EntityId, u64), b: (EntityId, u64), forced: bool) -> bool {
        let ((mut e, seq_e), (mut f, seq_f)) = (a, b);
        if self.queues[self.entity[e].queue].cpu == self.queues[self.entity[f].queue].cpu {
            (e, f) = self.matching_pair(e, f);
        } else {
            let group = |fair: &Self, e: EntityId| fair.group_index(fair.entity[e].queue);
            while group(self, e) != group(self, f) {
                let depth = |fair: &Self, e: EntityId| fair.queues[fair.entity[e].queue].depth;
                let (depth_e, depth_f) = (depth(self, e), depth(self, f));
                let up_e = if depth_e >= depth_f { self.up(e) } else { None };
                let up_f = if depth_f >= depth_e { self.up(f) } else { None };
                if up_e.is_none() && up_f.is_none() {
                    break;
                }
                (e, f) = (up_e.unwrap_or(e), up_f.unwrap_or(f));
            }
        }
        self.refresh_snapshot(e, seq_e, forced);
        self.refresh_snapshot(f, seq_f, forced);
        let (queue_e, queue_f) = (&self.queues[self.entity[e].queue], &self.queues[self.entity[f].queue]);
        let own = self.node[e].vruntime.since(self.node[f].vruntime);
        own.wrapping_add(queue_f.snapshot.since(queue_e.snapshot)) > 0
    }

    /// §6.7, patch 18: the root-level entities' vruntimes as they are, because the sibling root
    /// queues share one origin.
    pub fn is_behind_by_shared_origin(&self, e: EntityId, f: EntityId) -> bool {
        let (mut e, mut f) = (e, f);
        if self.queues[self.entity[e].queue].cpu == self.queues[self.entity[f].queue].cpu {
            (e, f) = self.matching_pair(e, f);
        } else {
            while let Some(above) = self.up(e) {
                e = above;
            }
            while let Some(above) = self.up(f) {
                f = above;
            }
        }
        self.node[e].vruntime.since(self.node[f].vruntime) > 0
    }

    /// What a queue's vruntimes are relative to: its own origin, or in the RFC's core scheduling
    /// the one that the root queues of a core share (§6.7).
    pub(in crate::fair) fn shared_origin(&self, q: QueueId) -> Vtime {
        let queue = &self.queues[q];
        match self.leaders.get(queue.cpu as usize) {
            Some(leader) if queue.owner.is_none() => self.queues[QueueId(leader * self.stride)].origin,
            _ => queue.origin,
        }
    }

    /// §6.4: the running task is alone on its queue and has used more than half of its slice.
    pub fn is_alone_past_half_a_slice(&self) -> bool {
        self.alone_and_used().is_some_and(|(used, slice)| used * 2 > slice)
    }

    /// §6.7: it has used all of it.
    pub fn is_alone_past_its_slice(&self) -> bool {
        self.alone_and_used().is_some_and(|(used, slice)| used > slice)
    }

    fn alone_and_used(&self) -> Option<(u64, u64)> {
        let curr = self.rq().curr?;
        if self.queues[self.root()].nr != 1 {
            return None;
        }
        let entity = &self.entity[curr];
        Some((entity.sum_exec.wrapping_sub(entity.prev_sum_exec), C::slice(self, curr)))
    }
}
