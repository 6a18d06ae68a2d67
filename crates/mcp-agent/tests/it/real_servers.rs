//! Real servers over real sessions: those that die, those that take too long, and those that ask.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_agent::{Checkpointer, ErrorKind, Input, MemoryCheckpointer, ReactAgent, StopAfter};
use mcp_client::{AskCaller, Connect, ConnectError, Handlers, Link, ServerOptions, ServerPool};
use mcp_model::ScriptedModel;
use mcp_peer::{Peer, PeerOptions};
use mcp_protocol::elicitation::{ElicitRequestFormParams, RequestedSchema};
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::{ProtocolVersion, RequestContext};
use mcp_server::{Context, NoArgs, Server, ToolError};
use mcp_transport::{BoxFuture, Channel, Handler, Timeouts, memory};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::agent::{agent, call, shown, thread, tool};
use crate::attacks::assert_whole;
use crate::elicits::Local;

/// A server of which the tool `die` ends the process, and `hang` waits until it is cancelled.
#[derive(Clone, Debug, Default)]
struct Mortal {
    connects: Arc<AtomicUsize>,
    peer: Arc<Mutex<Option<Peer>>>,
    hangs: Arc<Notify>,
    cancelled: Arc<Notify>,
}

/// Tells that its call is over; nothing but a cancellation ends it.
struct Heard(Arc<Notify>);

impl Drop for Heard {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Mortal {
    fn server(&self) -> Server {
        let (dying, hanging) = (self.clone(), self.clone());
        Server::builder("m", "1")
            .versions([ProtocolVersion::V2025_11_25])
            .tool(tool("echo"), |_: NoArgs, _| async {
                Ok::<_, ToolError>("here")
            })
            .tool(tool("die"), move |_: NoArgs, _| {
                let peer = dying.peer.lock().unwrap().take().unwrap();
                let dying = async move { peer.close().await };
                tokio::spawn(dying);
                std::future::pending::<Result<&str, ToolError>>()
            })
            .tool(tool("hang"), move |_: NoArgs, cx: Context| {
                let this = hanging.clone();
                async move {
                    let _heard = Heard(Arc::clone(&this.cancelled));
                    this.hangs.notify_one();
                    cx.cancelled().await;
                    Ok::<_, ToolError>("never told")
                }
            })
            .build()
    }
}

impl Connect for Mortal {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        self.connects.fetch_add(1, Ordering::SeqCst);
        let (ours, theirs) = memory(64);
        let mut options = PeerOptions::default();
        options.grace = Duration::ZERO;
        let peer = self.server().serve_with(theirs.0, theirs.1, options);
        *self.peer.lock().unwrap() = Some(peer);
        let peer = mcp_peer::client(ours.0, ours.1, handler, PeerOptions::default());
        Box::pin(async move { Ok(Link::new(Arc::new(peer), Wire::Stream)) })
    }
}

fn of(server: &Mortal, model: &ScriptedModel, options: ServerOptions) -> ReactAgent {
    let pool = ServerPool::builder()
        .server_with("m", Arc::new(server.clone()), options)
        .build();
    agent(model)
        .tools(pool)
        .stop_after(StopAfter::new(2, 3))
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a29_a_server_that_dies_in_a_call_is_told_of_and_the_next_call_finds_it_again() {
    let server = Mortal::default();
    let model = ScriptedModel::new()
        .calls([call("1", "m__die", &json!({}))])
        .calls([call("2", "m__echo", &json!({}))])
        .says("done");
    let agent = of(&server, &model, ServerOptions::new());
    let output = agent.run("go", thread()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert!(
        lines[2].starts_with("!1: Tool m__die failed: "),
        "{}",
        lines[2]
    );
    assert_eq!(lines[4..], ["2: here", "done"]);
    assert_eq!(server.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a30_a_call_without_an_answer_in_time_is_cancelled_and_told_and_the_session_goes_on() {
    let server = Mortal::default();
    let mut timeouts = Timeouts::default();
    timeouts.idle = Some(Duration::from_secs(3));
    let options = ServerOptions::new().with_timeouts(timeouts);
    let model = ScriptedModel::new()
        .calls([call("1", "m__hang", &json!({}))])
        .calls([call("2", "m__echo", &json!({}))])
        .says("done");
    let agent = of(&server, &model, options);
    let began = tokio::time::Instant::now();
    let output = agent.run("go", thread()).await.unwrap();
    assert_eq!(began.elapsed().as_secs(), 3);
    server.cancelled.notified().await;
    let lines = shown(&output.state.messages);
    assert!(
        lines[2].starts_with("!1: Tool m__hang failed: "),
        "{}",
        lines[2]
    );
    assert_eq!(lines[4..], ["2: here", "done"]);
    assert_eq!(
        server.connects.load(Ordering::SeqCst),
        1,
        "one session all along"
    );
}

#[tokio::test(start_paused = true)]
async fn a31_a_server_hears_at_once_that_the_run_is_cancelled_and_its_session_stays_usable() {
    let server = Mortal::default();
    let model = ScriptedModel::new()
        .calls([call("1", "m__hang", &json!({}))])
        .calls([call("2", "m__echo", &json!({}))])
        .says("done");
    let agent = of(&server, &model, ServerOptions::new());
    let cancel = CancellationToken::new();
    let options = thread().cancel(cancel.clone());
    let running = agent.clone();
    let run = tokio::spawn(async move { running.run("go", options).await });
    server.hangs.notified().await;
    let began = tokio::time::Instant::now();
    cancel.cancel();
    server.cancelled.notified().await;
    assert!(
        began.elapsed() < Duration::from_millis(200),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(run.await.unwrap().unwrap_err().kind(), ErrorKind::Cancelled);

    let output = agent.run("and now?", thread()).await.unwrap();
    assert_eq!(output.answer(), "done");
    assert_whole(&output.state.messages);
    assert_eq!(server.connects.load(Ordering::SeqCst), 1);
}

/// Asks how old somebody is; counts the rounds, and the times that its work was done.
fn registry(rounds: &Arc<AtomicUsize>, done: &Arc<AtomicUsize>) -> Server {
    let schema: RequestedSchema = serde_json::from_value(json!({
        "type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"],
    }))
    .unwrap();
    let (rounds, done) = (Arc::clone(rounds), Arc::clone(done));
    Server::builder("registry", "1")
        .versions([ProtocolVersion::V2026_07_28])
        .tool(tool("register"), move |_: NoArgs, cx: Context| {
            rounds.fetch_add(1, Ordering::SeqCst);
            let form = ElicitRequestFormParams::new("How old are you?", schema.clone());
            let done = Arc::clone(&done);
            async move {
                let answer = cx.elicit("age", form).await?;
                done.fetch_add(1, Ordering::SeqCst);
                let age = answer
                    .content
                    .as_ref()
                    .and_then(|content| content.get("age"));
                Ok::<_, ToolError>(format!("{:?} {}", answer.action, json!(age)))
            }
        })
        .build()
}

#[tokio::test]
async fn a38_another_process_answers_and_nothing_unfit_reaches_the_server() {
    for (answer, expected) in [
        (
            json!({"action": "accept", "content": {"age": 25}}),
            "1: Accept 25",
        ),
        (json!({"action": "decline"}), "1: Decline null"),
        (
            json!({"action": "cancel", "content": {"age": 1}}),
            "1: Cancel null",
        ),
    ] {
        let (rounds, done) = (Arc::default(), Arc::default());
        let memory: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
        let process = |model: &ScriptedModel| {
            let pool = ServerPool::builder()
                .server("reg", Arc::new(Local(registry(&rounds, &done))))
                .handlers(Handlers::new().with_elicitation(AskCaller::new()))
                .build();
            let agent = agent(model).tools(pool).checkpointer(Arc::clone(&memory));
            agent.build().unwrap()
        };
        let first = ScriptedModel::new().calls([call("1", "reg__register", &json!({}))]);
        process(&first).run("go", thread()).await.unwrap();
        let wrong = json!({"action": "accept", "content": {"age": "old"}});
        let output = process(&ScriptedModel::new())
            .run(Input::Answer(wrong), thread())
            .await
            .unwrap();
        assert!(output.interrupts()[0].value["problem"].is_string());
        assert_eq!(done.load(Ordering::SeqCst), 0, "nothing was sent");

        let last = ScriptedModel::new().says("done");
        let output = process(&last)
            .run(Input::Answer(answer), thread())
            .await
            .unwrap();
        assert_eq!(shown(&output.state.messages)[2], expected);
        assert_eq!(done.load(Ordering::SeqCst), 1, "the work is done once");
        assert_eq!(output.answer(), "done");
    }
}
