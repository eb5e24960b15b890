//! From a run to what people read: figures per task, CPU and counter, comparisons of variants,
//! points for charts, and the text formats of perf and bpftrace.
//! Not for running scenarios, and not for drawing: values in, values out.
//!
//! [`summarize`] turns the runs of one variant (one a repeat) into a [`VariantReport`], which is
//! the JSON of `schedlab run --format json`; [`compare`] lays several side by side; [`text`]
//! prints; [`cdf`] and [`log_bins`] give charts their points.

mod compare;
mod distribution;
mod mean;
mod summarize;
pub mod text;
mod variant;
mod wire;

pub use compare::{Change, Comparison, Group, Row, Unit, compare};
pub use distribution::{Bin, LogBins, cdf, log_bins, log2_microseconds};
pub use mean::over_repeats;
pub use summarize::{FIRST_TID, MAX_INSTANCES_LISTED, Subject, summarize};
pub use variant::{CpuReport, DelayReport, LostTime, OperationReport, Operations, TaskReport, VariantReport, Wait};

#[cfg(test)]
mod fixture;
