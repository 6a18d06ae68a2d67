#![doc = include_str!("../README.md")]

mod error;
mod error_object;
mod exchange;
mod id;
mod id_map;
mod line;
mod message;
mod method;
mod raw;
mod scan;

pub use error::DecodeError;
pub use error_object::{ErrorCode, ErrorObject};
pub use exchange::{CallOptions, Event, Exchange, Failure, Limits, Refused};
pub use id::Id;
pub use id_map::{IdHasher, IdMap, IdSet};
pub use line::{Ends, Line, LineDecoder, encode_line};
pub use message::{Frame, Message, Notification, Packet, Request, Response};
pub use method::MethodName;
pub use raw::RawJson;
pub use scan::{is_distinct, pick};
