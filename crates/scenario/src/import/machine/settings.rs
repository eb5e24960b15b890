//! Flags, tunables, preemption model and tick of a machine, from the files that show them.
//! Not for its CPUs: that is `topology`.

use std::collections::BTreeMap;

use schedlab_sim::kernel::{Feature, Kernel, PreemptionModel, Release, Tunable};

use crate::document::{HZ, Scenario};

use super::MachineReport;

/// Settings that the kernel has and the model has not, with what becomes of them.
const NOT_MODELLED: [(&str, &str); 14] = [
    ("nr_migrate", "how many tasks a balance may move is the release's own"),
    ("tunable_scaling", "tunables are taken as they are, already scaled"),
    ("latency_warn_ms", "it changes no decision"),
    ("latency_warn_once", "it changes no decision"),
    ("verbose", "it changes no decision"),
    ("sched_autogroup_enabled", "sessions' groups are not in the files; tasks are in the root group"),
    ("sched_cfs_bandwidth_slice_us", "the release's own is taken"),
    ("sched_child_runs_first", "it is not modelled"),
    ("sched_rt_period_us", "real-time throttling is not modelled"),
    ("sched_rt_runtime_us", "real-time throttling is not modelled"),
    ("sched_rr_timeslice_ms", "the release's own is taken"),
    ("sched_schedstats", "it changes no decision"),
    ("sched_energy_aware", "energy-aware placement is not modelled"),
    ("sched_deadline_period", "deadline limits are not modelled"),
];

/// Settings that were found.
pub(super) struct Settings<'r> {
    kernel: Kernel,
    report: &'r mut MachineReport,
    features: BTreeMap<Feature, bool>,
    tunables: BTreeMap<Tunable, u64>,
    preempt: Option<PreemptionModel>,
    hz: Option<u32>,
    nosmt: bool,
}

impl<'r> Settings<'r> {
    /// Settings for a release on so many CPUs; what is odd goes to the report.
    pub fn new(release: Release, cpus: u32, report: &'r mut MachineReport) -> Self {
        Self {
            kernel: Kernel::new(release, cpus),
            report,
            features: BTreeMap::new(),
            tunables: BTreeMap::new(),
            preempt: None,
            hz: None,
            nosmt: false,
        }
    }

    /// A file of debugfs with one number: its name is the tunable's.
    pub fn number(&mut self, file: &str, text: &str) {
        let base = file.rsplit('/').next().unwrap_or(file);
        match text.trim().parse() {
            Ok(value) => self.tunable(file, base, value),
            Err(_) => self.report.not_used(file, "no number"),
        }
    }

    /// `sysctl kernel.sched_*`: `kernel.sched_latency_ns = 24000000`.
    pub fn sysctl(&mut self, file: &str, text: &str) {
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else {
                if !line.trim().is_empty() {
                    self.report.not_used(file, format!("{:?} is no setting", shortened(line)));
                }
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            let Some(name) = key.strip_prefix("kernel.").filter(|name| name.starts_with("sched_")) else { continue };
            match value.parse::<u64>() {
                Ok(value) => self.tunable(file, name, value),
                Err(_) => self.report.not_used(file, format!("{key}: {:?} is no number", shortened(value))),
            }
        }
    }

    /// The scheduler's `debug` file: `.sysctl_sched_base_slice : 3.000000`, milliseconds.
    pub fn debug(&mut self, file: &str, text: &str) {
        for line in text.lines() {
            let Some(rest) = line.trim().strip_prefix(".sysctl_sched_") else { continue };
            let Some((name, value)) = rest.split_once(':') else { continue };
            let (name, value) = (name.trim(), value.trim());
            let Some(tunable) = Tunable::parse(&format!("{name}_ns")) else { continue };
            match value.parse::<f64>() {
                Ok(ms) if (0.0..1e6).contains(&ms) => {
                    // A file of the tunable's own is exact and goes before.
                    if !self.tunables.contains_key(&tunable) {
                        self.tunable(file, &format!("{name}_ns"), (ms * 1e6).round() as u64);
                    }
                }
                _ => self.report.not_used(file, format!("{name}: {:?} is no time in ms", shortened(value))),
            }
        }
    }

    fn tunable(&mut self, file: &str, name: &str, value: u64) {
        let Some(tunable) = Tunable::parse(name.strip_prefix("sched_").unwrap_or(name)) else {
            let why = NOT_MODELLED.iter().find(|(known, _)| name.starts_with(known)).map(|(_, why)| *why);
            return self.report.not_used(file, format!("{name} = {value}: {}", why.unwrap_or("not known")));
        };
        let default = self.kernel.tunable(tunable);
        match self.kernel.set_tunable(tunable, value) {
            Err(error) => self.report.not_used(file, format!("{name} = {value}: {error}")),
            Ok(()) => {
                let own = if value == default { " (the release's own)" } else { "" };
                self.report.used(file, format!("{name} = {value}{own}"));
                self.tunables.insert(tunable, value);
            }
        }
    }

    /// The `features` file: `PLACE_LAG NO_HRTICK …`.
    pub fn features(&mut self, file: &str, text: &str) {
        let (mut own, mut changed, mut absent, mut unknown) = (0, Vec::new(), Vec::new(), Vec::new());
        for word in text.split_whitespace() {
            let (name, on) = word.strip_prefix("NO_").map_or((word, true), |name| (name, false));
            // Some flags' own names begin with NO_.
            let (feature, on) = match (Feature::parse(word), Feature::parse(name)) {
                (Some(feature), _) => (feature, true),
                (None, Some(feature)) => (feature, on),
                (None, None) => {
                    unknown.push(shortened(word));
                    continue;
                }
            };
            match feature.default_in(self.kernel.release()) {
                None => absent.push(shortened(word)),
                Some(default) if default == on => own += 1,
                Some(_) => {
                    changed.push(word);
                    self.features.insert(feature, on);
                }
            }
        }
        if !changed.is_empty() {
            self.report.used(file, changed.join(" "));
        }
        if own > 0 {
            self.report.used(file, format!("{own} flags as the release has them"));
        }
        let release = self.kernel.release().name();
        if !absent.is_empty() {
            self.report.not_used(file, format!("{release} has no {}", absent.join(" ")));
        }
        if !unknown.is_empty() {
            let more = unknown.len().saturating_sub(20);
            unknown.truncate(20);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            self.report.not_used(file, format!("not known: {}{more}", unknown.join(" ")));
        }
    }

    /// The `preempt` file: `none voluntary (full) lazy`, the one in force in brackets.
    pub fn preempt(&mut self, file: &str, text: &str) {
        let in_force = text.split_whitespace().find_map(|word| word.strip_prefix('(')?.strip_suffix(')'));
        match in_force {
            Some(name) => self.preemption_model(file, name),
            None => self.report.not_used(file, "expected the model in force in brackets: none voluntary (full)"),
        }
    }

    fn preemption_model(&mut self, file: &str, name: &str) {
        let Some(model) = PreemptionModel::ALL.into_iter().find(|model| model.name() == name) else {
            return self.report.not_used(file, format!("preemption model {:?} is not known", shortened(name)));
        };
        match self.kernel.set_preemption(model) {
            Ok(()) => {
                self.report.used(file, format!("preemption model {name}"));
                self.preempt = Some(model);
            }
            Err(error) => self.report.not_used(file, error.to_string()),
        }
    }

    /// The kernel's configuration: the tick, and the preemption model where no file says more.
    pub fn config(&mut self, file: &str, text: &str) {
        let value = |key: &str| text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='));
        if let Some(hz) = value("CONFIG_HZ") {
            match hz.parse().ok().filter(|hz| HZ.contains(hz)) {
                Some(hz) => {
                    self.hz = Some(hz);
                    self.report.used(file, format!("CONFIG_HZ={hz}"));
                }
                None => self
                    .report
                    .not_used(file, format!("CONFIG_HZ={}: 100, 250, 300 and 1000 are modelled", shortened(hz))),
            }
        }
        if self.preempt.is_none() {
            let models = [
                ("CONFIG_PREEMPT_NONE", "none"),
                ("CONFIG_PREEMPT_VOLUNTARY", "voluntary"),
                ("CONFIG_PREEMPT", "full"),
                ("CONFIG_PREEMPT_LAZY", "lazy"),
            ];
            if let Some((key, name)) = models.into_iter().find(|(key, _)| value(key) == Some("y")) {
                self.preemption_model(&format!("{file}, {key}"), name);
            }
        }
    }

    /// The kernel's command line: `nosmt` and `preempt=`.
    pub fn command_line(&mut self, file: &str, text: &str) {
        for word in text.split_whitespace() {
            if word == "nosmt" || word == "nosmt=force" {
                self.nosmt = true;
                self.report.used(file, word);
            } else if let Some(name) = word.strip_prefix("preempt=") {
                self.preemption_model(file, name);
            }
        }
    }

    /// Puts into the scenario what differs from the release's own; gives the ticks a second, if known.
    pub fn apply(self, scenario: &mut Scenario) -> Option<u32> {
        let cpus = u32::try_from(scenario.machine.cpus()).unwrap_or(u32::MAX);
        let defaults = Kernel::new(self.kernel.release(), cpus);
        let changed = self.tunables.into_iter().filter(|(tunable, value)| defaults.tunable(*tunable) != *value);
        scenario.kernel.tunables = changed.collect();
        scenario.kernel.features = self.features;
        scenario.kernel.preempt = self.preempt;
        scenario.kernel.nosmt = self.nosmt;
        match self.hz {
            Some(hz) => scenario.machine.hz = hz,
            None => self.report.not_used("", "the tick is in no file (CONFIG_HZ is in the kernel's configuration)"),
        }
        self.hz
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
