#![doc = include_str!("../README.md")]

mod channel;
mod error;
mod handler;
mod memory;
mod session;
mod stream;

pub use channel::{
    Attached, Call, CallId, Channel, Mirror, PartOf, Progress, ProgressSink, Timeouts,
    WithoutHeaders,
};
pub use error::{CallError, Delivery, Rejection, TransportError, TransportErrorKind};
pub use handler::{Handler, Incoming};
pub use memory::{MemoryEnd, MemoryReader, MemoryWriter, memory};
pub use session::Session;
pub use stream::{Frames, Reader, Writer};

/// A future on the heap that may move between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
