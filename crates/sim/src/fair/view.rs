//! What a decision sees of the queues, for looking at.
//! Not for decisions: a view is taken of a copy.

use super::{EntityId, EntityKind, Fair, FairClass, Flags, QueueId, Vtime};
use crate::explain::{EntityView, QueueView, Who};
use crate::fair::tree::Tree;
use crate::fair::weight::LOAD_SHIFT;
use crate::input::{GroupId, TaskId};

/// What a pick sees and does on its way.
#[derive(Debug, Default)]
pub(crate) struct PickView {
    /// The queues, from the root down.
    pub queues: Vec<QueueView>,
    /// Whose delayed dequeue it finishes.
    pub finished: Vec<Who>,
    /// The groups that were throttled before it.
    pub throttled_before: Vec<GroupId>,
}

impl<C: FairClass> Fair<C> {
    /// Who stands behind an entity.
    pub fn who(&self, e: EntityId) -> Who {
        match self.entity[e].kind {
            EntityKind::Task { index, .. } => Who::Task(TaskId(index)),
            EntityKind::Group { owns, .. } => Who::Group(GroupId(owns.0 % self.stride - 1)),
        }
    }

    /// The queue with its entities and what a pick would choose.
    pub fn view(&self, q: QueueId) -> QueueView {
        let queue = &self.queues[q];
        let mut entities: Vec<EntityView> =
            self.queued_curr(q).map(|curr| self.entity_view(q, curr)).into_iter().collect();
        let mut at = queue.tree.leftmost();
        while let Some(e) = at {
            entities.push(self.entity_view(q, e));
            at = Tree::successor(&self.node, e);
        }
        QueueView {
            group: self.group_of(q),
            average_ns: C::average_of(self, q).since(Vtime::QUEUE_START),
            entities,
            picked: C::pick_rule(self, q).map(|(e, rule)| (self.who(e), rule)),
        }
    }

    fn entity_view(&self, q: QueueId, e: EntityId) -> EntityView {
        let (entity, node) = (&self.entity[e], &self.node[e]);
        let mut view = EntityView {
            who: self.who(e),
            policy: entity.policy(),
            idle: entity.is_idle(),
            vruntime_rel_ns: node.vruntime.since(C::average_of(self, q)),
            deadline_rel_ns: None,
            lag_ns: None,
            slice_ns: node.slice,
            weight: entity.load.weight >> LOAD_SHIFT,
            eligible: None,
            running: self.queues[q].curr == Some(e),
            delayed: entity.delayed,
            protected: None,
            protected_until_rel_ns: None,
            next_buddy: self.queues[q].next == Some(e),
        };
        C::complete_view(self, q, e, &mut view);
        view
    }

    /// What the next pick sees: it is made on a copy, level by level, as `hierarchy` makes it.
    pub fn view_of_pick(&self) -> PickView {
        let mut copy = self.clone();
        let mut seen = PickView { throttled_before: self.throttled_groups(), ..PickView::default() };
        'again: loop {
            seen.queues.clear();
            let mut q = self.root();
            loop {
                if copy.queued_curr(q).is_some() {
                    C::update_curr(&mut copy, q);
                }
                let may_throttle = copy.rules.restarting_pick || copy.queues[q].curr.is_some();
                if may_throttle && copy.out_of_runtime(q) {
                    if let Some(prev) = copy.rq_mut().curr.take_if(|_| !self.rules.restarting_pick) {
                        copy.put_path(prev);
                    }
                    continue 'again;
                }
                seen.queues.push(copy.view(q));
                let Some((e, _)) = C::pick_rule(&copy, q) else { break 'again };
                if copy.entity[e].delayed {
                    seen.finished.push(copy.who(e));
                    copy.dequeue_task(e, Flags::SLEEP.with(Flags::DELAYED));
                    continue 'again;
                }
                match copy.owned(e) {
                    Some(owned) => q = owned,
                    None if copy.rules.throttles_tasks && copy.park_if_throttled(e) => continue 'again,
                    None => break 'again,
                }
            }
        }
        seen
    }

    /// The groups that are throttled.
    pub fn throttled_groups(&self) -> Vec<GroupId> {
        let groups = (0..self.stride - 1).map(GroupId);
        groups.filter(|group| self.queues[self.queue_of(Some(*group))].is_throttled()).collect()
    }

    /// The queues on the path of a task, from the root down.
    pub fn views_of_task(&self, e: EntityId) -> Vec<QueueView> {
        let (mut views, mut level) = (Vec::new(), Some(e));
        while let Some(e) = level {
            views.insert(0, self.view(self.entity[e].queue));
            level = self.up(e);
        }
        views
    }
}
