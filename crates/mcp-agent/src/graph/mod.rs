//! Graphs of nodes that work on one state, in steps.

mod begin;
mod builder;
mod commit;
mod compiled;
mod decide;
mod draw;
mod goto;
mod leftover;
mod node;
mod options;
mod output;
mod plan;
mod pulse;
mod retry;
mod run;
mod running;
mod stored;
mod subgraph;
mod task;
mod thread;
mod wiring;

pub use builder::Graph;
pub use compiled::CompiledGraph;
pub use goto::{END, START, Targets};
pub(crate) use node::Failure;
pub use node::{
    Node, NodeError, NodeInput, NodeOptions, NodeOutput, OnPayload, on_payload, read_update,
};
pub use options::{Input, RunOptions};
pub use output::{End, RunOutput};
pub(crate) use pulse::Pulse;
pub use retry::Retry;
pub use subgraph::{Persistence, Subgraph};
pub use task::NodeTimeout;
pub(crate) use task::panic_text;
pub use thread::ThreadState;
