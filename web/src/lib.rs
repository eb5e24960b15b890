//! The schedlab page and its worker: layout, events and messages.
//! Not for scheduling, statistics or picture logic: `schedlab_sim`, `schedlab_report` and
//! `schedlab_view` have those, and the worker runs the first two away from the page.

mod about;
pub mod app;
mod center;
pub mod charts;
mod clipboard;
mod cookies;
mod events;
mod example;
mod follow;
mod gallery;
mod header;
pub mod instant;
mod left;
mod machine;
pub mod opening;
mod parts;
mod pool;
pub mod protocol;
mod right;
pub mod state;
pub mod store;
mod study;
mod sweep;
mod theme;
mod words;
pub mod worker;

pub use example::scenario as example;
