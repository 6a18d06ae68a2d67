//! Over bytes: what the framing cannot read still ends in an answer or a failed call.

use mcp_jsonrpc::{DecodeError, LineDecoder, Packet, encode_line};
use mcp_peer::{Peer, PeerOptions};
use mcp_transport::{Call, CallError, Channel, Frames, Reader, TransportError, Writer, memory};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::sync::mpsc;

use crate::Script;

const LIMIT: usize = 1000;

struct LineReader(ReadHalf<DuplexStream>, LineDecoder);

impl Reader for LineReader {
    async fn read(&mut self, into: &mut Frames) -> Result<bool, TransportError> {
        let before = into.len();
        while into.len() == before {
            let read = self.0.read_buf(self.1.buffer()).await?;
            into.extend(std::iter::from_fn(|| self.1.next_frame()));
            if read == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

struct LineWriter(WriteHalf<DuplexStream>, Vec<u8>);

impl Writer for LineWriter {
    fn feed(&mut self, packet: &Packet) {
        encode_line(packet, &mut self.1);
    }

    fn pending(&self) -> usize {
        self.1.len()
    }

    async fn flush(&mut self) -> Result<(), TransportError> {
        while !self.1.is_empty() {
            let written = self.0.write(&self.1).await?;
            self.1.drain(..written);
        }
        Ok(())
    }

    async fn close(&mut self) {
        let _gone = self.0.shutdown().await;
    }
}

/// A client, and the bytes that its server reads and writes.
fn client() -> (
    Peer,
    BufReader<ReadHalf<DuplexStream>>,
    WriteHalf<DuplexStream>,
) {
    let (near, far) = tokio::io::duplex(64);
    let (reader, writer) = tokio::io::split(near);
    let peer = mcp_peer::client(
        LineReader(reader, LineDecoder::new(LIMIT)),
        LineWriter(writer, Vec::new()),
        Script::idle(),
        PeerOptions::default(),
    );
    let (reader, writer) = tokio::io::split(far);
    (peer, BufReader::new(reader), writer)
}

#[tokio::test(start_paused = true)]
async fn s08_an_answer_that_is_too_long_fails_its_call_and_the_next_one_is_read() {
    let (peer, mut reader, mut writer) = client();
    let script = async {
        let mut line = String::new();
        reader.read_line(&mut line).await.unwrap();
        reader.read_line(&mut line).await.unwrap();
        assert_eq!(line.matches("tools/list").count(), 2, "{line}");
        let long = "x".repeat(10 * LIMIT);
        let first = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"x\":\"{long}\"}}}}\n");
        writer.write_all(first.as_bytes()).await.unwrap();
        writer
            .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\r\n")
            .await
            .unwrap();
    };
    let call = || peer.call(Call::new("tools/list", None));
    let (first, second, ()) = tokio::join!(call(), call(), script);
    let Err(CallError::Malformed(DecodeError::TooLong { limit, .. })) = first else {
        panic!("{first:?}");
    };
    assert_eq!(limit, LIMIT);
    assert_eq!(second.unwrap().as_str(), "{}");
}

/// Tells how many packets each write holds.
struct Counter(usize, mpsc::UnboundedSender<usize>);

impl Writer for Counter {
    fn feed(&mut self, _: &Packet) {
        self.0 += 1;
    }

    fn pending(&self) -> usize {
        self.0
    }

    async fn flush(&mut self) -> Result<(), TransportError> {
        self.1.send(std::mem::take(&mut self.0)).unwrap();
        Ok(())
    }

    async fn close(&mut self) {}
}

#[tokio::test(start_paused = true)]
async fn calls_that_begin_together_leave_in_one_write() {
    let ((reader, _), _far) = memory(1);
    let (count, mut writes) = mpsc::unbounded_channel();
    let writer = Counter(0, count);
    let peer = mcp_peer::client(reader, writer, Script::idle(), PeerOptions::default());
    let calls: Vec<_> = (0..100)
        .map(|_| peer.call(Call::new("tools/list", None)))
        .collect();
    let outcomes = futures_util::future::join_all(calls);
    tokio::select! {
        _ = outcomes => panic!("answered by nobody"),
        written = writes.recv() => assert_eq!(written, Some(100)),
    }
}
