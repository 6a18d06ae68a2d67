//! The client's machine.

use std::time::Duration;

use mcp_jsonrpc::{Limits, Refused};
use mcp_protocol::ProtocolVersion;
use mcp_protocol::lifecycle::{ClientConnection, Connection, Note, OutgoingCall};

use super::{client, open_client, transcript};

#[test]
fn proto_32_ping_is_answered_in_any_state() {
    let ping = r#"
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"id":1,"result":{}}
        "#;
    client().play(ping);
    for version in ProtocolVersion::ALL {
        if !version.is_stateless() {
            open_client(version).play(ping);
        }
    }
}

#[test]
fn j18_notifications_before_the_initialize_result_do_no_harm() {
    client().play(
        r#"
        = plain initialize
        < {"id":1}
        > {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
        ! notification notifications/resources/list_changed
        > {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}
        ! notification notifications/message
        > {"jsonrpc":"2.0","id":7,"method":"roots/list"}
        < {"id":7,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":1,"result":{}}
        ! ended 1 {}
        "#,
    );
}

#[test]
fn stdio_05_noise_is_noted_and_never_answered() {
    let mut client = open_client(ProtocolVersion::V2025_11_25);
    client.play(
        r#"
        > Server listening on stdio
        > {"level":"info","msg":"ready"}
        > {"id":3,"level":"info","msg":"ready"}
        > 17
        > [1,2]
        "#,
    );
    assert_eq!(client.notes.len(), 5);
}

#[test]
fn a_server_without_handshake_may_not_ask() {
    let mut client = open_client(ProtocolVersion::V2026_07_28);
    client.play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        "#,
    );
    assert!(
        matches!(&client.notes[0], Note::ForbiddenRequest(m) if &**m == "sampling/createMessage")
    );
}

#[test]
fn a_request_of_the_server_is_reported_and_its_answer_sent() {
    open_client(ProtocolVersion::V2025_06_18).play(
        r#"
        > {"jsonrpc":"2.0","id":"r","method":"roots/list"}
        ! request "r" roots/list 2025-06-18
        = error "r" -32601
        < {"id":"r","error":{"code":-32601}}
        "#,
    );
}

#[test]
fn what_waits_is_handed_back_when_the_connection_ends() {
    let now = transcript::start();
    let limits = Limits {
        max_outgoing: 2,
        max_incoming: 2,
    };
    let mut client = ClientConnection::new(limits);
    let call = |client: &mut ClientConnection<u8>, tag| {
        let mut call = OutgoingCall::new("ping", None);
        call.idle = Some(Duration::from_secs(1));
        client.call(now, call, tag)
    };
    call(&mut client, 1).unwrap();
    call(&mut client, 2).unwrap();
    assert_eq!(call(&mut client, 3), Err((Refused::Busy { limit: 2 }, 3)));
    assert!(!client.is_idle());
    let tags: Vec<u8> = client.close().into_iter().map(|(_, tag)| tag).collect();
    assert_eq!(tags, [1, 2]);
    assert_eq!(client.poll_timeout(), None);
    assert_eq!(call(&mut client, 4), Err((Refused::Closed, 4)));
}
