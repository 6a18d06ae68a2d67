//! Checkpoints: what is kept, when, and how it is read.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_agent::state::{Append, Ephemeral, Last, Untracked};
use mcp_agent::{
    Checkpoint, CheckpointError, Checkpointer, CompiledGraph, Durability, Graph, Input,
    ListCheckpoints, Loaded, Manage, MemoryCheckpointer, NodeError, Place, RunOptions, Runtime,
    START, Source, TaskRecord, state,
};
use mcp_interceptors::BoxFuture;

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

async fn listed(memory: &MemoryCheckpointer) -> Vec<Arc<Checkpoint>> {
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

/// Keeps what the memory keeps, but only when it is let; says what happens in which order.
#[derive(Debug)]
struct Slow {
    memory: MemoryCheckpointer,
    events: Arc<Mutex<Vec<String>>>,
}

impl Slow {
    fn note(&self, what: impl Into<String>) {
        self.events.lock().unwrap().push(what.into());
    }
}

impl Checkpointer for Slow {
    fn put(
        &self,
        place: Place,
        checkpoint: Arc<Checkpoint>,
    ) -> BoxFuture<'_, Result<(), CheckpointError>> {
        Box::pin(async move {
            let step = checkpoint.step;
            self.note(format!("put {step}"));
            // The earlier a checkpoint is, the longer it takes.
            tokio::time::sleep(Duration::from_secs(10 - step)).await;
            self.memory.put(place, checkpoint).await?;
            self.note(format!("kept {step}"));
            Ok(())
        })
    }

    fn record(
        &self,
        place: Place,
        checkpoint: Arc<str>,
        record: TaskRecord,
    ) -> BoxFuture<'_, Result<(), CheckpointError>> {
        self.memory.record(place, checkpoint, record)
    }

    fn load(
        &self,
        place: Place,
        id: Option<Arc<str>>,
    ) -> BoxFuture<'_, Result<Option<Loaded>, CheckpointError>> {
        self.memory.load(place, id)
    }

    fn list(
        &self,
        query: ListCheckpoints,
    ) -> BoxFuture<'_, Result<Vec<Arc<Checkpoint>>, CheckpointError>> {
        self.memory.list(query)
    }

    fn manage(&self, order: Manage) -> BoxFuture<'_, Result<(), CheckpointError>> {
        self.memory.manage(order)
    }
}

/// What happens in which order in a run of two nodes.
async fn order(durability: Durability) -> String {
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let node = |name: &'static str| {
        let events = Arc::clone(&events);
        move |_: Arc<S>, _: Runtime| {
            events.lock().unwrap().push(name.to_owned());
            async move { Ok::<_, NodeError>(log(name)) }
        }
    };
    let slow = Slow {
        memory: MemoryCheckpointer::new(),
        events: Arc::clone(&events),
    };
    let graph = Graph::<S>::new()
        .node("a", node("a"))
        .node("b", node("b"))
        .edge(START, "a")
        .edge("a", "b")
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(slow));
    let options = RunOptions::new().thread("t").durability(durability);
    graph.run(log("in"), options).await.unwrap();
    let events = events.lock().unwrap();
    events.join(", ")
}

#[tokio::test(start_paused = true)]
async fn each_durability_keeps_checkpoints_in_order_and_when_it_says() {
    assert_eq!(
        order(Durability::Sync).await,
        "put 0, kept 0, a, put 1, kept 1, b, put 2, kept 2",
        "before the next step"
    );
    assert_eq!(
        order(Durability::Async).await,
        "a, put 0, kept 0, b, put 1, kept 1, put 2, kept 2",
        "while the next step runs"
    );
    assert_eq!(order(Durability::Exit).await, "a, b, put 2, kept 2");
}

#[tokio::test]
async fn an_exit_keeps_one_checkpoint_however_the_run_ends() {
    let failing = |memory: &MemoryCheckpointer| {
        let graph = Graph::<S>::new()
            .node("a", |_: Arc<S>, _: Runtime| async { Ok(log("a")) })
            .node("b", |_: Arc<S>, _: Runtime| async {
                Err::<U, _>(NodeError::new("boom"))
            })
            .edge(START, "a")
            .edge("a", "b");
        let graph = graph.compile().unwrap();
        graph.with_checkpointer(Arc::new(memory.clone()))
    };
    let memory = MemoryCheckpointer::new();
    let options = || RunOptions::new().thread("t").durability(Durability::Exit);
    failing(&memory)
        .run(log("in"), options())
        .await
        .unwrap_err();
    let kept = listed(&memory).await;
    assert_eq!(kept.len(), 1);
    assert_eq!(&*kept[0].next[0].node, "b", "what failed comes next");
    assert_eq!(kept[0].step, 1);
}

#[tokio::test]
async fn what_is_untracked_is_not_kept_and_what_is_ephemeral_is_for_its_step() {
    state! {
        /// Fields that come and go.
        pub struct T => TU {
            log: Append<String>,
            brief: Ephemeral<i64>,
            hidden: Untracked<i64>,
        }
    }
    let memory = MemoryCheckpointer::new();
    let graph = Graph::<T>::new()
        .node("a", |_: Arc<T>, _: Runtime| async {
            Ok(TU::default().brief(7).hidden(8))
        })
        .node("b", |state: Arc<T>, _: Runtime| async move {
            let seen = format!("{} {}", *state.brief, *state.hidden);
            Ok(TU::default().log(vec![seen]))
        })
        .node("c", |state: Arc<T>, _: Runtime| async move {
            let seen = format!("{}", *state.brief);
            Ok(TU::default().log(vec![seen]))
        })
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c")
        .pause_before(["b"])
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(memory.clone()));
    let thread = || RunOptions::new().thread("t");
    graph.run(TU::default(), thread()).await.unwrap();
    for checkpoint in listed(&memory).await {
        assert!(checkpoint.changes.get("hidden").is_none());
    }
    // Another process goes on: the handle is gone, the value for the next step is there.
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["7 0", "0"]);
}

#[tokio::test]
async fn a_copy_goes_its_own_way() {
    let memory = MemoryCheckpointer::new();
    let graph = linear(&memory);
    let on = |thread: &str| RunOptions::new().thread(thread);
    graph.run(log("in"), on("t")).await.unwrap();
    let order = |from: &str, to: &str| Manage::Copy {
        from: from.into(),
        to: to.into(),
    };
    memory.manage(order("t", "u")).await.unwrap();
    memory.manage(order("nobody", "v")).await.unwrap_err();
    graph.run(log("t"), on("t")).await.unwrap();
    let copy = graph.run(log("u"), on("u")).await.unwrap();
    assert_eq!(copy.state.log.to_vec(), ["in", "a", "b", "u", "a", "b"]);
    let prune = |keep| Manage::Prune {
        thread: "t".into(),
        keep,
    };
    for (keep, left) in [(4, 4), (9, 4), (0, 1)] {
        memory.manage(prune(keep)).await.unwrap();
        assert_eq!(listed(&memory).await.len(), left, "at least one stays");
        let at = graph.thread_state(&on("t")).await.unwrap().unwrap();
        assert_eq!(at.state.log.to_vec(), ["in", "a", "b", "t", "a", "b"]);
    }
    let delete = |thread: &str| Manage::Delete {
        thread: thread.into(),
    };
    memory.manage(delete("t")).await.unwrap();
    memory.manage(delete("t")).await.unwrap();
    let still = graph.thread_state(&on("u")).await.unwrap();
    assert!(still.is_some(), "the copy stays");
}
