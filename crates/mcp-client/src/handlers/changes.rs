//! What a server says has changed.

use std::fmt;

use mcp_transport::BoxFuture;

use super::Origin;

/// Something of a server that is another one now.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// Wants to know what changes. What the session keeps of it is forgotten before this is called.
pub trait Changes: fmt::Debug + Send + Sync + 'static {
    /// Something has changed. Changes of a connection come one after another, in order.
    fn changed(&self, change: Change, origin: Origin) -> BoxFuture<'_, ()>;
}
