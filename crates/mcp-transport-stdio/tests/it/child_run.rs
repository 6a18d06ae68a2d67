//! Children while they run: noise, floods, sudden ends.

use mcp_transport::{TransportErrorKind, Writer as _};
use mcp_transport_stdio::Stderr;

use crate::support::{exit_of, frame, ping, read_to_end, receive, send, sh};

/// Answers each line with the same line.
const ECHO: &str = "while read -r line; do printf '%s\\n' \"$line\"; done";

#[tokio::test]
async fn messages_go_there_and_back() {
    let mut child = sh(ECHO).spawn().unwrap();
    for id in 1..=100 {
        child.writer.feed(&ping(id).into());
    }
    child.writer.flush().await.unwrap();
    let frames = receive(&mut child.reader, 100).await;
    assert_eq!(frames, (1..=100).map(frame).collect::<Vec<_>>());
    child.writer.close().await;
    assert!(child.process.exited().await.unwrap().success());
}

#[tokio::test]
async fn j06_noise_on_stdout_is_skipped_and_counted() {
    let noise = r"printf 'Server listening\n\033[2K  (0.9s)\n[info] ready\n{ port: 1 }\n\n';";
    let mut child = sh(&format!("{noise} {ECHO}")).spawn().unwrap();
    send(&mut child, 1).await;
    assert_eq!(receive(&mut child.reader, 1).await, [frame(1)]);
    assert_eq!(child.process.noise(), 4);
    assert_eq!(child.process.first_noise(), Some("Server listening"));
}

#[tokio::test]
async fn stdio_06_s01_a_flood_on_stderr_does_not_block_the_server() {
    let flood = "head -c 262144 /dev/zero | tr '\\0' x >&2; printf '\\377\\376' >&2; \
                 i=0; while [ $i -lt 800 ]; do printf '%01000d\\n' $i >&2; i=$((i+1)); done;";
    let mut child = sh(&format!("{flood} {ECHO}")).spawn().unwrap();
    send(&mut child, 1).await;
    assert_eq!(receive(&mut child.reader, 1).await, [frame(1)]);
    child.writer.close().await;
    let (_, error) = read_to_end(&mut child.reader).await;
    let tail = &exit_of(&error).stderr;
    assert_eq!(tail.len(), 64 * 1024, "the last 64 KiB");
    assert!(tail.ends_with("0799\n"), "the newest is kept");
}

#[tokio::test]
async fn s01_a_callback_that_panics_does_not_stop_the_draining() {
    let stderr = Stderr::each_line(|line| assert_eq!(line, "fine", "a faulty callback"));
    let flood = "echo fine >&2; echo bad >&2; head -c 300000 /dev/zero >&2;";
    let mut child = sh(&format!("{flood} {ECHO}"))
        .stderr(stderr)
        .spawn()
        .unwrap();
    send(&mut child, 1).await;
    assert_eq!(receive(&mut child.reader, 1).await, [frame(1)]);
}

#[tokio::test]
async fn s02_what_was_written_before_the_exit_is_still_read() {
    let mut child = sh(r#"read -r line; printf '%s\n' "$line" "$line"; exit 9"#)
        .spawn()
        .unwrap();
    send(&mut child, 7).await;
    let (frames, error) = read_to_end(&mut child.reader).await;
    assert_eq!(frames, [frame(7), frame(7)]);
    assert_eq!(error.to_string(), "`sh` exited with code 9");
}

#[tokio::test]
async fn s02_a_killed_server_is_noticed_with_its_signal() {
    let mut child = sh("kill -KILL $$").spawn().unwrap();
    let (_, error) = read_to_end(&mut child.reader).await;
    assert_eq!(error.kind(), TransportErrorKind::Ended);
    assert_eq!(error.to_string(), "`sh` was killed by signal 9 (SIGKILL)");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn s02_an_exit_is_noticed_though_another_process_keeps_the_pipes_open() {
    // The grandchild has left the group, so nothing of ours ends it.
    let flag = tempfile::NamedTempFile::new().unwrap();
    let heir = "echo '{}'; while [ -e \"$0\" ]; do sleep 0.05; done";
    let script = r#"setsid sh -c "$1" "$0" & read -r line; exit 5"#;
    let mut child = sh(script).arg(flag.path()).arg(heir).spawn().unwrap();
    receive(&mut child.reader, 1).await;
    send(&mut child, 1).await;
    let (_, error) = read_to_end(&mut child.reader).await;
    assert_eq!(error.to_string(), "`sh` exited with code 5");
}

#[tokio::test]
async fn stdio_12_s02_a_server_that_closes_its_stdout_has_ended_the_connection() {
    let mut child = sh("exec >&-; read -r line; exit 0").spawn().unwrap();
    let (_, error) = read_to_end(&mut child.reader).await;
    assert_eq!(error.kind(), TransportErrorKind::Ended);
    assert_eq!(error.to_string(), "`sh` closed its stdout but still runs");
    child.writer.close().await;
    assert!(child.process.has_exited());
}

#[tokio::test]
async fn s02_writing_to_a_server_that_is_gone_says_how_it_ended() {
    let mut child = sh("exit 4").spawn().unwrap();
    child.process.exited().await;
    child.writer.feed(&ping(1).into());
    let error = child.writer.flush().await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Ended);
    assert_eq!(error.to_string(), "`sh` exited with code 4");
}

#[tokio::test]
async fn s08_the_limit_on_lines_can_be_set() {
    let script =
        r#"head -c 3000 /dev/zero | tr '\0' A; echo; read -r l; printf '%s\n' "$l"; read -r l"#;
    let mut child = sh(script).max_line(1000).spawn().unwrap();
    send(&mut child, 1).await;
    let frames = receive(&mut child.reader, 2).await;
    assert!(frames[0].is_err());
    assert_eq!(frames[1], frame(1));
}
