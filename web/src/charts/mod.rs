//! Charts: pictures of `schedlab_view` on canvases.

pub mod draw;
mod plot;

pub use plot::PlotCard;
pub(crate) use plot::watch_size;
