//! The transport against itself, against raw sockets, and its codecs by properties.

#[cfg(test)]
mod client_calls;
#[cfg(test)]
mod client_header_source;
#[cfg(test)]
mod client_hostile;
#[cfg(test)]
mod client_legacy;
#[cfg(test)]
mod client_proxy;
#[cfg(test)]
#[cfg(any(feature = "tls-ring", feature = "tls-aws-lc-rs"))]
mod client_proxy_tls;
#[cfg(test)]
mod client_streams;
#[cfg(test)]
mod client_support;
#[cfg(test)]
#[cfg(any(feature = "tls-ring", feature = "tls-aws-lc-rs"))]
mod client_tls;
#[cfg(test)]
mod client_turns;
#[cfg(test)]
mod client_wire;
#[cfg(test)]
#[cfg(not(any(feature = "tls-ring", feature = "tls-aws-lc-rs")))]
mod client_without_tls;
#[cfg(test)]
mod headers;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod script;
#[cfg(test)]
#[cfg(any(feature = "tls-ring", feature = "tls-aws-lc-rs"))]
mod secure;
#[cfg(test)]
mod server_floods;
#[cfg(test)]
mod server_refusals;
#[cfg(test)]
mod server_resume;
#[cfg(test)]
mod server_session;
#[cfg(test)]
mod server_stateless;
#[cfg(test)]
mod server_turns;
#[cfg(test)]
mod soak;
#[cfg(test)]
mod sse;
#[cfg(test)]
mod support;
