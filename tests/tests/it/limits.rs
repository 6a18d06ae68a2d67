//! Bounds that show only from outside. `docs/limits.md` lists them all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp::client::{CallOptions, ClientOptions, Handlers, Logging, Origin};
use mcp::http::{HttpClient, HttpOptions, HttpServer, HttpService, HttpTransport};
use mcp::jsonrpc::{Notification, RawJson, Request};
use mcp::peer::PeerOptions;
use mcp::protocol::{CallToolParams, LoggingMessageParams, RequestContext};
use mcp::server::{Context, NoArgs, ToolError};
use mcp::stdio::{LineReader, LineWriter};
use mcp::transport::{BoxFuture, Channel as _, Handler, Incoming};
use mcp::{HttpConnect, Server, Session, Tool};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::lines::{Lines, call, modern, request};
use crate::web::{Stream, post, send, session};
use crate::web_script::{self, WebScript, event};
use crate::wire::{LATEST_HANDSHAKE, Running, Wire, soon};

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

/// A client of a server with these bounds.
fn bounded(server: &Server, options: PeerOptions) -> Lines {
    let (ours, theirs) = tokio::io::duplex(16 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let (reader, writer) = (LineReader::new(reader, 1 << 20), LineWriter::new(writer));
    server.serve_with(reader, writer, options);
    Lines::new(ours)
}

#[tokio::test]
async fn requests_beyond_the_bound_are_refused_at_once() {
    let server = Server::builder("waits", "1")
        .tool(tool("wait"), |_: NoArgs, cx: Context| async move {
            cx.cancelled().await;
            Ok::<_, ToolError>(())
        })
        .build();
    let mut options = PeerOptions::default();
    options.max_requests = 2;
    let mut client = bounded(&server, options);
    for id in [1, 2] {
        client.send(&modern(id, "tools/call", call("wait"))).await;
    }
    let answer = client.ask(&modern(3, "tools/call", call("wait"))).await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(3), &json!(-32603))
    );
    // There is room again when one of them is given up.
    client
        .notify("notifications/cancelled", json!({"requestId": 1}))
        .await;
    client.send(&modern(4, "tools/call", call("wait"))).await;
    let answer = client.ask(&modern(5, "tools/call", call("wait"))).await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(5), &json!(-32603))
    );
}

#[tokio::test]
async fn a_server_whose_answers_nobody_reads_stops_to_read() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let server = Server::builder("big", "1")
        .tool(tool("big"), move |_: NoArgs, _: Context| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, ToolError>("x".repeat(10_000)) }
        })
        .build();
    let mut options = PeerOptions::default();
    options.max_unwritten = 100_000;
    let mut client = bounded(&server, options);
    let big = |id: u64| format!("{}\n", modern(id, "tools/call", call("big")));
    let all: String = (0..500).map(big).collect();
    // Nothing is read, so not all can be written.
    let writing = client.write(&all);
    assert!(
        tokio::time::timeout(Duration::from_millis(500), writing)
            .await
            .is_err()
    );
    let run = begun.load(Ordering::SeqCst);
    assert!(
        (1..100).contains(&run),
        "{run} calls of which nobody reads the answers"
    );
}

/// Asks its client for its roots, very often at once; says how many of the questions failed.
fn curious() -> Server {
    Server::builder("curious", "1")
        .tool(tool("ask"), |_: NoArgs, cx: Context| async move {
            let failed = AtomicUsize::new(0);
            let questions = (0..300).map(|_| async {
                if cx.roots().await.is_err() {
                    failed.fetch_add(1, Ordering::SeqCst);
                }
            });
            let all = futures_util::future::join_all(questions);
            // The others wait for as long as it takes.
            drop(tokio::time::timeout(Duration::from_millis(200), all).await);
            Ok::<_, ToolError>(failed.load(Ordering::SeqCst).to_string())
        })
        .build()
}

#[tokio::test]
async fn a_client_over_http_is_asked_256_things_at_once() {
    let running = Running::start(&curious(), Wire::Http).await;
    let headers = session(running.url(), LATEST_HANDSHAKE, json!({"roots": {}})).await;
    let ask = request(1, "tools/call", call("ask"));
    let response = send(http::Method::POST, running.url(), &headers, ask.to_string()).await;
    let mut stream = Stream::new(response);
    let mut questions = 0;
    let failed = loop {
        let message = stream.message().await;
        match message["method"].as_str() {
            Some("roots/list") => questions += 1,
            // A question that is not waited for any more is taken back.
            Some("notifications/cancelled") => {}
            _ => break message["result"]["content"][0]["text"].clone(),
        }
    };
    assert_eq!((questions, failed), (256, json!("44")));
    running.stop().await;
}

#[tokio::test]
async fn a_question_that_is_not_answered_in_time_fails() {
    let server = Server::builder("impatient", "1")
        .ask_timeout(Duration::from_millis(50))
        .tool(tool("ask"), |_: NoArgs, cx: Context| async move {
            Ok::<_, ToolError>(cx.roots().await.is_err().to_string())
        })
        .build();
    let capabilities = json!({"roots": {}});
    let mut client = Lines::introduced_with(&server, LATEST_HANDSHAKE, capabilities).await;
    client.send(&request(1, "tools/call", call("ask"))).await;
    let question = client.expect("roots/list").await;
    let cancelled = client.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
    let answer = client.next().await;
    assert_eq!(answer["result"]["content"][0]["text"], "true", "{answer}");
}

/// Answers nothing and hears nothing.
#[derive(Debug)]
struct Nobody;

impl Handler<RequestContext> for Nobody {
    fn request(
        self: Arc<Self>,
        request: Incoming<Request, RequestContext>,
    ) -> BoxFuture<'static, Result<RawJson, mcp::jsonrpc::ErrorObject>> {
        let error = mcp::jsonrpc::ErrorObject::method_not_found(&request.message.method);
        Box::pin(async { Err(error) })
    }

    fn notification(
        self: Arc<Self>,
        _: Incoming<Notification, RequestContext>,
    ) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn notifications_that_nobody_takes_are_sent_away() {
    let identity = Server::builder("deaf", "1").build().identity();
    let service = HttpService::new(identity, Arc::new(Nobody), HttpOptions::default());
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let url = listener.local_url();
    let end = CancellationToken::new();
    let serving = tokio::spawn(listener.serve(service, end.clone()));
    // `initialized` is the first of them, and at work for ever; 256 wait.
    let headers = session(&url, LATEST_HANDSHAKE, json!({})).await;
    let message = json!({"jsonrpc": "2.0", "method": "notifications/zzz"});
    for _ in 0..256 {
        assert_eq!(post(&url, &headers, &message).await.status, 202);
    }
    assert_eq!(post(&url, &headers, &message).await.status, 503);
    serving.abort();
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_come_ends_the_connection() {
    let running = Running::start(&curious(), Wire::Http).await;
    let address = running.url().strip_prefix("http://").unwrap();
    let address = address.strip_suffix("/mcp").unwrap();
    for beginning in ["", "POST", "POST /mcp HTTP/1.1\r\nhost: localhost\r\n"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(beginning.as_bytes()).await.unwrap();
        // Time goes by itself where nothing else happens.
        let mut rest = Vec::new();
        let ended = soon(stream.read_to_end(&mut rest)).await;
        assert!(
            ended.is_err() || !rest.starts_with(b"HTTP/1.1 2"),
            "{rest:?}"
        );
    }
    running.stop().await;
}

#[tokio::test]
async fn a_notification_that_is_never_accepted_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", silent.local_addr().unwrap());
    let transport = HttpTransport::builder(url)
        .notify_timeout(Duration::from_millis(50))
        .close_timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    let channel = transport.open(Arc::new(Nobody));
    let notification = Notification::new("notifications/zzz", None);
    soon(channel.notify(notification)).await.unwrap_err();
    soon(channel.close()).await;
}

#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_given_up() {
    // A listener that accepts nobody, and has no more room for those who wait.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let _listener = socket.listen(1).unwrap();
    let mut waiting = Vec::new();
    loop {
        let connecting = TcpStream::connect(address);
        match tokio::time::timeout(Duration::from_millis(200), connecting).await {
            Ok(stream) => waiting.push(stream.unwrap()),
            Err(_) => break,
        }
        assert!(waiting.len() < 100, "there is always room");
    }
    let client = HttpClient::builder()
        .connect_timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    let transport = HttpTransport::builder(format!("http://{address}/mcp")).client(client);
    let channel = transport.build().unwrap().open(Arc::new(Nobody));
    let call = mcp::transport::Call::new("tools/list", None);
    let error = soon(channel.call(call)).await.unwrap_err();
    assert_eq!(
        error.delivery(),
        mcp::transport::Delivery::NotSent,
        "{error:?}"
    );
}

async fn against(script: &WebScript) -> Result<(), String> {
    let client = script.connect(ClientOptions::new("test", "1")).await;
    let none = CallOptions::new();
    let call = soon(client.call_tool(CallToolParams::new("x"), &none)).await;
    client.close().await;
    call.map(drop).map_err(|error| error.chain())
}

#[tokio::test]
async fn unused_connections_are_bounded_in_number_and_time() {
    let default = HttpClient::builder;
    for (builder, connections) in [
        (default(), 1),
        (default().max_idle(0), 4),
        (default().idle_timeout(Duration::ZERO), 4),
    ] {
        let script = WebScript::start(|seen| {
            web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
                web_script::result(seen, &json!({"resultType": "complete", "content": []}))
            })
        })
        .await;
        let client = builder.build().unwrap();
        let transport = HttpTransport::builder(&script.url).client(client);
        let connect = HttpConnect::new(transport.build().unwrap());
        let options = ClientOptions::new("test", "1");
        let session = Session::connect(&connect, options).await.unwrap();
        for _ in 0..3 {
            let params = CallToolParams::new("x");
            session
                .call_tool(params, &CallOptions::new())
                .await
                .unwrap();
        }
        session.close().await;
        // The question for the revision, and three calls.
        assert_eq!(script.connections(), connections);
    }
}

#[tokio::test]
async fn redirects_are_followed_three_times_at_most() {
    let script = WebScript::start(|seen| {
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            let mut answer = web_script::status(307);
            let location = "/mcp".parse().unwrap();
            answer.headers_mut().insert("location", location);
            answer
        })
    })
    .await;
    against(&script).await.unwrap_err();
    let calls = script
        .kinds()
        .iter()
        .filter(|kind| *kind == "tools/call")
        .count();
    assert_eq!(calls, 4);
}

#[tokio::test]
async fn h13_of_a_refusal_only_the_beginning_is_read() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let script = WebScript::start(move |seen| {
        let counter = Arc::clone(&counter);
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            let (sender, mut answer) = web_script::live();
            tokio::spawn(async move {
                while sender.send("x".repeat(64 * 1024)).await.is_ok() {
                    counter.fetch_add(64 * 1024, Ordering::SeqCst);
                }
            });
            *answer.status_mut() = http::StatusCode::UNAUTHORIZED;
            let text = "text/html".parse().unwrap();
            answer.headers_mut().insert("content-type", text);
            answer
        })
    })
    .await;
    let why = against(&script).await.unwrap_err();
    assert!(why.len() < 4096, "{}", why.len());
    // What the buffers in between take is not read.
    let sent = sent.load(Ordering::SeqCst);
    assert!(sent < 32 << 20, "{sent} bytes of a refusal");
}

/// Takes log messages one by one, as it is allowed.
#[derive(Debug)]
struct Slow {
    may: Arc<Semaphore>,
    taken: Arc<AtomicUsize>,
}

impl Logging for Slow {
    fn log(&self, message: LoggingMessageParams, _: Origin) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.may.acquire().await.unwrap().forget();
            let before = self.taken.fetch_add(1, Ordering::SeqCst);
            assert_eq!(message.data, json!(before), "in order, and none is lost");
        })
    }
}

#[tokio::test]
async fn a_client_over_http_reads_no_further_than_its_handlers_come() {
    const ALL: usize = 1000;
    let (may, taken) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let script = WebScript::start(|seen| {
        web_script::with_sessions(seen, LATEST_HANDSHAKE, &json!({"tools": {}, "logging": {}}))
            .unwrap_or_else(|| {
                let log = |data: usize| {
                    let params = json!({"level": "info", "data": data});
                    event(&json!({"jsonrpc": "2.0", "method": "notifications/message",
                        "params": params}))
                };
                let result = json!({"content": []});
                let answer = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
                let mut events: String = (0..ALL).map(log).collect();
                events.push_str(&event(&answer));
                web_script::stream(events)
            })
    })
    .await;
    let slow = Slow {
        may: Arc::clone(&may),
        taken: Arc::clone(&taken),
    };
    let options = ClientOptions::new("test", "1").with_handlers(Handlers::new().with_logging(slow));
    let client = script.connect(options).await;
    let calling = client.clone();
    let call = tokio::spawn(async move {
        let none = CallOptions::new();
        calling.call_tool(CallToolParams::new("x"), &none).await
    });
    // The answer stands behind more messages than may wait.
    let early = tokio::time::timeout(Duration::from_millis(300), async {
        while !call.is_finished() {
            tokio::task::yield_now().await;
        }
    });
    assert!(
        early.await.is_err(),
        "the answer overtook what came before it"
    );
    may.add_permits(ALL);
    soon(call).await.unwrap().unwrap();
    soon(async {
        while taken.load(Ordering::SeqCst) < ALL {
            tokio::task::yield_now().await;
        }
    })
    .await;
    client.close().await;
}

#[tokio::test]
async fn one_connection_of_http_2_carries_256_requests_at_once() {
    let running = Running::start(&curious(), Wire::Http).await;
    let address = running.url().strip_prefix("http://").unwrap();
    let address = address.strip_suffix("/mcp").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The preface and empty settings; the answer begins with the server's own.
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .await
        .unwrap();
    stream.write_all(&settings).await.unwrap();
    let mut head = [0; 9];
    soon(stream.read_exact(&mut head)).await.unwrap();
    assert_eq!(head[3], 4, "settings");
    let mut body = vec![0; usize::from(head[2])];
    soon(stream.read_exact(&mut body)).await.unwrap();
    let most = body
        .chunks_exact(6)
        .find(|setting| setting[..2] == [0, 3])
        .unwrap();
    assert_eq!(most[2..], 256_u32.to_be_bytes());
    drop(stream);
    running.stop().await;
}
