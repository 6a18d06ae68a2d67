//! One message a request, over HTTP/1.1, with the headers that our client and server send.

use std::net::SocketAddr;

use bytes::Bytes;
use harness::Era;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::http::request::Builder;
use hyper::http::response::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use crate::Codec;

/// Serves until the process ends.
pub async fn serve(listener: TcpListener, codec: Codec) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let answer = move |request: Request<Incoming>| async move {
            let body = request.into_body().collect().await?.to_bytes();
            let mut out = Vec::with_capacity(body.len() + 64);
            codec.answer(&body, &mut out);
            let response = Response::builder()
                .header("content-type", "application/json")
                .body(Full::new(Bytes::from(out)));
            Ok::<_, hyper::Error>(response.expect("a response"))
        };
        tokio::spawn(async move {
            // The client goes when it is done.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(answer))
                .await;
        });
    }
}

/// A connection of its own.
pub async fn connect(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("no delay");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
    tokio::spawn(connection);
    sender
}

/// One call.
pub async fn ask(
    sender: &mut SendRequest<Full<Bytes>>,
    address: SocketAddr,
    codec: Codec,
    (id, text): (u64, &str),
) {
    let mut body = Vec::with_capacity(text.len() + 256);
    codec.request(id, text, &mut body);
    let request = post(address).header("mcp-protocol-version", codec.era.name());
    let request = match codec.era {
        Era::Handshake => request.header("mcp-session-id", "0123456789abcdef0123456789abcdef"),
        Era::Stateless => request
            .header("mcp-method", "tools/call")
            .header("mcp-name", "echo"),
    };
    let (_, answer) = send(sender, request, body).await;
    codec.read(&answer, text.len());
}

/// Opens a session and leaves it.
pub async fn open_session(sender: &mut SendRequest<Full<Bytes>>, address: SocketAddr) {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let (head, _) = send(sender, post(address), initialize.into()).await;
    let id = head.headers.get("mcp-session-id").expect("a session");
    let request = post(address)
        .header("mcp-protocol-version", Era::Handshake.name())
        .header("mcp-session-id", id);
    let (head, _) = send(sender, request, initialized.into()).await;
    assert!(head.status.is_success());
}

fn post(address: SocketAddr) -> Builder {
    Request::post("/mcp")
        .header("host", address.to_string())
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

async fn send(
    sender: &mut SendRequest<Full<Bytes>>,
    request: Builder,
    body: Vec<u8>,
) -> (Parts, Bytes) {
    let request = request.body(Full::new(body.into())).expect("a request");
    sender.ready().await.expect("the connection lasts");
    let response = sender.send_request(request).await.expect("a response");
    let (head, body) = response.into_parts();
    (head, body.collect().await.expect("a body").to_bytes())
}
