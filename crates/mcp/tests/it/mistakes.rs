//! Every mistake is one line: file, server, key, reason.

use mcp::{Config, ConfigErrorKind, Variables};

fn mistake(text: &str) -> mcp::ConfigError {
    Config::parse("tools.json", text, &Variables::none()).unwrap_err()
}

/// The message for a server `git` with these members, without file and server.
fn of_server(members: &str) -> String {
    let error = mistake(&format!(r#"{{"mcpServers": {{"git": {members}}}}}"#)).to_string();
    let reason = error
        .strip_prefix("tools.json:1: server \"git\": ")
        .expect(&error);
    assert!(!reason.contains('\n'), "{reason}");
    reason.to_owned()
}

#[test]
fn a_value_of_the_wrong_type_is_named_with_its_key() {
    for (members, expected) in [
        (r#"{"command": 7}"#, r#"key "command": expected a string"#),
        (
            r#"{"command": "a", "args": "b"}"#,
            r#"key "args": expected a list of strings"#,
        ),
        (
            r#"{"command": "a", "args": ["b", 1]}"#,
            r#"key "args[1]": expected a string"#,
        ),
        (
            r#"{"command": "a", "env": []}"#,
            r#"key "env": expected an object of strings"#,
        ),
        (
            r#"{"command": "a", "env": {"B": {}}}"#,
            r#"key "env.B": expected a string"#,
        ),
        (
            r#"{"command": "a", "cwd": true}"#,
            r#"key "cwd": expected a string"#,
        ),
        (r#"{"url": ["x"]}"#, r#"key "url": expected a string"#),
        (
            r#"{"command": "a", "disabled": "no"}"#,
            r#"key "disabled": expected true or false"#,
        ),
        (
            r#"{"command": "a", "startup_timeout": 0}"#,
            r#"key "startup_timeout": expected a number of seconds above 0"#,
        ),
        (r#""git-mcp""#, "expected an object"),
    ] {
        let error = mistake(&format!(r#"{{"mcpServers": {{"git": {members}}}}}"#));
        assert_eq!(error.kind(), ConfigErrorKind::Type, "{members}");
        assert_eq!(of_server(members), expected, "{members}");
    }
}

#[test]
fn what_is_missing_or_contradicts_itself_is_said() {
    for (members, expected) in [
        (
            "{}",
            r#"key "command": missing; a server needs a "command" or a "url""#,
        ),
        (
            r#"{"type": "stdio"}"#,
            r#"key "command": missing; a stdio server needs a command"#,
        ),
        (
            r#"{"type": "http"}"#,
            r#"key "url": missing; an HTTP server needs a URL"#,
        ),
        (r#"{"command": " "}"#, r#"key "command": empty"#),
        (
            r#"{"command": "a", "url": "http://x"}"#,
            r#"key "url": the server has a "command" too; say which with "type""#,
        ),
        (
            r#"{"transport": "ws", "url": "ws://x"}"#,
            r#"key "transport": "ws" is not known; there are "stdio", "http" and "sse""#,
        ),
        (
            r#"{"command": "a", "env": {"A=B": ""}}"#,
            r#"key "env.A=B": not the name of a variable"#,
        ),
    ] {
        assert_eq!(of_server(members), expected, "{members}");
    }
}

#[test]
fn a_check_finds_all_mistakes_at_once_and_keeps_what_is_right() {
    let text = r#"{
        "inputs": [7],
        "mcpServers": {
            "a": {
                "command": "x", "args": ["${ONE} ${TWO}", 2], "env": {"A=B": "c", "D": []},
                "startup_timeout": -1, "max_concurrent": 1.5, "session": "daily"
            },
            "b": {"url": "ftp://x", "headers": {"a b": "c", "Host": "d", "E": "${THREE}"}},
            "c": {"type": "pigeon", "command": "x"},
            "d": {"command": "y", "unheard": 1},
            "e": 5,
            "f": {}
        },
        "also": true
    }"#;
    let checked = Config::check_text("tools.json", text, &Variables::none());
    let place = |mistake: &mcp::ConfigError| {
        let (server, key) = (mistake.server(), mistake.key());
        let line = mistake.line().unwrap_or_default();
        format!("{line} {} {}", server.unwrap_or("-"), key.unwrap_or("-"))
    };
    let places: Vec<_> = checked.mistakes.iter().map(place).collect();
    let expected = [
        "2 - inputs[0]",
        "5 a args[0]",
        "5 a args[0]",
        "5 a args[1]",
        "5 a env.D",
        "5 a env.A=B",
        "6 a session",
        "6 a startup_timeout",
        "6 a max_concurrent",
        "8 b headers.E",
        "8 b headers.a b",
        "8 b headers.Host",
        "8 b url",
        "9 c type",
        "11 e -",
        "12 f command",
    ];
    assert_eq!(places, expected);
    assert_eq!(checked.config.servers().keys().collect::<Vec<_>>(), ["d"]);
    let warnings = [
        "tools.json:10: server \"d\": key \"unheard\" is ignored",
        "tools.json:14: key \"also\" is ignored",
    ];
    assert_eq!(checked.config.warnings(), warnings);

    let nowhere = Config::check("/no/such.json");
    assert_eq!(nowhere.mistakes.len(), 1);
    assert!(nowhere.config.servers().is_empty());
}

#[test]
fn s07_a_secret_gets_only_where_the_file_says_and_is_not_shown() {
    let variables = Variables::new(|name| (name == "SECRET_X").then(|| "hush".to_owned()));
    let text = r#"{"mcpServers": {"a": {"command": "x", "env": {"A": "${SECRET_X}", "B": 7}}}}"#;
    let checked = Config::check_text("tools.json", text, &variables);
    let shown = format!("{checked:?}");
    assert!(
        checked.mistakes.is_empty() && !shown.contains("hush"),
        "{shown}"
    );
    let wrong = text.replace("\"x\"", "[]");
    let checked = Config::check_text("tools.json", &wrong, &variables);
    let shown = format!("{checked:?}");
    assert!(
        !checked.mistakes.is_empty() && !shown.contains("hush"),
        "{shown}"
    );
}

#[test]
fn headers_come_from_a_hook_only_where_there_are_headers() {
    #[derive(Debug)]
    struct Nothing;
    impl mcp::http::HeaderSource for Nothing {
        fn headers(
            &self,
            _: mcp::http::HeaderRequest,
        ) -> mcp::transport::BoxFuture<'_, Result<http::HeaderMap, mcp::http::HeaderError>>
        {
            Box::pin(async { Ok(http::HeaderMap::new()) })
        }
    }
    let text = r#"{"mcpServers": {"a": {"command": "x"}, "b": {"url": "http://x"}}}"#;
    let mut config = Config::parse("tools.json", text, &Variables::none()).unwrap();
    let source = std::sync::Arc::new(Nothing);
    config.set_header_source("b", source.clone()).unwrap();
    for (server, expected) in [
        ("a", "tools.json: server \"a\": it is not reached over HTTP"),
        ("c", "tools.json: server \"c\": there is no such server"),
    ] {
        let error = config
            .set_header_source(server, source.clone())
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn urls_and_headers_are_checked_when_the_file_is_loaded() {
    for (members, key) in [
        (r#"{"url": "ftp://x"}"#, "url"),
        (r#"{"url": "/mcp"}"#, "url"),
        (
            r#"{"url": "http://x", "headers": {"a b": "c"}}"#,
            "headers.a b",
        ),
        (
            r#"{"url": "http://x", "headers": {"A": "b\nc"}}"#,
            "headers.A",
        ),
        (
            r#"{"url": "http://x", "headers": {"Mcp-Session-Id": "1"}}"#,
            "headers.Mcp-Session-Id",
        ),
    ] {
        let error = of_server(members);
        assert!(error.starts_with(&format!("key {key:?}: ")), "{error}");
    }
}

#[test]
fn mistakes_of_the_whole_file_name_the_file() {
    for (text, expected) in [
        ("[]", "tools.json: expected an object"),
        (
            "{}",
            "tools.json: key \"mcpServers\": the file has no servers",
        ),
        (
            r#"{"mcpServers": []}"#,
            "tools.json:1: key \"mcpServers\": expected an object",
        ),
        (
            r#"{"mcpServers": {}, "servers": {}}"#,
            "tools.json:1: key \"servers\": the file has \"mcpServers\" too; keep one of them",
        ),
        (
            r#"{"servers": {}, "inputs": {}}"#,
            "tools.json:1: key \"inputs\": expected a list",
        ),
        (
            "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"a\": {}\n  }\n}",
            "tools.json: the file is not valid JSON: the key \"a\" stands twice at line 4 column 7",
        ),
    ] {
        assert_eq!(mistake(text).to_string(), expected);
    }
    let error = mistake("{\"mcpServers\": {\n  \"a\": nothing");
    assert_eq!(error.kind(), ConfigErrorKind::Syntax);
    assert!(error.to_string().contains("line 2 column"), "{error}");
}

#[test]
fn a_variable_without_a_value_is_named_with_its_place() {
    let error = of_server(r#"{"command": "a", "env": {"T": "x ${TOKEN}"}}"#);
    let expected = "key \"env.T\": the variable TOKEN is not set; set it, or give a default as in \
                    ${TOKEN:-default}";
    assert_eq!(error, expected);
    let error = of_server(r#"{"command": "a", "args": ["${input:key}"]}"#);
    assert_eq!(error, r#"key "args[0]": the input "key" has no value"#);
}

#[test]
fn a_file_that_is_not_there_is_told_apart() {
    let error = Config::load("/no/such.json").unwrap_err();
    assert_eq!(error.kind(), ConfigErrorKind::Unreadable);
    assert_eq!(
        error.to_string(),
        "/no/such.json: the file could not be read"
    );
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(
        (error.file(), error.server(), error.key()),
        ("/no/such.json", None, None)
    );
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let text = format!("{{\"mcpServers\": {}", "[".repeat(100_000));
    assert_eq!(mistake(&text).kind(), ConfigErrorKind::Syntax);
}

/// A file with this many servers, a line each.
fn many(count: usize, members: &str) -> String {
    let server = |n| format!("\"s{n}\": {members},\n");
    let servers: String = (0..count).map(server).collect();
    format!("{{\"mcpServers\": {{\n{servers}}}}}")
}

#[test]
fn the_first_hundred_mistakes_of_ten_thousand_are_told() {
    let text = many(10_000, r#"{"command": 7, "odd": 1}"#);
    let checked = Config::check_text("tools.json", &text, &Variables::none());
    assert_eq!((checked.mistakes.len(), checked.more), (100, 9_900));
    assert_eq!(
        checked.mistakes[99].to_string(),
        r#"tools.json:101: server "s99": key "command": expected a string"#
    );
    let warnings = checked.config.warnings();
    assert_eq!(warnings.len(), 101);
    assert_eq!(warnings[100], "tools.json: 9900 more keys are ignored");

    let text = many(10_000, r#"{"command": "x", "args": ["${A:-b}"]}"#);
    let config = Config::parse("tools.json", &text, &Variables::none()).unwrap();
    assert_eq!(config.servers().len(), 10_000);
}
