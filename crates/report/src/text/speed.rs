//! `schedlab bench` as a table. Not for computing the figures: `speed` does that.

use super::table::Table;
use crate::speed::SpeedReport;

/// A row a point, then what is worst.
#[must_use]
pub fn speed(report: &SpeedReport) -> String {
    let mut table = Table::default();
    table.row(["load", "release", "tasks", "events/s", "switches/s", "ns/event", "floor ns", "ratio"]);
    for point in &report.points {
        table.row([
            point.load.to_owned(),
            point.release.to_owned(),
            point.tasks.to_string(),
            millions(point.events_per_second),
            millions(point.switches_per_second),
            format!("{:.1}", point.ns_per_event),
            format!("{:.1}", point.floor_ns_per_event),
            format!("{:.2}", point.floor_ratio),
        ]);
    }
    let mut text = table.text("", 2);
    text.push_str("\nThe floor pops and pushes a heap and removes and inserts in an ordered set once an event.\n");
    for growth in &report.growth {
        text.push_str(&format!(
            "{} on {}: the ratio grows {:.2}-fold from 10 to 10000 tasks\n",
            growth.load, growth.release, growth.growth
        ));
    }
    text.push_str(&format!("\nlargest ratio: {:.2}\n", report.floor_ratio_worst));
    if let Some(growth) = report.growth_10_to_10000 {
        text.push_str(&format!("largest growth from 10 to 10000 tasks: {growth:.2}\n"));
    }
    for point in &report.by_cpus {
        text.push_str(&format!(
            "{} CPUs, {} tasks: {:.0} ns an event, {:.2} times that of one CPU; {:.2} times the floor's {:.0} ns\n",
            point.cpus, point.tasks, point.ns_per_event, point.ratio, point.floor_ratio, point.floor_ns_per_event
        ));
    }
    if let Some(core) = &report.core_scheduled {
        let memory = core.peak_kib.map_or_else(String::new, |kib| format!(", {} MiB at most", kib / 1024));
        text.push_str(&format!(
            "core scheduling, 104 threads, 512 tasks: {:.0} s simulated in {:.2} s ({} events{memory})\n",
            core.simulated_s, core.seconds, core.events
        ));
    }
    text.push_str(&format!("measured in {:.1} s\n", report.seconds));
    text
}

fn millions(value: f64) -> String {
    format!("{:.2} M", value / 1e6)
}
