//! Rounds of an agent whose tool is in a child process, over a pool. A "call" of the scenario is a
//! round: one answer of a model that asks for the tool, and the call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{Latencies, Scenario, Stopwatch, payload};
use mcp_agent::{ReactAgent, RunOptions};
use mcp_client::ServerPool;
use mcp_model::{
    AssistantMessage, BoxFuture, ChatModel, ChatRequest, ChatResponse, ModelError, ToolUse,
};
use ours::Stdio;

/// Asks for the tool so many times, then answers.
#[derive(Debug)]
struct Loops {
    left: AtomicUsize,
    arguments: String,
}

impl ChatModel for Loops {
    fn name(&self) -> &str {
        "loops"
    }

    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        let left = self.left.load(Ordering::Relaxed);
        let message = if left == 0 {
            AssistantMessage::text_only("done")
        } else {
            self.left.store(left - 1, Ordering::Relaxed);
            let call = ToolUse::new(format!("call_{left}"), "bench__echo", &*self.arguments);
            AssistantMessage::new(Vec::new(), vec![call])
        };
        Box::pin(std::future::ready(Ok(ChatResponse::new(message))))
    }
}

fn main() {
    let scenario = Scenario::from_args();
    harness::run(true, async {
        let server = Arc::new(Stdio::server(&scenario));
        let pool = ServerPool::builder()
            .server("bench", Arc::clone(&server) as _)
            .build();
        rounds(&pool, &scenario, scenario.warm_up_calls()).await;
        let watch = Stopwatch::start(server.pid());
        rounds(&pool, &scenario, scenario.calls).await;
        let row = watch.stop(&scenario, Latencies::default());
        pool.shutdown().await;
        row.print();
    });
}

async fn rounds(pool: &ServerPool, scenario: &Scenario, rounds: usize) {
    let model = Loops {
        left: AtomicUsize::new(rounds),
        arguments: serde_json::json!({ "message": payload(scenario.size) }).to_string(),
    };
    let agent = ReactAgent::builder(Arc::new(model)).tools(pool.clone());
    let agent = agent.build().expect("an agent");
    let output = agent.run("go", RunOptions::new().step_limit(u64::MAX));
    let output = output.await.expect("an answer");
    assert_eq!(output.answer(), "done");
    let echoed = output.state.messages.iter().filter(|message| {
        let text = message.text();
        text.len() == scenario.size
    });
    assert_eq!(echoed.count(), rounds);
}
