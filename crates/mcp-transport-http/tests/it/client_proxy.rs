//! Proxies: which connections go through one, and how.

use std::process::Command;

use mcp_transport::{CallError, Channel as _, Delivery, TransportErrorKind};
use mcp_transport_http::{HttpClient, HttpTransport};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::client_support::Client;
use crate::script::{Script, result, status};

pub(crate) fn to(url: &str, client: HttpClient) -> Client {
    Client::of(&HttpTransport::builder(url).client(client).build().unwrap())
}

/// Host and port of a script.
fn authority(script: &Script) -> &str {
    let rest = script.url.strip_prefix("http://").unwrap();
    rest.strip_suffix("/mcp").unwrap()
}

#[tokio::test]
async fn what_is_not_encrypted_is_handed_to_the_proxy_with_its_whole_url() {
    let proxy = Script::start(|seen| result(seen, &json!({}))).await;
    let client = HttpClient::builder()
        .proxy(&format!("http://user:pass@{}", authority(&proxy)))
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

/// Names the variables of the environment that the parent has set.
#[tokio::test]
#[ignore = "the child of the test below"]
async fn child_of_an_environment() {
    let client = to("http://server.invalid/mcp", HttpClient::new().unwrap());
    client.call("x").await.unwrap();
    client.channel.close().await;
}

#[tokio::test]
async fn the_proxy_of_the_environment_is_used() {
    let proxy = Script::start(|seen| result(seen, &json!({}))).await;
    let url = format!("http://{}", authority(&proxy));
    for (variable, except, through) in [
        ("HTTP_PROXY", "", true),
        ("ALL_PROXY", "other.invalid", true),
        ("HTTP_PROXY", "server.invalid", false),
        ("HTTPS_PROXY", "", false),
    ] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "--exact",
            "client_proxy::child_of_an_environment",
            "--ignored",
        ]);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
            child.env_remove(name).env_remove(name.to_lowercase());
        }
        child.env(variable, &url).env("NO_PROXY", except);
        let run = tokio::task::spawn_blocking(move || child.output().unwrap());
        let run = run.await.unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(said.contains("running 1 test"), "{said}");
        assert_eq!(run.status.success(), through, "{variable} {except}: {said}");
    }
    assert_eq!(proxy.connections(), 2);
}

/// What a client has asked a SOCKS proxy for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    login: Option<(Vec<u8>, Vec<u8>)>,
    /// The type of the address, then the address.
    to: (u8, Vec<u8>),
    port: u16,
}

async fn counted(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = vec![0; stream.read_u8().await.unwrap().into()];
    stream.read_exact(&mut bytes).await.unwrap();
    bytes
}

/// A SOCKS5 proxy for one connection, all of which lead to the script.
async fn socks(script: &Script, wants_login: bool) -> (String, JoinHandle<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let target = authority(script).to_owned();
    let serving = tokio::spawn(async move {
        let (mut inner, _) = listener.accept().await.unwrap();
        assert_eq!(inner.read_u8().await.unwrap(), 5);
        let method = if wants_login { 2 } else { 0 };
        assert_eq!(counted(&mut inner).await, [method]);
        inner.write_all(&[5, method]).await.unwrap();
        let mut login = None;
        if wants_login {
            assert_eq!(inner.read_u8().await.unwrap(), 1);
            login = Some((counted(&mut inner).await, counted(&mut inner).await));
            inner.write_all(&[1, 0]).await.unwrap();
        }
        let mut head = [0; 4];
        inner.read_exact(&mut head).await.unwrap();
        assert_eq!(head[..3], [5, 1, 0]);
        let to = match head[3] {
            3 => counted(&mut inner).await,
            kind => {
                let mut address = vec![0; if kind == 1 { 4 } else { 16 }];
                inner.read_exact(&mut address).await.unwrap();
                address
            }
        };
        let port = inner.read_u16().await.unwrap();
        inner
            .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            .await
            .unwrap();
        let mut outer = TcpStream::connect(target).await.unwrap();
        let _ = copy_bidirectional(&mut inner, &mut outer).await;
        let to = (head[3], to);
        Asked { login, to, port }
    });
    (address, serving)
}

#[tokio::test]
async fn a_socks_proxy_connects_to_a_name_that_it_looks_up_itself() {
    let script = Script::start(|seen| result(seen, &json!({}))).await;
    let (address, proxy) = socks(&script, true).await;
    let url = format!("socks5h://user:p%40ss@{address}");
    let client = HttpClient::builder().proxy(&url).unwrap().build().unwrap();
    let client = to("http://server.invalid/mcp?a=1", client);
    client.call("x").await.unwrap();
    let seen = &script.seen()[0];
    assert_eq!(seen.uri, "/mcp?a=1", "a request as to the server itself");
    assert_eq!(seen.header("proxy-authorization"), None);
    client.channel.close().await;
    drop(client);
    let asked = Asked {
        login: Some((b"user".to_vec(), b"p@ss".to_vec())),
        to: (3, b"server.invalid".to_vec()),
        port: 80,
    };
    assert_eq!(proxy.await.unwrap(), asked);
}

#[tokio::test]
async fn a_socks_proxy_is_given_an_address_where_names_are_looked_up_here() {
    let script = Script::start(|seen| result(seen, &json!({}))).await;
    let (address, proxy) = socks(&script, false).await;
    let url = format!("socks5://{address}");
    let client = HttpClient::builder().proxy(&url).unwrap().build().unwrap();
    let client = to("http://localhost:8080/mcp", client);
    client.call("x").await.unwrap();
    client.channel.close().await;
    drop(client);
    let asked = proxy.await.unwrap();
    assert!(
        asked.to == (1, vec![127, 0, 0, 1]) || asked.to.0 == 4,
        "{asked:?}"
    );
    assert_eq!(asked.port, 8080);
}

#[tokio::test]
async fn a_proxy_that_does_not_let_through_is_named_and_nothing_was_sent() {
    let script = Script::start(|_| status(407)).await;
    for scheme in ["http", "socks5h"] {
        let url = format!("{scheme}://u:secret@{}", authority(&script));
        let client = HttpClient::builder().proxy(&url).unwrap().build().unwrap();
        let target = if scheme == "http" { "https" } else { "http" };
        let client = to(&format!("{target}://server.invalid/mcp"), client);
        let error = client.call("x").await.unwrap_err();
        assert_eq!(error.delivery(), Delivery::NotSent, "{error:?}");
        let CallError::Closed { reason, .. } = error else {
            panic!()
        };
        assert_eq!(reason.kind(), TransportErrorKind::Unreachable);
        let why = std::error::Error::source(&*reason).unwrap().to_string();
        assert!(
            why.contains(authority(&script)) && !why.contains("secret"),
            "{why}"
        );
        client.channel.close().await;
    }
}
