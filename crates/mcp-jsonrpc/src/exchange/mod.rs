//! Who asked what and still waits: the bookkeeping of both directions, without I/O or clock.

mod failure;
mod incoming;
mod outgoing;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::{
    DecodeError, ErrorObject, Id, Message, MethodName, Notification, RawJson, Request, Response,
};
pub use failure::{Failure, Refused};
use incoming::Incoming;
use outgoing::Outgoing;

/// The state of one JSON-RPC connection.
///
/// Messages and the time go in by `handle_*`, messages and events come out by `poll_*`; after
/// each of the former, drain the latter until they yield `None`. `T` is what a caller attaches to
/// a call; it is handed back when the call ends.
///
/// Nothing here grows beyond [`Limits`] save the two output queues, which hold what the user has
/// not yet polled.
///
/// ```
/// use std::time::Instant;
/// use mcp_jsonrpc::{CallOptions, Event, Exchange, Limits, Message, RawJson};
/// let (now, mut client) = (Instant::now(), Exchange::new(Limits::default()));
/// let mut server = Exchange::<()>::new(Limits::default());
///
/// client.call(now, "ping".into(), None, CallOptions::default(), "who asked").unwrap();
/// server.handle_message(now, client.poll_transmit().unwrap());
/// let Some(Event::Request(request)) = server.poll_event() else { panic!() };
/// server.respond(&request.id, Ok(RawJson::EMPTY));
/// client.handle_message(now, server.poll_transmit().unwrap());
/// assert!(matches!(client.poll_event(), Some(Event::Ended { tag: "who asked", outcome: Ok(_), .. })));
/// ```
#[derive(Debug)]
pub struct Exchange<T> {
    outgoing: Outgoing<T>,
    incoming: Incoming,
    transmit: VecDeque<Message>,
    events: VecDeque<Event<T>>,
}

/// How many calls may wait for their answers at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Our calls; a further one is [`Refused::Busy`].
    pub max_outgoing: usize,
    /// The peer's; a further one is answered with an error at once.
    pub max_incoming: usize,
}

/// 1024 in each direction.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_outgoing: 1024,
            max_incoming: 1024,
        }
    }
}

/// How long a call may take. The default sets no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// Without an answer or, where it counts, progress.
    pub idle: Option<Duration>,
    /// In all, whatever progress says.
    pub total: Option<Duration>,
    /// Whether [`Exchange::progress`] starts `idle` anew.
    pub reset_on_progress: bool,
}

/// What happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<T> {
    /// The peer asks; answer it with [`Exchange::respond`] or give it up with
    /// [`Exchange::withdraw`].
    Request(Request),
    /// The peer tells.
    Notification(Notification),
    /// One of our calls ended. Its id is never used again.
    Ended {
        /// Which.
        id: Id,
        /// What the caller attached.
        tag: T,
        /// The result, or why there is none.
        outcome: Result<RawJson, Failure>,
    },
    /// A response that nobody waits for: late, or the peer's mistake. Worth a log line.
    Stray(Response),
}

impl<T> Exchange<T> {
    /// A connection on which nothing has been said.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            outgoing: Outgoing::new(limits.max_outgoing),
            incoming: Incoming::new(limits.max_incoming),
            transmit: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// The id that the next call will get.
    #[must_use]
    pub fn next_id(&self) -> Id {
        self.outgoing.next_id()
    }

    /// Sends a request. Ids count up from 1 and are never used twice.
    ///
    /// # Errors
    /// [`Refused`], with the tag, when the limit is reached or the connection is closed.
    #[expect(clippy::too_many_arguments, reason = "two of them are one message")]
    pub fn call(
        &mut self,
        now: Instant,
        method: MethodName,
        params: Option<RawJson>,
        options: CallOptions,
        tag: T,
    ) -> Result<Id, (Refused, T)> {
        let id = self.outgoing.insert(now, options, tag)?;
        self.transmit
            .push_back(Request::new(id.clone(), method, params).into());
        Ok(id)
    }

    /// Sends a notification.
    pub fn notify(&mut self, notification: Notification) {
        self.transmit.push_back(notification.into());
    }

    /// Answers a request of the peer. `false` if nobody waits for it: unknown, answered already,
    /// or withdrawn; then nothing is sent.
    pub fn respond(&mut self, id: &Id, outcome: Result<RawJson, ErrorObject>) -> bool {
        let owed = self.incoming.remove(id);
        if owed {
            self.answer(id.clone(), outcome);
        }
        owed
    }

    /// Gives up one of our calls: a late answer is dropped. Sends nothing.
    pub fn cancel(&mut self, id: &Id) -> Option<T> {
        self.outgoing.remove(id)
    }

    /// Gives up a request of the peer: no answer will be sent. `false` if none was owed.
    pub fn withdraw(&mut self, id: &Id) -> bool {
        self.incoming.remove(id)
    }

    /// Whether a request of the peer with this id waits for our answer.
    #[must_use]
    pub fn owes(&self, id: &Id) -> bool {
        self.incoming.contains(id)
    }

    /// Notes progress of one of our calls. `false` if it has ended.
    pub fn progress(&mut self, now: Instant, id: &Id) -> bool {
        self.outgoing.progress(now, id)
    }

    /// Takes a message from the peer.
    pub fn handle_message(&mut self, _now: Instant, message: Message) {
        match message {
            Message::Request(request) => match self.incoming.insert(&request.id) {
                Ok(()) => self.events.push_back(Event::Request(request)),
                Err(error) => self.answer(request.id, Err(error)),
            },
            Message::Notification(n) => self.events.push_back(Event::Notification(n)),
            Message::Response(response) => self.handle_response(response),
        }
    }

    /// Takes what came instead of a message: fails the call that it would have answered, or
    /// answers it.
    ///
    /// A peer that logs to its message stream would read such answers as garbage and log again;
    /// who talks to one (the client role) passes on only what [`DecodeError::answers`] a call.
    pub fn handle_flaw(&mut self, flaw: DecodeError) {
        if let Some((id, error)) = flaw.reply() {
            self.transmit
                .push_back(Response::new(id, Err(error)).into());
        } else if let Some(id) = flaw.answers() {
            let id = id.clone();
            if let Some(tag) = self.outgoing.remove(&id) {
                self.ended(id, tag, Err(Failure::Malformed(flaw)));
            }
        }
    }

    /// Ends the calls that have waited long enough.
    pub fn handle_timeout(&mut self, now: Instant) {
        for (id, tag, after) in self.outgoing.expire(now) {
            self.ended(id, tag, Err(Failure::TimedOut { after }));
        }
    }

    /// The next message to send.
    pub fn poll_transmit(&mut self) -> Option<Message> {
        self.transmit.pop_front()
    }

    /// The next event, in the order in which the messages came in.
    pub fn poll_event(&mut self) -> Option<Event<T>> {
        self.events.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout). May be earlier than the first
    /// deadline; then that call ends nothing.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.outgoing.next_deadline()
    }

    /// Ends all: gives back the calls that wait, oldest first, forgets what is owed to the peer
    /// and refuses calls from now on. What is queued to be sent stays queued.
    pub fn close(&mut self) -> Vec<(Id, T)> {
        self.incoming.clear();
        self.outgoing.close()
    }

    /// Whether no request of either side waits for its answer and nothing waits to be polled.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.outgoing.is_empty()
            && self.incoming.is_empty()
            && self.transmit.is_empty()
            && self.events.is_empty()
    }

    fn handle_response(&mut self, response: Response) {
        let waiting = match &response.id {
            Some(id) => self.outgoing.remove(id).map(|tag| (id.clone(), tag)),
            None => None,
        };
        match waiting {
            Some((id, tag)) => self.ended(id, tag, response.outcome.map_err(Failure::Remote)),
            None => self.events.push_back(Event::Stray(response)),
        }
    }

    fn ended(&mut self, id: Id, tag: T, outcome: Result<RawJson, Failure>) {
        self.events.push_back(Event::Ended { id, tag, outcome });
    }

    fn answer(&mut self, id: Id, outcome: Result<RawJson, ErrorObject>) {
        self.transmit.push_back(Response::new(id, outcome).into());
    }
}
