//! The inputs: each is run on one thread, so that the same happens each time.

use harness::{Client as _, Era, Scenario, Sdk as _, payload};
use mcp_jsonrpc::{LineDecoder, Packet, encode_line};
use ours::Ours;

/// Something that is done a number of times. The function that is passed on is called before the
/// first time that counts and after the last.
pub struct Input {
    pub name: &'static str,
    pub run: fn(usize, &dyn Fn()),
}

pub const INPUTS: [Input; 5] = [
    Input {
        name: "call, 2025-11-25, 64 B",
        run: |n, mark| pair(n, mark, Era::Handshake, 64),
    },
    Input {
        name: "call, 2026-07-28, 64 B",
        run: |n, mark| pair(n, mark, Era::Stateless, 64),
    },
    Input {
        name: "call, 2025-11-25, 64 KiB",
        run: |n, mark| pair(n, mark, Era::Handshake, 1 << 16),
    },
    Input {
        name: "call, 2025-11-25, 1000 tools",
        run: many_tools,
    },
    Input {
        name: "line in and out",
        run: line,
    },
];

/// Calls of a server in the same process.
fn pair(calls: usize, mark: &dyn Fn(), era: Era, size: usize) {
    run(calls, mark, era, size, 1);
}

fn many_tools(calls: usize, mark: &dyn Fn()) {
    run(calls, mark, Era::Handshake, 64, 1000);
}

fn run(calls: usize, mark: &dyn Fn(), era: Era, size: usize, tools: usize) {
    let scenario = Scenario {
        era,
        size,
        tools,
        ..Scenario::default()
    };
    harness::run(true, async {
        let client = Ours::pair(&scenario).await;
        let text = payload(size);
        for _ in 0..100 {
            client.call(&text).await;
        }
        mark();
        for _ in 0..calls {
            client.call(&text).await;
        }
        mark();
        client.close().await;
    });
}

/// A message off the wire and back onto it.
fn line(calls: usize, mark: &dyn Fn()) {
    let line = concat!(
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","#,
        r#""arguments":{"message":"hello"},"_meta":{"progressToken":7}}}"#,
        "\n"
    );
    let mut decoder = LineDecoder::new(1 << 20);
    let mut out = Vec::with_capacity(1024);
    mark();
    for _ in 0..calls {
        decoder.buffer().extend_from_slice(line.as_bytes());
        let frame = decoder.next_frame().expect("a line").expect("a message");
        let mcp_jsonrpc::Frame::Single(message) = frame else {
            panic!("no batch")
        };
        out.clear();
        encode_line(&Packet::Single(message), &mut out);
    }
    mark();
    assert_eq!(out, line.as_bytes());
}
