//! What clients do, and what has to come of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use mcp::Session;
use mcp::client::{CallOptions, Elicitation, Error, Origin};
use mcp::jsonrpc::ErrorObject;
use mcp::protocol::{CallToolParams, CallToolResult, ElicitRequestParams, ElicitResult};
use mcp::transport::{BoxFuture, CallError, Progress};
use serde_json::{Map, Value, json};

use super::random::Random;

/// How long an answer may take before it counts as lost.
const LOST: Duration = Duration::from_secs(60);

/// One request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// A tool says what it is told.
    Say {
        tool: &'static str,
        amount: usize,
    },
    /// A tool fails with what it is told.
    Fail,
    /// A tool reports progress before it answers.
    Progress,
    /// The list of tools, or a sign of life.
    List,
    Ping,
    /// A call that is given up after so many milliseconds, by dropping it or by its time limit.
    Cancel(u64),
    Timeout(u64),
}

impl Operation {
    pub(super) fn any(random: &mut Random) -> Self {
        let say = |tool, amount| Self::Say { tool, amount };
        match random.below(100) {
            0..50 => say("echo", 0),
            50..62 => say("slow", usize_below(random, 15)),
            62..68 => say("big", usize_below(random, 100_000)),
            68..74 => say("ask", 0),
            74..80 => Self::Fail,
            80..85 => Self::Progress,
            85..89 => Self::List,
            89..92 => Self::Ping,
            92..96 => Self::Cancel(random.below(4)),
            _ => Self::Timeout(1 + random.below(8)),
        }
    }

    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::Say { tool, .. } => tool,
            Self::Fail => "fail",
            Self::Progress => "progress",
            Self::List => "list",
            Self::Ping => "ping",
            Self::Cancel(_) => "cancelled",
            Self::Timeout(_) => "timed out",
        }
    }

    /// Does it, and says what is wrong with what came of it.
    pub(super) async fn perform(self, session: &Session, token: &str) -> Result<(), String> {
        let performing = self.perform_for_ever(session, token);
        let outcome = tokio::time::timeout(LOST, performing).await;
        outcome.unwrap_or_else(|_| Err("no answer".to_owned()))
    }

    async fn perform_for_ever(self, session: &Session, token: &str) -> Result<(), String> {
        let plain = CallOptions::new();
        match self {
            Self::Say { tool, amount } => {
                let result = call(session, tool, token, amount, &plain).await;
                said(&result.map_err(words)?, token, false, amount)
            }
            Self::Fail => {
                let result = call(session, "fail", token, 0, &plain).await;
                said(&result.map_err(words)?, token, true, 0)
            }
            Self::Progress => progress(session, token).await,
            Self::List => {
                let list = session.list_tools().await.map_err(words)?;
                let right = list.items.len() == 7;
                right
                    .then_some(())
                    .ok_or_else(|| format!("{} tools", list.items.len()))
            }
            Self::Ping => session.ping(&plain).await.map_err(words),
            Self::Cancel(after) => {
                let call = call(session, "never", token, 0, &plain);
                let given_up = tokio::time::timeout(Duration::from_millis(after), call).await;
                let answered = |result| format!("an answer to a call without: {result:?}");
                given_up.map_or(Ok(()), |result| Err(answered(result)))
            }
            Self::Timeout(after) => {
                let options = CallOptions::new().with_timeout(Duration::from_millis(after));
                match call(session, "never", token, 0, &options).await {
                    Err(Error::Call(CallError::TimedOut { .. })) => Ok(()),
                    other => Err(format!("not timed out: {other:?}")),
                }
            }
        }
    }

    /// Does it while the connection ends: it may fail, but what it brings has to be its own, and
    /// it has to end.
    pub(super) async fn perform_at_the_end(
        self,
        session: &Session,
        token: &str,
    ) -> Result<(), String> {
        let outcome = self.perform(session, token).await;
        match outcome {
            Err(why) if why == "no answer" || why.starts_with("crossed") => Err(why),
            _ => Ok(()),
        }
    }
}

fn usize_below(random: &mut Random, end: u32) -> usize {
    usize::try_from(random.below(u64::from(end))).unwrap_or_default()
}

#[expect(clippy::needless_pass_by_value, reason = "it is mapped over errors")]
fn words(error: Error) -> String {
    error.chain()
}

async fn call(
    session: &Session,
    tool: &str,
    token: &str,
    amount: usize,
    options: &CallOptions,
) -> Result<CallToolResult, Error> {
    let arguments = json!({"token": token, "amount": amount});
    let arguments = serde_json::value::to_raw_value(&arguments).ok();
    let mut params = CallToolParams::new(tool);
    params.arguments = arguments;
    session.call_tool(params, options).await
}

/// Whether a result says what it was told, and nothing else.
fn said(result: &CallToolResult, token: &str, fails: bool, amount: usize) -> Result<(), String> {
    let text = result.text_content();
    let added = text
        .strip_prefix(token)
        .filter(|rest| rest.bytes().all(|b| b == b'x'));
    match added {
        None => {
            let text: String = text.chars().take(100).collect();
            Err(format!("crossed: {token} was told, {text} came back"))
        }
        Some(_) if result.is_error() != fails => Err(format!("another outcome: {text}")),
        Some(rest) if !rest.is_empty() && rest.len() != amount => Err("cut short".to_owned()),
        Some(_) => Ok(()),
    }
}

async fn progress(session: &Session, token: &str) -> Result<(), String> {
    let reports = Arc::new(AtomicU64::new(0));
    let fell = Arc::new(AtomicBool::new(false));
    let (count, wrong) = (Arc::clone(&reports), Arc::clone(&fell));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1, 2 or 3"
    )]
    let options = CallOptions::new().with_progress(move |progress: Progress| {
        let now = progress.progress as u64;
        if count.swap(now, Ordering::AcqRel) >= now {
            wrong.store(true, Ordering::Release);
        }
    });
    let result = call(session, "progress", token, 0, &options).await;
    said(&result.map_err(words)?, token, false, 0)?;
    let (last, fell) = (
        reports.load(Ordering::Acquire),
        fell.load(Ordering::Acquire),
    );
    if last == 3 && !fell {
        return Ok(());
    }
    Err(format!("progress ended at {last}; it fell: {fell}"))
}

/// A user who fills each form in with its own message.
#[derive(Clone, Copy, Debug)]
pub(super) struct User;

impl Elicitation for User {
    fn elicit(
        &self,
        params: ElicitRequestParams,
        _: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
        let token = Value::from(params.message());
        let content: Map<_, _> = [("token".to_owned(), token)].into_iter().collect();
        Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(ElicitResult::accept(content))
        })
    }
}
