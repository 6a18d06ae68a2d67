//! TLS: which HTTP, whose certificates, whose settings.

use std::sync::Arc;

use mcp_transport::{CallError, Channel as _, Delivery, TransportErrorKind};
use mcp_transport_http::rustls::ClientConfig;
use mcp_transport_http::{HttpClient, HttpTransport};

use crate::client_support::Client;
use crate::secure::{
    AUTHORITY, Secure, certificate, config, key, only, provider, secure, trusting,
};

const CLIENT: &[u8] = include_bytes!("tls/client.pem");
const CLIENT_KEY: &[u8] = include_bytes!("tls/client-key.pem");

fn to(url: &str, client: HttpClient) -> Client {
    Client::of(&HttpTransport::builder(url).client(client).build().unwrap())
}

#[tokio::test]
async fn https_speaks_http_2_where_it_is_offered_and_shares_one_connection() {
    let mut server = secure(&[b"h2", b"http/1.1"]).await;
    let client = to(
        &format!("https://localhost:{}/mcp", server.port),
        trusting().build().unwrap(),
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
            trusting().build().unwrap(),
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

fn own_settings(with_certificate: bool) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(Arc::new(only(AUTHORITY)));
    if with_certificate {
        let chain = vec![certificate(CLIENT)];
        builder
            .with_client_auth_cert(chain, key(CLIENT_KEY))
            .unwrap()
    } else {
        builder.with_no_client_auth()
    }
}

#[tokio::test]
async fn settings_of_ones_own_bring_roots_and_a_client_certificate() {
    let server = Secure::start(&[b"h2"], config(Some(CLIENT))).await;
    let url = format!("https://localhost:{}/mcp", server.port);
    let client = |config| HttpClient::builder().tls_config(config).build().unwrap();
    let known = to(&url, client(own_settings(true)));
    assert_eq!(known.call("x").await.unwrap()["version"], "HTTP/2.0");
    known.channel.close().await;
    let unknown = to(&url, client(own_settings(false)));
    assert!(unknown.call("x").await.is_err(), "without a certificate");
    unknown.channel.close().await;
}

#[test]
fn root_certificates_beside_settings_that_would_not_hear_of_them_are_an_error() {
    let error = trusting()
        .tls_config(own_settings(false))
        .build()
        .unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Unreachable);
}
