//! Picture logic without a browser: scales, ticks, words for numbers, palettes, bar and curve
//! geometry, hit tests. Not for drawing or events: the page does those with what it gets here.
//!
//! Everything is a function of its arguments, so that it is tested natively.

pub mod bars;
pub mod curve;
pub mod format;
pub mod palette;
pub mod picture;
pub mod queue;
pub mod scale;
pub mod strip;
pub mod sweep;
pub mod ticks;
pub mod timeline;
pub mod topology;
pub mod window;

pub use bars::{Bar, grouped};
pub use curve::{Point, Steps};
pub use palette::{Colour, Theme};
pub use picture::Picture;
pub use scale::Scale;
pub use ticks::Tick;
pub use window::Window;
