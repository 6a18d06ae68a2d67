//! The client's end of a byte stream.

use std::time::Instant;

use mcp_jsonrpc::{
    DecodeError, ErrorObject, Frame, Id, Limits, Message, Notification, Packet, RawJson, Refused,
    Request,
};

use super::connection::{Connection, Event, Note, OutgoingCall};
use super::peek::Meta;
use super::traffic::{Inbound, Traffic};
use crate::{Feature, ProtocolVersion, RequestContext};

/// The client's end of a connection over a byte stream.
///
/// It answers `ping` by itself. Lines that are no messages are noted and never answered: they
/// are what programs print that do not know that their output is a wire.
#[derive(Debug)]
pub struct ClientConnection<T> {
    traffic: Traffic<T>,
    version: Option<ProtocolVersion>,
}

impl<T> ClientConnection<T> {
    /// A connection on which nothing has been said.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            traffic: Traffic::new(limits, true),
            version: None,
        }
    }

    fn has(&self, feature: Feature) -> bool {
        self.version.is_some_and(|version| version.has(feature))
    }

    fn drain(&mut self, now: Instant) {
        while let Some(inbound) = self.traffic.poll_inbound(now) {
            match inbound {
                Inbound::Request(request) => self.request(request),
                Inbound::Notification(notification) => {
                    let context = self.context();
                    self.traffic.event(Event::Notification {
                        notification,
                        context,
                    });
                }
            }
        }
    }

    fn request(&mut self, request: Request) {
        if self.version.is_some() && !self.has(Feature::ServerRequests) {
            self.traffic.withdraw(&request.id);
            self.traffic.note(Note::ForbiddenRequest(request.method));
        } else if &*request.method == "ping" {
            self.traffic.respond(&request.id, Ok(RawJson::EMPTY));
        } else if self.version.is_none() {
            let error = ErrorObject::invalid_request("the handshake is not complete");
            self.traffic.respond(&request.id, Err(error));
        } else {
            let mut context = self.context();
            context.progress_token = Meta::of(request.params.as_ref()).progress_token();
            self.traffic.accept(request, context);
        }
    }

    fn context(&self) -> RequestContext {
        RequestContext::new(self.version.unwrap_or(ProtocolVersion::LATEST_HANDSHAKE))
    }

    /// Nothing in an array counts where there are no batches, but who waits for an answer that
    /// it holds must hear of it.
    fn refuse(&mut self, elements: Vec<Result<Message, DecodeError>>) {
        self.traffic.note(Note::UnexpectedBatch);
        for element in elements {
            if let Ok(Message::Response(response)) = element {
                self.traffic.flaw(DecodeError::Response {
                    id: response.id,
                    reason: "it came in a batch, which is not agreed on",
                });
            }
        }
    }
}

impl<T> Connection for ClientConnection<T> {
    type Tag = T;

    fn handle_frame(&mut self, now: Instant, frame: Result<Frame, DecodeError>) {
        match frame.map_err(DecodeError::as_response) {
            Ok(Frame::Single(message)) => self.traffic.message(now, message),
            Ok(Frame::Batch(elements)) if self.has(Feature::Batches) => {
                let known = |e: &Result<_, DecodeError>| match e {
                    Ok(_) => true,
                    Err(flaw) => flaw.answers().is_some(),
                };
                self.traffic
                    .batch(now, elements.into_iter().filter(known).collect());
            }
            Ok(Frame::Batch(elements)) => self.refuse(elements),
            Err(flaw) if flaw.answers().is_some() => self.traffic.flaw(flaw),
            Err(flaw) => self.traffic.note(Note::Garbage(flaw)),
        }
        self.drain(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.traffic.timeout(now);
        self.drain(now);
    }

    fn poll_transmit(&mut self) -> Option<Packet> {
        self.traffic.poll_transmit()
    }

    fn poll_event(&mut self) -> Option<Event<T>> {
        self.traffic.poll_event()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.traffic.poll_timeout()
    }

    fn call(&mut self, now: Instant, call: OutgoingCall, tag: T) -> Result<Id, (Refused, T)> {
        self.traffic.call(now, call, tag)
    }

    fn notify(&mut self, notification: Notification) {
        self.traffic.notify(notification);
    }

    fn respond(&mut self, id: &Id, outcome: Result<RawJson, ErrorObject>) {
        self.traffic.respond(id, outcome);
    }

    fn cancel(&mut self, id: &Id, reason: Option<&str>) -> Option<T> {
        self.traffic.cancel(id, reason)
    }

    fn negotiated(&mut self, version: ProtocolVersion) {
        self.version = Some(version);
    }

    fn close(&mut self) -> Vec<(Id, T)> {
        self.traffic.close()
    }

    fn is_idle(&self) -> bool {
        self.traffic.is_idle()
    }
}
