//! The server's end of a byte stream: both lifecycles at once, told apart request by request.

use std::sync::Arc;
use std::time::Instant;

use mcp_jsonrpc::{
    DecodeError, ErrorObject, Frame, Id, Limits, Notification, Packet, RawJson, Refused, Request,
};

use super::connection::{Connection, Event, Note, OutgoingCall};
use super::gate;
use super::handshake::ServerHandshake;
use super::identity::ServerIdentity;
use super::latest::LatestClient;
use super::stateless::{self, Admission};
use super::traffic::{Inbound, Traffic};
use crate::initialize::Initialize;
use crate::{Feature, ProtocolVersion, RpcRequest};

/// The server's end of a connection over a byte stream.
///
/// It answers `initialize`, `ping` and `server/discover` by itself. Requests of its own wait
/// until the handshake is complete; what is no message is answered with an error.
#[derive(Debug)]
pub struct ServerConnection<T> {
    traffic: Traffic<T>,
    identity: Arc<ServerIdentity>,
    handshake: ServerHandshake,
    client: LatestClient,
}

impl<T> ServerConnection<T> {
    /// A connection on which nothing has been said.
    #[must_use]
    pub fn new(limits: Limits, identity: Arc<ServerIdentity>) -> Self {
        Self {
            traffic: Traffic::new(limits, false),
            handshake: ServerHandshake::new(Arc::clone(&identity)),
            client: LatestClient::default(),
            identity,
        }
    }

    fn drain(&mut self, now: Instant) {
        while let Some(inbound) = self.traffic.poll_inbound(now) {
            match inbound {
                Inbound::Request(request) => self.request(request),
                Inbound::Notification(notification) => self.notification(notification),
            }
        }
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        match stateless::admit_of(&request, &self.identity, &mut self.client) {
            Err(error) => self.traffic.respond(&id, Err(error)),
            Ok(Admission::Stateless(_)) if &*request.method == "server/discover" => {
                let result = encode(&stateless::discover(&self.identity));
                self.traffic.respond(&id, result);
            }
            Ok(Admission::Stateless(context)) => self.traffic.accept(request, context),
            Ok(Admission::Handshake(token)) => {
                if let Some(outcome) = self.answer(&request) {
                    self.traffic.respond(&id, outcome);
                } else if let Some(context) = self.handshake.context() {
                    let mut context = context.clone();
                    context.progress_token = token;
                    self.traffic.accept(request, context);
                }
            }
        }
    }

    /// The answer to a request under the handshake, if it does not need the layer above.
    fn answer(&mut self, request: &Request) -> Option<Result<RawJson, ErrorObject>> {
        Some(match &*request.method {
            "ping" => Ok(RawJson::EMPTY),
            "initialize" => self.initialize(request),
            method => match self.handshake.version() {
                Some(version) if gate::exists(method, version) => return None,
                Some(_) => Err(ErrorObject::method_not_found(method)),
                None => Err(self.too_early()),
            },
        })
    }

    fn initialize(&mut self, request: &Request) -> Result<RawJson, ErrorObject> {
        let params = Initialize::decode_params(request.params.as_ref())?;
        encode(&self.handshake.initialize(params)?)
    }

    /// Neither a handshake nor a context of its own: which of the two is missed depends on what
    /// the server speaks.
    fn too_early(&self) -> ErrorObject {
        if self.identity.versions.iter().any(|v| v.is_stateless()) {
            stateless::missing("protocolVersion")
        } else {
            ErrorObject::invalid_request("initialize comes first")
        }
    }

    fn notification(&mut self, notification: Notification) {
        if &*notification.method == "notifications/initialized" {
            if !self.handshake.initialized() {
                return;
            }
            self.traffic.open();
        }
        let context = self.handshake.context().cloned().unwrap_or_default();
        self.traffic.event(Event::Notification {
            notification,
            context,
        });
    }

    /// A task of 2025-11-25 reports by the token of the request that it was, until it has ended.
    fn is_of_a_task(&self, notification: &Notification) -> bool {
        let has_tasks = self
            .handshake
            .version()
            .is_some_and(|v| v.has(Feature::Tasks));
        has_tasks
            && super::peek::Meta::of(notification.params.as_ref())
                .related_task
                .is_some()
    }

    /// Whether a change may be announced outside of any request.
    fn may_announce(&self, notification: &Notification) -> bool {
        self.handshake.is_ready() && gate::server_may(&notification.method, &self.identity)
            || super::peek::Meta::of(notification.params.as_ref())
                .subscription
                .is_some()
    }
}

fn encode<T: serde::Serialize>(result: &T) -> Result<RawJson, ErrorObject> {
    RawJson::encode(result)
        .map_err(|e| ErrorObject::internal(format!("the result cannot be encoded: {e}")))
}

impl<T> Connection for ServerConnection<T> {
    type Tag = T;

    fn handle_frame(&mut self, now: Instant, frame: Result<Frame, DecodeError>) {
        let batches = self
            .handshake
            .version()
            .is_some_and(|v| v.has(Feature::Batches));
        match frame {
            Ok(Frame::Single(message)) => self.traffic.message(now, message),
            Ok(Frame::Batch(elements)) if batches => self.traffic.batch(now, elements),
            Ok(Frame::Batch(_)) => {
                self.traffic.note(Note::UnexpectedBatch);
                self.traffic.refuse(ErrorObject::invalid_request(
                    "a message is one object: batches are not agreed on",
                ));
            }
            Err(flaw) => self.traffic.flaw(flaw),
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
        let allowed = match &*notification.method {
            "notifications/progress" if self.is_of_a_task(&notification) => {
                return self.traffic.notify_of_task(notification);
            }
            "notifications/progress" => true,
            "notifications/message" => self.identity.capabilities.logging.is_some(),
            _ => self.may_announce(&notification),
        };
        if allowed {
            self.traffic.notify(notification);
        } else {
            self.traffic.note(Note::Withheld(notification.method));
        }
    }

    fn respond(&mut self, id: &Id, outcome: Result<RawJson, ErrorObject>) {
        self.traffic.respond(id, outcome);
    }

    fn cancel(&mut self, id: &Id, reason: Option<&str>) -> Option<T> {
        self.traffic.cancel(id, reason)
    }

    fn negotiated(&mut self, _version: ProtocolVersion) {}

    fn close(&mut self) -> Vec<(Id, T)> {
        self.traffic.close()
    }

    fn is_idle(&self) -> bool {
        self.traffic.is_idle()
    }
}
