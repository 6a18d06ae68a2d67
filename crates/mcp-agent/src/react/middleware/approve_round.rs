//! One question about all calls of a round that somebody has to allow.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use mcp_interceptors::{ApproveLayer, BoundTool, CallError, CallId, Decision, ToolCall};
use mcp_model::ToolUse;
use serde_json::{Value, json};

use crate::graph::NodeError;
use crate::react::{HookOutput, Memo, Middleware, ReactBuilder, ReactState, ReactUpdate, When};
use crate::state::LastInOrder;
use crate::{Runtime, RuntimeExt};

/// Asks before the calls of a round are made, about all of them at once.
///
/// The question is `{"type": "approvals", "action_requests", "review_configs"}`, with a request
/// `{"tool_call_id", "name", "server", "tool", "args", "annotations"}` for each call and what may
/// be decided about it; the answer is `{"decisions": [..]}`, a [`Decision`] for each in the same
/// order. An answer that does not fit is asked for again.
///
/// What is decided becomes of a call as by [`ApproveLayer`]. Where it is enough to ask call by
/// call, that layer does so by itself.
///
/// ```
/// use mcp_agent::{ApproveRound, ReactAgent};
/// # use mcp_model::ScriptedModel;
/// let agent = ReactAgent::builder(std::sync::Arc::new(ScriptedModel::new()))
///     .with(ApproveRound::new().only_if(|call| call.name() == "delete"));
/// # drop(agent);
/// ```
#[derive(Clone)]
#[must_use]
pub struct ApproveRound {
    which: Arc<dyn Fn(&ToolCall) -> bool + Send + Sync>,
}

/// The field with what was decided, by call id.
const FIELD: &str = "approvals";

type Decisions = LastInOrder<BTreeMap<String, Decision>>;

impl ApproveRound {
    /// Asks about every call.
    pub fn new() -> Self {
        Self {
            which: Arc::new(|_| true),
        }
    }

    /// Asks about these calls only.
    pub fn only_if(mut self, which: impl Fn(&ToolCall) -> bool + Send + Sync + 'static) -> Self {
        self.which = Arc::new(which);
        self
    }

    /// The calls of the last round to ask about.
    fn asked(&self, state: &ReactState, runtime: &Runtime) -> Vec<(String, Value)> {
        let (Some((asking, 0)), Some(memo)) =
            (state.last_round(), runtime.extension::<Arc<Memo>>())
        else {
            return Vec::new();
        };
        let table = memo.table();
        let calls = asking.tool_calls.iter().filter_map(|call| {
            let tool = &table.get(&call.name)?.tool;
            let args = call.parsed_arguments().ok()?;
            let made = ToolCall::new(Arc::clone(tool), args);
            (self.which)(&made).then(|| (call.id.clone(), request(call, tool, &made)))
        });
        calls.collect()
    }

    async fn run(&self, state: &ReactState, runtime: Runtime) -> Result<HookOutput, NodeError> {
        let asked = self.asked(state, &runtime);
        if asked.is_empty() {
            return Ok(HookOutput::none());
        }
        let decisions = ask(&asked, &runtime).await?;
        let ids = asked.into_iter().map(|(id, _)| id);
        let by_id: BTreeMap<String, Decision> = ids.zip(decisions).collect();
        let mut values = mcp_interceptors::JsonMap::new();
        values.insert(FIELD.to_owned(), serde_json::to_value(by_id)?);
        Ok(ReactUpdate::default().values(values).into())
    }
}

impl Default for ApproveRound {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ApproveRound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApproveRound")
    }
}

fn request(call: &ToolUse, tool: &BoundTool, made: &ToolCall) -> Value {
    json!({
        "tool_call_id": call.id,
        "name": tool.name(),
        "server": made.server(),
        "tool": made.name(),
        "args": made.args(),
        "annotations": made.annotations(),
    })
}

/// How often an answer that does not fit is asked for.
const TRIES: usize = 3;

async fn ask(asked: &[(String, Value)], runtime: &Runtime) -> Result<Vec<Decision>, NodeError> {
    let requests: Vec<&Value> = asked.iter().map(|(_, request)| request).collect();
    let config = |request: &&Value| json!({"action_name": request.get("name"), "allowed_decisions": Decision::TYPES});
    let configs: Vec<Value> = requests.iter().map(config).collect();
    let mut problem = None;
    for _ in 0..TRIES {
        let mut question = json!({
            "type": "approvals",
            "action_requests": requests,
            "review_configs": configs,
        });
        if let (Some(members), Some(problem)) = (question.as_object_mut(), problem.take()) {
            members.insert("problem".to_owned(), problem);
        }
        match read(runtime.ask(question).await?, asked.len()) {
            Ok(decisions) => return Ok(decisions),
            Err(wrong) => problem = Some(Value::String(wrong)),
        }
    }
    Err(NodeError::new("nobody gave decisions that fit the calls"))
}

fn read(answer: Value, calls: usize) -> Result<Vec<Decision>, String> {
    let decisions = match answer {
        Value::Object(mut members) => members.remove("decisions").unwrap_or_default(),
        other => other,
    };
    let Value::Array(decisions) = decisions else {
        return Err("there is no list of decisions".to_owned());
    };
    if decisions.len() != calls {
        let given = decisions.len();
        return Err(format!("there are {calls} calls, and {given} decisions"));
    }
    decisions.into_iter().map(Decision::read).collect()
}

/// What was decided about a call. One that was not asked about then is asked about now.
async fn decided(call: ToolCall) -> Result<Decision, CallError> {
    let known = call.runtime().and_then(|runtime| {
        let state: &ReactState = runtime.state()?;
        let decisions = state.private::<Decisions>(FIELD)?;
        decisions.get().get(CallId::of(&call)?).cloned()
    });
    match known {
        Some(decision) => Ok(decision),
        None => mcp_interceptors::ask_approval(&call).await,
    }
}

impl Middleware for ApproveRound {
    fn install(self, agent: ReactBuilder) -> ReactBuilder {
        let which = Arc::clone(&self.which);
        let layer = ApproveLayer::new()
            .only_if(move |call| which(call))
            .asking(decided);
        agent
            .private_field(FIELD, Decisions::default())
            .layer(layer)
            .hook(When::AfterModel, "approve_round", move |state, runtime| {
                let this = self.clone();
                async move { this.run(&state, runtime).await }
            })
    }
}
