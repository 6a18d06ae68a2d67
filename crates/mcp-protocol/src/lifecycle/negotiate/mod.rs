//! Which lifecycle and which revision a server speaks.
//!
//! The client asks `server/discover` first. An answer or one of the errors that only 2026-07-28
//! has means stateless requests; anything else, silence included, means the handshake. The probe
//! stays open while `initialize` is under way: a server that was merely slow to start answers
//! both in order, and its late answer counts.
//!
//! Specification: basic/versioning, Backward Compatibility (2026-07-28); basic/lifecycle.

mod handshake;
mod probe;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use mcp_jsonrpc::{ErrorObject, MethodName, RawJson};

use super::identity::ClientIdentity;
use super::negotiated::Negotiated;
use crate::error::NegotiationError;
use crate::{Feature, ProtocolVersion};

const DISCOVER: MethodName = MethodName::from_static("server/discover");
const INITIALIZE: MethodName = MethodName::from_static("initialize");
const INITIALIZED: MethodName = MethodName::from_static("notifications/initialized");

/// What carries the messages: it decides what a failure means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "one stream for all messages, or one each"
)]
pub enum Wire {
    /// One byte stream: a child process, a socket.
    Stream,
    /// HTTP: each message is an exchange of its own.
    Http,
}

/// Which lifecycle to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two lifecycles")]
pub enum Preference {
    /// Find out.
    #[default]
    Auto,
    /// The handshake at once, for a server known to want it.
    Handshake,
    /// Stateless requests only.
    Stateless,
}

/// What to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step {
    /// Send a request and report its outcome under this key. More than one may be under way.
    /// Giving it up is never announced to the server.
    Request {
        /// Names the request in [`Negotiator::handle_outcome`].
        key: u32,
        /// The method.
        method: MethodName,
        /// The params, complete.
        params: RawJson,
        /// The revision that HTTP names in a header beside the one in `_meta`.
        mirror_version: Option<ProtocolVersion>,
        /// How long to wait; `None` until the negotiation is over.
        timeout: Option<Duration>,
    },
    /// Send a notification, after the revision has been pinned on the channel.
    Notify {
        /// The method; there are no params.
        method: MethodName,
        /// The revision that was agreed on.
        version: ProtocolVersion,
    },
    /// End the connection and open a fresh one: this server does not survive what it was asked.
    Reconnect,
    /// It is agreed. Requests that are under way are of no interest any more.
    Done(Box<Negotiated>),
    /// There is nothing to agree on.
    Failed(NegotiationError),
}

/// How a request of the negotiation ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// With a result.
    Result(RawJson),
    /// With an error.
    Error(ErrorObject),
    /// With an HTTP status that is no success.
    Rejected {
        /// The status.
        status: u16,
        /// The error in the body, if it holds one.
        error: Option<ErrorObject>,
    },
    /// With an answer that is no valid response.
    Malformed,
    /// Without an answer in time.
    TimedOut,
    /// Because the connection ended.
    Ended,
    /// Because the server cannot be reached.
    Unreachable,
}

/// Finds out which lifecycle and which revision a server speaks.
///
/// Poll the steps and do them; report how each request ended; sleep until
/// [`poll_timeout`](Self::poll_timeout).
#[derive(Debug)]
pub struct Negotiator {
    client: ClientIdentity,
    wire: Wire,
    preference: Preference,
    probe_timeout: Duration,
    initialize_timeout: Duration,
    steps: VecDeque<Step>,
    state: State,
    next_key: u32,
    probe: Option<u32>,
    initialize: Option<u32>,
    /// When the probe has been silent for too long.
    deadline: Option<Instant>,
    probed: Vec<ProtocolVersion>,
    offered: Vec<ProtocolVersion>,
    reconnected: bool,
    /// Why `initialize` failed, while the probe may still be answered.
    refused: Option<NegotiationError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Running,
    Over,
}

impl Negotiator {
    /// A negotiation that has not begun. A probe may be silent for 10 s, `initialize` for 60 s.
    #[must_use]
    pub const fn new(client: ClientIdentity, wire: Wire, preference: Preference) -> Self {
        Self {
            client,
            wire,
            preference,
            probe_timeout: Duration::from_secs(10),
            initialize_timeout: Duration::from_secs(60),
            steps: VecDeque::new(),
            state: State::New,
            next_key: 0,
            probe: None,
            initialize: None,
            deadline: None,
            probed: Vec::new(),
            offered: Vec::new(),
            reconnected: false,
            refused: None,
        }
    }

    /// The same negotiation with other limits: how long the probe may be silent before
    /// `initialize` is sent too, and how long that one may take.
    #[must_use]
    pub const fn with_timeouts(mut self, probe: Duration, initialize: Duration) -> Self {
        self.probe_timeout = probe;
        self.initialize_timeout = initialize;
        self
    }

    /// The next thing to do. The first call begins the negotiation.
    pub fn poll_step(&mut self, now: Instant) -> Option<Step> {
        if self.state == State::New {
            self.state = State::Running;
            self.begin(now);
        }
        self.steps.pop_front()
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<Instant> {
        self.deadline
    }

    /// Goes on without the probe if it has been silent for too long.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.deadline = None;
        if let Some(refused) = self.refused.take() {
            self.fail(refused);
        } else if self.initialize.is_none() {
            self.offer(ProtocolVersion::LATEST_HANDSHAKE);
        }
    }

    /// Takes how a request ended. Unknown keys are ignored: of requests that were overtaken.
    pub fn handle_outcome(&mut self, now: Instant, key: u32, outcome: Outcome) {
        if self.state != State::Running {
            return;
        }
        if self.probe == Some(key) {
            self.probe = None;
            self.probe_ended(now, outcome);
        } else if self.initialize == Some(key) {
            self.initialize = None;
            self.initialize_ended(now, outcome);
        }
    }

    fn begin(&mut self, now: Instant) {
        let stateless = self.client.newest(Feature::Stateless);
        let handshake = self.client.newest(Feature::Handshake);
        match (self.preference, stateless, handshake) {
            (Preference::Auto | Preference::Stateless, Some(version), _) => {
                self.send_probe(now, version);
            }
            (Preference::Auto | Preference::Handshake, _, Some(version)) => self.offer(version),
            _ => self.fail(NegotiationError::NoCommonVersion {
                ours: Vec::new(),
                theirs: Vec::new(),
            }),
        }
    }

    /// Whether the handshake is open to us.
    fn may_shake_hands(&self) -> bool {
        self.preference != Preference::Stateless && self.client.newest(Feature::Handshake).is_some()
    }

    fn request(
        &mut self,
        method: MethodName,
        params: RawJson,
        mirror_version: Option<ProtocolVersion>,
        timeout: Option<Duration>,
    ) -> u32 {
        let key = self.next_key;
        self.next_key = self.next_key.wrapping_add(1);
        self.steps.push_back(Step::Request {
            key,
            method,
            params,
            mirror_version,
            timeout,
        });
        key
    }

    fn done(&mut self, negotiated: Negotiated) {
        self.end(Step::Done(Box::new(negotiated)));
    }

    fn fail(&mut self, error: NegotiationError) {
        self.end(Step::Failed(error));
    }

    fn end(&mut self, step: Step) {
        self.state = State::Over;
        self.deadline = None;
        self.probe = None;
        self.initialize = None;
        self.steps.push_back(step);
    }
}
