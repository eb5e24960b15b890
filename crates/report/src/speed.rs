//! How fast the engine is: figures from measured times, for `schedlab bench`.
//! Not for measuring: whoever holds the clock gives the times.

use serde::Serialize;

/// The sizes between which the ratio's growth is told.
pub const GROWTH_FROM: usize = 10;
/// The larger of them.
pub const GROWTH_TO: usize = 10_000;

/// What was measured at one point: nanoseconds per event, one a slice of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The load's name.
    pub load: &'static str,
    /// Its tasks.
    pub tasks: usize,
    /// The release.
    pub release: &'static str,
    /// The engine's slices.
    pub engine_ns: Vec<f64>,
    /// The floor's slices, each beside one of the engine's.
    pub floor_ns: Vec<f64>,
    /// Context switches an event.
    pub switches_per_event: f64,
}

/// The speed at one point: medians over its slices.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The load's name.
    pub load: &'static str,
    /// Its tasks.
    pub tasks: usize,
    /// The release.
    pub release: &'static str,
    /// Simulated events a second.
    pub events_per_second: f64,
    /// Simulated context switches a second.
    pub switches_per_second: f64,
    /// Nanoseconds an event.
    pub ns_per_event: f64,
    /// The floor's nanoseconds an event.
    pub floor_ns_per_event: f64,
    /// The first over the second.
    pub floor_ratio: f64,
}

/// How the ratio to the floor grows with the tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// The load's name.
    pub load: &'static str,
    /// The release.
    pub release: &'static str,
    /// The ratio at [`GROWTH_TO`] tasks over that at [`GROWTH_FROM`].
    pub growth: f64,
}

/// What was measured on a number of CPUs: nanoseconds per event, one a slice of time.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCpus {
    /// The CPUs.
    pub cpus: u32,
    /// The tasks.
    pub tasks: usize,
    /// The engine's slices.
    pub engine_ns: Vec<f64>,
    /// The floor's slices, each beside one of the engine's.
    pub floor_ns: Vec<f64>,
}

/// The speed on a number of CPUs, with as many tasks on each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CpuPoint {
    /// The CPUs.
    pub cpus: u32,
    /// The tasks.
    pub tasks: usize,
    /// Nanoseconds an event.
    pub ns_per_event: f64,
    /// That over the nanoseconds on one CPU.
    pub ratio: f64,
    /// The floor's nanoseconds an event with as many tasks.
    pub floor_ns_per_event: f64,
    /// The engine's over the floor's.
    pub floor_ratio: f64,
}

/// 104 hardware threads and 512 tasks with core scheduling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoreScheduled {
    /// Simulated, seconds.
    pub simulated_s: f64,
    /// Processor time it took, seconds.
    pub seconds: f64,
    /// Simulated events.
    pub events: u64,
    /// The most memory the process has had, KiB; none where the system does not tell.
    pub peak_kib: Option<u64>,
}

/// The figures of a whole measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeedReport {
    /// How long measuring took, seconds.
    pub seconds: f64,
    /// Every point.
    pub points: Vec<Point>,
    /// Every growth.
    pub growth: Vec<Growth>,
    /// By number of CPUs.
    pub by_cpus: Vec<CpuPoint>,
    /// With core scheduling.
    pub core_scheduled: Option<CoreScheduled>,
    /// The largest ratio to the floor.
    pub floor_ratio_worst: f64,
    /// The largest growth; none when a size is missing.
    pub growth_10_to_10000: Option<f64>,
}

impl SpeedReport {
    /// Takes medians and ratios. Points without slices are left out.
    #[must_use]
    pub fn of(measured: &[Measured], seconds: f64) -> Self {
        let points: Vec<Point> = measured.iter().filter_map(point).collect();
        let growth: Vec<Growth> = points
            .iter()
            .filter(|point| point.tasks == GROWTH_FROM)
            .filter_map(|small| {
                let large = points
                    .iter()
                    .find(|large| (large.load, large.release, large.tasks) == (small.load, small.release, GROWTH_TO))?;
                let growth = large.floor_ratio / small.floor_ratio;
                Some(Growth { load: small.load, release: small.release, growth })
            })
            .collect();
        Self {
            seconds,
            floor_ratio_worst: points.iter().map(|point| point.floor_ratio).fold(0.0, f64::max),
            growth_10_to_10000: growth.iter().map(|growth| growth.growth).reduce(f64::max),
            points,
            growth,
            by_cpus: Vec::new(),
            core_scheduled: None,
        }
    }

    /// Adds what was measured by number of CPUs, the smallest first.
    pub fn add_cpus(&mut self, measured: &[MeasuredCpus]) {
        let mut one = None;
        for MeasuredCpus { cpus, tasks, engine_ns, floor_ns } in measured {
            let (Some(ns_per_event), Some(floor)) = (median(engine_ns), median(floor_ns)) else { continue };
            self.by_cpus.push(CpuPoint {
                cpus: *cpus,
                tasks: *tasks,
                ns_per_event,
                ratio: ns_per_event / *one.get_or_insert(ns_per_event),
                floor_ns_per_event: floor,
                floor_ratio: ns_per_event / floor,
            });
        }
    }
}

fn point(measured: &Measured) -> Option<Point> {
    let (engine, floor) = (median(&measured.engine_ns)?, median(&measured.floor_ns)?);
    Some(Point {
        load: measured.load,
        tasks: measured.tasks,
        release: measured.release,
        events_per_second: 1e9 / engine,
        switches_per_second: 1e9 / engine * measured.switches_per_event,
        ns_per_event: engine,
        floor_ns_per_event: floor,
        floor_ratio: engine / floor,
    })
}

/// The middle of the values (the mean of the two middle ones when their number is even).
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(tasks: usize, engine_ns: &[f64], floor_ns: &[f64]) -> Measured {
        Measured {
            load: "hogs",
            tasks,
            release: "6.12",
            engine_ns: engine_ns.to_vec(),
            floor_ns: floor_ns.to_vec(),
            switches_per_event: 0.5,
        }
    }

    #[test]
    fn a_point_is_the_medians_and_the_growth_is_of_ratios() {
        // One slice of each was disturbed.
        let small = measured(10, &[40.0, 41.0, 900.0], &[20.0, 700.0, 19.0]);
        let large = measured(10_000, &[300.0, 310.0], &[100.0, 100.0]);
        let report = SpeedReport::of(&[small, measured(100, &[], &[]), large], 1.0);
        assert_eq!(report.points.len(), 2);
        assert_eq!((report.points[0].ns_per_event, report.points[0].floor_ratio), (41.0, 2.05));
        assert_eq!(report.points[0].switches_per_second, 1e9 / 41.0 / 2.0);
        assert_eq!(report.floor_ratio_worst, 3.05);
        assert_eq!(report.growth_10_to_10000, Some(3.05 / 2.05));
    }

    #[test]
    fn cpus_are_compared_with_the_fewest() {
        let mut report = SpeedReport::of(&[], 1.0);
        let on = |cpus, engine_ns: &[f64], floor: f64| MeasuredCpus {
            cpus,
            tasks: 5 * cpus as usize,
            engine_ns: engine_ns.to_vec(),
            floor_ns: vec![floor],
        };
        report.add_cpus(&[on(1, &[100.0, 300.0, 110.0], 55.0), on(8, &[165.0], 66.0), on(64, &[], 1.0)]);
        let ratios: Vec<(f64, f64)> = report.by_cpus.iter().map(|point| (point.ratio, point.floor_ratio)).collect();
        assert_eq!(ratios, [(1.0, 2.0), (1.5, 2.5)]);
    }

    #[test]
    fn without_both_sizes_there_is_no_growth() {
        let report = SpeedReport::of(&[measured(10, &[40.0], &[20.0])], 1.0);
        assert_eq!((report.growth_10_to_10000, report.growth.len()), (None, 0));
    }
}
