//! What the server refuses before any message is looked at, whatever the revision.

use http::Method;
use mcp_transport_http::HttpOptions;
use serde_json::{Value, json};

use crate::support::{MODERN, Server, initialize, modern, post, refs, request};

fn list() -> (Vec<(String, String)>, Value) {
    modern("tools/list", json!({}))
}

#[tokio::test]
async fn http_10_http_11_h01_foreign_hosts_and_origins_are_forbidden_on_every_method() {
    let server = Server::start(HttpOptions::default()).await;
    let (headers, body) = list();
    let bad = [
        ("host", "evil.test:80"),
        ("host", "127.0.0.1:80@evil"),
        ("origin", "http://evil.test"),
        ("origin", "null"),
        ("origin", "http://localhost.evil.test"),
    ];
    for header in bad {
        for method in [Method::POST, Method::GET, Method::DELETE, Method::OPTIONS] {
            let headers = [&refs(&headers)[..], &[header]].concat();
            let answer = request(method, &server.url, &headers, body.to_string()).await;
            assert_eq!(answer.status, 403, "{header:?}");
            assert!(answer.json().get("id").is_none());
            assert!(!answer.headers.contains_key("access-control-allow-origin"));
        }
    }
    let (port, _) = (
        server
            .url
            .rsplit(':')
            .next()
            .unwrap()
            .split_once('/')
            .unwrap()
            .0
            .to_owned(),
        (),
    );
    for origin in [
        "http://localhost:1",
        &format!("http://127.0.0.1:{port}"),
        "http://[::1]",
    ] {
        let headers = [&refs(&headers)[..], &[("origin", origin)]].concat();
        let answer = post(&server.url, &headers, &body).await;
        assert_eq!(answer.status, 200, "{origin}");
        assert_eq!(answer.headers["access-control-allow-origin"], origin);
    }
    assert_eq!(server.service.session_count(), 0);
    server.stop().await;
}

#[tokio::test]
async fn h01_only_pages_of_allowed_origins_learn_what_they_may_send() {
    let options = HttpOptions::default().allow_origin("https://app.example");
    let server = Server::start(options).await;
    let ask = async |origin: &'static str| {
        let headers = [
            ("origin", origin),
            ("access-control-request-headers", "mcp-method,mcp-param-x"),
        ];
        request(Method::OPTIONS, &server.url, &headers, "").await
    };
    let answer = ask("https://app.example").await;
    assert_eq!(answer.status, 204);
    assert_eq!(
        answer.headers["access-control-allow-origin"],
        "https://app.example"
    );
    assert_eq!(
        answer.headers["access-control-allow-headers"],
        "mcp-method,mcp-param-x"
    );
    assert_eq!(ask("https://other.example").await.status, 403);
    let answer = request(Method::OPTIONS, &server.url, &[], "").await;
    assert_eq!(answer.status, 405);
    server.stop().await;
}

#[tokio::test]
async fn http_07_h01_other_types_are_refused_and_json_may_have_parameters_and_any_case() {
    let server = Server::start(HttpOptions::default()).await;
    let (headers, body) = list();
    let with = async |name: &'static str, value: &'static str| {
        post(
            &server.url,
            &[&refs(&headers)[..], &[(name, value)]].concat(),
            &body,
        )
        .await
    };
    for bad in [
        "text/plain",
        "",
        "application/jsonx",
        "application/x-www-form-urlencoded",
    ] {
        assert_eq!(with("content-type", bad).await.status, 415, "{bad}");
    }
    for good in [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json;a=b",
    ] {
        assert_eq!(with("content-type", good).await.status, 200, "{good}");
    }
    for bad in [
        "text/html",
        "application/xml, image/*",
        "application/json;q=0",
    ] {
        assert_eq!(with("accept", bad).await.status, 406, "{bad}");
    }
    for good in [
        "*/*",
        "",
        "application/json",
        "APPLICATION/*;q=0.5, text/html",
    ] {
        let answer = with("accept", good).await;
        assert_eq!(
            (answer.status, answer.content_type()),
            (200, "application/json"),
            "{good}"
        );
    }
    let answer = with("accept", "text/event-stream").await;
    assert_eq!(answer.events().len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn http_07_bad_json_and_bad_envelopes_are_bad_requests() {
    let server = Server::start(HttpOptions::default()).await;
    let (headers, _) = list();
    let try_body =
        async |text: &'static str| request(Method::POST, &server.url, &refs(&headers), text).await;
    for (text, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}", -32700),
        ("1", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#, -32600),
        ("[]", -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[]}"#,
            -32602,
        ),
    ] {
        let answer = try_body(text).await;
        assert_eq!((answer.status, answer.code()), (400, code), "{text}");
        let id = answer.json().get("id").cloned();
        let readable = text.contains(r#""id":1,"#) && !text.starts_with('[');
        assert_eq!(id, readable.then(|| json!(1)), "{text}");
    }
    server.stop().await;
}

#[tokio::test]
async fn http_07_h13_bodies_over_the_limit_are_refused_with_and_without_their_length() {
    let server = Server::start(HttpOptions::default().max_body(1000)).await;
    let (headers, mut body) = list();
    let length = body.to_string().len();
    body["params"]["fill"] = json!("x".repeat(1000 - length - r#","fill":"""#.len()));
    assert_eq!(body.to_string().len(), 1000);
    assert_eq!(post(&server.url, &refs(&headers), &body).await.status, 200);
    let over = format!("{body} ");
    let answer = request(Method::POST, &server.url, &refs(&headers), over.clone()).await;
    assert_eq!(answer.status, 413);

    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n{:x}\r\n{over}\r\n0\r\n\r\n",
        over.len()
    );
    assert!(raw(&server.url, &head).await.starts_with("HTTP/1.1 413 "));
    server.stop().await;
}

#[tokio::test]
async fn h13_all_bodies_together_have_a_limit() {
    use futures_util::{FutureExt as _, StreamExt as _, stream};
    use http_body::Frame;
    use http_body_util::StreamBody;
    let server = Server::start(HttpOptions::default().max_body(300).max_bodies(350)).await;
    let (headers, body) = list();
    let text = body.to_string();
    let part = |part: String| stream::iter([Ok::<_, std::io::Error>(Frame::data(part.into()))]);
    let request = || {
        let mut request = http::Request::post("/mcp").header("host", "localhost");
        request = request.header("content-type", "application/json");
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        request
    };
    let endless = part(" ".repeat(299)).chain(stream::pending());
    let first = request().body(StreamBody::new(endless)).unwrap();
    let mut first = Box::pin(server.service.handle(first));
    assert!(first.as_mut().now_or_never().is_none());

    let whole = || request().body(StreamBody::new(part(text.clone()))).unwrap();
    assert!(text.len() > 51);
    let second = server.service.handle(whole()).await;
    assert_eq!(second.status(), 503);
    assert_eq!(second.headers()["retry-after"], "1");
    drop(first);
    assert_eq!(server.service.handle(whole()).await.status(), 200);
    server.stop().await;
}

#[tokio::test]
async fn h13_a_body_that_does_not_come_ends_the_request() {
    let options = HttpOptions::default().body_timeout(std::time::Duration::from_millis(50));
    let server = Server::start(options).await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
        content-length: 10\r\n\r\n{";
    assert!(raw(&server.url, head).await.starts_with("HTTP/1.1 408 "));
    server.stop().await;
}

/// Writes these bytes and reads the head of the answer.
async fn raw(url: &str, text: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let authority = url
        .strip_prefix("http://")
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    let mut stream = tokio::net::TcpStream::connect(authority).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    let n = stream.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..n]).into_owned()
}

#[tokio::test]
async fn other_paths_and_methods_are_not_there() {
    let server = Server::start(HttpOptions::default()).await;
    let answer = request(Method::PUT, &server.url, &[], "").await;
    assert_eq!(
        (answer.status, &answer.headers["allow"]),
        (405, &"POST, GET, DELETE".parse().unwrap())
    );
    let elsewhere = server.url.replace("/mcp", "/other");
    assert_eq!(
        post(&elsewhere, &[], &initialize("2025-11-25"))
            .await
            .status,
        404
    );
    server.stop().await;
}

#[tokio::test]
async fn http_09_a_server_of_the_newest_revision_alone_offers_only_post() {
    let only = mcp_protocol::ProtocolVersion::LATEST;
    let identity = (*crate::support::identity()).clone().with_versions([only]);
    let server = Server::with(identity.into(), HttpOptions::default()).await;
    for method in [Method::GET, Method::DELETE] {
        let answer = request(method, &server.url, &[], "").await;
        assert_eq!(
            (answer.status, &answer.headers["allow"]),
            (405, &"POST".parse().unwrap())
        );
    }
    let answer = post(&server.url, &[], &initialize("2025-11-25")).await;
    assert_eq!((answer.status, answer.code()), (400, -32022));
    assert_eq!(answer.json()["error"]["data"]["supported"], json!([MODERN]));
    server.stop().await;
}

#[tokio::test]
async fn http_12_a_server_that_is_bound_to_loopback_says_its_url() {
    let server = Server::start(HttpOptions::default()).await;
    assert!(server.url.starts_with("http://127.0.0.1:"));
    assert!(server.url.ends_with("/mcp"));
    server.stop().await;
}
