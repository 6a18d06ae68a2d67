//! What listeners hear of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use mcp_agent::state::{Append, JsonSchema, JsonState, Messages};
use mcp_agent::{
    Emitted, EventSink, Goto, Graph, Input, Interest, MemoryCheckpointer, NodeError, NodeOptions,
    NodeOutput, ReactAgent, RunEvent, RunOptions, Runtime, START, Streamed, Targets, on_payload,
    state,
};
use mcp_model::{
    AssistantMessage, BoxFuture, ChatModel, ChatRequest, ChatResponse, Deltas, ModelError,
    ScriptedModel,
};
use serde_json::json;
use tokio::sync::Semaphore;

state! {
    /// A log.
    pub struct S => U { log: Append<String> }
}

fn log(text: &str) -> U {
    U::default().log(vec![text.to_owned()])
}

fn node(name: &'static str, ms: u64) -> impl mcp_agent::Node<S> {
    move |_: Arc<S>, runtime: Runtime| async move {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        runtime.write(json!({"from": name}));
        Ok::<_, NodeError>(log(name))
    }
}

/// What an event says, in short.
fn short(emitted: &Emitted) -> String {
    let what = match &emitted.event {
        RunEvent::Values { state } => format!("values {}", state["log"]),
        RunEvent::Update { node, update } => format!("update {node} {}", update.as_str()),
        RunEvent::Custom { node, value } => format!("custom {node} {value}"),
        RunEvent::TaskStarted { node, .. } => format!("start {node}"),
        RunEvent::TaskEnded { node, error, .. } => format!("end {node} {error:?}"),
        RunEvent::Checkpointed { .. } => "kept".to_owned(),
        RunEvent::Dropped { count } => format!("dropped {count}"),
        other => format!("{other:?}"),
    };
    let graph = emitted.namespace.split(':').next().unwrap_or_default();
    format!("{graph}/{} {what}", emitted.step)
}

async fn heard(graph: Graph<S>, interest: Interest) -> Vec<String> {
    let graph = graph.compile().unwrap();
    let graph = graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let mut heard = Vec::new();
    let mut run = graph.stream(log("in"), RunOptions::new().thread("t"), interest);
    while let Some(item) = run.next().await {
        match item {
            Streamed::Event(event) => heard.push(short(&event)),
            Streamed::Ended(end) => assert!(end.unwrap().is_finished()),
            _ => {}
        }
    }
    heard
}

fn two() -> Graph<S> {
    Graph::<S>::new()
        .node("a", node("a", 50))
        .node("b", node("b", 1))
        .edge(START, "a")
        .edge(START, "b")
}

#[tokio::test(start_paused = true)]
async fn values_come_after_the_input_and_each_step() {
    let heard = heard(two(), Interest::VALUES).await;
    assert_eq!(
        heard,
        [r#"/0 values ["in"]"#, r#"/1 values ["in","a","b"]"#]
    );
}

#[tokio::test(start_paused = true)]
async fn updates_come_as_tasks_finish_and_custom_values_as_they_are_written() {
    let heard = heard(two(), Interest::UPDATES | Interest::CUSTOM).await;
    assert_eq!(
        heard,
        [
            r#"/1 custom b {"from":"b"}"#,
            r#"/1 update b {"log":["b"]}"#,
            r#"/1 custom a {"from":"a"}"#,
            r#"/1 update a {"log":["a"]}"#,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn tasks_and_checkpoints_are_told() {
    let heard = heard(two(), Interest::TASKS | Interest::CHECKPOINTS).await;
    assert_eq!(
        heard,
        [
            "/0 kept",
            "/1 start a",
            "/1 start b",
            "/1 end b None",
            "/1 end a None",
            "/1 kept"
        ]
    );
}

#[tokio::test]
async fn what_a_subgraph_tells_names_it() {
    let child = two().compile().unwrap();
    let graph = Graph::<S>::new()
        .node("sub", child.as_node(|_: &S| log("x"), |_, _| log("out")))
        .edge(START, "sub");
    let heard = heard(graph, Interest::CUSTOM | Interest::UPDATES).await;
    assert!(
        heard.contains(&r#"sub/1 custom a {"from":"a"}"#.to_owned()),
        "{heard:?}"
    );
    assert_eq!(heard.last().unwrap(), r#"/1 update sub {"log":["out"]}"#);
}

#[tokio::test]
async fn a_slow_listener_is_told_how_much_it_missed() {
    let (sink, mut events) = EventSink::channel(Interest::CUSTOM, 1);
    let graph = Graph::<S>::new()
        .node("many", |_: Arc<S>, runtime: Runtime| async move {
            (0..5).for_each(|n| runtime.write(n));
            Ok::<_, NodeError>(log("many"))
        })
        .edge(START, "many")
        .compile()
        .unwrap();
    let options = || RunOptions::new().events(sink.clone());
    graph.run(log("in"), options()).await.unwrap();
    assert_eq!(short(&events.next().await.unwrap()), "/1 custom many 0");
    graph.run(log("in"), options()).await.unwrap();
    assert_eq!(short(&events.next().await.unwrap()), "/1 dropped 4");
}

#[tokio::test]
async fn a_dropped_stream_cancels_its_run() {
    let held = Arc::new(());
    let inside = Arc::clone(&held);
    let graph = Graph::<S>::new()
        .node("stuck", move |_: Arc<S>, runtime: Runtime| {
            let inside = Arc::clone(&inside);
            async move {
                let _inside = inside;
                runtime.write(1);
                std::future::pending::<Result<U, NodeError>>().await
            }
        })
        .edge(START, "stuck")
        .compile()
        .unwrap();
    let mut run = graph.stream(log("in"), RunOptions::new(), Interest::CUSTOM);
    assert!(matches!(run.next().await, Some(Streamed::Event(_))));
    assert_eq!(Arc::strong_count(&held), 3);
    drop(run);
    assert_eq!(Arc::strong_count(&held), 2);
}

/// A model that writes its answer in pieces, and waits for each to be seen.
#[derive(Debug)]
struct Typing {
    pieces: Vec<&'static str>,
    seen: Semaphore,
}

impl ChatModel for Typing {
    fn name(&self) -> &str {
        "typing"
    }

    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        let text = self.pieces.concat();
        let message = AssistantMessage::text_only(text);
        Box::pin(async move { Ok(ChatResponse::new(message)) })
    }

    fn stream(
        &self,
        request: ChatRequest,
        deltas: Deltas,
    ) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        Box::pin(async move {
            for piece in &self.pieces {
                deltas.write(piece);
                self.seen.acquire().await.unwrap().forget();
            }
            self.generate(request).await
        })
    }
}

fn typing() -> Arc<Typing> {
    Arc::new(Typing {
        pieces: vec!["It ", "snows ", "in Oslo."],
        seen: Semaphore::new(0),
    })
}

#[tokio::test]
async fn an_answer_is_told_piece_by_piece_while_the_model_writes_it() {
    let model = typing();
    let agent = ReactAgent::builder(model.clone()).build().unwrap();
    let both = Interest::DELTAS | Interest::MESSAGES;
    let mut run = agent.stream("how is the weather?", RunOptions::new(), both);
    let mut told = Vec::new();
    while let Some(item) = run.next().await {
        match item {
            Streamed::Event(Emitted {
                event: RunEvent::MessageDelta { node, round, text },
                ..
            }) => {
                told.push(format!("{node} {round} {text}"));
                // Only now the model goes on.
                model.seen.add_permits(1);
            }
            Streamed::Event(Emitted {
                event: RunEvent::Message { message, .. },
                ..
            }) => {
                told.push(format!("whole: {}", message.text()));
            }
            Streamed::Event(other) => panic!("{other:?}"),
            Streamed::Ended(output) => assert_eq!(output.unwrap().answer(), "It snows in Oslo."),
            _ => {}
        }
    }
    let expected = [
        "model 1 It ",
        "model 1 snows ",
        "model 1 in Oslo.",
        "whole: It snows in Oslo.",
    ];
    assert_eq!(told, expected);
}

/// A graph with a node that asks the model itself, and a graph around it with one of them open
/// and one quiet.
fn asking(model: &Arc<Typing>) -> Graph<S> {
    let model = Arc::clone(model);
    let ask = move |_: Arc<S>, runtime: Runtime| {
        let model = Arc::clone(&model);
        async move {
            let question = ChatRequest::question("?");
            let answer = match runtime.deltas() {
                Some(deltas) => model.stream(question, deltas).await?,
                None => model.generate(question).await?,
            };
            Ok::<_, NodeError>(log(&answer.message.text()))
        }
    };
    let child = Graph::<S>::new().node("ask", ask).edge(START, "ask");
    let child = child.compile().unwrap();
    let sub = || {
        child.as_node(
            |_: &S| log("x"),
            |_, inner| log(inner.log.last().map_or("", String::as_str)),
        )
    };
    let quiet = NodeOptions::new().quiet();
    Graph::<S>::new()
        .node("open", sub())
        .node_with("quiet", quiet, sub())
        .edge(START, "open")
        .edge("open", "quiet")
}

#[tokio::test]
async fn a_node_of_ones_own_shows_its_model_and_a_quiet_one_does_not() {
    let model = typing();
    model.seen.add_permits(100);
    let heard = heard(asking(&model), Interest::DELTAS).await;
    let pieces: Vec<bool> = heard
        .iter()
        .map(|line| line.contains("MessageDelta"))
        .collect();
    assert_eq!(pieces, [true; 3], "{heard:?}");
    assert!(
        heard.iter().all(|line| line.starts_with("open/1")),
        "{heard:?}"
    );
}

#[tokio::test]
async fn a_message_is_told_once_whatever_node_it_comes_from_and_whoever_hands_it_on() {
    state! {
        /// A conversation around an agent.
        pub struct Team => TeamUpdate { messages: Messages }
    }
    let model = ScriptedModel::new().says("hello");
    let agent = ReactAgent::builder(Arc::new(model)).build().unwrap();
    let member = agent.as_node(
        |team: &Team| team.messages.since(0).into(),
        |team, agent| TeamUpdate::default().messages(agent.messages.beyond(&team.messages)),
    );
    let repeats = |team: Arc<Team>, _: Runtime| async move {
        // What is known is written again, and something is new.
        let written = team.messages.since(0).and("noted");
        Ok::<_, NodeError>(TeamUpdate::default().messages(written))
    };
    let graph = Graph::<Team>::new()
        .node("member", member)
        .node("repeats", repeats)
        .edge(START, "member")
        .edge("member", "repeats")
        .compile()
        .unwrap();
    let mut told = Vec::new();
    let input = TeamUpdate::default().messages("hi");
    let mut run = graph.stream(input, RunOptions::new(), Interest::MESSAGES);
    while let Some(item) = run.next().await {
        match item {
            Streamed::Event(Emitted {
                namespace,
                event: RunEvent::Message { node, message },
                ..
            }) => {
                let graph = namespace.split(':').next().unwrap_or_default();
                told.push(format!("{graph}/{node} {}", message.text()));
            }
            Streamed::Ended(output) => {
                let messages = output.unwrap().state.messages.clone();
                assert_eq!(messages.len(), 3);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(told, ["member/model hello", "/repeats noted"]);
}

#[tokio::test]
async fn messages_of_a_state_made_at_run_time_are_told_too() {
    let schema = JsonSchema::new().field("messages", Messages::new());
    let graph = Graph::with_state(schema.build())
        .node("a", |_: Arc<JsonState>, _: Runtime| async {
            let update = json!({"messages": [["ai", "hello"]], });
            Ok::<_, NodeError>(update.as_object().cloned().unwrap_or_default())
        })
        .edge(START, "a")
        .compile()
        .unwrap();
    let input = json!({"messages": "hi"}).as_object().cloned().unwrap();
    let mut told = Vec::new();
    let mut run = graph.stream(input, RunOptions::new(), Interest::MESSAGES);
    while let Some(item) = run.next().await {
        if let Streamed::Event(Emitted {
            event: RunEvent::Message { message, .. },
            ..
        }) = item
        {
            told.push(message.text());
        }
    }
    assert_eq!(told, ["hello"]);
}

#[tokio::test]
async fn tasks_tell_what_they_were_sent_what_they_gave_back_and_what_they_ask() {
    let each = on_payload(|n: i64, runtime: Runtime| async move {
        if n == 2 {
            runtime.interrupt("two?")?;
        }
        Ok::<_, NodeError>(log(&n.to_string()))
    });
    let graph = Graph::<S>::new()
        .node("each", each)
        .route(START, |_| -> Targets {
            let send = |n: i64| Goto::send("each", n);
            vec![send(1), send(2)].into()
        })
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let mut told = Vec::new();
    let mut run = graph.stream(log("in"), RunOptions::new().thread("t"), Interest::TASKS);
    while let Some(item) = run.next().await {
        let Streamed::Event(emitted) = item else {
            continue;
        };
        told.push(match emitted.event {
            RunEvent::TaskStarted { payload, .. } => format!("start {}", payload.unwrap()),
            RunEvent::TaskEnded {
                updates,
                interrupts,
                error,
                ..
            } => {
                let updates: Vec<_> = updates.iter().map(|u| u.as_str().to_owned()).collect();
                let asked: Vec<_> = interrupts.iter().map(|i| i.value.to_string()).collect();
                format!("end {updates:?} {asked:?} {}", error.is_some())
            }
            other => panic!("{other:?}"),
        });
    }
    told.sort();
    let expected = [
        r#"end ["{\"log\":[\"1\"]}"] [] false"#,
        r#"end [] ["\"two?\""] true"#,
        "start 1",
        "start 2",
    ];
    assert_eq!(told, expected);
}

async fn chatter(runtime: Runtime, written: Arc<AtomicUsize>) -> Result<U, NodeError> {
    for n in 0..EACH {
        runtime.write(n);
        written.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
    }
    Ok(log("done"))
}

/// How many events each task of the test writes.
const EACH: usize = 5_000;

/// Gives the tasks the time to fill any channel.
async fn dawdle() {
    for _ in 0..6_000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_slow_listener_of_a_stream_loses_nothing_and_the_tasks_wait_for_it() {
    let written = Arc::new(AtomicUsize::new(0));
    let node = || {
        let written = Arc::clone(&written);
        move |_: Arc<S>, runtime: Runtime| chatter(runtime, Arc::clone(&written))
    };
    let graph = Graph::<S>::new()
        .node("a", node())
        .node("b", node())
        .edge(START, "a")
        .edge(START, "b")
        .compile()
        .unwrap();
    let mut run = graph.stream(log("in"), RunOptions::new(), Interest::CUSTOM);
    let mut taken = 0;
    while let Some(item) = run.next().await {
        match item {
            Streamed::Event(Emitted {
                event: RunEvent::Custom { .. },
                ..
            }) => taken += 1,
            Streamed::Event(other) => panic!("{other:?}"),
            Streamed::Ended(end) => assert!(end.unwrap().is_finished()),
            _ => {}
        }
        if taken % 500 == 1 {
            dawdle().await;
        }
        let ahead = written.load(Ordering::SeqCst) - taken;
        assert!(ahead <= 4_096, "{ahead} events wait");
    }
    assert_eq!(taken, 2 * EACH);
}

#[tokio::test]
async fn several_kinds_come_in_the_order_in_which_they_happen() {
    let graph = Graph::<S>::new().node("a", node("a", 0)).edge(START, "a");
    let all = Interest::VALUES | Interest::UPDATES | Interest::CUSTOM | Interest::TASKS;
    let expected = [
        r#"/0 values ["in"]"#,
        "/1 start a",
        r#"/1 custom a {"from":"a"}"#,
        r#"/1 update a {"log":["a"]}"#,
        "/1 end a None",
        r#"/1 values ["in","a"]"#,
    ];
    assert_eq!(heard(graph, all).await, expected);
}

#[tokio::test]
async fn events_have_the_tags_of_the_run_and_of_the_nodes_on_the_way_down() {
    let inner = Graph::<S>::new()
        .node_with("deep", NodeOptions::new().tag("own"), node("deep", 0))
        .edge(START, "deep")
        .compile()
        .unwrap();
    let inner = inner.as_node(|_: &S| U::default(), |_: &S, _: &S| U::default());
    let graph = Graph::<S>::new()
        .node("plain", node("plain", 0))
        .node_with("sub", NodeOptions::new().tag("inner"), inner)
        .edge(START, "plain")
        .edge("plain", "sub")
        .compile()
        .unwrap();
    let options = RunOptions::new().tags(["run".to_owned()]);
    let mut told = Vec::new();
    let mut run = graph.stream(log("in"), options, Interest::CUSTOM | Interest::VALUES);
    while let Some(item) = run.next().await {
        if let Streamed::Event(emitted) = item {
            told.push(format!("{} {:?}", short(&emitted), emitted.tags));
        }
    }
    let expected = [
        r#"/0 values ["in"] ["run"]"#,
        r#"/1 custom plain {"from":"plain"} ["run"]"#,
        r#"/1 values ["in","plain"] ["run"]"#,
        r#"sub/0 values [] ["run", "inner"]"#,
        r#"sub/1 custom deep {"from":"deep"} ["run", "inner", "own"]"#,
        r#"sub/1 values ["deep"] ["run", "inner"]"#,
        r#"/2 values ["in","plain"] ["run"]"#,
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn tasks_tell_which_nodes_led_to_them_also_when_a_run_goes_on() {
    let graph = Graph::<S>::new()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok::<_, NodeError>(NodeOutput::from(log("a")).send("sent", 1).goto("join"))
        })
        .node("b", node("b", 0))
        .node("sent", node("sent", 0))
        .node("join", node("join", 0))
        .node_with("last", NodeOptions::new().defer(), node("last", 0))
        .edge(START, "a")
        .edge(START, "b")
        .join(["a", "b"], "join")
        .edge("b", "last")
        .route("sent", |_| "last")
        .pause_before(["join"])
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let told = |input: Input<U>| {
        let options = RunOptions::new().thread("t");
        let run = graph.stream(input, options, Interest::TASKS);
        run.filter_map(async |item| match item {
            Streamed::Event(emitted) => match emitted.event {
                RunEvent::TaskStarted { node, triggers, .. } => Some((node, triggers)),
                _ => None,
            },
            _ => None,
        })
        .map(|(node, triggers)| format!("{node} {triggers:?}"))
        .collect::<std::collections::BTreeSet<String>>()
    };
    let first = told(log("in").into()).await;
    let expected = [r#"a ["__start__"]"#, r#"b ["__start__"]"#];
    assert!(first.iter().eq(expected.iter()), "{first:?}");
    let then = told(Input::Continue).await;
    let expected = [
        r#"join ["a", "b"]"#,
        r#"last ["b", "sent"]"#,
        r#"sent ["a"]"#,
    ];
    assert!(then.iter().eq(expected.iter()), "{then:?}");
}
