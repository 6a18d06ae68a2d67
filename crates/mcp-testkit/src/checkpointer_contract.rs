//! What every checkpointer has to do.

#![expect(
    clippy::panic,
    clippy::cognitive_complexity,
    reason = "a contract that is broken fails the test, and says one thing after another"
)]

use std::sync::Arc;

use mcp_agent::state::{Change, Changes, Json};
use mcp_agent::{
    Checkpoint, Checkpointer, Interrupt, ListCheckpoints, Manage, Place, Source, TaskRecord,
};
use serde_json::{Value, json};

/// Checks that a checkpointer does what its trait says. It must be empty.
///
/// # Panics
/// Where it does not.
///
/// # Cancel safety
/// For tests; not meant to be cancelled.
pub async fn checkpointer_contract(checkpointer: &dyn Checkpointer) {
    let Kept { place, ids } = keep(checkpointer, "t").await;
    reads_chains(checkpointer, &place, &ids).await;
    keeps_records(checkpointer, &place, &ids).await;
    lists(checkpointer, &place, &ids).await;
    keeps_places_apart(checkpointer).await;
    manages_threads(checkpointer).await;
}

struct Kept {
    place: Place,
    ids: Vec<Arc<str>>,
}

fn checkpoint(id: &str, parent: Option<&str>, step: u64, value: &Value) -> Arc<Checkpoint> {
    let mut changes = Changes::default();
    let from = usize::try_from(step).unwrap_or(0);
    let items = vec![Json::of(value).unwrap_or_default()];
    changes.put("log", Some(Change::Tail { from, items }));
    let metadata = json!({ "even": step.is_multiple_of(2) });
    let source = if step == 0 {
        Source::Input
    } else {
        Source::Step
    };
    let whole = json!({
        "id": id, "parent": parent, "step": step, "source": source, "changes": changes,
        "next": [{"node": "n", "payload": {"x": step}}], "run": "r", "created_ms": step,
        "metadata": metadata,
    });
    // Through text, as a storage would have it.
    let whole = serde_json::from_str(&whole.to_string());
    Arc::new(whole.unwrap_or_else(|error| panic!("a checkpoint: {error}")))
}

/// Three checkpoints in a row.
async fn keep(checkpointer: &dyn Checkpointer, thread: &str) -> Kept {
    let place = Place::new(thread, "");
    let ids: Vec<Arc<str>> = vec!["001".into(), "002".into(), "003".into()];
    let mut parent: Option<&str> = None;
    for (step, id) in (0_u64..).zip(&ids) {
        let one = checkpoint(id, parent, step, &json!(step));
        let kept = checkpointer.put(place.clone(), one).await;
        assert!(kept.is_ok(), "a checkpoint is kept: {kept:?}");
        parent = Some(id);
    }
    Kept { place, ids }
}

async fn loaded(
    checkpointer: &dyn Checkpointer,
    place: &Place,
    id: Option<&Arc<str>>,
) -> Option<mcp_agent::Loaded> {
    let loaded = checkpointer.load(place.clone(), id.cloned()).await;
    loaded.unwrap_or_else(|error| panic!("a place can be read: {error}"))
}

/// The items that a chain's changes come to.
fn log_of(loaded: &mcp_agent::Loaded) -> Vec<String> {
    let mut all = Changes::default();
    for checkpoint in &loaded.chain {
        all.then(&checkpoint.changes);
    }
    match all.get("log") {
        Some(Change::Tail { items, .. }) => items.iter().map(|i| i.as_str().to_owned()).collect(),
        other => panic!("the log is a list, not {other:?}"),
    }
}

async fn reads_chains(checkpointer: &dyn Checkpointer, place: &Place, ids: &[Arc<str>]) {
    let nowhere = loaded(checkpointer, &Place::new("nobody", ""), None).await;
    assert!(
        nowhere.is_none(),
        "a thread that was never used has nothing"
    );
    let unknown = loaded(checkpointer, place, Some(&"999".into())).await;
    assert!(unknown.is_none(), "an unknown checkpoint is none");

    for (n, id) in (1..).zip(ids) {
        let Some(at) = loaded(checkpointer, place, Some(id)).await else {
            panic!("checkpoint {id} is there");
        };
        let expected: Vec<String> = (0..n).map(|step: usize| step.to_string()).collect();
        assert_eq!(log_of(&at), expected, "the changes up to {id}");
        assert_eq!(at.last().map(|last| &last.id), Some(id));
    }
    let last = loaded(checkpointer, place, None).await;
    let last = last.and_then(|loaded| loaded.last().cloned());
    let expected = checkpoint("003", Some("002"), 2, &json!(2));
    let last = last.unwrap_or_else(|| panic!("the last checkpoint is there"));
    assert_eq!(last.next, expected.next, "payloads are kept");
    assert_eq!(
        (&last.metadata, last.source),
        (&expected.metadata, expected.source)
    );
}

fn record(task: &str, state: &Value) -> TaskRecord {
    let whole = json!({"task": task, "node": "n", "state": state});
    let record = serde_json::from_str(&whole.to_string());
    record.unwrap_or_else(|error| panic!("a record: {error}"))
}

async fn keeps_records(checkpointer: &dyn Checkpointer, place: &Place, ids: &[Arc<str>]) {
    let Some(last) = ids.last() else { return };
    let question: Interrupt = serde_json::from_value(json!({
        "id": "q", "value": {"may I": true}, "node": "n"
    }))
    .unwrap_or_else(|error| panic!("a question: {error}"));
    let waiting =
        |answers: Value| json!({"waiting": {"interrupts": [question], "answers": answers}});
    let done = json!({"done": {"updates": [{"log": ["x"]}], "goto": [{"node": "y"}]}});
    for one in [
        record("a", &waiting(json!({}))),
        record("b", &done),
        record("a", &waiting(json!({"q": 1}))),
    ] {
        let kept = checkpointer
            .record(place.clone(), Arc::clone(last), one)
            .await;
        assert!(kept.is_ok(), "a record is kept: {kept:?}");
    }
    let at = loaded(checkpointer, place, None).await;
    let mut records = at.map(|loaded| loaded.records).unwrap_or_default();
    records.sort_by(|a, b| a.task.cmp(&b.task));
    let expected = [record("a", &waiting(json!({"q": 1}))), record("b", &done)];
    assert_eq!(
        records, expected,
        "the later record of a task replaces the earlier"
    );
    let earlier = loaded(checkpointer, place, ids.first()).await;
    let none = earlier.is_some_and(|loaded| loaded.records.is_empty());
    assert!(none, "records belong to their checkpoint");
}

async fn lists(checkpointer: &dyn Checkpointer, place: &Place, ids: &[Arc<str>]) {
    let list = async |query: ListCheckpoints| -> Vec<u64> {
        let listed = checkpointer.list(query).await;
        let listed = listed.unwrap_or_else(|error| panic!("a place can be listed: {error}"));
        listed.iter().map(|checkpoint| checkpoint.step).collect()
    };
    let all = ListCheckpoints::of(place.clone());
    assert_eq!(list(all.clone()).await, [2, 1, 0], "newest first");
    let mut query = all.clone();
    query.limit = 1;
    assert_eq!(list(query).await, [2]);
    let mut query = all.clone();
    query.before = ids.last().cloned();
    assert_eq!(list(query).await, [1, 0]);
    let mut query = all.clone();
    query.source = Some(Source::Input);
    assert_eq!(list(query).await, [0]);
    let mut query = all;
    query.metadata.insert("even".to_owned(), true.into());
    assert_eq!(list(query).await, [2, 0]);
}

async fn keeps_places_apart(checkpointer: &dyn Checkpointer) {
    // Names are data: none of these is a path, a statement or a pattern.
    for (n, thread) in (10_u64..).zip(["../t", "t') OR 1=1 --", "%", "", "T"]) {
        let place = Place::new(thread, "sub:1|inner");
        let one = checkpoint("001", None, 0, &json!(n));
        let kept = checkpointer.put(place.clone(), one).await;
        assert!(kept.is_ok(), "{thread:?}: {kept:?}");
        let at = loaded(checkpointer, &place, None).await;
        assert_eq!(
            at.map(|at| log_of(&at)),
            Some(vec![n.to_string()]),
            "{thread:?}"
        );
        let outer = loaded(checkpointer, &Place::new(thread, ""), None).await;
        assert!(outer.is_none(), "a graph's checkpoints are its own");
    }
}

async fn manages_threads(checkpointer: &dyn Checkpointer) {
    let Kept { place, .. } = keep(checkpointer, "managed").await;
    let copy = Manage::Copy {
        from: "managed".into(),
        to: "copy".into(),
    };
    assert!(checkpointer.manage(copy.clone()).await.is_ok());
    assert!(
        checkpointer.manage(copy).await.is_err(),
        "the target exists"
    );
    let nothing = Manage::Copy {
        from: "nobody".into(),
        to: "else".into(),
    };
    assert!(
        checkpointer.manage(nothing).await.is_err(),
        "the source does not exist"
    );

    let prune = Manage::Prune {
        thread: "managed".into(),
        keep: 1,
    };
    assert!(checkpointer.manage(prune).await.is_ok());
    let listed = checkpointer.list(ListCheckpoints::of(place.clone())).await;
    assert_eq!(listed.map(|l| l.len()).ok(), Some(1));
    let at = loaded(checkpointer, &place, None).await;
    let whole = at.map(|at| log_of(&at));
    let expected: Vec<String> = (0..3).map(|step: usize| step.to_string()).collect();
    assert_eq!(
        whole,
        Some(expected.clone()),
        "what was pruned is still in the state"
    );

    let delete = Manage::Delete {
        thread: "managed".into(),
    };
    assert!(checkpointer.manage(delete.clone()).await.is_ok());
    assert!(
        checkpointer.manage(delete).await.is_ok(),
        "nothing to forget is no error"
    );
    assert!(loaded(checkpointer, &place, None).await.is_none());
    let copied = loaded(checkpointer, &Place::new("copy", ""), None).await;
    assert_eq!(
        copied.map(|at| log_of(&at)),
        Some(expected),
        "a copy lives on"
    );
}
