//! The only place that writes to standard output and standard error.
//!
//! A reader that has gone, as `head` does, is no error: what it does not want is not written.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something of the answer was lost, as on a full disk.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes the answer, or a part of it, to standard output: as it is, unless a terminal would obey
/// control characters in it.
pub(crate) fn answer(text: &str) {
    let mut out = io::stdout().lock();
    let shown = if out.is_terminal() {
        visible(text)
    } else {
        text.to_owned()
    };
    let written = writeln!(out, "{}", shown.trim_end_matches('\n'));
    heed(written.and_then(|()| out.flush()));
}

/// Writes bytes to standard output, as they are.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    heed(out.write_all(bytes).and_then(|()| out.flush()));
}

fn heed(written: io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        note(&format!("mcp: the answer could not be written: {error}"));
    }
}

/// Whether something of the answer was lost.
pub(crate) fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes one line to standard error.
pub(crate) fn note(text: &str) {
    raw_note(&format!("{text}\n"));
}

/// Writes to standard error as it stands.
pub(crate) fn raw_note(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Text without control characters that a terminal would obey.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' => {}
            c if c.is_control() => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}
