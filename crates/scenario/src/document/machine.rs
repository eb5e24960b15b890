//! The `machine` of a document. Not for what the engine models of it: [`crate::compile`] decides.

use crate::json::{Kind, Value};
use crate::problem::Problem;
use crate::read::{Fields, Node};

/// The most CPUs a document may describe.
pub const MOST_CPUS: u64 = 1024;
/// The most that a cost may be, nanoseconds: one second.
const MOST_COST_NS: u64 = 1_000_000_000;

/// The machine of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// NUMA nodes.
    pub nodes: u32,
    /// Last-level caches a node.
    pub llcs_per_node: u32,
    /// Cores a last-level cache.
    pub cores_per_llc: u32,
    /// Hardware threads a core.
    pub threads_per_core: u32,
    /// Ticks a second: 100, 250, 300 or 1000.
    pub hz: u32,
    /// How the ticks of different CPUs lie.
    pub tick: Tick,
    /// Speed of a hardware thread while its sibling is busy, per mille of full speed.
    pub smt_speed: Option<u32>,
    /// What a context switch costs, nanoseconds.
    pub context_switch_ns: u64,
    /// From a wake-up to the preemption check it makes, nanoseconds.
    pub wakeup_ns: u64,
    /// What each `run` step costs beyond the work asked for, nanoseconds.
    pub run_step_ns: u64,
    /// How much longer than asked each sleep lasts, nanoseconds.
    pub sleep_ns: u64,
    /// What a change of CPU costs, nanoseconds.
    pub migration_ns: Option<u64>,
    /// The cache model, kept as written.
    pub cache: Option<Value>,
}

/// How the ticks of the CPUs lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tick {
    /// Spread over the tick, as on most machines.
    #[default]
    Staggered,
    /// All at once.
    Aligned,
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
            hz: 1000,
            tick: Tick::default(),
            smt_speed: None,
            context_switch_ns: 0,
            wakeup_ns: 0,
            run_step_ns: 0,
            sleep_ns: 0,
            migration_ns: None,
            cache: None,
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
        machine.smt_speed =
            fields.take("smt_speed", out).and_then(|node| node.unsigned32("a speed per mille", 1..=1000, out));
        let costs: [(&'static str, &mut u64); 4] = [
            ("context_switch_ns", &mut machine.context_switch_ns),
            ("wakeup_ns", &mut machine.wakeup_ns),
            ("run_step_ns", &mut machine.run_step_ns),
            ("sleep_ns", &mut machine.sleep_ns),
        ];
        for (key, cost) in costs {
            if let Some(node) = fields.take(key, out) {
                *cost = node.unsigned("a whole number of ns", 0..=MOST_COST_NS, out).unwrap_or(0);
            }
        }
        machine.migration_ns = fields
            .take("migration_ns", out)
            .and_then(|node| node.unsigned("a whole number of ns", 0..=MOST_COST_NS, out));
        if let Some(node) = fields.take("cache", out)
            && node.members("an object", out).is_some()
        {
            machine.cache = Some(node.value.clone().without_places());
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
            Tick::Staggered => {}
            Tick::Aligned => object.push("tick", "aligned"),
            Tick::Phases(phases) => object.push("tick", phases.clone()),
        }
        if let Some(speed) = self.smt_speed {
            object.push("smt_speed", speed);
        }
        let costs = [
            ("context_switch_ns", self.context_switch_ns),
            ("wakeup_ns", self.wakeup_ns),
            ("run_step_ns", self.run_step_ns),
            ("sleep_ns", self.sleep_ns),
        ];
        for (key, cost) in costs.into_iter().filter(|&(_, cost)| cost != 0) {
            object.push(key, cost);
        }
        if let Some(cost) = self.migration_ns {
            object.push("migration_ns", cost);
        }
        if let Some(cache) = &self.cache {
            object.push("cache", cache.clone());
        }
        object
    }
}

impl Tick {
    fn read(node: &Node<'_>, tick_ns: u64, out: &mut Vec<Problem>) -> Self {
        if !matches!(node.value.kind, Kind::List(_)) {
            let names = [("staggered", 0_u8), ("aligned", 1)];
            return match node.one_of("way for ticks to lie", &names, out) {
                Some(1) => Self::Aligned,
                _ => Self::Staggered,
            };
        }
        let phases = node.items("a list", out).unwrap_or_default();
        let most = tick_ns.saturating_sub(1);
        Self::Phases(phases.iter().filter_map(|item| item.unsigned("a phase in ns", 0..=most, out)).collect())
    }
}
