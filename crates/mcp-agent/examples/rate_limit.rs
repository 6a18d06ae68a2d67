//! Costly tools are called a few times only, and every call is on record by the id that the
//! model gave it.
//!
//! `cargo run -p mcp-agent --example rate_limit`
//!
//! For calls in a time there is `RateLimitLayer`; this is what a limit of one's own looks like.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_agent::{ReactAgent, RunOptions, RuntimeExt};
use mcp_interceptors::{
    CallError, Interceptor, LocalTools, Next, ToolCall, ToolMessage, ToolOutcome,
};
use mcp_model::{ScriptedModel, ToolUse};
use mcp_protocol::Tool;
use serde_json::json;

/// Lets so many calls through, and keeps the ids of those that went well.
#[derive(Clone)]
struct Limit {
    most: usize,
    made: Arc<Mutex<Vec<String>>>,
}

impl Limit {
    fn made(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Interceptor for Limit {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let Some(runtime) = call.runtime() else {
            return next.run(call).await;
        };
        let id = runtime.tool_call_id().to_owned();
        if self.made().len() >= self.most {
            // Whatever id is in here: the answer is stamped with that of the call.
            return Ok(ToolMessage::error("Rate limit exceeded. Try again later.").into());
        }
        let outcome = next.run(call).await?;
        self.made().push(id);
        Ok(outcome)
    }
}

/// Runs an agent that calls a costly tool three times, of which two are allowed. Gives back the
/// answers by call id, and the ids on record.
///
/// # Errors
/// If the run fails.
pub async fn run() -> Result<(Vec<(String, String)>, Vec<String>), Box<dyn Error>> {
    let ids = ["call_a", "call_b", "call_c"];
    let call = |id| ToolUse::new(id, "deep_research", "{}");
    let rounds = ids
        .into_iter()
        .fold(ScriptedModel::new(), |model, id| model.calls([call(id)]));
    let costly = Tool::new("deep_research", json!({"type": "object"}));
    let tools = LocalTools::new("lab").tool(costly, |_| async { Ok("a long report".into()) });
    let limit = Limit {
        most: 2,
        made: Arc::default(),
    };
    let agent = ReactAgent::builder(Arc::new(rounds.says("Here is what I found.")))
        .tools(tools)
        .intercept(limit.clone())
        .build()?;
    let output = agent.run("Research this.", RunOptions::new()).await?;
    let results = output.state.tool_results.iter();
    let answers = results.map(|(id, result)| (id.clone(), result.text()));
    let made = limit.made().clone();
    Ok((answers.collect(), made))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    for (id, text) in run().await?.0 {
        println!("{id}: {text}");
    }
    Ok(())
}
