//! A pool as the toolset of an agent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Extensions;
use mcp_client::{ServerOptions, ServerPool};
use mcp_interceptors::{
    BoundTool, CallErrorKind, Delivery, JsonMap, Report, Reports, ToolCall, Toolset,
};
use mcp_protocol::Tool;
use mcp_protocol::lifecycle::Preference;
use serde_json::json;

use crate::connects::{Local, Missing, Scripted, welcome};
use crate::pool::tools;

fn bound(server: &str, name: &str) -> Arc<BoundTool> {
    let tool = Tool::new(name, json!({"type": "object"}));
    Arc::new(BoundTool::new(format!("{server}__{name}"), server, tool))
}

#[tokio::test]
async fn names_map_back_to_the_server_and_the_tool_exactly() {
    let pool = ServerPool::builder()
        .server("a", Local::new(tools(&["b__c", "weird name/é", "_d"])))
        .server("a__b", Local::new(tools(&["c"])))
        .build();
    let list = Toolset::tools(&pool).await;
    let again = Toolset::tools(&pool).await;
    assert_eq!(list.tools.len(), 4);
    for (tool, same) in list.tools.iter().zip(&again.tools) {
        assert_eq!(tool.name(), same.name());
        let call = ToolCall::new(Arc::clone(tool), JsonMap::new());
        let outcome = Toolset::call(&pool, call).await.unwrap();
        assert_eq!(outcome.text(), tool.tool().name);
    }
}

#[tokio::test]
async fn what_a_layer_has_changed_is_what_is_sent() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        let call = peer.expect("tools/call").await;
        assert_eq!(call["params"]["name"], "other");
        assert_eq!(call["params"]["arguments"], json!({"a": 1}));
        assert_eq!(call["params"]["_meta"]["example.com/user"], "ada");
        let token = call["params"]["_meta"]["progressToken"].clone();
        let report = json!({"progressToken": token, "progress": 1, "total": 2, "message": "half"});
        peer.notify("notifications/progress", report).await;
        peer.answer(&call, json!({"content": [], "isError": true}))
            .await;
        peer.receive().await;
    });
    let options = ServerOptions::new().with_preference(Preference::Handshake);
    let pool = ServerPool::builder()
        .server_with("s", server, options)
        .build();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reports = {
        let seen = Arc::clone(&seen);
        Reports::new(move |report| seen.lock().unwrap().push(report))
    };
    let mut extensions = Extensions::new();
    extensions.insert(reports);
    let call = ToolCall::in_context(bound("s", "t"), JsonMap::new(), extensions)
        .with_name("other")
        .with_arg("a", 1)
        .with_meta("example.com/user", "ada");
    let outcome = Toolset::call(&pool, call).await.unwrap();
    assert!(outcome.is_error());
    let seen = seen.lock().unwrap();
    let [Report::Progress(report)] = seen.as_slice() else {
        panic!("{seen:?}");
    };
    assert_eq!(
        (report.progress, report.message.as_deref()),
        (1.0, Some("half"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_s_own_timeout_holds() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        while peer.receive().await.is_some() {}
    });
    let options = ServerOptions::new().with_preference(Preference::Handshake);
    let pool = ServerPool::builder()
        .server_with("s", server, options)
        .build();
    let call = ToolCall::new(bound("s", "t"), JsonMap::new()).with_timeout(Duration::from_secs(2));
    let error = Toolset::call(&pool, call).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::TimedOut);
    assert_eq!(
        error.chain(),
        "server `s` gave no result: no answer within 2s"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn errors_keep_their_kind_and_say_whether_the_call_may_have_run() {
    let pool = ServerPool::builder()
        .server("missing", Arc::new(Missing))
        .server("s", Local::new(tools(&["t"])))
        .build();
    let error = Toolset::call(&pool, ToolCall::new(bound("missing", "t"), JsonMap::new()))
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.delivery()),
        (CallErrorKind::Connect, Delivery::NotSent)
    );
    assert_eq!(
        error.chain(),
        "server `missing` is not available: no such command: nowhere"
    );
    let error = Toolset::call(&pool, ToolCall::new(bound("nobody", "t"), JsonMap::new()))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::UnknownTool);
    let error = Toolset::call(&pool, ToolCall::new(bound("s", "nothing"), JsonMap::new()))
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (CallErrorKind::Protocol, Some(-32602))
    );
}
