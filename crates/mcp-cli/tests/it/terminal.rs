//! What a terminal gets of the words of servers.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::scratch::{Ended, Scratch};
use crate::scripted::{Scripted, configure};

/// What a terminal would obey, or would mislead a reader: on the wire, and as a Rust string.
const EVIL: &str = r"a\u001b[31m\u009b2J\u202eb\nforged  line\u2066\r\u0007";
const MARKS: [char; 6] = ['\x1b', '\u{9b}', '\u{202e}', '\u{2066}', '\u{7}', '\u{7f}'];

/// Both ends of a new terminal.
fn terminal() -> (File, OwnedFd) {
    let here = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&here).unwrap();
    unlockpt(&here).unwrap();
    let name = ptsname(&here, Vec::new()).unwrap();
    let there = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    (File::from(here), there)
}

/// Runs the command on a terminal, which gets all that it says.
fn on_terminal(scratch: &Scratch, arguments: &[&str]) -> String {
    let (mut here, there) = terminal();
    let mut command = scratch.command(arguments);
    command
        .env("TERM", "dumb")
        .env("MCP_LOG", "debug")
        .stdout(there.try_clone().unwrap())
        .stderr(there);
    let mut child = command.spawn().unwrap();
    // It has the only other ends of the terminal.
    drop(command);
    let mut all = Vec::new();
    // Linux reports the end of a terminal as an error.
    let _ = here.read_to_end(&mut all);
    child.wait().unwrap();
    String::from_utf8(all).unwrap()
}

fn evil_server(scratch: &Scratch) -> Value {
    let offers = r#"{"tools":{},"resources":{},"prompts":{},"a\u001b[31mb":{}}"#;
    let cases = format!(
        r#"*'"tools/list"'*) say '"result":{{"tools":[{{"name":"{EVIL}","description":"{EVIL}","inputSchema":{{"type":"object"}}}},{{"name":"{EVIL}","inputSchema":"{EVIL}"}}]}}' ;;
    *'"resources/list"'*) say '"result":{{"resources":[{{"uri":"{EVIL}","name":"{EVIL}"}}]}}' ;;
    *'"resources/templates/list"'*) say '"result":{{"resourceTemplates":[{{"uriTemplate":"{EVIL}","name":"{EVIL}"}}]}}' ;;
    *'"prompts/list"'*) say '"result":{{"prompts":[{{"name":"{EVIL}","description":"{EVIL}","arguments":[{{"name":"{EVIL}"}}]}}]}}' ;;
    *'"resources/read"'*) say '"result":{{"contents":[{{"uri":"x:y","text":"{EVIL}"}}]}}' ;;
    *'"prompts/get"'*) say '"result":{{"messages":[{{"role":"user","content":{{"type":"text","text":"{EVIL}"}}}}]}}' ;;
    *'"ping"'*) say '"error":{{"code":-32603,"message":"{EVIL}"}}' ;;
    *'"text"'*) say '"result":{{"content":[{{"type":"text","text":"{EVIL}"}},{{"type":"resource_link","uri":"{EVIL}","name":"{EVIL}"}}],"isError":true}}' ;;
    *'"tools/call"'*) say '"error":{{"code":-32602,"message":"{EVIL}"}}' ;;"#
    );
    let script = Scripted {
        begins: r#"printf 'x\033[31m\302\2332J\342\200\256y\n\007\n' | tee /dev/stderr; sleep 0.1"#,
        offers,
        cases: &cases,
    };
    script.write(scratch, "evil")
}

#[test]
fn nothing_of_a_server_reaches_a_terminal_raw() {
    let scratch = Scratch::new();
    let name = "e\u{1b}[31m\u{202e}\nforged  line";
    configure(&scratch, "evil.json", &[(name, evil_server(&scratch))]);
    for (arguments, shown) in [
        (&["tools"][..], "a\u{fffd}[31m"),
        (&["resources"], "a\u{fffd}[31m"),
        (&["prompts"], "a\u{fffd}[31m"),
        (&["ping"], "a\u{fffd}[31m"),
        (&["doctor"], "x\u{fffd}[31m"),
        (&["call", name, "text"], "forged  line"),
        (&["call", name, "other"], "a\u{fffd}[31m"),
        (&["read", name, "x:y"], "forged  line"),
        (&["prompt", name, "any"], "forged  line"),
        (&["agent", "Call other"], "forged line"),
        (&["config", "check"], "forged"),
        (
            &["tools", "--json"],
            r"a\u001b[31m\u009b2J\u202eb\nforged  line",
        ),
        (&["call", name, "text", "--json"], r"\u202eb\nforged  line"),
    ] {
        let said = on_terminal(&scratch, &[arguments, &["--config", "evil.json"]].concat());
        assert!(said.contains(shown), "{arguments:?} {said}");
        assert!(!said.contains(MARKS), "{arguments:?} {said:?}");
        let forged = said.lines().any(|line| line.starts_with("forged"));
        // A result has the lines that it has.
        let is_result = shown == "forged  line";
        assert_eq!(forged, is_result, "{arguments:?} {said:?}");
    }
}

#[test]
fn a_pipe_gets_results_and_json_as_they_are() {
    let scratch = Scratch::new();
    configure(&scratch, "evil.json", &[("evil", evil_server(&scratch))]);
    let whole: String = serde_json::from_str(&format!("\"{EVIL}\"")).unwrap();
    let ended = scratch.mcp(&["read", "evil", "x:y", "--config", "evil.json"]);
    assert_eq!(ended.out, whole, "{ended:?}");
    let list = scratch.mcp(&["tools", "--json", "--config", "evil.json"]);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    assert_eq!(list["servers"][0]["tools"][0]["tool"]["name"], whole);
}

#[test]
fn an_error_of_megabytes_is_cut_and_says_how_long_it_is() {
    let scratch = Scratch::new();
    let script = Scripted {
        begins: "long=$(head -c 3000000 /dev/zero | tr '\\0' x)",
        offers: r#"{"tools":{}}"#,
        cases: r#"*'"tools/call"'*|*'"tools/list"'*) say "\"error\":{\"code\":-32603,\"message\":\"$long\"}" ;;"#,
    };
    configure(
        &scratch,
        "long.json",
        &[("long", script.write(&scratch, "long"))],
    );
    for arguments in [&["tools"][..], &["call", "long", "any"], &["doctor"]] {
        let ended = scratch.mcp(&[arguments, &["--config", "long.json"]].concat());
        let Ended { code, out, err } = &ended;
        assert_eq!(*code, Some(1), "{arguments:?}");
        let said = format!("{out}{err}");
        assert!(said.len() < 2000, "{arguments:?} {}", said.len());
        assert!(said.contains("x… (30"), "{arguments:?} {said}");
    }
    let list = scratch.mcp(&["tools", "--json", "--config", "long.json"]);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    let message = list["failures"][0]["message"].as_str().unwrap();
    assert!(
        message.len() >= 3_000_000 && list["servers"] == json!([{"name": "long", "tools": []}])
    );
}
