//! Importing what was recorded on real machines: traces become scenarios that ask for the same, the
//! settings of a machine become machine and kernel, snapshots of `/proc/schedstat` are compared.
//! Not for rt-app files: [`crate::open`] reads those.

pub mod machine;
pub mod schedstat;
pub mod trace;
