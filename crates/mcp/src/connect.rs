//! The two transports as ways to connect a client.

#[cfg(feature = "http")]
mod http;
#[cfg(feature = "stdio")]
mod stdio;

#[cfg(feature = "http")]
pub use http::HttpConnect;
#[cfg(feature = "stdio")]
pub use stdio::StdioConnect;
