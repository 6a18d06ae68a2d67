//! The server's machine: handshake, stateless requests, and both on one stream.

use mcp_protocol::ProtocolVersion;
use mcp_protocol::lifecycle::stateless;

use super::{identity, initialize, modern, open_server, server, server_of};

#[test]
fn life_03_supported_version_is_echoed() {
    for version in ProtocolVersion::ALL
        .into_iter()
        .filter(|v| !v.is_stateless())
    {
        server().play(&initialize(version.as_str(), version.as_str()));
    }
}

#[test]
fn life_04_unsupported_version_is_answered_with_the_latest_handshake() {
    for asked in ["1900-01-01", "2026-07-28", "2024-10-07", ""] {
        server().play(&initialize(asked, "2025-11-25"));
    }
    let old = [ProtocolVersion::V2024_11_05, ProtocolVersion::V2025_03_26];
    server_of(identity().with_versions(old)).play(&initialize("2025-11-25", "2025-03-26"));
}

#[test]
fn life_07_requests_of_the_server_wait_for_initialized() {
    let mut server = server();
    server.play(&initialize("2025-11-25", "2025-11-25"));
    server.play(
        r#"
        = call roots/list
        = call ping
        < {"id":2,"method":"ping"}
        = notify notifications/tools/list_changed
        = notify notifications/message {"level":"info","data":1}
        < {"method":"notifications/message"}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        < {"id":1,"method":"roots/list"}
        ! notification notifications/initialized
        = notify notifications/tools/list_changed
        < {"method":"notifications/tools/list_changed"}
        # once more changes nothing
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        "#,
    );
}

#[test]
fn life_07_a_held_request_that_is_cancelled_leaves_no_trace() {
    let mut server = server();
    server.play(&initialize("2025-11-25", "2025-11-25"));
    server.play(
        r#"
        = call roots/list
        = call roots/list
        = cancel 1
        + 1000
        ! ended 2 after 1s
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        ! notification notifications/initialized
        "#,
    );
}

#[test]
fn life_08_request_before_initialize_is_an_error_and_ping_works() {
    server().play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"id":1,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"id":2,"result":{}}
        "#,
    );
    let old = server_of(identity().with_versions([ProtocolVersion::V2025_06_18]));
    let mut old = old;
    old.play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"id":1,"error":{"code":-32600}}
        "#,
    );
}

#[test]
fn life_10_second_initialize_is_refused_and_changes_nothing() {
    open_server(ProtocolVersion::V2025_06_18).play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"id":1,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        ! request 2 tools/list 2025-06-18
        "#,
    );
}

#[test]
fn j18_a_probe_before_initialize_is_answered_and_does_no_harm() {
    let handshake_only: Vec<_> = ProtocolVersion::ALL
        .into_iter()
        .filter(|v| !v.is_stateless())
        .collect();
    let mut server = server_of(identity().with_versions(handshake_only));
    server.play(concat!(
        r#"> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"#,
        modern!(),
        "}}\n",
        r#"< {"id":1,"error":{"code":-32600}}"#,
    ));
    server.play(&initialize("2025-11-25", "2025-11-25"));
    // Nor does it make a server without handshake of it later.
    server.play(concat!(
        r#"> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"#,
        modern!(),
        "}}\n",
        r#"< {"id":2,"error":{"code":-32601}}"#,
    ));
}

#[test]
fn j18_set_level_between_initialize_and_initialized_is_served() {
    let mut server = server();
    server.play(&initialize("2025-11-25", "2025-11-25"));
    server.play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}
        ! request 1 logging/setLevel 2025-11-25
        "#,
    );
}

#[test]
fn life_18_discover_is_answered_by_the_machine() {
    server().play(concat!(
        r#"> {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"#,
        modern!(),
        "}}\n",
        r#"< {"id":"d","result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{}},"ttlMs":0,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"library"}}}}"#,
    ));
}

#[test]
fn life_19_unsupported_version_names_those_that_discover_lists() {
    let discovered = stateless::discover(&identity()).supported_versions;
    let expected = serde_json::to_string(&discovered).unwrap();
    for asked in ["2099-01-01", "2025-11-25"] {
        server().play(&format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{asked}","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}
            < {{"id":1,"error":{{"code":-32022,"data":{{"supported":{expected},"requested":"{asked}"}}}}}}
            "#
        ));
    }
}

#[test]
fn proto_05_incomplete_or_malformed_meta_is_invalid_params() {
    for meta in [
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}"#,
        r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#,
        "{}",
        "[]",
    ] {
        server().play(&format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}}}}
            < {{"id":1,"error":{{"code":-32602}}}}
            "#
        ));
    }
}

#[test]
fn life_21_nothing_of_one_request_is_known_to_the_next() {
    let mut server = server();
    server.play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/logLevel":"debug","progressToken":"t"}}}
        ! request 1 tools/list 2026-07-28
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"id":2,"error":{"code":-32602}}
        "#,
    );
}

#[test]
fn life_28_both_lifecycles_are_served_on_one_stream() {
    open_server(ProtocolVersion::V2025_03_26).play(concat!(
        r#"> {"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        "\n! request 1 tools/list 2025-03-26\n",
        r#"> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"#,
        modern!(),
        "}}\n! request 2 tools/list 2026-07-28\n",
        r#"= ok 2 {"a":2}"#,
        "\n",
        r#"< {"id":2,"result":{"a":2}}"#,
        "\n",
        r#"= ok 1 {"a":1}"#,
        "\n",
        r#"< {"id":1,"result":{"a":1}}"#,
    ));
}

#[test]
fn life_29_a_server_without_handshake_names_its_versions() {
    server_of(identity().with_versions([ProtocolVersion::V2026_07_28])).play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"id":1,"error":{"code":-32022,"data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}
        "#,
    );
}

#[test]
fn proto_33_methods_of_the_handshake_do_not_exist_without_it() {
    for method in [
        "ping",
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
        "tasks/result",
    ] {
        server().play(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{}}}}}\n{}",
            modern!(),
            r#"< {"id":1,"error":{"code":-32601}}"#,
        ));
    }
}

#[test]
fn later_methods_do_not_exist_after_a_handshake() {
    open_server(ProtocolVersion::V2025_11_25).play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover"}
        < {"id":1,"error":{"code":-32601}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen"}
        < {"id":2,"error":{"code":-32601}}
        "#,
    );
}

#[test]
fn initialize_with_params_that_do_not_fit_is_invalid_params() {
    for params in [
        "{}",
        r#"{"protocolVersion":1,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
    ] {
        server().play(&format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}
            < {{"id":1,"error":{{"code":-32602}}}}
            "#
        ));
    }
}

#[test]
fn log_messages_are_sent_by_a_server_that_has_declared_them() {
    let mut quiet = identity();
    quiet.capabilities.logging = None;
    let mut quiet = server_of(quiet);
    quiet.play(r#"= notify notifications/message {"level":"info","data":1}"#);
    assert_eq!(quiet.notes.len(), 1);
}

#[test]
fn what_was_not_declared_is_not_announced() {
    let mut server = open_server(ProtocolVersion::V2025_11_25);
    server.play(
        r#"
        = notify notifications/prompts/list_changed
        = notify notifications/resources/updated {"uri":"a:b"}
        = notify notifications/tools/list_changed
        < {"method":"notifications/tools/list_changed"}
        "#,
    );
    assert_eq!(server.notes.len(), 2);
}
