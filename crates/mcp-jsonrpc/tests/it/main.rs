//! What the crate promises, by the numbers of the protocol checklist (`rpc_`) and of faults that
//! users of other implementations have reported (`j`, `s`).

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]
#![expect(clippy::disallowed_methods, reason = "a test has a clock")]

mod envelope;
mod exchange;
mod ids;
mod lines;
mod members;
mod replies;

use bytes::Bytes;
use mcp_jsonrpc::{DecodeError, Frame, Id, Message};

fn decode(text: impl Into<Bytes>) -> Result<Message, DecodeError> {
    Message::decode(text.into())
}

fn frame(text: impl Into<Bytes>) -> Result<Frame, DecodeError> {
    Frame::decode(text.into())
}

fn encoded(message: impl Into<Message>) -> String {
    String::from_utf8(message.into().encode()).unwrap()
}

/// The code and the id that a receiver answers with.
fn reply(flaw: &DecodeError) -> Option<(i64, Option<Id>)> {
    flaw.reply().map(|(id, error)| (error.code.0, id))
}

/// The code and the id that a receiver answers this text with.
fn refused(text: impl Into<Bytes>) -> Option<(i64, Option<Id>)> {
    reply(&decode(text).expect_err("a flaw"))
}
