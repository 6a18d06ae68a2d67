//! The graph of one server, and a parent that routes to several.

use std::sync::Arc;

use mcp_agent::state::{LastInOrder, Merge};
use mcp_agent::{
    ContentType, Goto, Graph, McpOutcome, RunOptions, START, ServerCall, ServerState, ServerUpdate,
    Targets, Truncate, server_subgraph, state,
};
use mcp_interceptors::{
    CallError, CallErrorKind, LocalTools, Phase, ServerFailure, ToolCall, ToolLayers, ToolList,
    ToolOutcome, Toolset,
};
use mcp_model::{AssistantMessage, ScriptedModel, ToolUse};
use mcp_protocol::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::agent::{agent, call, tool};

fn tools(server: &str) -> LocalTools {
    LocalTools::prefixed(server)
        .tool(tool("echo"), |call: ToolCall| async move {
            let text = call
                .args()
                .get("text")
                .and_then(Value::as_str)
                .unwrap_or("-");
            Ok(CallToolResult::text(text).into())
        })
        .tool(tool("json"), |_| async {
            Ok(CallToolResult::structured(json!({"a": [1]})).into())
        })
        .tool(tool("image"), |_| async {
            let image = ContentBlock::image([1, 2], "image/png");
            Ok(CallToolResult::new(vec![image]).into())
        })
        .tool(tool("fail"), |_| async {
            Ok(CallToolResult::error("no project").into())
        })
        .tool(tool("broken"), |_| async {
            Err(CallError::new(
                CallErrorKind::Transport,
                "the server went away",
            ))
        })
}

fn scenario() -> Vec<ToolUse> {
    vec![
        call("1", "s__echo", &json!({"text": "hi"})),
        call("2", "s__echo", &json!({"text": "x".repeat(6_000)})),
        call("3", "s__json", &json!({})),
        call("4", "s__image", &json!({})),
        call("5", "s__fail", &json!({})),
        call("6", "s__broken", &json!({})),
        call("7", "s__nope", &json!({})),
        ToolUse::new("8", "s__echo", "{\"a\":"),
        // The server's own name will do, too.
        call("9", "echo", &json!({"text": "short"})),
    ]
}

async fn outcomes(toolset: Arc<dyn Toolset>, calls: Vec<ToolUse>) -> Vec<McpOutcome> {
    let layers = ToolLayers::new();
    let graph = server_subgraph("s", toolset, &layers, Some(Truncate::default())).unwrap();
    let input = ServerUpdate::of(&AssistantMessage::new(Vec::new(), calls));
    let output = graph.run(input, RunOptions::new()).await.unwrap();
    output.state.outcomes.get().clone()
}

#[tokio::test]
async fn each_call_has_an_outcome_of_its_kind_in_call_order() {
    let outcomes = outcomes(Arc::new(tools("s")), scenario()).await;
    let ids: Vec<_> = outcomes.iter().map(|o| o.tool_call_id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    let kinds: Vec<_> = outcomes.iter().map(|o| o.content_type).collect();
    use ContentType::{Error, Image, Json, Text};
    assert_eq!(
        kinds,
        [Text, Text, Json, Image, Error, Error, Error, Error, Text]
    );
    assert_eq!(outcomes[0].content, "hi");
    assert!(outcomes[1].truncated && !outcomes[0].truncated);
    assert_eq!(outcomes[2].content, json!({"a": [1]}));
    assert_eq!(outcomes[3].content[0]["mimeType"], "image/png");
    assert_eq!(outcomes[4].content, "no project");
    assert!(
        outcomes
            .iter()
            .all(|o| o.server == "s" && o.is_error == (o.content_type == Error))
    );
}

#[tokio::test]
async fn the_outcomes_are_those_of_the_flat_tool_node() {
    let calls: Vec<_> = scenario()
        .into_iter()
        .filter(|call| call.name != "echo")
        .collect();
    let outcomes = outcomes(Arc::new(tools("s")), calls.clone()).await;
    let model = ScriptedModel::new().calls(calls).says("done");
    let flat = agent(&model).tools(tools("s")).build().unwrap();
    let output = flat.run("go", RunOptions::new()).await.unwrap();
    for (outcome, message) in outcomes.iter().zip(&output.state.messages[2..]) {
        let mcp_model::ChatMessage::Tool(answer) = &**message else {
            panic!("an answer");
        };
        let id = &outcome.tool_call_id;
        assert_eq!(
            (id, outcome.is_error),
            (&answer.tool_call_id, answer.is_error)
        );
        let stored = &output.state.tool_results[id];
        assert_eq!(outcome.truncated, stored.truncated, "{id}");
        if matches!(id.as_str(), "1" | "2" | "5" | "6") {
            assert_eq!(outcome.content, answer.text(), "{id}");
        }
    }
}

#[derive(Debug)]
struct Dead;

impl Toolset for Dead {
    fn tools(&self) -> mcp_interceptors::BoxFuture<'_, ToolList> {
        let failure = ServerFailure::new("s", Phase::Connect, "connection refused");
        let list = ToolList::new(Vec::new()).with_failures(vec![failure]);
        Box::pin(std::future::ready(list))
    }

    fn call(
        &self,
        _: ToolCall,
    ) -> mcp_interceptors::BoxFuture<'static, Result<ToolOutcome, CallError>> {
        unreachable!("nothing is called")
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_answers_every_call_with_why() {
    let calls = vec![call("1", "s__a", &json!({})), call("2", "s__b", &json!({}))];
    for outcome in outcomes(Arc::new(Dead), calls).await {
        assert!(outcome.is_error);
        let text = outcome.content.as_str().unwrap();
        assert!(text.contains("s (connect): connection refused"), "{text}");
    }
}

state! {
    /// What the parent of several server graphs knows.
    pub struct Fleet => FleetUpdate {
        calls: LastInOrder<Vec<ServerCall>>,
        outcomes: Merge<McpOutcome>,
    }
}

#[tokio::test]
async fn a_parent_routes_calls_to_several_servers() {
    let member = |server: &'static str| {
        let toolset = Arc::new(tools(server));
        let graph = server_subgraph(server, toolset, &ToolLayers::new(), None).unwrap();
        graph.as_node(
            move |fleet: &Fleet| {
                let prefix = format!("{server}__");
                let own = fleet
                    .calls
                    .iter()
                    .filter(|call| call.tool.starts_with(&prefix));
                ServerUpdate::default().calls(own.cloned().collect::<Vec<_>>())
            },
            |_, server: &ServerState| {
                let outcomes = server.outcomes.iter();
                let named = outcomes.map(|o| (o.tool_call_id.clone(), Some(o.clone())));
                let named: indexmap::IndexMap<_, _> = named.collect();
                FleetUpdate::default().outcomes(named)
            },
        )
    };
    let graph = Graph::<Fleet>::new()
        .node("fs", member("fs"))
        .node("git", member("git"))
        .route_among(START, ["fs", "git"], |fleet: &Fleet| -> Targets {
            let servers = ["fs", "git"].into_iter();
            let used = servers.filter(|server| {
                let prefix = format!("{server}__");
                fleet
                    .calls
                    .iter()
                    .any(|call| call.tool.starts_with(&prefix))
            });
            used.map(|server| Goto::Node(server.to_owned()))
                .collect::<Vec<_>>()
                .into()
        })
        .compile()
        .unwrap();
    let calls = [
        call("1", "git__echo", &json!({"text": "from git"})),
        call("2", "fs__echo", &json!({"text": "from fs"})),
    ];
    let calls: Vec<ServerCall> = calls.iter().map(Into::into).collect();
    let input = FleetUpdate::default().calls(calls);
    let output = graph.run(input, RunOptions::new()).await.unwrap();
    assert_eq!(output.state.outcomes["1"].content, "from git");
    assert_eq!(output.state.outcomes["2"].server, "fs");
}
