//! The schedlab page.
fn main() {}
