//! Concerns that many agents share, ready to be added.

mod approve_round;
mod clear;
mod fallback;
mod retry;
mod summarise;

pub use approve_round::ApproveRound;
pub use clear::ClearToolResults;
pub use fallback::ModelFallback;
pub use retry::ModelRetry;
pub use summarise::{Summarise, Trigger};
