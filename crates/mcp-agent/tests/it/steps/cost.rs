//! What a step must not cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_agent::state::{Field, StateError, Write};
use mcp_agent::{END, Graph, MemoryCheckpointer, NodeError, RunOptions, Runtime, START, state};
use serde_json::Value;

/// Counts how often it is copied or shown.
#[derive(Debug, Default)]
struct Watched {
    value: i64,
    copied: Arc<AtomicUsize>,
    shown: Arc<AtomicUsize>,
}

impl Clone for Watched {
    fn clone(&self) -> Self {
        self.copied.fetch_add(1, Ordering::SeqCst);
        Self {
            value: self.value,
            copied: Arc::clone(&self.copied),
            shown: Arc::clone(&self.shown),
        }
    }
}

impl Field for Watched {
    type Update = i64;

    fn apply(&mut self, update: i64, _: &Write<'_>) -> Result<(), StateError> {
        self.value += update;
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        self.shown.fetch_add(1, Ordering::SeqCst);
        Ok(self.value.into())
    }
}

state! {
    /// A field that tells what is done with it.
    struct W => WU { watched: Watched }
}

#[tokio::test]
async fn a_step_copies_no_state_and_shows_none_where_nobody_listens() {
    let watched = Watched::default();
    let copied = Arc::clone(&watched.copied);
    let shown = Arc::clone(&watched.shown);
    let one = |_: Arc<W>, _: Runtime| async { Ok::<_, NodeError>(WU::default().watched(1)) };
    let goes_on = |node| move |state: &W| if state.watched.value < 100 { node } else { END };
    let graph = Graph::with_state(W { watched })
        .node("a", one)
        .node("b", one)
        .edge(START, "a")
        .edge(START, "b")
        .route("a", goes_on("a"))
        .route("b", goes_on("b"))
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let before = copied.load(Ordering::SeqCst);
    let options = RunOptions::new().thread("t");
    let output = graph.run(WU::default(), options).await.unwrap();
    assert_eq!((output.steps, output.state.watched.value), (50, 100));
    // The graph's first state is copied once for the run, and not in its 50 steps.
    let copies = copied.load(Ordering::SeqCst) - before;
    assert_eq!((copies, shown.load(Ordering::SeqCst)), (1, 0));
}
