//! Headers that change: who is asked for them, and what a refusal leads to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use http::{Extensions, HeaderMap, HeaderValue};
use mcp_transport::{Attached, BoxFuture, Call, CallError, Channel as _, Delivery, WithoutHeaders};
use mcp_transport_http::{HeaderError, HeaderRequest, HeaderSource, HttpTransport};
use serde_json::json;

use crate::client_support::{Client, modern_call};
use crate::script::{Reply, Script, Seen, result, status, usual};

/// Gives tokens; whoever the call was made for has one of its own.
#[derive(Debug, Default)]
struct Tokens {
    /// How often was refreshed: part of the token.
    age: AtomicUsize,
    refreshes: bool,
    asked: Mutex<Vec<String>>,
    rejected: Mutex<Vec<HeaderMap>>,
}

#[derive(Clone, Debug)]
struct User(&'static str);

impl HeaderSource for Tokens {
    fn headers(&self, request: HeaderRequest) -> BoxFuture<'_, Result<HeaderMap, HeaderError>> {
        let user = request.attached.get::<User>().map_or("app", |user| user.0);
        Box::pin(async move {
            let kind = format!("{} for {user}", request.method);
            self.asked.lock().unwrap().push(kind);
            if user == "nobody" {
                return Err("nobody is logged in".into());
            }
            let token = format!("{user}-{}", self.age.load(Ordering::SeqCst));
            let mut headers = HeaderMap::new();
            headers.insert("authorization", token.try_into()?);
            headers.insert("mcp-session-id", HeaderValue::from_static("mine"));
            Ok(headers)
        })
    }

    fn refresh(&self, rejected: HeaderMap) -> BoxFuture<'_, Result<(), HeaderError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.rejected.lock().unwrap().push(rejected);
            if !self.refreshes {
                return Err("no refresh token".into());
            }
            self.age.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    }
}

fn client(script: &Script, tokens: &Arc<Tokens>) -> Client {
    let transport = HttpTransport::builder(&script.url)
        .header("authorization", "static")
        .header("x-app", "a")
        .header_source(Arc::clone(tokens) as _)
        .build()
        .unwrap();
    assert!(!format!("{transport:?}").contains("static"));
    Client::of(&transport)
}

fn call_for(user: &'static str) -> Call {
    let mut extensions = Extensions::new();
    extensions.insert(User(user));
    let mut call = modern_call("tools/call", Some("t"));
    call.extensions.insert(Attached(Arc::new(extensions)));
    call
}

/// Takes tokens of this age only.
fn strict(age: usize) -> impl Fn(&Seen) -> Reply {
    move |seen| match seen.header("authorization") {
        Some(token) if token.ends_with(&format!("-{age}")) => result(seen, &json!({})),
        _ => status(401),
    }
}

#[tokio::test]
async fn each_request_has_the_headers_of_the_source_between_those_of_transport_and_call() {
    let answer =
        |seen: &Seen| usual(seen, "2025-11-25").unwrap_or_else(|| result(seen, &json!({})));
    let mut script = Script::start(answer).await;
    let tokens = Arc::new(Tokens::default());
    let client = client(&script, &tokens);
    client.initialize("2025-11-25").await;
    script.next("GET").await;
    let mut own = Call::new("tools/list", None);
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static("own"));
    own.extensions.insert(headers);
    client.channel.call(own).await.unwrap();
    let mut without = Call::new("tools/list", None);
    let names = WithoutHeaders(vec![http::header::AUTHORIZATION]);
    without.extensions.insert(names);
    client.channel.call(without).await.unwrap();
    client.channel.close().await;

    let seen = script.seen();
    let tokens_of = |kind: &str| -> Vec<_> {
        let of_kind = seen.iter().filter(|seen| seen.kind() == kind);
        of_kind.map(|seen| seen.header("authorization")).collect()
    };
    for kind in ["initialize", "notifications/initialized", "GET", "DELETE"] {
        assert_eq!(tokens_of(kind), [Some("app-0")], "{kind}");
    }
    assert_eq!(tokens_of("tools/list"), [Some("own"), None]);
    assert!(seen.iter().all(|seen| seen.header("x-app") == Some("a")));
    // Headers of the protocol are none of its business.
    assert!(
        seen.iter()
            .all(|seen| seen.header("mcp-session-id") != Some("mine"))
    );
    assert_eq!(tokens.asked.lock().unwrap().len(), seen.len());
}

#[tokio::test]
async fn a_refusal_refreshes_once_for_all_and_each_call_is_sent_once_more() {
    let script = Script::start(strict(1)).await;
    let tokens = Arc::new(Tokens {
        refreshes: true,
        ..Tokens::default()
    });
    let client = client(&script, &tokens);
    let users = ["ada", "bob"].into_iter().cycle().take(20);
    let calls = users
        .clone()
        .map(|user| client.channel.call(call_for(user)));
    for outcome in join_all(calls).await {
        outcome.unwrap();
    }
    // One of the two was refused first, and what it led to was good for both.
    let rejected = tokens.rejected.lock().unwrap().clone();
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    assert!(!format!("{rejected:?}").contains("-0"), "a secret shows");
    let mut of_bob = script.seen();
    of_bob.retain(|seen| seen.header("authorization") == Some("bob-1"));
    assert_eq!(of_bob.len(), 10);
    client.channel.close().await;
}

#[tokio::test]
async fn a_refusal_that_nothing_helps_against_is_the_answer() {
    for (refreshes, requests) in [(true, 2), (false, 1)] {
        let script = Script::start(|_| status(401)).await;
        let tokens = Arc::new(Tokens {
            refreshes,
            ..Tokens::default()
        });
        let client = client(&script, &tokens);
        let error = client.channel.call(call_for("ada")).await.unwrap_err();
        let CallError::Rejected(rejection) = error else {
            panic!("{error:?}");
        };
        assert_eq!(rejection.status, 401);
        assert_eq!(script.seen().len(), requests);
        client.channel.close().await;
    }
}

#[tokio::test]
async fn a_call_without_headers_is_not_sent() {
    let script = Script::start(strict(0)).await;
    let tokens = Arc::new(Tokens::default());
    let client = client(&script, &tokens);
    let error = client.channel.call(call_for("nobody")).await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
    let CallError::Closed { reason, .. } = &error else {
        panic!("{error:?}");
    };
    let cause = std::error::Error::source(&**reason).unwrap();
    assert_eq!(cause.to_string(), "nobody is logged in");
    client.channel.call(call_for("ada")).await.unwrap();
    assert_eq!(script.seen().len(), 1);
    client.channel.close().await;
}
