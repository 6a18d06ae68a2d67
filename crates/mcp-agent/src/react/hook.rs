//! Code before and after the agent, and before and after each round's model.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_interceptors::{BoxFuture, Goto};

use super::memo::Memo;
use super::repair::repair;
use super::route::DISPATCH;
use super::state::{ReactState, ReactUpdate};
use crate::graph::{NodeError, NodeInput, NodeOutput};
use crate::state::{Field, MessagesUpdate, Write};
use crate::{Error, ErrorKind, Node, Runtime};

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

/// Where a hook sends the agent instead of on its usual way. Calls of the last round that have no
/// answer by then get one that says so, unless it is to the tools.
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
    /// Where it may send the agent.
    pub(crate) jumps: Vec<Jump>,
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
            jumps: Vec::new(),
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
    hook: Hook,
    exit: Goto,
    entry: String,
}

impl HookNode {
    pub(crate) fn new(hook: &Hook, exit: &Goto, entry: &str) -> Self {
        Self {
            hook: hook.clone(),
            exit: exit.clone(),
            entry: entry.to_owned(),
        }
    }

    fn goto(&self, jump: Jump) -> Result<Goto, Error> {
        if !self.hook.jumps.contains(&jump) {
            let message = format!(
                "{} goes to {jump:?}, and has not declared that",
                self.hook.name
            );
            return Err(Error::new(ErrorKind::UnknownTarget, message));
        }
        Ok(match jump {
            Jump::End => self.exit.clone(),
            Jump::Model => Goto::Node(self.entry.clone()),
            Jump::Tools => Goto::Node(DISPATCH.to_owned()),
        })
    }
}

impl Node<ReactState> for HookNode {
    fn run(
        &self,
        input: NodeInput<ReactState>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<ReactUpdate>, NodeError>> {
        let (state, of) = (Arc::clone(&input.state), runtime.clone());
        let hook = (self.hook.run)(input.state, runtime);
        let this = Self::new(&self.hook, &self.exit, &self.entry);
        Box::pin(async move {
            let HookOutput { update, jump } = hook.await?;
            let mut output = NodeOutput::none();
            if let Some(jump) = jump {
                output.goto.push(this.goto(jump)?);
            }
            let messages = update.as_ref().and_then(|update| update.messages.clone());
            if let (Some(_), Some(memo)) = (&messages, of.extension::<Arc<Memo>>()) {
                memo.repaired.store(false, Ordering::Relaxed);
            }
            output.updates.extend(update);
            if matches!(jump, Some(Jump::End | Jump::Model)) {
                let fixes = whole(&state, messages, &of)?;
                output.updates.extend(fixes);
            }
            Ok(output)
        })
    }
}

/// What makes the history whole after the hook has written into it.
fn whole(
    state: &ReactState,
    written: Option<MessagesUpdate>,
    runtime: &Runtime,
) -> Result<Option<ReactUpdate>, NodeError> {
    let mut messages = state.messages.clone();
    if let Some(written) = written {
        let write = Write::new("hook", runtime.task.step, runtime.task.seed);
        messages.apply(written, &write)?;
    }
    let fixes = repair(&messages);
    Ok((!fixes.items().is_empty()).then(|| fixes.into()))
}
