//! A session with a server of each revision.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{CallOptions, Change, Changes, Error, Handlers, Origin};
use mcp_protocol::{
    CallToolParams, GetPromptParams, Prompt, PromptMessage, ProtocolVersion, Resource, Tool,
};
use mcp_server::{Context, Server, ToolError};
use mcp_transport::{BoxFuture, CallError, Delivery, Progress};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::connects::{self, options, scripted, session};

pub(crate) fn library() -> Server {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    Server::builder("library", "1.0.0")
        .instructions("be quiet")
        .tool(
            Tool::new("echo", schema),
            |args: Map<String, Value>, cx: Context| async move {
                cx.progress(Progress::new(0.5)).await;
                let text = args
                    .get("text")
                    .and_then(Value::as_str)
                    .unwrap_or("nothing");
                Ok::<_, ToolError>(text.to_owned())
            },
        )
        .fixed_resource(Resource::new("shelf://1", "first"), "a book")
        .prompt(Prompt::new("greet"), |_: Map<String, Value>, _cx| async {
            Ok(vec![PromptMessage::user("hello")])
        })
        .build()
}

#[tokio::test]
async fn every_method_works_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let session = session(library(), version).await;
        assert_eq!(session.version(), version);
        assert_eq!(session.server_info().unwrap().name, "library");
        assert_eq!(session.instructions(), Some("be quiet"));

        let tools = session.list_tools().await.unwrap();
        assert_eq!(tools.items[0].name, "echo");
        let params = CallToolParams::new("echo")
            .with_arguments(&json!({"text": "hi"}))
            .unwrap();
        let result = session
            .call_tool(params, &CallOptions::new())
            .await
            .unwrap();
        assert_eq!(result.first_text(), Some("hi"), "{version}");

        let resources = session.list_resources().await.unwrap();
        let uri = resources.items[0].uri.clone();
        let read = session
            .read_resource(uri, &CallOptions::new())
            .await
            .unwrap();
        assert_eq!(read.contents[0].as_text(), Some("a book"));

        assert_eq!(session.list_prompts().await.unwrap().items[0].name, "greet");
        let prompt = session
            .get_prompt(GetPromptParams::new("greet"), &CallOptions::new())
            .await
            .unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("hello"));

        session.ping(&CallOptions::new()).await.unwrap();
        assert_eq!(session.discover().await.is_ok(), version.is_stateless());
        session.close().await;
    }
}

#[tokio::test]
async fn a32_what_the_server_does_not_offer_is_refused_without_a_message() {
    let (session, peer) = scripted(json!({"tools": {}}), options(), |mut peer| async move {
        let message = peer.expect("ping").await;
        peer.answer(&message, json!({})).await;
    })
    .await;
    let refused = [
        session.list_prompts().await.err(),
        session.list_resources().await.err(),
        session.subscribe("a:b").await.err(),
        session
            .set_log_level(mcp_protocol::LoggingLevel::Info)
            .await
            .err(),
        session.roots_changed().await.err(),
        session.discover().await.err(),
    ];
    for error in refused {
        let error = error.unwrap();
        assert!(matches!(error, Error::NotNegotiated(_)), "{error}");
        assert_eq!(error.delivery(), Delivery::NotSent);
    }
    session.ping(&CallOptions::new()).await.unwrap();
    peer.finish().await;
}

#[tokio::test]
async fn progress_goes_to_the_call_that_asked_for_it() {
    let session = session(library(), ProtocolVersion::LATEST_HANDSHAKE).await;
    let (seen, mut reports) = mpsc::unbounded_channel();
    let options = CallOptions::new().with_progress(move |report| {
        seen.send(report.progress).unwrap();
    });
    session
        .call_tool(CallToolParams::new("echo"), &options)
        .await
        .unwrap();
    assert_eq!(reports.recv().await, Some(0.5));
}

#[tokio::test(start_paused = true)]
async fn j24_a_token_is_sent_though_nobody_listens_and_progress_keeps_the_call_alive() {
    let (session, peer) = scripted(json!({"tools": {}}), options(), |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let token = call["params"]["_meta"]["progressToken"].clone();
        for n in 1..=5 {
            tokio::time::sleep(Duration::from_secs(50)).await;
            let params = json!({"progressToken": token, "progress": n});
            peer.notify("notifications/progress", params).await;
        }
        peer.answer(&call, json!({"content": []})).await;
    })
    .await;
    let called = session
        .call_tool(CallToolParams::new("slow"), &CallOptions::new())
        .await;
    assert!(called.is_ok());
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_times_out_is_cancelled_and_the_session_goes_on() {
    let (session, peer) = scripted(json!({"tools": {}}), options(), |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let cancel = peer.expect("notifications/cancelled").await;
        assert_eq!(cancel["params"]["requestId"], call["id"]);
        peer.answer(&call, json!({"content": []})).await;
        let ping = peer.expect("ping").await;
        peer.answer(&ping, json!({})).await;
    })
    .await;
    let options = CallOptions::new().with_timeout(Duration::from_secs(1));
    let error = session
        .call_tool(CallToolParams::new("slow"), &options)
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Call(CallError::TimedOut { .. })),
        "{error}"
    );
    session.ping(&CallOptions::new()).await.unwrap();
    peer.finish().await;
}

#[tokio::test]
async fn a31_dropping_a_call_cancels_it_and_the_session_goes_on() {
    let (session, peer) = scripted(json!({"tools": {}}), options(), |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let ping = peer.expect("ping").await;
        peer.answer(&ping, json!({})).await;
        let cancel = peer.expect("notifications/cancelled").await;
        assert_eq!(cancel["params"]["requestId"], call["id"]);
        let ping = peer.expect("ping").await;
        peer.answer(&ping, json!({})).await;
    })
    .await;
    {
        let options = CallOptions::new();
        let call = session.call_tool(CallToolParams::new("slow"), &options);
        let ping = session.ping(&options);
        tokio::select! {
            biased;
            _ = call => panic!("answered"),
            pinged = ping => pinged.unwrap(),
        }
    }
    session.ping(&CallOptions::new()).await.unwrap();
    peer.finish().await;
}

#[tokio::test]
async fn what_a_call_adds_to_meta_is_sent() {
    let (session, peer) = scripted(json!({"tools": {}}), options(), |mut peer| async move {
        let call = peer.expect("tools/call").await;
        assert_eq!(call["params"]["_meta"]["example.com/user"], "ada");
        peer.answer(&call, json!({"content": []})).await;
    })
    .await;
    let options = CallOptions::new().with_meta("example.com/user", "ada");
    session
        .call_tool(CallToolParams::new("who"), &options)
        .await
        .unwrap();
    peer.finish().await;
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_an_error_that_says_so() {
    let (session, peer) = scripted(json!({"tools": {}}), options(), |mut peer| async move {
        let list = peer.expect("tools/list").await;
        peer.answer(&list, json!({"tools": 7})).await;
    })
    .await;
    let error = session.list_tools().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server's result of tools/list cannot be read"
    );
    assert_eq!(error.delivery(), Delivery::Unknown);
    peer.finish().await;
}

#[tokio::test]
async fn a_list_is_kept_until_the_server_announces_a_change() {
    let (seen, mut changes) = mpsc::unbounded_channel();
    let handlers = Handlers::new().with_changes(Tell(seen));
    let options = options().with_handlers(handlers);
    let capabilities = json!({"tools": {"listChanged": true}});
    let (session, peer) = scripted(capabilities, options, |mut peer| async move {
        for name in ["one", "two"] {
            let list = peer.expect("tools/list").await;
            let tool = json!({"name": name, "inputSchema": {"type": "object"}});
            peer.answer(&list, json!({"tools": [tool]})).await;
            let ping = peer.expect("ping").await;
            peer.notify("notifications/tools/list_changed", json!({}))
                .await;
            peer.answer(&ping, json!({})).await;
        }
    })
    .await;
    assert_eq!(session.list_tools().await.unwrap().items[0].name, "one");
    assert_eq!(session.list_tools().await.unwrap().items[0].name, "one");
    session.ping(&CallOptions::new()).await.unwrap();
    assert_eq!(changes.recv().await, Some(Change::Tools));
    assert_eq!(session.list_tools().await.unwrap().items[0].name, "two");
    session.ping(&CallOptions::new()).await.unwrap();
    peer.finish().await;
}

#[derive(Debug)]
struct Tell(mpsc::UnboundedSender<Change>);

impl Changes for Tell {
    fn changed(&self, change: Change, _origin: Origin) -> BoxFuture<'_, ()> {
        self.0.send(change).unwrap();
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test(start_paused = true)]
async fn proto_51_a_list_is_kept_for_as_long_as_the_server_says() {
    let server = |ttl| {
        let schema = json!({"type": "object"});
        let tool = |_: Map<String, Value>, _cx| async { Ok::<_, ToolError>("done") };
        let builder = Server::builder("s", "1").tool(Tool::new("t", schema), tool);
        builder.list_ttl(Duration::from_secs(ttl)).build()
    };
    let session = session(server(60), ProtocolVersion::LATEST).await;
    let first = session.list_tools().await.unwrap();
    tokio::time::advance(Duration::from_secs(59)).await;
    assert!(Arc::ptr_eq(&first, &session.list_tools().await.unwrap()));
    tokio::time::advance(Duration::from_secs(2)).await;
    assert!(!Arc::ptr_eq(&first, &session.list_tools().await.unwrap()));

    let session = connects::session(server(0), ProtocolVersion::LATEST).await;
    let first = session.list_tools().await.unwrap();
    assert!(!Arc::ptr_eq(&first, &session.list_tools().await.unwrap()));
}
