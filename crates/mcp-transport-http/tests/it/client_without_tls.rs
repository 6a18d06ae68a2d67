//! A build without a TLS provider.

use mcp_transport::{Channel as _, Delivery, TransportErrorKind};
use mcp_transport_http::{BuildError, HttpClient, HttpTransport};

use crate::client_support::Client;
use crate::script::{Script, result};

#[tokio::test]
async fn an_https_url_without_tls_says_what_to_turn_on() {
    let url = "https://localhost:1/mcp";
    let error = HttpTransport::builder(url).build().unwrap_err();
    assert!(matches!(&error, BuildError::NoTls { url: named } if named == url));
    assert!(
        error.to_string().contains("`tls-ring` or `tls-aws-lc-rs`"),
        "{error}"
    );
    let request = http::Request::post(url)
        .body(bytes::Bytes::new().into())
        .unwrap();
    let error = HttpClient::new().unwrap().send(request).await.unwrap_err();
    assert_eq!(error.delivery, Delivery::NotSent);
    assert_eq!(error.error.kind(), TransportErrorKind::Unreachable);
    let why = std::error::Error::source(&error.error).unwrap();
    assert!(why.to_string().contains("tls-ring"), "{why}");
}

#[tokio::test]
async fn http_needs_no_tls() {
    let script = Script::start(|seen| result(seen, &serde_json::json!({}))).await;
    let client = Client::new(&script.url);
    client.call("x").await.unwrap();
    client.channel.close().await;
}
