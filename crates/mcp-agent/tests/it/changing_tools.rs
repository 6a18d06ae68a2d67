//! Lists of tools that change while a run goes on.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_agent::{EventSink, Interest, RunEvent, RunOptions};
use mcp_client::ServerPool;
use mcp_interceptors::{
    BoxFuture, CallError, LocalTools, Phase, ServerFailure, ToolCall, ToolList, ToolOutcome,
    Toolset,
};
use mcp_model::ScriptedModel;
use mcp_protocol::ProtocolVersion;
use mcp_server::{Changes, NoArgs, Server, ToolError};
use serde_json::json;

use crate::agent::{agent, call, shown, tool};
use crate::elicits::Local;

/// Tools whose list is another one when a test says so.
#[derive(Clone, Debug)]
struct Changing {
    tools: Arc<Mutex<LocalTools>>,
    failure: Arc<Mutex<Option<ServerFailure>>>,
    version: Arc<AtomicU64>,
    listed: Arc<AtomicUsize>,
    slow: bool,
}

impl Changing {
    fn new(tools: LocalTools) -> Self {
        Self {
            tools: Arc::new(Mutex::new(tools)),
            failure: Arc::default(),
            version: Arc::default(),
            listed: Arc::default(),
            slow: false,
        }
    }

    fn change(&self, tools: LocalTools) {
        *self.tools.lock().unwrap() = tools;
        self.version.fetch_add(1, Ordering::SeqCst);
    }
}

impl Toolset for Changing {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        let nth = self.listed.fetch_add(1, Ordering::SeqCst);
        if self.slow && nth > 0 {
            return Box::pin(std::future::pending());
        }
        let tools = self.tools.lock().unwrap().clone();
        let failure = self.failure.lock().unwrap().clone();
        Box::pin(async move {
            match failure {
                Some(failure) => ToolList::new(Vec::new()).with_failures(vec![failure]),
                None => tools.tools().await,
            }
        })
    }

    fn list_version(&self) -> u64 {
        self.version.load(Ordering::SeqCst)
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        self.tools.lock().unwrap().call(call)
    }
}

fn one(name: &'static str) -> LocalTools {
    LocalTools::new("s").tool(tool(name), move |_| async move { Ok(name.into()) })
}

/// Asks for `a` in each round, and changes the tools in the second.
fn asking(rounds: usize, changing: &Changing, to: LocalTools) -> ScriptedModel {
    let changing = changing.clone();
    let mut to = Some(to);
    (0..rounds).fold(ScriptedModel::new(), |model, n| {
        let (changing, to) = (changing.clone(), to.take().filter(|_| n == 0));
        let asks =
            mcp_model::AssistantMessage::new(vec![], vec![call(&format!("c{n}"), "a", &json!({}))]);
        model.replies(move |_| {
            if let Some(to) = to {
                changing.change(to);
            }
            Ok(mcp_model::ChatResponse::new(asks))
        })
    })
}

fn offered(model: &ScriptedModel) -> Vec<Vec<String>> {
    let names = |request: &mcp_model::ChatRequest| {
        let tools = request.tools.iter().map(|tool| tool.name.clone());
        tools.filter(|name| name != "read_tool_result").collect()
    };
    model.requests().iter().map(names).collect()
}

#[tokio::test]
async fn a_change_of_a_list_shows_in_the_next_question_and_nothing_is_listed_without_one() {
    let changing = Changing::new(one("a"));
    let both = one("a").tool(tool("b"), |_| async { Ok("b".into()) });
    let model = asking(4, &changing, both)
        .calls([call("b", "b", &json!({}))])
        .says("done");
    let agent = agent(&model).tools(changing.clone()).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");
    let offered = offered(&model);
    assert_eq!(offered[0], ["a"]);
    assert!(
        offered[1..].iter().all(|names| *names == ["a", "b"]),
        "{offered:?}"
    );
    assert_eq!(
        shown(&output.state.messages)[10],
        "b: b",
        "and it can be called"
    );
    assert_eq!(
        changing.listed.load(Ordering::SeqCst),
        2,
        "at the start, and once more"
    );
}

#[tokio::test]
async fn a_server_that_cannot_be_listed_again_keeps_its_tools() {
    let changing = Changing::new(one("a"));
    let failure = ServerFailure::new("s", Phase::List, "gone");
    *changing.failure.lock().unwrap() = None;
    let breaks = Arc::clone(&changing.failure);
    let model = ScriptedModel::new()
        .replies({
            let changing = changing.clone();
            move |_| {
                *breaks.lock().unwrap() = Some(failure);
                changing.version.fetch_add(1, Ordering::SeqCst);
                let asks = vec![call("1", "a", &json!({}))];
                Ok(mcp_model::ChatResponse::new(
                    mcp_model::AssistantMessage::new(vec![], asks),
                ))
            }
        })
        .says("done");
    let agent = agent(&model).tools(changing).build().unwrap();
    agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(offered(&model), [["a"], ["a"]]);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_come_holds_the_run_up_for_a_while_only() {
    let mut changing = Changing::new(one("a"));
    changing.slow = true;
    let model = asking(1, &changing, one("b")).says("done");
    let (sink, mut events) = EventSink::channel(Interest::AGENT, 64);
    let agent = agent(&model).tools(changing).build().unwrap();
    let began = tokio::time::Instant::now();
    agent
        .run("go", RunOptions::new().events(sink))
        .await
        .unwrap();
    assert_eq!(began.elapsed(), Duration::from_secs(5));
    assert_eq!(offered(&model), [["a"], ["a"]]);
    let mut warned = false;
    while let Some(event) = events.next().await {
        warned |=
            matches!(event.event, RunEvent::Warning { message } if message.contains("changed"));
    }
    assert!(warned);
}

#[tokio::test]
async fn a_change_that_leads_to_a_clash_leaves_the_run_with_the_old_tools() {
    let changing = Changing::new(one("a"));
    let other = LocalTools::new("t").tool(tool("b"), |_| async { Ok("b of t".into()) });
    let model = asking(1, &changing, one("b")).says("done");
    let agent = agent(&model).tools(changing).tools(other).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");
    assert_eq!(offered(&model)[1], ["a", "b"]);
}

/// Has the server offer one more tool, and waits until its announcement has come.
async fn grow(server: &Server, pool: &ServerPool) {
    let before = pool.list_version();
    let more = |_: NoArgs, _| async { Ok::<_, ToolError>("b") };
    server
        .edit(|offer| {
            offer.tool(tool("b"), more);
        })
        .await;
    while pool.list_version() == before {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_real_servers_announcement_shows_in_the_next_question_of_the_run() {
    let server = Server::builder("s", "1")
        .versions([ProtocolVersion::V2025_11_25])
        .changes(&Changes::new())
        .tool(tool("a"), |_: NoArgs, _| async { Ok::<_, ToolError>("a") })
        .build();
    let pool = ServerPool::builder()
        .server("s", Arc::new(Local(server.clone())))
        .build();
    let watched = pool.clone();
    // In the first round the tool of another set has the server offer one more.
    let local = LocalTools::new("l").tool(tool("grow"), move |_| {
        let (server, pool) = (server.clone(), watched.clone());
        async move {
            grow(&server, &pool).await;
            Ok("grown".into())
        }
    });
    let model = ScriptedModel::new()
        .calls([call("1", "grow", &json!({}))])
        .calls([call("2", "s__b", &json!({}))])
        .says("done");
    let agent = agent(&model).tools(pool).tools(local).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(offered(&model)[0], ["s__a", "grow"]);
    assert_eq!(offered(&model)[1], ["s__a", "s__b", "grow"]);
    assert_eq!(shown(&output.state.messages)[4], "2: b");
}
