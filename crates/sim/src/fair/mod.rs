//! The fair class: what it keeps, and the calls the engine makes (§1.3).
//! Not for time, events or programs: those are the engine's.
//!
//! `hierarchy` walks the levels of groups, `cfs` and `eevdf` have the rules of one queue,
//! `group`, `bandwidth` and `slice_timer` what their names say.

mod bandwidth;
mod cfs;
mod eevdf;
mod entity;
mod flat;
mod group;
mod hierarchy;
mod slice_timer;
mod tree;
mod view;
mod vtime;
mod weight;

use std::marker::PhantomData;

pub(crate) use cfs::Cfs;
pub(crate) use eevdf::Eevdf;
pub(crate) use entity::{Entity, EntityId, EntityKind, Flags, Node, Queue, QueueId};
pub(crate) use tree::TreeKind;
pub(crate) use view::PickView;
pub(crate) use vtime::Vtime;
pub(crate) use weight::Load;

use crate::explain::{EntityView, PickRule};
use crate::kernel::rules::Rules;
use crate::output::Counters;
use crate::reason::Reason;
use entity::Arena;
use slice_timer::SliceTimer;

/// The rules of one queue, as CFS and EEVDF have them.
pub(crate) trait FairClass: Sized + Clone + std::fmt::Debug {
    /// Charges the queue's running entity for the time since it was last charged.
    fn update_curr(fair: &mut Fair<Self>, q: QueueId);

    /// Puts an entity on the queue (`enqueue_entity`).
    fn enqueue_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId, flags: Flags);

    /// Takes an entity off the queue (`dequeue_entity`); false when that is only delayed.
    fn dequeue_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId, flags: Flags) -> bool;

    /// Chooses the queue's next entity (`pick_next_entity`); EEVDF may answer a delayed one.
    fn pick_entity(fair: &mut Fair<Self>, q: QueueId) -> Option<EntityId>;

    /// What a pick would choose on the queue as it stands, and by which rule.
    fn pick_rule(fair: &Fair<Self>, q: QueueId) -> Option<(EntityId, PickRule)>;

    /// What becomes of an entity that starts to run, beyond leaving the tree.
    fn protect(fair: &mut Fair<Self>, q: QueueId, e: EntityId, picked: bool);

    /// Inserts into the queue's tree.
    fn insert(fair: &mut Fair<Self>, q: QueueId, e: EntityId);

    /// Removes from the queue's tree.
    fn erase(fair: &mut Fair<Self>, q: QueueId, e: EntityId);

    /// The tick's preemption test on one level, after the charge.
    fn tick_entity(fair: &mut Fair<Self>, q: QueueId, e: EntityId);

    /// What a fork does on the parent's queue, before the child is enqueued (`task_fork_fair`).
    fn fork(fair: &mut Fair<Self>, child: EntityId);

    /// Whether a woken or forked task preempts (`check_preempt_wakeup`).
    fn wakeup_preempt(fair: &mut Fair<Self>, woken: EntityId, fork: bool);

    /// sched_yield, before schedule().
    fn yield_task(fair: &mut Fair<Self>, e: EntityId);

    /// Changes an entity's weight (`reweight_entity`).
    fn reweight(fair: &mut Fair<Self>, e: EntityId, load: Load);

    /// A delayed entity is wanted again (`requeue_delayed_entity`).
    fn requeue_delayed(fair: &mut Fair<Self>, e: EntityId);

    /// A sleeping task changes queues (`task_change_group_fair`).
    fn move_sleeping(fair: &mut Fair<Self>, e: EntityId, to: QueueId);

    /// Adds to a view what the class keeps of an entity.
    fn complete_view(fair: &Fair<Self>, q: QueueId, e: EntityId, view: &mut EntityView);

    /// V of a queue (CFS: min_vruntime), for looking at.
    fn average_of(fair: &Fair<Self>, q: QueueId) -> Vtime;

    /// The run time an entity may have at a stretch (§4.17).
    fn slice(fair: &Fair<Self>, e: EntityId) -> u64;
}

/// The fair class of one CPU.
#[derive(Clone, Debug)]
pub(crate) struct Fair<C> {
    pub rules: Rules,
    pub node: Arena<Node>,
    pub entity: Arena<Entity>,
    pub queues: Vec<Queue>,
    /// The CPU's clock at the present entry, nanoseconds.
    pub now: u64,
    /// The running task; none: the idle thread.
    pub curr: Option<EntityId>,
    /// A task of a higher class runs, so the CPU is not idle though no fair task runs.
    pub higher_runs: bool,
    /// The reschedule request, with the reason of the first that made it.
    pub request: Option<Reason>,
    pub counters: Counters,
    pub timer: SliceTimer,
    class: PhantomData<C>,
}

impl<C: FairClass> Fair<C> {
    pub fn new(rules: Rules) -> Self {
        let root = Queue::new(rules.tree, None, 0);
        Self {
            rules,
            node: Arena::default(),
            entity: Arena::default(),
            queues: vec![root],
            now: 0,
            curr: None,
            higher_runs: false,
            request: None,
            counters: Counters::default(),
            timer: SliceTimer::default(),
            class: PhantomData,
        }
    }

    /// Makes the entity of a new task.
    pub fn add_task(&mut self, entity: Entity, slice_ns: Option<u64>, latency_nice: i8) -> EntityId {
        let mut entity = entity;
        let own = match slice_ns {
            Some(slice) if self.rules.custom_slices => Some(clamp_custom_slice(slice)),
            _ => self.latency_slice(latency_nice),
        };
        entity.custom_slice = own.is_some();
        let slice = own.unwrap_or(self.rules.base_slice);
        if self.rules.flat_groups {
            entity.queue = QueueId::ROOT;
        }
        self.entity.push(entity);
        self.node.push(Node { slice, ..Node::default() })
    }

    /// §4.14: the slice that a latency nice value becomes, in the series that has it; none: the
    /// base slice.
    fn latency_slice(&self, latency_nice: i8) -> Option<u64> {
        if !self.rules.early_eevdf || latency_nice == 0 {
            return None;
        }
        Some(
            (self.rules.base_slice << weight::LOAD_SHIFT)
                / weight::scale_load_down(Load::of_task(latency_nice, false).weight),
        )
    }

    /// §4.14: a group's latency nice value.
    pub fn set_group_latency_nice(&mut self, group: QueueId, latency_nice: i8) {
        if let Some(owner) = self.queues[group].owner
            && let Some(slice) = self.latency_slice(latency_nice)
        {
            self.node[owner].slice = slice;
            self.entity[owner].custom_slice = true;
        }
    }

    /// Asks for a reschedule. A request that is already there keeps its reason.
    pub fn request(&mut self, reason: Reason) {
        self.request.get_or_insert(reason);
    }

    /// Entries into schedule() pick the next task and switch to it (§1.3 steps 3 to 5).
    /// Answers who runs next; none: the idle thread.
    pub fn pick_and_switch(&mut self) -> Option<EntityId> {
        let prev = self.curr;
        let next = self.pick_next_task(prev);
        self.end_of_pick(prev, next);
        self.request = None;
        self.curr = next;
        self.end_of_schedule();
        next
    }

    /// A sleeping or new task becomes runnable, and may preempt.
    pub fn wake(&mut self, e: EntityId) {
        if self.entity[e].delayed && self.entity[e].on_rq {
            C::requeue_delayed(self, e);
        } else {
            self.enqueue_task(e, Flags::WAKEUP);
        }
        self.check_preempt(e, false);
    }

    /// A new task starts (`task_fork_fair`, `wake_up_new_task`, §3.6, §4.9).
    pub fn fork(&mut self, e: EntityId) {
        C::fork(self, e);
        let flags = if self.rules.initial_placement { Flags::INITIAL } else { Flags::NONE };
        self.enqueue_task(e, flags);
        self.check_preempt(e, true);
    }

    /// Whether the idle thread runs.
    pub fn is_cpu_idle(&self) -> bool {
        self.curr.is_none() && !self.higher_runs
    }

    /// A task of a higher class takes the CPU: the running fair task goes back into its queue.
    pub fn give_way(&mut self) {
        if let Some(curr) = self.curr.take() {
            self.put_path(curr);
        }
        self.request = None;
        self.end_of_schedule();
    }

    /// A task comes to the fair class from a higher one while it runs.
    pub fn arrive_running(&mut self, e: EntityId) {
        self.enqueue_task(e, Flags::NONE);
        self.set_path(e, false);
        self.curr = Some(e);
    }

    /// The running task leaves the fair class for a higher one, still runnable.
    pub fn leave_running(&mut self, e: EntityId) {
        self.dequeue_task(e, Flags::SAVE.with(Flags::MOVE));
        self.put_path(e);
        self.curr = None;
    }

    fn check_preempt(&mut self, e: EntityId, fork: bool) {
        if self.is_cpu_idle() {
            self.request(Reason::IdleCpu);
        } else {
            C::wakeup_preempt(self, e, fork);
        }
    }

    /// The running task blocks or exits; schedule() must follow. Whether it left the queue at
    /// once (false: its dequeue is delayed).
    pub fn block(&mut self, e: EntityId, exit: bool) -> bool {
        let flags = if exit { Flags::SLEEP.with(Flags::SPECIAL) } else { Flags::SLEEP };
        self.dequeue_task(e, flags)
    }

    /// The periodic tick (`task_tick_fair`).
    pub fn tick(&mut self) {
        let mut level = self.curr;
        while let Some(e) = level {
            let q = self.entity[e].queue;
            C::update_curr(self, q);
            self.update_group(e);
            if self.rules.flat_groups {
                self.update_hierarchical_weight(e);
            }
            if !self.timer.suppresses_tick_test(&self.rules) {
                C::tick_entity(self, q, e);
            }
            level = self.up(e);
        }
    }

    /// sched_yield of the running task; schedule() must follow.
    pub fn yield_now(&mut self) {
        if let Some(e) = self.curr
            && self.queues[QueueId::ROOT].h > 1
        {
            C::yield_task(self, e);
        }
    }

    /// Whether asking for a slice (none: the base slice) changes nothing (§4.4).
    pub fn keeps_slice_of(&self, e: EntityId, slice: Option<u64>) -> bool {
        !self.rules.custom_slices || slice == Some(self.node[e].slice)
    }

    /// A task changes its own nice value, policy or slice (§4.8, `set_user_nice`). `index` and
    /// the queue stay; a worse nice value requests a reschedule.
    pub fn set_attributes(
        &mut self,
        e: EntityId,
        policy: crate::input::Policy,
        nice: i8,
        slice: SliceChange,
        worse: bool,
    ) {
        let queued = self.entity[e].on_rq;
        let running = self.curr == Some(e);
        if queued {
            self.dequeue_task(e, Flags::SAVE);
        }
        if running {
            self.put_path(e);
        }
        if let EntityKind::Task { policy: old, .. } = &mut self.entity[e].kind {
            *old = policy;
        }
        match slice {
            // Releases without slices of a task's own leave it as it is.
            _ if !self.rules.custom_slices => {}
            SliceChange::Keep => {}
            SliceChange::Custom(slice) => {
                self.entity[e].custom_slice = true;
                self.node[e].slice = clamp_custom_slice(slice);
            }
            SliceChange::Base => {
                self.entity[e].custom_slice = false;
                self.node[e].slice = self.rules.base_slice;
            }
        }
        let load = Load::of_task(nice, policy == crate::input::Policy::Idle);
        self.entity[e].own_load = load;
        if !self.rules.flat_groups {
            if policy != crate::input::Policy::Idle || !self.rules.idle_weight_keeps_lag {
                C::reweight(self, e, load);
            }
            self.entity[e].load = load;
        }
        if queued {
            self.enqueue_task(e, Flags::SAVE);
        }
        if running {
            self.set_path(e, false);
        }
        if running && worse && self.queues[QueueId::ROOT].nr != 1 {
            self.request(Reason::Nice);
        }
    }

    /// The entity of the group that an entity stands in; none in the root.
    pub fn up(&self, e: EntityId) -> Option<EntityId> {
        self.queues[self.entity[e].queue].owner
    }

    /// The queue that a group entity owns.
    pub fn owned(&self, e: EntityId) -> Option<QueueId> {
        match self.entity[e].kind {
            EntityKind::Group { owns, .. } => Some(owns),
            EntityKind::Task { .. } => None,
        }
    }

    /// The simulation's index of a task's entity.
    pub fn task_index(&self, e: EntityId) -> Option<u32> {
        match self.entity[e].kind {
            EntityKind::Task { index, .. } => Some(index),
            EntityKind::Group { .. } => None,
        }
    }

    /// Wall time to an entity's virtual time.
    pub(in crate::fair) fn virtual_length(&self, delta: u64, e: EntityId) -> u64 {
        weight::virtual_length(delta, &self.entity[e].load, self.rules.exact_division)
    }

    /// Adds the time since its last charge to the run time and vruntime of a queue's running entity
    /// (§3.3, §4.4). Answers who and how long; none: there is nothing to charge.
    pub(in crate::fair) fn charge_running(&mut self, q: QueueId) -> Option<(EntityId, u64)> {
        let curr = self.queues[q].curr?;
        let now = self.now;
        let entity = &mut self.entity[curr];
        let delta = now.wrapping_sub(entity.exec_start);
        if delta as i64 <= 0 {
            return None;
        }
        entity.exec_start = now;
        entity.sum_exec += delta;
        let length = self.virtual_length(delta, curr);
        let node = &mut self.node[curr];
        node.vruntime = node.vruntime.plus(length);
        Some((curr, delta))
    }

    /// Clears the buddies that point at an entity, upwards as far as the chain reaches (§4.16).
    pub(in crate::fair) fn clear_buddies(&mut self, e: EntityId) {
        let queue = &self.queues[self.entity[e].queue];
        if queue.next.is_none() && queue.last.is_none() && queue.skip.is_none() {
            return;
        }
        for buddy in [Buddy::Last, Buddy::Next, Buddy::Skip] {
            let mut level = Some(e);
            while let Some(e) = level {
                let q = self.entity[e].queue;
                let slot = buddy.of(&mut self.queues[q]);
                if *slot != Some(e) {
                    break;
                }
                *slot = None;
                level = self.up(e);
            }
        }
    }

    /// Marks an entity and those above it as a buddy, up to the first idle one (§3.8, §4.16).
    pub(in crate::fair) fn mark_buddy(&mut self, e: EntityId, buddy: Buddy) {
        let mut level = Some(e);
        while let Some(e) = level {
            let entity = &self.entity[e];
            if !entity.on_rq || entity.is_idle() {
                return;
            }
            let q = entity.queue;
            *buddy.of(&mut self.queues[q]) = Some(e);
            level = self.up(e);
        }
    }
}

/// What becomes of a task's slice when its attributes change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SliceChange {
    /// It stays.
    Keep,
    /// The base slice again.
    Base,
    /// A slice of its own, nanoseconds.
    Custom(u64),
}

/// §4.4: a custom slice is at least 0.1 ms and at most 100 ms.
const fn clamp_custom_slice(slice: u64) -> u64 {
    if slice < 100_000 {
        100_000
    } else if slice > 100_000_000 {
        100_000_000
    } else {
        slice
    }
}

/// The marks a queue keeps for its next pick.
#[derive(Clone, Copy, Debug)]
pub(in crate::fair) enum Buddy {
    Next,
    Last,
    Skip,
}

impl Buddy {
    const fn of(self, queue: &mut Queue) -> &mut Option<EntityId> {
        match self {
            Self::Next => &mut queue.next,
            Self::Last => &mut queue.last,
            Self::Skip => &mut queue.skip,
        }
    }
}
