//! The stdout of a child process.

use std::io;
use std::process::ChildStdout;

use mcp_jsonrpc::{DecodeError, Line};
use mcp_transport::{Frames, Reader, TransportError};
use tokio::time::{Instant, timeout, timeout_at};

use super::pipe::{self, ReadPipe};
use super::process::{AFTER_EXIT, SETTLE};
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
    /// When the process has exited: until when to read what is left.
    last_call: Option<Instant>,
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
            last_call: None,
        })
    }

    /// Reads once, or learns that the process has ended, or that nothing more comes from it.
    async fn fill(&mut self) -> Result<(), TransportError> {
        if let Some(last_call) = self.last_call {
            let fill = timeout(SETTLE, self.lines.fill());
            match timeout_at(last_call, fill).await {
                Ok(Ok(filled)) => filled?,
                Ok(Err(_)) | Err(_) => self.lines.end(),
            }
            return Ok(());
        }
        tokio::select! {
            biased;
            filled = self.lines.fill() => filled?,
            _ = self.process.exited() => self.last_call = Some(Instant::now() + AFTER_EXIT),
        }
        Ok(())
    }
}

/// Whether a line is no JSON text that a message could be: what launchers and loggers print.
fn is_noise(line: &Line) -> Option<&[u8]> {
    match line {
        Line::Text(text) if !matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) => {
            Some(text)
        }
        _ => None,
    }
}

impl Reader for ChildReader {
    async fn read(&mut self, into: &mut Frames) -> Result<bool, TransportError> {
        let before = into.len();
        loop {
            let Self { lines, process, .. } = self;
            lines.take(into, |line| {
                let noise = is_noise(line);
                noise.inspect(|text| process.note_noise(text)).is_some()
            });
            skip_broken(into, before, process);
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

/// Takes out what only looked like JSON.
fn skip_broken(into: &mut Frames, before: usize, process: &ChildProcess) {
    if into.iter().skip(before).all(Result::is_ok) {
        return;
    }
    let fresh = into.split_off(before);
    into.extend(fresh.into_iter().filter(|frame| match frame {
        Err(DecodeError::Syntax { detail }) => {
            process.note_noise(detail.as_bytes());
            false
        }
        Ok(_) | Err(_) => true,
    }));
}
