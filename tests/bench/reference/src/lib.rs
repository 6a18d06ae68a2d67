//! The limits that an SDK is compared with.
//!
//! `raw` sends the bytes that our client sends and has them echoed: what pipes, sockets and the
//! runtime allow. `serde` does in addition what any SDK has to do: the caller owns an argument,
//! which is written into a request; the server reads it into types, finds out what is asked,
//! hands over an argument that the tool owns and writes a result; the client reads that into a
//! result that the caller owns. Both batch as much as the transport allows.

mod http;
mod lines;
mod shapes;

pub use http::{ask, connect, open_session, serve as serve_http};
pub use lines::{converse, serve as serve_lines};
pub use shapes::Codec;
