//! Puts an agent together.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_interceptors::{
    CallError, Interceptor, LocalTools, ToolCall, ToolLayers, ToolOutcome, ToolService, Toolset,
};
use mcp_model::{ChatModel, ChatResponse, ModelError, ToolUse};
use tower_layer::Layer;
use tower_service::Service;

use super::ReactAgent;
use super::answer::ShowStructured;
use super::hook::{Hook, HookOutput, Jump, When};
use super::limits::{CallLimit, Limits};
use super::model_chain::{ModelCall, ModelChain, ModelNext};
use super::preload::{Part, Preload, Preloaded, WHOLE};
use super::private::Private;
use super::response::ResponseFormat;
use super::results::ToolResults;
use super::settings::{ErrorPolicy, OnError, Settings, StopAfter, SystemPrompt};
use super::state::{ReactState, open_values};
use super::table::LastTable;
use super::truncate::Truncate;
use super::wire::wire;
use crate::checkpoint::Checkpointer;
use crate::graph::{NodeError, Retry};
use crate::state::{Field, JsonSchema};
use crate::store::Store;
use crate::{Error, ErrorKind, Runtime};

/// An agent that is being put together.
#[derive(Debug)]
#[must_use]
pub struct ReactBuilder {
    model: Arc<dyn ChatModel>,
    toolsets: Vec<Arc<dyn Toolset>>,
    layers: ToolLayers,
    system: SystemPrompt,
    parts: Vec<Part>,
    truncate: Option<Truncate>,
    structured: ShowStructured,
    stop_after: StopAfter,
    model_retry: Option<Retry>,
    chain: ModelChain,
    hooks: Vec<Hook>,
    limits: Limits,
    response: Option<ResponseFormat>,
    direct: Vec<String>,
    on_error: Option<ErrorPolicy>,
    unknown: Option<LocalTools>,
    private: BTreeSet<String>,
    names: Vec<Cow<'static, str>>,
    keep_results: bool,
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
            parts: Vec::new(),
            truncate: Some(Truncate::default()),
            structured: ShowStructured::default(),
            stop_after: StopAfter::default(),
            model_retry: None,
            chain: ModelChain::default(),
            hooks: Vec::new(),
            limits: Limits::default(),
            response: None,
            direct: Vec::new(),
            on_error: None,
            unknown: None,
            private: BTreeSet::new(),
            names: Vec::new(),
            keep_results: true,
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

    /// Puts texts behind the system prompt, such as resources of servers. They are loaded when
    /// the agent first runs, and kept; one that cannot be had is left out with a
    /// [`RunEvent::Warning`](crate::RunEvent::Warning).
    pub fn preload<F, Fut>(mut self, budget: Preload, load: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Vec<Preloaded>> + Send + 'static,
    {
        self.parts.push(Part::new(budget, load));
        self
    }

    /// Puts one text behind the system prompt as it is, such as a prompt of a server.
    pub fn system_prompt_from<F, Fut>(self, load: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Preloaded> + Send + 'static,
    {
        self.preload(WHOLE, move || {
            let text = load();
            async move { vec![text.await] }
        })
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

    /// Adds code around each question to the model, inside what was added before.
    pub fn wrap_model<F, Fut>(mut self, wrap: F) -> Self
    where
        F: Fn(ModelCall, ModelNext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ChatResponse, ModelError>> + Send + 'static,
    {
        self.chain.push(wrap);
        self
    }

    /// Adds code before or after the agent or each round's model. Each hook is a step; `name`
    /// together with the time must be its own. It sends the agent nowhere; see
    /// [`hook_with_jumps`](Self::hook_with_jumps).
    pub fn hook<F, Fut>(mut self, when: When, name: &str, hook: F) -> Self
    where
        F: Fn(Arc<ReactState>, Runtime) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<HookOutput, NodeError>> + Send + 'static,
    {
        self.hooks.push(Hook::new(when, name, hook));
        self
    }

    /// The same for a hook that may send the agent elsewhere: to one of `jumps`, and nowhere else.
    pub fn hook_with_jumps<F, Fut>(
        mut self,
        when: When,
        name: &str,
        jumps: impl IntoIterator<Item = Jump>,
        hook: F,
    ) -> Self
    where
        F: Fn(Arc<ReactState>, Runtime) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<HookOutput, NodeError>> + Send + 'static,
    {
        let mut hook = Hook::new(when, name, hook);
        hook.jumps = jumps.into_iter().collect();
        self.hooks.push(hook);
        self
    }

    /// Adds everything that belongs to one concern; two of one name are a fault.
    pub fn with(mut self, middleware: impl Middleware) -> Self {
        self.names.push(middleware.name());
        middleware.install(self)
    }

    /// What becomes of a call that has no outcome: because of the server, the way to it, a layer
    /// or a panic. By default the model is told. A call that waits or was cancelled is none of
    /// these, and neither is a tool that reports an error.
    pub fn on_tool_error(
        mut self,
        judge: impl Fn(&ToolUse, &CallError) -> OnError + Send + Sync + 'static,
    ) -> Self {
        self.on_error = Some(ErrorPolicy(Arc::new(judge)));
        self
    }

    /// What answers calls of tools that are not there, inside the agent's layers; such as tools
    /// that code around the model has put into its question. By default the model is told that
    /// there is no such tool.
    pub fn unknown_tools<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(ToolCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutcome, CallError>> + Send + 'static,
    {
        self.unknown = Some(LocalTools::new("").any_other(answer));
        self
    }

    /// Whether checkpoints keep the tools' whole results. Where they do not, what the model was
    /// shown is kept all the same, and `read_tool_result` reads what this process still has.
    pub const fn keep_results(mut self, keep: bool) -> Self {
        self.keep_results = keep;
        self
    }

    /// How often the model may be asked.
    pub fn model_limit(mut self, limit: CallLimit) -> Self {
        self.limits.model = limit;
        self
    }

    /// How often tools may be called, all together.
    pub fn tools_limit(mut self, limit: CallLimit) -> Self {
        self.limits.tools = limit;
        self
    }

    /// How often one tool may be called, by the name that the model uses.
    pub fn tool_limit(mut self, tool: impl Into<String>, limit: CallLimit) -> Self {
        self.limits.tool.push((tool.into(), limit));
        self
    }

    /// The form of the answer; it is then the state's `structured_response`.
    pub fn response(mut self, format: ResponseFormat) -> Self {
        self.response = Some(format);
        self
    }

    /// Makes a tool's result the answer: when all calls of a round are of such tools and went
    /// well, the agent is at its end.
    pub fn return_direct(mut self, tool: impl Into<String>) -> Self {
        self.direct.push(tool.into());
        self
    }

    /// Declares a field of one's own with its rule. Fields that are not declared hold the last
    /// value written.
    pub fn field<F: Field + std::fmt::Debug>(mut self, name: &str, field: F) -> Self {
        self.values = self.values.field(name, field);
        self
    }

    /// Declares a field that only the program writes, such as middleware: inputs and commands of
    /// tools that write it are refused, and streams do not show it. [`ReactState::private`] reads
    /// it.
    pub fn private_field<F: Field + std::fmt::Debug>(mut self, name: &str, field: F) -> Self {
        self.private.insert(name.to_owned());
        self.field(name, Private::new(field))
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
    /// If the graph is wired wrongly, or two middlewares have one name.
    pub fn build(self) -> Result<ReactAgent, Error> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.names.iter().find(|name| !seen.insert(&***name)) {
            let message = format!("two middlewares are named {twice}");
            return Err(Error::new(ErrorKind::Wiring, message));
        }
        let settings = Arc::new(Settings {
            model_name: self.model.name().into(),
            model: self.model,
            system: self.system,
            parts: self.parts,
            sources: self
                .toolsets
                .into_iter()
                .map(|toolset| self.layers.around(toolset))
                .collect(),
            last_table: LastTable::default(),
            truncate: self.truncate,
            structured: self.structured,
            stop_after: self.stop_after,
            chain: self.chain.build(),
            limits: self.limits,
            response: self.response,
            direct: self.direct,
            on_error: self.on_error,
            unknown: self
                .unknown
                .map(|tools| self.layers.around(Arc::new(tools))),
            private: self.private,
        });
        let initial = ReactState {
            values: open_values(self.values),
            tool_results: ToolResults::new(self.keep_results),
            ..ReactState::default()
        };
        let mut graph = wire(initial, &settings, self.model_retry, &self.hooks)?;
        if let Some(store) = self.store {
            graph = graph.with_store(store);
        }
        if let Some(checkpointer) = self.checkpointer {
            graph = graph.with_checkpointer(checkpointer);
        }
        Ok(ReactAgent { settings, graph })
    }
}

/// Hooks, layers and settings that belong to one concern.
pub trait Middleware {
    /// What it is called: an agent takes one of each name. Unless said otherwise the type's.
    fn name(&self) -> Cow<'static, str> {
        std::any::type_name::<Self>().into()
    }

    /// Adds them to an agent.
    fn install(self, agent: ReactBuilder) -> ReactBuilder;
}
