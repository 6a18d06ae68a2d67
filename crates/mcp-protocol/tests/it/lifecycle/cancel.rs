//! Cancellation in both directions, races included.

use mcp_protocol::ProtocolVersion;

use super::{modern, open_client, open_server, server};

#[test]
fn life_12_a_cancelled_request_is_not_answered() {
    open_server(ProtocolVersion::V2025_11_25).play(
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow"}}
        ! request 5 tools/call 2025-11-25
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"enough"}}
        ! cancelled 5
        ! notification notifications/cancelled
        = ok 5 {"late":true}
        > {"jsonrpc":"2.0","id":6,"method":"ping"}
        < {"id":6,"result":{}}
        "#,
    );
}

#[test]
fn life_12_a_stateless_request_is_cancelled_on_the_same_stream() {
    server().play(concat!(
        r#"> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow","#,
        modern!(),
        "}}\n! request 5 tools/call 2026-07-28\n",
        r#"> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#,
        "\n! cancelled 5\n! notification notifications/cancelled\n",
        r#"= ok 5 {"late":true}"#,
    ));
}

#[test]
fn life_13_a_cancel_after_the_answer_is_harmless() {
    let mut server = open_server(ProtocolVersion::V2025_11_25);
    server.play(
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"quick"}}
        ! request 5 tools/call 2025-11-25
        = ok 5 {"a":1}
        < {"id":5,"result":{"a":1}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
        > {"jsonrpc":"2.0","id":5,"method":"ping"}
        < {"id":5,"result":{}}
        "#,
    );
    assert_eq!(server.notes.len(), 1);
}

#[test]
fn life_14_j22_bad_cancels_are_ignored() {
    let mut server = open_server(ProtocolVersion::V2025_11_25);
    server.play(
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow"}}
        ! request 5 tools/call 2025-11-25
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled"}
        = ok 5 {"a":1}
        < {"id":5,"result":{"a":1}}
        "#,
    );
}

#[test]
fn j22_a_client_drops_the_late_answer_and_goes_on() {
    let mut client = open_client(ProtocolVersion::V2025_11_25);
    client.play(
        r#"
        = call tools/call {"name":"slow"}
        < {"id":1,"method":"tools/call"}
        = cancel 1
        < {"method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":1,"result":{}}
        = call ping
        < {"id":2,"method":"ping"}
        > {"jsonrpc":"2.0","id":2,"result":{}}
        ! ended 2 {}
        "#,
    );
}

#[test]
fn life_09_initialize_is_never_cancelled() {
    super::client().play(
        r#"
        = plain initialize
        < {"id":1,"method":"initialize"}
        + 1000
        ! ended 1 after 1s
        = plain initialize
        < {"id":2,"method":"initialize"}
        = cancel 2
        "#,
    );
}

#[test]
fn life_17_a_call_that_times_out_is_cancelled() {
    for version in ProtocolVersion::ALL {
        open_client(version).play(
            r#"
            = call tools/list
            < {"id":1,"method":"tools/list"}
            + 999
            + 1
            < {"method":"notifications/cancelled","params":{"requestId":1}}
            ! ended 1 after 1s
            > {"jsonrpc":"2.0","id":1,"result":{}}
            "#,
        );
    }
}

#[test]
fn a_client_that_cannot_be_asked_in_time_hears_of_it_too() {
    open_server(ProtocolVersion::V2025_06_18).play(
        r#"
        = call sampling/createMessage
        < {"id":1,"method":"sampling/createMessage"}
        + 1000
        < {"method":"notifications/cancelled","params":{"requestId":1}}
        ! ended 1 after 1s
        "#,
    );
}

#[test]
fn a_server_may_cancel_what_it_has_asked_a_client() {
    open_client(ProtocolVersion::V2025_11_25).play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}
        ! request 1 elicitation/create 2025-11-25
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        ! cancelled 1
        ! notification notifications/cancelled
        = ok 1 {}
        "#,
    );
}
