//! How far the calls are.

use std::fmt;

use mcp_transport::{BoxFuture, Progress};

use super::Origin;

/// Takes the progress of all calls.
///
/// Reports of a call come one after another, in order, and all that came before the answer are
/// handed over before the call returns: a report that takes long delays its own call and nothing
/// else. At most 64 wait, of which the oldest are dropped; after the answer they have 5 s in all.
pub trait ProgressReports: fmt::Debug + Send + Sync + 'static {
    /// Takes one report.
    ///
    /// # Cancel safety
    /// The future is dropped when the call is.
    fn progress(&self, progress: Progress, origin: Origin) -> BoxFuture<'_, ()>;
}
