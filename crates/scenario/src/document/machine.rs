//! The `machine` of a document. Not for what the engine models of it: [`crate::compile`] decides.

use schedlab_sim::{Cache, SiblingNumbering};

use crate::json::{Kind, Value};
use crate::problem::Problem;
use crate::read::{Fields, Node};

/// The most CPUs a document may describe.
pub const MOST_CPUS: u64 = 1024;
/// The most that a cost may be, nanoseconds: one second.
const MOST_COST_NS: u64 = 1_000_000_000;

/// The fastest CPU's capacity.
const FULL_CAPACITY: u32 = 1024;
/// Full speed, per mille.
const FULL_SPEED: u32 = 1000;
/// The largest cache, KiB: a terabyte.
const MOST_CACHE_KIB: u64 = 1 << 30;
/// The slowest loading: 1 MB/s or so.
const MOST_NS_PER_KIB: u64 = 1_000_000;

/// The machine of a scenario. A node holds LLCs, an LLC cores, a core hardware threads; every
/// hardware thread is a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// NUMA nodes.
    pub nodes: u32,
    /// Last-level caches a node.
    pub llcs_per_node: u32,
    /// Cores a last-level cache.
    pub cores_per_llc: u32,
    /// Hardware threads a core.
    pub threads_per_core: u32,
    /// `"split"`: CPUs are numbered by the first threads of all cores, then the second ones;
    /// `"adjacent"`: the threads of a core follow each other.
    pub sibling_numbering: SiblingNumbering,
    /// Ticks a second: 100, 250, 300 or 1000.
    pub hz: u32,
    /// How the ticks of different CPUs lie.
    pub tick: Tick,
    /// The capacity of each CPU, 1 to 1024; empty: all 1024. It says how fast `run` work goes, and
    /// changes no decision.
    pub capacities: Vec<u32>,
    /// Speed of a hardware thread while a sibling is busy, 1 to 1000 per mille of full speed.
    pub smt_speed: u32,
    /// What a context switch costs, nanoseconds.
    pub context_switch_ns: u64,
    /// From a wake-up's preemption check to the switch it asks for, nanoseconds.
    pub wakeup_ns: u64,
    /// From a tick's or a slice timer's request to the switch, nanoseconds.
    pub reschedule_ns: u64,
    /// How much longer these two take at most, at random, nanoseconds.
    pub jitter_ns: u64,
    /// What each `run` step costs beyond the work asked for, nanoseconds.
    pub run_step_ns: u64,
    /// How much longer than asked each sleep lasts, nanoseconds.
    pub sleep_ns: u64,
    /// What the first run after a change of CPU costs, nanoseconds.
    pub migration_ns: u64,
    /// What a core-wide pick costs the CPU that makes it, nanoseconds.
    pub core_pick_ns: u64,
    /// What a newly-idle balance is taken to cost for each CPU it looks at, nanoseconds: it decides
    /// whether one is worth while, and passes no time.
    pub newidle_cost_per_cpu_ns: u64,
    /// The speed of `mem` and `memrun` events in a core's own cache, nanoseconds a KiB.
    pub mem_ns_per_kib: u64,
    /// The speed of `iorun` events, nanoseconds a KiB.
    pub io_ns_per_kib: u64,
    /// Sizes of the caches, and what loading costs: a task that comes in loads what others have
    /// displaced of its `working_set_kib`.
    pub cache: Cache,
}

/// How the ticks of the CPUs lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tick {
    /// All at once, as Linux has them unless it is booted with skew_tick=1.
    #[default]
    Aligned,
    /// CPU i of n ticks i/n of a tick later than CPU 0.
    Staggered,
    /// The phase of each CPU's tick, nanoseconds.
    Phases(Vec<u64>),
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            nodes: 1,
            llcs_per_node: 1,
            cores_per_llc: 1,
            threads_per_core: 1,
            sibling_numbering: SiblingNumbering::Split,
            hz: 1000,
            tick: Tick::default(),
            capacities: Vec::new(),
            smt_speed: FULL_SPEED,
            context_switch_ns: 0,
            wakeup_ns: 0,
            reschedule_ns: 0,
            jitter_ns: 0,
            run_step_ns: 0,
            sleep_ns: 0,
            migration_ns: 0,
            core_pick_ns: 0,
            newidle_cost_per_cpu_ns: 200,
            mem_ns_per_kib: 100,
            io_ns_per_kib: 500,
            cache: Cache::FREE,
        }
    }
}

/// The tick frequencies that Linux offers.
pub const HZ: [u32; 4] = [100, 250, 300, 1000];

impl Machine {
    /// How many CPUs there are.
    #[must_use]
    pub fn cpus(&self) -> u64 {
        [self.nodes, self.llcs_per_node, self.cores_per_llc, self.threads_per_core]
            .into_iter()
            .fold(1_u64, |product, count| product.saturating_mul(u64::from(count)))
    }

    /// The length of a tick, nanoseconds.
    #[must_use]
    pub fn tick_ns(&self) -> u64 {
        schedlab_sim::Machine::ideal(self.hz.max(1)).tick_ns()
    }

    pub(crate) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut machine = Self::default();
        let Some(mut fields) = Fields::of(node, "machine", out) else { return machine };
        let counts: [(&'static str, &mut u32); 4] = [
            ("nodes", &mut machine.nodes),
            ("llcs_per_node", &mut machine.llcs_per_node),
            ("cores_per_llc", &mut machine.cores_per_llc),
            ("threads_per_core", &mut machine.threads_per_core),
        ];
        for (key, count) in counts {
            if let Some(node) = fields.take(key, out) {
                *count = node.unsigned32("a count", 1..=1024, out).unwrap_or(1);
            }
        }
        if let Some(node) = fields.take("hz", out) {
            match node.integer("the ticks a second", 1..=10_000, out).map(u32::try_from) {
                Some(Ok(hz)) if HZ.contains(&hz) => machine.hz = hz,
                Some(_) => {
                    out.push(node.error(format!("expected 100, 250, 300 or 1000, not {}", node.value.describe())));
                }
                None => {}
            }
        }
        if let Some(node) = fields.take("tick", out) {
            machine.tick = Tick::read(&node, machine.tick_ns(), out);
        }
        if let Some(node) = fields.take("sibling_numbering", out) {
            machine.sibling_numbering = node.one_of("numbering of siblings", &NUMBERINGS, out).unwrap_or_default();
        }
        if let Some(node) = fields.take("capacities", out) {
            let items = node.items("a list of capacities", out).unwrap_or_default();
            let capacity = |item: &Node<'_>| item.unsigned32("a capacity", 1..=FULL_CAPACITY, out);
            machine.capacities = items.iter().filter_map(capacity).collect();
        }
        if let Some(node) = fields.take("smt_speed", out) {
            machine.smt_speed = node.unsigned32("a speed per mille", 1..=FULL_SPEED, out).unwrap_or(FULL_SPEED);
        }
        let costs: [(&'static str, &mut u64); 9] = [
            ("context_switch_ns", &mut machine.context_switch_ns),
            ("wakeup_ns", &mut machine.wakeup_ns),
            ("reschedule_ns", &mut machine.reschedule_ns),
            ("jitter_ns", &mut machine.jitter_ns),
            ("run_step_ns", &mut machine.run_step_ns),
            ("sleep_ns", &mut machine.sleep_ns),
            ("migration_ns", &mut machine.migration_ns),
            ("core_pick_ns", &mut machine.core_pick_ns),
            ("newidle_cost_per_cpu_ns", &mut machine.newidle_cost_per_cpu_ns),
        ];
        for (key, cost) in costs {
            if let Some(node) = fields.take(key, out) {
                *cost = node.unsigned("a whole number of ns", 0..=MOST_COST_NS, out).unwrap_or(*cost);
            }
        }
        for (key, speed) in
            [("mem_ns_per_kib", &mut machine.mem_ns_per_kib), ("io_ns_per_kib", &mut machine.io_ns_per_kib)]
        {
            if let Some(node) = fields.take(key, out) {
                *speed = node.unsigned("a whole number of ns", 0..=MOST_NS_PER_KIB, out).unwrap_or(*speed);
            }
        }
        if let Some(node) = fields.take("cache", out) {
            machine.cache = read_cache(&node, out);
        }
        fields.finish(out);
        if machine.cpus() > MOST_CPUS {
            out.push(node.error(format!("{} CPUs are more than {MOST_CPUS}", machine.cpus())));
        }
        machine
    }

    pub(crate) fn write(&self) -> Value {
        let (mut object, default) = (Value::object(), Self::default());
        let counts = [
            ("nodes", self.nodes, default.nodes),
            ("llcs_per_node", self.llcs_per_node, default.llcs_per_node),
            ("cores_per_llc", self.cores_per_llc, default.cores_per_llc),
            ("threads_per_core", self.threads_per_core, default.threads_per_core),
            ("hz", self.hz, default.hz),
        ];
        for (key, count, _) in counts.into_iter().filter(|(_, count, default)| count != default) {
            object.push(key, count);
        }
        match &self.tick {
            Tick::Aligned => {}
            Tick::Staggered => object.push("tick", "staggered"),
            Tick::Phases(phases) => object.push("tick", phases.clone()),
        }
        if self.sibling_numbering != default.sibling_numbering {
            object.push("sibling_numbering", numbering_name(self.sibling_numbering));
        }
        if !self.capacities.is_empty() {
            object.push("capacities", self.capacities.clone());
        }
        if self.smt_speed != default.smt_speed {
            object.push("smt_speed", self.smt_speed);
        }
        let costs = [
            ("context_switch_ns", self.context_switch_ns, default.context_switch_ns),
            ("wakeup_ns", self.wakeup_ns, default.wakeup_ns),
            ("reschedule_ns", self.reschedule_ns, default.reschedule_ns),
            ("jitter_ns", self.jitter_ns, default.jitter_ns),
            ("run_step_ns", self.run_step_ns, default.run_step_ns),
            ("sleep_ns", self.sleep_ns, default.sleep_ns),
            ("migration_ns", self.migration_ns, default.migration_ns),
            ("core_pick_ns", self.core_pick_ns, default.core_pick_ns),
            ("newidle_cost_per_cpu_ns", self.newidle_cost_per_cpu_ns, default.newidle_cost_per_cpu_ns),
            ("mem_ns_per_kib", self.mem_ns_per_kib, default.mem_ns_per_kib),
            ("io_ns_per_kib", self.io_ns_per_kib, default.io_ns_per_kib),
        ];
        for (key, cost, _) in costs.into_iter().filter(|(_, cost, default)| cost != default) {
            object.push(key, cost);
        }
        if self.cache != default.cache {
            object.push("cache", write_cache(&self.cache));
        }
        object
    }
}

impl Tick {
    fn read(node: &Node<'_>, tick_ns: u64, out: &mut Vec<Problem>) -> Self {
        if !matches!(node.value.kind, Kind::List(_)) {
            let names = [("staggered", true), ("aligned", false)];
            return match node.one_of("way for ticks to lie", &names, out) {
                Some(true) => Self::Staggered,
                _ => Self::Aligned,
            };
        }
        let phases = node.items("a list", out).unwrap_or_default();
        let most = tick_ns.saturating_sub(1);
        Self::Phases(phases.iter().filter_map(|item| item.unsigned("a phase in ns", 0..=most, out)).collect())
    }
}

const NUMBERINGS: [(&str, SiblingNumbering); 2] =
    [("split", SiblingNumbering::Split), ("adjacent", SiblingNumbering::Adjacent)];

fn numbering_name(numbering: SiblingNumbering) -> &'static str {
    NUMBERINGS.iter().find(|(_, known)| *known == numbering).map_or("", |(name, _)| name)
}

fn read_cache(node: &Node<'_>, out: &mut Vec<Problem>) -> Cache {
    let mut cache = Cache::FREE;
    let Some(mut fields) = Fields::of(node, "cache", out) else { return cache };
    let parts: [(&'static str, &'static str, &mut u64, u64); 4] = [
        ("core_kib", "a whole number of KiB", &mut cache.core_kib, MOST_CACHE_KIB),
        ("llc_kib", "a whole number of KiB", &mut cache.llc_kib, MOST_CACHE_KIB),
        ("llc_ns_per_kib", "a whole number of ns", &mut cache.llc_ns_per_kib, MOST_NS_PER_KIB),
        ("memory_ns_per_kib", "a whole number of ns", &mut cache.memory_ns_per_kib, MOST_NS_PER_KIB),
    ];
    for (key, what, part, most) in parts {
        if let Some(node) = fields.take(key, out) {
            *part = node.unsigned(what, 0..=most, out).unwrap_or(*part);
        }
    }
    fields.finish(out);
    cache
}

fn write_cache(cache: &Cache) -> Value {
    let (mut object, free) = (Value::object(), Cache::FREE);
    let parts = [
        ("core_kib", cache.core_kib, free.core_kib),
        ("llc_kib", cache.llc_kib, free.llc_kib),
        ("llc_ns_per_kib", cache.llc_ns_per_kib, free.llc_ns_per_kib),
        ("memory_ns_per_kib", cache.memory_ns_per_kib, free.memory_ns_per_kib),
    ];
    for (key, part, _) in parts.into_iter().filter(|(_, part, free)| part != free) {
        object.push(key, part);
    }
    object
}
