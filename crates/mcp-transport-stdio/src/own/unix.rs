//! Stdin and stdout on Unix: moved to private descriptors, and not blocking where that concerns
//! nobody else.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::task::{Context, Poll};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::thread::ThreadReader;
use super::{Sink, Source};

/// The end of stdin that the client holds.
pub(super) struct Client(OwnedFd);

impl Client {
    /// Whether it is closed, read to its end or not.
    pub(super) fn is_gone(&self) -> bool {
        let mut stdin = [PollFd::new(&self.0, PollFlags::empty())];
        let at_once = Timespec::default();
        let polled = poll(&mut stdin, Some(&at_once));
        let [stdin] = stdin;
        polled.is_ok() && stdin.revents().contains(PollFlags::HUP)
    }
}

pub(super) fn take() -> io::Result<(Source, Sink, Client)> {
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    // Both before either is changed: they may be one socket.
    let (stdin_mode, stdout_mode) = (Mode::of(&stdin)?, Mode::of(&stdout)?);
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    let client = Client(stdin.try_clone()?);
    let source = source(stdin, stdin_mode)?;
    Ok((source, sink(stdout, stdout_mode)?, client))
}

fn source(fd: OwnedFd, mode: Mode) -> io::Result<Source> {
    Ok(match kind(&fd)? {
        Kind::Pipe => Box::new(mode.keep(pipe::Receiver::from_owned_fd(fd)?)),
        Kind::Socket => Box::new(mode.keep(socket(fd)?)),
        Kind::Other => Box::new(ThreadReader::new(File::from(fd))?),
    })
}

fn sink(fd: OwnedFd, mode: Mode) -> io::Result<Sink> {
    Ok(match kind(&fd)? {
        Kind::Pipe => Box::new(mode.keep(pipe::Sender::from_owned_fd(fd)?)),
        Kind::Socket => Box::new(mode.keep(socket(fd)?)),
        Kind::Other => Box::new(tokio::fs::File::from_std(fd.into())),
    })
}

/// Any socket: only reading and writing are used.
fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = StdUnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

enum Kind {
    Pipe,
    Socket,
    /// A terminal or a file; also a pipe that is stderr too, where other code would trip over
    /// writes that do not block.
    Other,
}

fn kind(fd: &OwnedFd) -> io::Result<Kind> {
    let stat = fstat(fd)?;
    let stderr = fstat(io::stderr())?;
    if (stat.st_dev, stat.st_ino) == (stderr.st_dev, stderr.st_ino) {
        return Ok(Kind::Other);
    }
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        _ => Kind::Other,
    })
}

/// Whether reads and writes blocked before; other processes may share that mode.
#[derive(Clone, Copy)]
struct Mode(OFlags);

impl Mode {
    fn of(fd: &OwnedFd) -> io::Result<Self> {
        Ok(Self(fcntl_getfl(fd)?))
    }

    const fn keep<T: AsFd>(self, stream: T) -> Restored<T> {
        Restored { stream, mode: self }
    }
}

/// A stream that gets its mode back when it is dropped.
struct Restored<T: AsFd> {
    stream: T,
    mode: Mode,
}

impl<T: AsFd> Drop for Restored<T> {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = fcntl_setfl(&self.stream, self.mode.0);
    }
}

impl<T: AsFd + AsyncRead + Unpin> AsyncRead for Restored<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<T: AsFd + AsyncWrite + Unpin> AsyncWrite for Restored<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
