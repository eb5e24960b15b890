//! schedlab report.
