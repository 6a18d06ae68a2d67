//! Proxies and TLS: tunnels, and proxies that are spoken to encrypted.

use std::sync::Arc;

use mcp_transport::Channel as _;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::client_proxy::to;
use crate::secure::{config, secure, trusting};

/// Takes the head of a request, answers it, and passes on what comes after it.
async fn tunnel(mut inner: impl AsyncRead + AsyncWrite + Unpin, answer: &str, port: u16) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(inner.read_u8().await.unwrap());
    }
    inner.write_all(answer.as_bytes()).await.unwrap();
    inner.flush().await.unwrap();
    if let Ok(mut outer) = TcpStream::connect(("127.0.0.1", port)).await {
        let _ = copy_bidirectional(&mut inner, &mut outer).await;
    }
    String::from_utf8(head).unwrap()
}

const CONNECTED: &str = "HTTP/1.1 200 OK\r\n\r\n";

#[tokio::test]
async fn what_is_encrypted_goes_through_a_tunnel_of_the_proxy() {
    let server = secure(&[b"h2"]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let port = server.port;
    let proxying = tokio::spawn(async move {
        let (inner, _) = listener.accept().await.unwrap();
        tunnel(inner, CONNECTED, port).await
    });
    let client = trusting().proxy(&proxy).unwrap().build().unwrap();
    let client = to("https://localhost:8443/mcp", client);
    assert_eq!(client.call("x").await.unwrap()["version"], "HTTP/2.0");
    client.channel.close().await;
    drop(client);
    drop(server);
    let head = proxying.await.unwrap();
    assert!(
        head.starts_with("CONNECT localhost:8443 HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(!head.contains("proxy-authorization"));
}

/// A proxy behind TLS, for one connection.
async fn encrypted(answer: &'static str, port: u16) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!(
        "https://u:p@localhost:{}",
        listener.local_addr().unwrap().port()
    );
    let mut config = config(None);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let proxying = tokio::spawn(async move {
        let (inner, _) = listener.accept().await.unwrap();
        let inner = acceptor.accept(inner).await.unwrap();
        assert_eq!(
            inner.get_ref().1.alpn_protocol(),
            Some(b"http/1.1".as_slice())
        );
        tunnel(inner, answer, port).await
    });
    (proxy, proxying)
}

#[tokio::test]
async fn a_proxy_may_be_spoken_to_encrypted_on_the_way_to_an_encrypted_server() {
    let server = secure(&[b"h2"]).await;
    let (proxy, proxying) = encrypted(CONNECTED, server.port).await;
    let client = trusting().proxy(&proxy).unwrap().build().unwrap();
    let client = to("https://localhost:8443/mcp", client);
    assert_eq!(client.call("x").await.unwrap()["version"], "HTTP/2.0");
    client.channel.close().await;
    drop((client, server));
    let head = proxying.await.unwrap();
    assert!(head.starts_with("CONNECT localhost:8443 "), "{head}");
    assert!(head.contains("Proxy-Authorization: Basic dTpw"), "{head}");
}

#[tokio::test]
async fn a_proxy_may_be_spoken_to_encrypted_on_the_way_to_a_plain_server() {
    let body = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let (proxy, proxying) = encrypted(answer.leak(), 0).await;
    let client = trusting().proxy(&proxy).unwrap().build().unwrap();
    let client = to("http://server.invalid/mcp", client);
    client.call("x").await.unwrap();
    client.channel.close().await;
    drop(client);
    let head = proxying.await.unwrap().to_lowercase();
    assert!(
        head.starts_with("post http://server.invalid/mcp "),
        "{head}"
    );
    assert!(head.contains("proxy-authorization: basic dtpw"), "{head}");
}
