//! What every store has to do.

#![expect(
    clippy::panic,
    clippy::cognitive_complexity,
    reason = "a contract that is broken fails the test, and says one thing after another"
)]

use std::time::Duration;

use mcp_agent::{
    Filter, ListNamespaces, Namespace, NamespacePattern, Put, Search, Store, StoreExt, StoreOp,
    StoreReply,
};
use serde_json::{Value, json};

/// Checks that a store does what its trait says. It must be empty. Waits a few milliseconds for
/// values to run out.
///
/// # Panics
/// Where it does not.
///
/// # Cancel safety
/// For tests; not meant to be cancelled.
pub async fn store_contract(store: &dyn Store) {
    puts_and_takes_away(store).await;
    finds(store).await;
    lists_namespaces(store).await;
    carries_out_batches_in_order(store).await;
    lets_values_run_out(store).await;
}

fn ns(path: &str) -> Namespace {
    Namespace::new(path.split('/')).unwrap_or_else(|error| panic!("{path}: {error}"))
}

async fn get(store: &dyn Store, path: &str, key: &str) -> Option<Value> {
    let item = store.get(ns(path), key).await;
    let item = item.unwrap_or_else(|error| panic!("a value can be read: {error}"));
    item.map(|item| item.value)
}

async fn put(store: &dyn Store, path: &str, key: &str, value: Value) {
    let done = store.put(ns(path), key, value).await;
    assert!(done.is_ok(), "a value can be put: {done:?}");
}

async fn puts_and_takes_away(store: &dyn Store) {
    assert_eq!(get(store, "a/b", "k").await, None);
    let odd = "../k') OR 1=1 --%";
    for (key, value) in [("k", json!({"v": 1})), (odd, json!([1, "x", null]))] {
        put(store, "a/b", key, value.clone()).await;
        assert_eq!(get(store, "a/b", key).await, Some(value));
    }
    assert_eq!(get(store, "a", "k").await, None, "a namespace is its own");
    put(store, "a/b", "k", json!({"v": 2})).await;
    assert_eq!(get(store, "a/b", "k").await, Some(json!({"v": 2})));
    for key in ["k", odd, "k"] {
        let gone = store.delete(ns("a/b"), key).await;
        assert!(gone.is_ok(), "that there is nothing is no error: {gone:?}");
    }
    assert_eq!(get(store, "a/b", "k").await, None);
}

async fn finds(store: &dyn Store) {
    for (path, key, value) in [
        (
            "users/ada/notes",
            "1",
            json!({"kind": "note", "age": 1, "at": {"x": 1, "y": 2}}),
        ),
        ("users/ada/notes", "2", json!({"kind": "note", "age": 2})),
        ("users/adam", "1", json!({"kind": "task", "age": 3})),
        ("docs", "1", json!("plain")),
    ] {
        put(store, path, key, value).await;
    }
    let found = async |search: Search| -> Vec<String> {
        let items = store.search(search).await;
        let items = items.unwrap_or_else(|error| panic!("values can be found: {error}"));
        let named = items
            .iter()
            .map(|item| format!("{}:{}", item.namespace, item.key));
        named.collect()
    };
    let of_ada = Search::under(["users", "ada"]);
    let expected = ["users.ada.notes:2", "users.ada.notes:1"];
    assert_eq!(
        found(of_ada).await,
        expected,
        "whole labels; the last put comes first"
    );
    let page = Search::under(["users"]).page(1, 1);
    assert_eq!(found(page).await, ["users.ada.notes:2"]);
    for (filter, hits) in [
        (json!({"kind": "note"}), 2),
        (json!({"kind": {"$ne": "note"}}), 2),
        (json!({"age": {"$gte": 1, "$lt": 3}}), 2),
        (json!({"age": {"$gt": 1}, "kind": "task"}), 1),
        (json!({"kind": {"$gt": 1}}), 0),
        (json!({"at": {"x": 1}}), 1),
        (json!({"a') OR 1=1 --": 1}), 0),
    ] {
        let read = Filter::read(&filter);
        let read = read.unwrap_or_else(|error| panic!("{filter}: {error}"));
        let search = Search::under([""; 0]).filter(read);
        assert_eq!(found(search).await.len(), hits, "{filter}");
    }
}

async fn lists_namespaces(store: &dyn Store) {
    let listed = async |list: ListNamespaces| -> Vec<String> {
        let names = store.list_namespaces(list).await;
        let names = names.unwrap_or_else(|error| panic!("namespaces can be listed: {error}"));
        names.iter().map(ToString::to_string).collect()
    };
    let all = ListNamespaces::default();
    let expected = ["docs", "users.ada.notes", "users.adam"];
    assert_eq!(listed(all.clone()).await, expected, "in order");
    let mut list = all.clone();
    list.prefix = NamespacePattern::new(["users", "*"]);
    assert_eq!(listed(list).await.len(), 2);
    let mut list = all.clone();
    list.suffix = NamespacePattern::new(["notes"]);
    assert_eq!(listed(list).await, ["users.ada.notes"]);
    let mut list = all;
    (list.max_depth, list.offset, list.limit) = (Some(1), 1, 1);
    assert_eq!(listed(list).await, ["users"], "cut, then counted once");
}

async fn carries_out_batches_in_order(store: &dyn Store) {
    let read = || StoreOp::Get {
        namespace: ns("batch"),
        key: "k".to_owned(),
        refresh: true,
    };
    let ops = vec![read(), StoreOp::Put(Put::new(ns("batch"), "k", 1)), read()];
    let replies = store.batch(ops).await;
    let replies = replies.unwrap_or_else(|error| panic!("a batch is carried out: {error}"));
    let fits = matches!(
        replies.as_slice(),
        [
            StoreReply::Item(None),
            StoreReply::Done,
            StoreReply::Item(Some(_))
        ]
    );
    assert!(fits, "one reply for each, in order: {replies:?}");
}

async fn lets_values_run_out(store: &dyn Store) {
    let short = Put::new(ns("brief"), "k", 1).ttl(Duration::from_millis(1));
    let long = Put::new(ns("brief"), "l", 1).ttl(Duration::from_secs(3_600));
    assert!(store.put_with(short).await.is_ok());
    assert!(store.put_with(long).await.is_ok());
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(get(store, "brief", "k").await, None, "its time is up");
    assert_eq!(get(store, "brief", "l").await, Some(json!(1)));
}
