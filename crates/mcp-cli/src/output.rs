//! The only place that writes to standard output and standard error.
//!
//! A reader that has gone, as `head` does, is no error: what it does not want is not written. Nor
//! is, after an interrupt, what a reader such as a pager would have to be waited for.

mod patient;

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use self::patient::Patient;
use crate::shown;

pub(crate) use self::patient::{give_up, has_given_up};

/// Whether something of the answer was lost, as on a full disk.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes an answer for people, or JSON of [`shown::json`], to standard output.
pub(crate) fn answer(text: &str) {
    write_answer(&shown::visible(text));
}

/// Writes what a server or a model has answered to standard output: as it is, unless a terminal
/// would obey it.
pub(crate) fn content(text: &str) {
    match io::stdout().is_terminal() {
        true => answer(text),
        false => write_answer(text),
    }
}

fn write_answer(text: &str) {
    let mut out = Patient(io::stdout().lock());
    let written = out.write_all(text.trim_end_matches('\n').as_bytes());
    let written = written.and_then(|()| out.write_all(b"\n"));
    heed(written.and_then(|()| out.flush()));
}

/// Writes bytes to standard output, as they are.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut out = Patient(io::stdout().lock());
    heed(out.write_all(bytes).and_then(|()| out.flush()));
}

fn heed(written: io::Result<()>) {
    let Err(error) = written else { return };
    let is_unwanted = matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::TimedOut);
    if !is_unwanted && !LOST.swap(true, Ordering::Relaxed) {
        note(&format!("mcp: the answer could not be written: {error}"));
    }
}

/// Whether something of the answer was lost.
pub(crate) fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes a note to standard error.
pub(crate) fn note(text: &str) {
    frame(&format!("{}\n", shown::visible(text)));
}

/// Writes to standard error as it stands: lines of which each part was made visible, and what
/// moves the cursor between them.
pub(crate) fn frame(text: &str) {
    let mut out = Patient(io::stderr().lock());
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Takes log lines, each in one piece.
#[derive(Debug)]
pub(crate) struct Log;

impl io::Write for Log {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        note(&shown::line(&String::from_utf8_lossy(event)));
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
