//! The pipes of a child process, made asynchronous.

use std::io;

#[cfg(unix)]
pub(super) use tokio::net::unix::pipe::{Receiver as ReadPipe, Sender as WritePipe};

#[cfg(unix)]
pub(super) fn reading(pipe: impl Into<std::os::fd::OwnedFd>) -> io::Result<ReadPipe> {
    ReadPipe::from_owned_fd(pipe.into())
}

#[cfg(unix)]
pub(super) fn writing(pipe: std::process::ChildStdin) -> io::Result<WritePipe> {
    WritePipe::from_owned_fd(pipe.into())
}

#[cfg(windows)]
pub(super) type ReadPipe = Box<dyn tokio::io::AsyncRead + Send + Unpin>;
#[cfg(windows)]
pub(super) use tokio::process::ChildStdin as WritePipe;

#[cfg(windows)]
pub(super) fn reading(pipe: impl IntoReadPipe) -> io::Result<ReadPipe> {
    pipe.into_read_pipe()
}

#[cfg(windows)]
pub(super) fn writing(pipe: std::process::ChildStdin) -> io::Result<WritePipe> {
    WritePipe::from_std(pipe)
}

/// Stdout and stderr, which have different types there.
#[cfg(windows)]
pub(super) trait IntoReadPipe {
    fn into_read_pipe(self) -> io::Result<ReadPipe>;
}

#[cfg(windows)]
impl IntoReadPipe for std::process::ChildStdout {
    fn into_read_pipe(self) -> io::Result<ReadPipe> {
        Ok(Box::new(tokio::process::ChildStdout::from_std(self)?))
    }
}

#[cfg(windows)]
impl IntoReadPipe for std::process::ChildStderr {
    fn into_read_pipe(self) -> io::Result<ReadPipe> {
        Ok(Box::new(tokio::process::ChildStderr::from_std(self)?))
    }
}
