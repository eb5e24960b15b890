//! What the fair class keeps of each entity and of each queue (§1, §4.1, §4.16).
//! Not for rules: those are in `cfs`, `eevdf` and `hierarchy`.

use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

use super::tree::{Tree, TreeKind};
use super::vtime::Vtime;
use super::weight::{Load, NICE_0_LOAD};
use crate::input::Policy;

/// An entity: a task, or a group as it stands in its parent's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EntityId(NonZeroU32);

impl EntityId {
    /// The id at a place of an arena.
    pub fn at(index: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// The place in an arena.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A queue: the root's or a group's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueId(pub u32);

impl QueueId {
    /// The root queue of CPU 0.
    #[cfg(test)]
    pub const ROOT: Self = Self(0);
}

/// A growing store indexed by [`EntityId`].
#[derive(Clone, Debug)]
pub(crate) struct Arena<T>(Vec<T>);

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Arena<T> {
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    pub fn push(&mut self, item: T) -> EntityId {
        self.0.push(item);
        EntityId::at(self.0.len() - 1)
    }
}

impl<T> Index<EntityId> for Arena<T> {
    type Output = T;
    fn index(&self, id: EntityId) -> &T {
        &self.0[id.index()]
    }
}

impl<T> IndexMut<EntityId> for Arena<T> {
    fn index_mut(&mut self, id: EntityId) -> &mut T {
        &mut self.0[id.index()]
    }
}

impl<T> Index<QueueId> for Vec<T> {
    type Output = T;
    fn index(&self, id: QueueId) -> &T {
        &self[id.0 as usize]
    }
}

impl<T> IndexMut<QueueId> for Vec<T> {
    fn index_mut(&mut self, id: QueueId) -> &mut T {
        &mut self[id.0 as usize]
    }
}

/// What walks of the tree read: one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Node {
    pub parent: Option<EntityId>,
    pub left: Option<EntityId>,
    pub right: Option<EntityId>,
    pub red: bool,
    pub vruntime: Vtime,
    pub deadline: Vtime,
    /// Nanoseconds.
    pub slice: u64,
    /// The subtree's smallest vruntime (6.6: its smallest deadline).
    pub smallest: Vtime,
    /// The subtree's smallest slice, as the kernel's tree knows it.
    pub smallest_slice: u64,
    /// The subtree's largest slice, as the kernel's tree knows it.
    pub largest_slice: u64,
}

/// The rest of an entity.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    /// Its weight in its queue; in 7.3 a task's hierarchical weight.
    pub load: Load,
    /// A task's weight by its nice value.
    pub own_load: Load,
    /// The queue of the group it belongs to; but in 7.3 the one it stands in.
    pub group: QueueId,
    /// Off the queue: the lag. On the CPU, up to 6.15: the protection marker (§4.6).
    pub vlag: i64,
    /// On the CPU, from 6.18: the bound of the protection (current-kernels §2.5).
    pub protection: Vtime,
    pub exec_start: u64,
    pub sum_exec: u64,
    pub prev_sum_exec: u64,
    /// On its queue, running and delayed included.
    pub on_rq: bool,
    pub custom_slice: bool,
    /// The deadline is relative to vruntime while it moves (§4.7).
    pub rel_deadline: bool,
    /// Asleep but still on the queue (§4.10).
    pub delayed: bool,
    pub queue: QueueId,
    pub kind: EntityKind,
}

/// What stands behind an entity.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EntityKind {
    /// A task, by its index in the simulation.
    Task {
        /// The index.
        index: u32,
        /// Its policy.
        policy: Policy,
    },
    /// A group.
    Group {
        /// The queue it owns.
        owns: QueueId,
        /// cpu.idle.
        idle: bool,
    },
}

impl Entity {
    pub fn task(index: u32, policy: Policy, nice: i8, queue: QueueId) -> Self {
        let load = Load::of_task(nice, policy == Policy::Idle);
        Self::new(load, queue, EntityKind::Task { index, policy })
    }

    /// A group's entity (§4.16): weight of nice 0, never run.
    pub fn group(owns: QueueId, queue: QueueId) -> Self {
        Self::new(Load::of_weight(NICE_0_LOAD), queue, EntityKind::Group { owns, idle: false })
    }

    const fn new(load: Load, queue: QueueId, kind: EntityKind) -> Self {
        Self {
            load,
            own_load: load,
            group: queue,
            vlag: 0,
            protection: Vtime(0),
            exec_start: 0,
            sum_exec: 0,
            prev_sum_exec: 0,
            on_rq: false,
            custom_slice: false,
            rel_deadline: false,
            delayed: false,
            queue,
            kind,
        }
    }

    /// Whether it gives way to others: a SCHED_IDLE task, or a group with cpu.idle (§4.16).
    pub fn is_idle(&self) -> bool {
        match self.kind {
            EntityKind::Task { policy, .. } => policy == Policy::Idle,
            EntityKind::Group { idle, .. } => idle,
        }
    }

    pub const fn is_task(&self) -> bool {
        matches!(self.kind, EntityKind::Task { .. })
    }

    /// The task's policy; a group has none.
    pub const fn policy(&self) -> Option<Policy> {
        match self.kind {
            EntityKind::Task { policy, .. } => Some(policy),
            EntityKind::Group { .. } => None,
        }
    }
}

/// A queue of entities: `struct cfs_rq`.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub tree: Tree,
    /// The entity that runs (or whose task runs); never in the tree.
    pub curr: Option<EntityId>,
    pub next: Option<EntityId>,
    pub last: Option<EntityId>,
    pub skip: Option<EntityId>,
    /// Σ stored weights of queued entities, curr included (§2.2).
    pub load: Load,
    /// Entities, curr and delayed ones included.
    pub nr: u32,
    /// Tasks below (§4.16).
    pub h: u32,
    /// Several CPUs only: of the tasks below, those that sleep (delayed dequeue).
    pub delayed_tasks: u32,
    /// Several CPUs only: of the tasks below, those that are SCHED_IDLE.
    pub idle_tasks: u32,
    /// Idle entities (§4.16).
    pub idle_nr: u32,
    /// The origin of keys: min_vruntime or zero_vruntime.
    pub origin: Vtime,
    /// The origin as comparisons across CPUs last saw it, and for which sequence (§6.2).
    pub snapshot: Vtime,
    pub snapshot_seq: u64,
    /// Σ key·weight over the tree (§4.2).
    pub key_sum: i64,
    /// Σ weight over the tree (§4.2).
    pub weight_sum: u64,
    /// The group's entity in the parent's queue; none: the root.
    pub owner: Option<EntityId>,
    /// Steps from the root queue.
    pub depth: u32,
    /// Its part of the group's bandwidth (§4.18); none: no limit was ever set.
    pub bandwidth: Option<Box<super::bandwidth::Bandwidth>>,
    /// The CPU it belongs to.
    pub cpu: u32,
    /// What of its load is in the group's sum over the CPUs.
    pub contribution: u64,
    /// How many of its group and its ancestors are throttled (§4.18).
    pub throttled_above: u32,
    /// The group's shares (§4.16).
    pub shares: u64,
}

impl Queue {
    pub fn new(kind: TreeKind, cpu: u32) -> Self {
        Self {
            tree: Tree::new(kind),
            curr: None,
            next: None,
            last: None,
            skip: None,
            load: Load::of_weight(0),
            nr: 0,
            h: 0,
            delayed_tasks: 0,
            idle_tasks: 0,
            idle_nr: 0,
            origin: Vtime::QUEUE_START,
            snapshot: Vtime::QUEUE_START,
            snapshot_seq: 0,
            key_sum: 0,
            weight_sum: 0,
            owner: None,
            depth: 0,
            bandwidth: None,
            cpu,
            contribution: 0,
            throttled_above: 0,
            shares: 1024,
        }
    }

    pub fn is_throttled(&self) -> bool {
        self.bandwidth.as_ref().is_some_and(|bandwidth| bandwidth.throttled)
    }
}

/// How an entity enters or leaves a queue: the kernel's ENQUEUE_ and DEQUEUE_ flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u16);

impl Flags {
    pub const NONE: Self = Self(0);
    /// By a wake-up.
    pub const WAKEUP: Self = Self(1);
    /// By a fork (6.12 and later).
    pub const INITIAL: Self = Self(2);
    /// To sleep.
    pub const SLEEP: Self = Self(4);
    /// For a change of attributes; it comes back at once.
    pub const SAVE: Self = Self(8);
    /// To another queue.
    pub const MOVE: Self = Self(16);
    /// For ever, or otherwise never delayed.
    pub const SPECIAL: Self = Self(32);
    /// The end of a delayed dequeue.
    pub const DELAYED: Self = Self(64);
    /// To another CPU, queued as it is.
    pub const MIGRATE: Self = Self(128);
    /// From another CPU.
    pub const MIGRATED: Self = Self(256);

    pub const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    pub const fn with(self, flag: Self) -> Self {
        Self(self.0 | flag.0)
    }

    pub const fn without(self, flag: Self) -> Self {
        Self(self.0 & !flag.0)
    }
}
