//! What a round of the agent costs, and whether that stays so as the conversation grows:
//! `cargo bench -p mcp-agent`.
//!
//! A round is one answer of a scripted model that asks for one tool, and one call of a local
//! tool. Time is that of the processor, so that a busy machine disturbs it little. The last line
//! is the figures as JSON, for other programs:
//!
//! ```json
//! {"bench":"agent_rounds","rounds":2000,"rows":[{"name":"no checkpointer","cpu_us":9.1,
//!  "round_20_us":9.0,"round_last_us":9.2,"allocations":70.0,"kept_bytes":900}]}
//! ```
//!
//! `cpu_us` is the median over several runs of a round's mean, `round_20_us` and `round_last_us`
//! the medians of the 20 rounds about round 20 and at the end, `allocations` a round's mean,
//! `kept_bytes` what a round leaves behind in memory.

#![expect(clippy::print_stdout, reason = "a bench shows its figures")]

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_agent::{EventSink, Interest, MemoryCheckpointer, ReactAgent, RunEvent, RunOptions};
use mcp_interceptors::{LocalTools, ToolCall};
use mcp_model::{
    AssistantMessage, BoxFuture, ChatMessage, ChatModel, ChatRequest, ChatResponse, ModelError,
    ToolAnswer, ToolUse,
};
use mcp_protocol::{CallToolResult, ContentBlock, Tool};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use tokio::runtime::Runtime;

const ROUNDS: usize = 2_000;
const RUNS: usize = 7;
/// How many rounds one figure about a place in the run is made of.
const SPAN: usize = 20;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Asks for the tool `ROUNDS` times, then answers. Keeps nothing.
#[derive(Debug)]
struct Loops(AtomicUsize);

impl Loops {
    fn answer(&self) -> AssistantMessage {
        let round = self.0.fetch_add(1, Ordering::Relaxed);
        if round >= ROUNDS {
            return AssistantMessage::text_only("done");
        }
        let args = format!(r#"{{"n":{round},"pad":"{}"}}"#, "x".repeat(40));
        let call = ToolUse::new(format!("call_{round}"), "echo", args);
        AssistantMessage::new(Vec::new(), vec![call])
    }
}

impl ChatModel for Loops {
    fn name(&self) -> &str {
        "loops"
    }

    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        let response = ChatResponse::new(self.answer());
        Box::pin(std::future::ready(Ok(response)))
    }
}

fn echo(members: usize) -> String {
    format!("{members} {}", "y".repeat(100))
}

fn tools() -> LocalTools {
    let tool = Tool::new("echo", json!({"type": "object"}));
    LocalTools::new("local").tool(tool, |call: ToolCall| async move {
        Ok(CallToolResult::text(echo(call.args().len())).into())
    })
}

/// The processor time of this program so far, in microseconds.
fn cpu_us() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let whole = std::time::Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    );
    whole.as_secs_f64() * 1e6
}

/// The time at the end of each round, and what is to be kept until it was measured.
struct Ran {
    marks: Vec<f64>,
    _kept: Box<dyn std::any::Any>,
}

/// A loop written by hand: nothing is kept, nobody can stop it, and every fault ends it.
fn by_hand(_: &Runtime) -> Outcome<Ran> {
    let model = Loops(AtomicUsize::new(0));
    let mut messages: Vec<Arc<ChatMessage>> = vec![Arc::new(ChatMessage::user("go"))];
    let mut marks = Vec::with_capacity(ROUNDS + 1);
    loop {
        let answer = model.answer();
        let calls = answer.tool_calls.clone();
        messages.push(Arc::new(ChatMessage::Assistant(answer)));
        marks.push(cpu_us());
        if calls.is_empty() {
            break;
        }
        for call in &calls {
            let args = call.parsed_arguments()?;
            let content = vec![ContentBlock::text(echo(args.len()))];
            messages.push(Arc::new(ChatMessage::Tool(ToolAnswer::new(
                call, content, false,
            ))));
        }
    }
    Ok(Ran {
        marks,
        _kept: Box::new(messages),
    })
}

fn agent(runtime: &Runtime, memory: Option<MemoryCheckpointer>) -> Outcome<Ran> {
    let mut agent = ReactAgent::builder(Arc::new(Loops(AtomicUsize::new(0)))).tools(tools());
    let mut options = RunOptions::new().step_limit(u64::MAX);
    if let Some(memory) = memory.clone() {
        agent = agent.checkpointer(Arc::new(memory));
        options = options.thread("bench");
    }
    let marks = Arc::new(Mutex::new(Vec::with_capacity(ROUNDS + 1)));
    let log = Arc::clone(&marks);
    let sink = EventSink::from_fn(Interest::MESSAGES, move |emitted| {
        if let RunEvent::Message { message, .. } = emitted.event
            && matches!(*message, ChatMessage::Assistant(_))
        {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push(cpu_us());
        }
    });
    let agent = agent.build()?;
    let output = runtime.block_on(agent.run("go", options.events(sink)))?;
    let marks = marks.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Ran {
        marks,
        _kept: Box::new((output, memory)),
    })
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
const fn float(n: u64) -> f64 {
    n as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median round of `SPAN` of them from `from` on.
fn round_at(marks: &[f64], from: usize) -> f64 {
    let rounds = marks.windows(2).skip(from).take(SPAN);
    median(
        rounds
            .filter_map(|pair| Some(pair.last()? - pair.first()?))
            .collect(),
    )
}

fn measure(name: &str, run: impl Fn() -> Outcome<Ran>) -> Outcome<serde_json::Value> {
    run()?;
    let (mut mean, mut early, mut late) = (Vec::new(), Vec::new(), Vec::new());
    let (mut allocations, mut kept) = (0, 0);
    for _ in 0..RUNS {
        let mut ran = None;
        let counted = allocation_counter::measure(|| ran = Some(run()));
        let marks = ran.ok_or("nothing ran")??.marks;
        let total = marks.last().zip(marks.first()).map(|(to, from)| to - from);
        let rounds = float(u64::try_from(ROUNDS)?);
        mean.push(total.unwrap_or(f64::NAN) / rounds);
        early.push(round_at(&marks, 20 - SPAN / 2));
        late.push(round_at(&marks, ROUNDS - SPAN));
        allocations = counted.count_total;
        kept = counted.bytes_current;
    }
    let rounds = u64::try_from(ROUNDS)?;
    let two = |value: f64| (value * 100.0).round() / 100.0;
    let row = json!({
        "name": name,
        "cpu_us": two(median(mean)),
        "round_20_us": two(median(early)),
        "round_last_us": two(median(late)),
        "allocations": two(float(allocations) / float(rounds)),
        "kept_bytes": kept / i64::try_from(rounds)?,
    });
    println!("{row}");
    Ok(row)
}

fn main() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let rows = [
        measure("by hand", || by_hand(&runtime))?,
        measure("no checkpointer", || agent(&runtime, None))?,
        measure("memory checkpointer", || {
            agent(&runtime, Some(MemoryCheckpointer::new()))
        })?,
    ];
    println!(
        "{}",
        json!({"bench": "agent_rounds", "rounds": ROUNDS, "rows": rows})
    );
    Ok(())
}
