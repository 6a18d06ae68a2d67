//! Framing over any byte stream.

use mcp_jsonrpc::{DecodeError, Frame, Message, Packet, RawJson, Request};
use mcp_transport::{Frames, Reader, TransportErrorKind, Writer};
use mcp_transport_stdio::{LineReader, LineWriter};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn ping(id: i64) -> Message {
    Request::new(id, "ping", None).into()
}

async fn all(mut reader: impl Reader) -> Frames {
    let mut frames = Frames::new();
    while reader.read(&mut frames).await.unwrap() {}
    frames
}

#[tokio::test]
async fn stdio_01_all_that_was_fed_leaves_in_one_write_one_line_each() {
    let (here, mut there) = tokio::io::duplex(4096);
    let mut writer = LineWriter::new(here);
    let text = RawJson::parse("{\n\"a\":\"\u{2028}b\"\r\n}").unwrap();
    writer.feed(&Message::from(Request::new(1, "a", Some(text))).into());
    writer.feed(&Packet::Batch(vec![ping(2), ping(3)]));
    let pending = writer.pending();
    writer.flush().await.unwrap();
    assert_eq!(writer.pending(), 0);
    let mut seen = vec![0; 4096];
    let count = there.read(&mut seen).await.unwrap();
    assert_eq!(count, pending, "one write");
    let seen = std::str::from_utf8(&seen[..count]).unwrap();
    assert_eq!(
        seen,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"a\":\"\u{2028}b\"}}\n\
         [{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"},\
         {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]\n"
    );
}

#[tokio::test]
async fn stdio_04_j12_only_line_feeds_end_a_message_and_bad_bytes_cost_one_line() {
    let mut input = b"\xEF\xBB\xBF".to_vec();
    input.extend(ping(1).encode());
    input.extend(b"\r\n\r\n  \n");
    input.extend(b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"\xff\xfe\"}\n");
    input.extend("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"\u{2028}\u{2029}\u{85}\"}\n".bytes());
    input.extend(ping(3).encode());
    for step in [1, 7, input.len()] {
        let (mut here, there) = tokio::io::duplex(step);
        let input = input.clone();
        let write = tokio::spawn(async move { here.write_all(&input).await });
        let frames = all(LineReader::new(there, 1024)).await;
        write.await.unwrap().unwrap();
        assert_eq!(frames.len(), 4, "{frames:?}");
        assert_eq!(frames[0], Ok(Frame::Single(ping(1))));
        assert!(matches!(frames[1], Err(DecodeError::Syntax { .. })));
        assert!(matches!(&frames[2], Ok(Frame::Single(Message::Request(r)))
            if &*r.method == "\u{2028}\u{2029}\u{85}"));
        assert_eq!(
            frames[3],
            Ok(Frame::Single(ping(3))),
            "the last line needs no end"
        );
    }
}

#[tokio::test]
async fn a_last_line_that_was_cut_off_is_dropped() {
    let input: &[u8] =
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"i";
    assert_eq!(
        all(LineReader::new(input, 1024)).await,
        [Ok(Frame::Single(ping(1)))]
    );
}

#[tokio::test]
async fn s08_a_line_beyond_the_limit_is_skipped_and_its_id_is_found() {
    let (mut here, there) = tokio::io::duplex(64 * 1024);
    let write = tokio::spawn(async move {
        here.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":\"")
            .await?;
        for _ in 0..64 {
            here.write_all(&[b'A'; 64 * 1024]).await?;
        }
        here.write_all(b"\"}\n").await?;
        here.write_all(&[ping(9).encode(), b"\n".to_vec()].concat())
            .await
    });
    let frames = all(LineReader::new(there, 1024 * 1024)).await;
    write.await.unwrap().unwrap();
    assert_eq!(
        frames,
        [
            Err(DecodeError::TooLong {
                id: Some(8.into()),
                response: true,
                limit: 1024 * 1024
            }),
            Ok(Frame::Single(ping(9))),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn stdio_07_a_flush_that_was_given_up_goes_on_where_it_was() {
    let (here, there) = tokio::io::duplex(16);
    let mut writer = LineWriter::new(here);
    for id in 1..=3 {
        writer.feed(&ping(id).into());
    }
    let wait = std::time::Duration::from_secs(1);
    assert!(tokio::time::timeout(wait, writer.flush()).await.is_err());
    writer.feed(&ping(4).into());
    let read = tokio::spawn(all(LineReader::new(there, 1024)));
    writer.flush().await.unwrap();
    writer.close().await;
    let expected = [1, 2, 3, 4].map(|id| Ok(Frame::Single(ping(id))));
    assert_eq!(read.await.unwrap(), expected);
    assert_eq!(
        writer.flush().await.unwrap_err().kind(),
        TransportErrorKind::ClosedHere
    );
}
