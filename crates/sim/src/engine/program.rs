//! Programs: what the running task does at its instant.
//! Not for the order of events among each other: that is the engine's loop.

use super::cpu_set::CpuSet;
use super::{Core, Doing, Event, Leave, MAX_STEPS_AT_ONE_INSTANT, MAX_TASKS, is_higher};
use crate::error::RunError;
use crate::fair::{FairClass, SliceChange};
use crate::input::{ConditionId, MutexId, PipeId, Policy, Program, Step, TaskId, TimerRef};
use crate::reason::Reason;
use crate::record::Mark;

/// What a step leads to.
enum Outcome {
    /// The task goes on.
    Continue,
    /// It blocks.
    Block,
    /// It yields.
    Yield,
    /// It may no longer run on this CPU.
    Leave,
}

impl<C: FairClass> Core<C> {
    /// The running task has used up what it was doing: its next step begins, or it is done.
    pub(super) fn run_program(&mut self, cpu: u32, task: u32) -> Result<(), RunError> {
        self.bring_up_to_date(cpu, task);
        self.fair.at(cpu);
        let state = &mut self.tasks[task as usize];
        state.doing = Doing::Nothing;
        let outcome = if let Some(mutex) = state.relock.take() {
            self.lock(task, mutex, true)
        } else {
            // Taken out and put back: steps change the task, and a reference count is dear here.
            let program = state.program.take();
            let next = program.as_deref().map_or(Ok(None), |program| self.next_step(task, program))?;
            let Some(step) = next else {
                self.schedule(cpu, Leave::Exit);
                return Ok(());
            };
            let outcome = self.do_step(task, step)?;
            self.tasks[task as usize].program = program;
            outcome
        };
        match outcome {
            Outcome::Continue => {
                let state = &mut self.cpus[cpu as usize];
                state.completes_at = self.tasks[task as usize].completes_at(self.now, state.speed);
            }
            Outcome::Leave => self.leave_by_affinity(cpu, task),
            Outcome::Block => self.schedule(cpu, Leave::Block),
            Outcome::Yield => self.schedule(cpu, Leave::Yield),
        }
        Ok(())
    }

    /// Goes on to the next step that is no loop mark; none: the program is over.
    fn next_step<'a>(&mut self, task: u32, program: &'a Program) -> Result<Option<&'a Step>, RunError> {
        loop {
            self.steps_at_now += 1;
            let state = &mut self.tasks[task as usize];
            if self.steps_at_now > MAX_STEPS_AT_ONE_INSTANT {
                let step = state.at;
                return Err(RunError::Spin { task: self.name(task), at_ns: self.now, step });
            }
            let Some(step) = program.steps.get(state.at) else { return Ok(None) };
            state.at += 1;
            match step {
                Step::Mark(number) => {
                    let mark = Mark { at_ns: self.now, task: TaskId(task), number: *number };
                    self.statistics.record.mark(mark);
                }
                Step::LoopStart { times: Some(0), end, .. } => state.at = *end as usize + 1,
                Step::LoopStart { counter, times, .. } => {
                    state.loops[*counter as usize] = times.unwrap_or(u64::MAX);
                }
                Step::LoopEnd { start } => {
                    if let Step::LoopStart { counter, times, .. } = program.steps[*start as usize] {
                        let left = &mut state.loops[counter as usize];
                        *left -= u64::from(times.is_some());
                        if *left > 0 {
                            state.at = *start as usize + 1;
                        }
                    }
                }
                step => return Ok(Some(step)),
            }
        }
    }

    fn name(&self, task: u32) -> String {
        // A copy that keeps no books has no names: it only repeats a run that went well.
        self.statistics.results.get(task as usize).map_or_else(String::new, |result| result.name.clone())
    }

    fn not_holder(&self, task: u32) -> RunError {
        let step = self.tasks[task as usize].at - 1;
        RunError::NotHolder { task: self.name(task), at_ns: self.now, step }
    }

    #[allow(clippy::too_many_lines, reason = "one arm a step, each short")]
    fn do_step(&mut self, task: u32, step: &Step) -> Result<Outcome, RunError> {
        let now = self.now;
        let state = &mut self.tasks[task as usize];
        match step {
            Step::Run(length) => {
                let work = state.random.draw(length, &mut state.traces);
                if work > 0 {
                    state.doing = Doing::Work(work + self.input.machine.run_step_ns, 0);
                }
            }
            Step::Runtime(length) => {
                let length = state.random.draw(length, &mut state.traces);
                state.doing = Doing::BusyUntil(now + length);
            }
            Step::Sleep(length) => {
                let length = state.random.draw(length, &mut state.traces);
                if length > 0 {
                    return Ok(self.sleep_until(task, now + length));
                }
            }
            Step::Timer { timer, period_ns, mode } => {
                let timer = match timer {
                    TimerRef::Shared(id) => &mut self.objects.timers[id.0 as usize],
                    TimerRef::Own(index) => &mut state.timers[*index as usize],
                };
                let next = timer.next(now, *period_ns, *mode);
                self.statistics.timer(task, next.is_err_and(|late_ns| late_ns > 0));
                if let Ok(until) = next {
                    return Ok(self.sleep_until(task, until));
                }
            }
            Step::Lock(mutex) => return Ok(self.lock(task, *mutex, false)),
            Step::Unlock(mutex) => self.unlock(task, *mutex)?,
            Step::Wait { condition, mutex } => {
                self.unlock(task, *mutex)?;
                self.tasks[task as usize].relock = Some(*mutex);
                self.objects.conditions[condition.0 as usize].push_back(task);
                return Ok(Outcome::Block);
            }
            Step::Signal(ConditionId(condition)) => {
                if let Some(waiter) = self.objects.conditions[*condition as usize].pop_front() {
                    self.wake_by_task(task, waiter, false);
                }
            }
            Step::Broadcast(ConditionId(condition)) => {
                while let Some(waiter) = self.objects.conditions[*condition as usize].pop_front() {
                    self.wake_by_task(task, waiter, false);
                }
            }
            Step::Suspend(point) => {
                self.objects.suspensions[point.0 as usize].push_back(task);
                return Ok(Outcome::Block);
            }
            Step::Resume(point) => {
                while let Some(waiter) = self.objects.suspensions[point.0 as usize].pop_front() {
                    self.wake_by_task(task, waiter, false);
                }
            }
            Step::SemaphorePost(semaphore) => {
                let semaphore = &mut self.objects.semaphores[semaphore.0 as usize];
                match semaphore.waiters.pop_front() {
                    Some(waiter) => self.wake_by_task(task, waiter, false),
                    None => semaphore.count += 1,
                }
            }
            Step::SemaphoreWait(semaphore) => {
                let semaphore = &mut self.objects.semaphores[semaphore.0 as usize];
                if semaphore.count == 0 {
                    semaphore.waiters.push_back(task);
                    return Ok(Outcome::Block);
                }
                semaphore.count -= 1;
            }
            Step::Barrier(barrier) => {
                let place = barrier.0 as usize;
                let barrier = &mut self.objects.barriers[place];
                if barrier.arrived.len() as u32 + 1 < barrier.needed {
                    barrier.arrived.push_back(task);
                    return Ok(Outcome::Block);
                }
                while let Some(waiter) = self.objects.barriers[place].arrived.pop_front() {
                    self.wake_by_task(task, waiter, false);
                }
            }
            Step::Yield => {
                let (policy, cpu) = (state.policy, state.cpu);
                self.fair.rq_mut().counters.yld_count += 1;
                if self.fair.rq().higher_runs {
                    self.cpus[cpu as usize].higher.yield_now(task, policy);
                } else {
                    self.fair.yield_now();
                }
                return Ok(Outcome::Yield);
            }
            Step::Fork(template) => self.fork_template(task, template.0)?,
            Step::Nice(nice) => {
                if state.nice != *nice {
                    let policy = state.policy;
                    self.set_attributes(task, policy, *nice, SliceChange::Keep);
                }
            }
            Step::Attributes { policy, nice, slice_ns } => {
                let same = (state.policy, state.nice) == (*policy, *nice);
                let entity = state.entity;
                if !(same && self.fair.keeps_slice_of(entity, *slice_ns)) {
                    let slice = slice_ns.map_or(SliceChange::Base, SliceChange::Custom);
                    self.set_attributes(task, *policy, *nice, slice);
                }
            }
            Step::Move(group) => {
                let (entity, to) = (state.entity, self.fair.queue_of(*group));
                self.fair.move_task(entity, to, true);
            }
            Step::Weight(group, weight) => self.fair.write_weight(*group, *weight),
            Step::OperationBegin(operation) => state.operations[operation.0 as usize] = Some(now),
            Step::OperationEnd(operation) => {
                if let Some(begun) =
                    state.operations[operation.0 as usize].take().filter(|_| !self.statistics.is_muted())
                {
                    self.statistics.operations[operation.0 as usize].latency.add(now - begun);
                }
            }
            Step::PipeWrite(PipeId(pipe)) => {
                let capacity = self.input.objects.pipes[*pipe as usize];
                let pipe = &mut self.objects.pipes[*pipe as usize];
                if pipe.messages >= capacity {
                    pipe.writers.push_back(task);
                    state.slept_in_pipe = true;
                    state.at -= 1;
                    return Ok(Outcome::Block);
                }
                pipe.messages += 1;
                let reader = if pipe.messages == 1 { pipe.readers.pop_front() } else { None };
                // Who was woken for the room passes on what is left of it (`wake_next_writer`).
                let passes_on = std::mem::take(&mut state.slept_in_pipe) && pipe.messages < capacity;
                let writer = if passes_on { pipe.writers.pop_front() } else { None };
                for woken in reader.into_iter().chain(writer) {
                    self.wake_by_task(task, woken, true);
                }
            }
            Step::PipeRead(PipeId(pipe)) => {
                let capacity = self.input.objects.pipes[*pipe as usize];
                let pipe = &mut self.objects.pipes[*pipe as usize];
                if pipe.messages == 0 {
                    pipe.readers.push_back(task);
                    state.slept_in_pipe = true;
                    state.at -= 1;
                    return Ok(Outcome::Block);
                }
                pipe.messages -= 1;
                let writer = if pipe.messages + 1 == capacity { pipe.writers.pop_front() } else { None };
                // Likewise for the messages that are left (`wake_next_reader`).
                let passes_on = std::mem::take(&mut state.slept_in_pipe) && pipe.messages > 0;
                let reader = if passes_on { pipe.readers.pop_front() } else { None };
                for woken in writer.into_iter().chain(reader) {
                    self.wake_by_task(task, woken, true);
                }
            }
            Step::Affinity(cpus) => {
                state.allowed = cpus.as_ref().map(|cpus| Box::new(CpuSet::of(cpus)));
                return Ok(self.leave_forbidden_cpu(task));
            }
            Step::Cookie(cookie) => {
                let cpu = state.cpu;
                self.change_cookie(cpu, task, *cookie);
            }
            Step::LoopStart { .. } | Step::LoopEnd { .. } | Step::Mark(_) => {}
        }
        Ok(Outcome::Continue)
    }

    /// The running task changes its policy, nice value and slice (§4.8), or its class.
    fn set_attributes(&mut self, task: u32, policy: Policy, nice: i8, slice: SliceChange) {
        let state = &mut self.tasks[task as usize];
        let (entity, old_policy, worse) = (state.entity, state.policy, nice > state.nice);
        (state.policy, state.nice) = (policy, nice);
        let cpu = state.cpu;
        self.core_dequeued(task);
        let was_higher = is_higher(old_policy);
        if was_higher {
            self.charge_higher(cpu, task, false);
            self.cpus[cpu as usize].higher.dequeue(task, old_policy);
        }
        self.placing.any_higher |= is_higher(policy);
        match (was_higher, is_higher(policy)) {
            (false, false) => self.fair.set_attributes(entity, policy, nice, slice, worse),
            (false, true) => self.fair.leave_running(entity),
            (true, false) => {
                self.fair.set_attributes(entity, policy, nice, slice, false);
                self.fair.arrive_running(entity);
            }
            (true, true) => {}
        }
        self.fair.rq_mut().higher_runs = is_higher(policy);
        let state = &mut self.cpus[cpu as usize];
        if is_higher(policy) {
            state.higher_charged = self.now;
            state.higher.enqueue(task, policy, self.now);
        }
        if state.higher.pick().is_some_and(|first| first != task) {
            self.fair.request(Reason::HigherClass);
        }
        self.core_enqueued(task);
    }

    fn sleep_until(&mut self, task: u32, until: u64) -> Outcome {
        let until = until + self.input.machine.sleep_ns;
        let state = &mut self.tasks[task as usize];
        state.timer_cpu = state.cpu;
        self.events.push(until, Event::Wake(task));
        Outcome::Block
    }

    /// The running task wakes another: that keeps it busy as long as the woken one is on its way.
    fn wake_by_task(&mut self, waker: u32, task: u32, sync: bool) {
        self.tasks[waker as usize].overhead += self.input.machine.wakeup_ns;
        let cpu = self.tasks[waker as usize].cpu;
        self.wake(task, cpu, sync);
        self.fair.at(cpu);
    }

    /// A task whose CPUs have changed goes to one of them: the stopper moves it at once.
    fn leave_forbidden_cpu(&mut self, task: u32) -> Outcome {
        let state = &self.tasks[task as usize];
        let cpu = state.cpu;
        if state.may_run_on(cpu) {
            return Outcome::Continue;
        }
        self.cpus[cpu as usize].completes_at = self.now;
        Outcome::Leave
    }

    /// Takes a mutex, or waits for it. `again`: it has waited, so others may wait still.
    fn lock(&mut self, task: u32, id: MutexId, again: bool) -> Outcome {
        let mutex = &mut self.objects.mutexes[id.0 as usize];
        if mutex.holder.is_none() {
            mutex.holder = Some(task);
            mutex.contended = again;
            return Outcome::Continue;
        }
        mutex.waiters.push_back(task);
        if self.input.objects.locks_barge {
            mutex.contended = true;
            self.tasks[task as usize].relock = Some(id);
        }
        Outcome::Block
    }

    fn unlock(&mut self, task: u32, id: MutexId) -> Result<(), RunError> {
        let mutex = &mut self.objects.mutexes[id.0 as usize];
        if mutex.holder != Some(task) {
            return Err(self.not_holder(task));
        }
        let next = if !self.input.objects.locks_barge {
            mutex.holder = mutex.waiters.pop_front();
            mutex.holder
        } else {
            mutex.holder = None;
            if std::mem::take(&mut mutex.contended) { mutex.waiters.pop_front() } else { None }
        };
        if let Some(next) = next {
            self.wake_by_task(task, next, false);
        }
        Ok(())
    }

    fn fork_template(&mut self, parent: u32, template: u32) -> Result<(), RunError> {
        let free = if self.tasks.len() < MAX_TASKS { None } else { self.exited[template as usize].pop() };
        if self.tasks.len() >= MAX_TASKS && free.is_none() {
            let task = self.name(parent);
            return Err(RunError::TooManyTasks { task, at_ns: self.now, limit: MAX_TASKS });
        }
        let number = self.forked[template as usize];
        self.forked[template as usize] += 1;
        let mut spec = self.input.templates[template as usize].spec.clone();
        spec.name = format!("{}-{number}", spec.name);
        spec.identity = spec.identity.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        spec.birth = crate::input::Birth::Fork;
        let cpu = self.tasks[parent as usize].cpu;
        spec.previous_cpu = cpu;
        let child = match free {
            Some(place) => {
                self.replace_task(place, &spec);
                place
            }
            None => self.add_task(&spec),
        };
        self.tasks[child as usize].template = Some(template);
        self.start_fork(child, cpu);
        self.fair.at(cpu);
        Ok(())
    }
}
