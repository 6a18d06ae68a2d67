//! The stdout of a child process.

use std::io;
use std::process::ChildStdout;

use mcp_jsonrpc::DecodeError;
use mcp_transport::{Frames, Reader, TransportError};
use tokio::time::timeout;

use super::pipe::{self, ReadPipe};
use super::process::SETTLE;
use super::{ChildProcess, LineReader};

/// Reads what the process writes to its stdout.
///
/// Lines that are no JSON, as the banners of launchers, are skipped and counted:
/// [`ChildProcess::noise`]. The end of the process is an error that says how it ended, with a
/// [`ChildExit`](crate::ChildExit) as its source; it is noticed even where another process keeps
/// the pipe open.
#[derive(Debug)]
pub struct ChildReader {
    lines: LineReader<ReadPipe>,
    process: ChildProcess,
    exited: bool,
}

impl ChildReader {
    pub(super) fn new(
        stdout: ChildStdout,
        process: ChildProcess,
        limit: usize,
    ) -> io::Result<Self> {
        Ok(Self {
            lines: LineReader::new(pipe::reading(stdout)?, limit),
            process,
            exited: false,
        })
    }

    /// Reads once, or learns that the process has ended, or that nothing more comes from it.
    async fn fill(&mut self) -> Result<(), TransportError> {
        if self.exited {
            match timeout(SETTLE, self.lines.fill()).await {
                Ok(filled) => filled?,
                Err(_) => self.lines.end(),
            }
            return Ok(());
        }
        tokio::select! {
            biased;
            filled = self.lines.fill() => filled?,
            _ = self.process.exited() => self.exited = true,
        }
        Ok(())
    }

    /// Takes the lines that are no JSON out of what came last.
    fn skip_noise(&self, into: &mut Frames, before: usize) {
        if into.iter().skip(before).all(Result::is_ok) {
            return;
        }
        let fresh = into.split_off(before);
        into.extend(fresh.into_iter().filter(|frame| match frame {
            Err(e @ DecodeError::Syntax { .. }) => {
                self.process.note_noise(e);
                false
            }
            Ok(_) | Err(_) => true,
        }));
    }
}

impl Reader for ChildReader {
    async fn read(&mut self, into: &mut Frames) -> Result<bool, TransportError> {
        let before = into.len();
        loop {
            self.lines.take(into);
            self.skip_noise(into, before);
            if into.len() > before {
                return Ok(true);
            }
            if self.lines.ended() {
                return Err(self.process.why_ended("stdout").await);
            }
            self.fill().await?;
        }
    }
}
