//! Concerns that many agents share, ready to be added.

mod clear;
mod fallback;
mod retry;
mod summarise;

pub use clear::ClearToolResults;
pub use fallback::ModelFallback;
pub use retry::ModelRetry;
pub use summarise::{Summarise, Trigger};
