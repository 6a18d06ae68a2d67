//! What is remembered of the latest request never shows in the next.

use mcp_jsonrpc::{Message, Request};
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::lifecycle::stateless::{Admission, admit};
use mcp_protocol::{Implementation, ProtocolVersion, ServerCapabilities};

const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
const NOTHING: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;

fn identity() -> ServerIdentity {
    ServerIdentity::new(Implementation::new("s", "1"), ServerCapabilities::default())
}

fn request_of(method: &str, meta: &str) -> Request {
    let params = format!(r#"{{"name":"x","_meta":{meta}}}"#);
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    match Message::decode(text.into()) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?}"),
    }
}

fn told(request: &Request) -> String {
    format!("{:?}", admit(request, &identity()))
}

/// As [`told`] where nothing that is remembered can be of use: what was said before is too long.
fn told_first(request: &Request) -> String {
    let long = "x".repeat(5000);
    let capabilities = format!(
        r#""io.modelcontextprotocol/clientCapabilities":{{"experimental":{{"x":{{"y":"{long}"}}}}}}"#
    );
    let info = format!(r#""io.modelcontextprotocol/clientInfo":{{"name":"{long}","version":"1"}}"#);
    let before = told(&request_of(
        "ping",
        &format!("{{{VERSION},{capabilities},{info}}}"),
    ));
    assert!(before.contains("not found"), "{before:.200}");
    told(request)
}

#[test]
fn a_request_is_judged_by_itself_whatever_came_before() {
    let metas = [
        format!(r#"{{"progressToken":1,{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":23,{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":"a",{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":"a\"b",{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":1.5,{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":-4,{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":99999999999999999999,{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":null,{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":5,"x":{{"progressToken":6}},{VERSION},{NOTHING}}}"#),
        format!(r#"{{"progressToken":5,"progressToken":6,{VERSION},{NOTHING}}}"#),
        format!(r#"{{{VERSION},{NOTHING}}}"#),
        format!(r#"{{{VERSION},{NOTHING},"progressToken":7}}"#),
        format!(r#"{{{VERSION},"io.modelcontextprotocol/clientCapabilities":{{"roots":{{}}}}}}"#),
        format!(r#"{{{VERSION},{NOTHING},"io.modelcontextprotocol/logLevel":"error"}}"#),
        format!(r#"{{{VERSION},{NOTHING},"io.modelcontextprotocol/logLevel":"unheard-of"}}"#),
        format!(
            r#"{{{VERSION},{NOTHING},"io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1"}}}}"#
        ),
        format!(r#"{{"progressToken":8,{VERSION}}}"#),
        format!(r#"{{"io.modelcontextprotocol/protocolVersion":"2099-01-01",{NOTHING}}}"#),
        r#"{"progressToken":8}"#.to_owned(),
        r#"{"progressToken":9}"#.to_owned(),
        r#"{"progressToken":9,"a":{}}"#.to_owned(),
        "{}".to_owned(),
        "null".to_owned(),
        "7".to_owned(),
    ];
    for (first, second) in metas.iter().flat_map(|a| metas.iter().map(move |b| (a, b))) {
        for method in ["tools/call", "initialize", "ping"] {
            let request = request_of(method, second);
            let expected = told_first(&request);
            told(&request_of("tools/call", first));
            assert_eq!(told(&request), expected, "{method}: {second} after {first}");
        }
    }
}

#[test]
fn what_one_server_has_judged_another_judges_anew() {
    let meta = format!(r#"{{"progressToken":1,{VERSION},{NOTHING}}}"#);
    let old = identity().with_versions([ProtocolVersion::V2025_11_25]);
    for _ in 0..2 {
        let newer = admit(&request_of("tools/call", &meta), &identity());
        assert!(matches!(newer, Ok(Admission::Stateless(_))));
        let older = admit(&request_of("tools/call", &meta), &old);
        assert!(matches!(older, Ok(Admission::Handshake(Some(_)))));
    }
}
