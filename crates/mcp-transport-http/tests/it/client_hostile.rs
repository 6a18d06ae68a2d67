//! Servers that mean no good: whatever they send, a call fails in bounded time and memory.

use std::time::Duration;

use mcp_transport::{CallError, Channel as _, Delivery, Timeouts, TransportErrorKind};
use mcp_transport_http::HttpTransport;
use mcp_transport_http::headers::SESSION_ID;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::client_support::{Client, modern_call};
use crate::script::{Script, result, stream, text, usual};

/// What a server does when it has sent the beginning.
#[derive(Clone, Copy, Debug)]
enum Then {
    Close,
    Wait,
    Repeat(&'static str),
}

/// A server that sends bytes, whatever it is asked.
struct Raw {
    url: String,
    /// Which connections the client has ended.
    ended: mpsc::UnboundedReceiver<()>,
    _tasks: JoinSet<()>,
}

impl Raw {
    async fn start(beginning: &'static str, then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (sender, ended) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(tell(serve(stream, beginning, then), sender.clone()));
            }
        });
        Self {
            url,
            ended,
            _tasks: tasks,
        }
    }
}

async fn tell(
    serving: impl Future<Output = std::io::Result<()>>,
    ended: mpsc::UnboundedSender<()>,
) {
    if serving.await.is_err() {
        let _ = ended.send(());
    }
}

/// An error where the client has ended the connection.
async fn serve(mut stream: TcpStream, beginning: &str, then: Then) -> std::io::Result<()> {
    let mut request = [0; 4096];
    let read = stream.read(&mut request).await?;
    assert!(read > 0);
    stream.write_all(beginning.as_bytes()).await?;
    match then {
        Then::Close => Ok(()),
        Then::Wait => loop {
            if stream.read(&mut request).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        },
        Then::Repeat(what) => loop {
            stream.write_all(what.as_bytes()).await?;
            tokio::task::yield_now().await;
        },
    }
}

async fn call(url: &str, limit: Duration) -> CallError {
    let transport = HttpTransport::builder(url).max_message(64 << 10);
    let client = Client::of(&transport.build().unwrap());
    let mut call = modern_call("tools/list", None);
    call.timeouts = Timeouts::within(limit);
    let error = client.channel.call(call).await.unwrap_err();
    client.channel.close().await;
    error
}

const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

fn kind(error: &CallError) -> Option<TransportErrorKind> {
    match error {
        CallError::Closed { reason, .. } => Some(reason.kind()),
        _ => None,
    }
}

#[tokio::test]
async fn what_never_comes_or_never_ends_takes_no_longer_than_the_call_may() {
    const CONTINUE: &str = "HTTP/1.1 100 Continue\r\n\r\n";
    const EARLY: &str = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    let endless = [
        ("", Then::Wait),
        ("HTTP/1.1 200 OK\r\ncontent-ty", Then::Wait),
        ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{", Then::Wait),
        ("", Then::Repeat(CONTINUE)),
        ("", Then::Repeat(EARLY)),
        (EVENTS, Then::Wait),
        (EVENTS, Then::Repeat(":\n")),
        (EVENTS, Then::Repeat(": a comment\n\n")),
        (EVENTS, Then::Repeat("data:\n\n")),
        (EVENTS, Then::Repeat("\n")),
        (EVENTS, Then::Repeat("id: 1\nretry: 0\n\n")),
        (EVENTS, Then::Repeat("event: other\ndata: {}\n\n")),
    ];
    for (beginning, then) in endless {
        let mut server = Raw::start(beginning, then).await;
        let error = call(&server.url, Duration::from_millis(150)).await;
        let late = matches!(error, CallError::TimedOut { .. });
        // What is no answer and ends in time has failed before.
        assert!(
            late || kind(&error).is_some(),
            "{beginning:?} {then:?}: {error:?}"
        );
        let ended = tokio::time::timeout(Duration::from_secs(10), server.ended.recv()).await;
        assert_eq!(
            ended,
            Ok(Some(())),
            "{beginning:?} {then:?}: the connection goes on"
        );
    }
}

#[tokio::test]
async fn what_grows_without_end_is_left_at_the_limit() {
    let growing = [
        ("HTTP/1.1 200 OK\r\n", Then::Repeat("x-header: yes\r\n")),
        (
            "HTTP/1.1 200 OK\r\nx-long: ",
            Then::Repeat("yyyyyyyyyyyyyyyy"),
        ),
        (EVENTS, Then::Repeat("data: aaaaaaaaaaaaaaaa\n")),
        (EVENTS, Then::Repeat("data: aaaaaaaaaaaaaaaa")),
        (EVENTS, Then::Repeat("id: aaaaaaaaaaaaaaaaaa")),
        (": never a line", Then::Repeat("aaaaaaaaaaaaaaaa")),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n\"",
            Then::Repeat("aaaaaaaaaaaaaaaa"),
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
             transfer-encoding: chunked\r\n\r\n0\r\n",
            Then::Repeat("x-trailer: yes\r\n"),
        ),
    ];
    for (beginning, then) in growing {
        let server = Raw::start(beginning, then).await;
        let error = call(&server.url, Duration::from_secs(20)).await;
        assert!(kind(&error).is_some(), "{beginning:?} {then:?}: {error:?}");
        assert_eq!(error.delivery(), Delivery::Unknown);
    }
}

#[tokio::test]
async fn a_connection_that_ends_early_fails_its_call_in_every_phase() {
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let cut = [
        String::new(),
        "HTTP/1.1 20".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-".to_owned(),
        "HTTP/1.1 100 Continue\r\n\r\n".to_owned(),
        format!("{JSON}content-length: 100\r\n\r\n"),
        format!("{JSON}content-length: 100\r\n\r\n{answer}"),
        format!("{JSON}transfer-encoding: chunked\r\n\r\n24\r\n{answer}\r\n"),
        format!("{JSON}transfer-encoding: chunked\r\n\r\nzz\r\n{answer}\r\n"),
        EVENTS.to_owned(),
        format!("{EVENTS}data: {answer}\n"),
        format!("{EVENTS}id: 1\n\n"),
        "SSH-2.0-OpenSSH\r\n".to_owned(),
        "HTTP/2.0 200 OK\r\n\r\n".to_owned(),
    ];
    for beginning in cut {
        let beginning: &'static str = beginning.leak();
        let server = Raw::start(beginning, Then::Close).await;
        let error = call(&server.url, Duration::from_secs(20)).await;
        assert_eq!(
            kind(&error),
            Some(TransportErrorKind::Ended),
            "{beginning:?}: {error:?}"
        );
        assert_eq!(error.delivery(), Delivery::Unknown);
    }
}

#[tokio::test]
async fn an_answer_that_is_none_says_what_it_is() {
    for (content_type, body, part) in [
        ("text/html", "<html>log in</html>", "<html>log in"),
        ("", "", "neither JSON nor events"),
        ("application/xml", "<x/>", "<x/>"),
        ("application/jsonp", "{}", "neither JSON nor events"),
    ] {
        let script = Script::start(move |_| text(200, content_type, body)).await;
        let error = call(&script.url, Duration::from_secs(20)).await;
        assert_eq!(
            kind(&error),
            Some(TransportErrorKind::Violation),
            "{error:?}"
        );
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(why.contains(part), "{why}");
    }
    let script = Script::start(|_| text(200, "application/json", "<html>log in</html>")).await;
    let error = call(&script.url, Duration::from_secs(20)).await;
    assert!(matches!(error, CallError::Malformed(_)), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_is_encoded_unasked_is_not_unpacked() {
    for content_type in ["application/json", "text/event-stream"] {
        let script = Script::start(move |_| {
            let mut reply = text(200, content_type, &b"\x1f\x8b\x08\0bomb"[..]);
            let headers = reply.headers_mut();
            headers.insert("content-encoding", "gzip".parse().unwrap());
            reply
        })
        .await;
        let error = call(&script.url, Duration::from_secs(20)).await;
        assert_eq!(
            kind(&error),
            Some(TransportErrorKind::Violation),
            "{error:?}"
        );
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(why.contains("gzip"), "{why}");
        assert_eq!(script.seen()[0].header("accept-encoding"), None);
    }
}

#[tokio::test]
async fn only_the_answer_to_initialize_names_a_session_and_only_one() {
    for (second, named) in [(None, Some("s-1")), (Some("s-2"), None)] {
        let script = Script::start(move |seen| {
            let mut reply = usual(seen, "2025-06-18").unwrap_or_else(|| result(seen, &json!({})));
            let another = match seen.kind() {
                "initialize" => second,
                _ => Some("other"),
            };
            let headers = reply.headers_mut();
            headers.extend(another.map(|id| (SESSION_ID, id.parse().unwrap())));
            reply
        })
        .await;
        let client = Client::handshake(&script.url, "2025-06-18").await;
        for _ in 0..2 {
            client.call("x").await.unwrap();
        }
        let seen = script.seen();
        assert_eq!(seen.last().unwrap().header("mcp-session-id"), named);
        client.channel.close().await;
    }
}

#[tokio::test]
async fn h08_a_stream_whose_id_cannot_be_named_is_lost_and_never_another_one() {
    for id in ["a\u{1}b".to_owned(), "x".repeat(2000)] {
        let script = Script::start(move |seen| match seen.kind() {
            "x" => stream(format!("id: good\n\nid: {id}\nretry: 1\n\n")),
            _ => usual(seen, "2025-11-25").unwrap(),
        })
        .await;
        let client = Client::handshake(&script.url, "2025-11-25").await;
        let error = client.call("x").await.unwrap_err();
        assert_eq!(kind(&error), Some(TransportErrorKind::Ended), "{error:?}");
        let gets = script
            .seen()
            .into_iter()
            .filter(|seen| seen.kind() == "GET");
        assert!(
            gets.into_iter()
                .all(|get| get.header("last-event-id").is_none())
        );
        client.channel.close().await;
    }
}

#[tokio::test]
async fn h08_a_retry_of_nothing_is_no_reason_for_haste() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let script = Script::start(move |seen| match seen.kind() {
        "x" | "GET" if seen.kind() == "x" || seen.header("last-event-id").is_some() => {
            let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            stream(format!("id: {n}\nretry: 0\n\n"))
        }
        _ => usual(seen, "2025-11-25").unwrap(),
    })
    .await;
    let client = Client::handshake(&script.url, "2025-11-25").await;
    let mut call = mcp_transport::Call::new("x", Some(json!({}).into()));
    call.timeouts = Timeouts::within(Duration::from_millis(300));
    let error = client.channel.call(call).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error:?}");
    let asked = script.kinds().iter().filter(|kind| *kind == "GET").count();
    assert!((1..=31).contains(&asked), "{asked} times in 300 ms");
    client.channel.close().await;
}
