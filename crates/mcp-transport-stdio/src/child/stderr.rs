//! The stderr of a child process: always taken off the pipe, so that a talkative server never
//! waits for us.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt as _;
use tokio::sync::watch;
use tokio::time::Instant;

use super::ChildProcess;
use super::pipe::ReadPipe;
use super::process::{AFTER_EXIT, SETTLE};

/// How much is kept, in bytes; the oldest goes first.
const KEPT: usize = 64 * 1024;
/// How much is read at once, and the longest piece that counts as a line, in bytes.
const CHUNK: usize = 8 * 1024;

/// What becomes of a child's stderr.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// The last 64 KiB are kept for error messages; lines go to `tracing` at level debug.
    #[default]
    Capture,
    /// It goes where ours goes.
    Inherit,
    /// It goes nowhere.
    Discard,
    /// As [`Capture`](Self::Capture), and each line is handed over.
    Callback(LineSink),
}

/// Takes lines, without their ends; pieces of at most 8 KiB where a line is longer.
///
/// It is called from the task that drains the pipe and must not block. After a panic it is not
/// called again.
#[derive(Clone)]
pub struct LineSink(Arc<dyn Fn(&str) + Send + Sync>);

impl LineSink {
    /// A sink that calls `f`.
    pub fn new(f: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }
}

impl fmt::Debug for LineSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LineSink")
    }
}

impl Stderr {
    /// Captures, and hands each line to `f`; see [`LineSink`].
    pub fn each_line(f: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::Callback(LineSink::new(f))
    }

    pub(super) fn stdio(&self) -> Stdio {
        match self {
            Self::Capture | Self::Callback(_) => Stdio::piped(),
            Self::Inherit => Stdio::inherit(),
            Self::Discard => Stdio::null(),
        }
    }

    pub(super) fn sink(&self) -> Option<LineSink> {
        match self {
            Self::Callback(sink) => Some(sink.clone()),
            Self::Capture | Self::Inherit | Self::Discard => None,
        }
    }
}

/// The end of what was written.
pub(super) struct Tail {
    bytes: Mutex<VecDeque<u8>>,
    open: watch::Sender<bool>,
}

impl Tail {
    pub(super) fn new(open: bool) -> Self {
        Self {
            bytes: Mutex::new(VecDeque::new()),
            open: watch::Sender::new(open),
        }
    }

    pub(super) fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let (older, newer) = bytes.as_slices();
        String::from_utf8_lossy(&[older, newer].concat()).into_owned()
    }

    /// Waits until nothing more will come.
    pub(super) async fn ended(&self) {
        // The sender is in `self`, so this cannot fail.
        let _ = self.open.subscribe().wait_for(|open| !open).await;
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let excess = kept.len().saturating_sub(KEPT);
        kept.drain(..excess);
    }
}

/// Reads the pipe until its end, or until a little after the end of the process where another
/// process keeps the pipe open.
pub(super) async fn drain(mut pipe: ReadPipe, process: ChildProcess, sink: Option<LineSink>) {
    let mut lines = Lines::new(sink);
    let mut chunk = vec![0; CHUNK];
    let mut last_call = None;
    loop {
        let quiet = tokio::time::sleep(SETTLE);
        let read = tokio::select! {
            biased;
            _ = process.exited(), if last_call.is_none() => {
                last_call = Some(Instant::now() + AFTER_EXIT);
                continue;
            }
            () = until(last_call) => break,
            read = pipe.read(&mut chunk) => read,
            () = quiet, if last_call.is_some() => break,
        };
        match read.ok().and_then(|count| chunk.get(..count)) {
            None | Some([]) => break,
            Some(bytes) => {
                process.tail().push(bytes);
                lines.push(bytes);
            }
        }
    }
    lines.finish();
    process.tail().open.send_replace(false);
}

/// Waits until then; for ever where there is no then.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Cuts bytes into lines for the callback and the log.
struct Lines {
    sink: Option<LineSink>,
    partial: Vec<u8>,
}

impl Lines {
    const fn new(sink: Option<LineSink>) -> Self {
        Self {
            sink,
            partial: Vec::new(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            let whole = piece.ends_with(b"\n");
            self.partial.extend_from_slice(piece);
            if whole || self.partial.len() >= CHUNK {
                self.finish();
            }
        }
    }

    fn finish(&mut self) {
        if self.partial.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(&self.partial);
        let line = text.trim_end_matches(['\n', '\r']);
        tracing::debug!("stderr: {line}");
        if let Some(sink) = &self.sink
            && catch_unwind(AssertUnwindSafe(|| (sink.0)(line))).is_err()
        {
            self.sink = None;
        }
        self.partial.clear();
    }
}
