//! The transport against itself, against raw sockets, and its codecs by properties.

mod client_calls;
mod client_streams;
mod client_support;
mod headers;
mod script;
mod server_refusals;
mod server_session;
mod server_stateless;
mod sse;
mod support;
