//! Tools: listing them, and calling them, at once or as tasks.

use std::sync::Arc;

use mcp_jsonrpc::ErrorCode;
use mcp_protocol::error_code::HEADER_MISMATCH;
use mcp_protocol::tools::{CallTool, ListTools};
use mcp_protocol::{
    CallToolParams, CallToolResult, Feature, InputResponses, RpcRequest as _, TaskMetadata,
    TaskSupport, Tool,
};
use mcp_transport::BoxFuture;
use tokio::time::Instant;

use super::Session;
use super::send::{Settled, Way};
use super::task::TaskHandle;
use crate::paginate::Listed;
use crate::rounds::TakesInput as _;
use crate::{CallOptions, Error};

/// How a call that may become a task was answered.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "now or later")]
pub enum Called {
    /// At once, with the result.
    Done(CallToolResult),
    /// With a task, which will have the result.
    Task(Box<TaskHandle>),
}

impl Called {
    /// The result, which is waited for if there is none yet.
    ///
    /// # Errors
    /// As [`TaskHandle::wait`].
    ///
    /// # Cancel safety
    /// Dropping the future does not give the task up.
    pub async fn wait(self) -> Result<CallToolResult, Error> {
        match self {
            Self::Done(result) => Ok(result),
            Self::Task(mut task) => task.wait().await,
        }
    }
}

impl Session {
    /// The server's tools, all pages. What is still fresh is not asked for again: as long as the
    /// server says since 2026-07-28, before that until it announces a change, if it does.
    ///
    /// # Errors
    /// As [`request`](Self::request); [`Error::Pages`] if the list has no end.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn list_tools(&self) -> Result<Arc<Listed<Tool>>, Error> {
        let tools = self.capabilities().tools.as_ref();
        let announced = tools.is_some_and(|tools| tools.list_changed == Some(true));
        self.kept::<ListTools>(announced, |list| self.usable(list))
            .await
    }

    /// Is another number when [`list_tools`](Self::list_tools) may give another list.
    pub(crate) fn tools_version(&self) -> u64 {
        self.inner.inward.cache.version(&ListTools::METHOD)
    }

    /// Calls a tool and waits for its result.
    ///
    /// Where the server asks for input first, the handlers answer and the call is made again, at
    /// most [`max_rounds`](crate::ClientOptions::max_rounds) times. Where the call becomes a task,
    /// because the server [may](crate::ClientOptions::tasks) and wants to, or because its tool
    /// has to be called as one, the task is followed to its end; the time limit in all counts for
    /// all of it.
    ///
    /// # Errors
    /// As [`request`](Self::request); [`Error::Input`] if the server does not get its input;
    /// [`Error::Task`] if its task has no result. A tool that fails has a result.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call, or gives its task up.
    pub async fn call_tool(
        &self,
        mut params: CallToolParams,
        options: &CallOptions,
    ) -> Result<CallToolResult, Error> {
        let begun = Instant::now();
        let active = &self.inner.inward.active;
        let active = active.enter(Some(&params.name), &options.extensions);
        let wish = params.task.take().map_or(Wish::IfNeeded, Wish::Said);
        let way = Way::of(options, &active.call);
        match self.start(&mut params, way, &wish).await? {
            Settled::Complete(result) => Ok(result),
            Settled::Task(created, token) => {
                let task = TaskHandle::new(self, *created, options, active);
                Box::pin(task.with_progress(token).finish(begun)).await
            }
        }
    }

    /// Calls a tool as a task where server and tool have them, and otherwise as any.
    ///
    /// In 2025-11-25 a task is asked for if the definition of the tool allows it; without it in
    /// the options or in the list that the session keeps, the list is fetched first. How long
    /// the task is to be kept can be said in the params. Since 2026-07-28 the server decides, and
    /// this call declares the extension `io.modelcontextprotocol/tasks`.
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call. A task that the server has made of it meanwhile
    /// goes on.
    pub async fn call_tool_task(
        &self,
        mut params: CallToolParams,
        options: &CallOptions,
    ) -> Result<Called, Error> {
        let options = &options.clone().with_tasks();
        let active = &self.inner.inward.active;
        let active = active.enter(Some(&params.name), &options.extensions);
        let wish = Wish::Said(params.task.take().unwrap_or_default());
        let way = Way::of(options, &active.call);
        match self.start(&mut params, way, &wish).await? {
            Settled::Complete(result) => Ok(Called::Done(result)),
            Settled::Task(created, token) => {
                let task = TaskHandle::new(self, *created, options, active);
                Ok(Called::Task(Box::new(task.with_progress(token))))
            }
        }
    }

    /// Calls a tool. If its definition is not at hand and turns out to be needed, it is fetched
    /// and the call made again, once.
    async fn start(
        &self,
        params: &mut CallToolParams,
        way: Way<'_>,
        wish: &Wish,
    ) -> Result<Settled<CallToolResult>, Error> {
        let mut unknown = self.uses_definitions() && !self.knows(params, way.options);
        if unknown && matches!(wish, Wish::Said(_)) && self.has_core_tasks() {
            self.fetch_definitions().await?;
            unknown = false;
        }
        params.task = self.task_for(params, way.options, wish);
        let input = input_of(params);
        let error = match self.settle::<CallTool>(params, way).await {
            Err(error) if unknown && self.needs_definition(&error) => error,
            outcome => return outcome,
        };
        self.fetch_definitions().await?;
        if !self.knows(params, way.options) {
            return Err(error);
        }
        params.task = self.task_for(params, way.options, wish);
        // Rounds may have put another one in its place.
        let (responses, state) = input.map_or((None, None), |input| *input);
        params.set_input(responses, state);
        Box::pin(self.settle::<CallTool>(params, way)).await
    }

    /// Whether the definition of the tool is at hand.
    fn knows(&self, params: &CallToolParams, options: &CallOptions) -> bool {
        options.tool.is_some() || self.known_tool(&params.name, |_| ()).is_some()
    }

    /// Fetches what the server says of its tools.
    fn fetch_definitions(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { self.list_tools().await.map(drop) })
    }

    /// The task that a call asks for.
    fn task_for(
        &self,
        params: &CallToolParams,
        options: &CallOptions,
        wish: &Wish,
    ) -> Option<TaskMetadata> {
        if !self.has_core_tasks() {
            return None;
        }
        let support = match &options.tool {
            Some(tool) => support(tool),
            None => self.known_tool(&params.name, support).flatten(),
        };
        wish.task(support.as_ref())
    }

    /// Whether calls of tools become tasks by the client's wish.
    fn has_core_tasks(&self) -> bool {
        let tasks = self.capabilities().tasks.as_ref();
        self.version().has(Feature::Tasks) && tasks.is_some_and(|tasks| tasks.has_tool_calls())
    }

    /// Whether the definition of a tool makes a difference to how it is called.
    fn uses_definitions(&self) -> bool {
        self.mirrors() || self.has_core_tasks()
    }

    /// Whether a server has refused a call for what only the tool's definition tells: headers for
    /// its arguments are missing, or it has to be called as a task.
    fn needs_definition(&self, error: &Error) -> bool {
        let refused = match error.remote() {
            Some(error) => error.code,
            None => return false,
        };
        let (mirrors, tasks) = (self.mirrors(), self.has_core_tasks());
        mirrors && refused == HEADER_MISMATCH || tasks && refused == ErrorCode::METHOD_NOT_FOUND
    }
}

/// The input that a call begins with; boxed, since there is hardly ever any.
fn input_of(params: &CallToolParams) -> Option<Box<(Option<InputResponses>, Option<String>)>> {
    let input = (params.input_responses.clone(), params.request_state.clone());
    (input != (None, None)).then(|| Box::new(input))
}

/// Whether a call is to be a task in 2025-11-25.
#[derive(Debug)]
enum Wish {
    /// If the tool cannot do otherwise.
    IfNeeded,
    /// If the tool can.
    Said(TaskMetadata),
}

impl Wish {
    fn task(&self, support: Option<&TaskSupport>) -> Option<TaskMetadata> {
        match (self, support) {
            (Self::Said(wanted), Some(TaskSupport::Optional | TaskSupport::Required)) => {
                Some(wanted.clone())
            }
            (Self::IfNeeded, Some(TaskSupport::Required)) => Some(TaskMetadata::new()),
            _ => None,
        }
    }
}

fn support(tool: &Tool) -> Option<TaskSupport> {
    tool.execution.as_ref()?.task_support.clone()
}
