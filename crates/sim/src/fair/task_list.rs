//! The fair tasks of each CPU, most recently run first (`cfs_tasks`): balancing takes from the end.
//! Not for the order in which they run.

use super::EntityId;

/// Where a task stands in its CPU's list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Links {
    before: Option<EntityId>,
    after: Option<EntityId>,
}

/// A CPU's list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TaskList {
    first: Option<EntityId>,
    last: Option<EntityId>,
}

impl TaskList {
    /// Puts a task at the front.
    pub fn push_front(&mut self, links: &mut [Links], e: EntityId) {
        links[e.index()] = Links { before: None, after: self.first };
        match self.first {
            Some(first) => links[first.index()].before = Some(e),
            None => self.last = Some(e),
        }
        self.first = Some(e);
    }

    /// Takes a task out.
    pub fn remove(&mut self, links: &mut [Links], e: EntityId) {
        let Links { before, after } = std::mem::take(&mut links[e.index()]);
        match before {
            Some(before) => links[before.index()].after = after,
            None => self.first = after,
        }
        match after {
            Some(after) => links[after.index()].before = before,
            None => self.last = before,
        }
    }

    /// Moves a task to the front.
    pub fn move_front(&mut self, links: &mut [Links], e: EntityId) {
        if self.first != Some(e) {
            self.remove(links, e);
            self.push_front(links, e);
        }
    }

    /// The task at the end.
    pub const fn last(&self) -> Option<EntityId> {
        self.last
    }

    /// The tasks, from the end.
    pub fn backwards(self, links: &[Links]) -> impl Iterator<Item = EntityId> + '_ {
        std::iter::successors(self.last, |e| links[e.index()].before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_moved_is_at_the_end() {
        let mut links = vec![Links::default(); 4];
        let mut list = TaskList::default();
        let ids: Vec<EntityId> = (0..4).map(EntityId::at).collect();
        for e in &ids {
            list.push_front(&mut links, *e);
        }
        list.move_front(&mut links, ids[0]);
        list.remove(&mut links, ids[2]);
        assert_eq!(list.backwards(&links).collect::<Vec<_>>(), [ids[1], ids[3], ids[0]]);
        assert_eq!(list.last(), Some(ids[1]));
    }
}
