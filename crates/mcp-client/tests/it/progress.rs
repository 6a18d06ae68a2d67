//! Progress of all calls, with the call that it belongs to.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Extensions;
use mcp_client::{CallOptions, Handlers, Origin, ProgressReports, Sampling};
use mcp_interceptors::CallId;
use mcp_jsonrpc::ErrorObject;
use mcp_protocol::sampling::{CreateMessageParams, CreateMessageResult};
use mcp_protocol::{CallToolParams, TextContent};
use mcp_transport::{BoxFuture, Progress};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use crate::connects::{options, scripted};

#[derive(Debug)]
struct Tell(mpsc::UnboundedSender<(f64, Origin)>, Arc<Semaphore>);

impl ProgressReports for Tell {
    fn progress(&self, progress: Progress, origin: Origin) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.1.acquire().await.unwrap().forget();
            self.0.send((progress.progress, origin)).unwrap();
        })
    }
}

type Told = mpsc::UnboundedReceiver<(f64, Origin)>;

/// A handler that may take this many reports.
fn told(permits: usize) -> (Handlers, Told, Arc<Semaphore>) {
    let (tell, told) = mpsc::unbounded_channel();
    let permits = Arc::new(Semaphore::new(permits));
    let handlers = Handlers::new().with_progress(Tell(tell, Arc::clone(&permits)));
    (handlers, told, permits)
}

fn call_of(id: &'static str) -> CallOptions {
    let mut extensions = Extensions::new();
    extensions.insert(CallId::new(id));
    let mut options = CallOptions::new();
    options.extensions = Arc::new(extensions);
    options
}

#[tokio::test]
async fn reports_of_calls_side_by_side_name_the_call_that_they_belong_to() {
    let (handlers, mut told, _) = told(1000);
    let options = options().with_handlers(handlers);
    let (session, peer) = scripted(json!({"tools": {}}), options, |mut peer| async move {
        let mut calls = Vec::new();
        for _ in 0..20 {
            calls.push(peer.expect("tools/call").await);
        }
        for step in [1, 2] {
            for call in &calls {
                let token = call["params"]["_meta"]["progressToken"].clone();
                let report = json!({"progressToken": token, "progress": step});
                peer.notify("notifications/progress", report).await;
            }
        }
        for call in calls.iter().rev() {
            peer.answer(call, json!({"content": []})).await;
        }
    })
    .await;
    let names = ["a", "b", "c", "d"];
    let session = &session;
    let calls = (0..20).map(|n| async move {
        let name = names[n % names.len()];
        let options = call_of(name);
        let called = session.call_tool(CallToolParams::new(name), &options);
        called.await.unwrap();
    });
    futures_util::future::join_all(calls).await;
    let mut seen = Vec::new();
    while let Ok((progress, origin)) = told.try_recv() {
        assert_eq!(&*origin.server, "server");
        let id = origin.tool_call.unwrap();
        assert_eq!(origin.tool.as_deref(), Some(id.as_str()));
        seen.push((id.as_str().to_owned(), progress as u32));
    }
    // All came before their call returned, those of a call in order.
    seen.sort();
    let expected = names.into_iter().flat_map(|name| {
        let of = move |step| std::iter::repeat_n((name.to_owned(), step), 5);
        of(1).chain(of(2))
    });
    assert_eq!(seen, expected.collect::<Vec<_>>());
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_report_that_takes_long_holds_up_nothing_but_its_own_call() {
    let (handlers, mut told, permits) = told(0);
    let options = options().with_handlers(handlers);
    let (session, peer) = scripted(json!({"tools": {}}), options, |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let token = call["params"]["_meta"]["progressToken"].clone();
        for step in 1..=100 {
            let report = json!({"progressToken": token, "progress": step});
            peer.notify("notifications/progress", report).await;
        }
        peer.answer(&call, json!({"content": []})).await;
        let ping = peer.expect("ping").await;
        peer.answer(&ping, json!({})).await;
    })
    .await;
    let options = CallOptions::new();
    let call = session.call_tool(CallToolParams::new("t"), &options);
    let meanwhile = async {
        session.ping(&options).await.unwrap();
        assert!(told.try_recv().is_err());
        permits.add_permits(1000);
    };
    let (called, ()) = tokio::join!(call, meanwhile);
    called.unwrap();
    // One was being handled; of the others the newest were kept.
    let mut steps = Vec::new();
    while let Ok((step, _)) = told.try_recv() {
        steps.push(step as u32);
    }
    assert!((64..=65).contains(&steps.len()), "{steps:?}");
    assert_eq!(steps.last(), Some(&100));
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_report_that_never_ends_does_not_keep_the_answer_for_ever() {
    let (handlers, _told, _permits) = told(0);
    let options = options().with_handlers(handlers);
    let (session, peer) = scripted(json!({"tools": {}}), options, |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let token = call["params"]["_meta"]["progressToken"].clone();
        let report = json!({"progressToken": token, "progress": 1});
        peer.notify("notifications/progress", report).await;
        peer.answer(&call, json!({"content": []})).await;
    })
    .await;
    let options = CallOptions::new();
    let called = session.call_tool(CallToolParams::new("t"), &options);
    let called = tokio::time::timeout(Duration::from_secs(6), called).await;
    called.unwrap().unwrap();
    peer.finish().await;
}

/// A model that tells how far it is, and of what it has answered before.
#[derive(Debug, Default)]
struct Telling(Mutex<Option<Origin>>);

impl Sampling for Telling {
    fn create_message(
        &self,
        _: CreateMessageParams,
        origin: Origin,
    ) -> BoxFuture<'_, Result<CreateMessageResult, ErrorObject>> {
        Box::pin(async move {
            let before = self.0.lock().unwrap().replace(origin.clone());
            if let Some(before) = before {
                before.reporter.report(0.9).await;
            }
            for value in [0.25, 0.25, 0.1, f64::NAN] {
                origin.reporter.report(value).await;
            }
            let last = Progress::new(0.5).with_total(1.0).with_message("half");
            origin.reporter.report(last).await;
            Ok(CreateMessageResult::new("m", TextContent::new("hello")))
        })
    }
}

#[tokio::test]
async fn proto_31_a_handler_reports_by_the_servers_token_rising_and_not_after_its_answer() {
    let options = options().with_handlers(Handlers::new().with_sampling(Telling::default()));
    let (session, script) = scripted(json!({}), options, |mut peer| async move {
        let params = |meta: Value| {
            let text = json!({"type": "text", "text": "hi"});
            json!({"messages": [{"role": "user", "content": text}], "maxTokens": 5, "_meta": meta})
        };
        let method = "sampling/createMessage";
        peer.request(1, method, params(json!({"progressToken": "p"})))
            .await;
        let first = peer.expect("notifications/progress").await;
        assert_eq!(
            first["params"],
            json!({"progressToken": "p", "progress": 0.25})
        );
        let second = peer.expect("notifications/progress").await;
        assert_eq!(second["params"]["message"], "half");
        peer.expect_answer(1).await;
        // Without a token there is nobody to tell, nor of what is answered already.
        peer.request(2, method, params(json!({}))).await;
        peer.expect_answer(2).await;
        peer.request(3, "ping", json!({})).await;
        peer.expect_answer(3).await;
    })
    .await;
    script.finish().await;
    session.close().await;
}
