#![doc = include_str!("../README.md")]

mod revision;
mod version;

pub use revision::Feature;
pub use version::ProtocolVersion;
