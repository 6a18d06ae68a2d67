//! One message a line, over any pair of byte streams.

use std::collections::VecDeque;
use std::time::Instant;

use bytes::{Buf as _, BytesMut};
use harness::{Latencies, Row, Scenario, Stopwatch, payload};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::Codec;

/// How much is read at once, and how much is written at most while more waits to be answered.
const CHUNK: usize = 64 * 1024;

/// Bytes that were read and not yet taken.
#[derive(Default)]
struct Inbox {
    bytes: BytesMut,
    /// How many of them hold no line end.
    scanned: usize,
}

impl Inbox {
    async fn fill(&mut self, source: &mut (impl AsyncRead + Unpin)) -> bool {
        self.bytes.reserve(CHUNK);
        source.read_buf(&mut self.bytes).await.expect("reading") > 0
    }

    /// The next whole line.
    fn line(&mut self) -> Option<BytesMut> {
        let Some(at) = memchr::memchr(b'\n', &self.bytes[self.scanned..]) else {
            self.scanned = self.bytes.len();
            return None;
        };
        let line = self.bytes.split_to(self.scanned + at);
        self.bytes.advance(1);
        self.scanned = 0;
        Some(line)
    }
}

/// Answers line by line; all that has come at once is answered in one write.
pub async fn serve(
    mut source: impl AsyncRead + Unpin,
    mut sink: impl AsyncWrite + Unpin,
    codec: Codec,
) {
    let (mut inbox, mut out) = (Inbox::default(), Vec::new());
    while inbox.fill(&mut source).await {
        while let Some(line) = inbox.line() {
            codec.answer(&line, &mut out);
            out.push(b'\n');
            if out.len() > CHUNK {
                sink.write_all(&out).await.expect("writing");
                out.clear();
            }
        }
        sink.write_all(&out).await.expect("writing");
        out.clear();
    }
}

/// Keeps as many calls in flight as the scenario wants, from one task.
pub async fn converse(
    mut source: impl AsyncRead + Unpin,
    mut sink: impl AsyncWrite + Unpin,
    codec: Codec,
    scenario: &Scenario,
    server: Option<u32>,
) -> Row {
    let text = payload(scenario.size);
    let warm = scenario.warm_up_calls();
    let total = warm + scenario.calls;
    let (mut inbox, mut out) = (Inbox::default(), Vec::new());
    let mut written = 0;
    let mut sent: VecDeque<Instant> = VecDeque::new();
    let mut latencies = Latencies::with_capacity(total);
    let (mut begun, mut done) = (0, 0);
    let mut watch = None;
    while done < total {
        while begun < total && begun - done < scenario.inflight {
            codec.request(begun as u64, &text, &mut out);
            out.push(b'\n');
            sent.push_back(Instant::now());
            begun += 1;
        }
        // Both at once: a window of large messages is more than both pipes hold.
        tokio::select! {
            biased;
            n = sink.write(&out[written..]), if written < out.len() => written += n.expect("writing"),
            more = inbox.fill(&mut source) => assert!(more, "the server went away"),
        }
        if written == out.len() {
            out.clear();
            written = 0;
        }
        while let Some(line) = inbox.line() {
            codec.read(&line, scenario.size);
            let latency = sent.pop_front().expect("it was asked").elapsed();
            done += 1;
            if done > warm {
                latencies.push(latency);
            } else if done == warm {
                watch = Some(Stopwatch::start(server));
            }
        }
    }
    watch.expect("there is a warm-up").stop(scenario, latencies)
}
