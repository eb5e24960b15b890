//! The schedlab engine: an exact model of the Linux fair scheduling class.
//!
//! A run is a function of its [`Input`]: the same input gives the same bytes on every platform,
//! run whole or in slices. The engine has no I/O and reads no clock.
//!
//! ```
//! use std::sync::Arc;
//! use schedlab_sim::kernel::{Kernel, Release};
//! use schedlab_sim::{Input, Length, Limit, Machine, Policy, Program, Simulation, Step, TaskSpec};
//!
//! // Two tasks that run for ever, under EEVDF of 6.12 at HZ 1000.
//! let hog = Arc::new(Program {
//!     steps: vec![
//!         Step::LoopStart { counter: 0, times: None, end: 2 },
//!         Step::Run(Length::Fixed(1_000_000_000)),
//!         Step::LoopEnd { start: 0 },
//!     ],
//!     loops: 1,
//!     ..Program::default()
//! });
//! let mut input = Input::new(Kernel::new(Release::V6_12, 8), Machine::ideal(1000), 20_000_000);
//! input.tasks.push(TaskSpec::new("A", hog.clone()));
//! input.tasks.push(TaskSpec::new("B", hog));
//!
//! let mut simulation = Simulation::new(input)?;
//! simulation.run_until(Limit::end())?;
//! let run = simulation.finish();
//! // A new task gets half a slice from 6.12 on: A leaves at 2 ms, then slices of 3 ms follow.
//! assert_eq!(run.total_switches, 8);
//! assert_eq!(run.tasks[0].runtime_ns + run.tasks[1].runtime_ns, 20_000_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where things are: [`kernel`] has releases, flags and tunables as data; `fair` the scheduling
//! rules; `engine` time, events, programs and `schedule()`. Section signs (§) lead to
//! `docs/model.md`.

mod engine;
mod error;
mod explain;
mod fair;
mod histogram;
mod input;
pub mod kernel;
pub mod load;
mod output;
mod reason;
mod record;

pub use engine::{Limit, MAX_CPUS, MAX_TASKS, Progress, Simulation};
pub use error::{InputError, RunError};
pub use explain::{Checkpoints, EntityView, Moment, MomentKind, PickRule, QueueView, Who};
pub use histogram::Histogram;
pub use input::{
    Bandwidth, BarrierId, Birth, Cache, Change, ConditionId, GroupId, GroupSpec, Input, Length, Machine, MutexId,
    Objects, OperationId, OutsideEvent, PipeId, Policy, Program, SemaphoreId, SiblingNumbering, Step, SuspensionId,
    TaskId, TaskSpec, Template, TemplateId, TimerId, TimerMode, TimerRef,
};
pub use output::{
    BalanceCounts, Counters, CpuResult, DomainLevel, DomainResult, EndState, GroupEnd, IdleType, OperationResult,
    Placement, QueueEnd, Run, RunLengths, SharedCore, TaskEnd, TaskResult, TaskState, VirtualPlace, WorkConservation,
};
pub use reason::Reason;
pub use record::{Entry, ForcedIdle, IDLE, Mark, Record};
