//! The store: namespaces, filters, time, batches.

use std::time::Duration;

use mcp_agent::{
    Filter, ListNamespaces, MemoryStore, Namespace, NamespacePattern, Put, Search, Store, StoreExt,
    StoreOp, StoreReply,
};
use serde_json::{Value, json};

fn ns(path: &str) -> Namespace {
    Namespace::new(path.split('/')).unwrap()
}

async fn filled() -> MemoryStore {
    let store = MemoryStore::new();
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
        store.put(ns(path), key, value).await.unwrap();
    }
    store
}

async fn found(store: &MemoryStore, prefix: &[&str], filter: Value) -> Vec<String> {
    let filter = Filter::read(&filter).unwrap();
    let search = Search::under(prefix.iter().copied()).filter(filter);
    let items = store.search(search).await.unwrap();
    let named = items
        .iter()
        .map(|item| format!("{}:{}", item.namespace, item.key));
    named.collect()
}

#[tokio::test]
async fn a_value_is_put_read_replaced_and_taken_away() {
    let store = MemoryStore::new();
    assert!(store.get(ns("a"), "k").await.unwrap().is_none());
    store.put(ns("a"), "k", json!({"v": 1})).await.unwrap();
    let first = store.get(ns("a"), "k").await.unwrap().unwrap();
    store.put(ns("a"), "k", json!({"v": 2})).await.unwrap();
    let second = store.get(ns("a"), "k").await.unwrap().unwrap();
    assert_eq!(second.value, json!({"v": 2}));
    assert_eq!(second.created_ms, first.created_ms);
    store.delete(ns("a"), "k").await.unwrap();
    store.delete(ns("a"), "k").await.unwrap();
    assert!(store.get(ns("a"), "k").await.unwrap().is_none());
}

#[tokio::test]
async fn a_prefix_matches_whole_labels_and_the_last_put_comes_first() {
    let store = filled().await;
    let all = found(&store, &["users", "ada"], json!({})).await;
    assert_eq!(all, ["users.ada.notes:2", "users.ada.notes:1"]);
    let none: [&str; 0] = [];
    assert_eq!(found(&store, &none, json!({})).await.len(), 4);
    let page = Search::under(["users"]).page(1, 1);
    assert_eq!(store.search(page).await.unwrap()[0].key, "2");
}

#[tokio::test]
async fn filters_compare_members() {
    let store = filled().await;
    for (filter, expected) in [
        (json!({"kind": "note"}), 2),
        (json!({"kind": {"$ne": "note"}}), 2),
        (json!({"age": {"$gt": 1}}), 2),
        (json!({"age": {"$gte": 1, "$lt": 3}}), 2),
        (json!({"age": {"$lte": 2.0}}), 2),
        (json!({"kind": {"$gt": 1}}), 0),
        (json!({"at": {"x": 1}}), 1),
        (json!({"at": {"x": 2}}), 0),
        (json!({"age": {"$eq": 3}, "kind": "task"}), 1),
    ] {
        let hits = found(&store, &[], filter.clone()).await;
        assert_eq!(hits.len(), expected, "{filter}");
    }
    assert!(Filter::read(&json!({"a": {"$in": [1]}})).is_err());
    assert!(Filter::read(&json!([])).is_err());
}

#[tokio::test]
async fn namespaces_are_listed_by_pattern_and_depth() {
    let store = filled().await;
    let shown = |list: ListNamespaces| {
        let store = store.clone();
        async move {
            let names = store.list_namespaces(list).await.unwrap();
            names.iter().map(ToString::to_string).collect::<Vec<_>>()
        }
    };
    let all = ListNamespaces::default();
    assert_eq!(
        shown(all.clone()).await,
        ["docs", "users.ada.notes", "users.adam"]
    );
    let mut list = all.clone();
    list.prefix = NamespacePattern::new(["users", "*"]);
    assert_eq!(shown(list).await, ["users.ada.notes", "users.adam"]);
    let mut list = all.clone();
    list.suffix = NamespacePattern::new(["notes"]);
    assert_eq!(shown(list).await, ["users.ada.notes"]);
    let mut list = all.clone();
    list.max_depth = Some(1);
    assert_eq!(shown(list).await, ["docs", "users"]);
    let mut list = all;
    list.offset = 1;
    list.limit = 1;
    assert_eq!(shown(list).await, ["users.ada.notes"]);
}

#[tokio::test(start_paused = true)]
async fn a_value_with_a_time_goes_and_reading_lets_it_begin_anew() {
    let store = MemoryStore::new();
    let put = || Put::new(ns("a"), "k", 1).ttl(Duration::from_secs(60));
    store.put_with(put()).await.unwrap();
    tokio::time::advance(Duration::from_secs(50)).await;
    assert!(store.get(ns("a"), "k").await.unwrap().is_some());
    tokio::time::advance(Duration::from_secs(50)).await;
    let peek = StoreOp::Get {
        namespace: ns("a"),
        key: "k".to_owned(),
        refresh: false,
    };
    let seen = store.batch(vec![peek]).await.unwrap();
    assert!(matches!(&seen[0], StoreReply::Item(Some(_))));
    tokio::time::advance(Duration::from_secs(20)).await;
    assert!(store.get(ns("a"), "k").await.unwrap().is_none());
    assert!(store.search(Search::under(["a"])).await.unwrap().is_empty());
    assert!(
        store
            .list_namespaces(ListNamespaces::default())
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_batch_is_carried_out_in_order() {
    let store = MemoryStore::new();
    let get = || StoreOp::Get {
        namespace: ns("a"),
        key: "k".to_owned(),
        refresh: true,
    };
    let ops = vec![get(), StoreOp::Put(Put::new(ns("a"), "k", 1)), get()];
    let replies = store.batch(ops).await.unwrap();
    assert!(matches!(&replies[..], [
        StoreReply::Item(None),
        StoreReply::Done,
        StoreReply::Item(Some(item)),
    ] if item.value == 1));
}

#[tokio::test]
async fn unless_said_otherwise_10_values_and_100_namespaces_are_found() {
    let store = MemoryStore::new();
    for n in 0..120 {
        let place = ns(&format!("n{n:03}/x"));
        store.put(place, "k", json!({"n": n})).await.unwrap();
    }
    let none: [&str; 0] = [];
    let found = store.search(Search::under(none)).await.unwrap();
    assert_eq!(found.len(), 10);
    assert_eq!(found[0].value["n"], 119, "the last put comes first");
    let mut query = Search::under(["n007"]);
    query.query = Some("about something".to_owned());
    assert_eq!(
        store.search(query).await.unwrap().len(),
        1,
        "no index, no matter"
    );
    let all = ListNamespaces::default();
    assert_eq!(store.list_namespaces(all).await.unwrap().len(), 100);
}

#[tokio::test]
async fn patterns_of_namespaces_have_wildcards_on_both_ends_and_what_is_cut_counts_once() {
    let store = MemoryStore::new();
    for path in ["a/b/c", "a/b/d", "a/x/c", "z/b/c", "a"] {
        store.put(ns(path), "k", json!({})).await.unwrap();
    }
    let shown = |prefix: &[&str], suffix: &[&str], depth: Option<usize>| {
        let store = store.clone();
        let mut list = ListNamespaces::default();
        list.prefix = NamespacePattern::new(prefix.iter().copied());
        list.suffix = NamespacePattern::new(suffix.iter().copied());
        list.max_depth = depth;
        async move {
            let names = store.list_namespaces(list).await.unwrap();
            let names = names.iter().map(ToString::to_string);
            names.collect::<Vec<_>>().join(" ")
        }
    };
    assert_eq!(shown(&["a", "*", "c"], &[], None).await, "a.b.c a.x.c");
    assert_eq!(shown(&[], &["*", "c"], None).await, "a.b.c a.x.c z.b.c");
    assert_eq!(shown(&["*"], &["b", "*"], None).await, "a.b.c a.b.d z.b.c");
    assert_eq!(shown(&["a"], &[], Some(2)).await, "a a.b a.x");
    assert_eq!(shown(&[], &[], Some(1)).await, "a z");
    assert_eq!(
        shown(&["*", "*", "*", "*"], &[], None).await,
        "",
        "too long"
    );
}

#[tokio::test]
async fn a_namespace_has_labels_without_full_stops() {
    for bad in [vec![], vec![""], vec!["a", ""], vec!["a.b"]] {
        assert!(Namespace::new(bad.clone()).is_err(), "{bad:?}");
    }
    assert_eq!(ns("a/b").to_string(), "a.b");
    let read: Result<Namespace, _> = serde_json::from_value(json!(["a", "b.c"]));
    assert!(read.is_err(), "nor from JSON");
}

#[tokio::test(start_paused = true)]
async fn finding_lets_the_time_begin_anew_unless_said_otherwise() {
    let store = MemoryStore::new();
    let seconds = |n| tokio::time::advance(Duration::from_secs(n));
    let put = Put::new(ns("a"), "k", 1).ttl(Duration::from_secs(60));
    store.put_with(put).await.unwrap();
    seconds(50).await;
    assert_eq!(store.search(Search::under(["a"])).await.unwrap().len(), 1);
    seconds(50).await;
    let mut look = Search::under(["a"]);
    look.refresh = false;
    assert_eq!(store.search(look.clone()).await.unwrap().len(), 1);
    seconds(20).await;
    assert!(store.search(look).await.unwrap().is_empty());
    // A new put without a time stays, and is a new value.
    store.put(ns("a"), "k", json!(2)).await.unwrap();
    seconds(1_000_000).await;
    assert!(store.get(ns("a"), "k").await.unwrap().is_some());
}
