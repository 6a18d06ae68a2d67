//! Who gets a reply, and batches.

use mcp_protocol::ProtocolVersion;

use super::{open_client, open_server, server};

#[test]
fn j15_bad_requests_are_answered_with_their_code_and_id() {
    open_server(ProtocolVersion::V2025_11_25).play(
        r#"
        > {"id":1,"method":"ping"}
        < {"id":1,"error":{"code":-32600}}
        > {"jsonrpc":"1.0","id":2,"method":"ping"}
        < {"id":2,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":3}
        < {"id":3,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":null,"method":"ping"}
        < {"id":null,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":4,"method":"ping","params":[]}
        < {"id":4,"error":{"code":-32602}}
        > not json
        < {"id":null,"error":{"code":-32700}}
        "#,
    );
}

#[test]
fn j15_nothing_answers_a_notification_or_a_response() {
    open_server(ProtocolVersion::V2025_11_25).play(
        r#"
        > {"jsonrpc":"2.0","method":"notifications/zzz"}
        ! notification notifications/zzz
        > {"jsonrpc":"2.0","method":"notifications/x","params":[]}
        > {"jsonrpc":"2.0","id":9,"result":{}}
        > {"jsonrpc":"2.0","id":9,"result":{},"error":{"code":1,"message":"m"}}
        > {"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}
        "#,
    );
}

#[test]
fn j15_a_malformed_response_fails_the_call_that_it_answers() {
    let mut client = open_client(ProtocolVersion::V2025_11_25);
    client.play(
        r#"
        = call tools/list
        < {"id":1}
        > {"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}
        ! ended 1 the answer cannot be read
        = call tools/list
        < {"id":2}
        > {"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"m"}}
        ! ended 2 the answer cannot be read
        = call tools/list
        < {"id":3}
        > {"jsonrpc":"2.0","id":3}
        ! ended 3 the answer cannot be read
        "#,
    );
}

#[test]
fn j05_a_second_request_with_the_same_id_is_refused_and_the_first_runs_on() {
    open_server(ProtocolVersion::V2025_11_25).play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call"}
        ! request 1 tools/call 2025-11-25
        > {"jsonrpc":"2.0","id":1,"method":"tools/call"}
        < {"id":1,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":"1","method":"tools/list"}
        ! request "1" tools/list 2025-11-25
        = ok 1 {"a":"A"}
        < {"id":1,"result":{"a":"A"}}
        "#,
    );
}

#[test]
fn j16_a_batch_is_answered_as_one_array() {
    open_server(ProtocolVersion::V2025_03_26).play(
        r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"ping"},1,{"jsonrpc":"2.0","id":3,"method":"initialize"}]
        ! request 1 tools/list 2025-03-26
        ! notification notifications/x
        = ok 1 {"a":1}
        < [{"error":{"code":-32600}},{"id":3,"error":{"code":-32600}},{"id":2,"result":{}},{"id":1,"result":{"a":1}}]
        "#,
    );
}

#[test]
fn j16_a_batch_without_requests_is_not_answered() {
    open_server(ProtocolVersion::V2025_03_26).play(
        r#"
        > [{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":1,"result":{}}]
        ! notification notifications/x
        "#,
    );
}

#[test]
fn j16_an_empty_batch_is_one_error() {
    open_server(ProtocolVersion::V2025_03_26).play(
        r#"
        > []
        < {"error":{"code":-32600}}
        > [1]
        < [{"error":{"code":-32600}}]
        "#,
    );
}

#[test]
fn j16_without_agreement_nothing_of_a_batch_runs() {
    let batch = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/x"}]
        < {"id":null,"error":{"code":-32600}}
        "#;
    server().play(batch);
    for version in ProtocolVersion::ALL {
        if !version.is_stateless() && version != ProtocolVersion::V2025_03_26 {
            open_server(version).play(batch);
        }
    }
}

#[test]
fn j16_a_request_cancelled_inside_a_batch_is_left_out_of_the_array() {
    open_server(ProtocolVersion::V2025_03_26).play(
        r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"tools/call"}]
        ! request 1 tools/list 2025-03-26
        ! request 2 tools/call 2025-03-26
        = ok 1 {}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
        < [{"id":1,"result":{}}]
        ! cancelled 2
        ! notification notifications/cancelled
        "#,
    );
}

#[test]
fn j05_ids_clash_across_batches_too() {
    open_server(ProtocolVersion::V2025_03_26).play(
        r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":1,"method":"tools/call"}]
        ! request 1 tools/list 2025-03-26
        > {"jsonrpc":"2.0","id":1,"method":"tools/call"}
        < {"id":1,"error":{"code":-32600}}
        = ok 1 {"a":1}
        < [{"id":1,"error":{"code":-32600}},{"id":1,"result":{"a":1}}]
        "#,
    );
}

#[test]
fn j16_a_client_takes_batches_where_they_exist_and_fails_its_calls_where_not() {
    let batch = r#"
        = call tools/list
        < {"id":1}
        > [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"notifications/x"}]
        "#;
    let mut client = open_client(ProtocolVersion::V2025_03_26);
    client.play(&format!(
        "{batch}\n! ended 1 {{}}\n! notification notifications/x"
    ));
    let mut client = open_client(ProtocolVersion::V2025_06_18);
    client.play(&format!("{batch}\n! ended 1 the answer cannot be read"));
}
