//! What a configuration says, in the shapes that are in use.

use std::time::Duration;

use mcp::client::SessionPolicy;
use mcp::protocol::lifecycle::Preference;
use mcp::{Config, ServerConfig, Transport, Variables};

fn variables() -> Variables {
    Variables::new(|name| match name {
        "HOME" => Some("/home/me".to_owned()),
        "TOKEN" => Some("${HOME}".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    })
}

fn config(text: &str) -> Config {
    Config::parse("tools.json", text, &variables()).unwrap()
}

fn server(members: &str) -> ServerConfig {
    let config = config(&format!(r#"{{"mcpServers": {{"a": {members}}}}}"#));
    assert!(config.warnings().is_empty(), "{:?}", config.warnings());
    config.servers()["a"].clone()
}

/// How the child is started, as its debug output shows it.
fn child(members: &str) -> String {
    match server(members).transport {
        Transport::Stdio(child) => format!("{child:?}"),
        other => panic!("{other:?}"),
    }
}

fn url(members: &str) -> String {
    match server(members).transport {
        Transport::Http(transport) => transport.url().to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn servers_keep_the_order_of_the_file() {
    let config = config(
        r#"{
            // as some editors write it
            "mcpServers": {
                "zeta": { "command": "z" },
                "alpha": { "url": "http://localhost:1/mcp", },
                "off": { "disabled": true, "command": 3 },
            },
        }"#,
    );
    assert_eq!(
        config.servers().keys().collect::<Vec<_>>(),
        ["zeta", "alpha"]
    );
    let pool = config.pool();
    assert_eq!(
        pool.servers().map(|s| &**s).collect::<Vec<_>>(),
        ["zeta", "alpha"]
    );
}

#[test]
fn a_child_process_has_command_arguments_variables_and_folder() {
    let text = child(
        r#"{"command": "npx", "args": ["-y", "pkg"], "env": {"PORT": 8080, "S": "secret",
            "N": null}, "cwd": "/tmp", "type": "stdio"}"#,
    );
    for part in [
        r#""npx""#,
        r#"["-y", "pkg"]"#,
        r#"["PORT", "S"]"#,
        r#"Some("/tmp")"#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn all_names_of_the_http_transport_are_known() {
    for name in [
        "http",
        "streamable_http",
        "streamable-http",
        "streamableHttp",
    ] {
        for key in ["type", "transport"] {
            let members = format!(r#"{{"{key}": "{name}", "url": "https://x.test/mcp"}}"#);
            assert_eq!(url(&members), "https://x.test/mcp");
        }
    }
    for key in ["url", "serverUrl", "httpUrl"] {
        let members = format!(r#"{{"{key}": "https://x.test/mcp"}}"#);
        assert_eq!(url(&members), "https://x.test/mcp");
    }
}

#[test]
fn what_may_be_secret_does_not_show() {
    for members in [
        r#"{"url": "http://x", "headers": {"Authorization": "Bearer hunter2"}}"#,
        r#"{"url": "http://x/hunter2/mcp?token=hunter2"}"#,
        r#"{"command": "s", "env": {"TOKEN": "hunter2"}}"#,
    ] {
        let server = server(members);
        let shown = format!("{server:?} {:?}", server.connector());
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let shown = Variables::new(|_| Some("hunter2".to_owned())).with_input("a", "hunter2");
    assert!(!format!("{shown:?}").contains("hunter2"));
    for members in [
        r#"{"url": "http://me:hunter2@x/"}"#,
        r#"{"url": "ftp://x/?token=hunter2"}"#,
        r#"{"url": "http://x", "headers": {"A": "hunter2\n"}}"#,
        r#"{"command": "s", "env": {"TOKEN": ["hunter2"]}}"#,
        r#"{"command": "s", "env": {"A=": "hunter2"}}"#,
    ] {
        let text = format!(r#"{{"mcpServers": {{"a": {members}}}}}"#);
        let error = Config::parse("tools.json", &text, &variables()).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn the_file_of_an_editor_is_read_with_its_inputs() {
    let text = r#"{
        "inputs": [
            {"type": "promptString", "id": "key", "password": true},
            {"type": "promptString", "id": "mode", "default": "fast"}
        ],
        "servers": {
            "a": {"type": "stdio", "command": "s", "args": ["${input:key}", "${input:mode}"]}
        }
    }"#;
    let variables = Variables::none().with_input("key", "k1");
    let config = Config::parse("mcp.json", text, &variables).unwrap();
    let text = format!("{:?}", config.servers()["a"]);
    assert!(text.contains(r#"["k1", "fast"]"#), "{text}");
}

#[test]
fn variables_are_replaced_once_and_only_where_they_are_meant() {
    let text = child(
        r#"{"command": "${HOME}/bin/s", "args": ["${env:HOME}", "${TOKEN}", "$HOME", "${NO:-a:-b}",
            "${EMPTY:-e}", "${HOME:-x}", "${1 + 1}", "${", "a${HOME}b${HOME}"]}"#,
    );
    assert!(text.contains(r#""/home/me/bin/s""#), "{text}");
    let args = r#"["/home/me", "${HOME}", "$HOME", "a:-b", "e", "/home/me", "${1 + 1}", "${", "a/home/meb/home/me"]"#;
    assert!(text.contains(args), "{text}");
}

#[test]
fn unknown_keys_are_ignored_with_a_line_each() {
    let config = config(
        r#"{"$schema": "x", "mcpServers": {"a": {"command": "s", "autoApprove": [], "url2": 1}}}"#,
    );
    assert_eq!(
        config.warnings(),
        [
            r#"tools.json:1: server "a": key "autoApprove" is ignored"#,
            r#"tools.json:1: server "a": key "url2" is ignored"#,
            r#"tools.json:1: key "$schema" is ignored"#,
        ]
    );
}

#[test]
fn options_come_from_the_file_or_are_the_defaults() {
    let plain = server(r#"{"command": "s"}"#).options();
    assert_eq!(
        (plain.trusted, plain.startup_timeout),
        (false, Duration::from_secs(30))
    );
    let own = server(r#"{"command": "s", "trusted": true, "startup_timeout": 1.5}"#).options();
    assert_eq!(
        (own.trusted, own.startup_timeout),
        (true, Duration::from_millis(1500))
    );
    assert_eq!(
        (plain.policy, plain.heartbeat),
        (SessionPolicy::Pooled, None)
    );
    let own = server(
        r#"{"command": "s", "session": "per_call", "call_timeout": 900, "heartbeat": 30,
            "max_concurrent": 2}"#,
    );
    let own = own.options();
    assert_eq!(own.policy, SessionPolicy::PerCall);
    assert_eq!(own.timeouts.idle, Some(Duration::from_secs(900)));
    assert_eq!(own.timeouts.total, Some(Duration::from_secs(900)));
    assert_eq!(own.heartbeat, Some(Duration::from_secs(30)));
    assert_eq!(own.max_concurrent, 2);
}

#[test]
fn a_server_of_2024_11_05_is_shaken_hands_with_at_once() {
    let members = r#"{"type": "sse", "url": "https://x.test/sse"}"#;
    assert_eq!(url(members), "https://x.test/sse");
    assert_eq!(server(members).options().preference, Preference::Handshake);
}

#[test]
fn a_text_may_begin_with_a_byte_order_mark() {
    assert_eq!(config("\u{feff}{\"mcpServers\": {}}").servers().len(), 0);
}
