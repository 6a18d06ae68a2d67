//! Transports that carry all messages of a connection over one pair of streams.

use mcp_jsonrpc::{DecodeError, Frame, Packet};

use crate::TransportError;

/// What came in: frames, or what is wrong with them.
pub type Frames = Vec<Result<Frame, DecodeError>>;

/// The reading half.
pub trait Reader: Send + 'static {
    /// Waits for at least one frame and appends all that are there. `false` is the end of the
    /// stream.
    ///
    /// # Errors
    /// When the stream fails, or ended for a reason worth telling, as the exit of a process:
    /// [`TransportErrorKind::Ended`](crate::TransportErrorKind::Ended). Nothing more can be read
    /// then.
    ///
    /// # Cancel safety
    /// Dropping the future loses nothing: what was read stays in the reader.
    fn read(
        &mut self,
        into: &mut Frames,
    ) -> impl Future<Output = Result<bool, TransportError>> + Send;
}

/// The writing half.
pub trait Writer: Send + 'static {
    /// Encodes a packet into the buffer of what is to be written. Does no I/O.
    fn feed(&mut self, packet: &Packet);

    /// How many bytes wait to be written.
    fn pending(&self) -> usize;

    /// Whether the other end is in this process, and may act at once on what is written.
    fn is_local(&self) -> bool {
        false
    }

    /// Writes all that was fed, in as few writes as possible.
    ///
    /// # Errors
    /// When the stream fails; nothing more can be written then.
    ///
    /// # Cancel safety
    /// Dropping the future keeps what was not written; the next call goes on from there.
    fn flush(&mut self) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Ends the stream in good order: the peer sees its end, a child process is waited for and
    /// where need be terminated. What was fed and not flushed may be lost. Takes a bounded time.
    ///
    /// # Cancel safety
    /// Dropping the future leaves the end half done; dropping the writer then does the rest
    /// without good order.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}
