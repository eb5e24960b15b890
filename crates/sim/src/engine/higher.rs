//! The classes above the fair one: DEADLINE, then FIFO and RR by priority.
//! Enough for their effect on fair tasks: they run first. Not modelled: real-time throttling and
//! the fair server, priority inheritance, admission control.

use std::collections::{BTreeMap, VecDeque};

use crate::input::Policy;

/// The slice of SCHED_RR, nanoseconds.
const ROUND_ROBIN_SLICE_NS: u64 = 100_000_000;

/// A DEADLINE task's present instance. Times are nanoseconds.
#[derive(Clone, Copy, Debug)]
struct DeadlineState {
    deadline: u64,
    budget: i64,
    /// When the budget comes back, while it is used up.
    throttled_until: Option<u64>,
}

/// What goes along when a task changes its CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct HigherState {
    deadline: Option<DeadlineState>,
    used: Option<u64>,
}

/// What is runnable above the fair class on one CPU. The running task stays in its queue.
#[derive(Clone, Debug, Default)]
pub(super) struct HigherClasses {
    /// FIFO and RR tasks by priority; the head of the highest runs.
    real_time: BTreeMap<u8, VecDeque<u32>>,
    /// Runnable DEADLINE tasks with budget.
    deadline: Vec<u32>,
    states: BTreeMap<u32, DeadlineState>,
    /// What the running RR task has run of its slice.
    round_robin_used: BTreeMap<u32, u64>,
}

/// Whether a policy is above the fair class.
pub(super) const fn is_higher(policy: Policy) -> bool {
    matches!(policy, Policy::Fifo { .. } | Policy::RoundRobin { .. } | Policy::Deadline { .. })
}

impl HigherClasses {
    /// A task becomes runnable.
    pub fn enqueue(&mut self, task: u32, policy: Policy, now: u64) {
        match policy {
            Policy::Fifo { priority } | Policy::RoundRobin { priority } => {
                self.real_time.entry(priority).or_default().push_back(task);
            }
            Policy::Deadline { runtime_ns, deadline_ns, .. } => {
                let fresh =
                    DeadlineState { deadline: now + deadline_ns, budget: runtime_ns as i64, throttled_until: None };
                let state = self.states.entry(task).or_insert(fresh);
                if state.throttled_until.is_some() {
                    return;
                }
                // The constant-bandwidth rule: what is left must not exceed the task's bandwidth.
                let left = state.deadline.saturating_sub(now);
                let too_much =
                    i128::from(state.budget) * i128::from(deadline_ns) > i128::from(left) * i128::from(runtime_ns);
                if state.deadline <= now || too_much {
                    *state = fresh;
                }
                self.deadline.push(task);
            }
            Policy::Normal | Policy::Batch | Policy::Idle => {}
        }
    }

    /// A task leaves: it blocks, exits or changes its policy.
    pub fn dequeue(&mut self, task: u32, policy: Policy) {
        match policy {
            Policy::Fifo { priority } | Policy::RoundRobin { priority } => {
                if let Some(queue) = self.real_time.get_mut(&priority) {
                    queue.retain(|other| *other != task);
                    if queue.is_empty() {
                        self.real_time.remove(&priority);
                    }
                }
            }
            _ => self.deadline.retain(|other| *other != task),
        }
    }

    /// Runnable tasks, the running one included.
    pub fn len(&self) -> u32 {
        (self.deadline.len() + self.real_time.values().map(VecDeque::len).sum::<usize>()) as u32
    }

    /// What is kept of a task that goes to another CPU: its instance and what it has used of its
    /// slice.
    pub fn take_state(&mut self, task: u32) -> HigherState {
        HigherState { deadline: self.states.remove(&task), used: self.round_robin_used.remove(&task) }
    }

    /// The same as it arrives.
    pub fn put_state(&mut self, task: u32, state: HigherState) {
        if let Some(deadline) = state.deadline {
            self.states.insert(task, deadline);
        }
        if let Some(used) = state.used {
            self.round_robin_used.insert(task, used);
        }
    }

    /// A DEADLINE task's deadline, nanoseconds.
    pub fn deadline_of(&self, task: u32) -> u64 {
        self.states.get(&task).map_or(u64::MAX, |state| state.deadline)
    }

    /// The priority of what would run: DEADLINE before all, then real-time; none: nothing.
    pub fn priority(&self) -> Option<u8> {
        if self.deadline.is_empty() {
            self.real_time.last_key_value().map(|(priority, _)| *priority)
        } else {
            Some(u8::MAX)
        }
    }

    /// A runnable task that does not run, the most important first, that `may_go`.
    pub fn waiting(&self, running: Option<u32>, may_go: impl Fn(u32) -> bool) -> Option<(u32, u8)> {
        let deadline = self.deadline.iter().map(|task| (*task, u8::MAX));
        let real_time =
            self.real_time.iter().rev().flat_map(|(priority, queue)| queue.iter().map(|task| (*task, *priority)));
        deadline.chain(real_time).find(|(task, _)| Some(*task) != running && may_go(*task))
    }

    /// Who runs next above the fair class: the earliest deadline, else the highest priority.
    pub fn pick(&self) -> Option<u32> {
        let earliest = self.deadline.iter().min_by_key(|task| self.states.get(task).map(|state| state.deadline));
        earliest.copied().or_else(|| self.real_time.last_key_value().and_then(|(_, queue)| queue.front().copied()))
    }

    /// sched_yield: a real-time task goes behind its equals, a DEADLINE task gives its budget up.
    pub fn yield_now(&mut self, task: u32, policy: Policy) {
        match policy {
            Policy::Fifo { priority } | Policy::RoundRobin { priority } => self.rotate(task, priority),
            _ => {
                if let Some(state) = self.states.get_mut(&task) {
                    state.budget = 0;
                }
            }
        }
    }

    fn rotate(&mut self, task: u32, priority: u8) {
        if let Some(queue) = self.real_time.get_mut(&priority) {
            queue.retain(|other| *other != task);
            queue.push_back(task);
        }
    }

    /// The running task has run for `ran`; whether it must be rescheduled now. `at_tick`: budgets
    /// and slices end at ticks only.
    pub fn charge(&mut self, task: u32, policy: Policy, ran: u64, at_tick: bool) -> bool {
        match policy {
            Policy::RoundRobin { priority } => {
                let used = self.round_robin_used.entry(task).or_default();
                *used += ran;
                if !at_tick || *used < ROUND_ROBIN_SLICE_NS {
                    return false;
                }
                *used = 0;
                let alone = self.real_time.get(&priority).is_none_or(|queue| queue.len() <= 1);
                if !alone {
                    self.rotate(task, priority);
                }
                !alone
            }
            Policy::Deadline { .. } => {
                let Some(state) = self.states.get_mut(&task) else { return false };
                state.budget -= ran as i64;
                at_tick && state.budget <= 0
            }
            _ => false,
        }
    }

    /// Takes a DEADLINE task whose budget is used up off, until its next period. Answers when that
    /// begins.
    pub fn throttle(&mut self, task: u32, policy: Policy, now: u64) -> Option<u64> {
        let Policy::Deadline { runtime_ns, deadline_ns, period_ns } = policy else { return None };
        let state = self.states.get_mut(&task)?;
        if state.budget > 0 {
            return None;
        }
        let mut start = state.deadline - deadline_ns + period_ns;
        while state.budget <= 0 || start <= now {
            if state.budget <= 0 {
                state.budget += runtime_ns as i64;
            }
            state.deadline += period_ns;
            if state.budget > 0 && start > now {
                break;
            }
            start += period_ns;
        }
        state.throttled_until = Some(start);
        self.deadline.retain(|other| *other != task);
        Some(start)
    }

    /// The next period of a throttled task begins; `runnable`: it did not go to sleep meanwhile.
    pub fn replenish(&mut self, task: u32, runnable: bool) {
        if let Some(state) = self.states.get_mut(&task)
            && state.throttled_until.take().is_some()
            && runnable
        {
            self.deadline.push(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadline_comes_before_real_time_and_high_priority_before_low() {
        let mut higher = HigherClasses::default();
        assert_eq!(higher.pick(), None);
        higher.enqueue(1, Policy::Fifo { priority: 10 }, 0);
        higher.enqueue(2, Policy::RoundRobin { priority: 50 }, 0);
        higher.enqueue(3, Policy::Fifo { priority: 50 }, 0);
        assert_eq!(higher.pick(), Some(2));
        higher.yield_now(2, Policy::RoundRobin { priority: 50 });
        assert_eq!(higher.pick(), Some(3));
        let deadline = |deadline_ns| Policy::Deadline { runtime_ns: 1_000, deadline_ns, period_ns: deadline_ns };
        higher.enqueue(4, deadline(9_000), 0);
        higher.enqueue(5, deadline(8_000), 0);
        assert_eq!(higher.pick(), Some(5));
        higher.dequeue(5, deadline(8_000));
        higher.dequeue(4, deadline(9_000));
        higher.dequeue(3, Policy::Fifo { priority: 50 });
        higher.dequeue(2, Policy::RoundRobin { priority: 50 });
        assert_eq!(higher.pick(), Some(1));
    }

    #[test]
    fn a_used_budget_comes_back_with_the_next_period() {
        let policy = Policy::Deadline { runtime_ns: 2_000, deadline_ns: 10_000, period_ns: 10_000 };
        let mut higher = HigherClasses::default();
        higher.enqueue(0, policy, 5_000);
        assert!(!higher.charge(0, policy, 1_500, true));
        assert!(higher.charge(0, policy, 700, true));
        assert_eq!(higher.throttle(0, policy, 7_200), Some(15_000));
        assert_eq!(higher.pick(), None);
        higher.replenish(0, true);
        assert_eq!(higher.pick(), Some(0));
        assert_eq!(higher.states[&0].budget, 1_800);
        assert_eq!(higher.states[&0].deadline, 25_000);
    }
}
