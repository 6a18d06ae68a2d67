//! HTTP/2 without TLS, client and server.

use mcp_transport::Channel as _;
use mcp_transport_http::{HttpClient, HttpOptions, HttpTransport};
use serde_json::json;

use crate::client_support::{Client, modern_call};
use crate::support::Server;

fn to(url: &str, client: HttpClient) -> Client {
    Client::of(&HttpTransport::builder(url).client(client).build().unwrap())
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
