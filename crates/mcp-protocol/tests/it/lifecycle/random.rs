//! Whatever a client sends in whatever order: no panic, no answer that was not asked for.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{Frame, Id, Limits, RawJson};
use mcp_protocol::lifecycle::{Connection, Event, OutgoingCall, ServerConnection};
use proptest::prelude::{ProptestConfig, Strategy, prop_oneof, proptest};
use proptest::sample::select;
use serde_json::Value;

use super::{identity, transcript};

const LINES: [&str; 20] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"1","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
    r#"[{"jsonrpc":"2.0","id":2,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"tools/list"},5]"#,
    r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}]"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
    r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    "{",
    "[]",
];

#[derive(Clone, Debug)]
enum Action {
    Line(&'static str),
    Answer(Id),
    Ask,
    Cancel(i64),
    Report,
    Wait(u64),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => select(&LINES[..]).prop_map(Action::Line),
        2 => select(&[1, 2, 3][..]).prop_map(|id: i64| Action::Answer(id.into())),
        1 => proptest::prelude::Just(Action::Ask),
        1 => (1..4_i64).prop_map(Action::Cancel),
        1 => proptest::prelude::Just(Action::Report),
        1 => (1..2_000_u64).prop_map(Action::Wait),
    ]
}

/// How often each id was asked for and answered.
#[derive(Default)]
struct Ledger {
    asked: HashMap<String, usize>,
    answered: HashMap<String, usize>,
}

impl Ledger {
    fn asks(&mut self, line: &str) {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            return;
        };
        for message in elements(&line) {
            if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
                *self.asked.entry(id.to_string()).or_default() += 1;
            }
        }
    }

    fn answers(&mut self, packet: &Value) {
        for message in elements(packet) {
            if message.get("method").is_some() {
                continue;
            }
            if let Some(id) = message.get("id").map(Value::to_string) {
                let answered = self.answered.entry(id.clone()).or_default();
                *answered += 1;
                let asked = self.asked.get(&id).copied().unwrap_or_default();
                assert!(*answered <= asked, "{id} is answered more often than asked");
            }
        }
    }
}

fn elements(packet: &Value) -> Vec<&Value> {
    match packet {
        Value::Array(elements) => elements.iter().collect(),
        single => vec![single],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_server_answers_what_it_was_asked_and_nothing_else(actions in proptest::collection::vec(action(), 1..40)) {
        let mut now = transcript::start();
        let mut server = ServerConnection::new(Limits::default(), Arc::new(identity()));
        let mut ledger = Ledger::default();
        for action in actions {
            match action {
                Action::Line(line) => {
                    ledger.asks(line);
                    server.handle_frame(now, Frame::decode(line.into()));
                }
                Action::Answer(id) => server.respond(&id, Ok(RawJson::EMPTY)),
                Action::Ask => {
                    let mut call = OutgoingCall::new("roots/list", None);
                    call.idle = Some(Duration::from_secs(1));
                    server.call(now, call, ()).unwrap();
                }
                Action::Cancel(id) => drop(server.cancel(&id.into(), None)),
                Action::Report => {
                    let params = RawJson::parse(r#"{"progressToken":"t","progress":1}"#).unwrap();
                    server.notify(mcp_jsonrpc::Notification::new("notifications/progress", Some(params)));
                }
                Action::Wait(ms) => {
                    now += Duration::from_millis(ms);
                    server.handle_timeout(now);
                }
            }
            while let Some(packet) = server.poll_transmit() {
                ledger.answers(&transcript::json(&packet));
            }
            while let Some(event) = server.poll_event() {
                let _: Event<()> = event;
            }
        }
        server.close();
        assert_eq!(server.poll_timeout(), None);
    }
}
