//! `--config`: other servers, good and bad.

use std::process::Command;

use crate::scratch::{Ended, Scratch};

/// A configuration with these servers; `MCP` stands for the command.
fn configured(servers: &str) -> Scratch {
    let scratch = Scratch::new();
    let mcp = serde_json::to_string(env!("CARGO_BIN_EXE_mcp")).unwrap();
    let text = format!(r#"{{"mcpServers":{{{}}}}}"#, servers.replace("MCP", &mcp));
    scratch.write("servers.json", &text);
    scratch
}

const GOOD: &str = r#""good": {"command": MCP, "args": ["serve", "files", "--root", "."]}"#;

#[test]
fn a_mistake_is_told_in_one_line_with_file_server_and_key() {
    for (servers, told) in [
        (
            r#""x": {"command": 7}"#,
            r#"servers.json:1: server "x": key "command""#,
        ),
        (r#""x": {"args": []}"#, r#"servers.json:1: server "x""#),
        (
            r#""x": {"command": "a", "env": {"K": []}}"#,
            r#"key "env.K""#,
        ),
        ("nonsense", "servers.json"),
        ("", "no server is configured"),
    ] {
        let scratch = configured(servers);
        for command in [&["agent", "?"][..], &["tools"], &["call", "x", "y"]] {
            let ended = scratch.mcp(&[command, &["--config", "servers.json"]].concat());
            assert_eq!(ended.code, Some(2), "{servers} {ended:?}");
            assert_eq!(
                (ended.out.as_str(), ended.err.lines().count()),
                ("", 1),
                "{ended:?}"
            );
            assert!(ended.err.contains(told), "{servers} {ended:?}");
        }
    }
    let ended = Scratch::new().mcp(&["tools", "--config", "missing.json"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("missing.json"), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn bad_servers_are_named_and_the_good_one_answers() {
    let silent = r#""silent": {"command": "sleep", "args": ["987"]}"#;
    let missing = r#""missing": {"command": "no-such-command-anywhere"}"#;
    let broken = r#""broken": {"command": "sh", "args": ["-c", "echo out of order >&2; exit 3"]}"#;
    let noisy = r#""noisy": {"command": "sh", "args": ["-c", "while echo garbage; do :; done"]}"#;
    let scratch = configured(&[GOOD, silent, missing, broken, noisy].join(","));
    scratch.write("x.rs", "fn alpha() {}\n");
    let settings = ["--config", "servers.json", "--startup-timeout", "1"];
    let ended = in_group(
        &scratch,
        &[&["agent", "Where is alpha defined?"], &settings[..]].concat(),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.starts_with("alpha is defined in x.rs:1"),
        "{ended:?}"
    );
    for told in [
        "missing  failed in spawn",
        "silent  failed in handshake",
        "broken  failed in handshake",
        "| out of order",
        "noisy  failed in handshake",
    ] {
        assert!(ended.err.contains(told), "{told} in {}", ended.err);
    }
    let ended = in_group(&scratch, &[&["tools"], &settings[..]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("missing  failed in spawn"), "{ended:?}");
    assert!(!is_running("sleep 987"), "a process is left");
}

#[cfg(unix)]
#[test]
fn without_any_server_that_answers_the_run_fails() {
    let scratch = configured(r#""missing": {"command": "no-such-command-anywhere"}"#);
    for command in [&["agent", "Where is alpha defined?"][..], &["tools"]] {
        let ended = in_group(&scratch, &[command, &["--config", "servers.json"]].concat());
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(format!("{}{}", ended.out, ended.err).contains("missing  failed in spawn"));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_everything_with_130() {
    // A server that starts and then never answers: the run waits for it when it is interrupted.
    let silent = r#""silent": {"command": "sh", "args": ["-c", "echo up > fifo; sleep 986"], "startup_timeout": 600}"#;
    let scratch = configured(silent);
    let fifo = scratch.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let mut child = scratch
        .command(&["tools", "--config", "servers.json"])
        .spawn()
        .unwrap();
    assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "up\n");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!is_running("sleep 986"), "a process is left");
}

/// Runs the command, and checks that no process is left of those that it started.
#[cfg(unix)]
fn in_group(scratch: &Scratch, arguments: &[&str]) -> Ended {
    use std::os::unix::process::CommandExt as _;
    let child = scratch
        .command(arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let group = child.id().to_string();
    let ended = Ended::of(child.wait_with_output().unwrap());
    for selection in [["-g", &group], ["-P", &group]] {
        let left = Command::new("pgrep").args(selection).output().unwrap();
        assert!(left.stdout.is_empty(), "left: {left:?}");
    }
    ended
}

#[cfg(unix)]
fn is_running(command: &str) -> bool {
    let found = Command::new("pgrep")
        .args(["-f", command])
        .output()
        .unwrap();
    !found.stdout.is_empty()
}
