//! schedlab scenario.
