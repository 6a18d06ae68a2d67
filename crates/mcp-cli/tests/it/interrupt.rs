//! Ctrl-C: calls are cancelled, servers end, nothing is left.

use std::fs;
use std::process::{Command, Stdio};

use crate::scratch::Scratch;

/// A server that answers all but calls of its tool, and notes what it hears of them.
const SLOW: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
  case "$line" in
    *'"server/discover"'*) say '"error":{"code":-32601,"message":"no"}' ;;
    *'"initialize"'*) say '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}' ;;
    *'"tools/list"'*) say '"result":{"tools":[{"name":"sleep_long","description":"Sleeps.","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) echo called > fifo ;;
    *'notifications/cancelled'*) echo cancelled > cancelled ;;
  esac
done
echo ended > ended
"#;

/// Runs a command until the slow tool is called, then interrupts it.
fn interrupted(arguments: &[&str]) -> (Option<i32>, Scratch) {
    let scratch = Scratch::new();
    scratch.write("slow.sh", SLOW);
    scratch.write(
        "servers.json",
        r#"{"mcpServers":{"slow":{"command":"sh","args":["slow.sh"]}}}"#,
    );
    let fifo = scratch.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let mut child = scratch
        .command(&[arguments, &["--config", "servers.json"]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(fs::read_to_string(&fifo).unwrap(), "called\n");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    (child.wait().unwrap().code(), scratch)
}

#[test]
fn a_call_in_flight_is_cancelled_and_the_server_ends_in_good_order() {
    for arguments in [
        &["agent", "Sleep long"][..],
        &["call", "slow", "sleep_long"],
    ] {
        let (code, scratch) = interrupted(arguments);
        assert_eq!(code, Some(130), "{arguments:?}");
        for file in ["cancelled", "ended"] {
            assert!(
                scratch.path().join(file).exists(),
                "{arguments:?}: not {file}"
            );
        }
    }
}
