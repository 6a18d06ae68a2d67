//! POST: a message, or in one revision several, from the client.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use http_body::Body;
use mcp_jsonrpc::{DecodeError, Frame, Id, Message, Notification, Request};
use mcp_protocol::lifecycle::stateless::{Admission, admit};
use mcp_protocol::{Feature, RequestContext};
use mcp_transport::{Channel, Incoming};

use super::Shared;
use super::answers::Answers;
use super::body::EventBody;
use super::exchange::Exchange;
use super::outbox::Outbox;
use super::read::read;
use super::replay::StreamControl;
use super::reply::{self, Reply};
use super::running::{Running, Task};
use super::session::InFlight;
use super::{batch, handshake, stateless};
use crate::headers::{accepted, has_media_type};

/// Which kinds of answer the client takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepts {
    json: bool,
    events: bool,
}

pub(super) async fn handle<B>(shared: &Arc<Shared>, parts: Arc<Parts>, body: B) -> Reply
where
    B: Body<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // A page can send other types without asking.
    if !has_media_type(&parts.headers, "application/json") {
        let why = "the body must be application/json";
        return reply::refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
    }
    let accepts = match accepted(&parts.headers) {
        (false, false) => {
            let why = "the answer is application/json or text/event-stream";
            return reply::refuse(StatusCode::NOT_ACCEPTABLE, why);
        }
        (json, events) => Accepts { json, events },
    };
    let (text, _room) = match read(shared, body).await {
        Ok(read) => read,
        Err(refusal) => return *refusal,
    };
    // What is done before the handler is waited for needs no room while it is.
    let answering = {
        let frame = Frame::decode(text);
        let post = Post {
            shared,
            parts,
            accepts,
            listens: match &frame {
                Ok(Frame::Single(Message::Request(request))) => subscription(request),
                _ => None,
            },
        };
        match post.take(frame) {
            Outcome::Reply(reply) => return reply,
            Outcome::Runs(runs) => post.answer(runs),
        }
    };
    answering.await
}

/// What a POST comes to. All that needs no waiting is done before it, so that what waits is small.
pub(super) enum Outcome {
    Reply(Reply),
    Runs(Runs),
}

impl From<Reply> for Outcome {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

/// Handlers that were started.
pub(super) struct Runs {
    pub(super) exchange: Arc<Exchange>,
    pub(super) running: Running,
    /// Those that are there already.
    pub(super) answers: Answers,
    /// How all of them are written where they need no stream.
    pub(super) json: fn(Answers) -> Reply,
}

/// A POST whose body has been read.
pub(super) struct Post<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) parts: Arc<Parts>,
    accepts: Accepts,
    /// Its id where it is a subscription, which lasts until one of both sides ends it.
    listens: Option<Id>,
}

fn subscription(request: &Request) -> Option<Id> {
    (&*request.method == "subscriptions/listen").then(|| request.id.clone())
}

impl Post<'_> {
    fn take(&self, frame: Result<Frame, DecodeError>) -> Outcome {
        match frame {
            Ok(Frame::Single(Message::Request(request))) => self.request(request),
            Ok(Frame::Single(Message::Notification(notification))) => {
                if stateless::names_modern_version(&self.parts.headers) {
                    stateless::notification(self, notification).into()
                } else {
                    handshake::notification(self, notification).into()
                }
            }
            Ok(Frame::Single(Message::Response(response))) => {
                handshake::response(self, Ok(response)).into()
            }
            Ok(Frame::Batch(elements)) => batch::batch(self, elements),
            Err(flaw) if flaw.reply().is_none() => handshake::response(self, Err(flaw)).into(),
            Err(flaw) => reply::flaw(&flaw).into(),
        }
    }

    fn request(&self, request: Request) -> Outcome {
        match admit(&request, &self.shared.identity) {
            Ok(Admission::Handshake(_)) if stateless::names_modern_version(&self.parts.headers) => {
                stateless::no_version(request.id).into()
            }
            Ok(Admission::Handshake(token)) => handshake::request(self, request, token),
            Ok(Admission::Stateless(context)) => stateless::request(self, request, context),
            Err(error) => stateless::refusal(self, &request, error).into(),
        }
    }

    /// A request for its handler.
    pub(super) fn incoming(
        &self,
        request: Request,
        context: RequestContext,
        exchange: &Arc<Exchange>,
    ) -> Incoming<Request, RequestContext> {
        let channel = Arc::clone(exchange);
        let mut incoming = Incoming::new(request, context, channel);
        incoming.extensions.insert(Arc::clone(&self.parts));
        if let Some(session) = &exchange.session {
            incoming.session = Some(session.face.clone());
            if self.shared.options.replay_per_stream > 0
                && session.context.version.has(Feature::HttpPolling)
                && self.accepts.events
            {
                let control = StreamControl(Arc::clone(exchange));
                incoming.extensions.insert(control);
            }
        }
        incoming
    }

    /// Starts the handler of a request.
    pub(super) fn start(
        &self,
        incoming: Incoming<Request, RequestContext>,
        place: Option<InFlight>,
    ) -> Task {
        let id = incoming.message.id.clone();
        let token = incoming.cancelled.clone();
        let handler = Arc::clone(&self.shared.handler);
        Task::start(id, token, place, move || handler.request(incoming))
    }

    /// A notification for its handler.
    pub(super) fn notice(
        &self,
        notification: Notification,
        context: RequestContext,
        channel: Arc<dyn Channel>,
    ) -> Incoming<Notification, RequestContext> {
        let mut notice = Incoming::new(notification, context, channel);
        notice.extensions.insert(Arc::clone(&self.parts));
        notice
    }

    /// Runs handlers up to the point where it is clear how the answer looks: they finish without
    /// having sent anything, or they send something.
    fn answer(self, runs: Runs) -> impl Future<Output = Reply> {
        let Runs {
            exchange,
            mut running,
            mut answers,
            json,
        } = runs;
        async move {
            // Where the client takes no events, nobody reads them.
            let reading = self.accepts.events.then(|| Reading::begin(&exchange));
            let reads = reading.is_some().then_some(&exchange.outbox);
            let finished = self.begin(&mut running, &mut answers, reads).await;
            let Some(reading) = reading else {
                return json(answers);
            };
            let silent = finished && !answers.is_empty() && exchange.outbox.is_empty();
            if silent && self.accepts.json {
                return json(answers);
            }
            for answer in answers {
                // The end of `running` finishes the outbox, not before.
                let _ = exchange.outbox.push(&Message::from(answer));
            }
            let reader = reading.go_on();
            reply::events(self.stream(exchange, reader, (!finished).then_some(running)))
        }
    }

    /// Runs handlers to their end, which is `true`, or until they have sent something that can be
    /// read.
    async fn begin(
        &self,
        running: &mut Running,
        answers: &mut Answers,
        outbox: Option<&Outbox>,
    ) -> bool {
        let begun = poll_fn(|cx| {
            if running.poll(cx, |answer| answers.push(answer)) {
                return Poll::Ready(true);
            }
            match outbox {
                Some(outbox) => outbox.poll_any(cx).map(|()| false),
                None => Poll::Pending,
            }
        });
        let Some(id) = &self.listens else {
            return begun.await;
        };
        let begun = self.shared.closing.run_until_cancelled(begun).await;
        if begun.is_none() {
            answers.push(stateless::listened(self.shared, id));
        }
        begun.unwrap_or(true)
    }

    /// The answer as a stream. In a session its handlers go on in a task, since another
    /// connection may read on; else they run in the stream.
    fn stream(&self, exchange: Arc<Exchange>, reader: u64, running: Option<Running>) -> EventBody {
        let period = self.shared.options.keep_alive;
        let Some(session) = exchange.session.clone() else {
            let body = EventBody::exchange(exchange, reader, None, period).running(running);
            // Of these only the end of a subscription is not in sight.
            return match &self.listens {
                None => body,
                Some(id) => {
                    let last = stateless::listened(self.shared, id);
                    body.until(self.shared.closing.clone(), last.into())
                }
            };
        };
        let label = self.shared.keep().map(|keep| {
            exchange.outbox.keep(keep);
            session.register(&exchange)
        });
        drop(running);
        let body = EventBody::exchange(exchange, reader, label, period);
        if session.context.version.has(Feature::HttpPolling) {
            return body.primed();
        }
        body
    }
}

/// The place of a reader that is not there yet: should the client go before the answer begins,
/// handlers must not wait for it.
struct Reading(Option<(Arc<Exchange>, u64)>);

impl Reading {
    fn begin(exchange: &Arc<Exchange>) -> Self {
        Self(Some((Arc::clone(exchange), exchange.outbox.attach())))
    }

    /// The reader is there.
    fn go_on(mut self) -> u64 {
        self.0.take().map_or(0, |(_, reader)| reader)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some((exchange, reader)) = &self.0 {
            exchange.outbox.detach(*reader);
        }
    }
}
