//! Below the protocol: TLS, HTTP/2, proxies.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use mcp_transport::{CallError, Channel as _, Delivery, TransportErrorKind};
use mcp_transport_http::{HttpClient, HttpOptions, HttpTransport};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::client_support::{Client, modern_call};
use crate::script::{Script, result};
use crate::support::Server;

const AUTHORITY: &[u8] = include_bytes!("tls/ca.pem");

/// An HTTPS server that answers each request with the version of HTTP that it came by.
struct Secure {
    port: u16,
    connections: mpsc::UnboundedReceiver<()>,
    _tasks: JoinSet<()>,
}

async fn secure(protocols: &[&[u8]]) -> Secure {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/cert.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|p| p.to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, connections) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut running = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            running.spawn(serve(acceptor.clone(), stream, sender.clone()));
        }
    });
    Secure {
        port,
        connections,
        _tasks: tasks,
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, sender: mpsc::UnboundedSender<()>) {
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let _ = sender.send(());
    let service = hyper::service::service_fn(answer);
    let io = TokioIo::new(stream);
    let _ = auto::Builder::new(TokioExecutor::new())
        .serve_connection(io, service)
        .await;
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let version = format!("{:?}", request.version());
    let host = request
        .headers()
        .get("host")
        .map(|v| v.to_str().unwrap().to_owned());
    let body = request.into_body().collect().await?.to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let result = json!({"version": version, "host": host});
    let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
    let mut response = Response::new(Full::new(answer.to_string().into()));
    response
        .headers_mut()
        .insert("content-type", "application/json".parse().unwrap());
    Ok(response)
}

fn trusting() -> HttpClient {
    HttpClient::builder()
        .root_certificates(AUTHORITY)
        .unwrap()
        .build()
        .unwrap()
}

fn to(url: &str, client: HttpClient) -> Client {
    Client::of(&HttpTransport::builder(url).client(client).build().unwrap())
}

#[tokio::test]
async fn https_speaks_http_2_where_it_is_offered_and_shares_one_connection() {
    let mut server = secure(&[b"h2", b"http/1.1"]).await;
    let client = to(
        &format!("https://localhost:{}/mcp", server.port),
        trusting(),
    );
    assert_eq!(client.call("x").await.unwrap()["version"], "HTTP/2.0");
    let answers = futures_util::future::join_all((0..50).map(|_| client.call("x"))).await;
    assert!(
        answers
            .into_iter()
            .all(|answer| answer.unwrap()["version"] == "HTTP/2.0")
    );
    server.connections.try_recv().unwrap();
    assert!(server.connections.try_recv().is_err());
    client.channel.close().await;
}

#[tokio::test]
async fn https_speaks_http_1_otherwise() {
    for protocols in [&[b"http/1.1".as_slice()][..], &[]] {
        let server = secure(protocols).await;
        let client = to(
            &format!("https://127.0.0.1:{}/mcp", server.port),
            trusting(),
        );
        let answer = client.call("x").await.unwrap();
        assert_eq!(answer["version"], "HTTP/1.1");
        assert_eq!(answer["host"], format!("127.0.0.1:{}", server.port));
        client.channel.close().await;
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_sent() {
    let server = secure(&[]).await;
    let client = Client::new(&format!("https://localhost:{}/mcp", server.port));
    let error = client.call("x").await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
    let CallError::Closed { reason, .. } = error else {
        panic!()
    };
    assert_eq!(reason.kind(), TransportErrorKind::Unreachable);
    assert!(
        HttpClient::builder()
            .root_certificates(b"nonsense")
            .is_err()
    );
    client.channel.close().await;
}

#[tokio::test]
async fn our_server_speaks_http_2_and_authority_counts_as_host() {
    let server = Server::start(HttpOptions::default()).await;
    let client = HttpClient::builder().http2_only().build().unwrap();
    let of = |client: HttpClient| to(&server.url, client);
    let calls = of(client);
    let mut call = modern_call("server/discover", None);
    call.params = Some(
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
        .into(),
    );
    calls.channel.call(call).await.unwrap();
    calls.channel.close().await;
    server.stop().await;
}

#[tokio::test]
async fn http_39_resetting_a_stream_of_http_2_cancels_its_request_alone() {
    let mut server = Server::start(HttpOptions::default()).await;
    let client = to(
        &server.url,
        HttpClient::builder().http2_only().build().unwrap(),
    );
    let call = |name: &str| {
        let mut call = modern_call("tools/call", Some(name));
        call.params = Some(
            json!({"name": name, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }})
            .into(),
        );
        call
    };
    let channel = client.channel.clone();
    let waiting = call("wait");
    let waiting = tokio::spawn(async move { channel.call(waiting).await });
    assert_eq!(server.next().await, "waiting");
    waiting.abort();
    assert_eq!(server.next().await, "dropped");
    client.channel.call(call("echo")).await.unwrap();
    client.channel.close().await;
    server.stop().await;
}

#[tokio::test]
async fn what_is_not_encrypted_is_handed_to_the_proxy_with_its_whole_url() {
    let proxy = Script::start(|seen| result(seen, &json!({}))).await;
    let address = proxy
        .url
        .strip_prefix("http://")
        .unwrap()
        .strip_suffix("/mcp")
        .unwrap();
    let client = HttpClient::builder()
        .proxy(&format!("http://user:pass@{address}"))
        .unwrap()
        .build()
        .unwrap();
    let client = to("http://server.invalid/mcp?a=1", client);
    for _ in 0..2 {
        client.call("x").await.unwrap();
    }
    let seen = &proxy.seen()[1];
    assert_eq!(seen.uri, "http://server.invalid/mcp?a=1");
    assert_eq!(seen.header("host"), Some("server.invalid"));
    assert_eq!(
        seen.header("proxy-authorization"),
        Some("Basic dXNlcjpwYXNz")
    );
    assert_eq!(proxy.connections(), 1);
    client.channel.close().await;
    assert!(HttpClient::builder().proxy("nonsense nonsense").is_err());
}

#[tokio::test]
async fn what_is_encrypted_goes_through_a_tunnel_of_the_proxy() {
    let server = secure(&[b"h2"]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let port = server.port;
    let tunnel = tokio::spawn(async move {
        let (mut inner, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(inner.read_u8().await.unwrap());
        }
        inner.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let mut outer = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut inner, &mut outer).await;
        String::from_utf8(head).unwrap()
    });
    let client = HttpClient::builder()
        .root_certificates(AUTHORITY)
        .unwrap()
        .proxy(&proxy)
        .unwrap()
        .build()
        .unwrap();
    let client = to("https://localhost:8443/mcp", client);
    assert_eq!(client.call("x").await.unwrap()["version"], "HTTP/2.0");
    client.channel.close().await;
    drop(client);
    drop(server);
    let head = tunnel.await.unwrap();
    assert!(
        head.starts_with("CONNECT localhost:8443 HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(!head.contains("proxy-authorization"));
}
