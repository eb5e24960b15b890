//! From a run to what people read: figures per task, CPU and counter, comparisons of variants,
//! points for charts, and the text formats of perf and bpftrace.
//! Not for running scenarios, and not for drawing: values in, values out.
//!
//! [`summarize`] turns the runs of one variant (one a repeat) into a [`VariantReport`], which is
//! the JSON of `schedlab run --format json`; [`compare`] lays several side by side; [`text`]
//! prints; [`explanation`] says in words what was decided at an instant; [`kernels`] lists releases with
//! their flags and tunables; [`cdf`] and [`log_bins`] give charts their points.
//!
//! ```
//! use schedlab_report::{Group, Subject, VariantReport, compare, summarize, text};
//! use schedlab_sim::{Limit, Simulation};
//!
//! // An rt-app file has two variants, 6.5 and 6.12.
//! let scenario = schedlab_scenario::open(r#"{"tasks": {"a": {"instance": 3, "loop": -1, "run": 50000}}}"#)
//!     .map_err(|problems| problems[0].clone())?
//!     .scenario;
//! let report = |index| -> Result<VariantReport, Box<dyn std::error::Error>> {
//!     let variant = scenario.variant(index).map_err(|problems| problems[0].clone())?;
//!     let prepared = variant.scenario.prepare(0).map_err(|problems| problems[0].clone())?;
//!     let subject = Subject::of(&variant.name, &prepared);
//!     let mut simulation = Simulation::new(prepared.input)?;
//!     simulation.run_until(Limit::end())?;
//!     Ok(summarize(&subject, &[simulation.finish()]))
//! };
//! let reports = [report(0)?, report(1)?];
//! assert!(text::summary(&reports[1]).starts_with("Linux 6.12: 1.000 s simulated"));
//!
//! let comparison = compare(&reports);
//! let preempted = comparison.rows.iter().find(|row| row.measure == "preempted" && row.group == Group::Task("a".into()));
//! assert!(preempted.is_some_and(|row| row.values.iter().all(|value| value.is_some_and(|count| count > 100.0))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bisect;
mod claim;
mod compare;
mod distribution;
mod experiment;
mod explain;
pub mod export;
mod fidelity;
pub mod kernels;
mod mean;
mod metric;
mod several;
mod sought;
pub mod speed;
mod summarize;
pub mod text;
mod variant;
mod wire;

pub use claim::{Claim, ClaimError, Expression, Operation, Relation, figure};
pub use compare::{Change, Comparison, Group, Row, Unit, compare};
pub use distribution::{Bin, LogBins, cdf, log_bins, log2_microseconds};
pub use experiment::{ExperimentReport, ExperimentRow, Expressions, Figures, MustRow};
pub use explain::{EntityRow, Explanation, MomentWords, Names, QueueTable, Rule, explanation};
pub use fidelity::{Fidelity, FidelityRow, FidelityVariant, fidelity};
pub use mean::over_repeats;
pub use metric::{Metric, metric_names, metrics, nearest_metrics};
pub use several::{
    BalanceReport, BusyIdle, DomainReport, IDLE_NAME, PlacementReport, SharedCoreReport, WorkConservationReport,
};
pub use sought::first_switch;
pub use summarize::{FIRST_TID, MAX_INSTANCES_LISTED, Subject, summarize};
pub use variant::{CpuReport, DelayReport, LostTime, OperationReport, Operations, TaskReport, VariantReport, Wait};

#[cfg(test)]
mod fixture;
