//! A connection whose client has to say something before long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// As many bytes tell HTTP/1 from HTTP/2; from there on each has time limits of its own.
const GREETING: usize = 24;

/// A stream that fails where its first 24 bytes do not come in time.
pub(super) struct Greeted<S> {
    stream: S,
    missing: usize,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> Greeted<S> {
    pub(super) fn new(stream: S, within: Duration) -> Self {
        Self {
            stream,
            missing: GREETING,
            timer: Some(Box::pin(sleep(within))),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Greeted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        let Some(timer) = &mut self.timer else {
            return polled;
        };
        if polled.is_pending() {
            let late = timer.as_mut().poll(cx);
            return late.map(|()| Err(io::ErrorKind::TimedOut.into()));
        }
        self.missing = self.missing.saturating_sub(buf.filled().len() - before);
        if self.missing == 0 {
            self.timer = None;
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Greeted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn h13_a_client_that_does_not_say_what_it_speaks_is_let_go() {
        let (mut client, server) = duplex(64);
        let mut server = Greeted::new(server, Duration::from_secs(30));
        client.write_all(b"PRI * HTTP/2.0\r\n").await.unwrap();
        let mut read = [0; 64];
        assert_eq!(server.read(&mut read).await.unwrap(), 16);
        let late = server.read(&mut read).await.unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_has_said_it_may_be_silent() {
        let (mut client, server) = duplex(64);
        let mut server = Greeted::new(server, Duration::from_secs(30));
        client.write_all(&[b'x'; GREETING]).await.unwrap();
        let mut read = [0; 64];
        assert_eq!(server.read(&mut read).await.unwrap(), GREETING);
        let silent = tokio::time::timeout(Duration::from_secs(99), server.read(&mut read));
        assert!(silent.await.is_err());
    }
}
