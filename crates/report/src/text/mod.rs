//! Reports as text: what people read, and what perf and bpftrace print, to the letter.
//! Not for computing figures.

mod bisect;
mod comparison;
mod experiment;
mod explain;
mod fidelity;
mod hist;
mod kernels;
mod map;
mod number;
mod perf_latency;
mod schedstat;
mod several;
mod speed;
mod summary;
mod switches;
mod table;
mod timehist;

pub use bisect::{bisection, sentence};
pub use comparison::{comparison_csv, comparison_markdown, comparison_table};
pub use experiment::{experiment_markdown, experiment_table, figure as experiment_figure};
pub use explain::explanation;
pub use fidelity::fidelity;
pub use hist::hist;
pub use kernels::{kernel, kernels};
pub use map::map;
pub use number::{count, duration};
pub use perf_latency::{LatencyOrder, perf_latency};
pub use schedstat::{schedstat, schedstat_version};
pub use speed::speed;
pub use summary::summary;
pub use switches::switches;
pub use timehist::timehist;

use schedlab_sim::{IDLE, Run, TaskId};

/// The names of a run's tasks, for formats that print its record.
struct Names<'a>(Vec<&'a str>);

impl<'a> Names<'a> {
    fn of(run: &'a Run) -> Self {
        Self(run.tasks.iter().map(|task| task.name.as_str()).collect())
    }

    /// The name, or `idle` for the idle thread.
    fn get(&self, task: TaskId, idle: &'a str) -> &'a str {
        if task == IDLE { idle } else { self.0.get(task.0 as usize).copied().unwrap_or("?") }
    }
}
