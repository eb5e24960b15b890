//! The fair class: what it keeps, and the calls the engine makes (§1.3).
//! Not for time, events or programs: those are the engine's.
//!
//! `hierarchy` walks the levels of groups, `cfs` and `eevdf` have the rules of one queue,
//! `group`, `bandwidth` and `slice_timer` what their names say.

mod across;
mod bandwidth;
mod cfs;
mod eevdf;
mod entity;
mod flat;
mod group;
mod hierarchy;
mod load_average;
mod signals;
mod slice_timer;
mod task_list;
mod tasks;
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
use crate::input::GroupId;
use crate::kernel::rules::Rules;
use crate::output::Counters;
use crate::reason::Reason;
use entity::Arena;
pub(crate) use signals::CAPACITY;
use signals::{RqSignals, Signals};
use slice_timer::SliceTimer;
use task_list::{Links, TaskList};
pub(crate) use tasks::SliceChange;
use tasks::clamp_custom_slice;

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

    /// A sleeping task leaves its CPU to wake on another.
    fn leave_cpu(fair: &mut Fair<Self>, e: EntityId);

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

    /// Whether a queued entity is eligible; CFS: always.
    fn is_eligible(fair: &Fair<Self>, e: EntityId) -> bool;

    /// The run time an entity may have at a stretch (§4.17).
    fn slice(fair: &Fair<Self>, e: EntityId) -> u64;
}

/// What the fair class keeps of a CPU, beside its queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rq {
    /// The running task; none: the idle thread.
    pub curr: Option<EntityId>,
    /// A task of a higher class runs, so the CPU is not idle though no fair task runs.
    pub higher_runs: bool,
    /// The reschedule request, with the reason of the first that made it.
    pub request: Option<Reason>,
    pub counters: Counters,
    pub timer: SliceTimer,
    /// Several CPUs only: its load averages.
    pub signals: RqSignals,
    /// Several CPUs only: its fair tasks.
    pub tasks: TaskList,
}

/// The fair class of all CPUs. Calls work on the run queue of one of them: [`Fair::at`] says which.
#[derive(Clone, Debug)]
pub(crate) struct Fair<C> {
    pub rules: Rules,
    pub node: Arena<Node>,
    pub entity: Arena<Entity>,
    /// For each CPU its root queue and its queues of all groups.
    pub queues: Vec<Queue>,
    pub rqs: Vec<Rq>,
    /// The CPU whose run queue is worked on.
    cpu: u32,
    /// Queues a CPU.
    stride: u32,
    /// The limits of groups (§4.18), by their place among the queues of a CPU.
    pub pools: Vec<Option<Box<bandwidth::Pool>>>,
    /// Σ weight of a group's queues over the CPUs, unscaled.
    group_load: Vec<u64>,
    /// By CPU: the first of its core, whose root queue's origin they share; empty without the RFC's
    /// core scheduling.
    pub leaders: Vec<u32>,
    /// Several CPUs only: what balancing keeps of each entity.
    signals: Vec<Signals>,
    links: Vec<Links>,
    /// CPUs that were asked to reschedule, until the engine looks.
    pub asked: Vec<u32>,
    /// The clock at the present entry, nanoseconds.
    pub now: u64,
    class: PhantomData<C>,
}

impl<C: FairClass> Fair<C> {
    /// The class on `cpus` CPUs, with room for `groups` groups.
    pub fn new(rules: Rules, cpus: u32, groups: u32) -> Self {
        let stride = groups + 1;
        let queue = |index: u32| Queue::new(rules.tree, index / stride);
        Self {
            node: Arena::default(),
            entity: Arena::default(),
            queues: (0..cpus * stride).map(queue).collect(),
            rqs: vec![Rq::default(); cpus as usize],
            cpu: 0,
            stride,
            pools: vec![None; stride as usize],
            group_load: vec![0; stride as usize],
            leaders: Vec::new(),
            signals: Vec::new(),
            links: Vec::new(),
            asked: Vec::new(),
            now: 0,
            class: PhantomData,
            rules,
        }
    }

    /// Makes a CPU's run queue the one that calls work on.
    pub const fn at(&mut self, cpu: u32) -> &mut Self {
        self.cpu = cpu;
        self
    }

    /// The CPU whose run queue calls work on.
    pub const fn cpu(&self) -> u32 {
        self.cpu
    }

    /// Whether there is one CPU: then nothing of balancing is kept.
    pub fn is_single(&self) -> bool {
        self.rqs.len() == 1
    }

    /// Fair tasks of the present CPU, delayed ones included.
    pub fn task_count(&self) -> u32 {
        self.queues[self.root()].h
    }

    /// The same without delayed ones.
    pub fn awake_count(&self) -> u32 {
        self.awake_count_of(self.cpu)
    }

    /// The run queue that calls work on.
    pub fn rq(&self) -> &Rq {
        &self.rqs[self.cpu as usize]
    }

    /// The same, to change it.
    pub fn rq_mut(&mut self) -> &mut Rq {
        &mut self.rqs[self.cpu as usize]
    }

    /// The root queue of the CPU that calls work on.
    pub const fn root(&self) -> QueueId {
        QueueId(self.cpu * self.stride)
    }

    /// A group's queue on the CPU that calls work on; none: the root's.
    pub fn queue_of(&self, group: Option<GroupId>) -> QueueId {
        QueueId(self.cpu * self.stride + group.map_or(0, |group| group.0 + 1))
    }

    /// The group that a queue belongs to; none: the root.
    pub fn group_of(&self, q: QueueId) -> Option<GroupId> {
        (q.0 % self.stride).checked_sub(1).map(GroupId)
    }

    /// The place of a queue's group in lists that hold the root and all groups.
    pub(in crate::fair) const fn group_index(&self, q: QueueId) -> usize {
        (q.0 % self.stride) as usize
    }

    /// The queue of the same group on another CPU.
    pub(in crate::fair) const fn queue_on(&self, q: QueueId, cpu: u32) -> QueueId {
        QueueId(cpu * self.stride + q.0 % self.stride)
    }

    /// Makes the entity of a new task.
    pub fn add_task(&mut self, entity: Entity, slice_ns: Option<u64>, latency_nice: i8) -> EntityId {
        let (entity, node) = self.new_task(entity, slice_ns, latency_nice);
        self.entity.push(entity);
        if !self.is_single() {
            self.signals.resize(self.node.len() + 1, Signals::default());
            self.links.resize(self.node.len() + 1, Links::default());
        }
        self.node.push(node)
    }

    /// A new task in the place of one that has exited.
    pub fn replace_task(&mut self, e: EntityId, entity: Entity, slice_ns: Option<u64>, latency_nice: i8) {
        let (entity, node) = self.new_task(entity, slice_ns, latency_nice);
        self.entity[e] = entity;
        self.node[e] = node;
        if !self.is_single() {
            self.signals[e.index()] = Signals::default();
            self.links[e.index()] = Links::default();
        }
    }

    fn new_task(&self, entity: Entity, slice_ns: Option<u64>, latency_nice: i8) -> (Entity, Node) {
        let mut entity = entity;
        let own = match slice_ns {
            Some(slice) if self.rules.custom_slices => Some(clamp_custom_slice(slice)),
            _ => self.latency_slice(latency_nice),
        };
        entity.custom_slice = own.is_some();
        let slice = own.unwrap_or(self.rules.base_slice);
        if self.rules.flat_groups {
            entity.queue = self.root();
        }
        (entity, Node { slice, ..Node::default() })
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
    pub fn set_group_latency_nice(&mut self, group: GroupId, latency_nice: i8) {
        let Some(slice) = self.latency_slice(latency_nice) else { return };
        self.on_every_cpu(group, |fair, queue| {
            if let Some(owner) = fair.queues[queue].owner {
                fair.node[owner].slice = slice;
                fair.entity[owner].custom_slice = true;
            }
        });
    }

    /// Asks for a reschedule. A request that is already there keeps its reason.
    pub fn request(&mut self, reason: Reason) {
        self.asked.push(self.cpu);
        self.rq_mut().request.get_or_insert(reason);
    }

    /// Entries into schedule() pick the next task and switch to it (§1.3 steps 3 to 5).
    /// Answers who runs next; none: the idle thread.
    pub fn pick_and_switch(&mut self) -> Option<EntityId> {
        let prev = self.rq().curr;
        let next = self.pick_next_task(prev);
        self.end_of_pick(prev, next);
        if let Some(next) = next.filter(|_| !self.rules.restarting_pick && !self.is_single()) {
            self.move_front(next);
        }
        let rq = self.rq_mut();
        rq.request = None;
        rq.curr = next;
        self.end_of_schedule();
        next
    }

    /// Whether the idle thread runs.
    pub fn is_cpu_idle(&self) -> bool {
        self.rq().curr.is_none() && !self.rq().higher_runs
    }

    /// The task is the CPU's most recently run one.
    pub fn move_front(&mut self, e: EntityId) {
        let cpu = self.cpu as usize;
        self.rqs[cpu].tasks.move_front(&mut self.links, e);
    }

    /// A CPU's fair tasks, the least recently run first.
    pub fn tasks_of(&self, cpu: u32) -> impl Iterator<Item = EntityId> + '_ {
        self.rqs[cpu as usize].tasks.backwards(&self.links)
    }

    /// The periodic tick (`task_tick_fair`).
    pub fn tick(&mut self) {
        let mut level = self.rq().curr;
        if let Some(e) = level {
            self.update_average(e);
        }
        while let Some(e) = level {
            let q = self.entity[e].queue;
            C::update_curr(self, q);
            self.update_group(e);
            if self.rules.flat_groups {
                self.update_hierarchical_weight(e);
            }
            if !self.rq().timer.suppresses_tick_test(&self.rules) {
                C::tick_entity(self, q, e);
            }
            level = self.up(e);
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
