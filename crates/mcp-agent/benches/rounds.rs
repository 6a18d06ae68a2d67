//! What a round of the agent costs as the conversation grows: `cargo bench -p mcp-agent`.
//!
//! A round is one answer of a scripted model that asks for one tool, and one call of a local
//! tool. The figures are wall time of one thread, the median of ten rounds, one line of JSON each
//! time: `cargo xtask bench` reads them.

#![expect(clippy::print_stdout, reason = "a bench shows its figures")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mcp_agent::{EventSink, Interest, MemoryCheckpointer, ReactAgent, RunEvent, RunOptions};
use mcp_interceptors::{LocalTools, ToolCall};
use mcp_model::{
    AssistantMessage, BoxFuture, ChatModel, ChatRequest, ChatResponse, ModelError, ToolUse,
};
use mcp_protocol::{CallToolResult, Tool};

const ROUNDS: usize = 2_000;

/// Asks for the tool `ROUNDS` times, then answers. Keeps nothing.
#[derive(Debug)]
struct Loops(AtomicUsize);

impl ChatModel for Loops {
    fn name(&self) -> &str {
        "loops"
    }

    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        let round = self.0.fetch_add(1, Ordering::Relaxed);
        let message = if round < ROUNDS {
            let args = format!(r#"{{"n":{round},"pad":"{}"}}"#, "x".repeat(40));
            let call = ToolUse::new(format!("call_{round}"), "echo", args);
            AssistantMessage::new(Vec::new(), vec![call])
        } else {
            AssistantMessage::text_only("done")
        };
        Box::pin(std::future::ready(Ok(ChatResponse::new(message))))
    }
}

fn tools() -> LocalTools {
    let echo = Tool::new("echo", serde_json::json!({"type": "object"}));
    LocalTools::new("local").tool(echo, |call: ToolCall| async move {
        let text = format!("{} {}", call.args().len(), "y".repeat(100));
        Ok(CallToolResult::text(text).into())
    })
}

async fn measure(name: &str, kept: bool) -> Result<(), Box<dyn Error>> {
    let mut agent = ReactAgent::builder(Arc::new(Loops(AtomicUsize::new(0)))).tools(tools());
    let mut options = RunOptions::new().step_limit(u64::MAX);
    if kept {
        agent = agent.checkpointer(Arc::new(MemoryCheckpointer::new()));
        options = options.thread("bench");
    }
    // Each answer of the model marks the end of a round.
    let marks = Arc::new(std::sync::Mutex::new(Vec::with_capacity(ROUNDS + 1)));
    let log = Arc::clone(&marks);
    let sink = EventSink::from_fn(Interest::MESSAGES, move |emitted| {
        if let (RunEvent::Message { message }, Ok(mut log)) = (emitted.event, log.lock())
            && matches!(*message, mcp_model::ChatMessage::Assistant(_))
        {
            log.push(Instant::now());
        }
    });
    agent.build()?.run("go", options.events(sink)).await?;
    let marks = marks.lock().map_err(|_| "the log is broken")?.clone();
    let rounds: Vec<Duration> = marks
        .iter()
        .zip(marks.iter().skip(1))
        .map(|(from, to)| *to - *from)
        .collect();
    let median = |from: usize| {
        let mut ten: Vec<Duration> = rounds.iter().skip(from).take(10).copied().collect();
        ten.sort();
        micros(ten.get(ten.len() / 2).copied().unwrap_or_default())
    };
    let total: Duration = rounds.iter().sum();
    let figures = serde_json::json!({
        "name": name,
        "mean_us": micros(total / u32::try_from(rounds.len().max(1))?),
        "round_20_us": median(20),
        "round_200_us": median(200),
        "round_1000_us": median(1_000),
        "round_1990_us": median(1_989),
    });
    println!("{figures}");
    Ok(())
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    for _ in 0..3 {
        measure("no checkpointer", false).await?;
        measure("memory checkpointer", true).await?;
    }
    Ok(())
}
