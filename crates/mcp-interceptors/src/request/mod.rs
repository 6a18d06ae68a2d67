//! Code around the requests of the protocol, in both directions.
//!
//! A tool call is more than its request: it has a tool, a model that reads its outcome, and the
//! layers of this crate. What else goes over a connection (lists, resources, prompts, completion,
//! and what a server asks) is a request and its reply, and nothing more.

mod layers;
mod message;

pub use layers::{RequestInterceptor, RequestLayers, RequestNext};
pub use message::{Reply, Request};
