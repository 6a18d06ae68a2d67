//! Over bytes: what the framing cannot read still ends in an answer or a failed call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_jsonrpc::{DecodeError, LineDecoder, Packet, RawJson, encode_line};
use mcp_peer::{Peer, PeerOptions};
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{Implementation, ServerCapabilities};
use mcp_transport::{Call, CallError, Channel, Frames, Reader, TransportError, Writer, memory};
use serde_json::json;
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

/// A client, and the bytes that its server reads and writes, of which there is room for so many.
fn client(
    room: usize,
) -> (
    Peer,
    BufReader<ReadHalf<DuplexStream>>,
    WriteHalf<DuplexStream>,
) {
    let (near, far) = tokio::io::duplex(room);
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

/// A server whose handler counts, and the bytes that its client reads and writes.
fn server(
    handled: &Arc<AtomicUsize>,
) -> (
    Peer,
    BufReader<ReadHalf<DuplexStream>>,
    WriteHalf<DuplexStream>,
) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(near);
    let handled = Arc::clone(handled);
    let identity = ServerIdentity::new(
        Implementation::new("test", "0"),
        ServerCapabilities::default(),
    );
    let peer = mcp_peer::server(
        LineReader(reader, LineDecoder::new(LIMIT)),
        LineWriter(writer, Vec::new()),
        Arc::new(identity),
        Script::request(move |_| {
            handled.fetch_add(1, Ordering::Relaxed);
            async { Ok(RawJson::EMPTY) }
        }),
        PeerOptions::default(),
    );
    let (reader, writer) = tokio::io::split(far);
    (peer, BufReader::new(reader), writer)
}

/// So many requests in the bytes of one write.
fn requests(count: usize) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request =
        |id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": meta}});
    (1..=count).map(|id| format!("{}\n", request(id))).collect()
}

#[tokio::test(start_paused = true)]
async fn a_client_in_another_process_has_the_first_answers_while_the_server_works_on_the_others() {
    let handled = Arc::new(AtomicUsize::new(0));
    let (_peer, mut reader, mut writer) = server(&handled);
    writer.write_all(requests(100).as_bytes()).await.unwrap();
    let mut line = String::new();
    reader.read_line(&mut line).await.unwrap();
    assert!(line.contains("\"id\":1,"), "{line}");
    assert_eq!(handled.load(Ordering::Relaxed), 16);
    for id in 2..=100 {
        line.clear();
        reader.read_line(&mut line).await.unwrap();
        assert!(line.contains(&format!("\"id\":{id},")), "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_has_read_is_answered_though_it_is_closed_meanwhile() {
    let handled = Arc::new(AtomicUsize::new(0));
    let (peer, mut reader, mut writer) = server(&handled);
    writer.write_all(requests(30).as_bytes()).await.unwrap();
    let mut line = String::new();
    reader.read_line(&mut line).await.unwrap();
    let mut rest = String::new();
    let ((), read) = tokio::join!(peer.close(), reader.read_to_string(&mut rest));
    read.unwrap();
    assert_eq!(rest.lines().count(), 29);
    assert_eq!(rest.matches("the connection is closing").count(), 14);
}

#[tokio::test(start_paused = true)]
async fn s08_an_answer_that_is_too_long_fails_its_call_and_the_next_one_is_read() {
    let (peer, mut reader, mut writer) = client(64);
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

#[tokio::test(start_paused = true)]
async fn what_has_come_in_time_counts_though_it_is_looked_at_late() {
    let (peer, mut reader, mut writer) = client(64 * 1024);
    let script = async {
        let mut line = String::new();
        for _ in 0..40 {
            reader.read_line(&mut line).await.unwrap();
        }
        let answer = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        let answers: String = (1..=40).map(answer).collect();
        writer.write_all(answers.as_bytes()).await.unwrap();
        // The client does not get to run meanwhile.
        tokio::time::advance(Duration::from_secs(60)).await;
    };
    let call = || {
        let mut call = Call::new("tools/list", None);
        call.timeouts.total = Some(Duration::from_secs(1));
        peer.call(call)
    };
    let calls = futures_util::future::join_all((0..40).map(|_| call()));
    let (outcomes, ()) = tokio::join!(calls, script);
    let answered = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(answered, 40, "{outcomes:?}");
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
