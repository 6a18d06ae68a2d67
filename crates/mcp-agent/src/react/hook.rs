//! Code before and after the agent, and before and after each round's model.

use std::fmt;
use std::sync::Arc;

use mcp_interceptors::{BoxFuture, Goto};

use super::route::DISPATCH;
use super::state::{ReactState, ReactUpdate};
use crate::graph::{NodeError, NodeInput, NodeOutput};
use crate::{Node, Runtime};

/// When a hook runs. Each is a step of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum When {
    /// Once, before the first round. Hooks run in the order in which they were added.
    BeforeAgent,
    /// Before each round's model, in the order in which they were added.
    BeforeModel,
    /// After each round's model, the last added first.
    AfterModel,
    /// Once, at the end, the last added first; also when a command ends the run.
    AfterAgent,
}

impl When {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BeforeAgent => "before_agent",
            Self::BeforeModel => "before_model",
            Self::AfterModel => "after_model",
            Self::AfterAgent => "after_agent",
        }
    }
}

/// Where a hook sends the agent instead of on its usual way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jump {
    /// To the end.
    End,
    /// To the next round.
    Model,
    /// To the tools that the last answer of the model asks for.
    Tools,
}

/// What a hook gives back: an update, a jump, both or neither.
#[derive(Debug, Default)]
pub struct HookOutput {
    update: Option<ReactUpdate>,
    jump: Option<Jump>,
}

impl HookOutput {
    /// Nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Sends the agent elsewhere.
    #[must_use]
    pub const fn jump(mut self, jump: Jump) -> Self {
        self.jump = Some(jump);
        self
    }
}

impl From<ReactUpdate> for HookOutput {
    fn from(update: ReactUpdate) -> Self {
        let update = Some(update);
        Self { update, jump: None }
    }
}

pub(crate) type HookFn = Arc<
    dyn Fn(Arc<ReactState>, Runtime) -> BoxFuture<'static, Result<HookOutput, NodeError>>
        + Send
        + Sync,
>;

/// A hook with when it runs and what it is called.
#[derive(Clone)]
pub(crate) struct Hook {
    pub(crate) when: When,
    pub(crate) name: String,
    pub(crate) run: HookFn,
}

impl Hook {
    pub(crate) fn new<F, Fut>(when: When, name: &str, run: F) -> Self
    where
        F: Fn(Arc<ReactState>, Runtime) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<HookOutput, NodeError>> + Send + 'static,
    {
        Self {
            when,
            name: format!("{name}.{}", when.name()),
            run: Arc::new(move |state, runtime| Box::pin(run(state, runtime))),
        }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A hook as a node. It goes to the end by way of `exit`.
pub(crate) struct HookNode {
    run: HookFn,
    exit: Goto,
    entry: String,
}

impl HookNode {
    pub(crate) fn new(hook: &Hook, exit: &Goto, entry: &str) -> Self {
        Self {
            run: Arc::clone(&hook.run),
            exit: exit.clone(),
            entry: entry.to_owned(),
        }
    }
}

impl Node<ReactState> for HookNode {
    fn run(
        &self,
        input: NodeInput<ReactState>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<ReactUpdate>, NodeError>> {
        let hook = (self.run)(input.state, runtime);
        let (exit, entry) = (self.exit.clone(), self.entry.clone());
        Box::pin(async move {
            let HookOutput { update, jump } = hook.await?;
            let mut output = NodeOutput::none();
            output.updates.extend(update);
            output.goto.extend(jump.map(|jump| match jump {
                Jump::End => exit,
                Jump::Model => Goto::Node(entry),
                Jump::Tools => Goto::Node(DISPATCH.to_owned()),
            }));
            Ok(output)
        })
    }
}
