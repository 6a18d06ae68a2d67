//! What several tests need: scripts as servers, and pipes that tell when processes are gone.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_jsonrpc::{Frame, Message, Request};
use mcp_transport::{Frames, Reader, TransportError, Writer as _};
use mcp_transport_stdio::{Child, ChildBuilder, ChildExit};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

/// A server that is a shell script, with all the time it needs to end.
pub(crate) fn sh(script: &str) -> ChildBuilder {
    let long = Duration::from_secs(60);
    ChildBuilder::new("sh")
        .args(["-c", script])
        .grace(long, long)
}

/// As [`sh`], with waits that keep a test short.
pub(crate) fn hasty(script: &str) -> ChildBuilder {
    sh(script).grace(Duration::from_millis(200), Duration::from_millis(200))
}

pub(crate) fn ping(id: i64) -> Message {
    Request::new(id, "ping", None).into()
}

pub(crate) fn frame(id: i64) -> Result<Frame, mcp_jsonrpc::DecodeError> {
    Ok(Frame::Single(ping(id)))
}

pub(crate) async fn send(child: &mut Child, id: i64) {
    child.writer.feed(&ping(id).into());
    child.writer.flush().await.unwrap();
}

/// Reads until this many frames are there.
pub(crate) async fn receive(reader: &mut impl Reader, count: usize) -> Frames {
    let mut frames = Frames::new();
    while frames.len() < count {
        assert!(reader.read(&mut frames).await.unwrap(), "{frames:?}");
    }
    frames
}

/// Reads until the end.
pub(crate) async fn read_to_end(reader: &mut impl Reader) -> (Frames, TransportError) {
    let mut frames = Frames::new();
    loop {
        match reader.read(&mut frames).await {
            Ok(true) => {}
            Ok(false) => panic!("an end without a reason"),
            Err(e) => return (frames, e),
        }
    }
}

pub(crate) fn exit_of(error: &TransportError) -> &ChildExit {
    let source = error.source().expect("a source");
    source.downcast_ref().expect("how the process ended")
}

/// A named pipe that processes of a test hold open: its end is the end of all of them.
pub(crate) struct Witness {
    path: PathBuf,
    pipe: pipe::Receiver,
    _folder: tempfile::TempDir,
}

impl Witness {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alive");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let pipe = pipe::OpenOptions::new().open_receiver(&path).unwrap();
        Self {
            path,
            pipe,
            _folder: folder,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until a process has written this line.
    pub(crate) async fn hears(&mut self, word: &str) {
        let mut text = vec![0; word.len() + 1];
        loop {
            // Without any writer yet, the pipe looks as if it had ended.
            match self.pipe.read_exact(&mut text).await {
                Ok(_) => break,
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    self.pipe.readable().await.unwrap();
                    tokio::task::yield_now().await;
                }
                Err(e) => panic!("{e}"),
            }
        }
        assert_eq!(text, format!("{word}\n").as_bytes());
    }

    /// Waits until no process holds the pipe open.
    pub(crate) async fn is_alone(&mut self) {
        let mut rest = Vec::new();
        self.pipe.read_to_end(&mut rest).await.unwrap();
    }
}

/// Whether a process is there and is no zombie.
pub(crate) fn runs(pid: u32) -> bool {
    state(pid).is_some_and(|state| state != 'Z')
}

/// The state letter of a process; `None` if there is no such process.
pub(crate) fn state(pid: u32) -> Option<char> {
    let ps = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", &pid.to_string()])
        .output()
        .unwrap();
    String::from_utf8(ps.stdout).unwrap().trim().chars().next()
}

/// How many child processes this process has, zombies included; the `ps` that counts is not one.
pub(crate) fn children() -> usize {
    let us = std::process::id().to_string();
    let ps = std::process::Command::new("ps")
        .args(["-A", "-o", "ppid=,comm="])
        .output();
    let table = String::from_utf8(ps.unwrap().stdout).unwrap();
    let ours = table.lines().filter(|line| {
        let mut fields = line.split_whitespace();
        fields.next() == Some(&us) && fields.next() != Some("ps")
    });
    ours.count()
}
