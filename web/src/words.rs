//! Words of the page for things of the report and the document: measures, releases, counts.
//! Not for numbers: `schedlab_view::format` has those.

use schedlab_report::{Change, Group, Row, Unit};
use schedlab_sim::kernel::{CoreScheduling, PreemptionModel, Release};
use schedlab_view::format;

/// `1 variant`, `2 variants`.
#[must_use]
pub fn variants(count: usize) -> String {
    if count == 1 { "1 variant".to_owned() } else { format!("{count} variants") }
}

/// A release with its class: `6.12 EEVDF`.
#[must_use]
pub fn release(release: Release) -> String {
    format!("{} {}", release.name(), release.class().name())
}

/// Where the page's own copy of `docs/model.md` has a section such as `§4.5` or
/// `current-kernels §2.5`. Hosts that render Markdown go to the anchor, browsers that show the text
/// as it is to the heading's words.
#[must_use]
pub fn model_link(section: &str) -> String {
    let (part, number) = section.split_once('§').unwrap_or(("", section));
    let anchor = if part.is_empty() { format!("s{number}") } else { format!("{}-{number}", part.trim_end()) };
    let heading = format!("</a>{section}").replace('<', "%3C").replace('/', "%2F").replace('>', "%3E");
    // A hyphen has a meaning of its own in a text directive.
    let heading = heading.replace('-', "%2D").replace(' ', "%20").replace('§', "%C2%A7");
    format!("docs/model.md#{anchor}:~:text={heading}")
}

/// What a preemption model means, in one line.
#[must_use]
pub const fn preemption(model: PreemptionModel) -> &'static str {
    match model {
        PreemptionModel::None => "the kernel is never preempted while it works for a task",
        PreemptionModel::Voluntary => "the kernel offers the CPU at chosen points of its own code",
        PreemptionModel::Full => "the kernel can be preempted almost anywhere in its own code",
        PreemptionModel::Lazy => "fair tasks wait for the return to user mode or the next tick",
    }
}

/// What a core scheduler does, in one line.
#[must_use]
pub const fn core_scheduling(kind: CoreScheduling) -> &'static str {
    match kind {
        CoreScheduling::Off => "cookies have no effect",
        CoreScheduling::Mainline => "a core runs tasks of one cookie at a time, as in mainline from 5.14 on",
        CoreScheduling::RfcV4 => "a core runs tasks of one cookie at a time, as in the fourth RFC of 2019",
        CoreScheduling::RfcV4CookieMatch => "the fourth RFC, and placement and balancing look for the core's cookie",
    }
}

/// What the model of a release was checked against, one sentence or two.
#[must_use]
pub fn checked(release: Release) -> String {
    let Some(traces) = release.checked_against() else {
        return "not checked against a kernel; it follows the published patches".to_owned();
    };
    let groups = if release.groups_checked() { "" } else { ". Groups and their limits: not checked against a kernel" };
    format!("{traces}{groups}")
}

/// The same as a line of its own.
#[must_use]
pub fn checked_line(release: Release) -> String {
    let text = checked(release);
    match release.checked_against() {
        Some(_) => format!("Checked against {text}."),
        None => format!("It was {text}."),
    }
}

/// What a row of the comparison measures: `hog: run delay p99`.
#[must_use]
pub fn measure(row: &Row) -> String {
    let words = field(&row.measure);
    match &row.group {
        Group::Task(name) => format!("{name}: {words}"),
        Group::Operation(name) if name.is_empty() => format!("operations: {words}"),
        Group::Operation(name) => format!("{name}: {words}"),
        Group::Cpu(cpu) => format!("CPU {cpu}: {words}"),
        Group::Machine => format!("all CPUs: {words}"),
        Group::Counters => row.measure.clone(),
    }
}

fn field(name: &str) -> String {
    match name {
        "runtime_ns" => "CPU time".to_owned(),
        "busy_ns" => "busy time".to_owned(),
        "idle_ns" => "idle time".to_owned(),
        other => other.trim_end_matches("_ns").replace(['_', '.'], " "),
    }
}

/// A value of a row.
#[must_use]
pub fn value(unit: Unit, value: Option<f64>) -> String {
    match (unit, value) {
        (_, None) => "–".to_owned(),
        (Unit::Ns, Some(ns)) => format::duration(ns),
        (Unit::Percent, Some(percent)) => format::share(percent / 100.0),
        (Unit::Count | Unit::PerSecond, Some(count)) => format::number(count),
    }
}

/// Whether more of a measure is worse (`Some(true)`), better (`Some(false)`), or neither.
#[must_use]
pub fn more_is_worse(row: &Row) -> Option<bool> {
    let name = row.measure.as_str();
    if name.contains("delay") || name.contains("latency") || name.starts_with("forced_idle") || name.starts_with("lost")
    {
        // How many waits there were says nothing by itself.
        return (!name.ends_with("count")).then_some(true);
    }
    match name {
        "preempted" | "sched_count" | "migrations" | "missed_deadlines" => Some(true),
        "per_second" => Some(false),
        _ => None,
    }
}

/// A change in words: `−67 %`, `+1.2 points`, `new`.
#[must_use]
pub fn change(unit: Unit, change: &Change) -> String {
    match change.percent {
        Some(percent) => format::change(percent / 100.0),
        None if unit == Unit::Percent && change.absolute.abs() < 0.05 => "±0".to_owned(),
        None if unit == Unit::Percent => {
            let sign = if change.absolute > 0.0 { "+" } else { "−" };
            format!("{sign}{:.1}\u{a0}points", change.absolute.abs())
        }
        None if change.absolute == 0.0 => "±0".to_owned(),
        None => format::change(f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use schedlab_sim::Reason;
    use schedlab_sim::kernel::{FEATURES, TUNABLES};

    use super::*;

    fn row(group: Group, measure: &str) -> Row {
        Row {
            group,
            measure: measure.to_owned(),
            unit: Unit::Ns,
            values: Vec::new(),
            sem: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The anchor of a link into the model, without the words that follow it.
    fn anchor(link: &str) -> String {
        link.split(['#', ':']).nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn every_section_that_the_page_names_is_in_the_model() {
        let model = include_str!("../../docs/model.md");
        let sections = Release::ALL
            .iter()
            .flat_map(|release| Reason::ALL.iter().map(|reason| reason.section_in(*release)))
            .chain(FEATURES.iter().map(|info| info.section))
            .chain(TUNABLES.iter().map(|info| info.section));
        for section in sections {
            let id = format!("<a id=\"{}\"></a>{section}", anchor(&model_link(section)));
            assert!(model.contains(&id), "{section}: {id}");
        }
        assert_eq!(
            model_link("current-kernels §2.5"),
            "docs/model.md#current-kernels-2.5:~:text=%3C%2Fa%3Ecurrent%2Dkernels%20%C2%A72.5"
        );
    }

    #[test]
    fn what_was_not_checked_says_so() {
        for release in Release::ALL {
            let (text, none) = (checked(release), "not checked against a kernel");
            assert_eq!(text.starts_with(none), release.checked_against().is_none(), "{text}");
            assert_eq!(text.contains(none), !release.groups_checked(), "{text}");
        }
    }

    #[test]
    fn measures_are_named_in_words() {
        assert_eq!(measure(&row(Group::Task("hog".to_owned()), "run_delay.p99")), "hog: run delay p99");
        assert_eq!(measure(&row(Group::Task("hog".to_owned()), "runtime_ns")), "hog: CPU time");
        assert_eq!(measure(&row(Group::Counters, "sched_count")), "sched_count");
    }

    #[test]
    fn a_longer_delay_is_worse_and_more_waits_are_not() {
        let judged = |name| more_is_worse(&row(Group::Counters, name));
        assert_eq!(judged("wake_delay.p99"), Some(true));
        assert_eq!(judged("wake_delay.count"), None);
        assert_eq!(judged("per_second"), Some(false));
        assert_eq!(judged("switches"), None);
    }

    #[test]
    fn changes_from_nothing_are_new() {
        let fresh = Change { absolute: 3.0, percent: None, noise: None };
        assert_eq!(change(Unit::Count, &fresh), "new");
        assert_eq!(change(Unit::Percent, &fresh), "+3.0\u{a0}points");
    }
}
