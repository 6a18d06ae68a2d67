//! What the expansion of [`state!`](crate::state!) needs; no part of the interface.

pub use mcp_interceptors::JsonMap;
pub use serde;

pub use crate::state::{read_field, unknown_field};

/// A message that a node brings into a conversation.
pub type Said = std::sync::Arc<mcp_model::ChatMessage>;
