//! The agent: a model that asks for tools until it needs none.

mod answer;
mod builder;
mod events;
mod hook;
mod input;
mod limits;
mod memo;
mod middleware;
mod model_chain;
mod model_node;
mod preload;
mod private;
mod reader;
mod repair;
mod response;
mod results;
mod route;
mod sampling;
mod settings;
mod state;
mod stop_node;
mod table;
mod tally;
mod tool_node;
mod tool_work;
mod truncate;
mod wire;

use std::sync::Arc;

use http::Extensions;
use mcp_model::ChatModel;

pub use answer::ShowStructured;
pub(crate) use answer::{Answer, shown};
pub use builder::{Middleware, ReactBuilder};
pub use hook::{HookOutput, Jump, When};
pub use input::AgentInput;
pub use limits::{AtLimit, CallLimit};
pub(crate) use memo::Memo;
pub use middleware::{
    ApproveRound, ClearToolResults, ModelFallback, ModelRetry, Summarise, Trigger,
};
pub use model_chain::{ModelCall, ModelNext};
use preload::load_all;
pub use preload::{Preload, Preloaded};
pub use private::Private;
pub use response::{ResponseBy, ResponseFormat};
pub use results::{FailureClass, StoredResult, ToolResults};
use settings::Settings;
pub use settings::{OnError, StopAfter, SystemPrompt};
pub use state::{AgentStop, ReactState, ReactUpdate, Values};
pub use tally::{Count, Counting, Counts, Tally};
pub use truncate::Truncate;

use crate::graph::{CompiledGraph, Input, RunOptions, RunOutput, Subgraph};
use crate::runtime::RunScope;
use crate::state::State;
use crate::stream::{Emitted, Interest, RunEvent};
use crate::{Error, ErrorKind};

/// An agent: a model that asks for tools until it needs none.
///
/// A clone is the same agent; any number of runs may go on at once.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::sync::Arc;
/// use mcp_agent::{ReactAgent, RunOptions};
/// use mcp_interceptors::{LocalTools, ToolCall};
/// use mcp_model::{ScriptedModel, ToolUse};
/// use mcp_protocol::Tool;
///
/// let model = ScriptedModel::new()
///     .calls([ToolUse::new("1", "weather", r#"{"city":"Oslo"}"#)])
///     .says("It snows in Oslo.");
/// let weather = Tool::new("weather", serde_json::json!({"type": "object"}));
/// let tools = LocalTools::new("sky").tool(weather, |call: ToolCall| async move {
///     Ok(format!("snow in {}", call.args()["city"]).into())
/// });
///
/// let agent = ReactAgent::builder(Arc::new(model)).tools(tools).build().unwrap();
/// let output = agent.run("How is the weather in Oslo?", RunOptions::new()).await.unwrap();
/// assert_eq!(output.answer(), "It snows in Oslo.");
/// assert_eq!(output.state.tool_results["1"].text(), "snow in \"Oslo\"");
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct ReactAgent {
    settings: Arc<Settings>,
    graph: CompiledGraph<ReactState>,
}

impl ReactAgent {
    /// An agent with this model. Without further settings it has no tools.
    pub fn builder(model: Arc<dyn ChatModel>) -> ReactBuilder {
        ReactBuilder::new(model)
    }

    /// Runs until the model asks for no tool, a question is open, or something failed.
    ///
    /// What a tool or a server does wrong is told to the model and ends nothing; a model that
    /// fails ends the run.
    ///
    /// # Errors
    /// [`Error`], whose kind says what one can do.
    ///
    /// # Cancel safety
    /// Dropping the future drops the calls in flight, which cancels them. To be told how a
    /// cancelled run ended use [`RunOptions::cancel`].
    pub async fn run(
        &self,
        input: impl Into<AgentInput>,
        options: RunOptions,
    ) -> Result<RunOutput<ReactState>, Error> {
        let AgentInput(mut input) = input.into();
        let mut scope = self.graph.scope(&options);
        let failures = self.prepare(&mut scope).await?;
        if let Input::Update(update) = &mut input {
            self.only_public(update)?;
            update.server_failures = Some(failures);
            update.stop_reason = Some(None);
            update.structured_response = Some(None);
            update.tally = Some(vec![Count::Input].into());
        }
        let ended = self.graph.run_in(scope, input, &options).await?;
        match ended.parent.is_empty() {
            true => Ok(ended.output),
            false => Err(Error::new(
                ErrorKind::UnknownTarget,
                "a tool's command is for the graph around the agent, and there is none",
            )),
        }
    }

    /// Whether an input leaves alone what only the program writes.
    fn only_public(&self, update: &ReactUpdate) -> Result<(), Error> {
        let private = &self.settings.private;
        let mut names = update.values.iter().flat_map(|values| values.keys());
        names
            .find(|name| private.contains(*name))
            .map_or(Ok(()), |name| {
                let message = format!("{name} cannot be written by an input");
                Err(Error::new(ErrorKind::State, message))
            })
    }

    /// Lists the tools and puts what the nodes need into the scope.
    async fn prepare(
        &self,
        scope: &mut RunScope,
    ) -> Result<Vec<mcp_interceptors::ServerFailure>, Error> {
        let settings = &self.settings;
        let own = settings.own_tools();
        // Before the list, so that a change meanwhile is one.
        let version = settings.list_version();
        let listing = settings.last_table.list(&settings.sources, &own, None);
        let loading = load_all(&settings.parts);
        let (listed, (loaded, notes)) = tokio::select! {
            biased;
            () = scope.cancel.cancelled() => return Err(Error::cancelled()),
            both = async { tokio::join!(listing, loading) } => both,
        };
        let (table, mut failures) = listed?;
        failures.iter_mut().for_each(shorten);
        let nowhere = Arc::from("");
        let emit = |event| {
            let emitted = || Emitted::new(&nowhere, 0, &scope.tags, event);
            scope.events.emit(Interest::AGENT, emitted);
        };
        for failure in failures.iter().cloned() {
            emit(RunEvent::ServerFailed { failure });
        }
        for message in notes {
            emit(RunEvent::Warning { message });
        }
        let mut extensions = Extensions::clone(&scope.extensions);
        let memo = Memo::new((table, version), &settings.system, loaded);
        extensions.insert(Arc::new(memo));
        scope.extensions = Arc::new(extensions);
        Ok(failures)
    }

    /// Makes the agent a node of a graph with the state `P`, as
    /// [`CompiledGraph::as_node`] does. Its tools are listed each time the node runs.
    ///
    /// ```
    /// # use mcp_agent::{ReactAgent, Subgraph, state};
    /// # use mcp_agent::state::Messages;
    /// state! { pub struct Team => TeamUpdate { messages: Messages } }
    ///
    /// fn member(agent: &ReactAgent) -> Subgraph<Team, mcp_agent::ReactState> {
    ///     agent.as_node(
    ///         |team: &Team| team.messages.since(0).into(),
    ///         |team, agent| TeamUpdate::default().messages(agent.messages.beyond(&team.messages)),
    ///     )
    /// }
    /// ```
    pub fn as_node<P: State>(
        &self,
        input: impl Fn(&P) -> ReactUpdate + Send + Sync + 'static,
        output: impl Fn(&P, &ReactState) -> P::Update + Send + Sync + 'static,
    ) -> Subgraph<P, ReactState> {
        let agent = self.clone();
        self.graph
            .as_node(input, output)
            .prepare(Arc::new(move |mut scope| {
                let agent = agent.clone();
                Box::pin(async move {
                    agent.prepare(&mut scope).await?;
                    Ok(scope)
                })
            }))
    }

    /// The agent's graph, to look at threads: state, history, forks.
    #[must_use]
    pub const fn graph(&self) -> &CompiledGraph<ReactState> {
        &self.graph
    }
}

/// How many characters of a server's failure are kept.
const MAX_FAILURE: usize = 2_000;

fn shorten(failure: &mut mcp_interceptors::ServerFailure) {
    for text in std::iter::once(&mut failure.message).chain(&mut failure.stderr) {
        if let Some((end, _)) = text.char_indices().nth(MAX_FAILURE) {
            text.truncate(end);
            text.push_str("...");
        }
    }
}
