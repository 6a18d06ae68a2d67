//! A configuration that lies in the working tree, and what is wrong with one.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::scratch::{Ended, Scratch};
use crate::scripted::{Scripted, configure, files, missing};

/// Commands that ask servers.
const COMMANDS: [&[&str]; 9] = [
    &["tools"],
    &["resources"],
    &["prompts"],
    &["ping"],
    &["doctor"],
    &["call", "files", "list_directory"],
    &["read", "wiki", "wiki:///x.md"],
    &["prompt", "wiki", "summarise_page", "page=x"],
    &["agent", "Show the last 3 commits"],
];

#[test]
fn no_command_starts_what_a_repository_names_unasked() {
    for file in [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"] {
        let scratch = Scratch::new();
        scratch.write("x.md", "# x");
        scratch.write("deep/down/x.txt", "deep");
        let script = Scripted {
            begins: "echo started > started",
            ..Scripted::PLAIN
        };
        // Its servers have the names of our own.
        let servers = ["files", "git", "wiki"].map(|name| (name, script.write(&scratch, name)));
        scratch.write(file, "");
        configure(&scratch, file, &servers);
        for command in COMMANDS {
            let ended = scratch.mcp(command);
            assert_eq!(ended.code, Some(0), "{command:?} {ended:?}");
            let hint = format!(
                "mcp: {file} lies here and is not used unless it is named: --config {file}\n"
            );
            assert!(ended.err.starts_with(&hint), "{command:?} {ended:?}");
            assert!(!scratch.path().join("started").exists(), "{command:?}");
        }
        // From further down the hint has the whole path.
        let mut command = scratch.command(&["tools"]);
        command.current_dir(scratch.path().join("deep/down"));
        let ended = Ended::of(command.output().unwrap());
        let whole = scratch.path().join(file).display().to_string();
        assert!(
            ended.err.ends_with(&format!("--config {whole}\n")),
            "{ended:?}"
        );
        let ended = scratch.mcp(&["tools", "--own"]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");

        let ended = scratch.mcp(&["ping", "--config", file]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
        assert!(scratch.path().join("started").exists());
    }
}

#[test]
fn who_names_a_server_of_a_configuration_that_lies_here_is_told_of_it() {
    let scratch = Scratch::new();
    configure(&scratch, ".mcp.json", &[("shared", files())]);
    scratch.write("x.txt", "top");
    let call = ["call", "shared", "read_file", r#"{"path":"x.txt"}"#];
    let ended = scratch.mcp(&call);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for told in ["--config .mcp.json", "files, git, wiki"] {
        assert!(ended.err.contains(told), "{ended:?}");
    }
    let ended = scratch.mcp(&[&call[..], &["--config", ".mcp.json"]].concat());
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "top\n"),
        "{ended:?}"
    );
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
}

#[test]
fn config_check_tells_all_mistakes_with_their_lines() {
    let scratch = Scratch::new();
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
            r#"bad.json:1: server "a": key "command": expected a string"#,
        ),
        (
            args,
            r#"bad.json:1: server "a": key "args[0]": expected a string"#,
        ),
        (url, r#"bad.json:1: server "b": key "url""#),
        (
            nonsense,
            r#"bad.json:1: server "c": key "nonsense" is ignored"#,
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
    assert_eq!(report["mistakes"][1]["line"], 1);
    assert_eq!(report["more_mistakes"], 0);
    assert_eq!(report["servers"], json!(["c"]));
}

#[test]
fn of_many_mistakes_the_first_hundred_are_told() {
    let scratch = Scratch::new();
    let args = vec!["1"; 150].join(",");
    let text = format!(r#"{{"mcpServers": {{"a": {{"command": "x", "args": [{args}]}}}}}}"#);
    scratch.write("many.json", &text);
    let ended = scratch.mcp(&["config", "check", "--config", "many.json"]);
    let end = "many.json: 50 more mistakes\nmany.json: 150 mistakes\n";
    assert!(ended.out.ends_with(end), "{ended:?}");
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
