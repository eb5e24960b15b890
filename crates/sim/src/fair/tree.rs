//! The red-black tree of a queue, with the kernel's shape and its subtree values (§4.5, §4.16,
//! current-kernels §2.4). Not for choosing an entity: picks walk it from outside.
//!
//! The shape matters: ties in 6.6 and the subtree slices up to 7.1 (which rotations leave stale)
//! depend on it. The rotations are the textbook ones, as in the kernel.

use super::entity::{Arena, EntityId, Node};
use super::vtime::Vtime;

/// What a tree is ordered by and which subtree values its nodes keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeKind {
    /// Ordered by vruntime, no subtree values (CFS, §3.2).
    Vruntime,
    /// Ordered by vruntime, smallest deadline of the subtree (6.6, §4.5).
    VruntimeWithDeadline,
    /// Ordered by deadline, smallest vruntime of the subtree (6.8).
    Deadline,
    /// The same and the smallest slice, left stale by rotations (6.12 to 6.15, 6.19).
    DeadlineWithSlice,
    /// The same and the largest slice, both left stale by rotations (6.18, 7.0, 7.1).
    DeadlineWithSlices,
    /// The same, handed over in rotations, so always right (7.2 and later).
    DeadlineWithExactSlices,
}

impl TreeKind {
    fn key(self, node: &Node) -> Vtime {
        match self {
            Self::Vruntime | Self::VruntimeWithDeadline => node.vruntime,
            _ => node.deadline,
        }
    }

    /// Recomputes the subtree values of `id` from its own and its children's; whether any changed.
    fn recompute(self, nodes: &mut Arena<Node>, id: EntityId) -> bool {
        let node = &nodes[id];
        let children = [node.right, node.left];
        let mut fresh = match self {
            Self::Vruntime => return false,
            Self::VruntimeWithDeadline => (node.deadline, 0, 0),
            _ => (node.vruntime, node.slice, node.slice),
        };
        for child in children.into_iter().flatten() {
            let child = &nodes[child];
            if child.smallest.before(fresh.0) {
                fresh.0 = child.smallest;
            }
            fresh.1 = fresh.1.min(child.smallest_slice);
            fresh.2 = fresh.2.max(child.largest_slice);
        }
        let node = &mut nodes[id];
        let mut changed = node.smallest != fresh.0;
        node.smallest = fresh.0;
        if matches!(self, Self::DeadlineWithSlice | Self::DeadlineWithSlices | Self::DeadlineWithExactSlices) {
            changed |= node.smallest_slice != fresh.1;
            node.smallest_slice = fresh.1;
        }
        if matches!(self, Self::DeadlineWithSlices | Self::DeadlineWithExactSlices) {
            changed |= node.largest_slice != fresh.2;
            node.largest_slice = fresh.2;
        }
        changed
    }

    /// Recomputes `id` and upwards, up to a node whose values did not change, or to `stop`.
    fn climb(self, nodes: &mut Arena<Node>, mut id: Option<EntityId>, stop: Option<EntityId>) {
        if self == Self::Vruntime {
            return;
        }
        while id != stop {
            let Some(at) = id else { return };
            if !self.recompute(nodes, at) {
                return;
            }
            id = nodes[at].parent;
        }
    }

    /// `to` takes the place of `from` at the top of a subtree: what is handed over.
    fn hand_over(self, nodes: &mut Arena<Node>, from: EntityId, to: EntityId) {
        nodes[to].smallest = nodes[from].smallest;
        if self == Self::DeadlineWithExactSlices {
            nodes[to].smallest_slice = nodes[from].smallest_slice;
            nodes[to].largest_slice = nodes[from].largest_slice;
        }
    }

    /// The values of a node that is about to be inserted.
    fn start(self, node: &mut Node) {
        node.smallest = if self == Self::VruntimeWithDeadline { node.deadline } else { node.vruntime };
        node.smallest_slice = node.slice;
        if self == Self::DeadlineWithExactSlices {
            node.largest_slice = node.slice;
        }
    }
}

/// One tree. Its nodes live in an arena that all trees share.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    kind: TreeKind,
    root: Option<EntityId>,
    leftmost: Option<EntityId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

const fn child(node: &Node, side: Side) -> Option<EntityId> {
    match side {
        Side::Left => node.left,
        Side::Right => node.right,
    }
}

const fn set_child(node: &mut Node, side: Side, to: Option<EntityId>) {
    match side {
        Side::Left => node.left = to,
        Side::Right => node.right = to,
    }
}

fn is_red(nodes: &Arena<Node>, id: Option<EntityId>) -> bool {
    id.is_some_and(|id| nodes[id].red)
}

impl Tree {
    /// An empty tree.
    pub const fn new(kind: TreeKind) -> Self {
        Self { kind, root: None, leftmost: None }
    }

    /// The root; none: the tree is empty.
    pub const fn root(&self) -> Option<EntityId> {
        self.root
    }

    /// The entity with the smallest key; first in among equals.
    pub const fn leftmost(&self) -> Option<EntityId> {
        self.leftmost
    }

    /// The next entity in order.
    pub fn successor(nodes: &Arena<Node>, id: EntityId) -> Option<EntityId> {
        if let Some(mut at) = nodes[id].right {
            while let Some(left) = nodes[at].left {
                at = left;
            }
            return Some(at);
        }
        let mut at = id;
        let mut parent = nodes[at].parent;
        while let Some(up) = parent {
            if nodes[up].left == Some(at) {
                return Some(up);
            }
            at = up;
            parent = nodes[up].parent;
        }
        None
    }

    /// Re-evaluates the subtree values after an entity's slice was changed in place.
    pub fn reevaluate(&self, nodes: &mut Arena<Node>, id: EntityId) {
        self.kind.climb(nodes, Some(id), None);
    }

    /// Inserts an entity; equal keys go to the right.
    pub fn insert(&mut self, nodes: &mut Arena<Node>, id: EntityId) {
        self.kind.start(&mut nodes[id]);
        let key = self.kind.key(&nodes[id]);
        let mut parent = None;
        let mut at = self.root;
        let mut side = Side::Left;
        let mut leftmost = true;
        while let Some(here) = at {
            parent = at;
            let node = &nodes[here];
            if key.before(self.kind.key(node)) {
                side = Side::Left;
                at = node.left;
            } else {
                side = Side::Right;
                leftmost = false;
                at = node.right;
            }
        }
        let node = &mut nodes[id];
        (node.parent, node.left, node.right, node.red) = (parent, None, None, true);
        match parent {
            None => self.root = Some(id),
            Some(parent) => set_child(&mut nodes[parent], side, Some(id)),
        }
        if leftmost {
            self.leftmost = Some(id);
        }
        self.kind.climb(nodes, parent, None);
        self.fix_after_insert(nodes, id);
    }

    fn fix_after_insert(&mut self, nodes: &mut Arena<Node>, id: EntityId) {
        let mut id = id;
        loop {
            let Some(parent) = nodes[id].parent else {
                nodes[id].red = false;
                return;
            };
            if !nodes[parent].red {
                return;
            }
            let Some(grandparent) = nodes[parent].parent else { return };
            let side = if nodes[grandparent].left == Some(parent) { Side::Left } else { Side::Right };
            let uncle = child(&nodes[grandparent], side.other());
            if let Some(uncle) = uncle.filter(|uncle| nodes[*uncle].red) {
                nodes[parent].red = false;
                nodes[uncle].red = false;
                nodes[grandparent].red = true;
                id = grandparent;
                continue;
            }
            let mut top = parent;
            if child(&nodes[parent], side.other()) == Some(id) {
                self.rotate(nodes, parent, side);
                top = id;
            }
            nodes[top].red = false;
            nodes[grandparent].red = true;
            self.rotate(nodes, grandparent, side.other());
            return;
        }
    }

    /// `down` sinks to `side`, its child of the other side rises.
    fn rotate(&mut self, nodes: &mut Arena<Node>, down: EntityId, side: Side) {
        let Some(up) = child(&nodes[down], side.other()) else { return };
        let moved = child(&nodes[up], side);
        set_child(&mut nodes[down], side.other(), moved);
        if let Some(moved) = moved {
            nodes[moved].parent = Some(down);
        }
        self.replace_child(nodes, down, Some(up));
        set_child(&mut nodes[up], side, Some(down));
        nodes[down].parent = Some(up);
        if self.kind != TreeKind::Vruntime {
            self.kind.hand_over(nodes, down, up);
            self.kind.recompute(nodes, down);
        }
    }

    /// The parent of `id` (or the root) takes `with` in its place.
    fn replace_child(&mut self, nodes: &mut Arena<Node>, id: EntityId, with: Option<EntityId>) {
        let parent = nodes[id].parent;
        match parent {
            None => self.root = with,
            Some(parent) if nodes[parent].left == Some(id) => nodes[parent].left = with,
            Some(parent) => nodes[parent].right = with,
        }
        if let Some(with) = with {
            nodes[with].parent = parent;
        }
    }

    /// Removes an entity; a node with two children is replaced by its successor.
    pub fn erase(&mut self, nodes: &mut Arena<Node>, id: EntityId) {
        if self.leftmost == Some(id) {
            self.leftmost = Self::successor(nodes, id);
        }
        let (left, right, red) = (nodes[id].left, nodes[id].right, nodes[id].red);
        // The parent below which a black node is missing, and on which side.
        let (unbalanced, lowest) = match (left, right) {
            (Some(_), Some(right)) => self.erase_with_successor(nodes, id, right),
            (only, None) | (None, only) => {
                let parent = nodes[id].parent;
                let side = parent.map(|parent| if nodes[parent].left == Some(id) { Side::Left } else { Side::Right });
                self.replace_child(nodes, id, only);
                let missing = match only {
                    Some(only) => {
                        nodes[only].red = false;
                        None
                    }
                    None if red => None,
                    None => parent.zip(side),
                };
                (missing, parent)
            }
        };
        self.kind.climb(nodes, lowest, None);
        if let Some((parent, side)) = unbalanced {
            self.fix_after_erase(nodes, parent, side);
        }
    }

    fn erase_with_successor(
        &mut self,
        nodes: &mut Arena<Node>,
        id: EntityId,
        right: EntityId,
    ) -> (Option<(EntityId, Side)>, Option<EntityId>) {
        let mut successor = right;
        while let Some(left) = nodes[successor].left {
            successor = left;
        }
        let orphan = nodes[successor].right;
        let successor_red = nodes[successor].red;
        let (parent, side) = if successor == right {
            self.kind.hand_over(nodes, id, successor);
            (successor, Side::Right)
        } else {
            let parent = nodes[successor].parent.unwrap_or(right);
            nodes[parent].left = orphan;
            if let Some(orphan) = orphan {
                nodes[orphan].parent = Some(parent);
            }
            nodes[successor].right = Some(right);
            nodes[right].parent = Some(successor);
            self.kind.hand_over(nodes, id, successor);
            self.kind.climb(nodes, Some(parent), Some(successor));
            (parent, Side::Left)
        };
        let left = nodes[id].left;
        nodes[successor].left = left;
        if let Some(left) = left {
            nodes[left].parent = Some(successor);
        }
        nodes[successor].red = nodes[id].red;
        self.replace_child(nodes, id, Some(successor));
        let missing = match orphan {
            Some(orphan) => {
                nodes[orphan].red = false;
                None
            }
            None if successor_red => None,
            None => Some((parent, side)),
        };
        (missing, Some(successor))
    }

    /// A black node is missing on `side` of `parent`.
    fn fix_after_erase(&mut self, nodes: &mut Arena<Node>, parent: EntityId, side: Side) {
        let (mut parent, mut side) = (parent, side);
        loop {
            let Some(mut sibling) = child(&nodes[parent], side.other()) else { return };
            if nodes[sibling].red {
                nodes[sibling].red = false;
                nodes[parent].red = true;
                self.rotate(nodes, parent, side);
                let Some(next) = child(&nodes[parent], side.other()) else { return };
                sibling = next;
            }
            if !is_red(nodes, child(&nodes[sibling], side.other())) {
                let near = child(&nodes[sibling], side);
                let Some(near) = near.filter(|near| nodes[*near].red) else {
                    nodes[sibling].red = true;
                    if nodes[parent].red {
                        nodes[parent].red = false;
                        return;
                    }
                    let Some(up) = nodes[parent].parent else { return };
                    side = if nodes[up].left == Some(parent) { Side::Left } else { Side::Right };
                    parent = up;
                    continue;
                };
                nodes[near].red = false;
                nodes[sibling].red = true;
                self.rotate(nodes, sibling, side.other());
                sibling = near;
            }
            nodes[sibling].red = nodes[parent].red;
            nodes[parent].red = false;
            if let Some(far) = child(&nodes[sibling], side.other()) {
                nodes[far].red = false;
            }
            self.rotate(nodes, parent, side);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks order, colours, black heights, parents, and the smallest value of each subtree.
    fn check(tree: &Tree, nodes: &Arena<Node>, id: Option<EntityId>, parent: Option<EntityId>) -> (u32, Option<Vtime>) {
        let Some(id) = id else { return (1, None) };
        let node = &nodes[id];
        assert_eq!(node.parent, parent);
        assert!(!(node.red && (is_red(nodes, node.left) || is_red(nodes, node.right))), "red below red");
        for (side, ordered) in [(node.left, true), (node.right, false)] {
            if let Some(other) = side {
                let before = tree.kind.key(&nodes[other]).before(tree.kind.key(node));
                assert!(!ordered || before || tree.kind.key(&nodes[other]) == tree.kind.key(node));
                assert!(ordered || !before);
            }
        }
        let (left, right) = (check(tree, nodes, node.left, Some(id)), check(tree, nodes, node.right, Some(id)));
        assert_eq!(left.0, right.0, "black heights");
        let mut smallest = if tree.kind == TreeKind::VruntimeWithDeadline { node.deadline } else { node.vruntime };
        for value in [left.1, right.1].into_iter().flatten() {
            smallest = smallest.earlier(value);
        }
        if tree.kind != TreeKind::Vruntime {
            assert_eq!(node.smallest, smallest);
        }
        (left.0 + u32::from(!node.red), Some(smallest))
    }

    proptest! {
        #[test]
        fn stays_a_red_black_tree_in_first_in_order(operations in prop::collection::vec((0u64..12, any::<bool>(), 1u64..4), 1..200), kind in 0usize..4) {
            let kind = [TreeKind::Vruntime, TreeKind::VruntimeWithDeadline, TreeKind::DeadlineWithSlices, TreeKind::DeadlineWithExactSlices][kind];
            let mut nodes = Arena::<Node>::default();
            let mut tree = Tree::new(kind);
            // The reference: a list in order, equal keys first in first out.
            let mut list: Vec<(u64, EntityId)> = Vec::new();
            for (key, insert, slice) in operations {
                if insert || list.is_empty() {
                    let id = nodes.push(Node { vruntime: Vtime(key), deadline: Vtime(key), slice, ..Node::default() });
                    tree.insert(&mut nodes, id);
                    let at = list.partition_point(|(other, _)| *other <= key);
                    list.insert(at, (key, id));
                } else {
                    let (_, id) = list.remove((key as usize * 7) % list.len());
                    tree.erase(&mut nodes, id);
                }
                check(&tree, &nodes, tree.root, None);
                let mut walked = Vec::new();
                let mut at = tree.leftmost();
                while let Some(id) = at {
                    walked.push(id);
                    at = Tree::successor(&nodes, id);
                }
                prop_assert_eq!(&walked, &list.iter().map(|(_, id)| *id).collect::<Vec<_>>());
                if kind == TreeKind::DeadlineWithExactSlices && let Some(root) = tree.root {
                    prop_assert_eq!(nodes[root].smallest_slice, walked.iter().map(|id| nodes[*id].slice).min().unwrap());
                    prop_assert_eq!(nodes[root].largest_slice, walked.iter().map(|id| nodes[*id].slice).max().unwrap());
                }
            }
        }
    }
}
