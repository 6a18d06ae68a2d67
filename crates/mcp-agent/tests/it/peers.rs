//! What other agents get wrong about tools, commands and handing over.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_agent::state::{LastInOrder, Messages};
use mcp_agent::{
    END, ErrorKind, Graph, HookOutput, Input, MemoryCheckpointer, NodeError, ReactAgent,
    ReactState, RunOptions, Runtime, RuntimeExt, START, When, state,
};
use mcp_interceptors::{Command, LocalTools, ToolCall};
use mcp_model::{AssistantMessage, ChatMessage, ScriptedModel, ToolUse};
use serde_json::json;

use crate::agent::{agent, call, shown, tool, tools};
use crate::attacks::assert_whole;

/// A tool whose command goes where its arguments say.
fn commanding() -> LocalTools {
    LocalTools::new("s").tool(tool("t"), |call: ToolCall| async move {
        let gotos = call.args()["goto"].as_array().cloned().unwrap_or_default();
        let nodes = gotos.iter().filter_map(|goto| goto.as_str());
        Ok(nodes.fold(Command::new(), Command::goto).into())
    })
}

type Log = Arc<Mutex<Vec<&'static str>>>;
type Noted = std::future::Ready<Result<HookOutput, NodeError>>;

/// A hook that notes that it ran.
fn notes(log: &Log, name: &'static str) -> impl Fn(Arc<ReactState>, Runtime) -> Noted + use<> {
    let log = Arc::clone(log);
    move |_, _| {
        log.lock().unwrap().push(name);
        std::future::ready(Ok(HookOutput::none()))
    }
}

#[tokio::test]
async fn a_tools_goto_replaces_the_way_back_an_end_gives_way_to_a_node_and_several_all_run() {
    // Where each call goes, and what runs after the round.
    for (gotos, expected) in [
        (vec![json!(["__end__"]), json!([])], "b a"),
        (vec![json!([]), json!([])], "m model b a"),
        (vec![json!(["model"]), json!(["__end__"])], "model b a"),
        (vec![json!(["model"]), json!([])], "model b a"),
        (vec![json!(["model"]), json!(["model"])], "model b a"),
        (
            vec![json!(["f.before_agent", "n.before_model"])],
            "f n m model b a",
        ),
    ] {
        let log = Log::default();
        let logs = |name| notes(&log, name);
        let calls = gotos.iter().enumerate();
        let calls = calls.map(|(n, goto)| call(&n.to_string(), "t", &json!({"goto": goto})));
        let model = ScriptedModel::new().calls(calls).says("done").says("done");
        let asked = Arc::clone(&log);
        let mut builder = agent(&model)
            .tools(commanding())
            .hook(When::AfterAgent, "a", logs("a"))
            .hook(When::AfterAgent, "b", logs("b"))
            .hook(When::BeforeModel, "m", logs("m"))
            .wrap_model(move |call, next: mcp_agent::ModelNext| {
                asked.lock().unwrap().push("model");
                next.run(call)
            });
        if gotos[0].to_string().contains("before_agent") {
            builder = builder.hook(When::BeforeAgent, "f", logs("f")).hook(
                When::BeforeModel,
                "n",
                logs("n"),
            );
        }
        let agent = builder.build().unwrap();
        let output = agent.run("go", RunOptions::new()).await.unwrap();
        assert_whole(&output.state.messages);
        let log = log.lock().unwrap();
        let first = log.iter().position(|name| *name == "model").unwrap();
        let after = log[first + 1..].join(" ");
        if gotos.len() == 1 {
            // Both run in the step after the round.
            assert!(
                after.starts_with("f n ") && after.ends_with(" b a"),
                "{after}"
            );
        } else {
            assert_eq!(after, expected, "{gotos:?}");
        }
    }
}

state! {
    /// A team's state.
    pub struct Team => TeamUpdate {
        messages: Messages,
        a: LastInOrder<i64>,
        b: LastInOrder<i64>,
        rounds: LastInOrder<i64>,
    }
}

fn member(agent: &ReactAgent) -> mcp_agent::Subgraph<Team, ReactState> {
    agent.as_node(
        |team: &Team| team.messages.since(0).into(),
        |team, agent| TeamUpdate::default().messages(agent.messages.beyond(&team.messages)),
    )
}

#[tokio::test]
async fn p_r09_two_tools_of_a_nested_agent_both_write_into_the_team() {
    let tools = LocalTools::new("s").tool(tool("write"), |call: ToolCall| async move {
        let mut command = Command::new().in_parent();
        for (field, value) in call.args() {
            command = command.with_update(field, value.clone());
        }
        Ok(command.into())
    });
    let model = ScriptedModel::new().calls([
        call("1", "write", &json!({"a": 1})),
        call("2", "write", &json!({"b": 2})),
    ]);
    let worker = agent(&model).tools(tools).build().unwrap();
    let graph = Graph::<Team>::new()
        .node("worker", member(&worker))
        .edge(START, "worker")
        .edge("worker", END)
        .compile()
        .unwrap();
    let input = TeamUpdate::default().messages("go");
    let output = graph.run(input, RunOptions::new()).await.unwrap();
    assert_eq!((*output.state.a, *output.state.b), (1, 2));
    assert_whole(&output.state.messages);
    assert_eq!(shown(&output.state.messages)[2..], ["1: ok", "2: ok"]);
}

#[tokio::test]
async fn two_parallel_handoffs_are_both_obeyed_and_leave_no_call_open() {
    let tools = LocalTools::new("s").tool(tool("give"), |call: ToolCall| async move {
        let to = call.args()["to"].as_str().unwrap_or_default().to_owned();
        Ok(Command::handoff(to).into())
    });
    let model = ScriptedModel::new().calls([
        call("1", "give", &json!({"to": "ann"})),
        call("2", "give", &json!({"to": "bob"})),
    ]);
    let (ann, bob) = (
        ScriptedModel::new().says("ann"),
        ScriptedModel::new().says("bob"),
    );
    let graph = Graph::<Team>::new()
        .node(
            "worker",
            member(&agent(&model).tools(tools).build().unwrap()),
        )
        .node("ann", member(&agent(&ann).build().unwrap()))
        .node("bob", member(&agent(&bob).build().unwrap()))
        .edge(START, "worker")
        .compile()
        .unwrap();
    let input = TeamUpdate::default().messages("go");
    let output = graph.run(input, RunOptions::new()).await.unwrap();
    let expected = ["go", "asks 1 2", "1: ok", "2: ok", "ann", "bob"];
    assert_eq!(shown(&output.state.messages), expected);
    for model in [ann, bob] {
        assert_eq!(shown(&model.requests()[0].messages), expected[..4]);
    }
}

#[tokio::test]
async fn a_handoff_to_nobody_is_an_error_that_names_it() {
    let tools = LocalTools::new("s").tool(tool("give"), |_| async {
        Ok(Command::handoff("nobody").into())
    });
    let model = ScriptedModel::new().calls([call("1", "give", &json!({}))]);
    let worker = agent(&model).tools(tools.clone()).build().unwrap();
    let graph = Graph::<Team>::new()
        .node("worker", member(&worker))
        .edge(START, "worker")
        .compile()
        .unwrap();
    let input = TeamUpdate::default().messages("go");
    let error = graph.run(input, RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownTarget);
    assert!(error.to_string().contains("nobody"), "{error}");

    let model = ScriptedModel::new().calls([call("1", "give", &json!({}))]);
    let alone = agent(&model).tools(tools).build().unwrap();
    let error = alone.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::UnknownTarget,
        "there is no graph around"
    );
}

#[tokio::test]
async fn an_agent_that_is_entered_again_and_again_doubles_no_history() {
    let model = (0..3).fold(ScriptedModel::new(), |model, n| {
        model
            .calls([call(&format!("c{n}"), "s__echo", &json!({}))])
            .says(format!("round {n}"))
    });
    let worker = agent(&model).tools(tools()).build().unwrap();
    let graph = Graph::<Team>::new()
        .node("worker", member(&worker))
        .node("count", |team: Arc<Team>, _: Runtime| async move {
            Ok(TeamUpdate::default().rounds(*team.rounds + 1))
        })
        .edge(START, "worker")
        .edge("worker", "count")
        .route(
            "count",
            |team: &Team| if *team.rounds < 3 { "worker" } else { END },
        )
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let input = TeamUpdate::default().messages("go");
    let output = graph
        .run(input, RunOptions::new().thread("t"))
        .await
        .unwrap();
    let expected = [
        "go", "asks c0", "c0: -", "round 0", "asks c1", "c1: -", "round 1", "asks c2", "c2: -",
        "round 2",
    ];
    assert_eq!(shown(&output.state.messages), expected);
}

#[tokio::test]
async fn new_input_on_a_finished_thread_goes_on_from_its_conversation() {
    let model = ScriptedModel::new().says("one").says("two");
    let agent = agent(&model)
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap();
    let thread = || RunOptions::new().thread("t");
    agent.run("first", thread()).await.unwrap();
    agent.run("second", thread()).await.unwrap();
    assert_eq!(
        shown(&model.requests()[1].messages),
        ["first", "one", "second"]
    );
}

#[tokio::test]
async fn p_a04_a_history_with_a_broken_call_is_loaded_and_mended() {
    for answered in [false, true] {
        let broken = ToolUse::new("b", "s__echo", "{\"a\":");
        let asks = AssistantMessage::new(vec![], vec![broken.clone()]);
        let mut history = vec![ChatMessage::user("hi"), ChatMessage::Assistant(asks)];
        if answered {
            let answer = mcp_model::ToolAnswer::new(&broken, vec!["bad".into()], true);
            history.push(ChatMessage::Tool(answer));
        }
        history.push(ChatMessage::user("go on"));
        let model = ScriptedModel::new().says("done");
        let agent = agent(&model).tools(tools()).build().unwrap();
        let output = agent.run(history, RunOptions::new()).await.unwrap();
        assert_eq!(output.answer(), "done");
        assert_whole(&model.requests()[0].messages);
    }
}

#[tokio::test]
async fn a_call_finds_the_tools_the_servers_at_work_and_when_it_first_began() {
    let both = Arc::new(tokio::sync::Barrier::new(2));
    let meets = Arc::clone(&both);
    let look = move |call: ToolCall| {
        let meets = Arc::clone(&meets);
        async move {
            meets.wait().await;
            let runtime = call.runtime().cloned().unwrap();
            let names: Vec<_> = runtime
                .tools()
                .iter()
                .map(|t| t.name().to_owned())
                .collect();
            let text = format!("{names:?} {:?}", runtime.active_servers());
            let began = UNIX_EPOCH + Duration::from_millis(runtime.info().first_attempt_ms);
            let age = SystemTime::now().duration_since(began).unwrap_or_default();
            assert!(age < Duration::from_secs(60), "{age:?}");
            meets.wait().await;
            Ok(text.into())
        }
    };
    let (one, two) = (look.clone(), look);
    let model = ScriptedModel::new()
        .calls([call("1", "x", &json!({})), call("2", "y", &json!({}))])
        .says("done");
    let agent = agent(&model)
        .tools(LocalTools::new("one").tool(tool("x"), one))
        .tools(LocalTools::new("two").tool(tool("y"), two))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let expected = r#"["x", "y"] ["one", "two"]"#;
    let lines = shown(&output.state.messages);
    assert_eq!(
        lines[2..4],
        [format!("1: {expected}"), format!("2: {expected}")]
    );
}

struct User(u32);

#[tokio::test]
async fn a_tool_in_a_nested_agent_finds_the_context_of_the_run_and_no_checkpoint_keeps_it() {
    let tools = LocalTools::new("s").tool(tool("who"), |call: ToolCall| async move {
        let runtime = call.runtime().unwrap();
        let User(number) = runtime.context().unwrap();
        Ok(format!("user {number}").into())
    });
    let model = ScriptedModel::new()
        .calls([call("1", "who", &json!({}))])
        .says("done");
    let worker = agent(&model).tools(tools).build().unwrap();
    let graph = Graph::<Team>::new()
        .node("worker", member(&worker))
        .edge(START, "worker")
        .compile()
        .unwrap();
    let input = TeamUpdate::default().messages("go");
    let options = RunOptions::new().context(User(7));
    let output = graph.run(input, options).await.unwrap();
    assert_eq!(shown(&output.state.messages)[2], "1: user 7");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_agent_serves_many_threads_at_once_and_mixes_nothing() {
    fn shared<T: Clone + Send + Sync + 'static>(agent: &T) -> T {
        agent.clone()
    }
    let model = (0..40).fold(ScriptedModel::new(), |model, _| {
        model.replies(|request| {
            let last = request
                .messages
                .last()
                .map(|last| last.text())
                .unwrap_or_default();
            Ok(mcp_model::ChatResponse::new(AssistantMessage::text_only(
                format!("re: {last}"),
            )))
        })
    });
    let agent = agent(&model)
        .tools(tools())
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap();
    let mut runs = tokio::task::JoinSet::new();
    for n in 0..40 {
        let agent = shared(&agent);
        let options = RunOptions::new().thread(format!("t{n}").as_str());
        runs.spawn(async move { (n, agent.run(format!("q{n}"), options).await) });
    }
    while let Some(run) = runs.join_next().await {
        let (n, output) = run.unwrap();
        assert_eq!(output.unwrap().answer(), format!("re: q{n}"));
    }
}

#[tokio::test]
async fn results_that_no_checkpoint_keeps_are_gone_after_a_resume_and_the_conversation_is_not() {
    for (keep, left) in [(true, 1), (false, 0)] {
        let tools = tools().tool(tool("ask"), |call: ToolCall| async move {
            Ok(call.ask(json!("?")).await?.to_string().into())
        });
        let model = ScriptedModel::new()
            .calls([call("1", "s__echo", &json!({"text": "hi"}))])
            .calls([call("2", "s__ask", &json!({}))])
            .says("done");
        let memory: Arc<MemoryCheckpointer> = Arc::new(MemoryCheckpointer::new());
        let build = || {
            let agent = agent(&model).tools(tools.clone()).keep_results(keep);
            agent.checkpointer(memory.clone()).build().unwrap()
        };
        let thread = || RunOptions::new().thread("t");
        let output = build().run("go", thread()).await.unwrap();
        assert!(
            output.state.tool_results.contains_key("1"),
            "this process has it"
        );
        let output = build()
            .run(Input::Answer(json!(1)), thread())
            .await
            .unwrap();
        let kept = output.state.tool_results.contains_key("1");
        assert_eq!(usize::from(kept), left);
        assert_eq!(shown(&output.state.messages)[2], "1: hi");
    }
}
