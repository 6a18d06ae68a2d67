//! Client and server machines wired to each other, with a clock that only moves when told to.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_jsonrpc::{Failure, Frame, Id, Limits, Notification, Packet, RawJson};
use mcp_protocol::lifecycle::{
    ClientConnection, ClientIdentity, Connection, Event, Negotiated, Negotiator, NotNegotiated,
    Outcome, OutgoingCall, Preference, ServerConnection, ServerIdentity, Step, Wire,
};
use mcp_protocol::{
    ClientCapabilities, Implementation, ProtocolVersion, ServerCapabilities, ServerTasksCapability,
    tasks,
};
use serde_json::Map;

use super::{identity, transcript::start};

/// A client that negotiates with a server over two perfect pipes.
struct Pair {
    now: Instant,
    client: ClientConnection<u32>,
    server: ServerConnection<()>,
    negotiator: Negotiator,
    calls: HashMap<u32, Id>,
    /// What the server leaves unread: a program that is slow to start.
    parked: Option<Vec<Packet>>,
    served: Vec<String>,
}

impl Pair {
    fn new(server: ServerIdentity) -> Self {
        let info = Implementation::new("client", "1.0.0");
        let client = ClientIdentity::new(info, ClientCapabilities::new());
        Self {
            now: start(),
            client: ClientConnection::new(Limits::default()),
            server: ServerConnection::new(Limits::default(), Arc::new(server)),
            negotiator: Negotiator::new(client, Wire::Stream, Preference::Auto),
            calls: HashMap::new(),
            parked: None,
            served: Vec::new(),
        }
    }

    /// Negotiates until it is done, or until only time can help.
    fn negotiate(&mut self) -> Option<Negotiated> {
        loop {
            match self.negotiator.poll_step(self.now) {
                Some(Step::Done(negotiated)) => {
                    self.client.negotiated(negotiated.version);
                    self.forget_calls();
                    self.carry();
                    return Some(*negotiated);
                }
                Some(step) => self.go(step),
                None if self.carry() => {}
                None => return None,
            }
        }
    }

    fn go(&mut self, step: Step) {
        match step {
            Step::Request {
                key,
                method,
                params,
                timeout,
                ..
            } => {
                let mut call = OutgoingCall::new(method, Some(params));
                call.cancellable = false;
                call.total = timeout;
                let id = self.client.call(self.now, call, key).unwrap();
                self.calls.insert(key, id);
            }
            Step::Notify { method, version } => {
                self.client.negotiated(version);
                self.client.notify(Notification::new(method, None));
            }
            other => panic!("{other:?}"),
        }
    }

    fn forget_calls(&mut self) {
        for id in self.calls.values() {
            self.client.cancel(id, None);
        }
    }

    /// Carries all packets there and back. Whether anything happened.
    fn carry(&mut self) -> bool {
        let mut moved = false;
        while let Some(packet) = self.client.poll_transmit() {
            moved = true;
            match &mut self.parked {
                Some(parked) => parked.push(packet),
                None => self.server.handle_frame(self.now, frame(&packet)),
            }
        }
        self.serve();
        while let Some(packet) = self.server.poll_transmit() {
            moved = true;
            self.client.handle_frame(self.now, frame(&packet));
        }
        while let Some(event) = self.client.poll_event() {
            moved = true;
            if let Event::Ended { tag, outcome, .. } = event {
                let outcome = match outcome {
                    Ok(result) => Outcome::Result(result),
                    Err(Failure::Remote(error)) => Outcome::Error(error),
                    Err(other) => panic!("{other}"),
                };
                self.negotiator.handle_outcome(self.now, tag, outcome);
            }
        }
        moved
    }

    fn serve(&mut self) {
        while let Some(event) = self.server.poll_event() {
            if let Event::Request { request, context } = event {
                self.served
                    .push(format!("{} {}", request.method, context.version));
                self.server.respond(&request.id, Ok(RawJson::EMPTY));
            }
        }
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.client.handle_timeout(self.now);
        self.negotiator.handle_timeout(self.now);
    }

    /// The server starts reading.
    fn wake(&mut self) {
        for packet in self.parked.take().into_iter().flatten() {
            self.server.handle_frame(self.now, frame(&packet));
        }
    }
}

fn frame(packet: &Packet) -> Result<Frame, mcp_jsonrpc::DecodeError> {
    let mut line = Vec::new();
    packet.encode_into(&mut line);
    Frame::decode(line.into())
}

#[test]
fn a_client_agrees_with_a_server_of_each_revision_and_calls_it() {
    for version in ProtocolVersion::ALL {
        let mut pair = Pair::new(identity().with_versions([version]));
        let negotiated = pair.negotiate().unwrap();
        assert_eq!(negotiated.version, version);
        assert_eq!(negotiated.server_info.as_ref().unwrap().name, "library");

        negotiated.allows("tools/call").unwrap();
        let mut meta = None;
        negotiated.stamp(&mut meta);
        assert_eq!(meta.is_some(), version.is_stateless());
        let params = serde_json::json!({"name": "a", "_meta": meta});
        let call = OutgoingCall::new("tools/call", Some(RawJson::from(params)));
        pair.client.call(pair.now, call, 99).unwrap();
        pair.carry();
        assert_eq!(pair.served, [format!("tools/call {version}")]);
        assert!(pair.client.is_idle() && pair.server.is_idle());
    }
}

#[test]
fn the_newest_revision_is_agreed_on_with_a_server_of_all() {
    let negotiated = Pair::new(identity()).negotiate().unwrap();
    assert_eq!(negotiated.version, ProtocolVersion::LATEST);
}

#[test]
fn life_25_a_server_that_is_slow_to_start_is_not_taken_for_an_old_one() {
    for versions in [&ProtocolVersion::ALL[..], &[ProtocolVersion::LATEST]] {
        let mut pair = Pair::new(identity().with_versions(versions));
        pair.parked = Some(Vec::new());
        assert!(pair.negotiate().is_none());
        pair.wait(Duration::from_secs(12));
        assert!(pair.negotiate().is_none());
        pair.wake();
        assert_eq!(pair.negotiate().unwrap().version, ProtocolVersion::LATEST);
        assert!(pair.client.is_idle());
    }
}

#[test]
fn proto_13_what_was_not_declared_is_refused_without_a_message() {
    for version in ProtocolVersion::ALL {
        let negotiated = Pair::new(identity().with_versions([version]))
            .negotiate()
            .unwrap();
        for method in ["prompts/list", "resources/read", "resources/subscribe"] {
            assert!(negotiated.allows(method).is_err(), "{method} in {version}");
        }
        let old = version == ProtocolVersion::V2024_11_05;
        assert_eq!(negotiated.allows("completion/complete").is_ok(), old);
        assert_eq!(negotiated.allows("ping").is_ok(), !version.is_stateless());
        assert_eq!(
            negotiated.allows("subscriptions/listen").is_ok(),
            version.is_stateless()
        );
        let undeclared = negotiated.allows_notification("notifications/roots/list_changed");
        assert!(undeclared.is_err());
    }
}

#[test]
fn tasks_are_a_capability_or_an_extension_as_the_revision_has_them() {
    let methods = ["get", "result", "list", "cancel", "update"].map(|m| format!("tasks/{m}"));
    let tasks = ServerTasksCapability::new().with_cancel(Map::new());
    let extensions = Map::from_iter([(tasks::EXTENSION.to_owned(), Map::new().into())]);
    let capabilities = ServerCapabilities::new()
        .with_tasks(Box::new(tasks))
        .with_extensions(extensions);
    let client = ClientIdentity::new(Implementation::new("c", "1"), ClientCapabilities::new());
    for version in ProtocolVersion::ALL {
        let allowed = |capabilities| {
            let negotiated = Negotiated::new(version, capabilities, client.clone());
            let allowed = |method: &&String| negotiated.allows(method.as_str()).is_ok();
            methods.iter().filter(allowed).cloned().collect::<Vec<_>>()
        };
        assert!(allowed(ServerCapabilities::new()).is_empty(), "{version}");
        let expected: &[&str] = match version {
            ProtocolVersion::V2025_11_25 => &["tasks/get", "tasks/result", "tasks/cancel"],
            ProtocolVersion::V2026_07_28 => &["tasks/get", "tasks/cancel", "tasks/update"],
            _ => &[],
        };
        assert_eq!(allowed(capabilities.clone()), expected, "{version}");
    }
}

#[test]
fn a_refusal_says_what_is_missing() {
    let negotiated = Pair::new(identity()).negotiate().unwrap();
    let prompts = negotiated.allows("prompts/get").unwrap_err();
    assert!(matches!(
        prompts,
        NotNegotiated::Capability {
            capability: "prompts",
            ..
        }
    ));
    assert_eq!(
        prompts.to_string(),
        "the server does not offer prompts, which prompts/get needs"
    );
    let ping = negotiated.allows("ping").unwrap_err();
    assert_eq!(ping.to_string(), "revision 2026-07-28 has no ping");
}
