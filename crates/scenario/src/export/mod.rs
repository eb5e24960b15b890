//! Documents in other formats: a workload as a file that rt-app runs.
//! Not for results: `schedlab-report` exports those.

mod keys;
mod pipes;
mod rt_app;
#[cfg(test)]
mod tests;

pub use rt_app::{Exported, export_rt_app};
