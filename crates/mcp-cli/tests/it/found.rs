//! A configuration that lies in the working tree, and what is wrong with one.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::scratch::{Ended, Scratch};
use crate::scripted::{Scripted, configure, files, missing};

#[test]
fn a_configuration_that_lies_here_is_used_and_named() {
    let scratch = Scratch::new();
    configure(&scratch, ".mcp.json", &[("shared", files())]);
    scratch.write("deep/down/x.txt", "deep");
    scratch.write("x.txt", "top");
    for folder in ["", "deep/down"] {
        let mut command = scratch.command(&["call", "shared", "read_file", r#"{"path":"x.txt"}"#]);
        command.current_dir(scratch.path().join(folder));
        let ended = Ended::of(command.output().unwrap());
        // Its servers are started where the file lies.
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (Some(0), "top\n"),
            "{ended:?}"
        );
        assert!(ended.err.contains(".mcp.json; --own"), "{ended:?}");
    }
    let ended = scratch.mcp(&["tools", "--own"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    assert!(ended.out.contains("search_pages"), "{ended:?}");
}

#[test]
fn the_agent_starts_nothing_of_a_repository_unasked() {
    let scratch = Scratch::new();
    let script = Scripted {
        begins: "echo started > started",
        ..Scripted::PLAIN
    };
    configure(&scratch, ".mcp.json", &[("x", script.write(&scratch, "x"))]);
    let ended = scratch.mcp(&["agent", "Show the last 3 commits"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.starts_with("There are no commits yet."),
        "{ended:?}"
    );
    assert!(ended.err.contains("--config .mcp.json takes"), "{ended:?}");
    assert!(!scratch.path().join("started").exists());
    let ended = scratch.mcp(&["agent", "Show the last 3 commits", "--config", ".mcp.json"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(scratch.path().join("started").exists());
}

#[test]
fn config_check_says_what_is_wrong_and_starts_nothing() {
    let scratch = Scratch::new();
    let ended = scratch.mcp(&["config", "check"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("no configuration here (.mcp.json, "),
        "{ended:?}"
    );

    configure(
        &scratch,
        ".mcp.json",
        &[
            ("a", missing()),
            ("b", json!({"url": "http://127.0.0.1:1/"})),
        ],
    );
    let ended = scratch.mcp(&["config", "check"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    assert!(ended.out.ends_with(".mcp.json: no mistakes\n"), "{ended:?}");
    let report: Value =
        serde_json::from_str(&scratch.mcp(&["config", "check", "--json"]).out).unwrap();
    assert_eq!(report["servers"], json!(["a", "b"]));
    assert_eq!(report["mistakes"], json!([]));

    scratch.write(
        "bad.json",
        r#"{"mcpServers": {"a": {"command": 7, "args": [1]}, "b": {"url": "x"}, "c": {"command": "x", "nonsense": 1}}}"#,
    );
    let ended = scratch.mcp(&["config", "check", "--config", "bad.json"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let lines: Vec<&str> = ended.out.lines().collect();
    let [command, args, url, nonsense, good, sum] = lines[..] else {
        panic!("{ended:?}");
    };
    for (line, told) in [
        (
            command,
            r#"bad.json: server "a": key "command": expected a string"#,
        ),
        (
            args,
            r#"bad.json: server "a": key "args[0]": expected a string"#,
        ),
        (url, r#"bad.json: server "b": key "url""#),
        (
            nonsense,
            r#"bad.json: server "c": key "nonsense" is ignored"#,
        ),
        (good, r#"bad.json: server "c" is reached over stdio"#),
        (sum, "bad.json: 3 mistakes"),
    ] {
        assert!(line.starts_with(told), "{told} in {ended:?}");
    }
    let ended = scratch.mcp(&["config", "check", "--config", "bad.json", "--json"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(report["mistakes"][1]["key"], "args[0]");
    assert_eq!(report["servers"], json!(["c"]));
}

#[test]
fn a_configuration_that_cannot_be_read_is_told_in_one_line() {
    let scratch = Scratch::new();
    scratch.write("empty.json", "");
    scratch.write("none.json", "{}");
    std::fs::write(scratch.path().join("binary.json"), b"\xff\xfe{\0").unwrap();
    for file in [
        "empty.json",
        "none.json",
        "binary.json",
        ".git",
        "missing.json",
    ] {
        for command in [&["tools"][..], &["doctor"], &["config", "check"]] {
            let ended = scratch.mcp(&[command, &["--config", file]].concat());
            assert_eq!(ended.code, Some(2), "{file} {ended:?}");
            let told = format!("{}{}", ended.out, ended.err);
            assert!(told.contains(file), "{ended:?}");
        }
    }
}

#[test]
fn an_interrupt_ends_the_wait_for_a_configuration_too() {
    let scratch = Scratch::new();
    let fifo = scratch.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let child = scratch
        .command(&["tools", "--config", "fifo"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Opened here means that it is being read there.
    let fifo = std::fs::OpenOptions::new().write(true).open(&fifo).unwrap();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let ended = Ended::of(child.wait_with_output().unwrap());
    assert_eq!(
        (ended.code, ended.err.as_str()),
        (Some(130), "mcp: interrupted\n")
    );
    drop(fifo);
}
