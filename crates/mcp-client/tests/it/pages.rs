//! Lists in pages that end, and lists that do not.

use futures_util::TryStreamExt;
use mcp_client::{CallOptions, Error, PagesError, Session};
use mcp_protocol::tools::ListTools;
use mcp_protocol::{Cursor, ProtocolVersion};
use mcp_testkit::ScriptedPeer;
use serde_json::{Value, json};

use crate::connects::{options, scripted};

fn page(name: &str, next: impl Into<Value>) -> Value {
    let next: Value = next.into();
    json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}], "nextCursor": next})
}

/// A server that answers each request for a page by the cursor in it and the number of the page.
async fn server(answer: impl Fn(Option<&str>, usize) -> Value + Send + Sync + 'static) -> Session {
    let answer = std::sync::Arc::new(answer);
    let capabilities = json!({"tools": {}});
    let server = scripted(capabilities, options(), move |peer| {
        serve(peer, answer.clone())
    });
    server.await.0
}

async fn serve<A>(mut peer: ScriptedPeer, answer: std::sync::Arc<A>)
where
    A: Fn(Option<&str>, usize) -> Value + Send + Sync,
{
    let mut count = 0;
    while let Some(list) = peer.receive().await {
        let cursor = list.pointer("/params/cursor").and_then(Value::as_str);
        let result = answer(cursor, count);
        count += 1;
        peer.answer(&list, result).await;
    }
}

async fn names(session: &Session) -> Result<Vec<String>, Error> {
    let list = session.list_tools().await?;
    Ok(list.items.iter().map(|tool| tool.name.clone()).collect())
}

#[tokio::test]
async fn t10_an_empty_cursor_is_followed() {
    let session = server(|cursor, _| match cursor {
        None => page("a", ""),
        Some(_) => page("b", Value::Null),
    })
    .await;
    assert_eq!(names(&session).await.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn t10_a_cursor_that_never_moves_is_an_error() {
    let session = server(|_, _| page("a", "X")).await;
    let error = names(&session).await.unwrap_err();
    assert!(
        matches!(error, Error::Pages(PagesError::Repeated { page: 2, .. })),
        "{error}"
    );
}

#[tokio::test]
async fn t10_cursors_that_go_in_a_circle_are_an_error() {
    let session = server(|cursor, _| match cursor {
        Some("X") => page("b", "Y"),
        _ => page("a", "X"),
    })
    .await;
    let error = names(&session).await.unwrap_err();
    assert!(
        matches!(error, Error::Pages(PagesError::Repeated { page: 3, .. })),
        "{error}"
    );
}

#[tokio::test]
async fn t10_a_list_without_end_is_an_error() {
    let session = server(|_, count| page("a", count.to_string())).await;
    let error = names(&session).await.unwrap_err();
    assert!(
        matches!(error, Error::Pages(PagesError::TooMany { limit: 1000, .. })),
        "{error}"
    );
}

#[tokio::test]
async fn t10_a_list_with_endless_pages_is_an_error_before_they_fill_the_memory() {
    let entry = json!({"name": "a", "inputSchema": {"type": "object"}});
    let endless = move |_: Option<&str>, count: usize| json!({"tools": vec![entry.clone(); 30], "nextCursor": count.to_string()});
    let endless = std::sync::Arc::new(endless);
    let mut few = options();
    few.max_entries = 100;
    let server_of_many = scripted(json!({"tools": {}}), few, move |peer| {
        serve(peer, endless.clone())
    });
    let session = server_of_many.await.0;
    let error = names(&session).await.unwrap_err();
    let entries = match error {
        Error::Pages(PagesError::TooLong { entries, .. }) => entries,
        other => panic!("{other}"),
    };
    assert_eq!(entries, 120);

    let session = server(|_, count| {
        let mut page = page("a", count.to_string());
        page["tools"][0]["description"] = json!("x".repeat(20 << 20));
        page
    })
    .await;
    let error = names(&session).await.unwrap_err();
    assert!(
        matches!(error, Error::Pages(PagesError::TooLong { entries: 4, .. })),
        "{error}"
    );
}

#[tokio::test]
async fn t10_null_is_the_end() {
    let session = server(|_, _| page("a", Value::Null)).await;
    assert_eq!(names(&session).await.unwrap(), ["a"]);
}

#[tokio::test]
async fn pages_can_be_taken_one_by_one() {
    let session = server(|cursor, _| match cursor {
        None => page("a", "next"),
        Some(_) => page("b", Value::Null),
    })
    .await;
    let first = session
        .page::<ListTools>(None, &CallOptions::new())
        .await
        .unwrap();
    let next = first.next.unwrap();
    assert_eq!(next.as_str(), "next");
    let second = session
        .page::<ListTools>(Some(next), &CallOptions::new())
        .await
        .unwrap();
    assert_eq!((second.items[0].name.as_str(), second.next), ("b", None));

    let mut pages = std::pin::pin!(session.pages::<ListTools>(CallOptions::new()));
    let mut count = 0;
    while pages.try_next().await.unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 2);
}

#[tokio::test]
async fn a_cursor_that_has_expired_makes_the_walk_begin_anew() {
    let (session, _peer) = scripted(json!({"tools": {}}), options(), |mut peer| async move {
        let first = peer.expect("tools/list").await;
        peer.answer(&first, page("old", "gone")).await;
        let second = peer.expect("tools/list").await;
        peer.fail(&second, -32602, "invalid cursor").await;
        let again = peer.expect("tools/list").await;
        assert_eq!(again["params"].get("cursor"), None);
        peer.answer(&again, page("new", Value::Null)).await;
    })
    .await;
    assert_eq!(names(&session).await.unwrap(), ["new"]);
}

#[tokio::test]
async fn t05_one_bad_tool_does_not_hide_the_others() {
    let session = server(|_, _| {
        json!({"tools": [
            {"name": "good", "inputSchema": {"type": "object"}},
            {"name": "bad", "inputSchema": 7},
        ]})
    })
    .await;
    let list = session.list_tools().await.unwrap();
    assert_eq!(list.items.len(), 1);
    assert_eq!(list.skipped.len(), 1);
}

#[tokio::test]
async fn t10_a_cursor_that_our_server_has_not_given_is_refused() {
    for version in ProtocolVersion::ALL {
        let server = crate::pool::tools(&["a", "b"]);
        let session = crate::connects::session(server, version).await;
        let bogus = Some(Cursor::from("bogus"));
        let page = session.page::<ListTools>(bogus, &CallOptions::new()).await;
        let error = page.unwrap_err();
        assert_eq!(error.remote().unwrap().code.0, -32602, "{version}");
    }
}
