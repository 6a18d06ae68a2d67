//! Runs conversations written line by line against one machine.
//!
//! * `> JSON` the peer sends a line
//! * `< JSON` the machine sends exactly this packet next, compared as JSON; members that the
//!   expectation does not name are ignored
//! * `! TEXT` the machine reports this event next; notes are left out
//! * `+ MS` time passes
//! * `= call METHOD [JSON]`, `= plain METHOD` (not cancellable), `= cancel N`,
//!   `= notify METHOD [JSON]`, `= ok ID JSON`, `= error ID CODE`, `= pin VERSION`
//!
//! Before each `>`, `+` and `=`, and at the end, nothing may be left to send or to report.

use std::time::{Duration, Instant};

use mcp_jsonrpc::{ErrorCode, ErrorObject, Failure, Frame, Id, Notification, Packet, RawJson};
use mcp_protocol::ProtocolVersion;
use mcp_protocol::lifecycle::{Connection, Event, Note, OutgoingCall};
use serde_json::Value;

pub(crate) struct Stage<C> {
    pub(crate) machine: C,
    pub(crate) now: Instant,
    pub(crate) notes: Vec<Note>,
}

impl<C: Connection<Tag = ()>> Stage<C> {
    pub(crate) fn new(machine: C) -> Self {
        Self {
            machine,
            now: start(),
            notes: Vec::new(),
        }
    }

    #[track_caller]
    pub(crate) fn play(&mut self, script: &str) -> &mut Self {
        for line in script.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
            match verb {
                "<" => self.expect_packet(rest),
                "!" => self.expect_event(rest),
                _ => {
                    self.expect_silence(line);
                    self.act(verb, rest);
                }
            }
        }
        self.expect_silence("the end");
        self
    }

    fn act(&mut self, verb: &str, rest: &str) {
        match verb {
            ">" => self
                .machine
                .handle_frame(self.now, Frame::decode(rest.to_owned().into())),
            "+" => {
                self.now += Duration::from_millis(rest.parse().unwrap());
                self.machine.handle_timeout(self.now);
            }
            "=" => self.command(rest),
            "#" => {}
            _ => panic!("unknown verb {verb}"),
        }
    }

    fn command(&mut self, command: &str) {
        let mut words = command.splitn(3, ' ');
        let (verb, name) = (words.next().unwrap(), words.next().unwrap());
        let json = words
            .next()
            .map(|json| RawJson::parse(json.to_owned()).unwrap());
        match verb {
            "call" | "plain" => {
                let token = json.as_ref().and_then(|json| {
                    let params: Value = json.decode().unwrap();
                    let token = params.pointer("/_meta/progressToken")?.clone();
                    Some(serde_json::from_value(token).unwrap())
                });
                let mut call = OutgoingCall::new(name.to_owned(), json);
                call.cancellable = verb == "call";
                call.idle = Some(Duration::from_secs(1));
                call.total = Some(Duration::from_secs(3));
                call.reset_on_progress = true;
                call.progress_token = token;
                self.machine.call(self.now, call, ()).unwrap();
            }
            "cancel" => {
                self.machine.cancel(&id(name), None).unwrap();
            }
            "notify" => self
                .machine
                .notify(Notification::new(name.to_owned(), json)),
            "ok" => self.machine.respond(&id(name), Ok(json.unwrap())),
            "error" => {
                let code = ErrorCode(json.unwrap().decode().unwrap());
                self.machine
                    .respond(&id(name), Err(ErrorObject::new(code, "no")));
            }
            "pin" => self
                .machine
                .negotiated(ProtocolVersion::parse(name).unwrap()),
            _ => panic!("unknown command {verb}"),
        }
    }

    #[track_caller]
    fn expect_packet(&mut self, expected: &str) {
        let packet = self.machine.poll_transmit();
        let packet = packet.unwrap_or_else(|| panic!("nothing was sent, not {expected}"));
        let sent = json(&packet);
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert!(includes(&sent, &expected), "sent {sent}, not {expected}");
    }

    #[track_caller]
    fn expect_event(&mut self, expected: &str) {
        let event = self.next_event();
        assert_eq!(event.as_deref(), Some(expected));
    }

    #[track_caller]
    fn expect_silence(&mut self, before: &str) {
        if let Some(packet) = self.machine.poll_transmit() {
            panic!("before {before}: sent {}", json(&packet));
        }
        if let Some(event) = self.next_event() {
            panic!("before {before}: reported {event}");
        }
    }

    fn next_event(&mut self) -> Option<String> {
        loop {
            return Some(match self.machine.poll_event()? {
                Event::Note(note) => {
                    self.notes.push(note);
                    continue;
                }
                Event::Request { request, context } => {
                    format!(
                        "request {} {} {}",
                        request.id, request.method, context.version
                    )
                }
                Event::Notification { notification, .. } => {
                    format!("notification {}", notification.method)
                }
                Event::Progress { id, progress, .. } => format!("progress {id} {progress}"),
                Event::Cancelled { id } => format!("cancelled {id}"),
                Event::Ended { id, outcome, .. } => match outcome {
                    Ok(result) => format!("ended {id} {}", result.as_str()),
                    Err(Failure::Remote(e)) => format!("ended {id} {}", e.code),
                    Err(Failure::TimedOut { after }) => format!("ended {id} after {after:?}"),
                    Err(other) => format!("ended {id} {other}"),
                },
                other => panic!("{other:?}"),
            });
        }
    }
}

/// The only look at the clock: machines count from here.
#[expect(
    clippy::disallowed_methods,
    reason = "a test needs some beginning of time"
)]
pub(crate) fn start() -> Instant {
    Instant::now()
}

pub(crate) fn json(packet: &Packet) -> Value {
    let mut line = Vec::new();
    packet.encode_into(&mut line);
    serde_json::from_slice(&line).unwrap()
}

fn id(text: &str) -> Id {
    serde_json::from_str(text).unwrap()
}

/// Whether every member of `expected` is in `actual`; arrays have to be as long. `null` says that
/// the member is not there.
fn includes(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            expected.iter().all(|(key, value)| match actual.get(key) {
                Some(actual) => includes(actual, value),
                None => value.is_null(),
            })
        }
        (Value::Array(actual), Value::Array(expected)) => {
            actual.len() == expected.len()
                && actual.iter().zip(expected).all(|(a, e)| includes(a, e))
        }
        _ => actual == expected,
    }
}
