//! The stdin of a child process, and the end of the process.

use std::io;
use std::process::ChildStdin;
use std::time::Duration;

use mcp_jsonrpc::Packet;
use mcp_transport::{TransportError, TransportErrorKind, Writer};
use tokio::time::timeout;

use super::group::Force;
use super::pipe::{self, WritePipe};
use super::{ChildProcess, LineWriter};

/// How long a killed process may take to vanish; longer only if the operating system is stuck.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// How long a process may take to end by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grace {
    pub(super) after_eof: Duration,
    pub(super) after_term: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self {
            after_eof: Duration::from_secs(2),
            after_term: Duration::from_secs(2),
        }
    }
}

/// Writes to the stdin of the process, and owns its life.
///
/// [`close`](Writer::close) closes stdin, waits, asks the process group to terminate, waits,
/// kills the group, and returns when the process is reaped. Dropping the writer before that
/// kills the group at once, without waiting; the process is reaped all the same.
///
/// Source: lifecycle, shutdown, stdio, of every revision.
#[derive(Debug)]
pub struct ChildWriter {
    lines: LineWriter<WritePipe>,
    process: ChildProcess,
    grace: Grace,
}

impl ChildWriter {
    pub(super) fn new(process: ChildProcess, grace: Grace, stdin: ChildStdin) -> io::Result<Self> {
        let stdin = pipe::writing(stdin).inspect_err(|_| process.end(Force::Kill))?;
        Ok(Self {
            lines: LineWriter::new(stdin),
            process,
            grace,
        })
    }
}

impl Writer for ChildWriter {
    fn feed(&mut self, packet: &Packet) {
        self.lines.feed(packet);
    }

    fn pending(&self) -> usize {
        self.lines.pending()
    }

    async fn flush(&mut self) -> Result<(), TransportError> {
        match self.lines.flush().await {
            Err(e) if e.kind() == TransportErrorKind::Io => {
                Err(self.process.why_ended("stdin").await)
            }
            result => result,
        }
    }

    async fn close(&mut self) {
        let Grace {
            after_eof,
            after_term,
        } = self.grace;
        let in_order = async {
            self.lines.close().await;
            self.process.exited().await;
        };
        if timeout(after_eof, in_order).await.is_ok() {
            return;
        }
        self.process.end(Force::Terminate);
        if self.process.exits_within(after_term).await {
            return;
        }
        self.process.end(Force::Kill);
        if !self.process.exits_within(AFTER_KILL).await {
            tracing::warn!(process = ?self.process, "a killed process does not end");
        }
    }
}

impl Drop for ChildWriter {
    fn drop(&mut self) {
        self.process.end(Force::Kill);
    }
}
