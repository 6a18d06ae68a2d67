//! The way out of a connection, whatever its type.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use mcp_jsonrpc::Packet;
use mcp_transport::{BoxFuture, TransportError, Writer};

/// A [`Writer`] whose type is hidden. It rests in the shared state of a client while nothing is
/// written; who takes it from there is the only one to write until it is back.
pub(crate) trait Outlet: Send {
    fn feed(&mut self, packet: &Packet);

    fn pending(&self) -> usize;

    /// As [`Writer::is_local`].
    fn is_local(&self) -> bool;

    /// Writes what the stream takes without waiting. Nobody is woken when it takes more.
    fn try_flush(&mut self) -> Poll<Result<(), TransportError>>;

    /// Writes all, as [`Writer::flush`].
    fn flush(&mut self) -> BoxFuture<'_, Result<(), TransportError>>;

    /// Ends the stream, as [`Writer::close`].
    fn close(&mut self) -> BoxFuture<'_, ()>;
}

impl<W: Writer> Outlet for W {
    fn feed(&mut self, packet: &Packet) {
        Writer::feed(self, packet);
    }

    fn pending(&self) -> usize {
        Writer::pending(self)
    }

    fn is_local(&self) -> bool {
        Writer::is_local(self)
    }

    fn try_flush(&mut self) -> Poll<Result<(), TransportError>> {
        // What it had not written when it was dropped, the next flush writes.
        pin!(Writer::flush(self)).poll(&mut Context::from_waker(Waker::noop()))
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(Writer::flush(self))
    }

    fn close(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(Writer::close(self))
    }
}
