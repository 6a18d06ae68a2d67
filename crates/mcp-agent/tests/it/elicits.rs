//! A real server's question to the user, over a real session, as a question of the run.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_agent::{
    EventSink, Input, Interest, LiveAnswers, MemoryCheckpointer, ReactAgent, RunEvent,
};
use mcp_client::{AskCaller, Connect, ConnectError, Handlers, Link, ServerPool};
use mcp_model::ScriptedModel;
use mcp_peer::PeerOptions;
use mcp_protocol::elicitation::{ElicitRequestFormParams, RequestedSchema};
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::{ProtocolVersion, RequestContext};
use mcp_server::{Context, NoArgs, Server};
use mcp_transport::{BoxFuture, Handler, memory};
use serde_json::{Value, json};

use crate::agent::{agent, call, shown, thread, tool};

#[derive(Debug)]
pub(crate) struct Local(pub(crate) Server);

impl Connect for Local {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let (ours, theirs) = memory(64);
        self.0.serve(theirs.0, theirs.1);
        let peer = mcp_peer::client(ours.0, ours.1, handler, PeerOptions::default());
        Box::pin(std::future::ready(Ok(Link::new(
            Arc::new(peer),
            Wire::Stream,
        ))))
    }
}

fn server(version: ProtocolVersion) -> Server {
    let schema: RequestedSchema = serde_json::from_value(json!({
        "type": "object",
        "properties": {"age": {"type": "integer"}},
        "required": ["age"],
    }))
    .unwrap();
    Server::builder("registry", "1")
        .versions([version])
        .tool(tool("register"), move |_: NoArgs, cx: Context| {
            let form = ElicitRequestFormParams::new("How old are you?", schema.clone());
            async move {
                let answer = cx.elicit("age", form).await?;
                let content = answer.content.unwrap_or_default();
                Ok(format!("{:?} {}", answer.action, Value::Object(content)))
            }
        })
        .build()
}

fn registering(version: ProtocolVersion, calls: usize) -> ReactAgent {
    let pool = ServerPool::builder()
        .server("reg", Arc::new(Local(server(version))))
        .handlers(Handlers::new().with_elicitation(AskCaller::new()))
        .build();
    let ids = (0..calls).map(|n| call(&n.to_string(), "reg__register", &json!({})));
    let model = ScriptedModel::new().calls(ids).says("done");
    agent(&model)
        .tools(pool)
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a38_a_stateless_servers_question_parks_the_run_until_it_is_answered() {
    for (answer, expected) in [
        (
            json!({"action": "accept", "content": {"age": 25}}),
            "0: Accept {\"age\":25}",
        ),
        (json!({"action": "decline"}), "0: Decline {}"),
        (json!({"action": "cancel"}), "0: Cancel {}"),
    ] {
        let agent = registering(ProtocolVersion::V2026_07_28, 1);
        let output = agent.run("go", thread()).await.unwrap();
        let question = &output.interrupts()[0].value;
        assert_eq!(question["server"], "reg");
        assert_eq!(question["elicitation"]["message"], "How old are you?");
        let output = agent.run(Input::Answer(answer), thread()).await.unwrap();
        assert_eq!(shown(&output.state.messages)[2], expected);
        assert_eq!(output.answer(), "done");
    }
}

#[tokio::test]
async fn a38_an_answer_that_does_not_fit_the_form_is_not_sent() {
    let agent = registering(ProtocolVersion::V2026_07_28, 1);
    agent.run("go", thread()).await.unwrap();
    for wrong in [
        json!({"action": "accept", "content": {"age": "old"}}),
        json!({"action": "accept"}),
    ] {
        let output = agent.run(Input::Answer(wrong), thread()).await.unwrap();
        let question = &output.interrupts()[0].value;
        assert_eq!(question["elicitation"]["message"], "How old are you?");
        let problem = question["problem"].as_str().unwrap();
        assert!(
            problem.contains("age"),
            "names what does not fit: {problem}"
        );
    }
    let right = json!({"action": "accept", "content": {"age": 25}});
    let output = agent.run(Input::Answer(right), thread()).await.unwrap();
    assert_eq!(shown(&output.state.messages)[2], "0: Accept {\"age\":25}");
}

#[tokio::test]
async fn p_a06_two_calls_of_one_server_ask_under_one_key_and_each_gets_its_answer() {
    let agent = registering(ProtocolVersion::V2026_07_28, 2);
    let output = agent.run("go", thread()).await.unwrap();
    let open = output.interrupts().to_vec();
    assert_eq!(open.len(), 2);
    assert_ne!(open[0].id, open[1].id);
    let accept = |age: u8| json!({"action": "accept", "content": {"age": age}});
    let answers = HashMap::from([
        (open[1].id.clone(), accept(31)),
        (open[0].id.clone(), accept(30)),
    ]);
    let output = agent.run(Input::Answers(answers), thread()).await.unwrap();
    let mut lines = shown(&output.state.messages)[2..4].to_vec();
    lines.sort();
    assert_eq!(lines, ["0: Accept {\"age\":30}", "1: Accept {\"age\":31}"]);
}

#[tokio::test]
async fn an_older_servers_call_is_held_open_while_somebody_answers() {
    let agent = registering(ProtocolVersion::V2025_06_18, 1);
    let live = LiveAnswers::new(Duration::from_secs(60));
    let answers = live.clone();
    let sink = EventSink::from_fn(Interest::INTERRUPTS, move |emitted| {
        if let RunEvent::Asked { interrupt } = emitted.event {
            let answer = json!({"action": "accept", "content": {"age": 40}});
            assert!(answers.answer(&interrupt.id, answer));
        }
    });
    let options = thread().events(sink).live_answers(live);
    let output = agent.run("go", options).await.unwrap();
    assert_eq!(shown(&output.state.messages)[2], "0: Accept {\"age\":40}");
}

#[tokio::test]
async fn an_older_servers_question_that_nobody_answers_in_time_fails_its_call_and_parks_nothing() {
    for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25] {
        let agent = registering(version, 1);
        let output = agent.run("go", thread()).await.unwrap();
        assert!(
            output.interrupts().is_empty(),
            "the call cannot be made once more"
        );
        let line = &shown(&output.state.messages)[2];
        assert!(line.starts_with("!0: "), "{line}");
        assert_eq!(output.answer(), "done");
    }
}
