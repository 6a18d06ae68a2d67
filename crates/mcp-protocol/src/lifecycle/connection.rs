//! What both roles have in common seen from outside: the verbs, the commands, the events.

use std::fmt;
use std::time::{Duration, Instant};

use mcp_jsonrpc::{
    DecodeError, ErrorObject, Failure, Frame, Id, MethodName, Notification, Packet, RawJson,
    Refused, Request,
};

use crate::{ProtocolVersion, RequestContext};

/// One end of a connection over a byte stream.
///
/// Feed it frames and the time; after each call drain [`poll_transmit`](Self::poll_transmit) and
/// [`poll_event`](Self::poll_event), and sleep until [`poll_timeout`](Self::poll_timeout).
pub trait Connection {
    /// What a caller attaches to a call; it comes back when the call ends.
    type Tag;

    /// Takes what was read: a frame, or what is wrong with it.
    fn handle_frame(&mut self, now: Instant, frame: Result<Frame, DecodeError>);

    /// Ends the calls whose time is over.
    fn handle_timeout(&mut self, now: Instant);

    /// The next packet to be written.
    fn poll_transmit(&mut self) -> Option<Packet>;

    /// The next thing that happened.
    fn poll_event(&mut self) -> Option<Event<Self::Tag>>;

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    fn poll_timeout(&self) -> Option<Instant>;

    /// Sends a request.
    ///
    /// # Errors
    /// Where nothing was sent, with the tag: the connection is closed or too many calls wait.
    fn call(
        &mut self,
        now: Instant,
        call: OutgoingCall,
        tag: Self::Tag,
    ) -> Result<Id, (Refused, Self::Tag)>;

    /// Sends a notification, unless the rules of the revision forbid it: that leaves a
    /// [`Note`] and nothing is sent.
    fn notify(&mut self, notification: Notification);

    /// Answers a request of the peer. Dropped where the peer has given the request up.
    fn respond(&mut self, id: &Id, outcome: Result<RawJson, ErrorObject>);

    /// Gives up one of our calls. The peer is told, where the call allows it; a late answer is
    /// dropped. `None` if the call has already ended.
    fn cancel(&mut self, id: &Id, reason: Option<&str>) -> Option<Self::Tag>;

    /// Pins the revision that the client has negotiated. A server learns it by itself.
    fn negotiated(&mut self, version: ProtocolVersion);

    /// Ends the connection and hands back the calls that wait. Later calls are refused.
    fn close(&mut self) -> Vec<(Id, Self::Tag)>;

    /// Whether neither side waits for an answer.
    fn is_idle(&self) -> bool;
}

/// A request to be sent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OutgoingCall {
    /// The method.
    pub method: MethodName,
    /// The params, with `_meta` in place.
    pub params: Option<RawJson>,
    /// How long to wait without an answer or, where it counts, progress.
    pub idle: Option<Duration>,
    /// How long to wait in all.
    pub total: Option<Duration>,
    /// Whether progress starts `idle` anew.
    pub reset_on_progress: bool,
    /// The token that `_meta` carries.
    pub progress_token: Option<Id>,
    /// Whether the peer is told when the call is given up. Never for `initialize`.
    pub cancellable: bool,
}

impl OutgoingCall {
    /// A call without time-outs, without progress, cancellable.
    pub fn new(method: impl Into<MethodName>, params: Option<RawJson>) -> Self {
        Self {
            method: method.into(),
            params,
            idle: None,
            total: None,
            reset_on_progress: false,
            progress_token: None,
            cancellable: true,
        }
    }
}

/// What happened on a connection.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<T> {
    /// The peer asks; [`Connection::respond`] answers.
    Request {
        /// The request.
        request: Request,
        /// Under which rules.
        context: RequestContext,
    },
    /// The peer tells.
    Notification {
        /// The notification; may be one that nobody here knows.
        notification: Notification,
        /// Under which rules.
        context: RequestContext,
    },
    /// A call of ours makes progress. The values of one call only ever rise.
    Progress {
        /// The call.
        id: Id,
        /// How far.
        progress: f64,
        /// Out of how much, if known.
        total: Option<f64>,
        /// What is going on, for people.
        message: Option<String>,
    },
    /// The peer gave up a request of its own; nobody waits for the answer.
    Cancelled {
        /// The request.
        id: Id,
    },
    /// A call of ours ended.
    Ended {
        /// The call.
        id: Id,
        /// What was attached to it.
        tag: T,
        /// The raw result, or why there is none.
        outcome: Result<RawJson, Failure>,
    },
    /// Something that needs no reaction but is worth a line in a log.
    Note(Note),
}

/// What was dropped, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// Something that is not a message.
    Garbage(DecodeError),
    /// An array where the revision has no batches.
    UnexpectedBatch,
    /// An answer to no call that waits: most often to one that was given up.
    Stray {
        /// The id in the answer.
        id: Id,
    },
    /// The peer reports an error that belongs to no call.
    PeerError(ErrorObject),
    /// Progress for a token that is not in use, or that does not rise.
    StaleProgress,
    /// A cancellation of something that is not in progress.
    StaleCancel,
    /// A request by the peer that its revision does not allow it to send.
    ForbiddenRequest(MethodName),
    /// A notification of ours that the revision or the capabilities do not allow now.
    Withheld(MethodName),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Garbage(e) => e.fmt(f),
            Self::UnexpectedBatch => f.write_str("the peer sent a batch, which is not agreed on"),
            Self::Stray { id } => write!(f, "the peer answered {id}, for which nobody waits"),
            Self::PeerError(e) => write!(f, "the peer reports: {e}"),
            Self::StaleProgress => f.write_str("the peer sent progress that counts for no call"),
            Self::StaleCancel => f.write_str("the peer cancelled what is not in progress"),
            Self::ForbiddenRequest(method) => {
                write!(f, "the peer sent a request that it may not send: {method}")
            }
            Self::Withheld(method) => write!(f, "not sent, as nothing allows it now: {method}"),
        }
    }
}
