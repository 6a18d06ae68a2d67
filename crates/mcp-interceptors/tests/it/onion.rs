//! Order, copies, short cuts, repeats.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use mcp_interceptors::{
    CallError, CallErrorKind, Command, Delivery, Intercepted, Interceptor, Next, ToolCall,
    ToolLayers, ToolMessage, ToolOutcome, Toolset, from_fn,
};
use mcp_protocol::{CallToolResult, ContentBlock};

use crate::{Calculator, add_of};

struct Logs(&'static str, Arc<Mutex<Vec<String>>>);

impl Interceptor for Logs {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        self.1.lock().unwrap().push(format!("{}>", self.0));
        let outcome = next.run(call).await;
        self.1.lock().unwrap().push(format!("<{}", self.0));
        outcome
    }
}

#[tokio::test]
async fn a01_the_first_layer_is_the_outermost() {
    let calculator = Calculator::default();
    let log = Arc::new(Mutex::new(Vec::new()));
    let layers = ["A", "B", "C"]
        .into_iter()
        .fold(ToolLayers::new(), |layers, name| {
            layers.intercept(Logs(name, Arc::clone(&log)))
        });
    let call = add_of(&calculator.tools(), 2, 3).await;
    let outcome = calculator.service(&layers).call(call).await.unwrap();
    assert_eq!(outcome.text(), "5");
    assert_eq!(*log.lock().unwrap(), ["A>", "B>", "C>", "<C", "<B", "<A"]);
}

#[tokio::test]
async fn a02_a_changed_call_is_a_copy() {
    let calculator = Calculator::default();
    let kept = Arc::new(Mutex::new(None));
    let keeps = Arc::clone(&kept);
    let layers = ToolLayers::new().intercept(from_fn(move |call, next| {
        *keeps.lock().unwrap() = Some(call.clone());
        async move { next.run(call.with_arg("a", 10)).await }
    }));
    let call = add_of(&calculator.tools(), 2, 3).await;
    let own = call.clone();
    let outcome = calculator.service(&layers).call(call).await.unwrap();
    assert_eq!(outcome.text(), "13");
    assert_eq!(kept.lock().unwrap().as_ref().unwrap().args()["a"], 2);
    assert_eq!(own.args()["a"], 2);
    assert_eq!(calculator.seen.lock().unwrap()[0].args()["a"], 10);
}

#[tokio::test]
async fn a04_an_answer_without_next_sends_nothing() {
    let calculator = Calculator::default();
    let layers = ToolLayers::new().intercept(from_fn(|_, _| async { Ok("from the cache".into()) }));
    let call = add_of(&calculator.tools(), 2, 3).await;
    let outcome = calculator.service(&layers).call(call).await.unwrap();
    assert_eq!(outcome.text(), "from the cache");
    assert_eq!(calculator.count(), 0);
}

#[tokio::test]
async fn a_redirect_keeps_the_tool_that_was_asked_for() {
    let calculator = Calculator::default();
    let layers = ToolLayers::new().intercept(from_fn(|call, next| async move {
        next.run(call.with_name("multiply")).await
    }));
    let call = add_of(&calculator.tools(), 5, 2).await;
    let outcome = calculator.service(&layers).call(call).await.unwrap();
    assert_eq!(outcome.text(), "10");
    let seen = calculator.seen.lock().unwrap();
    assert_eq!(seen[0].name(), "multiply");
    assert_eq!(seen[0].tool().name(), "math__add");
}

#[tokio::test]
async fn next_may_be_run_any_number_of_times() {
    let calculator = Calculator::default();
    let layers = ToolLayers::new().intercept(from_fn(|call: ToolCall, next: Next| async move {
        let (first, second) = tokio::join!(next.run(call.clone()), next.run(call));
        Ok(format!("{} {}", first?.text(), second?.text()).into())
    }));
    let call = add_of(&calculator.tools(), 1, 1).await;
    let outcome = calculator.service(&layers).call(call).await.unwrap();
    assert_eq!(outcome.text(), "2 2");
    assert_eq!(calculator.count(), 2);
}

#[tokio::test]
async fn a_cache_answers_equal_calls_once() {
    let calculator = Calculator::default();
    let kept: Arc<Mutex<HashMap<String, ToolOutcome>>> = Arc::default();
    let layers = ToolLayers::new().intercept(from_fn(move |call: ToolCall, next: Next| {
        let key = serde_json::to_string(call.args()).unwrap();
        let hit = kept.lock().unwrap().get(&key).cloned();
        let kept = Arc::clone(&kept);
        async move {
            let outcome = match hit {
                Some(hit) => hit,
                None => next.run(call).await?,
            };
            kept.lock().unwrap().insert(key, outcome.clone());
            Ok(outcome)
        }
    }));
    let service = calculator.service(&layers);
    for (a, calls) in [(1, 1), (1, 1), (2, 2)] {
        let call = add_of(&calculator.tools(), a, 1).await;
        service.call(call).await.unwrap();
        assert_eq!(calculator.count(), calls);
    }
}

#[tokio::test]
async fn layers_apply_to_a_toolset_and_its_direct_calls() {
    let calculator = Calculator::default();
    let layers = ToolLayers::new().intercept(from_fn(|call, next| async move {
        let outcome = next.run(call).await?;
        Ok(format!("Modified: {}", outcome.text()).into())
    }));
    let tools = Intercepted::new(Arc::new(calculator.tools()), &layers);
    let call = add_of(&tools, 2, 3).await;
    assert_eq!(tools.call(call).await.unwrap().text(), "Modified: 5");
}

#[tokio::test]
async fn i01_a_layers_own_error_is_not_the_tools() {
    let calculator = Calculator::default();
    let layers = ToolLayers::new().intercept(from_fn(|_, _| async {
        Err(CallError::layer("Interceptor failed"))
    }));
    let call = add_of(&calculator.tools(), 2, 3).await;
    let error = calculator.service(&layers).call(call).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Layer);
    assert_eq!(error.to_string(), "Interceptor failed");
}

#[test]
fn i03_a_message_keeps_blocks_structure_and_status() {
    let result =
        CallToolResult::error("no project").with_structured_content(serde_json::json!([7]));
    let message = ToolMessage::from(result.clone());
    assert!(message.is_error());
    assert_eq!(message.content, [ContentBlock::text("no project")]);
    assert_eq!(message.artifact, Some(serde_json::json!([7])));
    let outcome = ToolOutcome::from(result).map_result(|mut result| {
        result.content.push(ContentBlock::text("more"));
        result
    });
    assert!(outcome.is_error());
    assert_eq!(outcome.text(), "no project\nmore");
}

#[test]
fn a_header_replaces_and_removes_without_regard_to_case() {
    let upper = HeaderName::from_bytes(b"X-User-Id").unwrap();
    let lower = HeaderName::from_static("x-user-id");
    let value = HeaderValue::from_static;
    let tool = mcp_interceptors::BoundTool::new(
        "t",
        "s",
        mcp_protocol::Tool::new("t", serde_json::json!({})),
    );
    let call = ToolCall::new(Arc::new(tool), serde_json::Map::new())
        .with_header(upper, value("1"))
        .with_header(lower.clone(), value("2"))
        .without_header(AUTHORIZATION)
        .with_timeout(Duration::from_secs(1));
    assert_eq!(call.headers()[&lower], "2");
    assert_eq!(call.headers().len(), 1);
    assert_eq!(call.removed_headers(), [AUTHORIZATION]);
    let call = call
        .with_header(AUTHORIZATION, value("b"))
        .without_header(lower);
    assert_eq!(call.headers().len(), 1);
    assert_eq!(call.removed_headers().len(), 1);
}

#[test]
fn an_error_says_whether_the_call_can_have_run() {
    let of = |kind| CallError::new(kind, "x").delivery();
    assert_eq!(of(CallErrorKind::Connect), Delivery::NotSent);
    assert_eq!(of(CallErrorKind::TimedOut), Delivery::Unknown);
    let error = CallError::new(CallErrorKind::Transport, "it broke")
        .with_delivery(Delivery::NotSent)
        .with_source(std::io::Error::other("pipe"));
    assert_eq!(error.delivery(), Delivery::NotSent);
    assert_eq!(error.chain(), "it broke: pipe");
}

#[test]
fn a_command_is_data() {
    let command = Command::handoff("writer")
        .with_update("status", "done")
        .with_message("ok")
        .goto_with("notes", 7)
        .goto_end();
    let text = serde_json::to_string(&command).unwrap();
    assert_eq!(serde_json::from_str::<Command>(&text).unwrap(), command);
    assert_eq!(ToolOutcome::from(command).text(), "ok");
}
