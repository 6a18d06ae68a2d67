//! Progress: only for tokens in use, only rising, and it keeps a call alive up to a limit.

use mcp_protocol::ProtocolVersion;

use super::{open_client, open_server};

#[test]
fn j24_progress_keeps_a_call_alive_up_to_its_limit() {
    let mut client = open_client(ProtocolVersion::V2025_11_25);
    client.play(
        r#"
        = call tools/call {"_meta":{"progressToken":"t"}}
        < {"id":1}
        "#,
    );
    // A report each 400 ms; the call may wait 1 s for one and 3 s in all.
    for n in 1..=7 {
        client.play(&format!(
            r#"
            + 400
            > {{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"t","progress":{n}}}}}
            ! progress 1 {n}
            "#
        ));
    }
    client.play(
        r#"
        + 199
        + 1
        < {"method":"notifications/cancelled","params":{"requestId":1}}
        ! ended 1 after 3s
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":9}}
        "#,
    );
}

#[test]
fn j24_a_server_reports_only_for_tokens_it_was_given_and_only_rising() {
    let mut server = open_server(ProtocolVersion::V2025_11_25);
    server.play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":0}}}
        ! request 1 tools/call 2025-11-25
        = notify notifications/progress {"progressToken":0,"progress":0.1}
        < {"method":"notifications/progress","params":{"progressToken":0,"progress":0.1}}
        = notify notifications/progress {"progressToken":0,"progress":0.1}
        = notify notifications/progress {"progressToken":"0","progress":0.3}
        = notify notifications/progress {"progressToken":"x","progress":0.3}
        = notify notifications/progress {"progressToken":0,"progress":0.5,"message":"half"}
        < {"method":"notifications/progress","params":{"progressToken":0,"progress":0.5}}
        = ok 1 {}
        < {"id":1}
        = notify notifications/progress {"progressToken":0,"progress":1}
        "#,
    );
    assert_eq!(server.notes.len(), 4);
}

#[test]
fn proto_31_a_client_drops_progress_that_does_not_rise_or_has_no_call() {
    let mut client = open_client(ProtocolVersion::V2026_07_28);
    client.play(
        r#"
        = call tools/call {"_meta":{"progressToken":7}}
        < {"id":1}
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":-1.5,"total":3}}
        ! progress 1 -1.5
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":-2}}
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":-1.5}}
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":5}}
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":5}}
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":"5"}}
        > {"jsonrpc":"2.0","id":1,"result":{}}
        ! ended 1 {}
        > {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":5}}
        "#,
    );
    assert_eq!(client.notes.len(), 6);
}

#[test]
fn a_cancelled_request_reports_no_more() {
    open_server(ProtocolVersion::V2025_06_18).play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"t"}}}
        ! request 1 tools/call 2025-06-18
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        ! cancelled 1
        ! notification notifications/cancelled
        = notify notifications/progress {"progressToken":"t","progress":1}
        "#,
    );
}

#[test]
fn proto_31_a_task_reports_by_the_token_of_the_request_that_it_was() {
    let related = r#"{"progressToken":"t","progress":1,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}"#;
    for (version, sent) in [
        (ProtocolVersion::V2025_11_25, true),
        (ProtocolVersion::V2025_06_18, false),
    ] {
        let mut server = open_server(version);
        server.play(&format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"a","_meta":{{"progressToken":"t"}}}}}}
            ! request 1 tools/call {version}
            = ok 1 {{"task":{{}}}}
            < {{"id":1,"result":{{}}}}
            = notify notifications/progress {{"progressToken":"t","progress":1}}
            = notify notifications/progress {related}
            {}
            "#,
            if sent { r#"< {"method":"notifications/progress"}"# } else { "" },
        ));
    }
}
