//! Writing that waits for its reader until an interrupt comes.
//!
//! A pager that shows the first screen reads no further. To block in the middle of a write would
//! be to hear of no interrupt, and to leave servers running until the pager ends.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether readers are waited for no more.
static HURRIED: AtomicBool = AtomicBool::new(false);
/// Whether something was not written for that.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// From now on what its reader does not take at once is not written.
pub(crate) fn give_up() {
    HURRIED.store(true, Ordering::Relaxed);
}

/// Whether something was not written, since there was an interrupt.
pub(crate) fn has_given_up() -> bool {
    GIVEN_UP.load(Ordering::Relaxed)
}

/// A stream that is written to in pieces, each when there is room for it.
#[derive(Debug)]
pub(super) struct Patient<W>(pub(super) W);

#[cfg(unix)]
impl<W: Write + std::os::fd::AsFd> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        wait_for_room(&self.0)?;
        let piece = bytes.get(..PIECE).unwrap_or(bytes);
        self.0.write_all(piece)?;
        // Nothing stays in the buffer of standard output, to be written when there is no room.
        self.0.flush()?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What a pipe that has room takes without blocking, in bytes: `PIPE_BUF`.
#[cfg(unix)]
const PIECE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// How long an interrupt may go unnoticed.
#[cfg(unix)]
const GLANCE: rustix::event::Timespec = rustix::event::Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

#[cfg(unix)]
fn wait_for_room(out: &impl std::os::fd::AsFd) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    loop {
        let mut room = [PollFd::new(out, PollFlags::OUT)];
        // What is wrong with the stream is told by the write.
        if !matches!(poll(&mut room, Some(&GLANCE)), Ok(0) | Err(Errno::INTR)) {
            return Ok(());
        }
        if HURRIED.load(Ordering::Relaxed) {
            GIVEN_UP.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}

#[cfg(not(unix))]
impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
