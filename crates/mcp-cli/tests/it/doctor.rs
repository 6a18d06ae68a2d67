//! `mcp doctor`: right verdicts, told to people and to programs.

use mcp::protocol::{SchemaCheck, SchemaValidator as _};
use mcp_jsonschema::JsonSchema;
use serde_json::{Value, json};

use crate::scratch::{Ended, Scratch};
use crate::scripted::{Scripted, configure, files, missing};

/// What `docs/doctor.schema.json` says.
fn schema() -> Box<dyn SchemaCheck> {
    let text = include_str!("../../../../docs/doctor.schema.json");
    let schema = serde_json::from_str(text).unwrap();
    JsonSchema::new().compile(&schema).unwrap()
}

/// The report, which has to be as the schema says.
pub(crate) fn report(ended: &Ended) -> Value {
    let report = serde_json::from_str(&ended.out).unwrap();
    schema()
        .check(&report)
        .unwrap_or_else(|e| panic!("{e}\n{report:#}"));
    report
}

pub(crate) fn server<'r>(report: &'r Value, name: &str) -> &'r Value {
    let servers = report["servers"].as_array().unwrap();
    let of = servers.iter().find(|server| server["name"] == name);
    of.unwrap_or_else(|| panic!("{name} in {report:#}"))
}

/// The problems of a server: severity, code, what they are about.
fn problems(server: &Value) -> Vec<String> {
    let problems = server["problems"].as_array().unwrap().iter();
    let line = |problem: &Value| {
        let about = problem["about"].as_str().unwrap_or("");
        let text = |key: &str| problem[key].as_str().unwrap().to_owned();
        format!("{} {} {about}", text("severity"), text("code"))
            .trim_end()
            .to_owned()
    };
    problems.map(line).collect()
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    for wrong in [
        json!({}),
        json!({"config": null, "notes": [], "verdict": "fine", "servers": []}),
        json!({"config": null, "notes": [], "verdict": "ok", "servers": [{"name": "x"}]}),
    ] {
        assert!(schema().check(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn our_own_servers_are_well() {
    let scratch = Scratch::new();
    scratch.write("docs/page.md", "# Page\n");
    let report = report(&scratch.mcp(&["doctor", "--json"]));
    assert_eq!(report["verdict"], "ok", "{report:#}");
    for (name, wire, counts) in [
        ("files", "stdio", json!([4, null, null, null])),
        ("git", "stdio", json!([5, null, null, null])),
        ("wiki", "http", json!([2, 1, 1, 1])),
    ] {
        let server = server(&report, name);
        let of = |key: &str| server[key].as_str();
        assert_eq!(of("verdict"), Some("ok"), "{server:#}");
        assert_eq!(of("wire"), Some(wire));
        assert_eq!(of("era"), Some("stateless"));
        assert_eq!(of("revision"), Some("2026-07-28"));
        assert_eq!(server["info"]["name"], name);
        let kinds = ["tools", "resources", "templates", "prompts"];
        assert_eq!(
            Value::from(kinds.map(|k| server["counts"][k].clone()).to_vec()),
            counts
        );
        for step in ["handshake", "list", "ping", "end"] {
            assert!(server["milliseconds"][step].is_number(), "{step}");
        }
    }
}

/// A good server and one that is broken in each phase.
pub(crate) fn broken(scratch: &Scratch) -> Vec<(&'static str, Value)> {
    let offers = r#"{"tools":{}}"#;
    let refuses = Scripted {
        offers,
        cases: r#"*'"tools/list"'*) echo no tools today >&2; say '"error":{"code":-32603,"message":"out of paper"}' ;;"#,
        ..Scripted::PLAIN
    };
    let ends = Scripted {
        offers,
        cases: r#"*'"tools/call"'*) echo cannot be called >&2; exit 7 ;;"#,
        ..Scripted::PLAIN
    };
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    vec![
        ("good", files()),
        ("spawn", missing()),
        ("connect", json!({"url": format!("http://{address}/mcp")})),
        (
            "handshake",
            json!({"command": "sh", "args": ["-c", "echo out of order >&2; exit 3"]}),
        ),
        ("list", refuses.write(scratch, "list")),
        ("call", ends.write(scratch, "call")),
    ]
}

#[test]
fn a_server_that_is_broken_in_a_phase_is_told_with_it() {
    let scratch = Scratch::new();
    configure(&scratch, "servers.json", &broken(&scratch));
    let ended = scratch.mcp(&["doctor", "--config", "servers.json", "--json"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    let report = report(&ended);
    assert_eq!(report["verdict"], "problems");
    assert_eq!(report["config"], "servers.json");
    check_broken(&report);
}

/// Checks what is said of these servers.
pub(crate) fn check_broken(report: &Value) {
    assert_eq!(server(report, "good")["verdict"], "ok");
    for (phase, starts, told, stderr) in [
        ("spawn", false, "no-such-command-anywhere", None),
        ("connect", false, "refused", None),
        (
            "handshake",
            true,
            "exited with code 3",
            Some("out of order"),
        ),
        ("list", true, "out of paper", Some("no tools today")),
        ("call", true, "exited with code 7", Some("cannot be called")),
    ] {
        let server = server(report, phase);
        assert_eq!(server["verdict"], "failed", "{server:#}");
        assert_eq!(server["starts"], starts, "{server:#}");
        let failure = &server["failure"];
        assert_eq!(failure["phase"], phase);
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(told), "{message}");
        assert_eq!(failure["stderr"].as_str(), stderr);
    }
}

#[test]
fn people_are_told_the_same() {
    let scratch = Scratch::new();
    configure(&scratch, "servers.json", &broken(&scratch));
    let ended = scratch.mcp(&["doctor", "--config", "servers.json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for line in [
        "good  ok",
        "  speaks 2026-07-28, stateless, over stdio, files 0.1.0",
        "  has 4 tools",
        "spawn  failed in spawn: the server could not be started",
        "connect  failed in connect",
        "handshake  failed in handshake",
        "    | out of order",
        "list  failed in list",
        "  speaks 2025-06-18, with handshake, over stdio, list 1",
        "call  failed in call",
        "6 servers: 1 ok, 0 with problems, 5 failed",
    ] {
        let found = ended.out.lines().any(|told| told.starts_with(line));
        assert!(found, "{line} in {}", ended.out);
    }
    let ended = scratch.mcp(&["doctor", "--config", "servers.json", "spawn", "list"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended
            .out
            .ends_with("2 servers: 0 ok, 0 with problems, 2 failed\n")
    );
    let ended = scratch.mcp(&["doctor", "--config", "servers.json", "nobody"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{ended:?}");
}

/// A server that works, and does much as it should not.
fn odd(scratch: &Scratch) -> Value {
    let tools = json!([
        {"name": "fine", "description": "Is.", "inputSchema": {"type": "object"}},
        {"name": "fine", "description": "Is.", "inputSchema": {"type": "object"}},
        {"name": "no schema", "description": "Has none."},
        {"name": 7, "inputSchema": {"type": "object"}},
        {"name": "a b", "description": "Is.", "inputSchema": {"type": "object"}},
        {"name": "typo", "inputSchema": {"type": "object", "properties": {"a": {"type": "text"}}}},
        {"name": "read_file", "description": "Is.", "inputSchema": {"type": "object"}},
    ]);
    let list = format!(r#"*'"tools/list"'*) say '"result":{{"tools":{tools}}}' ;;"#);
    let odd = Scripted {
        begins: "echo welcome; echo banner; echo to the log >&2",
        offers: r#"{"tools":{},"prompts":{}}"#,
        cases: &format!(
            r#"{list}
    *'"server/discover"'*) exit 1 ;;
    *'"prompts/list"'*) say '"result":{{"prompts":[]}}' ;;
    *'"ping"'*) say '"error":{{"code":-32601,"message":"no"}}' ;;
    *'"tools/call"'*) say '"result":{{"content":[]}}' ;;"#
        ),
    };
    odd.write(scratch, "odd")
}

#[test]
fn what_is_wrong_with_a_server_that_works_is_named() {
    let scratch = Scratch::new();
    let servers = [("files", files()), ("odd", odd(&scratch))];
    configure(&scratch, "servers.json", &servers);
    let ended = scratch.mcp(&["doctor", "--config", "servers.json", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let report = report(&ended);
    let odd = server(&report, "odd");
    assert_eq!(odd["verdict"], "problems", "{odd:#}");
    assert_eq!(
        problems(odd),
        [
            "note restarted",
            "warning missing_input_schema",
            "warning skipped",
            "warning duplicate fine",
            "warning tool_name a b",
            "note no_description typo",
            "warning schema typo",
            "note renamed",
            "note empty",
            "note stderr",
            "warning ping",
            "warning unknown_tool",
            "warning noise",
            "note name_clash",
        ],
        "{odd:#}"
    );
    let files = server(&report, "files");
    assert_eq!(files["verdict"], "ok");
    assert_eq!(problems(files), ["note name_clash"]);
    let text = scratch.mcp(&["doctor", "--config", "servers.json"]).out;
    for line in [
        "  warning: 2 lines on its standard output are no messages, the first: welcome",
        "  note: it writes to its standard error, last: to the log",
        "  warning: typo: its inputSchema: at /properties/a/type: there is no type \"text\"",
        "  note: odd has tools of the same names: read_file; clients",
    ] {
        let found = text.lines().any(|told| told.starts_with(line));
        assert!(found, "{line} in {text}");
    }
}
