//! A queue as a table: who stood in it, and what was known of each.
//! Not for sentences.

use schedlab_sim::{EntityView, QueueView, Who};
use serde::{Deserialize, Serialize};

use super::Names;

/// A queue as a decision saw it. Virtual times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueTable {
    /// Whose queue: a group's path, or `/`.
    pub group: String,
    /// What virtual times are relative to: `V`, or `min_vruntime` in CFS.
    pub relative_to: String,
    /// That, since the queue was made.
    pub average_ns: i64,
    /// Who was picked here, or would be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picked: Option<String>,
    /// The entities: the running one, then the tree in its order.
    pub entities: Vec<EntityRow>,
}

/// An entity of a queue: a task, or a group in its parent's queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EntityRow {
    /// The task's name or the group's path.
    pub name: String,
    /// It is a group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub group: bool,
    /// vruntime − V.
    pub vruntime_rel_ns: i64,
    /// EEVDF: deadline − V.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_rel_ns: Option<i64>,
    /// EEVDF: V − vruntime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_ns: Option<i64>,
    /// The slice, wall time.
    pub slice_ns: u64,
    /// The weight; nice 0 is 1024.
    pub weight: u64,
    /// EEVDF: its vruntime is not ahead of V.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eligible: Option<bool>,
    /// It runs (it ran, when another was picked).
    pub running: bool,
    /// EEVDF, the running one: it would be picked again without a search while it is eligible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected: Option<bool>,
    /// From 6.18, the running one: the end of its protection − V.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected_until_rel_ns: Option<i64>,
    /// It sleeps; its dequeue is delayed.
    pub delayed: bool,
    /// It is marked as next buddy.
    pub next_buddy: bool,
    /// It was picked, or would be.
    pub picked: bool,
}

impl QueueTable {
    pub(super) fn of(queue: &QueueView, names: &Names) -> Self {
        let picked = queue.picked.map(|(who, _)| who);
        Self {
            group: queue.group.map_or("/", |group| names.group(group)).to_owned(),
            relative_to: names.origin().to_owned(),
            average_ns: queue.average_ns,
            picked: picked.map(|who| names.who(who).to_owned()),
            entities: queue.entities.iter().map(|entity| EntityRow::of(entity, picked, names)).collect(),
        }
    }
}

impl EntityRow {
    fn of(entity: &EntityView, picked: Option<Who>, names: &Names) -> Self {
        Self {
            name: names.who(entity.who).to_owned(),
            group: matches!(entity.who, Who::Group(_)),
            vruntime_rel_ns: entity.vruntime_rel_ns,
            deadline_rel_ns: entity.deadline_rel_ns,
            lag_ns: entity.lag_ns,
            slice_ns: entity.slice_ns,
            weight: entity.weight,
            eligible: entity.eligible,
            running: entity.running,
            protected: entity.protected,
            protected_until_rel_ns: entity.protected_until_rel_ns,
            delayed: entity.delayed,
            next_buddy: entity.next_buddy,
            picked: picked == Some(entity.who),
        }
    }
}
