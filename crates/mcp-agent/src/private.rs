//! What the expansion of [`state!`](crate::state!) needs; no part of the interface.

pub use mcp_interceptors::JsonMap;
pub use serde;

pub use crate::state::{read_field, unknown_field};
