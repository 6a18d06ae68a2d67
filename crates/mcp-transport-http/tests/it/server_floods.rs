//! Clients that mean no good, or stand behind a proxy that misunderstands them.

use std::time::Duration;

use mcp_transport_http::{HttpOptions, HttpServer};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::support::{Server, modern, post_modern};

async fn connect(url: &str) -> TcpStream {
    let uri: http::Uri = url.parse().unwrap();
    TcpStream::connect(uri.authority().unwrap().as_str())
        .await
        .unwrap()
}

/// All that comes until the server ends the connection.
async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    let read = timeout(Duration::from_secs(20), stream.read_to_end(&mut all)).await;
    // A reset after the last byte says the same as the end.
    let _ = read.expect("the server ends the connection");
    all
}

fn head(length: &str) -> String {
    let (headers, _) = modern("tools/list", json!({}));
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json\r\n{headers}{length}\r\n"
    )
}

#[tokio::test]
async fn what_follows_a_body_of_two_lengths_is_not_taken_for_a_request() {
    let server = Server::start(HttpOptions::default()).await;
    let (_, body) = modern("tools/list", json!({}));
    let body = body.to_string();
    let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let smuggled = format!(
        "{}{body}",
        head(&format!("content-length: {}\r\n", body.len()))
    );
    let short = "content-length: 4\r\ntransfer-encoding: chunked\r\n";
    let long = format!(
        "transfer-encoding: chunked\r\ncontent-length: {}\r\n",
        chunked.len() + smuggled.len()
    );
    for lengths in [short, &long, "transfer-encoding: chunked\r\n"] {
        let mut stream = connect(&server.url).await;
        let text = format!("{}{chunked}{smuggled}", head(lengths));
        stream.write_all(text.as_bytes()).await.unwrap();
        let answer = String::from_utf8(rest(&mut stream).await).unwrap();
        assert_eq!(
            answer.matches("HTTP/1.1 ").count(),
            1,
            "{lengths}: {answer}"
        );
        assert!(answer.contains("connection: close"), "{answer}");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn lengths_that_contradict_each_other_or_mean_nothing_are_bad_requests() {
    let server = Server::start(HttpOptions::default()).await;
    for lengths in [
        "content-length: 4\r\ncontent-length: 5\r\n",
        "content-length: +4\r\n",
        "content-length: 4, 5\r\n",
        "transfer-encoding: chunked, gzip\r\n",
        "transfer-encoding: gzip\r\n",
    ] {
        let mut stream = connect(&server.url).await;
        stream.write_all(head(lengths).as_bytes()).await.unwrap();
        let answer = String::from_utf8(rest(&mut stream).await).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400"), "{lengths}: {answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_head_of_too_many_or_too_long_headers_is_refused() {
    let server = Server::start(HttpOptions::default()).await;
    let many: String = (0..120).map(|n| format!("x-{n}: y\r\n")).collect();
    let long = format!("x-long: {}\r\n", "y".repeat(450 << 10));
    for headers in [many, long] {
        let mut stream = connect(&server.url).await;
        // The answer may come before all is written.
        let _ = stream.write_all(head(&headers).as_bytes()).await;
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with(b"HTTP/1.1 431") || answer.is_empty());
    }
    assert_eq!(
        post_modern(&server.url, "tools/list", json!({}))
            .await
            .status,
        200
    );
    server.stop().await;
}

#[tokio::test]
async fn one_more_connection_than_allowed_waits_for_another_to_end() {
    let server = Server::start(HttpOptions::default()).await;
    let few = HttpServer::bind("127.0.0.1:0")
        .await
        .unwrap()
        .max_connections(2);
    let url = few.local_url();
    let end = CancellationToken::new();
    let serving = tokio::spawn(few.serve(server.service.clone(), end.clone()));
    let first = connect(&url).await;
    let _second = connect(&url).await;
    let mut third = tokio::spawn(async move { post_modern(&url, "tools/list", json!({})).await });
    let early = timeout(Duration::from_millis(100), &mut third).await;
    assert!(early.is_err(), "it was let in");
    drop(first);
    assert_eq!(third.await.unwrap().status, 200);
    end.cancel();
    serving.await.unwrap();
    server.stop().await;
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const ENHANCE_YOUR_CALM: u32 = 11;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// `GET http://localhost/`, as HPACK.
fn get() -> Vec<u8> {
    let mut block = vec![0x82, 0x86, 0x84, 0x41, 9];
    block.extend(b"localhost");
    block
}

/// Why the server went away, by its last frame.
fn farewell(mut frames: &[u8]) -> Option<u32> {
    let mut why = None;
    while let [a, b, c, kind, _, _, _, _, _, rest @ ..] = frames {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let (payload, after) = rest.split_at(length.min(rest.len()));
        if let (GO_AWAY, [_, _, _, _, code @ ..]) = (*kind, payload) {
            why = Some(u32::from_be_bytes(code[..4].try_into().unwrap()));
        }
        frames = after;
    }
    why
}

/// Floods a connection of its own, which the server has to end.
async fn flooded(server: &Server, flood: impl IntoIterator<Item = Vec<u8>>) -> Option<u32> {
    let mut stream = connect(&server.url).await;
    let mut bytes = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    bytes.extend(flood.into_iter().flatten());
    // The server may end the connection before all is written.
    let _ = stream.write_all(&bytes).await;
    let answer = rest(&mut stream).await;
    assert_eq!(
        post_modern(&server.url, "tools/list", json!({}))
            .await
            .status,
        200
    );
    farewell(&answer)
}

#[tokio::test]
async fn a_flood_of_resets_ends_its_http_2_connection() {
    let server = Server::start(HttpOptions::default()).await;
    let resets = (0..2000).flat_map(|n| {
        let stream = 2 * n + 1;
        [
            frame(HEADERS, 5, stream, &get()),
            frame(RESET, 0, stream, &8_u32.to_be_bytes()),
        ]
    });
    assert_eq!(flooded(&server, resets).await, Some(ENHANCE_YOUR_CALM));
    server.stop().await;
}

#[tokio::test]
async fn a_flood_of_broken_streams_ends_its_http_2_connection() {
    let server = Server::start(HttpOptions::default()).await;
    // A header of HTTP/1 alone.
    let broken = [&get()[..], b"\x00\x0aconnection\x05close"].concat();
    let errors = (0..2000).map(|n| frame(HEADERS, 5, 2 * n + 1, &broken));
    assert_eq!(flooded(&server, errors).await, Some(ENHANCE_YOUR_CALM));
    server.stop().await;
}

#[tokio::test]
async fn a_flood_of_continuations_ends_its_http_2_connection() {
    let server = Server::start(HttpOptions::default()).await;
    let field = [&[0_u8, 1, b'x', 127, 0x81, 0x7f][..], &[b'y'; 16_384 - 6]].concat();
    let mut frames = vec![frame(HEADERS, 1, 1, &get())];
    frames.extend((0..500).map(|_| frame(CONTINUATION, 0, 1, &field)));
    assert!(flooded(&server, frames).await.is_some());
    server.stop().await;
}

#[tokio::test]
async fn a_request_of_http_2_with_too_long_headers_is_refused_alone() {
    use hyper_util::rt::{TokioExecutor, TokioIo};
    let server = Server::start(HttpOptions::default()).await;
    let io = TokioIo::new(connect(&server.url).await);
    let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
        .await
        .unwrap();
    tokio::spawn(connection);
    let mut send = |length: usize| {
        let request =
            http::Request::get("http://localhost/mcp").header("x-long", "y".repeat(length));
        sender.send_request(
            request
                .body(http_body_util::Empty::<bytes::Bytes>::new())
                .unwrap(),
        )
    };
    let (long, short) = (send(40 << 10), send(8 << 10));
    assert_eq!(long.await.unwrap().status(), 431);
    assert_eq!(short.await.unwrap().status(), 400, "a session is missing");
    server.stop().await;
}
