//! Streams that a client comes back to, up to 2025-11-25.

use std::time::Duration;

use http::Method;
use mcp_transport_http::HttpOptions;
use serde_json::{Value, json};

use crate::client_support::Client;
use crate::support::{Answer, Server, events, read_events, refs, request, send, tool, whole};

const NEWEST: &str = "2025-11-25";

/// The ids and the lines of an event stream as they were sent.
fn ids(text: &[u8]) -> Vec<String> {
    let lines = std::str::from_utf8(text).unwrap().lines();
    lines
        .filter_map(|line| line.strip_prefix("id: "))
        .map(str::to_owned)
        .collect()
}

async fn call(server: &Server, session: &[(String, String)], id: i64, name: &str) -> Answer {
    let body = tool(id, name, &json!({})).to_string();
    request(Method::POST, &server.url, &refs(session), body).await
}

async fn resume(server: &Server, session: &[(String, String)], after: &str) -> Answer {
    let headers = [&refs(session)[..], &[("last-event-id", after)]].concat();
    request(Method::GET, &server.url, &headers, "").await
}

#[tokio::test]
async fn http_44_a_resumed_stream_brings_its_own_events_behind_the_id_and_no_others() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let one = call(&server, &session, 1, "progress").await;
    let two = call(&server, &session, 2, "progress").await;
    let (first, second) = (ids(&one.body), ids(&two.body));
    assert_eq!(
        (first.len(), second.len()),
        (5, 5),
        "priming, three reports, the answer"
    );
    assert!(first.iter().all(|id| !second.contains(id)));
    for (n, id) in first.iter().enumerate().take(4) {
        let again = resume(&server, &session, id).await;
        assert_eq!(again.events(), one.events()[n..], "behind {id}");
        assert_eq!(ids(&again.body), first[n + 1..]);
    }
    // Nothing comes behind the answer, and what was never sent is not known.
    for id in [first[4].as_str(), "1-99", "77-1", "nonsense"] {
        assert_eq!(resume(&server, &session, id).await.status, 400, "{id}");
    }
    let other = server.session(NEWEST).await;
    assert_eq!(resume(&server, &other, &first[0]).await.status, 400);
    server.stop().await;
}

#[tokio::test]
async fn of_a_session_32_streams_can_be_resumed_and_the_oldest_makes_room() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let mut streams = vec![];
    for id in 0..33 {
        let answer = call(&server, &session, id, "progress").await;
        streams.push(ids(&answer.body).swap_remove(0));
    }
    assert_eq!(resume(&server, &session, &streams[0]).await.status, 400);
    for stream in &streams[1..] {
        assert_eq!(resume(&server, &session, stream).await.status, 200);
    }
    server.stop().await;
}

#[tokio::test]
async fn http_45_a_handler_goes_on_without_its_client_and_the_answer_is_there_to_be_fetched() {
    let (mut server, session) = Server::greeted(NEWEST).await;
    let body = tool(7, "progress then wait", &json!({})).to_string();
    let mut response = send(Method::POST, &server.url, &refs(&session), body).await;
    read_events(&mut response, 1).await;
    assert_eq!(server.next().await, "waiting");
    drop(response);
    // One connection reads on, another takes over, and only then comes the answer.
    let headers = [&refs(&session)[..], &[("last-event-id", "1-1")]].concat();
    let early = send(Method::GET, &server.url, &headers, "").await;
    let late = send(Method::GET, &server.url, &headers, "").await;
    assert_eq!(whole(early).await.events(), [] as [Value; 0]);
    server.probe.go.notify_one();
    let late = whole(late).await;
    assert_eq!(late.events()[0]["id"], 7);
    assert_eq!(
        late.events()[0]["result"]["content"][0]["text"],
        "\"waited\""
    );
    server.stop().await;
}

#[tokio::test]
async fn http_47_only_clients_of_2025_11_25_get_an_event_without_data() {
    let server = Server::start(HttpOptions::default()).await;
    for (version, primed) in [("2025-03-26", false), ("2025-06-18", false), (NEWEST, true)] {
        let session = server.session(version).await;
        let answer = call(&server, &session, 1, "progress").await;
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        assert_eq!(
            text.starts_with("id: 1-0\ndata: \n\n"),
            primed,
            "{version}: {text}"
        );
        assert_eq!(ids(&answer.body).len(), if primed { 5 } else { 4 });
    }
    server.stop().await;
}

#[tokio::test]
async fn http_46_a_handler_closes_its_stream_and_the_client_comes_back_for_the_answer() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let answer = call(&server, &session, 1, "poll").await;
    assert_eq!(answer.body, "id: 1-0\ndata: \n\nretry: 20\n\n");
    server.probe.go.notify_one();
    let rest = resume(&server, &session, "1-0").await;
    assert_eq!(
        rest.events()[0]["result"]["content"][0]["text"],
        "\"waited\""
    );
    // A client of an older revision is not sent away.
    let older = server.session("2025-06-18").await;
    server.probe.go.notify_one();
    let answer = call(&server, &older, 1, "poll").await;
    assert_eq!(answer.content_type(), "application/json");
    server.stop().await;
}

#[tokio::test]
async fn http_46_our_client_comes_back_to_our_server() {
    let mut server = Server::start(HttpOptions::default()).await;
    let client = Client::new(&server.url);
    let mut call = mcp_transport::Call::new("initialize", Some(json!({
        "protocolVersion": NEWEST, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
    }).into()));
    call.cancellable = false;
    use mcp_transport::Channel as _;
    client.channel.call(call).await.unwrap();
    client.channel.negotiated(NEWEST);
    let initialized = mcp_jsonrpc::Notification::new("notifications/initialized", None);
    client.channel.notify(initialized).await.unwrap();
    assert!(server.next().await.starts_with("notifications/initialized"));
    let params = json!({"name": "poll", "arguments": {}});
    let calling = client
        .channel
        .call(mcp_transport::Call::new("tools/call", Some(params.into())));
    let letting = async {
        assert_eq!(server.next().await, "waiting");
        tokio::time::sleep(Duration::from_millis(60)).await;
        server.probe.go.notify_one();
    };
    let (answer, ()) = tokio::join!(calling, letting);
    let answer: Value = answer.unwrap().decode().unwrap();
    assert_eq!(answer["content"][0]["text"], "\"waited\"");
    client.channel.close().await;
    assert_eq!(server.service.session_count(), 0);
    server.stop().await;
}

#[tokio::test]
async fn http_44_the_stream_of_the_session_can_be_resumed_too() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    call(&server, &session, 1, "later").await;
    let mut first = send(Method::GET, &server.url, &refs(&session), "").await;
    read_events(&mut first, 1).await;
    drop(first);
    call(&server, &session, 2, "later").await;
    let headers = [&refs(&session)[..], &[("last-event-id", "0-1")]].concat();
    let mut again = send(Method::GET, &server.url, &headers, "").await;
    assert_eq!(read_events(&mut again, 1).await.len(), 1);
    drop(again);
    let headers = [&refs(&session)[..], &[("last-event-id", "0-0")]].concat();
    let mut all = send(Method::GET, &server.url, &headers, "").await;
    assert_eq!(read_events(&mut all, 2).await.len(), 2);
    server.stop().await;
}

#[tokio::test]
async fn h13_what_is_kept_is_bounded_and_without_it_events_have_no_ids() {
    let server = Server::start(HttpOptions::default().replay_per_stream(100)).await;
    let session = server.session(NEWEST).await;
    let answer = call(&server, &session, 1, "progress").await;
    let rest = resume(&server, &session, &ids(&answer.body)[0]).await;
    // The reports are gone, the answer is not.
    assert_eq!(rest.events(), answer.events()[3..]);
    server.stop().await;

    let server = Server::start(HttpOptions::default().replay_per_stream(0)).await;
    let session = server.session(NEWEST).await;
    let answer = call(&server, &session, 1, "progress").await;
    assert_eq!(events(&answer.body).len(), 4);
    assert!(ids(&answer.body).is_empty());
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn h17_a_finished_stream_is_forgotten_after_a_while() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let answer = call(&server, &session, 1, "progress").await;
    let id = ids(&answer.body)[3].clone();
    assert_eq!(resume(&server, &session, &id).await.status, 200);
    tokio::time::sleep(Duration::from_secs(180)).await;
    assert_eq!(resume(&server, &session, &id).await.status, 400);
    server.stop().await;
}
