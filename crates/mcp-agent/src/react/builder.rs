//! Puts an agent together.

use std::sync::Arc;

use mcp_interceptors::{
    CallError, Interceptor, ToolCall, ToolLayers, ToolOutcome, ToolService, Toolset,
};
use mcp_model::ChatModel;
use tower_layer::Layer;
use tower_service::Service;

use super::ReactAgent;
use super::answer::ShowStructured;
use super::model_node::ModelNode;
use super::route::{MODEL, STOP, TOOLS, after_model, after_tools};
use super::settings::{Settings, StopAfter, SystemPrompt};
use super::state::{ReactState, open_values};
use super::stop_node::stop;
use super::table::{LastTable, Source};
use super::tool_node::ToolNode;
use super::truncate::Truncate;
use crate::checkpoint::Checkpointer;
use crate::graph::{CompiledGraph, END, Graph, NodeOptions, Retry, START};
use crate::state::{Field, JsonSchema};
use crate::store::Store;
use crate::{Error, Runtime};

/// An agent that is being put together.
#[derive(Debug)]
#[must_use]
pub struct ReactBuilder {
    model: Arc<dyn ChatModel>,
    toolsets: Vec<Arc<dyn Toolset>>,
    layers: ToolLayers,
    system: SystemPrompt,
    truncate: Option<Truncate>,
    structured: ShowStructured,
    stop_after: StopAfter,
    model_retry: Option<Retry>,
    values: JsonSchema,
    store: Option<Arc<dyn Store>>,
    checkpointer: Option<Arc<dyn Checkpointer>>,
}

impl ReactBuilder {
    pub(crate) fn new(model: Arc<dyn ChatModel>) -> Self {
        Self {
            model,
            toolsets: Vec::new(),
            layers: ToolLayers::new(),
            system: SystemPrompt::None,
            truncate: Some(Truncate::default()),
            structured: ShowStructured::default(),
            stop_after: StopAfter::default(),
            model_retry: None,
            values: JsonSchema::new(),
            store: None,
            checkpointer: None,
        }
    }

    /// Adds tools. May be called several times.
    pub fn toolset(mut self, toolset: impl Into<Arc<dyn Toolset>>) -> Self {
        self.toolsets.push(toolset.into());
        self
    }

    /// Adds tools of this program.
    pub fn tools<T: Toolset>(self, toolset: T) -> Self {
        self.toolset(Arc::new(toolset) as Arc<dyn Toolset>)
    }

    /// Adds code around every tool call, inside what was added before.
    pub fn intercept<I: Interceptor>(mut self, interceptor: I) -> Self {
        self.layers = self.layers.intercept(interceptor);
        self
    }

    /// Adds a tower layer around every tool call, inside what was added before.
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<ToolService> + Send + Sync + 'static,
        L::Service: Service<ToolCall, Response = ToolOutcome> + Clone + Send + Sync + 'static,
        <L::Service as Service<ToolCall>>::Error: Into<CallError>,
        <L::Service as Service<ToolCall>>::Future: Send,
    {
        self.layers = self.layers.layer(layer);
        self
    }

    /// What the model is told before the conversation.
    pub fn system_prompt(mut self, text: impl Into<Arc<str>>) -> Self {
        self.system = SystemPrompt::Text(text.into());
        self
    }

    /// The same, made from the state in each round.
    pub fn system_prompt_of(
        mut self,
        f: impl Fn(&ReactState) -> String + Send + Sync + 'static,
    ) -> Self {
        self.system = SystemPrompt::OfState(Arc::new(f));
        self
    }

    /// When and how long results are cut; `None` never cuts, and takes the reader tool away.
    pub fn truncate(mut self, truncate: Option<Truncate>) -> Self {
        self.truncate = truncate;
        self
    }

    /// Whether the model is shown structured content.
    pub fn show_structured(mut self, show: ShowStructured) -> Self {
        self.structured = show;
        self
    }

    /// After how many rounds in which everything failed the agent stops.
    pub fn stop_after(mut self, stop: StopAfter) -> Self {
        self.stop_after = stop;
        self
    }

    /// Asks the model again when it fails.
    pub fn model_retry(mut self, retry: Retry) -> Self {
        self.model_retry = Some(retry);
        self
    }

    /// Declares a field of one's own with its rule. Fields that are not declared hold the last
    /// value written.
    pub fn field<F: Field + std::fmt::Debug>(mut self, name: &str, field: F) -> Self {
        self.values = self.values.field(name, field);
        self
    }

    /// Gives tools and layers a store.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Keeps the checkpoints of runs that belong to a thread.
    pub fn checkpointer(mut self, checkpointer: Arc<dyn Checkpointer>) -> Self {
        self.checkpointer = Some(checkpointer);
        self
    }

    /// Makes the agent. Nothing is listed or connected yet.
    ///
    /// # Errors
    /// If the graph is wired wrongly.
    pub fn build(self) -> Result<ReactAgent, Error> {
        let layered = |toolset: &Arc<dyn Toolset>| {
            let tools = self.layers.around(Arc::clone(toolset));
            Source {
                service: tools.service().clone(),
                toolset: Arc::new(tools),
            }
        };
        let settings = Arc::new(Settings {
            model_name: self.model.name().into(),
            model: self.model,
            system: self.system,
            sources: self.toolsets.iter().map(layered).collect(),
            last_table: LastTable::default(),
            truncate: self.truncate,
            structured: self.structured,
            stop_after: self.stop_after,
        });
        let initial = ReactState {
            values: open_values(self.values),
            ..ReactState::default()
        };
        let mut graph = wire(initial, &settings, self.model_retry)?;
        if let Some(store) = self.store {
            graph = graph.with_store(store);
        }
        if let Some(checkpointer) = self.checkpointer {
            graph = graph.with_checkpointer(checkpointer);
        }
        Ok(ReactAgent { settings, graph })
    }
}

fn wire(
    initial: ReactState,
    settings: &Arc<Settings>,
    retry: Option<Retry>,
) -> Result<CompiledGraph<ReactState>, Error> {
    let mut asking = NodeOptions::new();
    asking.retry = retry;
    let calling = NodeOptions::new().goto_replaces_edges();
    let stop_after = settings.stop_after;
    Graph::with_state(initial)
        .node_with(MODEL, asking, ModelNode(Arc::clone(settings)))
        .node_with(TOOLS, calling, ToolNode(Arc::clone(settings)))
        .node(STOP, |state: Arc<ReactState>, runtime: Runtime| {
            stop(state, runtime)
        })
        .edge(START, MODEL)
        .route_among(MODEL, [TOOLS, END], after_model)
        .route_among(TOOLS, [MODEL, STOP], move |state| {
            after_tools(state, stop_after)
        })
        .edge(STOP, END)
        .compile()
}
