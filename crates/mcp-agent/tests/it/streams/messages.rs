//! What listeners hear of conversations, whole and piece by piece.

use std::sync::Arc;

use futures_util::StreamExt;
use mcp_agent::state::{JsonSchema, JsonState, Messages};
use mcp_agent::{
    Emitted, Graph, Interest, NodeError, NodeOptions, ReactAgent, RunEvent, RunOptions, Runtime,
    START, Streamed, state,
};
use mcp_model::{
    AssistantMessage, BoxFuture, ChatModel, ChatRequest, ChatResponse, Deltas, ModelError,
    ScriptedModel,
};
use serde_json::json;
use tokio::sync::Semaphore;

use super::{S, heard, log};

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
