//! A machine's own settings, as people can copy them from it, as the machine and kernel of a scenario:
//! `lscpu -J`, the scheduler's debugfs files, `sysctl kernel.sched_*`, `/proc/schedstat`, `uname -r`,
//! the kernel's configuration and command line.
//! Not for a workload: the scenario gets CPU-bound tasks to begin with.
//!
//! ```
//! use schedlab_scenario::import::machine::{MachineFiles, import};
//!
//! let mut files = MachineFiles::default();
//! files.add("version", "6.12.34-generic\n");
//! files.add("sched/base_slice_ns", "2800000\n");
//! files.add("sched/features", "PLACE_LAG NO_RUN_TO_PARITY\n");
//! let imported = import(&files, None)?;
//! assert_eq!(imported.report.release, "6.12");
//! assert_eq!(imported.scenario.kernel.tunables.len(), 1);
//! assert_eq!(imported.scenario.kernel.features.len(), 1);
//! # Ok::<(), schedlab_scenario::import::machine::MachineError>(())
//! ```

mod release;
mod settings;
mod topology;

use std::collections::BTreeMap;
use std::fmt;

use schedlab_sim::kernel::Release;
use serde::{Deserialize, Serialize};

use crate::document::{Machine, Scenario};
use crate::workload::{Action, Amount, Event, Task, Workload};

pub use release::{Version, nearest};

/// Why settings give no machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// There are no files.
    #[error(
        "there are no files; expected what was copied from a machine: lscpu -J, debugfs sched/, sysctl, /proc/schedstat, uname -r"
    )]
    Empty,
    /// Nothing of it is known.
    #[error(
        "none of the {files} files is one that is known ({names}); expected lscpu -J, debugfs sched/ files \
         (base_slice_ns, features, …), sysctl kernel.sched_*, /proc/schedstat, uname -r"
    )]
    Nothing {
        /// How many files there are.
        files: usize,
        /// The names of the first ones.
        names: String,
    },
}

/// The files of a folder, by their names in it.
#[derive(Clone, Debug, Default)]
pub struct MachineFiles {
    files: BTreeMap<String, String>,
}

impl MachineFiles {
    /// Adds a file; folders in its name end in `/`.
    pub fn add(&mut self, name: &str, text: &str) {
        self.files.insert(name.to_owned(), text.to_owned());
    }
}

/// What was imported.
#[derive(Clone, Debug)]
pub struct ImportedMachine {
    /// A scenario with this machine and kernel.
    pub scenario: Scenario,
    /// Ticks a second, where a file tells of them.
    pub hz: Option<u32>,
    /// What was used, and what not.
    pub report: MachineReport,
}

/// What an import of settings used, and what not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineReport {
    /// The release of the scenario.
    pub release: String,
    /// Why it is that one.
    pub release_because: String,
    /// The machine, in words.
    pub machine: String,
    /// What was used.
    pub used: Vec<Setting>,
    /// What has no effect, or could not be understood.
    pub not_used: Vec<Setting>,
}

/// A setting and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The file it stands in; empty: none.
    pub file: String,
    /// What it is and what became of it.
    pub what: String,
}

impl ImportedMachine {
    /// Gives a scenario this kernel, and this machine where it has as many CPUs; what it tells of costs
    /// and of where ticks lie stays. In words, what does not fit.
    pub fn apply_to(&self, scenario: &mut Scenario) -> Option<String> {
        let (own, other) = (&self.scenario.machine, &mut scenario.machine);
        scenario.kernel = self.scenario.kernel.clone();
        if let Some(hz) = self.hz.filter(|hz| *hz != other.hz) {
            (other.hz, other.tick) = (hz, own.tick.clone());
        }
        if own.cpus() != other.cpus() {
            return Some(format!(
                "the machine has {} CPUs and the trace {}: its topology is not used",
                own.cpus(),
                other.cpus()
            ));
        }
        (other.nodes, other.llcs_per_node) = (own.nodes, own.llcs_per_node);
        (other.cores_per_llc, other.threads_per_core) = (own.cores_per_llc, own.threads_per_core);
        other.sibling_numbering = own.sibling_numbering;
        None
    }
}

impl MachineReport {
    fn used(&mut self, file: &str, what: impl Into<String>) {
        self.used.push(Setting { file: file.to_owned(), what: what.into() });
    }

    fn not_used(&mut self, file: &str, what: impl Into<String>) {
        self.not_used.push(Setting { file: file.to_owned(), what: what.into() });
    }
}

impl fmt::Display for MachineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "release {}: {}", self.release, self.release_because)?;
        writeln!(f, "machine: {}", self.machine)?;
        for (title, settings) in [("used", &self.used), ("not used", &self.not_used)] {
            if !settings.is_empty() {
                writeln!(f, "{title}:")?;
                for setting in settings {
                    let file = if setting.file.is_empty() { String::new() } else { format!("{}: ", setting.file) };
                    writeln!(f, "  {file}{}", setting.what)?;
                }
            }
        }
        Ok(())
    }
}

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lscpu,
    Schedstat,
    Sysctl,
    Features,
    Preempt,
    Version,
    Config,
    CommandLine,
    DomainName,
    /// A file of debugfs with one number.
    Number,
    Debug,
    /// What debugfs says of domains beside their names: it follows from the release.
    Passed,
    Unknown,
}

/// Tells a file by its name in debugfs, or by what it holds: people name copies as they like.
fn kind(name: &str, text: &str) -> Kind {
    let base = name.rsplit('/').next().unwrap_or(name);
    let text = text.trim();
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    if text.starts_with('{') && (text.contains("\"lscpu\"") || text.contains("\"cpus\"")) {
        return Kind::Lscpu;
    }
    if text.starts_with("version ") && text.lines().nth(1).is_some_and(|line| line.starts_with("timestamp ")) {
        return Kind::Schedstat;
    }
    if name.contains("domains/") {
        return if base == "name" { Kind::DomainName } else { Kind::Passed };
    }
    if text.starts_with("Sched Debug Version") {
        return Kind::Debug;
    }
    match base {
        "features" => return Kind::Features,
        "preempt" => return Kind::Preempt,
        "cmdline" => return Kind::CommandLine,
        _ => {}
    }
    if lines().next().is_some_and(|line| line.starts_with("kernel.") && line.contains('=')) {
        return Kind::Sysctl;
    }
    if text.contains("CONFIG_HZ=") {
        return Kind::Config;
    }
    if Version::find(text).is_some() && lines().count() == 1 {
        return Kind::Version;
    }
    if text.parse::<u64>().is_ok() {
        return Kind::Number;
    }
    Kind::Unknown
}

/// Makes a scenario of a machine's settings; `release` goes before what the files say.
///
/// # Errors
/// [`MachineError`] when no file is one that is known.
pub fn import(files: &MachineFiles, release: Option<Release>) -> Result<ImportedMachine, MachineError> {
    if files.files.is_empty() {
        return Err(MachineError::Empty);
    }
    let known: Vec<(Kind, &str, &str)> =
        files.files.iter().map(|(name, text)| (kind(name, text), name.as_str(), text.as_str())).collect();
    if known.iter().all(|(kind, ..)| matches!(kind, Kind::Unknown | Kind::Passed)) {
        let names: Vec<&str> = files.files.keys().take(5).map(String::as_str).collect();
        return Err(MachineError::Nothing { files: files.files.len(), names: names.join(", ") });
    }
    let of_kind =
        |wanted: Kind| known.iter().filter(move |(kind, ..)| *kind == wanted).map(|(_, name, text)| (*name, *text));
    let mut report = MachineReport::default();
    let mut scenario = Scenario { title: "Imported machine".to_owned(), ..Scenario::default() };
    scenario.machine =
        topology::machine(of_kind(Kind::Lscpu), of_kind(Kind::Schedstat), of_kind(Kind::DomainName), &mut report);
    scenario.kernel.release = the_release(release, &known, &mut report);
    let cpus = u32::try_from(scenario.machine.cpus()).unwrap_or(u32::MAX);
    let mut settings = settings::Settings::new(scenario.kernel.release, cpus, &mut report);
    for (name, text) in of_kind(Kind::Number) {
        settings.number(name, text);
    }
    for (name, text) in of_kind(Kind::Sysctl) {
        settings.sysctl(name, text);
    }
    for (name, text) in of_kind(Kind::Debug) {
        settings.debug(name, text);
    }
    for (name, text) in of_kind(Kind::Features) {
        settings.features(name, text);
    }
    for (name, text) in of_kind(Kind::Preempt) {
        settings.preempt(name, text);
    }
    for (name, text) in of_kind(Kind::Config) {
        settings.config(name, text);
    }
    for (name, text) in of_kind(Kind::CommandLine) {
        settings.command_line(name, text);
    }
    let hz = settings.apply(&mut scenario);
    for (name, _) in of_kind(Kind::Unknown) {
        report.not_used(name, "not known");
    }
    report.machine = words(&scenario.machine);
    scenario.workload = beginning(cpus);
    Ok(ImportedMachine { scenario, hz, report })
}

/// The release asked for, or the nearest to the one that the files tell of.
fn the_release(release: Option<Release>, known: &[(Kind, &str, &str)], report: &mut MachineReport) -> Release {
    let sources = || known.iter().filter(|(kind, ..)| matches!(kind, Kind::Version | Kind::Debug));
    let found = sources().find_map(|(_, name, text)| Version::find(text).map(|version| (*name, version)));
    let (release, because) = match (release, found) {
        (Some(release), Some((_, version))) => (release, format!("as asked for; the machine has {version}")),
        (Some(release), None) => (release, "as asked for".to_owned()),
        (None, Some((_, version))) => {
            let (release, exact) = nearest(version);
            let because = if exact {
                format!("the machine has {version}")
            } else {
                format!("the nearest to the machine's {version} that is modelled: results may differ from its own")
            };
            (release, because)
        }
        (None, None) => (Release::V6_12, "no file tells of the machine's release: the usual one".to_owned()),
    };
    if let Some((name, version)) = found {
        report.used(name, format!("kernel {version}"));
    }
    (report.release, report.release_because) = (release.name().to_owned(), because);
    release
}

/// A number of things in words.
fn count(number: u32, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// A machine in words.
fn words(machine: &Machine) -> String {
    format!(
        "{}: {}, {} a node, {} a cache, {} a core, {} Hz",
        count(u32::try_from(machine.cpus()).unwrap_or(u32::MAX), "CPU"),
        count(machine.nodes, "node"),
        count(machine.llcs_per_node, "last-level cache"),
        count(machine.cores_per_llc, "core"),
        count(machine.threads_per_core, "thread"),
        machine.hz
    )
}

/// Something to run at first: one task more than there are CPUs.
fn beginning(cpus: u32) -> Workload {
    let run = Event { key: "run".to_owned(), action: Action::Run(Amount::Fixed(10_000)) };
    let most = u32::try_from(schedlab_sim::MAX_TASKS).unwrap_or(u32::MAX);
    let task = Task { instances: cpus.saturating_add(1).min(most), ..Task::new("hog", vec![run]) };
    Workload { tasks: vec![task], ..Workload::default() }
}

#[cfg(test)]
mod tests;
