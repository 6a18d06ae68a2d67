//! A server of ours or of others on a free port, for as long as this lives.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A running HTTP server that printed its URL.
pub(crate) struct Program {
    pub(crate) url: String,
    child: Child,
    /// Kept open: a program whose output has nowhere to go may stop.
    _output: BufReader<Box<dyn Read>>,
}

impl Program {
    /// Starts a program that prints its URL on stdout or stderr.
    pub(crate) fn start(command: &mut Command, on_stderr: bool) -> Result<Self> {
        command.stdin(Stdio::null());
        match on_stderr {
            true => command.stderr(Stdio::piped()),
            false => command.stdout(Stdio::piped()),
        };
        let mut child = command.spawn()?;
        let output: Box<dyn Read> = match on_stderr {
            true => Box::new(child.stderr.take().context("stderr is piped")?),
            false => Box::new(child.stdout.take().context("stdout is piped")?),
        };
        let mut output = BufReader::new(output);
        let mut line = String::new();
        while output.read_line(&mut line)? > 0 {
            if let Some(at) = line.find("http://") {
                let url = line.get(at..).unwrap_or_default().trim().to_owned();
                return Ok(Self {
                    url,
                    child,
                    _output: output,
                });
            }
            line.clear();
        }
        child.kill().ok();
        child.wait()?;
        bail!("{:?} printed no URL", command.get_program())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
