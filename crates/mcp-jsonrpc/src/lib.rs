#![doc = include_str!("../README.md")]

mod error;
mod error_object;

mod id;

mod message;
mod method;
mod raw;

pub use error::DecodeError;
pub use error_object::{ErrorCode, ErrorObject};
pub use id::Id;
pub use message::{Frame, Message, Notification, Packet, Request, Response};
pub use method::MethodName;
pub use raw::RawJson;
