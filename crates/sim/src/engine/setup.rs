//! What a run begins with: its CPUs, groups and tasks; and copies of it.
//! Not for checking the input: that is `validate`.

use std::sync::Arc;

use super::agenda::Agenda;
use super::balance::{self, Balancing};
use super::books::Books;
use super::core_scheduling::CoreState;
use super::cpu::Cpu;
use super::events::{Event, EventQueue};
use super::higher::is_higher;
use super::objects::ObjectStates;
use super::placement::Placing;
use super::random::Random;
use super::statistics::Statistics;
use super::task::Task;
use super::topology::Topology;
use super::{Core, RequestPath};
use crate::fair::{Entity, Fair, FairClass, Vtime};
use crate::input::{Birth, GroupId, Input, Step, TaskSpec};
use crate::kernel::rules::Rules;
use crate::output::Counters;

impl<C: FairClass> Core<C> {
    pub(super) fn new(input: Input) -> Self {
        let tick_ns = input.machine.tick_ns();
        let rules = Rules::new(&input.kernel, tick_ns);
        let topology = Topology::new(&input.machine);
        let cpus = topology.cpus();
        let new_cpu = |cpu: u32| {
            let phase = input.machine.tick_phase_ns(cpu);
            Cpu::new(tick_ns + phase, input.machine.capacity(cpu), balance::domain_states(&topology, cpu))
        };
        let mut core = Self {
            fair: Fair::new(rules, cpus as u32, input.groups.len() as u32),
            cpus: (0..cpus as u32).map(new_cpu).collect(),
            tasks: Vec::with_capacity(input.tasks.len()),
            agenda: Agenda::new(cpus),
            events: EventQueue::default(),
            objects: ObjectStates::new(&input.objects),
            placing: Placing::new(&topology),
            balancing: Balancing::new(&topology, input.seed),
            core: CoreState::new(&topology, input.kernel.core_scheduling()),
            statistics: Statistics::new(cpus, input.objects.operations, input.record_budget),
            books: Books::new(&topology),
            now: 0,
            tick_ns,
            many: cpus > 1,
            has_periods: false,
            steps_at_now: 0,
            warm: input.warmup_ns == 0,
            counters_before: vec![Counters::default(); cpus],
            forked: input.templates.iter().map(|template| template.first_number).collect(),
            exited: vec![Vec::new(); input.templates.len()],
            touched: Vec::new(),
            request_path: RequestPath::Direct,
            latency: Random::new(input.seed, 0x6c61_7465),
            total_events: 0,
            last_decision: None,
            observed: None,
            topology: Arc::new(topology),
            input: Arc::new(input),
        };
        core.prepare_cpus();
        core.make_groups();
        for index in 0..core.input.tasks.len() {
            let spec = core.input.tasks[index].clone();
            let task = core.add_task(&spec);
            let event = match spec.birth {
                Birth::Fork => Event::Fork(task),
                Birth::Wake => Event::Wake(task),
            };
            core.events.push(spec.start_ns, event);
        }
        for (index, event) in core.input.events.iter().enumerate() {
            core.events.push(event.at_ns, Event::Outside(index as u32));
        }
        for cpu in 0..cpus as u32 {
            core.enter_idle(cpu);
            core.refresh(cpu);
        }
        core
    }

    /// A copy that makes the same decisions and keeps no books.
    pub(super) fn bare_copy(&self) -> Self {
        let mut books = self.books.clone();
        books.mute();
        Self {
            input: self.input.clone(),
            topology: self.topology.clone(),
            fair: self.fair.clone(),
            cpus: self.cpus.clone(),
            tasks: self.tasks.clone(),
            agenda: self.agenda.clone(),
            events: self.events.clone(),
            objects: self.objects.clone(),
            placing: self.placing.clone(),
            balancing: self.balancing.clone(),
            core: self.core.clone(),
            statistics: Statistics::muted(),
            books,
            counters_before: self.counters_before.clone(),
            forked: self.forked.clone(),
            exited: self.exited.clone(),
            touched: self.touched.clone(),
            observed: None,
            ..*self
        }
    }

    fn prepare_cpus(&mut self) {
        use crate::kernel::CoreScheduling::{RfcV4, RfcV4CookieMatch};
        self.core.enable_for(&self.input);
        if self.core.is_on() && matches!(self.core.kind, RfcV4 | RfcV4CookieMatch) {
            self.fair.leaders = self.topology.siblings.iter().map(|siblings| siblings[0]).collect();
        }
        let mut specs = self.input.tasks.iter().chain(self.input.templates.iter().map(|template| &template.spec));
        self.placing.any_affinity = specs.any(|spec| {
            spec.cpus.is_some() || spec.program.steps.iter().any(|step| matches!(step, Step::Affinity(Some(_))))
        });
    }

    fn make_groups(&mut self) {
        for index in 0..self.input.groups.len() {
            let spec = self.input.groups[index].clone();
            let group = GroupId(index as u32);
            self.fair.add_group(group, spec.parent);
            self.fair.set_group_latency_nice(group, spec.latency_nice);
            if spec.idle {
                self.fair.write_idle(group, true);
            } else {
                self.fair.write_weight(group, spec.weight);
            }
            if let Some(max) = spec.max {
                self.fair.prepare_bandwidth(group, max.phase_ns);
                self.fair.write_max(group, Some(max.quota_ns), max.period_ns, max.burst_ns);
                self.has_periods = true;
            }
        }
    }

    pub(super) fn add_task(&mut self, spec: &TaskSpec) -> u32 {
        let index = self.tasks.len() as u32;
        let queue = self.fair.at(spec.previous_cpu).queue_of(spec.group);
        let entity = Entity::task(index, spec.policy, spec.nice, queue);
        let e = self.fair.add_task(entity, spec.slice_ns, spec.latency_nice);
        if spec.birth == Birth::Wake {
            // It ran long before the start: any credit for sleeping is what it starts with.
            self.fair.node[e].vruntime = Vtime::QUEUE_START.moved(-1_000_000_000);
        }
        self.placing.any_higher |= is_higher(spec.policy);
        let random = Random::new(self.input.seed, spec.identity);
        self.tasks.push(Task::new(spec, e, random, self.input.objects.operations));
        self.statistics.add_task(spec.name.clone());
        index
    }

    /// A new task in the place of one that has exited. Its results are added to that one's.
    pub(super) fn replace_task(&mut self, place: u32, spec: &TaskSpec) {
        let e = self.tasks[place as usize].entity;
        let queue = self.fair.at(spec.previous_cpu).queue_of(spec.group);
        let entity = Entity::task(place, spec.policy, spec.nice, queue);
        self.fair.replace_task(e, entity, spec.slice_ns, spec.latency_nice);
        let random = Random::new(self.input.seed, spec.identity);
        self.tasks[place as usize] = Task::new(spec, e, random, self.input.objects.operations);
        self.statistics.replace_task(place);
    }
}
