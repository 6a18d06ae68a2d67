//! The transport against itself, against raw sockets, and its codecs by properties.

mod headers;
mod sse;
