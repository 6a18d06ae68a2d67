#![doc = include_str!("../README.md")]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod answers;
mod calling;
mod checkpoint;
mod clock;
mod error;
mod graph;
mod hash;
mod interrupt;
mod react;
mod runtime;
mod server_graph;
pub mod state;
mod store;
mod stream;
mod tool_runtime;

pub use answers::LiveAnswers;
pub use checkpoint::{
    Checkpoint, CheckpointError, Checkpointer, Durability, ListCheckpoints, Loaded, Manage,
    MemoryCheckpointer, Place, PlannedTask, Source, StoredOutput, TaskRecord, TaskState, Waiting,
};
pub use clock::Clock;
pub use error::{Error, ErrorKind};
pub use graph::{
    CompiledGraph, END, End, Graph, Input, Node, NodeError, NodeInput, NodeOptions, NodeOutput,
    NodeTimeout, OnPayload, Persistence, Retry, RunOptions, RunOutput, START, Subgraph, Targets,
    ThreadState, on_payload, read_update,
};
pub use interrupt::Interrupt;
pub use mcp_interceptors::{Command, Goto, Scope};
pub use react::{
    AgentInput, AgentStop, ApproveRound, AtLimit, CallLimit, ClearToolResults, Count, Counting,
    Counts, FailureClass, HookOutput, Jump, Middleware, ModelCall, ModelFallback, ModelNext,
    ModelRetry, OnError, Preload, Preloaded, Private, ReactAgent, ReactBuilder, ReactState,
    ReactUpdate, ResponseBy, ResponseFormat, ShowStructured, StopAfter, StoredResult, Summarise,
    SystemPrompt, Tally, ToolResults, Trigger, Truncate, Values, When,
};
pub use runtime::{ExecutionInfo, Runtime};
pub use server_graph::{
    CallClass, ContentType, McpOutcome, ServerCall, ServerState, ServerUpdate, server_subgraph,
};
pub use state::State;
pub use store::{
    Filter, Item, ListNamespaces, MemoryStore, Namespace, NamespacePattern, Put, Search, Store,
    StoreError, StoreExt, StoreOp, StoreReply,
};
pub use stream::{
    Emitted, EventSink, Events, Interest, RunEvent, RunStream, Streamed, ToolEnd, ToolRef,
};
pub use tool_runtime::{RuntimeExt, ToolRuntime};
