//! `mcp serve`: the servers on their own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use crate::scratch::Scratch;

#[test]
fn files_answers_over_stdio_and_ends_with_its_client() {
    let scratch = Scratch::new();
    scratch.write("x.txt", "hello");
    let mut child = scratch
        .command(&["serve", "files", "--root", "."])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for (request, answer) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
            r#""protocolVersion":"2025-06-18""#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"x.txt"}}}"#,
            r#""text":"hello""#,
        ),
    ] {
        writeln!(stdin, "{request}").unwrap();
        let line = answers.next().unwrap().unwrap();
        assert!(line.contains(answer), "{line}");
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A git that does not show the log before it may.
#[cfg(unix)]
const SLOW_GIT: &str = r#"#!/bin/sh
case " $* " in *" log "*) echo asked > asked; read -r _ < go ;; esac
PATH=$REST exec git "$@"
"#;

#[cfg(unix)]
#[test]
fn a_server_that_is_asked_to_end_gives_the_answers_that_it_owes() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    scratch.commit("the one commit");
    scratch.write("bin/git", SLOW_GIT);
    let git = scratch.path().join("bin/git");
    std::fs::set_permissions(git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let [asked, go] = ["asked", "go"].map(|name| scratch.path().join(name));
    for fifo in [&asked, &go] {
        let made = std::process::Command::new("mkfifo").arg(fifo).status();
        assert!(made.unwrap().success());
    }
    let rest = std::env::var("PATH").unwrap();
    let mut child = scratch
        .command(&["serve", "git", "--repo", "."])
        .env("REST", &rest)
        .env("PATH", format!("{}/bin:{rest}", scratch.path().display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(
        stdin,
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"log","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"t","version":"1"}}}}}}}}"#
    )
    .unwrap();
    assert_eq!(std::fs::read_to_string(&asked).unwrap(), "asked\n");
    let killed = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status();
    assert!(killed.unwrap().success());
    std::fs::write(&go, "go\n").unwrap();
    let mut answer = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("the one commit"), "{answer}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}

#[test]
fn what_cannot_be_served_is_told_in_one_line() {
    let scratch = Scratch::new();
    for arguments in [
        &["serve", "files", "--root", "missing"][..],
        &["serve", "git", "--repo", "/"],
        &["serve", "wiki", "--dir", "missing"],
        &["serve", "wiki", "--dir", ".", "--http", "nonsense"],
    ] {
        let ended = scratch.mcp(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?} {ended:?}");
        assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
    }
}

#[cfg(unix)]
#[test]
fn wiki_prints_its_url_answers_and_ends_when_interrupted() {
    let scratch = Scratch::new();
    scratch.write("docs/page.md", "# Page\n\nText.\n");
    let mut child = scratch
        .command(&["serve", "wiki", "--dir", "docs", "--http", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let url = line.trim().strip_prefix("listening on http://").unwrap();
    let (address, path) = url.split_once('/').unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /{path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains(r#""name":"wiki""#), "{answer}");
    assert!(
        answer.contains(r#""prompts""#) && answer.contains(r#""resources""#),
        "{answer}"
    );
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Asks for a file again and again and reads no answers, until the server reads no more.
#[cfg(unix)]
fn flooded(scratch: &Scratch) -> std::process::Child {
    use std::io::ErrorKind;
    scratch.write("x.txt", &"x".repeat(200_000));
    let mut child = scratch
        .command(&["serve", "files", "--root", "."])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-06-18","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#).unwrap();
    for id in 1..100 {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"read_file","arguments":{{"path":"x.txt"}}}}}}"#
        );
        let written = writeln!(stdin, "{call}");
        assert!(written.is_ok() || written.is_err_and(|e| e.kind() == ErrorKind::BrokenPipe));
    }
    drop(stdin);
    child
}

#[cfg(unix)]
#[test]
fn a_client_that_is_gone_ends_the_server_though_nobody_reads_its_answers() {
    let scratch = Scratch::new();
    let mut child = flooded(&scratch);
    // Its answers are kept open and not read.
    let stdout = child.stdout.take().unwrap();
    let begun = std::time::Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed().as_secs() < 20);
    drop(stdout);
}

#[cfg(unix)]
#[test]
fn a_client_that_reads_no_more_ends_the_server_at_once() {
    let scratch = Scratch::new();
    scratch.write("x.txt", "hello");
    let mut child = scratch
        .command(&["serve", "files", "--root", "."])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
    // Its input stays open.
    let ended = crate::scratch::Ended::of(child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    drop(stdin);
}
