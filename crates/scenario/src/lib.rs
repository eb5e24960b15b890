//! The schedlab document: a machine, a kernel and a workload as one JSON text.
//!
//! [`open`] reads a scenario document or a file written for rt-app; [`Scenario`] is its value, with
//! typed public fields; [`Scenario::prepare`] makes the input of a run of it, and [`link`] packs it
//! into a link. [`export_rt_app`] writes its workload for rt-app, and [`LogPlan`] what rt-app would have
//! logged of a run. [`golden`] and [`kernel_runs`] read what real kernels did. Problems carry path, line
//! and column. Not for running anything: that is `schedlab_sim`'s part.
//!
//! ```
//! let text = r#"{
//!     "tasks": {
//!         "video": { "run": 2000, "timer": { "ref": "unique", "period": 16000 } },
//!         "build": { "instance": 2, "run": 50000, }, // comments and trailing commas are fine
//!     },
//! }"#;
//! let opened = schedlab_scenario::open(text).map_err(|problems| problems[0].clone())?;
//! // An rt-app file is shown under two kernels.
//! let newer = opened.scenario.variant(1).map_err(|problems| problems[0].clone())?;
//! assert_eq!(newer.name, "6.12");
//! let prepared = newer.scenario.prepare(0).map_err(|problems| problems[0].clone())?;
//! assert_eq!(prepared.input.tasks.len(), 3);
//! assert_eq!(prepared.input.tasks[2].name, "build-1");
//! # Ok::<(), schedlab_scenario::Problem>(())
//! ```

mod compile;
mod document;
mod export;
pub mod golden;
pub mod import;
pub mod json;
pub mod kernel_runs;
pub mod library;
pub mod link;
mod open;
pub mod path;
mod problem;
mod read;
mod rt_app_log;
mod workload;

pub use compile::{OperationOrigin, Prepared, RECORD_BUDGET, TaskOrigin};
pub use document::{
    DEFAULT_DURATION_MS, Group, GroupPath, HZ, Kernel, MOST_CPUS, Machine, Max, NamedVariant, Opened, RecordKind,
    RunOptions, SCHEMA, Scenario, Tick, Variant,
};
pub use export::{Exported, export_rt_app};
pub use open::{open, open_bytes, read_checked};
pub use problem::{Place, Problem, Severity};
pub use rt_app_log::{LogLine, LogPlan, TaskLog};
pub use workload::{
    Action, Amount, Attributes, EVENTS, Event, Global, Loops, MOST_US, MemoryAccess, MemoryRun, Phase, Policy, Start,
    Task, TimerMode, Workload,
};
