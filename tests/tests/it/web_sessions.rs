//! Sessions over HTTP, and who may use them.

use std::collections::HashSet;

use http::Method;
use mcp::Server;
use mcp::http::HttpOptions;
use serde_json::json;

use crate::lines::request;
use crate::web::{Headers, header, post, send, session, whole};
use crate::wire::{LATEST_HANDSHAKE, Running};

/// A server whose users are told apart by what stands before the dot of their token.
async fn running() -> Running {
    let options = HttpOptions::default().principal(|parts| {
        let token = parts.headers.get("authorization")?.to_str().ok()?;
        token.split('.').next().map(str::to_owned)
    });
    Running::on_the_web(&Server::builder("sessions", "1").build(), options).await
}

fn by(token: &str, session: &Headers) -> Headers {
    let mut headers = session.clone();
    headers.retain(|(name, _)| name != "authorization");
    if !token.is_empty() {
        headers.push(header("authorization", token));
    }
    headers
}

async fn open(running: &Running, token: &str) -> Headers {
    let hello = crate::lines::initialize(1, LATEST_HANDSHAKE, json!({}));
    let reply = post(running.url(), &by(token, &Headers::new()), &hello).await;
    let id = reply.header("mcp-session-id").unwrap().to_owned();
    by(
        token,
        &vec![
            header("mcp-protocol-version", LATEST_HANDSHAKE),
            header("mcp-session-id", &id),
        ],
    )
}

#[tokio::test]
async fn h18_nobody_uses_the_session_of_another_user_and_a_fresh_token_is_the_same_user() {
    let running = running().await;
    let own = open(&running, "ada.1").await;
    let ping = request(1, "ping", json!({}));
    for foreign in ["bob.1", "ada", ""] {
        let is_ada = foreign == "ada";
        let headers = by(foreign, &own);
        let status = post(running.url(), &headers, &ping).await.status;
        assert_eq!(status, if is_ada { 200 } else { 404 }, "{foreign}");
        if is_ada {
            continue;
        }
        let mut resuming = headers.clone();
        resuming.push(header("accept", "text/event-stream"));
        resuming.push(header("last-event-id", "1"));
        for (method, headers) in [(Method::GET, &resuming), (Method::DELETE, &headers)] {
            let reply = whole(send(method, running.url(), headers, "").await).await;
            assert_eq!(reply.status, 404, "{foreign}: {reply:?}");
        }
    }
    // The session lives on, for its user and their next token.
    for token in ["ada.1", "ada.2"] {
        let reply = post(running.url(), &by(token, &own), &ping).await;
        assert_eq!(reply.answer()["result"], json!({}));
    }
    running.stop().await;
}

#[tokio::test]
async fn h18_ids_of_sessions_are_long_visible_and_never_the_same() {
    let running = running().await;
    let mut ids = HashSet::new();
    for _ in 0..300 {
        let headers = session(running.url(), LATEST_HANDSHAKE, json!({})).await;
        let id = headers.last().unwrap().1.clone();
        // 128 bits take 22 characters at least.
        assert!(
            id.len() >= 22 && id.bytes().all(|b| b.is_ascii_graphic()),
            "{id}"
        );
        assert!(ids.insert(id));
    }
    // What no id can look like is no session.
    for id in ["a b", "\u{80}", "x"] {
        let headers = [
            header("mcp-protocol-version", LATEST_HANDSHAKE),
            header("mcp-session-id", id),
        ];
        let status = post(running.url(), &headers, &request(1, "ping", json!({})))
            .await
            .status;
        assert!([400, 404].contains(&status), "{id:?}: {status}");
    }
    running.stop().await;
}
