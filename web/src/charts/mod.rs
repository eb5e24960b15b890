//! Charts: pictures of `schedlab_view` on canvases.

pub mod draw;
mod plot;

pub use plot::PlotCard;
