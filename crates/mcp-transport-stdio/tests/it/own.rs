//! Own stdin and stdout, seen by the process at the other end.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio as Io;
use std::time::Duration;

use mcp_jsonrpc::{Frame, Packet};
use mcp_transport::{Frames, Reader as _, Writer as _};
use mcp_transport_stdio::{ChildBuilder, Stdio};

use crate::roles;
use crate::support::{frame, ping, read_to_end, receive, send};

/// Answers each message with the same message.
pub(crate) async fn echo() {
    let (mut reader, mut writer) = Stdio::own();
    let mut frames = Frames::new();
    while reader.read(&mut frames).await.unwrap() {
        for frame in frames.drain(..) {
            if let Ok(Frame::Single(message)) = frame {
                writer.feed(&Packet::Single(message));
            }
        }
        writer.flush().await.unwrap();
    }
    writer.close().await;
}

/// A server whose other code prints, reads stdin, and starts processes that do.
pub(crate) async fn mess() {
    let (mut reader, mut writer) = Stdio::own();
    std::io::stdout()
        .write_all(b"printed by accident\n")
        .unwrap();
    let status = std::process::Command::new("sh")
        .args(["-c", "cat; echo from a child"])
        .status();
    assert!(status.unwrap().success());
    let mut stolen = String::new();
    std::io::stdin().read_to_string(&mut stolen).unwrap();
    assert_eq!(stolen, "");
    let mut frames = Frames::new();
    reader.read(&mut frames).await.unwrap();
    writer.feed(&ping(1).into());
    writer.flush().await.unwrap();
}

/// A server that ends though nothing comes from its client.
pub(crate) async fn silent() {
    let end = tokio_util::sync::CancellationToken::new();
    let (reader, _writer) = Stdio::own();
    let mut reader = reader.until(end.clone());
    end.cancel();
    assert!(!reader.read(&mut Frames::new()).await.unwrap());
}

/// A server that takes the wire twice.
pub(crate) async fn twice() {
    let (_reader, _writer) = Stdio::own();
    let (mut reader, mut writer) = Stdio::own();
    let error = reader.read(&mut Frames::new()).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "stdin and stdout are already a wire");
    writer.feed(&ping(1).into());
    assert!(writer.flush().await.is_err());
}

/// A server that is told to end while its input is open.
pub(crate) async fn until() {
    let end = tokio_util::sync::CancellationToken::new();
    let (reader, mut writer) = Stdio::own();
    let mut reader = reader.until(end.clone());
    let mut frames = Frames::new();
    assert!(reader.read(&mut frames).await.unwrap());
    let (_, read) = tokio::join!(async { end.cancel() }, reader.read(&mut frames));
    assert!(!read.unwrap(), "the end of the stream");
    writer.feed(&ping(1).into());
    writer.flush().await.unwrap();
}

fn role(name: &str) -> ChildBuilder {
    let program = std::env::current_exe().unwrap();
    ChildBuilder::new(program)
        .args(["--exact", "roles::other_role", "--nocapture"])
        .env("MCP_STDIO_TEST_ROLE", name)
        .grace(Duration::from_secs(60), Duration::from_secs(60))
}

/// What comes after the greeting of the test program.
fn answers(output: &[u8]) -> String {
    let text = std::str::from_utf8(output).unwrap();
    text.lines()
        .filter(|line| line.starts_with('{'))
        .map(|l| format!("{l}\n"))
        .collect()
}

#[tokio::test]
async fn stdio_11_pipes_carry_messages_both_ways_and_the_end() {
    let mut child = role("echo").spawn().unwrap();
    for id in 1..=3 {
        send(&mut child, id).await;
        assert_eq!(receive(&mut child.reader, 1).await, [frame(id)]);
    }
    child.writer.close().await;
    let status = child.process.exited().await.unwrap();
    assert!(
        status.success(),
        "stdio_11: {}",
        child.process.stderr_tail()
    );
}

#[tokio::test]
async fn stdio_02_nothing_but_messages_gets_onto_the_wire() {
    let mut child = role("mess").spawn().unwrap();
    send(&mut child, 1).await;
    let (frames, error) = read_to_end(&mut child.reader).await;
    let stderr = child.process.stderr_tail();
    assert_eq!(frames, [frame(1)], "{error}: {stderr}");
    for printed in ["printed by accident", "from a child"] {
        assert!(stderr.contains(printed), "{stderr}");
    }
    assert!(
        child.process.noise() <= 2,
        "only the greeting of the test program"
    );
}

#[test]
fn sockets_work_as_pipes_do() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let also = theirs.try_clone().unwrap();
    let mut server = roles::start("echo")
        .stdin(Io::from(OwnedFd::from(theirs)))
        .stdout(Io::from(OwnedFd::from(also)))
        .spawn()
        .unwrap();
    let message = [ping(1).encode(), b"\n".to_vec()].concat();
    ours.write_all(&message).unwrap();
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    let mut output = Vec::new();
    ours.read_to_end(&mut output).unwrap();
    assert_eq!(answers(&output).as_bytes(), message);
    assert!(server.wait().unwrap().success());
}

#[test]
fn s03_files_work_and_the_last_line_needs_no_end() {
    let mut input = tempfile::tempfile().unwrap();
    let mut output = tempfile::tempfile().unwrap();
    let lines = [ping(1).encode(), ping(2).encode()].join(&b'\n');
    input.write_all(&lines).unwrap();
    input.seek(SeekFrom::Start(0)).unwrap();
    let status = roles::start("echo")
        .stdin(input)
        .stdout(output.try_clone().unwrap())
        .status()
        .unwrap();
    assert!(status.success());
    output.seek(SeekFrom::Start(0)).unwrap();
    let mut text = Vec::new();
    output.read_to_end(&mut text).unwrap();
    assert_eq!(answers(&text).as_bytes(), [&lines[..], b"\n"].concat());
}

#[test]
fn a_pipe_that_others_share_gets_its_mode_back() {
    use rustix::fs::{OFlags, fcntl_getfl};
    let (read, write) = std::io::pipe().unwrap();
    let (mut output, out) = std::io::pipe().unwrap();
    let mut server = roles::start("echo")
        .stdin(read.try_clone().unwrap())
        .stdout(out)
        .spawn()
        .unwrap();
    (&write)
        .write_all(&[ping(1).encode(), b"\n".to_vec()].concat())
        .unwrap();
    let mut seen = Vec::new();
    while answers(&seen).is_empty() {
        let mut chunk = [0; 4096];
        let count = output.read(&mut chunk).unwrap();
        assert_ne!(count, 0);
        seen.extend_from_slice(&chunk[..count]);
    }
    assert!(
        fcntl_getfl(&read).unwrap().contains(OFlags::NONBLOCK),
        "while it serves"
    );
    drop(write);
    assert!(server.wait().unwrap().success());
    assert!(
        !fcntl_getfl(&read).unwrap().contains(OFlags::NONBLOCK),
        "afterwards"
    );
}

#[test]
fn taking_the_wire_twice_is_an_error_of_the_second() {
    let output = roles::start("twice").output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test]
async fn s03_a_server_that_is_told_to_end_still_answers() {
    let mut child = role("until").spawn().unwrap();
    send(&mut child, 1).await;
    assert_eq!(receive(&mut child.reader, 1).await, [frame(1)]);
    assert!(child.process.exited().await.unwrap().success());
}

#[test]
fn a_terminal_that_stays_silent_does_not_keep_the_process() {
    // A pipe that is stderr too is read as a terminal is: by a thread that blocks.
    let (silent, _held) = std::io::pipe().unwrap();
    let status = roles::start("silent")
        .stdin(silent.try_clone().unwrap())
        .stderr(silent)
        .status();
    assert!(status.unwrap().success());
}
