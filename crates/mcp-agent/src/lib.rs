#![doc = include_str!("../README.md")]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod error;
pub mod state;

pub use error::{Error, ErrorKind};
