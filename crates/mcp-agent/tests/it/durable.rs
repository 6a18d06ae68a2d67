//! Checkpoints: what is kept, when, and how it is read.

use std::sync::Arc;

use mcp_agent::state::{Append, Last};
use mcp_agent::{
    Checkpointer, CompiledGraph, Durability, Graph, ListCheckpoints, Manage, MemoryCheckpointer,
    Place, RunOptions, Runtime, START, Source, state,
};

state! {
    /// A log and a value.
    pub struct S => U { log: Append<String>, last: Last<String> }
}

fn log(text: &str) -> U {
    U::default()
        .log(vec![text.to_owned()])
        .last(text.to_owned())
}

fn linear(memory: &MemoryCheckpointer) -> CompiledGraph<S> {
    let graph = Graph::<S>::new()
        .node("a", |_: Arc<S>, _: Runtime| async { Ok(log("a")) })
        .node("b", |_: Arc<S>, _: Runtime| async { Ok(log("b")) })
        .edge(START, "a")
        .edge("a", "b");
    let graph = graph.compile().unwrap();
    graph.with_checkpointer(Arc::new(memory.clone()))
}

async fn listed(memory: &MemoryCheckpointer) -> Vec<Arc<mcp_agent::Checkpoint>> {
    let place = Place::new("t", "");
    memory.list(ListCheckpoints::of(place)).await.unwrap()
}

#[tokio::test]
async fn a_checkpoint_is_kept_for_the_input_and_each_step() {
    for (durability, expected) in [
        (Durability::Sync, 3),
        (Durability::Async, 3),
        (Durability::Exit, 1),
    ] {
        let memory = MemoryCheckpointer::new();
        let options = RunOptions::new().thread("t").durability(durability);
        linear(&memory).run(log("in"), options).await.unwrap();
        assert_eq!(listed(&memory).await.len(), expected, "{durability:?}");
        let output = linear(&memory)
            .run(log("again"), RunOptions::new().thread("t"))
            .await
            .unwrap();
        assert_eq!(
            output.state.log.to_vec(),
            ["in", "a", "b", "again", "a", "b"]
        );
    }
}

#[tokio::test]
async fn a_checkpoint_holds_only_what_its_step_changed() {
    let memory = MemoryCheckpointer::new();
    let graph = linear(&memory);
    for _ in 0..20 {
        graph
            .run(log("in"), RunOptions::new().thread("t"))
            .await
            .unwrap();
    }
    let sizes: Vec<usize> = listed(&memory)
        .await
        .iter()
        .map(|checkpoint| serde_json::to_string(&checkpoint.changes).unwrap().len())
        .collect();
    let (newest, oldest) = (sizes[0], sizes[sizes.len() - 1]);
    // The index at which the list goes on is the only thing that gets longer.
    assert!(newest <= oldest + 4, "{newest} {oldest}");
}

#[tokio::test]
async fn checkpoints_are_listed_newest_first_and_filtered() {
    let memory = MemoryCheckpointer::new();
    let graph = linear(&memory);
    graph
        .run(log("in"), RunOptions::new().thread("t"))
        .await
        .unwrap();
    let tagged = [("user".to_owned(), "ada".into())].into_iter().collect();
    let options = RunOptions::new().thread("t").metadata(tagged);
    graph.run(log("in"), options).await.unwrap();

    let all = listed(&memory).await;
    assert_eq!(all.len(), 6);
    assert!(all.windows(2).all(|pair| pair[0].id > pair[1].id));
    let steps: Vec<u64> = all.iter().rev().map(|checkpoint| checkpoint.step).collect();
    assert_eq!(steps, [0, 1, 2, 3, 4, 5]);

    let mut query = ListCheckpoints::of(Place::new("t", ""));
    query.source = Some(Source::Input);
    assert_eq!(memory.list(query.clone()).await.unwrap().len(), 2);
    query.metadata = [("user".to_owned(), "ada".into())].into_iter().collect();
    assert_eq!(memory.list(query.clone()).await.unwrap().len(), 1);
    query.source = None;
    query.limit = 2;
    query.before = Some(Arc::clone(&all[0].id));
    let some = memory.list(query).await.unwrap();
    assert_eq!(some.iter().map(|c| c.step).collect::<Vec<_>>(), [4, 3]);
}

#[tokio::test]
async fn a_thread_can_be_copied_pruned_and_deleted() {
    let memory = MemoryCheckpointer::new();
    let graph = linear(&memory);
    graph
        .run(log("in"), RunOptions::new().thread("t"))
        .await
        .unwrap();
    let copy = Manage::Copy {
        from: "t".into(),
        to: "u".into(),
    };
    memory.manage(copy.clone()).await.unwrap();
    assert!(memory.manage(copy).await.is_err(), "the target exists");

    let prune = Manage::Prune {
        thread: "t".into(),
        keep: 1,
    };
    memory.manage(prune).await.unwrap();
    assert_eq!(listed(&memory).await.len(), 1);
    let output = graph
        .run(log("more"), RunOptions::new().thread("t"))
        .await
        .unwrap();
    assert_eq!(
        output.state.log.to_vec(),
        ["in", "a", "b", "more", "a", "b"]
    );

    let delete = Manage::Delete { thread: "t".into() };
    memory.manage(delete).await.unwrap();
    assert!(listed(&memory).await.is_empty());
    let output = graph
        .run(log("copy"), RunOptions::new().thread("u"))
        .await
        .unwrap();
    assert_eq!(output.state.log.len(), 6);
}

#[tokio::test]
async fn p_r12_what_looks_like_code_or_a_path_stays_data() {
    let memory = MemoryCheckpointer::new();
    let graph = linear(&memory);
    let odd = r#"{"lc":2,"type":"constructor","id":["os","system"]}"#;
    let options = || RunOptions::new().thread("../x') OR 1=1 --");
    graph.run(log(odd), options()).await.unwrap();
    let output = graph.run(log("b"), options()).await.unwrap();
    assert_eq!(output.state.log[0], odd);
}
