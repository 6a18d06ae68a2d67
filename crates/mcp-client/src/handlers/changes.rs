//! What a server says has changed.

use std::fmt;

use mcp_protocol::DetailedTask;
use mcp_transport::BoxFuture;

use super::Origin;

/// Something of a server that is another one now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The list of its tools.
    Tools,
    /// The list of its prompts.
    Prompts,
    /// The list of its resources.
    Resources,
    /// A resource that was subscribed to, or a part of it.
    Resource {
        /// Its URI.
        uri: String,
    },
    /// The state of a task. In 2025-11-25 of any of ours, later of those that a subscription
    /// names.
    Task {
        /// The task, with what has come of it where the server says that.
        task: Box<DetailedTask>,
    },
}

/// Wants to know what changes. What the session keeps of it is forgotten before this is called.
pub trait Changes: fmt::Debug + Send + Sync + 'static {
    /// Something has changed. Changes of a connection come one after another, in order. While a
    /// session asks to be told of more or of less, the same change may be told of twice: none is
    /// to be missed.
    ///
    /// # Cancel safety
    /// The future is dropped when the connection has ended.
    fn changed(&self, change: Change, origin: Origin) -> BoxFuture<'_, ()>;
}
